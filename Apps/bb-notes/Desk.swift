import CommandLineKit
import Domain
import Query
import Rows

/// What a command works with: what was said, the world outside, and the records.
struct Desk: Sendable {
  /// What was said on the command line.
  let invocation: Invocation
  /// The world outside.
  let environment: Environment

  /// The option's value; nil when it was not given.
  subscript(option: Option) -> String? { invocation[option] }
  /// Whether a flag was given.
  func has(_ option: Option) -> Bool { invocation.has(option) }
  /// The arguments.
  var arguments: [String] { invocation.arguments }
  /// What is said on standard error.
  var report: Report { environment.report }

  /// The location of the storage, and whether it was named on the command line.
  func location() throws(Problem) -> (text: String, isNamed: Bool) {
    if let text = self[Options.storage] { return (text, true) }
    return (try environment.defaultStorage().location, false)
  }

  /// The records.
  /// - Parameter makes: whether the command may make the storage; else one that was named must be there.
  func book(makes: Bool = false) throws(Problem) -> RecordBook {
    let (text, isNamed) = try location()
    let store = try environment.store(text)
    if isNamed, !makes, try !environment.exists(text), store.capabilities.contains(.durable) {
      throw Problem(.noInput, "there is no such storage", at: store.name, hint: "the first record you add makes it")
    }
    return RecordBook(store, clock: environment.clock)
  }

  /// Says in a line on standard error what was done, unless quiet was asked for.
  func say(_ line: String) { report.warning(line) }

  /// Asks before something is done: on a terminal the person, elsewhere `--yes` must have been said.
  /// - Parameter action: what would be done: `delete the note on Breaking Bad S05E14`.
  /// - Returns: whether it may be done.
  /// - Throws: `usage` without a terminal and without `--yes`.
  func confirms(_ action: String) throws(Problem) -> Bool {
    if has(Options.yes) { return true }
    guard environment.isInteractive else {
      throw Problem(.usage, "nobody can be asked whether to \(action)", hint: "add --yes")
    }
    return try environment.dialog.confirms("\(action)?")
  }
}
