import Codecs
import Documents
public import Rows

/// Places and actors in documents of other programs: GPX, KML, GeoJSON, vCard, and the actors' own XML.
///
/// A record has the columns that the document says; `id` and times only when bb wrote it. It has the column `extra` if
/// the document has values that bb has no column for.
public struct PlaceDocumentReader: Sendable {
  /// The suffixes of such files.
  public static let suffixes = ["gpx", "kml", "geojson", "xml", "vcf"]

  /// The dataset that the records are of.
  public private(set) var schema: Schema
  /// The records, in the order of the document.
  public private(set) var records: [Record] = []
  /// Counts of the members that were omitted, by name, because records have no place for them.
  public private(set) var omitted: [String: Int] = [:]

  /// Reads a document.
  /// - Parameters:
  ///   - bytes: the document.
  ///   - suffix: one of `suffixes`.
  ///   - name: its path, for messages.
  /// - Throws: `badData` with `name:line:column` for what is not well-formed, holds neither places nor actors, or a
  ///   place that does not exist.
  public init(_ bytes: [UInt8], suffix: String, name: String) throws(Problem) {
    schema = suffix == "vcf" ? Catalog.actors : Catalog.places
    try read(bytes, suffix, name)
    if records.allSatisfy({ $0[ForeignMembers.column] == .null }) { return }
    schema = Catalog.withForeignMembers(schema)
    records = records.map { $0.fitted(to: schema) }
  }

  private mutating func read(_ bytes: [UInt8], _ suffix: String, _ name: String) throws(Problem) {
    if suffix == "geojson" { return try readGeoJSON(bytes, name) }
    if suffix == "vcf" {
      var omitted: [String: Int] = [:]
      var actors: [Record] = []
      try VCardReader.read(bytes, name: name) { (card) throws(Problem) in
        let actor = try ActorCard(card, name: name)
        actors.append(actor.record.with(actor.foreign, &omitted))
        try RecordImport.check(actors.count, name)
        omitted.merge(actor.omitted, uniquingKeysWith: +)
      }
      records = actors
      self.omitted = omitted
      return
    }
    func place(_ element: XMLElement) -> String { XMLElement.place(element.start, in: bytes, name: name) }
    var kind = Catalog.places, records: [Record] = [], omitted: [String: Int] = [:]
    var wanted: Set<String> = [], groups: Set<String> = [], group = ""
    try XMLElement.records(bytes, name: name) { (element, around) throws(Problem) in
      guard let outer = around.last else {
        groups = [element.name]
        switch element.name {
        case "gpx": (wanted, groups) = (["wpt", "rtept", "trkpt"], ["gpx", "metadata", "rte", "trk", "trkseg"])
        case "kml": (wanted, groups) = (["Placemark"], ["kml", "Document", "Folder"])
        case "actors": (kind, wanted) = (Catalog.actors, ["actor"])
        default:
          throw Problem(
            .badData, "<\(element.name)> is neither GPX, KML nor a list of actors", at: place(element),
            hint: "supported: \(Self.suffixes.joined(separator: ", ")), csv, json, ndjson")
        }
        return false
      }
      if wanted.contains(element.name) { return true }
      // Titles are read, because writers give a document the name of its dataset.
      group = outer
      if groups.contains(element.name) || !groups.contains(outer) { return false }
      if element.name != "name" { omitted["\(element.name) of \(outer)", default: 0] += 1 }
      return element.name == "name"
    } body: { (element) throws(Problem) in
      switch element.name {
      // The points of a route are places; those of a track only if they have a name.
      case "trkpt" where element.text(of: "name") == nil:
        omitted["unnamed track points", default: 0] += 1
      case "wpt", "rtept", "trkpt": records.append(try Self.gpx(element, &omitted, place))
      case "Placemark":
        let points = try Self.kml(element, &omitted, place)
        if points.isEmpty { omitted[Self.shapes, default: 0] += 1 }
        records += points
      case "name": if element.text != kind.name { omitted["name of \(group)", default: 0] += 1 }
      default: records.append(try Self.actor(element, &omitted, place))
      }
      try RecordImport.check(records.count, name)
    }
    schema = kind
    (self.records, self.omitted) = (records, omitted)
  }

  // MARK: places

