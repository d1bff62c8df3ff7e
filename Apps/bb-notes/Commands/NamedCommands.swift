import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// The common parts of commands about places and actors.
struct NamedCommands: Sendable {
  let kind: PersonalDataset
  /// The columns of a record in a list for users.
  let columns: [String]
  /// Completes a record before it is stored; `before` is the record that it replaces.
  var completing: @Sendable (_ record: Record, _ before: Record?, CommandContext) async throws(Problem) -> Record = {
    (record, _, _) async throws(Problem) in record
  }

  /// A stored column that lists show worked out.
  struct WorkedOut: Sendable {
    let column: String
    let change: @Sendable (CommandContext, Record) -> Record
  }

  /// The short form of the identifier, which every command takes.
  static let keyColumn = ColumnDescription("key", .text, nullable: false, "the end of the id, for commands")

  static func key(_ count: Argument.Count = .one) -> Argument {
    Argument("NAME", values: .dynamic("record"), count: count, "key from list, id, or a unique part of the name")
  }

  private var plural: String { kind.schema.name }

  func entries(
    show: @escaping CommandEntry.Action, search options: [Option] = [],
    selecting: @escaping @Sendable (CommandContext, inout Selection) throws(Problem) -> Void = { _, _ throws(Problem) in
    },
    assigning: @escaping @Sendable (CommandContext, String) throws(Problem) -> [Assignment] = {
      _, text throws(Problem) in
      [try Assignment(parsing: text)]
    }, listing: WorkedOut? = nil, showOptions: [Option] = []
  ) -> [CommandEntry] {
    let list = Command(
      "list", "list \(plural)", options: options + SharedOptions.selecting + OutputOptions.listing,
      examples: ["\(plural) list --json"])
    let display = Command(
      "show", "show \(kind.oneOfThem)", arguments: [Self.key()], options: showOptions + OutputOptions.listing)
    let edit = Command("edit", "edit \(kind.oneOfThem) in your editor", arguments: [Self.key(.optional)])
    let set = Command(
      "set", "set fields of \(kind.oneOfThem)",
      arguments: [
        Argument("NAME COLUMN=VALUE", values: .dynamic("record"), count: .any, "record to change, and the new values")
      ],
      options: [NotesCommands.unset],
      examples: kind.noun == "place" ? ["places set Luzern visited_on=yesterday"] : ["actors set 'A. Person' phone="])
    let delete = Command(
      "delete", "delete \(plural) (undo with bb-notes undo or trash restore)", arguments: [Self.key(.any)],
      options: [Options.yes, Options.dryRun])
    let search = Command(
      "search", "list \(plural) that contain words starting with the search words",
      arguments: [Argument("TEXT", count: .any, "search words, in any order, ignoring case and accents")],
      options: options + SharedOptions.selecting + OutputOptions.listing)
    return [
      CommandEntry(list) { (context) async throws(Problem) in
        try await self.list(context, search: nil, selecting, listing)
      },
      CommandEntry(display, show), CommandEntry(edit, self.edit),
      CommandEntry(set) { (context) async throws(Problem) in try await self.set(context, assigning) },
      CommandEntry(delete, self.delete),
      CommandEntry(search) { (context) async throws(Problem) in
        try await self.list(context, search: try NoteListing.words(context), selecting, listing)
      },
    ]
  }

  func records(_ context: CommandContext, makes: Bool = false) throws(Problem) -> NamedRecords {
    NamedRecords(kind, try context.repository(makes: makes))
  }

  private func list(
    _ context: CommandContext, search: String?, _ selecting: (CommandContext, inout Selection) throws(Problem) -> Void,
    _ listing: WorkedOut?
  ) async throws(Problem) {
    var selection = try context.selection(for: kind.schema)
    selection.search = search
    try selecting(context, &selection)
    if selection.sort.isEmpty, selection.grouping == nil { selection.sort = kind.order }
    let output = try Listing(context, kind: plural, columns: columns, first: [Self.keyColumn.name] + columns)
    let added = [Self.keyColumn.name], isPlain = !output.needs(added + [listing?.column ?? ""], for: selection)
    let listing = isPlain ? nil : listing
    var asked = selection
    // The store knows nothing of computed columns.
    asked.removeConditions { $0 == listing?.column || added.contains($0) }
    if asked.sort.contains(where: { $0.column == listing?.column || added.contains($0.column) }) { asked.sort = [] }
    if !isPlain { asked.columns = nil }
    if asked != selection { asked.limit = nil }
    let records = try records(context)
    var rows = try await records.repository.rows(of: kind.schema, asked)
    if !isPlain {
      let short = try await records.shortIdentifiers()
      rows = ComputedRows(rows, adding: [Self.keyColumn]) { record in
        var record = listing?.change(context, record) ?? record
        record[Self.keyColumn.name] = .text(short[record[.id] ?? ""])
        return record
      }
    }
    try await output.write(rows, selection, computed: added)
  }

