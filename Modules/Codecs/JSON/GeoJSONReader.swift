public import Rows

/// A feature of a GeoJSON document, as far as a place needs it.
public struct GeoJSONFeature: Sendable {
  /// Whether its shape is a point.
  public fileprivate(set) var isPoint = false
  /// The literals of the point's longitude and latitude; nil for what is not a number.
  public fileprivate(set) var longitude: String?, latitude: String?
  /// The properties that are texts, in order.
  public fileprivate(set) var texts: [(name: String, text: String)] = []
  /// Its identifier, a text or a number; nil for none.
  public fileprivate(set) var id: String?
  /// Where it begins in the document.
  public fileprivate(set) var start = 0
  fileprivate var type = ""
  fileprivate var propertyID: String?
}

/// Reads a GeoJSON document feature by feature: memory depends neither on their number nor on the size of shapes.
public struct GeoJSONReader {
  private var scanner: JSONScanner
  private let document: DocumentText
  private let maximumField: Int
  private var keys = JSONKeys()
  private var shape = JSONShape()

  /// Calls `body` with every feature of a FeatureCollection, or with the feature that is the document.
  /// - Parameter maximumField: bytes of a value of a feature.
  /// - Throws: `badData` with `name:line:column` for what is not JSON or neither of the two; what `body` throws.
  public static func read(
    _ text: DocumentText, maximumField: Int, _ body: (GeoJSONFeature) throws(Problem) -> Void
  ) throws(Problem) {
    try text.checkUTF8()
    var failure: Problem?
    unsafe text.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      var reader = unsafe GeoJSONReader(scanner: JSONScanner(base), text: text, maximumField: maximumField)
      do throws(Problem) { try reader.readDocument(body) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private init(scanner: JSONScanner, text: DocumentText, maximumField: Int) {
    self.scanner = scanner
    document = text
    self.maximumField = maximumField
  }

  private mutating func readDocument(_ body: (GeoJSONFeature) throws(Problem) -> Void) throws(Problem) {
    var feature = GeoJSONFeature(), isCollection = false, hasFeatures = false, refusal: Problem?
    do throws(JSONSyntaxError) {
      if scanner.byte == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.at = 3 }
      scanner.skipSpace()
      if scanner.at == document.count { throw JSONSyntaxError("the document is empty", at: scanner.at) }
      guard scanner.byte == UInt8(ascii: "{") else { throw scanner.unexpected(wanted: "an object") }
      try members(depth: 0) { (reader, key) throws(JSONSyntaxError) in
        guard key == "features", reader.scanner.byte == UInt8(ascii: "[") else {
          return try reader.member(key, of: &feature, depth: 1)
        }
        hasFeatures = true
        try reader.elements(depth: 1) { (reader, _) throws(JSONSyntaxError) in
          let feature = try reader.feature(depth: 2)
          do throws(Problem) { try body(feature) } catch {
            refusal = error
            throw JSONSyntaxError("", at: feature.start)
          }
        }
      }
      isCollection = feature.type == "FeatureCollection"
      scanner.skipSpace()
      if !document.isWhole { throw JSONSyntaxError("", at: document.count) }
      if scanner.at != document.count {
        throw JSONSyntaxError("unexpected text after the end of the document", at: scanner.at)
      }
    } catch {
      throw refusal ?? document.problem(error.message, at: error.offset, hint: error.hint)
    }
    if feature.type == "Feature" { return try body(feature.identified) }
    guard isCollection, hasFeatures else {
      throw Problem(.badData, "not a GeoJSON FeatureCollection", at: document.name)
    }
  }

  private mutating func feature(depth: Int) throws(JSONSyntaxError) -> GeoJSONFeature {
    var feature = GeoJSONFeature()
    feature.start = scanner.at
    guard scanner.byte == UInt8(ascii: "{") else {
      try scanner.skipValue(&keys, &shape, depth: depth)
      return feature
    }
    try members(depth: depth) { (reader, key) throws(JSONSyntaxError) in
      try reader.member(key, of: &feature, depth: depth + 1)
    }
    return feature.identified
  }

  private mutating func member(_ key: String, of feature: inout GeoJSONFeature, depth: Int) throws(JSONSyntaxError) {
    switch (key, scanner.byte) {
    case ("type", UInt8(ascii: "\"")): feature.type = try literal(depth: depth) ?? ""
    case ("id", _): feature.id = try literal(depth: depth)
    case ("geometry", UInt8(ascii: "{")):
      var type: String?, numbers: [String?] = []
      try members(depth: depth) { (reader, key) throws(JSONSyntaxError) in
        if key == "type" {
          type = try reader.literal(depth: depth + 1)
        } else if key == "coordinates", reader.scanner.byte == UInt8(ascii: "[") {
          try reader.elements(depth: depth + 1) { (reader, position) throws(JSONSyntaxError) in
            let isNumber = reader.scanner.byte == UInt8(ascii: "-") || reader.scanner.byte &- 48 < 10
            let literal = try reader.literal(depth: depth + 2)
            if position < 2 { numbers.append(isNumber ? literal : nil) }
          }
        } else {
          try reader.scanner.skipValue(&reader.keys, &reader.shape, depth: depth + 1)
        }
      }
      feature.isPoint = type == "Point"
      feature.longitude = numbers.first ?? nil
      feature.latitude = numbers.dropFirst().first ?? nil
    case ("properties", UInt8(ascii: "{")):
      try members(depth: depth) { (reader, key) throws(JSONSyntaxError) in
        let isText = reader.scanner.byte == UInt8(ascii: "\"")
        let literal = try reader.literal(depth: depth + 1)
        if key == "id" { feature.propertyID = literal }
        if isText, let literal { feature.texts.append((key, literal)) }
      }
    default: try scanner.skipValue(&keys, &shape, depth: depth)
    }
  }

  /// A text, or the literal of a number; nil for any other value.
  private mutating func literal(depth: Int) throws(JSONSyntaxError) -> String? {
    let start = scanner.at
    switch scanner.byte {
    case UInt8(ascii: "\""):
      let escaped = try scanner.skipString()
      return text(start + 1, scanner.at - 1, escaped: escaped)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      _ = try scanner.skipNumber()
      return text(start, scanner.at, escaped: false)
    default:
      try scanner.skipValue(&keys, &shape, depth: depth)
      return nil
    }
  }

  private func text(_ start: Int, _ end: Int, escaped: Bool) -> String {
    String(decoding: unsafe JSONScanner.text(scanner.base, from: start, to: end, escaped: escaped), as: UTF8.self)
  }

  /// Walks over an array; `visit` steps over an element.
  private mutating func elements(
    depth: Int, _ visit: (inout Self, _ position: Int) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    try scanner.enter(depth)
    guard scanner.byte != UInt8(ascii: "]") else {
      scanner.at += 1
      return
    }
    var position = 0
    repeat {
      try visit(&self, position)
      position += 1
    } while try scanner.another(UInt8(ascii: "]"))
  }

  /// Walks over an object; `visit` steps over the value of a key.
  private mutating func members(
    depth: Int, _ visit: (inout Self, _ key: String) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    try scanner.enter(depth)
    guard scanner.byte != UInt8(ascii: "}") else {
      scanner.at += 1
      return
    }
    let mark = keys.begin()
    repeat {
      guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a double-quoted key") }
      let start = scanner.at + 1
      let escaped = try scanner.skipString()
      try check(from: start, "a key")
      let isNew = unsafe keys.insert(scanner.base, from: start, to: scanner.at - 1, escaped: escaped, objectAt: mark)
      guard isNew else { throw JSONSyntaxError(keys.refusal, at: start - 1) }
      let name = text(start, scanner.at - 1, escaped: escaped)
      try scanner.skipColon()
      let value = scanner.at
      try visit(&self, name)
      if depth > 0 { try check(from: value, "the value of “\(name.prefix(80))”") }
    } while try scanner.another(UInt8(ascii: "}"))
    keys.end(mark)
  }

  private func check(from start: Int, _ what: @autoclosure () -> String) throws(JSONSyntaxError) {
    guard scanner.at - start > maximumField else { return }
    throw JSONSyntaxError(
      "\(what()) is larger than \(maximumField >> 20) MiB", at: start, hint: "raise the limit with --max-field")
  }
}

extension GeoJSONFeature {
  /// The same; a property takes the place of a missing identifier.
  fileprivate var identified: GeoJSONFeature {
    var feature = self
    if feature.id?.isEmpty ?? true { feature.id = propertyID?.isEmpty ?? true ? nil : propertyID }
    return feature
  }
}
