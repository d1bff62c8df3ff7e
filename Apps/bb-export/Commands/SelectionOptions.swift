import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows
import Sources

/// Creates a selection from the command line.
struct SelectionOptions {
  private let invocation: Invocation
  /// The current date, for dates such as `yesterday`.
  private let today: String
  private var plain = Selection()
  private let season: Int?
  private let production: String?
  var names = TitleNames.builtIn
  private let order: MovieOrder?
  private var join: JoinInput?

  /// Reads what needs no schema.
  init(_ invocation: Invocation, _ services: AppServices) throws(Problem) {
    self.invocation = invocation
    today = try services.today()
    season = try invocation.integer(Options.season, in: 0...Int(Int32.max))
    production = invocation[SharedOptions.production]
    order = invocation[Options.order].flatMap(MovieOrder.init)
    for text in invocation.all(SharedOptions.filter) { try plain.filter(by: text) }
    plain.grouping = try invocation.grouping()
    plain.search = invocation[Options.search]
    plain.sample = try invocation.integer(Options.sample, in: 0...Int.max)
    plain.seed = try invocation.integer(Options.seed, in: 0...Int.max).map(UInt64.init)
    plain.limit = try invocation.integer(SharedOptions.limit, in: 0...Int.max)
    plain.offset = try invocation.integer(SharedOptions.offset, in: 0...Int.max) ?? 0
    plain.sort = try invocation.sortKeys(SharedOptions.sort)
    if plain.sort.isEmpty { plain.sort = invocation.orderOfCounts }
    plain.relations = try invocation.names(Options.with) ?? []
    plain.isNested = invocation.has(Options.nest)
    plain.columns = try invocation.names(SharedOptions.columns)
    if !invocation.has(Options.sql) { plain.types = try FileInputOptions(invocation).types }
    try plain.readSteps(invocation, today: today, now: services.writtenTime().now().timestamp)
  }

  /// Whether it needs the titles that the source knows.
  var namesTitles: Bool { production != nil || invocation[Options.episode]?.contains(":") == true }

  /// The title that a text means. Files and other APIs have any titles.
  private func title(_ text: String) throws(Problem) -> String {
    let source = invocation.setting(Options.source) ?? ""
    let isOpen = invocation[Options.from] != nil || source.contains("/") || source.hasSuffix(".json")
    return isOpen || source == APIDescription.television.name ? try names.key(of: text) : try names.knownKey(of: text)
  }

  /// Whether it needs the names of the files that rows are from.
  var namesFiles: Bool { plain.namesFiles }

  /// The selection as far as it is known without the columns of files, but those of their paths.
  func conditions(ofPaths files: [Location], _ types: ColumnTypes) -> Selection {
    var names: [String] = []
    for value in files.flatMap({ PathPattern.hiveValues(of: $0.place.path ?? $0.place.shown) })
    where !names.contains(value.column) {
      names.append(value.column)
    }
    let schema = Schema("paths", columns: names.map { ColumnDescription($0, types[$0] ?? .text) })
    return plain.dated(in: schema, today: today)
  }

  /// Adds the join of the command line, if there is one.
  mutating func add(_ join: JoinInput?) {
    guard let join else { return }
    self.join = join
    plain = join.added(to: plain, invocation)
  }

  /// The columns that the selection looks at or gives, when that is known without the schema; nil for all.
  var neededColumns: [String]? {
    plain.columns == nil && plain.grouping == nil ? nil : columns(with: plain.columns ?? [])
  }

  /// The columns that the selection looks at, when that is known without the schema; nil for all.
  var comparedColumns: [String]? {
    plain.steps.isDistinct && plain.steps.distinct == nil ? nil : columns(with: [])
  }

  /// Whether rows keep the spellings that their times end with: they are rows of the input.
  var keepsSpellings: Bool {
    plain.grouping == nil && plain.relations.isEmpty && plain.steps.pivot == nil
      && plain.steps.unpivot.isEmpty
  }

  /// The columns that the selection looks at, and those that it gives if it has no groups.
  private func columns(with given: [String]) -> [String]? {
    let grouped = plain.grouping.map { $0.columns + $0.aggregates.flatMap(\.columns) }
    guard plain.search == nil, !invocation.has(Options.favourites),
      plain.relations.isEmpty, production == nil, season == nil,
      invocation[Options.episode] == nil,
      invocation[Options.name] == nil
    else { return nil }
    let films = isOfFilms ? (order ?? usualOrder).sort.map(\.column) : []
    let sorted = grouped == nil ? plain.sort.map(\.column) + films : []
    let needed = plain.steps.needed(for: (grouped ?? given) + plain.countedColumns + plain.filteredColumns + sorted)?
      .filter { $0 != FileNamedRows.column }
    // Only the schema knows the members of columns.
    return needed?.contains { $0.contains(".") || $0.contains("[") } == true ? nil : needed
  }

  /// Whether the rows are the movies of a box office, which have their own default order; a file keeps its order.
  private var isOfFilms: Bool {
    guard invocation.arguments.first == Catalog.movies.name, invocation[Options.from] == nil else { return false }
    guard let source = invocation[Options.source] else { return true }
    return source == "snapshot" || APIDescription.builtIn.contains { $0.name == source }
  }

  /// The order of movies without `--order`.
  private var usualOrder: MovieOrder { invocation.setting(Options.order).flatMap(MovieOrder.init) ?? .rate }

  /// The selection for rows of `schema`, every column checked.
  func read(for schema: Schema) throws(Problem) -> Selection {
    var selection = plain
    let production = try self.production.map(title)
    if let production { selection.conditions.append(try EpisodeQuery.production(production, in: schema)) }
    if let season { selection.alternatives.append(try EpisodeQuery.season(season, in: schema, production: production)) }
    if let episode = invocation[Options.episode] {
      selection.conditions += try EpisodeQuery.episode(episode, in: schema, title: title)
    }
    if let name = invocation[Options.name] {
      selection.conditions.append(Condition(try EpisodeQuery.nameColumn(of: schema), .contains, name))
    }
    if let order { selection.sort = try order.sort(of: schema) }
    if order == nil, selection.sort.isEmpty, selection.grouping == nil, isOfFilms, schema.name == Catalog.movies.name,
      usualOrder.isOrder(of: schema)
    {
      selection.sort = usualOrder.sort
    }
    let related = join?.described(in: .described, from: schema.name) ?? .described
    var joined = Selection()
    (joined.relations, joined.isNested) = (plain.relations, plain.isNested)
    (joined.steps.assigned, joined.steps.fill, joined.steps.explode) =
      (plain.steps.assigned, plain.steps.fill, plain.steps.explode)
    (joined.steps.today, joined.steps.now) = (today, plain.steps.now)
    selection = selection.dated(in: try joined.check(schema, related: related).schema ?? schema, today: today)
    _ = try selection.check(schema, related: related)
    return selection
  }
}
