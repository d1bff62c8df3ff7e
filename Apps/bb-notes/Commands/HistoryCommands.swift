import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about what was done: taking it back, the history, the trash.
enum HistoryCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(undo, undoLast), CommandEntry(redo, makeAgain), CommandEntry(history, showHistory),
      CommandEntry(
        "trash", "list or restore deleted records",
        [CommandEntry(list, listTrash), CommandEntry(restore, restoreTrash)]),
    ]
  }

  private static let undo = Command(
    "undo", "undo the last command or the last COUNT; repeat to undo more",
    discussion: """
      Refuses if any of the records has changed since. The rows that a sync replaced are kept for the last 100 loaded \
      tables, up to 1 GiB in a directory and 1,000,000 rows in a database; history shows which commands can be undone.
      """, arguments: [Argument("COUNT", count: .optional, "number of commands to undo [default: 1]")],
    options: [entry], examples: ["undo", "undo 3", "undo --entry 12"])
  private static let entry = Option.value(
    "entry", "NUMBER", in: "Action", "undo the command with this number in the history instead")
  private static let redo = Command(
    "redo", "redo what undo reversed last", discussion: "Possible until another command changes something.")
  private static let history = Command(
    "history", "list past commands, newest first",
    options: [SharedOptions.filter, SharedOptions.limit, SharedOptions.offset] + OutputOptions.listing,
    examples: ["history --limit 10"])
  private static let list = Command(
    "list", "list deleted records, newest first", options: SharedOptions.selecting + OutputOptions.listing)
  private static let restore = Command(
    "restore", "restore deleted records",
    arguments: [
      Argument("KEY", count: .any, "key or name as shown by trash list; for notes also S05E14")
    ],
    options: [SharedOptions.production], examples: ["trash restore S05E14"])

  private static func undoLast(_ context: CommandContext) async throws(Problem) {
    let history = UndoHistory(try context.repository()), undone: [(title: String, time: String)]
    if let number = try context.invocation.integer(entry, in: 1...Int.max) {
      if let word = context.arguments.first {
        throw Problem(.usage, "unexpected argument “\(word)”", hint: "omit it, or --entry")
      }
      undone = [try await history.undo(number)]
    } else {
      let text = context.arguments.first ?? "1"
      guard let count = Int(text), count > 0 else {
        throw Problem(
          .usage, "invalid number “\(text)”",
          hint: "undo 2 undoes the last two commands; bb-notes history lists them")
      }
      undone = try await history.undo(last: count)
    }
    for item in undone { context.say("undid “\(item.title)” of \(LocalTime.text(of: item.time))") }
  }

  private static func makeAgain(_ context: CommandContext) async throws(Problem) {
    let title = try await UndoHistory(try context.repository()).redo()
    context.say("redid “\(title)”")
  }

  private static func showHistory(_ context: CommandContext) async throws(Problem) {
    let schema = Schema(
      "history",
      columns: [
        ColumnDescription("number", .integer, nullable: false, "sequence number"),
        ColumnDescription("time", .timestamp, nullable: false, "when"),
        ColumnDescription("command", .text, nullable: false, "command"),
        ColumnDescription("records", .integer, nullable: false, "number of records changed"),
        ColumnDescription("state", .text, "undo status"),
      ])
    var commands: [[UndoHistory.Item]] = []
    for item in try await UndoHistory(try context.repository()).items() {
      if let last = commands.last?.last, last.state == item.state, let command = item.entry.command,
        last.entry.command == command
      {
        commands[commands.count - 1].append(item)
      } else {
        commands.append([item])
      }
    }
    let records = commands.reversed().compactMap { (items) -> Record? in
      guard let item = items.last else { return nil }
      let state: Value =
        switch item.state {
        case .undoable, .undo: .null
        case .undone: .text("undone")
        case .notKept: .text("cannot be undone: the replaced rows are no longer kept")
        }
      return Record(
        schema,
        [
          "number": .integer(Int64(item.entry.number)), "time": .text(item.entry.time),
          "command": .text(UndoHistory.title(of: items)),
          "records": .integer(Int64(items.reduce(0) { $0 + $1.count })), "state": state,
        ])
    }
    try await Listing(context, kind: "history", format: "table").write(
      records, of: schema, try context.selection(for: schema))
  }

  private static func listTrash(_ context: CommandContext) async throws(Problem) {
    let schema = Schema(
      "trash",
      columns: [
        ColumnDescription("dataset", .text, nullable: false, "dataset"),
        ColumnDescription("key", .text, nullable: false, "key"),
        ColumnDescription("name", .text, "name"),
        ColumnDescription("text", .text, "content"),
        ColumnDescription("deleted_at", .timestamp, nullable: false, "deletion time"),
      ])
    let items = try await DeletedRecords(try context.repository()).items()
    let listing = try Listing(context, kind: "trash")
    // As for the records that are not deleted; scripts get the whole key.
    let short = ShortIdentifiers(listing.isForScripts ? [] : items.compactMap { $0.record[.id] })
    let records = items.reversed().map { item in
      let record = item.record
      let name = record[.name] ?? EpisodeKey(of: record)?.text
      return Record(
        schema,
        [
          "dataset": .text(record.schema.name), "key": .text(short[record.keyText]),
          "name": name.map { .text($0) } ?? .null,
          "text": (record[.text] ?? record[.comment] ?? record[.description]).map { .text($0) }
            ?? .null, "deleted_at": .text(item.deletedAt),
        ])
    }
    try await listing.write(records, of: schema, try context.selection(for: schema))
  }

  private static func restoreTrash(_ context: CommandContext) async throws(Problem) {
    guard !context.arguments.isEmpty else {
      throw Problem(.usage, "missing argument KEY", hint: "run trash list to see deleted records")
    }
    let trash = DeletedRecords(try context.repository())
    let items = try await trash.items(), names = try await context.titleNames(trash.repository)
    var chosen: [DeletedRecords.Item] = []
    for text in context.arguments {
      let item = try find(text, among: items, names, context)
      if !chosen.contains(item) { chosen.append(item) }
    }
    try await trash.restore(chosen)
    context.say("restored \(chosen.map(\.record.label).joined(separator: ", "))")
  }

  /// The deleted record that a text means: by its key, its episode, its name, either end of its key, or a unique part
  /// of its name, ignoring case and accents, which the user confirms.
  private static func find(
    _ text: String, among items: [DeletedRecords.Item], _ names: TitleNames, _ context: CommandContext
  ) throws(Problem) -> DeletedRecords.Item {
    let production = try EpisodeArguments.production(context, names)
    let episode = try? EpisodeKey(parsing: text, production: production, names: names.exact)
    let folded = Fold.folded(text), isEnd = text.utf8.count >= ShortIdentifiers.shortest
    let tests: [(Record) -> Bool] = [
      { $0.keyText == text }, { episode != nil && EpisodeKey(of: $0) == episode }, { $0[.name] == text },
      { Fold.folded($0[.name] ?? "") == folded },
      { isEnd && (($0[.id] ?? "").hasPrefix(text) || ($0[.id] ?? "").hasSuffix(text)) },
      { !folded.isEmpty && Fold.folded($0[.name] ?? "").firstRange(of: folded) != nil },
    ]
    for (number, test) in tests.enumerated() {
      let found = items.filter { test($0.record) }
      if found.count == 1 {
        if number == tests.count - 1 {
          try context.requireWhole(text, named: found[0].record[.name] ?? "", in: "the trash")
        }
        return found[0]
      }
      if found.count > 1 {
        throw Problem(
          .usage, "“\(text)” matches \(found.count) deleted records",
          hint: "use a key: \(found.prefix(10).map(\.record.keyText).joined(separator: ", "))")
      }
    }
    let known = items.flatMap { [$0.record[.name], EpisodeKey(of: $0.record).map(names.printed)].compactMap { $0 } }
    let near = Remedy.nearest(text, among: known)
    throw Problem(.absent, "not found in the trash: “\(text)”", hint: near ?? "run trash list to see deleted records")
  }
}
