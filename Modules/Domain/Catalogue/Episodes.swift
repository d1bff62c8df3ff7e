public import Rows

extension Catalog {
  /// The columns that say which episodes a source owns: several sources share the table.
  public static let episodeScope = ["production"]

  /// Episodes of the shows. A movie is season 1 episode 1 of its own production.
  public static let episodes = Schema(
    "episodes", "episodes of shows; a movie is one episode",
    key: ["production", "season", "episode"],
    columns: [
      ColumnDescription("production", .text, nullable: false, "show"),
      ColumnDescription("season", .integer, nullable: false, "season number, from 1"),
      ColumnDescription("episode", .integer, nullable: false, "episode number within the season, from 1"),
      ColumnDescription("id", .integer, "identifier assigned by the source"),
      ColumnDescription("title", .text, "title", role: .title),
      ColumnDescription("air_date", .date, "original air date"),
      ColumnDescription("synopsis", .text, "plot summary"),
      ColumnDescription("written_by", .text, "writers"),
      ColumnDescription("directed_by", .text, "director"),
      ColumnDescription("characters", .list(.text), "names of the characters that appear"),
      ColumnDescription("image", .url, "image URL", role: .image),
    ])
}
