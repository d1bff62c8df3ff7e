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
    elements = Self.elementNames(schema.columns.map(\.name))
    isRenamed = zip(schema.columns, elements).map { !$0.name.utf8.elementsEqual($1.utf8) }
  }

  /// Names for XML elements, each different: ASCII letters, digits, `_` and `-` of a column's name, `_` for the rest.
  private static func elementNames(_ columns: [String]) -> [String] {
    var names: [String] = []
    for column in columns {
      var name = String(
        decoding: column.utf8.map { byte in
          byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
        }, as: UTF8.self)
      if name.utf8.first.map({ ($0 | 0x20) &- 97 >= 26 }) ?? true { name = "_" + name }
      var unique = name, number = 2
      // Databases that read them ignore case.
      while names.contains(where: { $0.lowercased() == unique.lowercased() }) {
        unique = "\(name)_\(number)"
        number += 1
      }
      names.append(unique)
    }
    return names
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
    var noted = 0
    for row in 0..<batch.count {
      let latitude = try coordinate(batch, row, places.latitude, limit: 90)
      let longitude = try coordinate(batch, row, places.longitude, limit: 180)
      switch format {
      case .gpx:
        out.append("<wpt lat=\"")
        out.append(bytes: latitude)
        out.append("\" lon=\"")
        out.append(bytes: Self.below180(longitude))
        out.append("\">")
        noted += element("time", places.time, batch, row, &out)
        noted += element("name", places.name, batch, row, &out)
        noted += element("desc", places.comment, batch, row, &out)
        noted += extensions(batch, row, &out)
        out.append("</wpt>\n")
      case .kml:
        out.append("<Placemark>")
        noted += element("name", places.name, batch, row, &out)
        noted += element("description", places.comment, batch, row, &out)
        noted += data(batch, row, &out)
        out.append("<Point><coordinates>")
        out.append(bytes: longitude)
        out.append(",")
        out.append(bytes: latitude)
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

  /// One column as an element of its own; nothing when it is null or there is no such column.
  private func element(
    _ name: String, _ column: Int?, _ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer
  ) -> Int {
    guard let column, !batch[row, column].isNull else { return 0 }
    out.append("<\(name)>")
    let noted = text(batch[row, column], batch.arena, &out)
    out.append("</\(name)>")
    return noted
  }

  /// The other columns of GPX, an element each, as GDAL reads them.
  private func extensions(_ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer) -> Int {
    let present = places.others.filter { $0 != places.time && !batch[row, $0].isNull }
    guard !present.isEmpty else { return 0 }
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
    out.append("</extensions>")
    return noted
  }

  /// The other columns of KML, as named data.
  private func data(_ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer) -> Int {
    let present = places.others.filter { !batch[row, $0].isNull }
    guard !present.isEmpty else { return 0 }
    var noted = 0
    out.append("<ExtendedData>")
    for column in present {
      out.append("<Data name=\"")
      out.append(markup: schema.columns[column].name)
      out.append("\"><value>")
      noted += text(batch[row, column], batch.arena, &out)
      out.append("</value></Data>")
    }
    out.append("</ExtendedData>")
    return noted
  }

  /// The same meridian below 180 degrees, as GPX requires.
  private static func below180(_ longitude: [UInt8]) -> [UInt8] {
    longitude.starts(with: "180".utf8) && longitude.dropFirst(3).allSatisfy { $0 == 48 || $0 == UInt8(ascii: ".") }
      ? [UInt8(ascii: "-")] + longitude : longitude
  }

  /// Text, with spaces and line ends at its edges as character references: readers take those literally.
  private func text(_ cell: Cell, _ arena: Arena, _ out: inout ByteBuffer) -> Int {
    var plain = ByteBuffer(capacity: 256)
    DisplayText.appendPlain(cell, arena, to: &plain)
    return plain.run { text in
      var start = 0, end = text.count
      while start < end, let reference = Self.reference(text[start]) {
        out.append(reference)
        start += 1
      }
      while end > start, Self.reference(text[end - 1]) != nil { end -= 1 }
      let noted = out.append(markup: text.slice(from: start, atMost: end - start))
      for position in end..<text.count {
        if let reference = Self.reference(text[position]) { out.append(reference) }
      }
      return noted
    }
  }

  private static func reference(_ byte: UInt8) -> StaticString? {
    switch byte {
    case 0x20: "&#32;"
    case 0x09: "&#9;"
    case 0x0A: "&#10;"
    default: nil
    }
  }
}
