public import Rows

extension Catalog {
  /// What viewers say of a film.
  public static let comments = Schema(
    "comments", "what viewers say of the films", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier given by the source"),
      ColumnDescription("movie_id", .text, nullable: false, "the film"),
      ColumnDescription("writer", .text, "name of the writer"),
      ColumnDescription("writer_image", .url, "picture of the writer"),
      ColumnDescription("rating", .real, "rating, 0 to 10", unit: "of 10"),
      ColumnDescription("posted_at", .timestamp, "when it was written"),
      ColumnDescription("contents", .text, "what was written"),
    ])
}
