public import Rows

extension Catalog {
  /// What characters say. Sources use some ids twice; `occurrence` tells those records apart, so that none is lost.
  public static let quotes = Schema(
    "quotes", "quotes by characters", key: ["id", "occurrence"],
    columns: [
      ColumnDescription("id", .integer, nullable: false, "identifier assigned by the source"),
      ColumnDescription(
        "occurrence", .integer, nullable: false, "1 for the first record with this id, 2 for the second, and so on",
        role: .audit),
      ColumnDescription("quote", .text, nullable: false, "text of the quote", role: .title),
      ColumnDescription("character", .text, "name of the character who says it"),
      ColumnDescription("production", .text, "show"),
      ColumnDescription("season", .integer, "season number, from 1"),
      ColumnDescription("episode", .integer, "episode number within the season, from 1"),
    ])
}
