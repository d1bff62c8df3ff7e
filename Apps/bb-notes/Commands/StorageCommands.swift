import CommandLineKit
import Domain
import Query
import Rows

/// Commands about the storage as a whole, and about settings.
enum StorageCommands {
  static var entries: [Entry] {
    [Entry(migrate, copy), Entry(initialise, claim), Entry(check, lookOver), Entry(config, showSettings)]
  }

  private static let target = Option.value(
    "to", "STORAGE", in: "Action", "the new storage: sqlite:FILE, csv:FOLDER, json:FOLDER, or a path")
  private static let migrate = Command(
    "migrate", "make a new storage that holds all that this one has, the history as well", options: [target],
    examples: ["migrate --to csv:notes", "migrate --storage csv:notes --to notes.db"])
  private static let initialise = Command(
    "init", "make a folder with files of others a storage: they stay as they are, and are only read",
    examples: ["init --storage csv:data"])
  private static let check = Command(
    "check", "look the storage over: damage, and records that lead nowhere",
    options: Options.selecting + Options.showing,
    examples: ["check --json"])
  private static let config = Command(
    "config", "show the settings and their origins, or change one", discussion: ConfigurationCommand.discussion,
    arguments: ConfigurationCommand.arguments, options: Options.showing, examples: ConfigurationCommand.examples)

  private static func copy(_ desk: Desk) async throws(Problem) {
    guard let location = desk[target] else {
      throw Problem(.usage, "--to is missing", hint: "name the new storage: --to csv:FOLDER")
    }
    let copied = try await desk.environment.migrate(try desk.book().store, location)
    for (table, records) in copied { desk.say("\(table): \(records == 1 ? "1 record" : "\(records) records")") }
    desk.say("everything is in \(location) as well; --storage \(location) or BB_STORAGE uses it")
  }

  private static func claim(_ desk: Desk) async throws(Problem) {
    guard let location = desk[Options.storage] else {
      throw Problem(.usage, "--storage is missing", hint: "name the folder: --storage csv:FOLDER")
    }
    try await desk.environment.claim(location)
    desk.say("\(location) is a storage")
  }

  private static func lookOver(_ desk: Desk) async throws(Problem) {
    let schema = Schema(
      "findings",
      columns: [
        ColumnDescription("kind", .text, nullable: false, "damage, or a record that leads nowhere"),
        ColumnDescription("dataset", .text, "where it is"), ColumnDescription("key", .text, "the record"),
        ColumnDescription("what", .text, nullable: false, "what is odd"),
      ])
    let book = try desk.book()
    let damage = try await book.store.check()
    var findings = damage.map { problem in
      StoredRecord(schema, ["kind": .text("damage"), "what": .text(problem.description)])
    }
    if damage.isEmpty {
      for finding in try await LooseEnds(book, desk.choices(book)).findings() {
        findings.append(
          StoredRecord(
            schema,
            [
              "kind": .text("leads nowhere"), "dataset": .text(finding.dataset), "key": .text(finding.key),
              "what": .text(finding.what),
            ]))
      }
    }
    try await Listing(desk, kind: "findings").write(findings, of: schema, try Listing.selection(desk.invocation))
    guard damage.isEmpty else {
      throw Problem(
        .badData, "the storage is damaged", at: book.store.name, hint: "mend what is listed, or restore it from a copy")
    }
  }

  private static func showSettings(_ desk: Desk) async throws(Problem) {
    let schema = Schema(
      "config",
      columns: [
        ColumnDescription("setting", .text, nullable: false, "the key, or the name of a directory or variable"),
        ColumnDescription("value", .text, "its value; null if it depends on the command or the machine"),
        ColumnDescription("from", .text, nullable: false, "the origin of the value"),
      ])
    let environment = desk.environment
    if let change = try ConfigurationCommand.change(desk.arguments) {
      return try await environment.configure(change.key, change.value)
    }
    let rows = ConfigurationCommand.rows(
      desk.invocation, storage: try environment.defaultStorage(), folders: environment.folders,
      variables: environment.variables)
    let records = rows.map { row in StoredRecord(schema, row.map { $0.isEmpty ? .null : .text($0) }) }
    try await Listing(desk, kind: "config").write(records, of: schema)
  }
}
