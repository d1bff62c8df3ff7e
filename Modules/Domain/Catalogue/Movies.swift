public import Rows

extension Catalog {
  /// Movies now showing. The columns from `audience` on come from the page of the movie.
  public static let movies = Schema(
    "movies", "movies now showing, with ranks and ratings", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier assigned by the source", role: .identifier),
      ColumnDescription("title", .text, nullable: false, "title", role: .title),
      ColumnDescription("grade", .integer, "minimum age to see the movie; 0 means no restriction", unit: "years"),
      ColumnDescription("reservation_rank", .integer, "rank by reservations, from 1"),
      ColumnDescription("reservation_rate", .real, "share of all reservations", unit: "%"),
      ColumnDescription("curation_rank", .integer, "editors' picks rank, from 1; null if not fetched"),
      ColumnDescription("user_rating", .real, "audience rating, 0 to 10"),
      ColumnDescription("release_date", .date, "release date"),
      ColumnDescription("thumbnail", .url, "small poster", role: .thumbnail),
      ColumnDescription("audience", .integer, "number of tickets sold"),
      ColumnDescription("actors", .list(.text), "actors, with their roles in parentheses"),
      ColumnDescription("directors", .list(.text), "directors"),
      ColumnDescription("duration_minutes", .integer, "length", unit: "minutes"),
      ColumnDescription("genres", .list(.text), "genres"),
      ColumnDescription("synopsis", .text, "plot summary"),
      ColumnDescription("image", .url, "poster", role: .image),
    ])
}
