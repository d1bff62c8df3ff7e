import AppShell
import CommandLineKit
import Domain
import Query
import Rows

enum ShowsCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(
        "shows", "manage shows and movies", [CommandEntry(add, addOne), CommandEntry(list, showList)],
        examples: ["shows add 'The Wire'", "shows add 'The Wire' --short wire --offline", "shows list"])
    ]
  }

  private static let action = "Action"
  private static let id = Option.value(
    "id", "ID", in: action, "the show with this id of TVmaze, for example tvmaze:179")
  private static let short = Option.value("short", "NAME", in: action, "short name for commands")
  private static let movie = Option.flag("movie", in: action, "add a movie, without a request").excluding("id")
  private static let year = Option.value("year", "YEAR", in: action, "with --movie or --offline: the year")
  private static let add = Command(
    "add", "add a show with its episodes from TVmaze, or a movie",
    discussion: """
      Requests the show and its episodes from TVmaze, and stores both. With --offline, and of a movie, only the name \
      and the year are stored. The data of TVmaze is licensed CC BY-SA.
      """,
    arguments: [Argument("NAME", count: .optional, "name of the show or movie")],
    options: [id, short, movie, year, APIOptions.offlineOption, APIOptions.serverOption],
    examples: ["shows add 'The Wire'", "shows add Heat --movie --year 1995"])
  private static let list = Command(
    "list", "list shows and movies", options: SharedOptions.selecting + OutputOptions.listing)

  private static func showList(_ context: CommandContext) async throws(Problem) {
    let names = try await context.titleNames(try context.repository())
    try await Listing(
      context, kind: "titles", first: ["title", "kind", "year", "short"]
    ).write(names.titles.map(\.record), of: Catalog.titles, try context.selection(for: Catalog.titles))
  }

  private struct Found {
    let id: Int64, name: String, premiered: String?, title: Title

    init?(_ record: Record) {
      guard case .integer(let id) = record["id"], let name = record.text("name") else { return nil }
      (self.id, self.name, premiered) = (id, name, record.text("premiered"))
      var ids = ["tvmaze:\(id)"]
      if let imdb = record.text("imdb") { ids.append("imdb:\(imdb)") }
      if case .integer(let tvdb) = record["tvdb"] { ids.append("tvdb:\(tvdb)") }
      var title = Title(name, .show, year: premiered.flatMap { Int($0.prefix(4)) }, ids: ids.sorted())
      title.status = record.text("status")
      self.title = title
    }
    var label: String { name + (premiered.map { " (\($0.prefix(4)))" } ?? "") }
  }

  private static func addOne(_ context: CommandContext) async throws(Problem) {
    let options = try APIOptions(context.invocation), name = context.arguments.first
    let known = context[id].map { $0.hasPrefix("tvmaze:") ? String($0.dropFirst(7)) : $0 }
    if let known, known.isEmpty || !known.utf8.allSatisfy({ $0 &- 48 < 10 }) {
      throw Problem(.usage, "invalid id “\(context[id] ?? "")”", hint: "for example: --id tvmaze:179")
    }
    guard name != nil || known != nil else {
      throw Problem(.usage, "missing argument NAME", hint: "for example: shows add 'The Wire'")
    }
    if let name, known == nil, name.allSatisfy(\.isWhitespace) || name.unicodeScalars.contains(where: { $0.value < 32 })
    {
      throw Problem(.usage, "invalid name “\(name)”", hint: "use a text of one line")
    }
    let repository = try context.repository(makes: true), names = try await context.titleNames(repository)
    let year = try context.invocation.integer(year, in: 1850...2200)
    guard !options.offline, !context.has(movie) else {
      guard let name, !name.isEmpty else { throw Problem(.usage, "--offline requires NAME") }
      let title = Title(name, context.has(movie) ? .movie : .show, year: year)
      return try await store(title, nil, names, repository, context)
    }
    guard year == nil else { throw Problem(.usage, "--year requires --movie or --offline", hint: "omit --year") }
    context.services.progress.begin("tvmaze")
    let found: Found?
    do throws(Problem) { found = try await choose(name, known, options, context) } catch {
      var problem = error
      if problem.kind == .unavailable, name != nil { problem.hint = "use --offline to add its name only" }
      throw problem
    }
    guard let found else { return context.say("no show selected") }
    let source = try context.services.sources.television(.identified(String(found.id)), options)
    let rows = try await source.rows(of: Catalog.episodes.name, RowRequest())
    let batches = try await rows.collect()
    context.services.progress.finish()
    try await store(found.title, (source.name, rows.schema, batches), names, repository, context)
  }

  /// The show with an id, else the one of those with the name that is meant; nil if the user chose none.
  private static func choose(
    _ name: String?, _ id: String?, _ options: APIOptions, _ context: CommandContext
  ) async throws(Problem) -> Found? {
    var options = options
    if id == nil { options.variables["show"] = name }
    let source = try context.services.sources.television(id.map { .identified($0) } ?? .matching, options)
    let rows = try await source.rows(of: "shows", RowRequest())
    var found: [Found] = []
    for batch in try await rows.collect() { found += batch.records(of: rows.schema).compactMap(Found.init) }
    let exact = found.filter { Fold.folded($0.name) == Fold.folded(name ?? "") }
    if exact.count == 1 { return exact[0] }
    if found.count == 1 { return found[0] }
    guard !found.isEmpty else {
      throw Problem(.absent, "TVmaze has no show “\(name ?? id ?? "")”", hint: "use --offline to add its name only")
    }
    if context.services.terminal.isInteractive {
      return try context.services.terminal.dialog.choose("Which show?", among: found.map(\.label)).map { found[$0] }
    }
    let ids = found.prefix(5).map { "tvmaze:\($0.id) (\($0.label))" }.joined(separator: ", ")
    throw Problem(.usage, "“\(name ?? "")” matches \(found.count) shows", hint: "use --id: \(ids)")
  }

  /// Stores a title, and its episodes if they are given.
  private static func store(
    _ found: Title, _ episodes: (source: String, schema: Schema, batches: [RowBatch])?, _ names: TitleNames,
    _ repository: RecordRepository, _ context: CommandContext
  ) async throws(Problem) {
    let named = names[try names.exactKey(of: found.name)].flatMap { title in
      title.kind == found.kind && (title.year == nil || found.year == nil || title.year == found.year) ? title : nil
    }
    let same = names.titles.first { title in title.ids.contains(where: found.ids.contains) } ?? named
    var title = same ?? found
    if same == nil {
      title = Title(
        names.newKey(found.kind, found.name, year: found.year, ids: found.ids), found.kind, name: found.name,
        year: found.year, ids: found.ids)
    }
    let services = Set(title.ids.map { $0.prefix { $0 != ":" } })
    title.ids = (title.ids + found.ids.filter { !services.contains($0.prefix { $0 != ":" }) }).sorted()
    (title.year, title.status) = (title.year ?? found.year, found.status ?? title.status)
    if let short = context[short] {
      if let other = names.titles.first(where: { $0.short == short && $0.key != title.key }) {
        throw Problem(.usage, "the short name “\(short)” is that of \(other.key)", hint: "choose another name")
      }
      title.short = short
    }
    let command = Sync.newCommand(), key = [Value.text(title.key)]
    var count = 0, isChanged = false
    if let episodes {
      let column = episodes.schema.position(of: "production") ?? 0
      var builder = RowBatchBuilder(width: episodes.schema.width), batches: [RowBatch] = []
      for batch in episodes.batches {
        for row in 0..<batch.count {
          for place in 0..<batch.width {
            builder.append(value: place == column ? .text(title.key) : batch.value(row, place))
          }
          if builder.isFull { batches.append(builder.takeBatch()) }
        }
        count += batch.count
      }
      batches.append(builder.finish())
      var policy = Sync.Policy()
      // A correction of a show may empty a column.
      policy.acceptsNulls = true
      let sync = Sync(into: repository.store, policy, time: repository.now, command: command)
      do throws(Problem) {
        let outcome = try await sync.run(
          BufferedRows(schema: episodes.schema, batches: batches), as: Catalog.episodes, from: episodes.source,
          scope: Catalog.episodeScope)
        isChanged = outcome.added + outcome.changed + outcome.removed > 0
      } catch {
        // The episodes that another source gave stay as they are.
        guard error.kind == .badData else { throw error }
        context.services.report.warning("the episodes in the store stay as they are: \(error.message)")
      }
    }
    let before = try await repository.record(of: Catalog.titles, key: key)
    if same != title || before == nil {
      let edit = RecordRepository.Edit(from: before, to: title.record)
      if try await repository.change("add show \(title.key)", [edit], command: command) { isChanged = true }
    }
    let year = title.year.map { title.key.hasSuffix("(\($0))") ? "" : " (\($0))" } ?? ""
    let shown = episodes == nil ? "" : ", \(count) episode\(count == 1 ? "" : "s")"
    context.say(isChanged ? "added \(title.key)\(year)\(shown)" : "\(title.key): no changes")
  }
}
