public import Rows

extension Catalog {
  /// Films in the cinemas; the columns from `audience` on come from a film's own page.
  public static let movies = Schema(
    "movies", "films in the cinemas, with ranks and ratings", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier given by the source"),
      ColumnDescription("title", .text, nullable: false, "title"),
      ColumnDescription("grade", .integer, "youngest age that may see it; 0 is everybody", unit: "years"),
      ColumnDescription("reservation_rank", .integer, "rank by reservations, from 1"),
      ColumnDescription("reservation_rate", .real, "share of all reservations", unit: "%"),
      ColumnDescription("curation_rank", .integer, "rank by the editors' choice, from 1; null when not fetched"),
      ColumnDescription("user_rating", .real, "rating by the audience, 0 to 10"),
      ColumnDescription("release_date", .date, "day it was released"),
      ColumnDescription("thumbnail", .url, "small poster"),
      ColumnDescription("audience", .integer, "tickets sold"),
      ColumnDescription("actors", .list(.text), "actors, with their parts in brackets"),
      ColumnDescription("directors", .list(.text), "directors"),
      ColumnDescription("duration_minutes", .integer, "length", unit: "minutes"),
      ColumnDescription("genres", .list(.text), "genres"),
      ColumnDescription("synopsis", .text, "what happens"),
      ColumnDescription("image", .url, "poster"),
    ])
}
