public import Query
public import Rows

extension Catalog {
  /// The relations between datasets.
  public static let relations: [Relation] = [
    Relation("character", from: "quotes", to: "characters", byName: characterNames, on: ["character": "name"]),
    Relation(
      "deaths", from: "characters", to: "deaths", toMany: true, byName: characterNames, on: ["name": "character"]),
    Relation(
      "quotes", from: "characters", to: "quotes", toMany: true, byName: characterNames, on: ["name": "character"]),
    Relation(
      "cast", from: "episodes", to: "characters", toMany: true, byName: characterNames, on: ["characters": "name"]),
    Relation("comments", from: "movies", to: "comments", toMany: true, on: ["id": "movie_id"]),
    Relation(
      "episode", from: "notes", to: "episodes",
      on: ["production": "production", "season": "season", "episode": "episode"]),
  ]
}

extension JoinTables {
  /// No rows, but the schemas of the catalogue: to check a selection before anything is read.
  public static let described = JoinTables(described: Catalog.all, relations: Catalog.relations)

  /// Reads what relations of the catalogue need.
  public static func read(
    for names: [String], of dataset: String, agreeing: [String: [String]] = [:],
    from open: (String) async throws(Problem) -> any RowStream
  ) async throws(Problem) -> JoinTables {
    try await read(for: names, of: dataset, among: Catalog.relations, agreeing: agreeing, from: open)
  }
}
