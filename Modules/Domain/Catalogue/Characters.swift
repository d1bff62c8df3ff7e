public import Rows

extension Catalog {
  /// The people of the shows.
  public static let characters = Schema(
    "characters", "the people of Breaking Bad, Better Call Saul and El Camino", key: ["id"],
    columns: [
      ColumnDescription("id", .integer, nullable: false, "identifier given by the source"),
      ColumnDescription("name", .text, nullable: false, "name used in the show"),
      ColumnDescription("full_name", .text, "full name"),
      ColumnDescription("nickname", .text, "nickname"),
      ColumnDescription("aliases", .list(.text), "other names"),
      ColumnDescription("birthday", .date, "date of birth, as far as it is known"),
      ColumnDescription("occupations", .list(.text), "what the character does for a living"),
      ColumnDescription("images", .list(.url), "pictures"),
      ColumnDescription("status", .text, "alive, dead, presumed dead or unknown"),
      ColumnDescription("portrayed_by", .text, "who plays the part"),
      ColumnDescription("productions", .list(.text), "shows the character appears in"),
      ColumnDescription("breaking_bad_seasons", .list(.integer), "seasons of Breaking Bad the character appears in"),
      ColumnDescription(
        "better_call_saul_seasons", .list(.integer), "seasons of Better Call Saul the character appears in"),
      ColumnDescription("el_camino", .boolean, "whether the character appears in El Camino"),
    ])
}
