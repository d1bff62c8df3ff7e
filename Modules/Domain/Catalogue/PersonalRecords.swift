public import Rows

extension Catalog {
  /// The user's notes, one an episode.
  public static let notes = Schema(
    "notes", "your notes on episodes, one an episode", key: ["production", "season", "episode"],
    columns: [
      ColumnDescription("production", .text, nullable: false, "show"),
      ColumnDescription("season", .integer, nullable: false, "season, from 1"),
      ColumnDescription("episode", .integer, nullable: false, "number within the season, from 1"),
      ColumnDescription("text", .text, nullable: false, "the note"),
      ColumnDescription("created_at", .timestamp, nullable: false, "when it was added"),
      ColumnDescription("updated_at", .timestamp, nullable: false, "when it was last changed"),
    ])

  /// The user's places, visited or planned.
  public static let places = Schema(
    "places", "your places, visited or planned", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier made when it was added"),
      ColumnDescription("name", .text, nullable: false, "name"),
      ColumnDescription("comment", .text, "what you say of it"),
      ColumnDescription("latitude", .real, nullable: false, "latitude, -90 to 90, north is positive", unit: "degrees"),
      ColumnDescription(
        "longitude", .real, nullable: false, "longitude, -180 to 180, east is positive", unit: "degrees"),
      ColumnDescription("visited_on", .date, "day of the visit, as far as it is known; null when it is planned"),
      ColumnDescription("created_at", .timestamp, nullable: false, "when it was added"),
      ColumnDescription("updated_at", .timestamp, nullable: false, "when it was last changed"),
    ])

  /// The user's actors.
  public static let actors = Schema(
    "actors", "your actors, by category", key: ["id"],
    columns: [
      ColumnDescription("id", .text, nullable: false, "identifier made when it was added"),
      ColumnDescription("name", .text, nullable: false, "name"),
      ColumnDescription("category", .text, "main category of films"),
      ColumnDescription("birth_date", .date, "date of birth, as far as it is known"),
      ColumnDescription(
        "age", .integer, "age as it was stated; computed where the date of birth is known", unit: "years"),
      ColumnDescription("birth_city", .text, "city of birth"),
      ColumnDescription("phone", .text, "telephone number"),
      ColumnDescription("email", .text, "mail address"),
      ColumnDescription("description", .text, "a few words about the actor"),
      ColumnDescription("filmography", .list(.text), "films"),
      ColumnDescription("website", .url, "website"),
      ColumnDescription("images", .list(.text), "pictures; the first is the portrait"),
      ColumnDescription("favourite", .boolean, nullable: false, "whether the actor is a favourite"),
      ColumnDescription("created_at", .timestamp, nullable: false, "when it was added"),
      ColumnDescription("updated_at", .timestamp, nullable: false, "when it was last changed"),
    ])

  /// The user's favourite records of other datasets.
  public static let favourites = Schema(
    "favourites", "your favourite records", key: ["dataset", "record_key"],
    columns: [
      ColumnDescription("dataset", .text, nullable: false, "the dataset"),
      ColumnDescription("record_key", .text, nullable: false, "the record's key"),
      ColumnDescription("created_at", .timestamp, nullable: false, "when it was chosen"),
    ])
}