  /// Shows a record in the requested format.
  /// - Returns: whether a format was requested.
  func showInFormat(_ record: Record, _ context: CommandContext) async throws(Problem) -> Bool {
    guard OutputOptions.formats.contains(where: context.has) else { return false }
    try await Listing(context, kind: plural, columns: columns).write([record], of: record.schema)
    return true
  }

  /// A form in the editor.
  /// - Returns: the record as it was filled in, and the draft that holds it; nil when nothing was changed.
  func filledIn(
    _ record: Record, _ context: CommandContext, advice: [String], isNew: Bool
  ) async throws(Problem) -> (record: Record, text: [UInt8], draft: String)? {
    let form = RecordForm(kind.schema, kind.form)
    let text = NoteText.trimmed(form.text(of: record, advice: advice))
    let name = record[.name] ?? "a new \(kind.noun)"
    switch try await context.editing().edit(text, about: name) {
    case .unchanged(let why):
      context.say("nothing \(isNew ? "added" : "changed"): \(why)")
      return nil
    case .changed(let edited, let draft):
      var result = record
      do throws(Problem) {
        for assignment in try form.changes(from: text, to: edited) {
          result = try assignment.applied(to: result, today: context.today)
        }
      } catch {
        throw TextEditing.telling(error, of: draft)
      }
      return (result, edited, draft)
    }
  }

  /// The record that the argument names; without one the user chooses, or nothing.
  private func chosen(_ records: NamedRecords, _ context: CommandContext) async throws(Problem) -> Record? {
    if let text = context.arguments.first { return try await records.find(text, acceptsPart: context.acceptsPart) }
    guard context.services.terminal.isInteractive else { throw Problem(.usage, "missing argument NAME") }
    let all = try await records.repository.records(of: kind.schema)
    guard !all.isEmpty else {
      throw Problem(.absent, "the store has no \(plural)", hint: .advice("add \(kind.oneOfThem) first"))
    }
    let names = all.map { $0[.name] ?? $0.keyText }
    return try context.services.terminal.dialog.choose("Which \(kind.noun)?", among: names).map { all[$0] }
  }

  private func edit(_ context: CommandContext) async throws(Problem) {
    let records = try records(context)
    guard let before = try await chosen(records, context) else { return context.say("no \(kind.noun) selected") }
    let name = before[.name] ?? ""
    guard let (after, text, draft) = try await filledIn(before, context, advice: ["\(kind.noun) \(name)"], isNew: false)
    else { return }
    let isChanged = try await context.editing().saving(text, draft: draft, about: name) { () throws(Problem) in
      try records.check(after, over: before)
      return try await records.change("edit", before, to: try await completing(after, before, context))
    }
    context.say(isChanged ? "updated \(after[.name] ?? "")" : "\(name): no changes")
  }

  private func set(
    _ context: CommandContext, _ assigning: (CommandContext, String) throws(Problem) -> [Assignment]
  ) async throws(Problem) {
    guard let text = context.arguments.first else { throw Problem(.usage, "missing argument NAME") }
    var assignments: [Assignment] = []
    for word in context.arguments.dropFirst() { assignments += try assigning(context, word) }
    assignments += context.invocation.all(NotesCommands.unset).map(Assignment.init(unset:))
    guard !assignments.isEmpty else { throw Problem(.usage, "nothing to set", hint: "use COLUMN=VALUE") }
    let records = try records(context)
    let before = try await records.find(text, acceptsPart: context.acceptsPart)
    var after = before
    for assignment in assignments { after = try assignment.applied(to: after, today: context.today) }
    try records.check(after, over: before)
    let name = before[.name] ?? ""
    let isChanged = try await records.change("set", before, to: try await completing(after, before, context))
    context.say(isChanged ? "updated \(after[.name] ?? "")" : "\(name): no changes")
  }

  private func delete(_ context: CommandContext) async throws(Problem) {
    guard !context.arguments.isEmpty else { throw Problem(.usage, "missing argument NAME") }
    let records = try records(context)
    var chosen: [Record] = []
    for text in context.arguments {
      let record = try await records.find(text, acceptsPart: context.acceptsPart)
      if !chosen.contains(record) { chosen.append(record) }
    }
    let names = chosen.map { $0[.name] ?? "" }.joined(separator: ", ")
    guard try context.confirms("delete \(names)") else { return context.say("nothing deleted") }
    try await records.delete(chosen)
    context.say("deleted \(names); to restore \(chosen.count == 1 ? "it" : "them"), run bb-notes undo")
  }

  /// Adds a record that was checked, with a warning if there is another of its name. The same record is not added
  /// again.
  func add(_ record: Record, _ records: NamedRecords, _ context: CommandContext) async throws(Problem) {
    let name = record[.name] ?? "", id = record[.id] ?? ""
    if let known = try await records.same(as: record) {
      let id = try await records.shortIdentifiers()[known[.id] ?? ""]
      return context.say("\(name): no changes; it was added before (id \(id))")
    }
    if try await records.hasOther(named: name, than: id) {
      context.say("another \(kind.noun) is also named \(name)")
    }
    try await records.add(try await completing(record, nil, context))
    context.say("added \(name) (id \(try await records.shortIdentifiers()[id]))")
  }
}
