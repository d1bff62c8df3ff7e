import Codecs
import Documents
public import Rows

/// Places and actors in documents of other programs: GPX, KML, GeoJSON, vCard, and the actors' own XML.
///
/// A record has the columns that the document says; `id` and times only when bb wrote it.
public struct PlaceDocumentReader: Sendable {
  /// The suffixes of such files.
  public static let suffixes = ["gpx", "kml", "geojson", "xml", "vcf"]

  /// The dataset that the records are of.
  public let schema: Schema
  /// The records, in the order of the document.
  public private(set) var records: [Record] = []
  /// A description of the parts of the document that were ignored; nil if none were.
  public private(set) var leftOut: String?

  /// Reads a document.
  /// - Parameters:
  ///   - bytes: the document.
  ///   - suffix: one of `suffixes`.
  ///   - name: its path, for messages.
  /// - Throws: `badData` with `name:line:column` for what is not well-formed, holds neither places nor actors, or a
  ///   place that does not exist.
  public init(_ bytes: [UInt8], suffix: String, name: String) async throws(Problem) {
    if suffix == "geojson" {
      schema = Catalog.places
      try await readGeoJSON(bytes, name)
      return
    }
    if suffix == "vcf" {
      schema = Catalog.actors
      var ignored: Set<String> = []
      var actors: [Record] = []
      try VCardReader.read(bytes, name: name) { (card) throws(Problem) in
        let actor = try ActorCard(card, name: name)
        actors.append(actor.record)
        try RecordImport.check(actors.count, name)
        ignored.formUnion(actor.ignored)
      }
      records = actors
      if !ignored.isEmpty { leftOut = "properties without a column: \(ignored.sorted().joined(separator: ", "))" }
      return
    }
    func place(_ element: XMLElement) -> String { XMLElement.place(element.start, in: bytes, name: name) }
    var kind = Catalog.places, records: [Record] = [], others = 0, what = Self.shapes
    try XMLElement.records(bytes, name: name) { (root) throws(Problem) in
      switch root.name {
      case "gpx":
        what = "unnamed track points"
        return ["wpt", "rtept", "trkpt"]
      case "kml": return ["Placemark"]
      case "actors":
        kind = Catalog.actors
        return ["actor"]
      default:
        throw Problem(
          .badData, "<\(root.name)> is neither GPX, KML nor a list of actors", at: place(root),
          hint: "supported: \(Self.suffixes.joined(separator: ", ")), csv, json, ndjson")
      }
    } body: { (element) throws(Problem) in
      switch element.name {
      case "wpt": records.append(try Self.gpx(element, place))
      // Named points of routes and tracks are places.
      case "rtept", "trkpt":
        if element.text(of: "name") == nil { others += 1 } else { records.append(try Self.gpx(element, place)) }
      case "Placemark":
        let points = try Self.kml(element, place)
        if points.isEmpty { others += 1 }
        records += points
      default: records.append(try Self.actor(element, place))
      }
      try RecordImport.check(records.count, name)
    }
    schema = kind
    self.records = records
    leaveOut(others, what)
  }

  private mutating func leaveOut(_ count: Int, _ what: String) {
    if count > 0 { leftOut = "\(count) \(what)" }
  }

  // MARK: places

