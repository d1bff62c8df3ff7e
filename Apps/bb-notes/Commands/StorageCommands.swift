import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about the storage as a whole, and about settings.
enum StorageCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(migrate, copy), CommandEntry(initialise, claim), CommandEntry(check, lookOver),
      CommandEntry(config, showSettings),
    ]
  }

  private static let target = Option.value(
    "to", "STORE", in: "Action", "new store: sqlite:FILE, csv:DIR, json:DIR, or a path")
  private static let migrate = Command(
    "migrate", "copy everything, including the history, to a new store", options: [target],
    examples: ["migrate --to csv:notes", "migrate --storage csv:notes --to notes.db"])
  private static let initialise = Command(
    "init", "turn an existing directory into a store; files already there stay read-only",
    examples: ["init --storage csv:data"])
  private static let check = Command(
    "check", "check the store for damage and dangling references",
    options: SharedOptions.selecting + OutputOptions.listing,
    examples: ["check --json"])
  private static let config = Command(
    "config", "show the settings and their origins, or change one", discussion: ConfigurationCommand.discussion,
    arguments: ConfigurationCommand.arguments, options: OutputOptions.listing, examples: ConfigurationCommand.examples)

  private static func copy(_ desk: Desk) async throws(Problem) {
    guard let location = desk[target] else {
      throw Problem(.usage, "missing required option --to", hint: "for example: --to csv:DIR")
    }
    let copied = try await desk.services.stores.migrate(try desk.book().store, to: location)
    for (table, records) in copied { desk.say("\(table): \(records == 1 ? "1 record" : "\(records) records")") }
    desk.say("copied everything to \(location); use it with --storage \(location) or BB_STORAGE")
  }

  private static func claim(_ desk: Desk) async throws(Problem) {
    guard let location = desk[Options.storage] else {
      throw Problem(.usage, "missing required option --storage", hint: "for example: --storage csv:DIR")
    }
    try await desk.services.stores.claim(location)
    desk.say("initialised store \(location)")
  }

  private static func lookOver(_ desk: Desk) async throws(Problem) {
    let schema = Schema(
      "findings",
      columns: [
        ColumnDescription("kind", .text, nullable: false, "kind: damage or dangling reference"),
        ColumnDescription("dataset", .text, "dataset or file"), ColumnDescription("key", .text, "record key"),
        ColumnDescription("what", .text, nullable: false, "description"),
      ])
    let book = try desk.book()
    let damage = try await book.store.check()
    var findings = damage.map { problem in
      StoredRecord(schema, ["kind": .text("damage"), "what": .text(problem.description)])
    }
    if damage.isEmpty {
      for finding in try await DanglingReferences(book, desk.choices(book)).findings() {
        findings.append(
          StoredRecord(
            schema,
            [
              "kind": .text("dangling reference"), "dataset": .text(finding.dataset), "key": .text(finding.key),
              "what": .text(finding.what),
            ]))
      }
    }
    try await Listing(desk, kind: "findings").write(findings, of: schema, try desk.invocation.selection())
    guard damage.isEmpty else {
      throw Problem(
        .badData, "the store is damaged", at: book.store.name,
        hint: "fix the problems listed above, or restore a backup")
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
    let services = desk.services
    if let change = try ConfigurationCommand.change(desk.arguments) {
      return try await services.configure(change.key, change.value)
    }
    let rows = try ConfigurationCommand.rows(desk.invocation, services)
    let records = rows.map { row in StoredRecord(schema, row.map { $0.isEmpty ? .null : .text($0) }) }
    try await Listing(desk, kind: "config").write(records, of: schema)
  }
}
