public import Codecs
public import Rows

extension DocumentFormat {
  /// The points and other features of GeoJSON.
  public static let geojson = DocumentFormat("geojson", ["geojson"], FeatureDocument.self)
}

/// The features of GeoJSON (RFC 7946), one of them in memory at a time: the properties, then `latitude` and
/// `longitude` of a point, or the `geometry` of anything else.
struct FeatureDocument: TableDocument {
  static let isText = false
  private var features: FeatureReader
  private var isRead = false

  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    features = try FeatureReader(source, limit: limit)
  }

  mutating func nextTable() throws(Problem) -> String? {
    if isRead { return nil }
    isRead = true
    try features.begin()
    return ""
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    try features.next().map { .object(.object(Self.members(of: $0.feature))) }
  }

  private static func members(of feature: JSON) -> [JSON.Member] {
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON?) {
      guard let value, !members.contains(where: { $0.key.elementsEqual(name.utf8) }) else { return }
      members.append(JSON.Member(Array(name.utf8), value))
    }
    if feature["properties"]?["id"] == nil { add("id", feature["id"]) }
    members += feature["properties"]?.objectMembers ?? []
    let geometry = feature["geometry"]
    if geometry?["type"]?.stringValue == "Point", let place = geometry?["coordinates"]?.arrayValue, place.count >= 2 {
      add("latitude", place[1])
      add("longitude", place[0])
      if place.count > 2 { add("elevation", place[2]) }
    } else if let geometry, geometry != .null {
      add("geometry", geometry)
    }
    return members
  }
}

/// The features of a collection, one of them in memory at a time; one alone, or a geometry, is a collection of one.
public struct FeatureReader: Sendable {
  /// Counts of the members of the collection that are not features, by name.
  public private(set) var others: [String: Int] = [:]
  private var text: DocumentText
  private enum State { case begun, members, features, finished }
  private var state = State.begun
  private var isCollection = false
  /// The members of a document that may be a feature or a geometry; that feature, and the line of its beginning.
  private var own: [JSON.Member] = [], single: JSON?, line = 1
  private static let ownKeys: Set = ["type", "id", "properties", "geometry", "coordinates", "geometries"]

  /// - Parameter limit: the most bytes of a feature.
  public init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  /// The next feature and its line; nil at the end.
  /// - Throws: `badData` for another document, and one that breaks off.
  public mutating func next() throws(Problem) -> (feature: JSON, line: Int)? {
    try begin()
    if let feature = single {
      single = nil
      return (feature, line)
    }
    guard state == .features else { return nil }
    try skipSpace()
    switch try text.peek() {
    case UInt8(ascii: ","): try text.skip(1)
    case UInt8(ascii: "]"):
      try text.skip(1)
      state = .members
      return try next()
    case UInt8(ascii: "{"): break
    default: throw text.problem("expected a feature, a comma or the end of the features")
    }
    try skipSpace()
    let line = text.line
    let feature = try JSON.parse(try value(), name: "\(text.name):\(line)")
    guard feature["type"]?.stringValue == "Feature" else { throw text.problem("expected a feature", line: line) }
    return (feature, line)
  }

  /// Reads what is before the next feature, or up to the end.
  mutating func begin() throws(Problem) {
    try skipSpace()
    if state == .begun {
      line = text.line
      guard try text.next() == UInt8(ascii: "{") else { throw notFeatures() }
      state = .members
    }
    while state == .members {
      try skipSpace()
      guard let key = try member() else {
        if !isCollection { single = try loneFeature() }
        return state = .finished
      }
      try skipSpace()
      if key.elementsEqual("features".utf8) {
        guard try text.next() == UInt8(ascii: "[") else { throw notFeatures() }
        state = .features
      } else {
        let value = try JSON.parse(try value(), name: "\(text.name):\(text.line)")
        let name = String(decoding: key, as: UTF8.self)
        if name == "type" { isCollection = value.stringValue == "FeatureCollection" }
        if name != "type" { others["\(name) of the collection", default: 0] += 1 }
        let isOwn = Self.ownKeys.contains(name) && !own.contains { $0.name == name }
        if isOwn { own.append(JSON.Member(key, value)) }
      }
    }
  }

  /// The whole document as a feature.
  private mutating func loneFeature() throws(Problem) -> JSON {
    let document = JSON.object(own), type = document["type"]?.stringValue ?? ""
    let isFeature = type == "Feature" && state == .members && document["geometry"] != nil
    let geometries = ["Point", "LineString", "Polygon", "GeometryCollection"]
    let holds = document[type == "GeometryCollection" ? "geometries" : "coordinates"]?.arrayValue != nil
    guard isFeature || holds && geometries.contains(type.replacing("Multi", with: "", maxReplacements: 1)) else {
      throw notFeatures()
    }
    for key in Self.ownKeys { others["\(key) of the collection"] = nil }
    return isFeature ? document : .object([JSON.Member(Array("geometry".utf8), document)])
  }

  private mutating func skipSpace() throws(Problem) {
    while let byte = try text.peek(), [0x20, 9, 10, 13].contains(byte) { try text.skip(1) }
  }

  /// The key of the next member, whose colon is passed; nil at the end of the object.
  private mutating func member() throws(Problem) -> [UInt8]? {
    if try text.peek() == UInt8(ascii: ",") { try text.skip(1) }
    try skipSpace()
    if try text.peek() == UInt8(ascii: "}") { return nil }
    guard try text.peek() == UInt8(ascii: "\"") else { throw text.problem("expected a key") }
    let key = try JSON.parse(try value(), name: text.name).stringBytes ?? []
    try skipSpace()
    guard try text.next() == UInt8(ascii: ":") else { throw text.problem("expected a colon after the key") }
    return key
  }

  private mutating func value() throws(Problem) -> [UInt8] {
    var out: [UInt8] = [], depth = 0
    while let byte = try text.peek() {
      let isEnd = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte <= 0x20
      if depth == 0, isEnd { return out }
      try text.skip(1)
      out.append(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        while true {
          out += try text.prefix { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
          guard let mark = try text.next() else { throw text.problem("unterminated string") }
          out.append(mark)
          if mark == UInt8(ascii: "\"") { break }
          guard let next = try text.next() else { throw text.problem("unterminated string") }
          out.append(next)
        }
      default: break
      }
      if depth == 0, [UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(byte) { return out }
      guard out.count <= text.mostBytes else { throw text.tooLarge }
    }
    throw text.problem("unexpected end of document")
  }

  private func notFeatures() -> Problem {
    text.problem(
      "expected a FeatureCollection, a Feature or a geometry of GeoJSON",
      hint: .set(.inputFormat, to: "json", for: "read any JSON")
    )
  }
}
