import Query
public import Rows

/// Which title and episode a row means: by identifiers, then by name and year, never by a guess.
extension TrackerLedger {
  func address(of row: TrackerRow) throws(TrackerQuestion) -> Place {
    let own = row.ids("own_"), isEpisode = row.integer("episode") != nil
    let ids = row.ids("") + (isEpisode ? [] : own), episodeIDs = row.ids("episode_") + (isEpisode ? own : [])
    switch row.text("kind") {
    case "unknown": return (try named(row.text("name") ?? ""), [])
    case "episode":
      let found = Set(ids.flatMap { episodesByID[$0] ?? [] })
      guard found.count == 1, let address = found.first else { throw TrackerQuestion("an episode without its show") }
      return (address, ids)
    case "movie":
      return (EpisodeKey(try title(.movie, row.text("name"), row, ids), season: 1, episode: 1), [])
    case "show":
      var name = row.text("name")
      let season = Int(row.integer("season") ?? 0), episode = Int(row.integer("episode") ?? 0)
      // TMDB calls an episode “Friends S1E1”.
      if isEpisode, let whole = name, let space = whole.unicodeScalars.lastIndex(of: " "),
        let named = try? EpisodeQuery.episode(String(whole[whole.index(after: space)...])), named == (season, episode)
      {
        name = String(whole[..<space])
      }
      return (EpisodeKey(try title(.show, name, row, ids), season: season, episode: episode), episodeIDs)
    default: throw TrackerQuestion("neither a movie nor a show")
    }
  }

  private func title(
    _ kind: Title.Kind, _ name: String?, _ row: TrackerRow, _ ids: [String]
  ) throws(TrackerQuestion) -> String {
    let year = row.integer("year").map { Int($0) }, alias = row.text("alias")
    let hits = Set(ids.compactMap { titlesByID["\(kind.rawValue) \($0)"] })
    if hits.count > 1 { throw TrackerQuestion("the ids belong to different titles", hits.sorted()) }
    var title: Title
    var found = hits.first
    if found == nil { found = try same(kind, name, alias, year, ids) }
    if let known = found.flatMap({ names[$0] }) {
      title = known
    } else {
      let name = name ?? ""
      title = Title(names.newKey(kind, name, year: year, ids: ids), kind, name: name, year: year, ids: ids)
      title.ids.sort()
    }
    title.learn(ids)
    if title.year == nil { title.year = year }
    if let alias, TrackerRow.folded(alias) != TrackerRow.folded(title.name), !title.aliases.contains(alias) {
      title.aliases = (title.aliases + [alias]).sorted()
    }
    // A title that records are on is kept with them, also one that is built in.
    if names[title.key] != title || rows("titles")[RecordKey.text(of: [.text(title.key)])] == nil { put(title) }
    return title.key
  }

  /// The title of a name and a year; nil if there is none.
  private func same(
    _ kind: Title.Kind, _ name: String?, _ alias: String?, _ year: Int?, _ ids: [String]
  ) throws(TrackerQuestion) -> String? {
    let spelled = [name, alias].compactMap { $0 }
    guard !spelled.isEmpty else { throw TrackerQuestion("no name and no known id") }
    let named = Set(spelled.flatMap { titlesByName["\(kind.rawValue) \(TrackerRow.folded($0))"] ?? [] }).sorted()
      .compactMap { names[$0] }
    let free = named.filter { title in
      !title.ids.contains { known in
        ids.contains { $0 != known && $0.prefix { $0 != ":" } == known.prefix { $0 != ":" } }
      }
    }
    let said = free.filter { $0.answers.contains(Self.answer(name ?? "", year.map { Int64($0) })) }
    let same = free.filter { title in
      ([title.name] + title.aliases).contains { known in spelled.contains { $0.utf8.elementsEqual(known.utf8) } }
    }
    var exact = said.isEmpty ? same.filter { year != nil && $0.year == year } : said
    if exact.isEmpty, kind == .show { exact = same.filter { year == nil || $0.year == nil } }
    if exact.count > 1 { throw TrackerQuestion("several titles have this name and year", exact.map(\.key)) }
    if let only = exact.first { return only.key }
    let near = free.filter { title in
      guard let year, let other = title.year else { return true }
      return abs(other - year) <= 1
    }
    if !near.isEmpty {
      let what = near.allSatisfy { $0.year == year } && year != nil ? "another spelling" : "another year, or none"
      throw TrackerQuestion("maybe the same title: \(what)", near.map(\.key))
    }
    return nil
  }

  /// The one movie, or the one episode of a known show, with a name.
  private func named(_ name: String) throws(TrackerQuestion) -> EpisodeKey {
    let movies = titlesByName["movie \(TrackerRow.folded(name))"] ?? []
    if movies.count == 1, let movie = movies.first { return EpisodeKey(movie, season: 1, episode: 1) }
    let parts = name.split(separator: ": ", omittingEmptySubsequences: false)
    var found: Set<EpisodeKey> = []
    for count in 1..<max(parts.count, 1) {
      let shows = titlesByName["show \(TrackerRow.folded(parts[..<count].joined(separator: ": ")))"] ?? []
      for show in shows {
        for place in count..<parts.count {
          found.formUnion(episodesByName[[show, TrackerRow.folded(parts[place...].joined(separator: ": "))]] ?? [])
        }
      }
    }
    if found.count == 1, let address = found.first { return address }
    throw TrackerQuestion(
      "a movie or an episode? Netflix gives a name only", (found.map(\.text) + movies).sorted())
  }
}

extension EpisodeKey {
  /// The key of a record that has columns title, season and episode.
  public init(inTitleOf record: Record) {
    self.init(
      record.text("title") ?? "", season: Int(record.integer("season") ?? 0),
      episode: Int(record.integer("episode") ?? 0))
  }
  /// The values of these columns.
  public var inTitle: KeyValuePairs<String, Value> {
    ["title": .text(production), "season": .integer(Int64(season)), "episode": .integer(Int64(episode))]
  }
}

extension Title {
  /// Adds identifiers of services that it has none of.
  mutating func learn(_ more: [String]) {
    let known = Set(ids.map { $0.prefix { $0 != ":" } })
    let new = more.filter { !known.contains($0.prefix { $0 != ":" }) }
    if !new.isEmpty { ids = Set(ids + new).sorted() }
  }
}
