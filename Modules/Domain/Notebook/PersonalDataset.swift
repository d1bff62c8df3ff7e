import Codecs
public import Query
public import Rows

/// A kind of the user's own records that have a name: places, actors.
public struct PersonalDataset: Sendable {
  /// The dataset.
  public let schema: Schema
  /// The name of one of them: `place`.
  public let noun: String
  /// The noun with its article: `a place`, `an actor`.
  public var oneOfThem: String { (noun.first.map("aeio".contains) == true ? "an " : "a ") + noun }
  /// The columns that the user fills in, in the order of the form.
  public let form: [String]
  /// The order in which they are listed.
  public let order: [Selection.SortKey]
  /// The names of missing required values.
  public let missing: @Sendable (Record) -> [String]
  /// Refuses values that make no sense, with `usage`.
  let check: @Sendable (Record) throws(Problem) -> Void

  /// Places: with a name and where they are; listed in the order in which they were added.
  public static let place = PersonalDataset(
    schema: Catalog.places, noun: "place", form: ["name", "latitude", "longitude", "visited_on", "comment"],
    order: [Selection.SortKey("id")],
    missing: { record in
      (isEmpty(record["name"]) ? ["a name"] : [])
        + (record[.latitude] == nil || record[.longitude] == nil ? ["coordinates"] : [])
    },
    check: { (record) throws(Problem) in
      guard let latitude = record[.latitude], let longitude = record[.longitude] else { return }
      _ = try Coordinates(latitude: latitude, longitude: longitude)
    })

  /// Actors: listed by category, then by name.
  public static let actor = PersonalDataset(
    schema: Catalog.actors, noun: "actor",
    form: [
      "name", "category", "birth_date", "age", "birth_city", "phone", "email", "website", "filmography", "images",
      "favourite", "description",
    ],
    order: [Selection.SortKey("category"), Selection.SortKey("name")],
    missing: { record in
      let needed = [
        ("name", "a name"), ("category", "a category"), ("birth_city", "a city of birth"),
        ("phone", "a phone number"), ("email", "an email address"), ("description", "a description"),
        ("filmography", "a movie"), ("website", "a website"), ("images", "an image"),
      ]
      var missing = needed.filter { isEmpty(record[$0.0]) }.map(\.1)
      if isEmpty(record["birth_date"]), isEmpty(record["age"]) { missing.append("a birth date or an age") }
      return missing
    },
    check: { (record) throws(Problem) in
      if let age = record[.age], !(0...150).contains(age) {
        throw Problem(.usage, "age \(age) is out of range (0 to 150)")
      }
      if let email = record[.email] {
        let parts = email.split(at: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts.contains("") else {
          throw Problem(.usage, "invalid email address “\(email)”", hint: "use NAME@HOST")
        }
      }
      if let website = record[.website],
        !["https://", "http://"].contains(where: { website.hasPrefix($0) && website != $0 })
      {
        throw Problem(.usage, "invalid website URL “\(website)”", hint: "use https://…")
      }
    })

  /// Whether the value has no visible content.
  private static func isEmpty(_ value: Value) -> Bool {
    switch value {
    case .null: true
    case .text(let text): !text.contains { $0 > 0x20 }
    case .json(let list): list.elementsEqual("[]".utf8)
    default: false
    }
  }
}
