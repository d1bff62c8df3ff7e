import Codecs
public import Domain

/// Places and actors in documents of other programs: GPX, KML, GeoJSON, and the actors' own XML.
///
/// A record has the columns that the document says; `id` and times only when bb wrote it.
public enum RecordDocument {
  /// The suffixes of such files.
  public static let suffixes = ["gpx", "kml", "geojson", "xml"]

  /// The records of a document.
  /// - Parameter suffix: one of `suffixes`.
  /// - Throws: `badData` for what is not well-formed, or holds neither places nor actors.
  public static func records(_ bytes: [UInt8], suffix: String, name: String) throws(Problem) -> [StoredRecord] {
    if suffix == "geojson" { return try geoJSON(try JSON.parse(bytes, name: name), name) }
    let document = try XMLElement.document(bytes, name: name)
    switch document.name {
    case "gpx":
      return try document.all("wpt").map { (point) throws(Problem) in try gpx(point, name) }
    case "kml":
      var places: [StoredRecord] = []
      for mark in document.all("Placemark") { if let place = try kml(mark, name) { places.append(place) } }
      return places
    case "actors": return document.elements.filter { $0.name == "actor" }.map(actor)
    default:
      throw Problem(
        .badData, "<\(document.name)> is neither GPX, KML nor a list of actors", at: name,
        hint: "there are: \(suffixes.joined(separator: ", ")), csv, json, ndjson")
    }
  }

  private static func place(
    _ name: String?, _ comment: String?, _ latitude: String?, _ longitude: String?, _ others: [(String, String)],
    _ place: String
  ) throws(Problem) -> StoredRecord {
    let label = name ?? "a place"
    guard let latitude = latitude.flatMap(Double.init), let longitude = longitude.flatMap(Double.init),
      let coordinates = try? Coordinates(latitude: latitude, longitude: longitude)
    else { throw Problem(.badData, "\(label) has no coordinates that exist", at: place) }
    var record = StoredRecord(
      Catalog.places,
      [
        "latitude": .real(coordinates.latitude), "longitude": .real(coordinates.longitude),
        "name": .text(name ?? coordinates.text),
      ])
    if let comment { record["comment"] = .text(comment) }
    for (column, value) in others
    where ["id", "visited_on", "created_at", "updated_at"].contains(column) && !value.isEmpty {
      record[column] = .text(value)
    }
    return record
  }

  private static func gpx(_ point: XMLElement, _ name: String) throws(Problem) -> StoredRecord {
    let values = point["extensions"]?.elements.filter { $0.name == "value" } ?? []
    return try place(
      point.text(of: "name"), point.text(of: "desc") ?? point.text(of: "cmt"), point.attributes["lat"],
      point.attributes["lon"], values.map { ($0.attributes["name"] ?? "", $0.text) }, name)
  }

  /// The placemark's point; nil for lines and areas.
  private static func kml(_ mark: XMLElement, _ name: String) throws(Problem) -> StoredRecord? {
    guard let point = mark.all("Point").first else { return nil }
    let numbers = (point.text(of: "coordinates") ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    let values = mark["ExtendedData"]?.elements.map { ($0.attributes["name"] ?? "", $0.text(of: "value") ?? "") } ?? []
    return try place(
      mark.text(of: "name"), mark.text(of: "description"), numbers.count > 1 ? numbers[1] : nil, numbers.first, values,
      name)
  }

  private static func geoJSON(_ document: JSON, _ name: String) throws(Problem) -> [StoredRecord] {
    let features: [JSON]
    switch document["type"]?.stringValue {
    case "FeatureCollection": features = document["features"]?.arrayValue ?? []
    case "Feature": features = [document]
    default: throw Problem(.badData, "is no FeatureCollection", at: name)
    }
    var records: [StoredRecord] = []
    for feature in features {
      guard let geometry = feature["geometry"], geometry["type"]?.stringValue == "Point" else { continue }
      func number(_ place: Int) -> String? {
        geometry["coordinates"]?[place]?.numberLiteral.map { String(decoding: $0, as: UTF8.self) }
      }
      let properties = feature["properties"]?.objectMembers ?? []
      func text(_ names: String...) -> String? {
        names.lazy.compactMap { name in properties.first { $0.name == name }?.value.stringValue }.first { !$0.isEmpty }
      }
      records.append(
        try place(
          text("name", "title"), text("comment", "description", "desc"), number(1), number(0),
          properties.compactMap { member in member.value.stringValue.map { (member.name, $0) } }, name))
    }
    return records
  }

  private static func actor(_ element: XMLElement) -> StoredRecord {
    var record = StoredRecord(Catalog.actors, [:])
    for (name, column) in [
      ("name", "name"), ("category", "category"), ("cityOfBirth", "birth_city"), ("phoneNo", "phone"),
      ("email", "email"), ("description", "description"), ("website", "website"),
    ] {
      if let text = element.text(of: name) { record[column] = .text(text) }
    }
    if let age = element.text(of: "age").flatMap(Int64.init) { record["age"] = .integer(age) }
    record["favourite"] = .boolean(element.text(of: "isFavourite") == "true")
    func list(_ group: String, _ item: String) -> Value {
      .list(element[group]?.elements.filter { $0.name == item }.map(\.text).filter { !$0.isEmpty } ?? [])
    }
    record["filmography"] = list("filmography", "film")
    record["images"] = list("images", "image")
    return record
  }
}
