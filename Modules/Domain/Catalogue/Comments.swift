public import Rows

extension Catalog {
  /// Viewer comments on movies.
  public static let comments = Schema(
    "comments", "viewer comments on movies", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier assigned by the source", role: .identifier),
      ColumnDescription("movie_id", .text, nullable: false, "movie id", role: .identifier),
      ColumnDescription("writer", .text, "name of the writer"),
      ColumnDescription("writer_image", .url, "image of the writer", role: .image),
      ColumnDescription("rating", .real, "rating, 0 to 10", unit: "of 10"),
      ColumnDescription("posted_at", .timestamp, "when the comment was posted"),
      ColumnDescription("contents", .text, "comment text", role: .title),
    ])
}