  private static func place(
    _ name: String?, _ comment: String?, _ latitude: String?, _ longitude: String?, _ others: [(String, String)],
    _ place: @autoclosure () -> String
  ) throws(Problem) -> Record {
    let name = name.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }, label = name ?? "a place"
    guard let latitude = latitude.flatMap(degrees), let longitude = longitude.flatMap(degrees),
      let coordinates = try? Coordinates(latitude: latitude, longitude: longitude)
    else { throw Problem(.badData, "\(label): invalid coordinates", at: place()) }
    var record = Record(
      Catalog.places,
      [
        "latitude": .real(coordinates.latitude), "longitude": .real(coordinates.longitude),
        "name": .text(name ?? coordinates.text),
      ])
    if let comment { record[.comment] = comment }
    for (column, value) in others where !value.isEmpty {
      switch column {
      case "visited_on":
        guard Dates.isDate(Array(value.utf8)) else {
          throw Problem(
            .badData, "\(label): invalid date “\(value)”", at: place(), hint: "use 1958, 1966-03 or 1966-03-07")
        }
        record[column] = .text(value)
      // Other programs have identifiers and times of their own.
      case "id": if RecordIdentifier.isValid(value) { record[column] = .text(value) }
      case "created_at", "updated_at": if Dates.isTimestamp(Array(value.utf8)) { record[column] = .text(value) }
      default: break
      }
    }
    return record
  }

  /// A number as GPX, KML and GeoJSON write one.
  private static func degrees(_ text: String) -> Double? {
    let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard digits.utf8.allSatisfy({ $0 &- 48 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
    return Double(digits)
  }

  private static func gpx(_ point: XMLElement, _ place: (XMLElement) -> String) throws(Problem) -> Record {
    // Some programs keep the values and not what they are in.
    let extensions = point["extensions"]?.elements ?? []
    var values = [("created_at", point.text(of: "time") ?? "")]
    // Earlier versions wrote elements named "value"; some programs keep those and not what they are in.
    for element in extensions + point.elements.filter({ $0.name == "value" }) {
      values.append((element.attributes["name"] ?? element.name, element.text))
    }
    return try Self.place(
      point.content(of: "name"), point.content(of: "desc") ?? point.content(of: "cmt"), point.attributes["lat"],
      point.attributes["lon"], values, place(point))
  }

  /// The placemark's points, which none of lines and areas has.
  private static func kml(_ mark: XMLElement, _ place: (XMLElement) -> String) throws(Problem) -> [Record] {
    var records: [Record] = []
    let points = mark.all("Point")
    let values = mark["ExtendedData"]?.elements.map { ($0.attributes["name"] ?? "", $0.text(of: "value") ?? "") } ?? []
    for point in points {
      let numbers = (point.text(of: "coordinates") ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } }
      records.append(
        try Self.place(
          mark.content(of: "name"), mark.content(of: "description"), numbers.count > 1 ? numbers[1] : nil,
          numbers.first,
          points.count == 1 ? values : [], place(mark)))
    }
    return records
  }

  private static let shapes = "shapes other than points"

  /// Bytes of a document that may be a single feature.
  private static let largestFeature = 1 << 20

  /// Reads a collection feature by feature, so that only their records stay in memory.
  private mutating func readGeoJSON(_ bytes: [UInt8], _ name: String) async throws(Problem) {
    if bytes.count <= Self.largestFeature {
      let document = try JSON.parse(bytes, name: name)
      switch document["type"]?.stringValue {
      case "FeatureCollection": break
      case "Feature":
        if try !readFeature(document, name, name) { leaveOut(1, Self.shapes) }
        return
      default: throw Problem(.badData, "not a GeoJSON FeatureCollection", at: name)
      }
    }
    let members = ["id", "geometry", "properties"]
    let reading = JSONReading(form: .array, records: JSONPointer(steps: ["features"]), ignoresOtherKeys: true)
    let features = JSONRowStream(
      MemoryByteSource(bytes, name: name), schema: Schema("", columns: members.map { ColumnDescription($0, .json) }),
      reading)
    var others = 0, number = 0
    while let batch = try await features.next()?.batch() {
      for row in 0..<batch.count {
        number += 1
        var feature: [JSON.Member] = []
        for (column, member) in members.enumerated() {
          guard case .json(let text) = batch.value(row, column) else { continue }
          feature.append(JSON.Member(Array(member.utf8), try JSON.parse(text, name: name)))
        }
        if try !readFeature(.object(feature), name, "\(name): feature \(number)") { others += 1 }
      }
    }
    leaveOut(others, Self.shapes)
  }

  /// Adds the record of a feature; false if its shape is not a point.
  private mutating func readFeature(
    _ feature: JSON, _ name: String, _ place: @autoclosure () -> String
  ) throws(Problem) -> Bool {
    guard let geometry = feature["geometry"], geometry["type"]?.stringValue == "Point" else { return false }
    func number(_ place: Int) -> String? {
      geometry["coordinates"]?[place]?.numberLiteral.map { String(decoding: $0, as: UTF8.self) }
    }
    let properties = feature["properties"]?.objectMembers ?? []
    func text(_ names: String...) -> String? {
      names.lazy.compactMap { name in properties.first { $0.name == name }?.value.stringValue }.first { !$0.isEmpty }
    }
    var record = try Self.place(
      text("name", "title"), text("comment", "description", "desc"), number(1), number(0),
      properties.compactMap { member in member.value.stringValue.map { (member.name, $0) } }, place())
    if record[.id] == nil, let id = Self.identifier(feature) { record[.id] = id }
    records.append(record)
    try RecordImport.check(records.count, name)
    return true
  }

  /// The identifier that another program gave a feature, a text or a number; nil if there is none.
  private static func identifier(_ feature: JSON) -> String? {
    for value in [feature["id"], feature["properties"]?["id"]] {
      guard let text = value?.stringBytes ?? value?.numberLiteral, !text.isEmpty else { continue }
      return String(decoding: text, as: UTF8.self)
    }
    return nil
  }

  // MARK: actors

  private static func actor(_ element: XMLElement, _ place: (XMLElement) -> String) throws(Problem) -> Record {
    var record = Record(Catalog.actors, [:])
    for (name, column) in [
      ("name", "name"), ("category", "category"), ("cityOfBirth", "birth_city"), ("phoneNo", "phone"),
      ("email", "email"), ("description", "description"), ("website", "website"),
    ] {
      if let text = element.text(of: name) { record[column] = .text(text) }
    }
    if let text = element.text(of: "age") {
      guard let age = Int64(text) else { throw Problem(.badData, "invalid age “\(text)”", at: place(element)) }
      record[.age] = age
    }
    if let text = element.text(of: "isFavourite") {
      guard let truth = Bool(text) else {
        throw Problem(.badData, "invalid value “\(text)” for isFavourite: expected true or false", at: place(element))
      }
      record[.favourite] = truth
    }
    func list(_ group: String, _ item: String) -> Value {
      .list(element[group]?.elements.filter { $0.name == item }.map(\.text).filter { !$0.isEmpty } ?? [])
    }
    record["filmography"] = list("filmography", "film")
    record["images"] = list("images", "image")
    return record
  }
}
