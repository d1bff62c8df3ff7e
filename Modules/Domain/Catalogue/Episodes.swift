public import Rows

extension Catalog {
  /// The episodes of the shows; El Camino, a film, is season 1 episode 1 of its own production.
  public static let episodes = Schema(
    "episodes", "the episodes of Breaking Bad and Better Call Saul, and El Camino",
    key: ["production", "season", "episode"],
    columns: [
      ColumnDescription("production", .text, nullable: false, "show"),
      ColumnDescription("season", .integer, nullable: false, "season, from 1"),
      ColumnDescription("episode", .integer, nullable: false, "number within the season, from 1"),
      ColumnDescription("id", .integer, "identifier given by the source"),
      ColumnDescription("title", .text, "title"),
      ColumnDescription("air_date", .date, "day it was first shown"),
      ColumnDescription("synopsis", .text, "what happens"),
      ColumnDescription("written_by", .text, "writers"),
      ColumnDescription("directed_by", .text, "director"),
      ColumnDescription("characters", .list(.text), "names of the characters that appear"),
      ColumnDescription("image", .url, "picture"),
    ])
}
