import Codecs
public import Rows

extension Catalog {
  /// The user's notes, one per episode.
  public static let notes = Schema(
    "notes", "your notes on episodes, one per episode", key: ["production", "season", "episode"],
    columns: [
      ColumnDescription(.production, .text, nullable: false, "show"),
      ColumnDescription(.season, .integer, nullable: false, "season number, from 1"),
      ColumnDescription(.episode, .integer, nullable: false, "episode number within the season, from 1"),
      ColumnDescription(.text, .text, nullable: false, "note text", role: .title),
      ColumnDescription(.createdAt, .timestamp, nullable: false, "when the record was created", role: .audit),
      ColumnDescription(.updatedAt, .timestamp, nullable: false, "when the record was last updated", role: .audit),
    ])

  /// The user's places, visited or planned.
  public static let places = Schema(
    "places", "your places, visited or planned", key: ["id"],
    columns: [
      ColumnDescription(
        .id, .text, nullable: false, "identifier generated when the record was created",
        role: .identifier),
      ColumnDescription(.name, .text, nullable: false, "name", role: .title),
      ColumnDescription(.comment, .text, "comment"),
      ColumnDescription(
        .latitude, .real, nullable: false, "latitude in degrees, -90 to 90, north positive", unit: "degrees"),
      ColumnDescription(
        .longitude, .real, nullable: false, "longitude in degrees, -180 to 180, east positive", unit: "degrees"),
      ColumnDescription(.visitedOn, .date, "date of the visit, possibly partial; null if planned"),
      ColumnDescription(.createdAt, .timestamp, nullable: false, "when the record was created", role: .audit),
      ColumnDescription(.updatedAt, .timestamp, nullable: false, "when the record was last updated", role: .audit),
    ])

  /// The user's actors.
  public static let actors = Schema(
    "actors", "your actors", key: ["id"],
    columns: [
      ColumnDescription(
        .id, .text, nullable: false, "identifier generated when the record was created",
        role: .identifier),
      ColumnDescription(.name, .text, nullable: false, "name", role: .title),
      ColumnDescription(.category, .text, "main movie category"),
      ColumnDescription(.birthDate, .date, "birth date, possibly partial"),
      ColumnDescription(
        .age, .integer, "age as entered; computed if the birth date is known", unit: "years"),
      ColumnDescription(.birthCity, .text, "city of birth"),
      ColumnDescription(.phone, .text, "phone number"),
      ColumnDescription(.email, .text, "email address"),
      ColumnDescription(.description, .text, "short description of the actor"),
      ColumnDescription(.filmography, .list(.text), "movies"),
      ColumnDescription(.website, .url, "website"),
      ColumnDescription(.images, .list(.text), "image paths; the first is the portrait", role: .image),
      ColumnDescription(.favourite, .boolean, nullable: false, "whether the actor is a favourite"),
      ColumnDescription(.createdAt, .timestamp, nullable: false, "when the record was created", role: .audit),
      ColumnDescription(.updatedAt, .timestamp, nullable: false, "when the record was last updated", role: .audit),
    ])

  /// A personal dataset with the column of what other programs wrote, which a table has once an import needs it.
  public static func withForeignMembers(_ schema: Schema) -> Schema {
    guard [places, actors].contains(schema) else { return schema }
    let summary = "what imported documents say beyond the other columns, a JSON object"
    return schema.adding([ColumnDescription(ForeignMembers.column, .json, summary)])
  }

  /// The user's favourite records of other datasets.
  public static let favourites = Schema(
    "favourites", "your favourites", key: ["dataset", "record_key"],
    columns: [
      ColumnDescription(.dataset, .text, nullable: false, "dataset"),
      ColumnDescription(.recordKey, .text, nullable: false, "key of the record", role: .title),
      ColumnDescription(.createdAt, .timestamp, nullable: false, "when the favourite was added", role: .audit),
    ])
}
