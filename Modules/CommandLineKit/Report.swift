import Codecs
package import Domain
package import Rows
import Synchronization

/// Writes errors, warnings, results and progress to standard error.
package final class Report: Sendable {
  package enum Style: String, Sendable, CaseIterable {
    /// Text, with the hint on a line of its own; one JSON object per error.
    case text, json
  }

  private struct State {
    var style = Style.text
    var isQuiet = false
    var isVerbose = false
    /// Adapts messages to the running command; nil before it is known.
    var presenter: ErrorPresenter?
    var isColored = false
    /// Whether the terminal shows a progress line.
    var hasLine = false
    var warnings: Set<Warning> = []
  }
  /// The secrets of the run, which are not written.
  package let secrets = Secrets()
  private let program: String
  private let write: @Sendable (_ text: String) -> Void
  private let state = Mutex(State())
  /// Held while a line is written: progress is drawn by a thread of its own.
  private let turn = Mutex(())

  /// Creates a report whose errors and warnings start with the name of `program`.
  /// - Parameter write: receives the text; standard error if not given.
  package init(
    program: String, write: @escaping @Sendable (_ text: String) -> Void = { try? Terminal.write($0, to: 2) }
  ) {
    self.program = program
    self.write = write
  }

  /// Sets the format of errors, whether warnings, results and details are written, and the running command.
  package func configure(
    style: Style, isQuiet: Bool, isVerbose: Bool = false, isColored: Bool = false, presenter: ErrorPresenter? = nil
  ) {
    state.withLock { state in
      state.presenter = presenter
      state.style = style
      state.isQuiet = isQuiet
      state.isVerbose = isVerbose && !isQuiet
      state.isColored = isColored
    }
  }

  /// Writes an error, and its hint on a second line.
  package func problem(_ problem: Problem) {
    defer { for other in problem.others { self.problem(other) } }
    let problem = secrets.removed(from: problem), remedy = problem.hint, presented = worded(problem)
    switch state.withLock({ $0.style }) {
    case .text: marked("", "\(program):", .error, Self.text(of: presented))
    case .json:
      let problem = presented.shortened
      let fields = [
        ("kind", problem.kind.rawValue), ("message", problem.message), ("place", problem.place),
        ("hint", problem.hint.description),
      ]
      let body = fields.map { "\"\($0.0)\":\(JSONText.quoted($0.1))" }.joined(separator: ",")
      let data = Self.json(remedy), member = data.isEmpty ? "" : ",\"remedy\":[\(data.joined(separator: ","))]"
      line("{\"bb\":1,\"error\":{\(body),\"exit\":\(problem.kind.exitCode)\(member)}}")
    }
  }

  /// Writes a warning, unless messages are suppressed or errors are JSON.
  package func warning(_ text: String) {
    if isSilent { return }
    marked("\(program): ", "warning:", .warning, shown(text))
  }
  /// Writes a warning, with a hint that fits the running command, once: a file may be read twice.
  package func warning(_ warning: Warning) {
    guard state.withLock({ $0.warnings.insert(warning).inserted }) else { return }
    self.warning(state.withLock { $0.presenter }?.text(of: warning) ?? warning.message)
  }

  /// Writes a warning that no option suppresses: the result is not what was requested.
  package func notice(_ text: String) {
    switch state.withLock({ $0.style }) {
    case .text: marked("\(program): ", "warning:", .warning, shown(text))
    case .json:
      line(
        "{\"bb\":1,\"warning\":{\"message\":\(JSONText.quoted(MessageText.shortened(secrets.removed(from: text))))}}")
    }
  }

  /// Writes the result of an operation, such as `added Luzern`, unless messages are suppressed or errors are JSON.
  package func result(_ text: String) {
    if isSilent { return }
    line(shown(text))
  }

  /// Writes a note below output on a terminal, in lines that fit, unless messages are suppressed or errors are JSON.
  package func footer(_ note: Warning) {
    if isSilent { return }
    let text = state.withLock { $0.presenter }?.text(of: note) ?? note.message
    let width = Terminal.width(2) ?? .max, shown = Terminal.safe(secrets.removed(from: text))
    var lines = [""], used = 0
    for word in shown.split(separator: " ") {
      if used > 0, used + 1 + word.unicodeScalars.count > width {
        lines.append("")
        used = 0
      }
      lines[lines.count - 1] += (used > 0 ? " " : "") + word
      used += word.unicodeScalars.count + (used > 0 ? 1 : 0)
    }
    let isDim = state.withLock { $0.isColored }
    let body = lines.joined(separator: "\n")
    clear()
    try? Terminal.write(isDim ? "\u{1B}[2m\(body)\u{1B}[0m\n" : body + "\n", to: 2)
  }

  package var hasDetails: Bool { state.withLock { $0.isVerbose } }

  /// Writes a line if details are enabled.
  package func detail(_ text: String) {
    if state.withLock({ $0.isVerbose }) { result(text) }
  }

  private enum Level: String { case error = "\u{1B}[31m", warning = "\u{1B}[33m" }

  /// Writes a line with a mark that is coloured on a terminal: red for errors, yellow for warnings.
  private func marked(_ start: String, _ mark: String, _ level: Level, _ text: String) {
    guard state.withLock({ $0.isColored }) else { return line("\(start)\(mark) \(text)") }
    replaceLine(
      with: "\(Terminal.safe(start))\(level.rawValue)\(Terminal.safe(mark))\u{1B}[0m \(Terminal.safe(text))\n")
  }

  package func line(_ text: String) { replaceLine(with: Terminal.safe(secrets.removed(from: text)) + "\n") }

  /// Erases the progress line and writes text.
  private func replaceLine(with text: String) {
    turn.withLock { _ in
      let had = state.withLock { state in
        defer { state.hasLine = false }
        return state.hasLine
      }
      if had { write("\r\u{1B}[K") }
      if !text.isEmpty { write(text) }
    }
  }

  /// Whether progress is a line of the terminal that is replaced, and not lines of a log.
  let replacesProgress = Terminal.isTerminal(2)

  /// Replaces the progress line of a terminal, or adds a line to a log.
  func progress(_ text: String) {
    turn.withLock { _ in
      guard replacesProgress else { return write(shown(text) + "\n") }
      state.withLock { $0.hasLine = true }
      write("\r\u{1B}[K" + shown(text))
    }
  }

  /// Whether the terminal shows a progress line.
  var hasProgress: Bool { state.withLock { $0.hasLine } }

  func clear() { replaceLine(with: "") }

  /// The problem as the running command words it, without options that it does not have.
  package func worded(_ problem: Problem) -> Problem {
    guard let presenter = state.withLock({ $0.presenter }) else { return problem }
    return presenter.worded(problem)
  }

  /// The steps of a remedy that are more than words.
  private static func json(_ remedy: Remedy) -> [String] {
    remedy.steps.flatMap { step in
      if case .together(let choices) = step {
        return choices.map { Remedy.Step.set($0.setting, to: [$0.value].compactMap(\.self), purpose: nil) }
      }
      return [step]
    }.compactMap { step in
      let members: [(String, [String])]
      switch step {
      case .advice, .choose, .together: return nil
      case .set(let setting, let values, _): members = [("set", [setting.name]), ("to", values)]
      case .raise(let setting): members = [("raise", [setting.name])]
      case .omit(let setting): members = [("omit", [setting.name])]
      case .run(let action, _): members = [("run", [action.name]), ("on", [action.subject].compactMap(\.self))]
      }
      let known = members.filter { !$0.1.isEmpty }.map { key, values in
        let words = values.map { JSONText.quoted(MessageText.shortened($0)) }
        return "\"\(key)\":" + (words.count == 1 ? words[0] : "[\(words.joined(separator: ","))]")
      }
      return "{\(known.joined(separator: ","))}"
    }
  }

  private var isSilent: Bool { state.withLock { $0.isQuiet || $0.style == .json } }

  private func shown(_ text: String) -> String { Self.shown(secrets.removed(from: text)) }

  // Escaping makes text longer, so it is shortened again.
  private static func shown(_ text: String) -> String {
    MessageText.shortened(Terminal.safe(MessageText.shortened(text)))
  }

  /// The error in one line, and its hint in another.
  private static func text(of problem: Problem) -> String {
    var copy = problem
    (copy.message, copy.place) = (shown(problem.message), shown(problem.place))
    let hint = shown(problem.hint.description)
    return copy.summary + (hint.isEmpty ? "" : "\nhint: \(hint)")
  }
}
