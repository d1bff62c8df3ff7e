import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about the storage as a whole, and about settings.
enum StorageCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(migrate, copy), CommandEntry(initialise, claim), CommandEntry(mergeFile, merge),
      CommandEntry(check, lookOver),
      CommandEntry(config, showSettings),
    ]
  }

  private static let target = Option.value(
    "to", "STORE", in: "Action", "new store: sqlite:FILE, csv:DIR, json:DIR, or postgres://HOST/DATABASE")
  private static let migrate = Command(
    "migrate", "copy everything, including the history, to a new store", options: [target, Options.dryRun],
    examples: ["migrate --to csv:notes", "migrate --storage csv:notes --to notes.db"])
  private static let initialise = Command(
    "init", "turn an existing directory into a store; files already there stay read-only",
    options: [git], examples: ["init --storage csv:data", "init --git --storage csv:data"])
  private static let git = Option.flag(
    "git", in: "Action", "have git merge the tables of the store by key and field, in this clone")
  private static let mergeFile = Command(
    "merge-file", "merge three versions of the file of a table, for git",
    discussion: """
      Merges the changes from BASE to THEIRS into OURS, by the keys of the table and its fields. Exits with 1 if both \
      sides changed a field of a record; the file then has conflict markers. git calls this after init --git.
      """,
    arguments: [
      Argument("BASE", values: .file, "file before both changes"), Argument("OURS", values: .file, "file to change"),
      Argument("THEIRS", values: .file, "other file"),
      Argument("PATH", values: .file, count: .optional, "path of the file in its store [default: OURS]"),
    ], examples: ["merge-file base.csv notes.csv theirs.csv"])
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
    if context.has(Options.dryRun) {
      let store = try context.repository().store
      for schema in try await store.tables() {
        let count = try await store.rows(of: schema.name, RowRequest()).collect().reduce(0) { $0 + $1.count }
        context.say("\(schema.name): \(count == 1 ? "1 record" : "\(count) records")")
      }
      return context.say("would copy everything to \(context.services.shown(location))")
    }
    context.services.progress.begin("copying to \(location)")
    let copied = try await context.services.stores.migrate(try context.repository().store, to: location)
    context.services.progress.finish()
    for (table, records) in copied { context.say("\(table): \(records == 1 ? "1 record" : "\(records) records")") }
    let name = context.services.shown(location)
    context.say("copied everything to \(name); use it with --storage \(name) or BB_STORAGE")
  }

  private static func claim(_ context: CommandContext) async throws(Problem) {
    guard let location = context.invocation.setting(Options.storage) else {
      throw Problem(.usage, "missing required option --storage", hint: "for example: --storage csv:DIR")
    }
    let stores = context.services.stores, isMerged = context.has(git)
    if isMerged {
      let parts = try stores.absolute(location).split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["csv", "json"].contains(parts[0]) else {
        throw Problem(.usage, "git cannot merge the store", at: location, hint: "use a store in csv: or json:")
      }
      // The directory of the store may not be there yet.
      var path = parts[1][...]
      while !context.services.documents.isDirectory(String(path)), let slash = path.lastIndex(of: "/"),
        slash > path.startIndex
      {
        path = path[..<slash]
      }
      for (key, value) in [("name", "tables of bb"), ("driver", "bb-notes merge-file %O %A %B %P")] {
        let words = ["git", "-C", String(path), "config", "merge.bb.\(key)", value]
        guard try ChildProcess.run(words, as: "git") == 0 else {
          throw Problem(.usage, "git cannot be set up", at: location, hint: "run git init in the directory first")
        }
      }
    }
    do throws(Problem) {
      try await stores.claim(location)
      context.say("initialised store \(location)")
    } catch {
      // A store that is one already only gets the setting.
      guard isMerged, error.kind == .cannotCreate else { throw error }
    }
    guard isMerged else { return }
    try stores.mergeTables(of: location)
    context.say("git merges the tables of \(location) by key and field; run this in each clone")
  }

  private static func merge(_ context: CommandContext) async throws(Problem) {
    let files = context.arguments, path = files.count > 3 ? files[3] : files[1]
    var count: Int?
    do throws(Problem) {
      count = try await context.services.stores.merge(base: files[0], ours: files[1], theirs: files[2], of: path)
    } catch {
      context.services.report.warning("\(path) is merged by its lines: \(error.message)")
    }
    if count == nil {
      for file in files.prefix(3) { _ = try context.services.documents.files(file) }
      let words = ["git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", files[1], files[0], files[2]]
      let code = try ChildProcess.run(words, as: "git")
      guard code < 128 else { throw Problem(.io, "git cannot merge the file", at: path) }
      count = Int(code)
    }
    guard count == 0 else {
      throw Problem(
        .absent, "\(count == 1 ? "1 conflict" : "\(count ?? 0) conflicts")", at: path,
        hint: "edit the file: keep the lines that you want, and remove the conflict markers")
    }
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
      Record(schema, ["kind": .text("damage"), "what": .text(context.services.report.worded(problem).description)])
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
