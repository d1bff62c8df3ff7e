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
    case .text: line("\(program): \(oneLine(problem.description))")
    case .json:
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
    line("\(program): \(oneLine(text))")
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
    try? Terminal.write("\r\u{1B}[K" + Terminal.safe(oneLine(text)), to: 2)
  }

  /// Takes the progress line away.
  public func clear() {
    let had = state.withLock { state in
      defer { state.hasLine = false }
      return state.hasLine
    }
    if had { try? Terminal.write("\r\u{1B}[K", to: 2) }
  }

  private func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
