import Codecs
public import Rows
import Synchronization

/// What a program says on standard error: problems, warnings and progress, a line each.
public final class Report: Sendable {
  /// How problems are written.
  public enum Style: String, Sendable, CaseIterable {
    /// A line for people; one JSON object.
    case text, json
  }

  private struct State {
    var style = Style.text
    var isQuiet = false
    var isVerbose = false
    /// Whether a progress line stands on the terminal.
    var hasLine = false
  }
  private let program: String
  private let state = Mutex(State())

  /// Reports of `program`.
  public init(program: String) { self.program = program }

  /// Sets how problems are written, and whether warnings and details are.
  public func configure(style: Style, isQuiet: Bool, isVerbose: Bool = false) {
    state.withLock { state in
      state.style = style
      state.isQuiet = isQuiet
      state.isVerbose = isVerbose && !isQuiet
    }
  }

  /// Writes a problem in one line.
  public func problem(_ problem: Problem) {
    switch state.withLock({ $0.style }) {
    case .text: line("\(program): \(Self.shown(problem).description)")
    case .json:
      let problem = problem.shortened
      let fields = [
        ("kind", problem.kind.rawValue), ("message", problem.message), ("place", problem.place), ("hint", problem.hint),
      ]
      let body = fields.map { "\"\($0.0)\":\(JSONText.quoted($0.1))" }.joined(separator: ",")
      line("{\"bb\":1,\"error\":{\(body),\"exit\":\(problem.kind.exitCode)}}")
    }
  }

  /// Writes a line for people, unless they asked for quiet.
  public func warning(_ text: String) {
    if state.withLock({ $0.isQuiet || $0.style == .json }) { return }
    line("\(program): \(Self.shown(text))")
  }

  /// Writes a warning that no option suppresses: the result is not what was asked for.
  public func notice(_ text: String) {
    switch state.withLock({ $0.style }) {
    case .text: line("\(program): \(Self.shown(text))")
    case .json: line("{\"bb\":1,\"warning\":{\"message\":\(JSONText.quoted(MessageText.shortened(text)))}}")
    }
  }

  /// Whether details are wanted.
  public var hasDetails: Bool { state.withLock { $0.isVerbose } }

  /// Writes a line for people who want to know more.
  public func detail(_ text: String) {
    if state.withLock({ $0.isVerbose }) { warning(text) }
  }

  /// Writes a line whatever was asked: what a person wanted to be told.
  public func line(_ text: String) {
    clear()
    try? Terminal.write(Terminal.safe(text) + "\n", to: 2)
  }

  /// Shows the state of the work in place of the last one; for terminals only.
  public func progress(_ text: String) {
    state.withLock { $0.hasLine = true }
    try? Terminal.write("\r\u{1B}[K" + Self.shown(text), to: 2)
  }

  /// Takes the progress line away.
  public func clear() {
    let had = state.withLock { state in
      defer { state.hasLine = false }
      return state.hasLine
    }
    if had { try? Terminal.write("\r\u{1B}[K", to: 2) }
  }

  // Escaping makes text longer, so it is shortened again.
  private static func shown(_ text: String) -> String {
    MessageText.shortened(Terminal.safe(MessageText.shortened(text)))
  }

  private static func shown(_ problem: Problem) -> Problem {
    var copy = problem
    (copy.message, copy.place, copy.hint) = (shown(problem.message), shown(problem.place), shown(problem.hint))
    return copy
  }
}
