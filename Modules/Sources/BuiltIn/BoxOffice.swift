import Domain

extension APIDescription {
  /// The box-office API: movies by rank, each with its own page and the newest comments on it.
  ///
  /// The server orders the lists: 0 by reservations, 1 by the editors' choice, 2 by date. Times are seconds since 1970,
  /// some negative and with an exponent. Lists of people and genres are comma-separated text, with parts in
  /// parentheses.
  public static let boxOffice = APIDescription(
    name: "box-office", summary: "movies now showing and viewer comments, from any server that implements the API",
    baseURL: "http://connect-boxoffice.run.goorm.io",
    datasets: [
      APIDataset(
        Catalog.movies, path: "/movies", parameters: [SourceParameter("order_type", "0")], records: "/movies",
        supplements: [
          DetailRequest(
            .all, path: "/movies", parameters: [SourceParameter("order_type", "1")], records: "/movies", id: "/id",
            columns: [SourceColumn("curation_rank", from: SourceColumn.place)]),
          DetailRequest(
            .each, path: "/movie", parameter: "id",
            columns: [
              SourceColumn("audience", from: "/audience"),
              SourceColumn("actors", from: "/actor", nulls: [""], steps: [.split]),
              SourceColumn("directors", from: "/director", nulls: [""], steps: [.split]),
              SourceColumn("duration_minutes", from: "/duration"),
              SourceColumn("genres", from: "/genre", nulls: [""], steps: [.split]),
              SourceColumn("synopsis", from: "/synopsis", nulls: [""]),
              SourceColumn("image", from: "/image", nulls: [""]),
            ]),
        ],
        columns: [
          SourceColumn("id", from: "/id"),
          SourceColumn("title", from: "/title"),
          SourceColumn("grade", from: "/grade"),
          SourceColumn("reservation_rank", from: "/reservation_grade"),
          SourceColumn("reservation_rate", from: "/reservation_rate"),
          SourceColumn("user_rating", from: "/user_rating"),
          SourceColumn("release_date", from: "/date", formats: [.day], nulls: [""]),
          SourceColumn("thumbnail", from: "/thumb", nulls: [""]),
        ]),
      APIDataset(
        Catalog.comments, path: "/comments", filters: [SourceParameter("movie_id", "movie_id")], records: "/comments",
        parent: SourceParent(dataset: "movies", column: "id", parameter: "movie_id"),
        submission: SourceSubmission(
          path: "/comment",
          members: ["movie_id", "writer", "rating", "contents"].map { SourceParameter($0, $0) }),
        columns: [
          SourceColumn("id", from: "/id"),
          SourceColumn("movie_id", from: "/movie_id"),
          SourceColumn("writer", from: "/writer", nulls: [""]),
          SourceColumn("writer_image", from: "/writer_image", nulls: [""], isOptional: true),
          SourceColumn("rating", from: "/rating"),
          SourceColumn("posted_at", from: "/timestamp", formats: [.epochSeconds]),
          SourceColumn("contents", from: "/contents", nulls: [""]),
        ]),
    ])
}
