import AppShell
import Domain
import Query
import Rows

/// `set TABLE KEY COLUMN=VALUE` and `delete TABLE KEY` for the tables of plays, ratings, lists and titles.
enum TableRecords {
  private static let tables = [Catalog.titles, Catalog.watches, Catalog.ratings, Catalog.lists]

  /// The table that the first argument names; nil if it is a key.
  static func table(_ context: CommandContext) -> Schema? {
    tables.first { $0.name == context.arguments.first }
  }

  /// The one record that a text names: by its key, its episode, or the title if it has one record.
  private static func find(
    _ text: String, of schema: Schema, _ repository: RecordRepository, _ context: CommandContext
  ) async throws(Problem) -> (stored: Record?, record: Record) {
    let records = try await repository.records(of: schema), names = try await context.titleNames(repository)
    if let record = records.first(where: { $0.keyText == text || $0[.id] == text }) { return (record, record) }
    let title = try names.exactKey(of: text),
      episode = try? EpisodeKey(parsing: text, production: "", names: names.exact)
    func isMeant(_ record: Record) -> Bool {
      guard let episode, names[title] == nil else { return record.text("title") == title }
      return record.text("title") == episode.production && record.integer("season") == Int64(episode.season)
        && record.integer("episode") == Int64(episode.episode)
    }
    let found = records.filter(isMeant)
    if found.count == 1 { return (found[0], found[0]) }
    // Built-in titles are in no table until they change.
    if schema == Catalog.titles, let known = names[title] { return (nil, known.record) }
    func keys(_ records: [Record]) -> String { records.prefix(5).map(\.keyText).joined(separator: ", ") }
    guard found.isEmpty else {
      throw Problem(
        .usage, "“\(text)” matches \(found.count) records of \(schema.name)", hint: "use a key: \(keys(found))")
    }
    throw Problem(
      .absent, "not found in \(schema.name): “\(text)”",
      hint: .nearest(text, among: records.map(\.keyText)) ?? "list the keys with bb-notes export \(schema.name)")
  }

  static func set(_ schema: Schema, _ context: CommandContext) async throws(Problem) {
    guard context.arguments.count > 1 else { throw Problem(.usage, "missing argument KEY") }
    let assignments = try NoteWriting.assignments(Array(context.arguments.dropFirst(2)), context)
    let repository = try context.repository()
    let (stored, record) = try await find(context.arguments[1], of: schema, repository, context)
    var after = record
    for assignment in assignments { after = try assignment.applied(to: after, today: context.today) }
    if let rating = Double(after.numberText("rating")), rating <= 0 || rating > 10 {
      throw Problem(
        .usage, "invalid rating \(after.numberText("rating"))", hint: "expected a number above 0, at most 10")
    }
    guard after != record else { return context.say("\(schema.name) \(record.keyText): no changes") }
    if after.schema.position(of: "updated_at") != nil { after[.updatedAt] = repository.now }
    try await repository.change(
      "set \(schema.name) \(record.keyText)", [RecordRepository.Edit(from: stored, to: after)])
    context.say("updated \(schema.name) \(record.keyText)")
  }

  static func delete(_ schema: Schema, _ context: CommandContext) async throws(Problem) {
    guard context.arguments.count > 1 else { throw Problem(.usage, "missing argument KEY") }
    let repository = try context.repository()
    var edits: [RecordRepository.Edit] = [], keys: [String] = []
    for text in context.arguments.dropFirst() {
      guard let stored = try await find(text, of: schema, repository, context).stored else {
        throw Problem(.usage, "“\(text)” is built in")
      }
      if keys.contains(stored.keyText) { continue }
      keys.append(stored.keyText)
      edits.append(RecordRepository.Edit(from: stored, to: nil))
    }
    let names = "\(schema.name) \(keys.joined(separator: ", "))"
    guard try context.confirms("delete \(names)") else { return context.say("nothing deleted") }
    try await repository.change("delete \(names)", edits)
    context.say("deleted \(names); to restore \(keys.count == 1 ? "it" : "them"), run bb-notes undo")
  }
}
