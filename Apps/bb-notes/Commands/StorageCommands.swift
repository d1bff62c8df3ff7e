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
    "to", "STORE", in: "Action", "new store: sqlite:FILE, csv:DIR, json:DIR, or postgres://HOST/DATABASE")
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
    arguments: ConfigurationCommand.arguments, actions: ConfigurationCommand.actions, options: OutputOptions.listing,
    examples: ConfigurationCommand.examples)

  private static func copy(_ context: CommandContext) async throws(Problem) {
    guard let location = context[target] else {
      throw Problem(.usage, "missing required option --to", hint: "for example: --to csv:DIR")
    }
    context.services.progress.begin("copying to \(location)")
    let copied = try await context.services.stores.migrate(try context.repository().store, to: location)
    context.services.progress.finish()
    for (table, records) in copied { context.say("\(table): \(records == 1 ? "1 record" : "\(records) records")") }
    let name = context.services.shown(location)
    context.say("copied everything to \(name); use it with --storage \(name) or BB_STORAGE")
  }

  private static func claim(_ context: CommandContext) async throws(Problem) {
    guard let location = context[Options.storage] else {
      throw Problem(.usage, "missing required option --storage", hint: "for example: --storage csv:DIR")
    }
    try await context.services.stores.claim(location)
    context.say("initialised store \(location)")
  }

  private static func lookOver(_ context: CommandContext) async throws(Problem) {
    let schema = Schema(
      "findings",
      columns: [
        ColumnDescription("kind", .text, nullable: false, "kind: damage or dangling reference"),
        ColumnDescription("dataset", .text, "dataset or file"), ColumnDescription("key", .text, "record key"),
        ColumnDescription("what", .text, nullable: false, "description"),
      ])
    let repository = try context.repository()
    let damage = try await repository.store.check()
    var findings = damage.map { problem in
      Record(schema, ["kind": .text("damage"), "what": .text(problem.description)])
    }
    if damage.isEmpty {
      for finding in try await DanglingReferences(repository, context.choices(repository)).findings() {
        findings.append(
          Record(
            schema,
            [
              "kind": .text("dangling reference"), "dataset": .text(finding.dataset), "key": .text(finding.key),
              "what": .text(finding.what),
            ]))
      }
    }
    try await Listing(context, kind: "findings").write(findings, of: schema, try context.selection(for: schema))
    guard damage.isEmpty else {
      throw Problem(
        .badData, "the store is damaged", at: repository.store.name,
        hint: "fix the problems listed above, or restore a backup")
    }
  }

  private static func showSettings(_ context: CommandContext) async throws(Problem) {
    let schema = Schema(
      "config",
      columns: [
        ColumnDescription("setting", .text, nullable: false, "the key, or the name of a directory or variable"),
        ColumnDescription("value", .text, "its value; null if it depends on the command or the machine"),
        ColumnDescription("from", .text, nullable: false, "the origin of the value"),
      ])
    let services = context.services
    if let change = try ConfigurationCommand.change(context.arguments) {
      return try await ConfigurationCommand.make(change, services)
    }
    let rows = try ConfigurationCommand.rows(context.invocation, services)
    let records = rows.map { row in Record(schema, row.map { $0.isEmpty ? .null : .text($0) }) }
    try await Listing(context, kind: "config", format: "table").write(records, of: schema)
  }
}
