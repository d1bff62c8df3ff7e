import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

extension CommandContext {
  /// The current date where the user is: `2024-05-17`.
  var today: String { LocalTime.date(of: clock.now().seconds) }

  /// The selection of the command line, for the rows of `schema`.
  func selection(for schema: Schema) throws(Problem) -> Selection {
    var selection = try invocation.selection().dated(in: schema, today: today)
    try selection.readSteps(invocation, today: today, now: clock.now().timestamp)
    return selection
  }

  /// The location of the storage, and whether it was named on the command line.
  func location() throws(Problem) -> (text: String, isNamed: Bool) {
    if let text = self[Options.storage] { return (text, true) }
    return (try services.stores.defaultLocation().location, false)
  }

  /// The records.
  /// - Parameter makes: whether the command may make the storage; else one that was named must be there.
  func repository(makes: Bool = false) throws(Problem) -> RecordRepository {
    let (text, isNamed) = try location()
    let store = try services.stores.open(text)
    services.provenance.open(store.name)
    if isNamed, !makes, try !services.stores.exists(text), store.capabilities.contains(.durable) {
      throw Problem(.noInput, "store not found", at: store.name, hint: "it is created when you add the first record")
    }
    return RecordRepository(store, clock: clock)
  }

  /// The titles that are built in, and those of the storage.
  func titleNames(_ repository: RecordRepository) async throws(Problem) -> TitleNames {
    try await TitleNames(from: repository.store)
  }

  /// Writes the result of a command to standard error, unless `--quiet` is set.
  func say(_ line: String) { report.result(line) }

  /// Whether a part of a name means the record of this name, which the command changes: only if the user confirms it
  /// on a terminal. What a script names is exact.
  func acceptsPart(_ name: String) throws(Problem) -> Bool {
    guard !has(Options.yes), services.terminal.isInteractive else { return false }
    // Deletion is confirmed with the name.
    let command = invocation.path.last
    if command == "delete" { return true }
    return try services.terminal.dialog.confirms(command == "watch" ? "watch \(name)?" : "change \(name)?")
  }

  /// Refuses a part of a name where `acceptsPart` does.
  /// - Throws: `absent` with the whole name.
  func requireWhole(_ text: String, named name: String, in place: String) throws(Problem) {
    if Fold.folded(text) == Fold.folded(name) { return }
    if try acceptsPart(name) { return }
    throw Problem(.absent, "not found in \(place): “\(text)”", hint: "did you mean \(name)?")
  }

  /// Requires confirmation: prompts on a terminal, otherwise `--yes` is required.
  /// - Parameter action: the action: `delete the note for Breaking Bad S05E14`.
  /// - Returns: whether it is confirmed.
  /// - Throws: `usage` without a terminal and without `--yes`.
  func confirms(_ action: String) throws(Problem) -> Bool {
    if has(Options.dryRun) {
      say("would \(action)")
      return false
    }
    if has(Options.yes) { return true }
    guard services.terminal.isInteractive else {
      throw Problem(.usage, "confirmation required to \(action)", hint: "use --yes")
    }
    return try services.terminal.dialog.confirms("\(action)?")
  }
}