  /// - Parameters:
  ///   - others: values by name: of other columns, and of none.
  ///   - timeIsVisit: whether a place without a visit was visited at its time.
  ///   - foreign: gets the values that places have no column for.
  private static func place(
    _ name: String?, _ comment: String?, _ latitude: String?, _ longitude: String?, _ others: [(String, String)],
    timeIsVisit: Bool = false, _ foreign: inout [(String, String)], _ place: @autoclosure () -> String
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
    // Other programs have identifiers and times of their own.
    let isOwn = others.contains { $0.0 == "updated_at" && Dates.isTimestamp(Array($0.1.utf8)) }
    for (column, value) in others where !value.isEmpty {
      let isTimestamp = Dates.isTimestamp(Array(value.utf8))
      switch column {
      case "visited_on":
        guard Dates.isDate(Array(value.utf8)) else {
          throw Problem(
            .badData, "\(label): invalid date “\(value)”", at: place(), hint: "use 1958, 1966-03 or 1966-03-07")
        }
        record[column] = .text(value)
      case "id" where isOwn || RecordIdentifier.isValid(value): record[column] = .text(value)
      // GPX has the same meridian as -180 only.
      case "longitude" where longitude == -180 && degrees(value) == 180: record[.longitude] = 180
      case "time" where isTimestamp:
        record[.createdAt] = value
        if timeIsVisit, !isOwn, record[.visitedOn] == nil { record[.visitedOn] = String(value.prefix(10)) }
      case "created_at" where isTimestamp, "updated_at" where isTimestamp: record[column] = .text(value)
      default: foreign.append((column, value))
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

  private static func gpx(
    _ point: XMLElement, _ omitted: inout [String: Int], _ place: (XMLElement) -> String
  ) throws(Problem) -> Record {
    // Some programs keep the values and not what they are in; earlier versions of bb wrote elements named "value".
    let extensions = (point["extensions"]?.elements ?? []) + point.elements.filter { $0.name == "value" }
    var foreign = ForeignMembers(), extended = ForeignMembers(), others: [(String, String)] = []
    var taken = ["name", "time", point.content(of: "desc") == nil ? "cmt" : "desc"]
    for element in point.elements where element.name != "extensions" && element.name != "value" {
      // The first of several.
      if let index = taken.firstIndex(of: element.name) {
        taken.remove(at: index)
      } else {
        let value = element.json(in: point.namespace)
        if element.name == "ele", let number = value.stringValue {
          foreign.add(ForeignMembers.elevation, number: number)
        } else {
          foreign.add(element.name, value)
        }
      }
    }
    let values =
      [("time", point.text(of: "time") ?? "")]
      + extensions.map { ($0.attributes["name"] ?? $0.name, $0.text) }
    let record = try Self.place(
      point.content(of: "name"), point.content(of: "desc") ?? point.content(of: "cmt"), point.attributes["lat"],
      point.attributes["lon"], values, timeIsVisit: true, &others, place(point))
    for (name, text) in others where name == "time" { foreign.add(name, .string(text)) }
    for element in extensions {
      let name = element.attributes["name"] ?? element.name
      if name == ForeignMembers.column, let rest = ForeignMembers(Array(element.text.utf8)) {
        foreign.merge(rest)
      } else if others.contains(where: { $0.0 == name }) || !element.elements.isEmpty {
        extended.add(element.name, element.json(in: point.namespace))
      }
    }
    if !extended.members.isEmpty { foreign.add("extensions", .object(extended.members)) }
    return record.with(foreign, &omitted)
  }

  /// The placemark's points, which none of lines and areas has.
  private static func kml(
    _ mark: XMLElement, _ omitted: inout [String: Int], _ place: (XMLElement) -> String
  ) throws(Problem) -> [Record] {
    let points = mark.all("Point")
    guard !points.isEmpty else { return [] }
    for element in [mark] + points { for name in element.attributes.keys { omitted["@\(name)", default: 0] += 1 } }
    let values = (mark["ExtendedData"]?.elements ?? []).flatMap { element in
      element.name == "SchemaData"
        ? element.elements.map { ($0.attributes["name"] ?? $0.name, $0.text) }
        : [(element.attributes["name"] ?? element.name, element.text(of: "value") ?? element.text)]
    }
    let taken: Set = ["name", "description", "ExtendedData", "Point", "MultiGeometry"]
    var common = ForeignMembers()
    for element in mark.elements where !taken.contains(element.name) {
      common.add(element.name, element.json(in: mark.namespace))
    }
    for element in mark.all("MultiGeometry").flatMap(\.elements) where !taken.contains(element.name) {
      omitted[element.name, default: 0] += 1
    }
    return try points.map { (point) throws(Problem) in
      var foreign = common, details = ForeignMembers(), extended = ForeignMembers(), others: [(String, String)] = []
      let numbers = (point.text(of: "coordinates") ?? "").split(at: ",").map { $0.filter { !$0.isWhitespace } }
      // Programs that know no altitude write zero.
      if numbers.count > 2, Double(numbers[2]) != 0 { foreign.add(ForeignMembers.elevation, number: numbers[2]) }
      for element in point.elements where element.name != "coordinates" {
        details.add(element.name, element.json(in: mark.namespace))
      }
      if !details.members.isEmpty { foreign.add("Point", .object(details.members)) }
      let record = try Self.place(
        mark.content(of: "name"), mark.content(of: "description"), numbers.count > 1 ? numbers[1] : nil,
        numbers.first, points.count == 1 ? values : [], &others, place(mark))
      for (name, text) in points.count == 1 ? others : values {
        if name == ForeignMembers.column, let rest = ForeignMembers(Array(text.utf8)) {
          foreign.merge(rest)
        } else {
          extended.add(name, .string(text))
        }
      }
      if !extended.members.isEmpty { foreign.add("ExtendedData", .object(extended.members)) }
      return record.with(foreign, &omitted)
    }
  }

  private static let shapes = "shapes other than points"

  /// Bytes of a document that may be a single feature.
  private static let largestFeature = 1 << 20

  /// Reads a collection feature by feature, so that only their records stay in memory.
  private mutating func readGeoJSON(_ bytes: [UInt8], _ name: String) throws(Problem) {
    if bytes.count <= Self.largestFeature {
      let document = try JSON.parse(bytes, name: name)
      if document["type"]?.stringValue == "Feature" { return try readFeature(document, name, name) }
    }
    var features = try FeatureReader(MemoryByteSource(bytes, name: name), limit: bytes.count)
    while let (feature, line) = try features.next() { try readFeature(feature, name, "\(name):\(line)") }
    omitted.merge(features.others, uniquingKeysWith: +)
  }

  /// Counts the members of an object that are none of `known`.
  private mutating func omit(_ object: JSON, but known: Set<String>, of owner: String) {
    for member in object.objectMembers ?? [] where !known.contains(member.name) {
      omitted["\(member.name) of \(owner)", default: 0] += 1
    }
  }

  /// Adds the record of a feature, if its shape is a point.
  private mutating func readFeature(
    _ feature: JSON, _ name: String, _ place: @autoclosure () -> String
  ) throws(Problem) {
    guard let geometry = feature["geometry"], geometry["type"]?.stringValue == "Point" else {
      omitted[Self.shapes, default: 0] += 1
      return
    }
    omit(feature, but: ["type", "id", "geometry", "properties"], of: "feature")
    omit(geometry, but: ["type", "coordinates"], of: "geometry")
    if geometry["coordinates"]?[3] != nil { omitted["coordinates after the altitude", default: 0] += 1 }
    func number(_ place: Int) -> String? {
      geometry["coordinates"]?[place]?.numberLiteral.map { String(decoding: $0, as: UTF8.self) }
    }
    let properties = feature["properties"]?.objectMembers ?? []
    var taken: Set<String> = []
    func text(_ names: String...) -> String? {
      for name in names {
        guard let text = properties.first(where: { $0.name == name })?.value.stringValue, !text.isEmpty else {
          continue
        }
        taken.insert(name)
        return text
      }
      return nil
    }
    let title = text("name", "title"), comment = text("comment", "description", "desc")
    var foreign = ForeignMembers(), further = ForeignMembers(), others: [(String, String)] = []
    let rest = properties.filter { !taken.contains($0.name) && $0.name != "id" }
    var record = try Self.place(
      title, comment, number(1), number(0),
      rest.compactMap { member in member.value.stringValue.map { (member.name, $0) } },
      &others, place())
    if let altitude = number(2), Double(altitude) != 0 { foreign.add(ForeignMembers.elevation, number: altitude) }
    for member in rest {
      if member.name == ForeignMembers.column, let members = ForeignMembers(member.value.canonicalBytes) {
        foreign.merge(members)
      } else if member.value.stringBytes == nil
        ? Catalog.places.position(of: member.name) == nil
        : others.contains(where: { $0.0 == member.name })
      {
        further.add(member.name, member.value)
      }
    }
    if !further.members.isEmpty { foreign.add("properties", .object(further.members)) }
    record = record.with(foreign, &omitted)
    if let id = Self.identifier(feature) { record[.id] = id }
    records.append(record)
    try RecordImport.check(records.count, name)
  }

  /// The identifier that another program gave a feature, a text or a number; nil if there is none.
  private static func identifier(_ feature: JSON) -> String? {
    let own = feature["properties"]?["id"]
    for value in own?.stringValue.map(RecordIdentifier.isValid) == true ? [own] : [feature["id"], own] {
      guard let text = value?.stringBytes ?? value?.numberLiteral, !text.isEmpty else { continue }
      return String(decoding: text, as: UTF8.self)
    }
    return nil
  }

  // MARK: actors

  private static func actor(
    _ element: XMLElement, _ omitted: inout [String: Int], _ place: (XMLElement) -> String
  ) throws(Problem) -> Record {
    var record = Record(Catalog.actors, [:]), foreign = ForeignMembers()
    let columns = [
      ("name", "name"), ("category", "category"), ("cityOfBirth", "birth_city"), ("phoneNo", "phone"),
      ("email", "email"), ("description", "description"), ("website", "website"),
    ]
    var taken = columns.map(\.0) + ["age", "isFavourite", "filmography", "images"]
    for member in element.elements {
      // The first of several.
      if let index = taken.firstIndex(of: member.name) {
        taken.remove(at: index)
      } else {
        foreign.add(member.name, member.json(in: element.namespace))
      }
    }
    for (name, column) in columns {
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
    return record.with(foreign, &omitted)
  }
}

extension Record {
  /// The record with what a document says beyond its columns; what JSON cannot hold counts as omitted.
  fileprivate func with(_ foreign: ForeignMembers, _ omitted: inout [String: Int]) -> Record {
    guard let text = foreign.text else { return self }
    guard ForeignMembers(text) != nil else {
      for member in foreign.members { omitted[member.name, default: 0] += 1 }
      return self
    }
    var record = fitted(to: Catalog.withForeignMembers(schema))
    record[ForeignMembers.column] = .json(text)
    return record
  }
}
