public import Query
public import Rows

/// An episode one can write a note on.
public struct EpisodeChoice: Sendable, Hashable {
  /// Which.
  public let key: EpisodeKey
  /// Its title; nil when it is not known.
  public let title: String?
  /// The day it was first shown, ISO 8601; nil when it is not known.
  public let airDate: String?

  /// `S05E14 “Ozymandias”`.
  public var label: String { key.short + (title.map { " “\($0)”" } ?? "") }

  init?(_ record: Record) {
    guard let key = EpisodeKey(of: record) else { return nil }
    self.key = key
    title = record.text("title")
    airDate = record.text("air_date")
  }
}

/// The episodes one can choose: those of the storage, those that are built in, and those that the API has.
public struct EpisodeChoices: Sendable {
  private let repository: RecordRepository
  private let builtIn: any RecordSource
  private let current: @Sendable (_ freshness: Freshness) async throws(Problem) -> (any RowStream)?

  /// The maximum age of the episodes of the API.
  public enum Freshness: Sendable, Hashable {
    /// At most a day old.
    case daily
    /// At most a minute old: for an episode that is not among the known ones.
    case minute
    case now
    /// Of any age: nothing is requested.
    case stored
  }

  /// - Parameters:
  ///   - repository: the storage.
  ///   - builtIn: what is known without network.
  ///   - current: what the API has, or had when it answered last; nil when that is not known.
  public init(
    _ repository: RecordRepository, builtIn: any RecordSource,
    current: @escaping @Sendable (_ freshness: Freshness) async throws(Problem) -> (any RowStream)?
  ) {
    self.repository = repository
    self.builtIn = builtIn
    self.current = current
  }

  /// The episode with this key; nil if it is unknown. The API is used only if the other sources do not have it, or for
  /// `refresh`.
  /// If `offline`, nothing is requested.
  func choice(
    _ key: EpisodeKey, refresh: Bool = false, offline: Bool = false
  ) async throws(Problem) -> EpisodeChoice? {
    if !refresh, let known = try await knownChoice(key) { return known }
    for freshness in refresh ? [Freshness.now] : offline ? [.stored] : [.daily, .minute] {
      guard let rows = try await current(freshness) else { continue }
      if let known = try await choices(in: rows).first(where: { $0.key == key }) { return known }
    }
    return refresh ? try await knownChoice(key) : nil
  }

  /// Whether one can write about an episode: it is known, or nothing is known of the episodes of its show. The API has
  /// no episodes of titles that are not built in.
  public func holds(
    _ key: EpisodeKey, _ names: TitleNames, refresh: Bool = false, offline: Bool = false
  ) async throws(Problem) -> Bool {
    let isBuiltIn = Catalog.builtInTitles.contains { $0.key == key.production }
    if try await isBuiltIn ? choice(key, refresh: refresh, offline: offline) != nil : knownChoice(key) != nil {
      return true
    }
    guard !isBuiltIn, let title = names[key.production] else { return false }
    if title.kind == .movie { return key.season == 1 && key.episode == 1 }
    return try await !choices(in: try await repository.rows(of: Catalog.episodes))
      .contains { $0.key.production == key.production }
  }

  /// The episode in the storage, or among those that are built in.
  private func knownChoice(_ key: EpisodeKey) async throws(Problem) -> EpisodeChoice? {
    if let stored = try await repository.record(of: Catalog.episodes, key: key.values) { return EpisodeChoice(stored) }
    return try await choices(in: try await builtInRows()).first { $0.key == key }
  }

  /// Every episode, each once, in order of production, season and episode.
  public func all(refresh: Bool = false) async throws(Problem) -> [EpisodeChoice] {
    var found: [EpisodeKey: EpisodeChoice] = [:]
    var streams = [try await repository.rows(of: Catalog.episodes), try await builtInRows()]
    if let rows = try await current(refresh ? .now : .daily) { streams.append(rows) }
    for stream in streams {
      for choice in try await choices(in: stream) where found[choice.key] == nil { found[choice.key] = choice }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  /// The titles of the episodes that the store, what is built in or the last response of the API has.
  public func titles() async throws(Problem) -> [EpisodeKey: String] {
    var titles: [EpisodeKey: String] = [:]
    let columns = RowRequest(columns: ["production", "season", "episode", "title"])
    var streams: [any RowStream] = []
    if let rows = try await current(.stored) { streams.append(rows) }
    streams.append(try await builtIn.rows(of: Catalog.episodes.name, columns))
    if try await repository.store.contains(Catalog.episodes.name) {
      streams.append(try await repository.rows(of: Catalog.episodes))
    }
    for stream in streams {
      for choice in try await choices(in: stream) { if let title = choice.title { titles[choice.key] = title } }
    }
    return titles
  }

  /// The error for an unknown episode, with the nearest episodes as a hint.
  public func unknown(_ key: EpisodeKey, _ names: TitleNames) async throws(Problem) -> Problem {
    let all = try await all()
    let same = all.filter { $0.key.production == key.production }
    guard !same.isEmpty else { return Self.unknownProduction(key.production, among: all, names) }
    let nearest = same.sorted { key.distance(to: $0.key) < key.distance(to: $1.key) }.prefix(3)
      .sorted { $0.key < $1.key }
    return Problem(
      .usage, "unknown episode \(key.text)", hint: "nearest episodes: \(nearest.map(\.label).joined(separator: ", "))"
    )
  }

  /// The problem of a production that no episode is of.
  public static func unknownProduction(
    _ name: String, among choices: [EpisodeChoice], _ names: TitleNames
  ) -> Problem {
    if let title = names[name] {
      return Problem(
        .usage, "no known episodes of \(title.name)",
        hint: title.kind == .movie ? "a movie has no other than S01E01" : "add the show with its episodes first"
      )
    }
    let known = Set(choices.map(\.key.production)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let all = known.map { name in name + (names[name]?.short.map { " (\($0))" } ?? "") }
    return Problem(
      .usage, "unknown show “\(name)”",
      hint: .nearest(name, among: known)
        ?? "available shows: \(all.joined(separator: ", ")); others must be added first"
    )
  }

  private func builtInRows() async throws(Problem) -> any RowStream {
    try await builtIn.rows(of: Catalog.episodes.name, RowRequest(columns: Self.columns))
  }

  private static let columns = ["production", "season", "episode", "title", "air_date"]

  private func choices(in rows: any RowStream) async throws(Problem) -> [EpisodeChoice] {
    let schema = rows.schema
    let positions = Self.columns.compactMap { schema.position(of: $0) }
    let narrow = schema.projected(to: positions)
    var choices: [EpisodeChoice] = []
    while let work = try await rows.next() {
      choices += try work.batch().projected(to: positions).records(of: narrow).compactMap(EpisodeChoice.init)
    }
    return choices
  }
}
