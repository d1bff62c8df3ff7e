import Codecs
import Domain
import Query
import Rows

/// The records of a site, and the relations between them.
struct SiteRecords {
  private let tables: [String: SiteTable]
  /// The names of the records by dataset.
  private let index: [String: NameIndex]
  /// The titles that are known.
  let names: TitleNames
  private let favourites: Set<[UInt8]>

  /// The quotes, deaths and episodes of each character, by position.
  private(set) var quotesOfCharacter: [[Int]] = []
  private(set) var deathsOfCharacter: [[Int]] = []
  private(set) var episodesOfCharacter: [[Int]] = []
  /// The quotes, deaths and the note of each episode, by position.
  private(set) var quotesOfEpisode: [[Int]] = []
  private(set) var deathsOfEpisode: [[Int]] = []
  private(set) var noteOfEpisode: [Int?] = []
  /// The characters of each actor, by position.
  private(set) var charactersOfActor: [[Int]] = []
  /// The comments of each movie, by position.
  private(set) var commentsOfMovie: [[Int]] = []
  private var episodes: [EpisodeID: Int] = [:]

  /// The show, season and number of an episode.
  private struct EpisodeID: Hashable {
    let production: [UInt8], season: Int64, episode: Int64

    init?(_ record: SiteRecord) {
      guard let production = record.text("production"), let season = record.integer("season"),
        let episode = record.integer("episode")
      else { return nil }
      self.production = Array(production.utf8)
      self.season = season
      self.episode = episode
    }
  }

  init(_ tables: [String: SiteTable]) {
    self.tables = tables
    names = TitleNames(
      (tables[Catalog.titles.name]?.batches ?? []).flatMap {
        $0.records(of: tables[Catalog.titles.name]?.schema ?? Catalog.titles)
      }
      .compactMap(Title.init))
    func matching(_ dataset: Schema, _ column: String) -> NameMatching {
      NameMatching(of: dataset.name, names: [column], fullNames: [], aliases: [], synonyms: [])
    }
    var index: [String: NameIndex] = [:]
    for (dataset, names) in [
      (Catalog.characters, Catalog.characterNames), (Catalog.actors, matching(Catalog.actors, "name")),
      (Catalog.movies, matching(Catalog.movies, "title")),
    ] { index[dataset.name] = tables[dataset.name].map { NameIndex(names, $0.batches, schema: $0.schema) } }
    self.index = index
    favourites = Set((tables[Catalog.favourites.name]?.records ?? []).map { $0.key })
    let characters = tables[Catalog.characters.name]?.count ?? 0
    let episodes = tables[Catalog.episodes.name], quotes = tables[Catalog.quotes.name]
    let deaths = tables[Catalog.deaths.name], notes = tables[Catalog.notes.name]
    for record in episodes?.records ?? [] {
      if let id = EpisodeID(record) { self.episodes[id] = record.row }
    }
    let none = [[Int]](repeating: [], count: characters)
    (quotesOfCharacter, deathsOfCharacter, episodesOfCharacter) = (none, none, none)
    let nothing = [[Int]](repeating: [], count: episodes?.count ?? 0)
    (quotesOfEpisode, deathsOfEpisode) = (nothing, nothing)
    noteOfEpisode = [Int?](repeating: nil, count: episodes?.count ?? 0)
    for quote in quotes?.records ?? [] {
      if let found = quote.text("character").flatMap(character) { quotesOfCharacter[found].append(quote.row) }
      if let found = episode(of: quote) { quotesOfEpisode[found].append(quote.row) }
    }
    for death in deaths?.records ?? [] {
      if let found = death.text("character").flatMap(character) { deathsOfCharacter[found].append(death.row) }
      if let found = episode(of: death) { deathsOfEpisode[found].append(death.row) }
    }
    for note in notes?.records ?? [] { if let found = episode(of: note) { noteOfEpisode[found] = note.row } }
    for episode in episodes?.records ?? [] {
      var seen: Set<Int> = []
      for name in episode.list("characters") {
        if let found = character(name), seen.insert(found).inserted { episodesOfCharacter[found].append(episode.row) }
      }
    }
    charactersOfActor = [[Int]](repeating: [], count: tables[Catalog.actors.name]?.count ?? 0)
    for character in tables[Catalog.characters.name]?.records ?? [] {
      if let found = character.text("portrayed_by").flatMap({ position(of: $0, in: Catalog.actors) }) {
        charactersOfActor[found].append(character.row)
      }
    }
    if let movies = tables[Catalog.movies.name] {
      var byID: [[UInt8]: Int] = [:]
      for movie in movies.records { byID[movie.key] = movie.row }
      commentsOfMovie = [[Int]](repeating: [], count: movies.count)
      for comment in tables[Catalog.comments.name]?.records ?? [] {
        if let id = comment.text("movie_id"), let found = byID[Array(id.utf8)] {
          commentsOfMovie[found].append(comment.row)
        }
      }
    }
  }

  /// The records of a dataset; nil if the site does not have it, or it is empty.
  subscript(dataset: Schema) -> SiteTable? { tables[dataset.name] }

  /// The position of the character that a name means; nil if no character or several match.
  private func character(_ name: String) -> Int? { position(of: name, in: Catalog.characters) }

  /// The position of the record that a name means; nil if none or several match. The name of an actor may be followed
  /// by a role: `Steven Yeun (Glenn)`.
  func position(of name: String, in dataset: Schema) -> Int? {
    guard let names = index[dataset.name] else { return nil }
    if let found = names.position(of: Array(name.utf8)) { return found }
    guard dataset.name == Catalog.actors.name, name.hasSuffix(")"), let bracket = name.firstIndex(of: "(") else {
      return nil
    }
    return names.position(of: Array(name[..<bracket].utf8.reversed().drop { $0 == 0x20 }.reversed()))
  }

  /// The position of the episode that a record belongs to.
  func episode(of record: SiteRecord) -> Int? { EpisodeID(record).flatMap { episodes[$0] } }

  func isFavourite(_ record: SiteRecord, in dataset: Schema) -> Bool {
    if dataset.name == Catalog.actors.name { return record.isTrue("favourite") }
    return favourites.contains(RecordKey.joined([Array(dataset.name.utf8), record.key]))
  }
}

extension SiteTable {
  /// The records in their order.
  var records: [SiteRecord] { (0..<count).map { self[$0] } }
}

extension RecordKey {
  /// The key of values, as `text(of:in:_:)` has it.
  static func joined(_ values: [[UInt8]]) -> [UInt8] {
    var text: [UInt8] = []
    for (place, value) in values.enumerated() {
      if place > 0 { text.append(UInt8(ascii: "/")) }
      for byte in value { append(byte, to: &text) }
    }
    return text
  }
}
