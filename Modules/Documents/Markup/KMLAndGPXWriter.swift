import Codecs
public import Rows

/// Places for navigators and maps: GPX 1.1 waypoints or KML 2.2 placemarks.
///
/// Columns for which the format has no element become extensions: in GPX an element per column, in KML named data.
public struct KMLAndGPXWriter: Sendable {
  /// The two formats.
  public enum Format: String, Sendable, Hashable {
    /// GPS Exchange Format 1.1.
    case gpx
    /// Keyhole Markup Language 2.2.
    case kml
  }

  private let schema: Schema
  private let format: Format
  private let places: PlaceColumns
  /// The elements in the order of the standard, those of columns and of other programs; and those of columns.
  private let allElements: [(name: String, column: Int?)], ownElements: [(name: String, column: Int?)]
  /// The names of the extension elements of GPX, by column.
  private let elements: [String]
  /// Whether the element differs from the name of its column, which becomes an attribute then.
  private let isRenamed: [Bool]

  /// A writer of rows of `schema`.
  /// - Throws: `usage` for a table without coordinates.
  public init(_ schema: Schema, format: Format) throws(Problem) {
    self.schema = schema
    self.format = format
    places = try PlaceColumns(schema, format: format.rawValue)
    let comment = format == .gpx ? "desc" : "description", time = format == .gpx ? places.time : nil
    let columns = ["name": places.name, comment: places.comment, "time": time]
    allElements = (Self.order[format] ?? []).map { (name: $0, column: columns[$0] ?? nil) }
    ownElements = allElements.filter { $0.column != nil }
    elements = Self.elementNames(schema.columns.map(\.name))
    isRenamed = zip(schema.columns, elements).map { !$0.name.utf8.elementsEqual($1.utf8) }
  }

  /// Names for XML elements, each different: ASCII letters, digits, `_` and `-` of a column's name, `_` for the rest.
  private static func elementNames(_ columns: [String]) -> [String] {
    // Databases that read them ignore case.
    var names = DistinctNames(ignoresCase: true)
    return columns.map { column in
      var name = String(
        decoding: column.utf8.map { byte in
          byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
        }, as: UTF8.self)
      if name.utf8.first.map({ ($0 | 0x20) &- 97 >= 26 }) ?? true { name = "_" + name }
      return names.add(name)
    }
  }

  /// Writes the text before the first place.
  public func begin(_ out: inout ByteBuffer) {
    out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    switch format {
    case .gpx:
      out.append(
        "<gpx version=\"1.1\" creator=\"bb\" xmlns=\"http://www.topografix.com/GPX/1/1\" xmlns:bb=\"urn:bb\">\n")
      out.append("<metadata><name>")
      out.append(markup: schema.name)
      out.append("</name></metadata>\n")
    case .kml:
      out.append("<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document>\n<name>")
      out.append(markup: schema.name)
      out.append("</name>\n")
    }
  }

