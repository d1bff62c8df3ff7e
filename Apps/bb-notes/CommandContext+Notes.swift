import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

extension CommandContext {
  /// The current date where the user is: `2024-05-17`.
  var today: String { LocalTime.date(of: clock.now().seconds) }

  /// The selection with dates in ISO 8601.
  func dated(_ selection: Selection, in schema: Schema) -> Selection {
    var selection = selection
    selection.conditions = selection.conditions.map { dated($0, in: schema) }
    selection.predicates = selection.predicates.map { $0.mapping { dated($0, in: schema) } }
    return selection
  }

  /// The condition with a date in ISO 8601, if its column is of dates and its value is one such as `yesterday`.
  func dated(_ condition: Condition, in schema: Schema) -> Condition {
    guard let position = schema.position(of: condition.column),
      [.date, .timestamp].contains(schema.columns[position].type), condition.otherColumn == nil
    else { return condition }
    let values = condition.values.map { EverydayDate.date($0, today: today) ?? $0 }
    return Condition(condition.column, condition.comparison, values)
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

  /// Writes the result of a command to standard error, unless `--quiet` is set.
  func say(_ line: String) { report.result(line) }

  /// Requires confirmation: prompts on a terminal, otherwise `--yes` is required.
  /// - Parameter action: the action: `delete the note for Breaking Bad S05E14`.
  /// - Returns: whether it is confirmed.
  /// - Throws: `usage` without a terminal and without `--yes`.
  func confirms(_ action: String) throws(Problem) -> Bool {
    if has(Options.yes) { return true }
    guard services.terminal.isInteractive else {
      throw Problem(.usage, "confirmation required to \(action)", hint: "use --yes")
    }
    return try services.terminal.dialog.confirms("\(action)?")
  }
}
