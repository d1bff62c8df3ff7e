public import Rows

extension Catalog {
  /// The people of the shows.
  public static let characters = Schema(
    "characters", "characters in Breaking Bad, Better Call Saul and El Camino", key: ["id"],
    columns: [
      ColumnDescription("id", .integer, nullable: false, "identifier assigned by the source"),
      ColumnDescription("name", .text, nullable: false, "name used in the show", role: .title),
      ColumnDescription("full_name", .text, "full name"),
      ColumnDescription("nickname", .text, "nickname"),
      ColumnDescription("aliases", .list(.text), "aliases"),
      ColumnDescription("birthday", .date, "birth date, possibly partial"),
      ColumnDescription("occupations", .list(.text), "occupations of the character"),
      ColumnDescription("images", .list(.url), "image URLs", role: .image),
      ColumnDescription("status", .text, "alive, dead, presumed dead or unknown"),
      ColumnDescription("portrayed_by", .text, "actor who plays the character"),
      ColumnDescription("productions", .list(.text), "shows the character appears in"),
      ColumnDescription("breaking_bad_seasons", .list(.integer), "seasons of Breaking Bad the character appears in"),
      ColumnDescription(
        "better_call_saul_seasons", .list(.integer), "seasons of Better Call Saul the character appears in"),
      ColumnDescription("el_camino", .boolean, "whether the character appears in El Camino"),
    ])
}
