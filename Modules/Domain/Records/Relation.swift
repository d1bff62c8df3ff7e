/// How the records of one dataset lead to those of another.
public struct Relation: Sendable, Hashable {
  /// What `--with` calls it.
  public let name: String
  /// The dataset it leads from, and the one it leads to.
  public let from: String, to: String
  /// Whether a record leads to any number of records; else to one at most.
  public let isToMany: Bool
  /// The columns that say which records belong together: of `from` on the left, of `to` on the right.
  public let columns: [Pair]
  /// Whether those columns hold names of characters, which are the same when they mean the same character; else values that are equal.
  public let isByName: Bool

  /// A column of `from` and one of `to`.
  public struct Pair: Sendable, Hashable {
    /// The columns' names.
    public let left: String, right: String
  }

  /// A relation by columns of equal values, or, with `byName`, of names.
  public init(
    _ name: String, from: String, to: String, toMany: Bool = false, byName: Bool = false,
    on columns: KeyValuePairs<String, String>
  ) {
    self.name = name
    self.from = from
    self.to = to
    isToMany = toMany
    isByName = byName
    self.columns = columns.map { Pair(left: $0.key, right: $0.value) }
  }
}

extension Catalog {
  /// How the datasets hang together.
  public static let relations: [Relation] = [
    Relation("character", from: "quotes", to: "characters", byName: true, on: ["character": "name"]),
    Relation("deaths", from: "characters", to: "deaths", toMany: true, byName: true, on: ["name": "character"]),
    Relation("quotes", from: "characters", to: "quotes", toMany: true, byName: true, on: ["name": "character"]),
    Relation("cast", from: "episodes", to: "characters", toMany: true, byName: true, on: ["characters": "name"]),
    Relation("comments", from: "movies", to: "comments", toMany: true, on: ["id": "movie_id"]),
    Relation(
      "episode", from: "notes", to: "episodes",
      on: ["production": "production", "season": "season", "episode": "episode"]),
  ]
}
