public import Rows

extension Catalog {
  /// The shows and movies that the user has records on, in addition to those that are built in.
  public static let titles = Schema(
    "titles", "your shows and movies", key: ["title"],
    columns: [
      ColumnDescription("title", .text, nullable: false, "key: the name, with the year if another title has it"),
      ColumnDescription("kind", .text, nullable: false, "show or movie"),
      ColumnDescription("name", .text, nullable: false, "name", role: .title),
      ColumnDescription("year", .integer, "year of the first release"),
      ColumnDescription("short", .text, "short name for commands"),
      ColumnDescription("ids", .list(.text), "identifiers in other services, as imdb:tt0306414"),
      ColumnDescription("aliases", .list(.text), "other names"),
      ColumnDescription("status", .text, "status of a show"),
      ColumnDescription("answers", .list(.text), "names and years of imported rows that you said are this title"),
    ])

  /// The titles that are built in; the first is the show of keys that name none.
  public static let builtInTitles: [Title] = [
    Title("Breaking Bad", .show, year: 2008, short: "bb", ids: ["imdb:tt0903747"]),
    Title("Better Call Saul", .show, year: 2015, short: "bcs", ids: ["imdb:tt3032476"]),
    Title("El Camino", .movie, year: 2019, short: "ec", ids: ["imdb:tt9243946"]),
  ]
}

/// A show or a movie. A movie is one episode, season 1 number 1.
public struct Title: Sendable, Hashable {
  /// The kinds of titles.
  public enum Kind: String, Sendable, Hashable { case show, movie }

  /// The key: what `production` of episodes and notes is.
  public let key: String
  /// The kind.
  public let kind: Kind
  /// The name.
  public let name: String
  /// The year of the first release; nil if it is not known.
  public var year: Int?
  /// The short name for commands; nil for none.
  public var short: String?
  /// Identifiers in other services: `imdb:tt0306414`.
  public var ids: [String]
  var aliases: [String]
  /// The status of a show; nil if it is not known.
  public var status: String?
  /// Names and years of imported rows that the user said are this title.
  var answers: [String] = []

  /// A title; `name` is nil if it is the key.
  public init(
    _ key: String, _ kind: Kind, name: String? = nil, year: Int? = nil, short: String? = nil, ids: [String] = [],
    aliases: [String] = []
  ) {
    (self.key, self.kind, self.name, self.year, self.short) = (key, kind, name ?? key, year, short)
    (self.ids, self.aliases) = (ids, aliases)
  }

  /// The title of a record; nil if it has no key or another kind.
  public init?(_ record: Record) {
    guard let key = record.text("title"), let kind = Kind(rawValue: record.text("kind") ?? "") else { return nil }
    self.init(
      key, kind, name: record.text("name"), year: record.integer("year").map { Int($0) }, short: record.text("short"),
      ids: record.list("ids"), aliases: record.list("aliases"))
    status = record.text("status")
    answers = record.list("answers")
  }

  /// The record of the title.
  public var record: Record {
    func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    return Record(
      Catalog.titles,
      [
        "title": .text(key), "kind": .text(kind.rawValue), "name": .text(name),
        "year": year.map { .integer(Int64($0)) } ?? .null, "short": text(short), "ids": .list(ids),
        "aliases": .list(aliases), "status": text(status), "answers": .list(answers),
      ])
  }

  /// The identifier in a service; nil if it is not known.
  public func id(in service: String) -> String? {
    ids.first { $0.hasPrefix(service + ":") }.map { String($0.dropFirst(service.count + 1)) }
  }

  /// The URL of its page on IMDb; nil if it is not known.
  public var databasePage: String? { id(in: "imdb").map { "https://www.imdb.com/title/\($0)/" } }
}
