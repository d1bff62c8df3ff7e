public import Rows

/// Records that tracker files bring: what the user watched, rated and listed.
extension Catalog {
  private static let address = [
    ColumnDescription("title", .text, nullable: false, "key of the show or movie", role: .title),
    ColumnDescription("season", .integer, nullable: false, "season number; 0 with episode 0 for the whole show"),
    ColumnDescription("episode", .integer, nullable: false, "episode number; 0 for the whole season"),
  ]
  private static let when = [
    ColumnDescription("day", .date, "day, possibly partial; null if unknown"),
    ColumnDescription("at", .timestamp, "instant, if the service knows it"),
  ]

  /// Plays of episodes and movies.
  public static let watches = Schema(
    "watches", "what you watched, and when", key: ["id"],
    columns: [ColumnDescription("id", .text, nullable: false, "identifier of the play", role: .identifier)] + address
      + when + [
        ColumnDescription(
          "times", .integer, nullable: false, "1; of the row without a day, the plays beyond those with one"),
        ColumnDescription("rating", .decimal, "rating of this play, above 0, at most 10"),
        ColumnDescription("rewatch", .boolean, "whether it was seen before"),
        ColumnDescription("tags", .list(.text), "tags"), ColumnDescription("text", .text, "review"),
        ColumnDescription("ids", .list(.text), "identifiers of this play in each service"),
        ColumnDescription("episode_ids", .list(.text), "identifiers of the episode, as tvdb:1234"),
        ColumnDescription(.createdAt, .timestamp, nullable: false, "when the record was created", role: .audit),
        ColumnDescription(.updatedAt, .timestamp, nullable: false, "when the record was last updated", role: .audit),
      ])

  /// Ratings of titles, seasons and episodes.
  public static let ratings = Schema(
    "ratings", "your ratings", key: ["title", "season", "episode"],
    columns: address + [
      ColumnDescription("rating", .decimal, nullable: false, "rating, above 0, at most 10")
    ] + when)

  /// Titles and episodes on lists.
  public static let lists = Schema(
    "lists", "your lists: watchlist, following, and others", key: ["list", "title", "season", "episode"],
    columns: [ColumnDescription("list", .text, nullable: false, "name of the list")] + address + [
      ColumnDescription("position", .integer, "place on the list"), when[0], ColumnDescription("text", .text, "note"),
    ])

  /// Rows of imported files that are not certain.
  public static let questions = Schema(
    "questions", "rows of imported files that are not certain", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "fingerprint of the row", role: .identifier),
      ColumnDescription("number", .integer, nullable: false, "number, for commands", role: .audit),
      ColumnDescription("dataset", .text, nullable: false, "dataset of the row"),
      ColumnDescription("reason", .text, nullable: false, "why the row is not certain"),
      ColumnDescription("name", .text, "name in the row", role: .title), ColumnDescription("year", .integer, "year"),
      ColumnDescription("candidates", .list(.text), "titles that it may be"),
      ColumnDescription("values", .json, "values that were read, and the file"),
      ColumnDescription("dropped", .boolean, nullable: false, "whether the row is not wanted"),
    ])

  /// Rows of imported files that became records.
  static let imports = Schema(
    "imports", "rows that were imported before", key: ["row"],
    columns: [
      ColumnDescription("row", .text, nullable: false, "fingerprint of the row", role: .identifier),
      ColumnDescription("fact", .text, nullable: false, "play, or dataset, that it became", role: .title),
    ])
}
