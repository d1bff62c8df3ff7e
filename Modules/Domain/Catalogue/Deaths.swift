public import Rows

extension Catalog {
  /// How characters die.
  public static let deaths = Schema(
    "deaths", "how the characters die", key: ["id"],
    columns: [
      ColumnDescription("id", .integer, nullable: false, "identifier given by the source"),
      ColumnDescription("character", .text, nullable: false, "name of who dies, a person or a group"),
      ColumnDescription("cause", .text, "cause of death"),
      ColumnDescription("details", .text, "how it came about"),
      ColumnDescription("responsible", .list(.text), "who is responsible"),
      ColumnDescription("connected", .list(.text), "who else is connected with it"),
      ColumnDescription("last_words", .text, "last words"),
      ColumnDescription("production", .text, "show"),
      ColumnDescription("season", .integer, "season, from 1"),
      ColumnDescription("episode", .integer, "number within the season, from 1"),
      ColumnDescription("number_of_deaths", .integer, "how many die"),
      ColumnDescription("image", .url, "picture"),
    ])
}
