import AppShell
import CommandLineKit
import Domain
import Query
import Rows

enum NoteListing {
  /// The columns of a note in a list for scripts; the user sees the key and the title first.
  private static let columns = ["production", "season", "episode", "text", "updated_at"]
  static let computed = [
    ColumnDescription("key", .text, nullable: false, "the key, for commands"),
    ColumnDescription("title", .text, "title of the episode"),
    ColumnDescription("tags", .list(.text), "words of the text that begin with #"),
  ]

  static func list(_ context: CommandContext) async throws(Problem) { try await list(context, search: nil) }

  static func search(_ context: CommandContext) async throws(Problem) {
    try await list(context, search: try words(context))
  }

  /// The words to search for.
  /// - Throws: `usage` if there are none.
  static func words(_ context: CommandContext) throws(Problem) -> String {
    let text = context.arguments.joined(separator: " ")
    if text.isEmpty { throw Problem(.usage, "missing argument TEXT", hint: "name the words to search for") }
    guard !Words.folded(text).isEmpty else {
      throw Problem(.usage, "“\(text)” contains no searchable word", hint: "search words consist of letters and digits")
    }
    return text
  }

  private static func list(_ context: CommandContext, search: String?) async throws(Problem) {
    var selection = try context.selection(for: Catalog.notes)
    selection.search = search
    let repository = try context.repository(), names = try await context.titleNames(repository)
    selection.conditions += try EpisodeListing.conditions(context, names)
    for tag in context.invocation.all(NotesCommands.tag) {
      selection.conditions.append(Condition("tags", .equal, try NoteTags.folded(tag)))
    }
    let first = ["key", "production", "season", "episode", "title", "text", "created_at", "updated_at"]
    let listing = try Listing(
      context, kind: "notes", columns: columns, first: first, hidden: ["season", "episode", "created_at"])
    let added = computed.map(\.name), isPlain = !listing.needs(added, for: selection)
    var asked = selection
    // The store knows nothing of computed columns.
    asked.removeConditions(on: added.contains)
    // Nor of titles, which are searched as well.
    asked.search = nil
    if asked.sort.contains(where: { added.contains($0.column) }) { asked.sort = [] }
    if !isPlain { asked.columns = nil }
    if asked != selection { asked.limit = nil }
    var rows = try await repository.rows(of: Catalog.notes, asked)
    if !isPlain {
      let production = try EpisodeArguments.usualProduction(context, names)
      let titles = try await context.knownTitles(repository)
      rows = ComputedRows(rows, adding: computed) { record in
        var record = NoteTags.added(to: record)
        guard let key = EpisodeKey(of: record) else { return record }
        record["key"] = .text(key.production == production ? key.short : names.printed(key))
        record["title"] = titles[key].map { .text($0) } ?? .null
        return record
      }
    }
    let count = try await listing.write(rows, selection, computed: added)
    if count == 0, let production = context[SharedOptions.production] {
      try tellUnknown(production, names, context)
    }
  }

  /// Says that a show of which nothing is listed is none of those that bb knows; there may be others.
  private static func tellUnknown(
    _ production: String, _ names: TitleNames, _ context: CommandContext
  ) throws(Problem) {
    guard names[try names.key(of: production)] == nil else { return }
    let known = names.titles.flatMap { [$0.key, $0.short].compactMap { $0 } }
    let near = SpellingSuggestion.word(to: production, among: known).map { "; did you mean \($0)?" } ?? ""
    context.say("no notes for “\(production)”\(near)")
  }

  static func show(_ context: CommandContext) async throws(Problem) {
    let key = try await EpisodeArguments.one(context)
    let repository = try context.repository()
    let note = try await NoteRepository(repository).existingNote(on: key)
    if OutputOptions.formats.contains(where: context.has) {
      return try await Listing(context, kind: "notes", columns: ["text"]).write([note], of: note.schema)
    }
    let title = try await context.knownTitles(repository)[key].map { " “\($0)”" } ?? ""
    let created = note[.createdAt], updated = note[.updatedAt]
    // A record that was written by hand may have no times.
    var times = created.map { ["added \(LocalTime.text(of: $0))"] } ?? []
    if let updated, updated != created { times.append("updated \(LocalTime.text(of: updated))") }
    let line = times.isEmpty ? "" : times.joined(separator: ", ") + "\n"
    try await context.page("\(key.text)\(title)\n\(line)\n\(note[.text] ?? "")\n")
  }
}

extension CommandContext {
  /// The titles of all episodes that are known without a request.
  func knownTitles(_ repository: RecordRepository) async throws(Problem) -> [EpisodeKey: String] {
    try await choices(repository).titles()
  }

  /// Writes text to standard output, nothing in it that drives a terminal.
  func page(_ text: String) async throws(Problem) {
    let output = try services.terminal.output(TerminalUse(isPaged: true))
    var buffer = ByteBuffer(capacity: 4096)
    buffer.append(Terminal.safe(text))
    try await output.write(buffer)
    try await output.commit()
  }
}
