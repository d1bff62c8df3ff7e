import Rows

/// A column of a personal dataset, with the type of its values in code. Dates and URLs are text.
public struct Column<Content>: Sendable, Hashable {
  let name: String
}

extension Column<String> {
  /// The identifier of a place or an actor.
  public static var id: Column { Column(name: "id") }
  static var production: Column { Column(name: "production") }
  /// The text of a note.
  public static var text: Column { Column(name: "text") }
  /// The time at which a record was created.
  public static var createdAt: Column { Column(name: "created_at") }
  /// The time at which a record was last updated.
  public static var updatedAt: Column { Column(name: "updated_at") }
  /// The name of a place or an actor.
  public static var name: Column { Column(name: "name") }
  /// The comment on a place.
  public static var comment: Column { Column(name: "comment") }
  /// The date of the visit to a place; null if it is planned.
  public static var visitedOn: Column { Column(name: "visited_on") }
  /// The main movie category of an actor.
  public static var category: Column { Column(name: "category") }
  /// The birth date of an actor.
  public static var birthDate: Column { Column(name: "birth_date") }
  /// The city of birth of an actor.
  public static var birthCity: Column { Column(name: "birth_city") }
  /// The phone number of an actor.
  public static var phone: Column { Column(name: "phone") }
  /// The email address of an actor.
  public static var email: Column { Column(name: "email") }
  /// The description of an actor.
  public static var description: Column { Column(name: "description") }
  /// The website of an actor.
  public static var website: Column { Column(name: "website") }
  /// The dataset of a favourite.
  public static var dataset: Column { Column(name: "dataset") }
  /// The key of the record that a favourite refers to.
  public static var recordKey: Column { Column(name: "record_key") }
}

extension Column<Int64> {
  /// The season of a note, from 1.
  static var season: Column { Column(name: "season") }
  /// The episode of a note within the season, from 1.
  static var episode: Column { Column(name: "episode") }
  /// The age of an actor in years.
  public static var age: Column { Column(name: "age") }
}

extension Column<Double> {
  /// The latitude of a place in degrees, -90 to 90.
  public static var latitude: Column { Column(name: "latitude") }
  /// The longitude of a place in degrees, -180 to 180.
  public static var longitude: Column { Column(name: "longitude") }
}

extension Column<[String]> {
  /// The movies of an actor.
  public static var filmography: Column { Column(name: "filmography") }
  /// The paths of an actor's images; the first is the portrait.
  public static var images: Column { Column(name: "images") }
}

extension Column<Bool> {
  /// Whether an actor is a favourite.
  public static var favourite: Column { Column(name: "favourite") }
}

extension ColumnDescription {
  /// Describes a column of a personal dataset.
  init<Content>(
    _ column: Column<Content>, _ type: ColumnType, nullable: Bool = true, _ summary: String, unit: String = "",
    role: ColumnRole? = nil
  ) {
    self.init(column.name, type, nullable: nullable, summary, unit: unit, role: role)
  }
}
