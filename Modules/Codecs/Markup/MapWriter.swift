public import Rows

/// Places for navigators and maps: GPX 1.1 waypoints or KML 2.2 placemarks.
///
/// Columns that the format has no element for go along as named values, so that nothing is lost on the way.
public struct MapWriter: Sendable {
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

  /// A writer of rows of `schema`.
  /// - Throws: `usage` for a table without coordinates.
  public init(_ schema: Schema, format: Format) throws(Problem) {
    self.schema = schema
    self.format = format
    places = try PlaceColumns(schema, format: format.rawValue)
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
        out.append(bytes: longitude)
        out.append("\">")
        noted += element("name", places.name, batch, row, &out)
        noted += element("desc", places.comment, batch, row, &out)
        noted += others("extensions", "bb:value", batch, row, &out)
        out.append("</wpt>\n")
      case .kml:
        out.append("<Placemark>")
        noted += element("name", places.name, batch, row, &out)
        noted += element("description", places.comment, batch, row, &out)
        noted += others("ExtendedData", "Data", batch, row, &out)
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
        hint: "exclude it with --where, or use -f geojson", record: row)
    }
    return text
  }

  /// One column as an element of its own; nothing when it is null or there is no such column.
  private func element(
    _ name: String, _ column: Int?, _ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer
  ) -> Int {
    guard let column, !batch[row, column].isNull else { return 0 }
    out.append("<\(name)>")
    let noted = text(batch[row, column], batch.chunk, &out)
    out.append("</\(name)>")
    return noted
  }

  /// The columns without an element of their own, as named values.
  private func others(
    _ parent: String, _ name: String, _ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer
  ) -> Int {
    let present = places.others.filter { !batch[row, $0].isNull }
    guard !present.isEmpty else { return 0 }
    var noted = 0
    out.append("<\(parent)>")
    for column in present {
      out.append("<\(name) name=\"")
      out.append(markup: schema.columns[column].name)
      out.append(format == .kml ? "\"><value>" as StaticString : "\">")
      noted += text(batch[row, column], batch.chunk, &out)
      if format == .kml { out.append("</value>") }
      out.append("</\(name)>")
    }
    out.append("</\(parent)>")
    return noted
  }

  private func text(_ cell: Cell, _ chunk: Chunk, _ out: inout ByteBuffer) -> Int {
    var plain = ByteBuffer(capacity: 256)
    DisplayText.appendPlain(cell, chunk, to: &plain)
    return plain.run { out.append(markup: $0) }
  }
}