  /// Writes the text after the last place.
  public func finish(_ out: inout ByteBuffer) {
    out.append(format == .gpx ? "</gpx>\n" as StaticString : "</Document>\n</kml>\n")
  }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had characters that XML does not allow, which are U+FFFD now.
  /// - Throws: `badData` for a row whose coordinates are missing or out of range.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> Int {
    var noted = 0, point = ByteBuffer(capacity: 64)
    for row in 0..<batch.count {
      let latitude = try coordinate(batch, row, places.latitude, limit: 90)
      let longitude = try coordinate(batch, row, places.longitude, limit: 180)
      var foreign = ForeignMembers(batch, row, places.extra)
      switch format {
      case .gpx:
        let is180 = Self.is180(longitude)
        out.append("<wpt lat=\"")
        out.append(bytes: latitude)
        out.append(is180 ? "\" lon=\"-" : "\" lon=\"" as StaticString)
        out.append(bytes: longitude)
        out.append("\">")
        noted += elements(batch, row, &foreign, &out)
        noted += extensions(batch, row, &foreign, longitude: is180 ? longitude : nil, &out)
        out.append("</wpt>\n")
      case .kml:
        var elevation: [UInt8] = []
        point.removeAll()
        foreign.take(ForeignMembers.elevation) { value in
          elevation = value.numberLiteral ?? []
          return !elevation.isEmpty
        }
        foreign.take("Point") { point.append(elements: $0.objectMembers ?? []).map { noted += $0 } != nil }
        out.append("<Placemark>")
        noted += elements(batch, row, &foreign, &out)
        noted += data(batch, row, &foreign, &out)
        out.append("<Point>")
        out.append(point.run(from: 0))
        out.append("<coordinates>")
        out.append(bytes: longitude)
        out.append(",")
        out.append(bytes: latitude)
        if !elevation.isEmpty { out.append(",") }
        out.append(bytes: elevation)
        out.append("</coordinates></Point></Placemark>\n")
      }
    }
    return noted
  }

  private func coordinate(_ batch: RowBatch, _ row: Int, _ column: Int, limit: Double) throws(Problem) -> [UInt8] {
    guard let text = try places.coordinate(batch, row, column, limit: limit, schema) else {
      throw Problem(
        .badData,
        "column \(schema.columns[column].name): cannot write a place without coordinates as \(format.rawValue)",
        hint: [.set(.conditions, for: "exclude it"), .set(.outputFormat, to: "geojson")], record: row)
    }
    return text
  }

  /// The elements in the order of the standard; the values of columns and of what other programs wrote.
  private func elements(
    _ batch: RowBatch, _ row: Int, _ foreign: inout ForeignMembers, _ out: inout ByteBuffer
  ) -> Int {
    var noted = 0
    for (name, column) in foreign.members.isEmpty ? ownElements : allElements {
      if let column, !batch[row, column].isNull {
        out.append("<\(name)>")
        noted += text(batch[row, column], batch.arena, &out)
        out.append("</\(name)>")
      } else {
        foreign.take(name == "ele" ? ForeignMembers.elevation : name) { value in
          let isForeign = (value.arrayValue ?? [value]).contains { $0["@xmlns"] != nil }
          return isForeign == (format == .kml && Self.foreignElements.contains(name))
            && out.append(elements: [JSON.Member(name, value)]).map { noted += $0 } != nil
        }
      }
    }
    return noted
  }

  private static let order: [Format: [String]] = [
    .gpx: [
      "ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type", "fix", "sat",
      "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid",
    ],
    .kml: [
      "name", "visibility", "open", "author", "link", "address", "AddressDetails", "phoneNumber", "Snippet", "snippet",
      "description", "LookAt", "Camera", "TimeStamp", "TimeSpan", "styleUrl", "Style", "StyleMap", "Region",
    ],
  ]

  /// Elements that KML takes from other namespaces.
  private static let foreignElements = ["author", "link", "AddressDetails"]

  /// The other columns of GPX, an element each, as GDAL reads them; and what other programs wrote.
  private func extensions(
    _ batch: RowBatch, _ row: Int, _ foreign: inout ForeignMembers, longitude: [UInt8]?, _ out: inout ByteBuffer
  ) -> Int {
    let present = places.others.filter { $0 != places.time && !batch[row, $0].isNull }
    if present.isEmpty, longitude == nil, foreign.members.isEmpty { return 0 }
    var noted = 0
    out.append("<extensions>")
    for column in present {
      out.append("<bb:\(elements[column])")
      if isRenamed[column] {
        out.append(" name=\"")
        out.append(markup: schema.columns[column].name)
        out.append("\"")
      }
      out.append(">")
      noted += text(batch[row, column], batch.arena, &out)
      out.append("</bb:\(elements[column])>")
    }
    foreign.take("extensions") { out.append(elements: $0.objectMembers ?? []).map { noted += $0 } != nil }
    if let longitude {
      out.append("<bb:longitude>")
      out.append(bytes: longitude)
      out.append("</bb:longitude>")
    }
    if let rest = foreign.text {
      out.append("<bb:extra>")
      noted += out.append(verbatim: rest)
      out.append("</bb:extra>")
    }
    out.append("</extensions>")
    return noted
  }

  /// The other columns of KML, as named data; and what other programs wrote.
  private func data(
    _ batch: RowBatch, _ row: Int, _ foreign: inout ForeignMembers, _ out: inout ByteBuffer
  ) -> Int {
    let present = places.others.filter { !batch[row, $0].isNull }
    if present.isEmpty, foreign.members.isEmpty { return 0 }
    var noted = 0
    func begin(_ name: String) {
      out.append("<Data name=\"")
      out.append(markup: name)
      out.append("\"><value>")
    }
    out.append("<ExtendedData>")
    for column in present {
      begin(schema.columns[column].name)
      noted += text(batch[row, column], batch.arena, &out)
      out.append("</value></Data>")
    }
    foreign.take("ExtendedData") { value in
      let texts = (value.objectMembers ?? []).map { ($0.name, $0.value.stringBytes) }
      guard texts.allSatisfy({ $0.1 != nil }) else { return false }
      for (name, text) in texts {
        begin(name)
        noted += out.append(verbatim: text ?? [])
        out.append("</value></Data>")
      }
      return true
    }
    if let rest = foreign.text {
      begin(ForeignMembers.column)
      noted += out.append(verbatim: rest)
      out.append("</value></Data>")
    }
    out.append("</ExtendedData>")
    return noted
  }

  /// Whether a longitude is 180 degrees, which GPX has as -180 only.
  private static func is180(_ longitude: [UInt8]) -> Bool {
    longitude.starts(with: "180".utf8) && longitude.dropFirst(3).allSatisfy { $0 == 48 || $0 == UInt8(ascii: ".") }
  }

  private func text(_ cell: Cell, _ arena: Arena, _ out: inout ByteBuffer) -> Int {
    var plain = ByteBuffer(capacity: 256)
    DisplayText.appendPlain(cell, arena, to: &plain)
    return plain.run { out.append(verbatim: $0) }
  }
}
