public import Rows

extension Catalog {
  /// The deaths of characters.
  public static let deaths = Schema(
    "deaths", "deaths of characters", key: ["id"],
    columns: [
      ColumnDescription("id", .integer, nullable: false, "identifier assigned by the source"),
      ColumnDescription("character", .text, nullable: false, "name of the person or group who dies", role: .title),
      ColumnDescription("cause", .text, "cause of death"),
      ColumnDescription("details", .text, "circumstances of the death"),
      ColumnDescription("responsible", .list(.text), "who is responsible"),
      ColumnDescription("connected", .list(.text), "other people involved"),
      ColumnDescription("last_words", .text, "last words"),
      ColumnDescription("production", .text, "show"),
      ColumnDescription("season", .integer, "season number, from 1"),
      ColumnDescription("episode", .integer, "episode number within the season, from 1"),
      ColumnDescription("number_of_deaths", .integer, "number of deaths"),
      ColumnDescription("image", .url, "image URL", role: .image),
    ])
}
