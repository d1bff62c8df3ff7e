import Codecs
import Documents
import Domain
import Rows

/// Places as GeoJSON, for tables with latitude and longitude.
struct GeoJSONExporter: Exporter {
  /// The format.
  init() {}

  /// `geojson`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "geojson", fileExtensions: ["geojson"], mediaType: "application/geo+json",
      summary: "GeoJSON points; other columns become properties", isExact: true)
  }

  /// An encoder; there are no options.
  /// - Throws: `usage` for a table without coordinates.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    GeoJSONEncoder(writer: try GeoJSONWriter(schema))
  }
}

private struct GeoJSONEncoder: RowEncoder {
  let writer: GeoJSONWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  var separator: StaticString { writer.separator }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(isEmpty: all.rows == 0, &out) }
}

/// Places as waypoints of GPX or placemarks of KML, for tables with latitude and longitude.
struct MapExporter: Exporter {
  private let format: KMLAndGPXWriter.Format

  private init(_ format: KMLAndGPXWriter.Format) { self.format = format }

  /// For navigators.
  static let gpx = MapExporter(.gpx)
  /// For maps.
  static let kml = MapExporter(.kml)

  /// `gpx` or `kml`.
  public var descriptor: ExporterDescriptor {
    switch format {
    case .gpx:
      ExporterDescriptor(
        "gpx", fileExtensions: ["gpx"], mediaType: "application/gpx+xml",
        summary: "GPX waypoints",
        isExact: false)
    case .kml:
      ExporterDescriptor(
        "kml", fileExtensions: ["kml"], mediaType: "application/vnd.google-earth.kml+xml",
        summary: "KML placemarks", isExact: false)
    }
  }

  /// An encoder; there are no options.
  /// - Throws: `usage` for a table without coordinates.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    MapEncoder(writer: try KMLAndGPXWriter(schema, format: format))
  }
}

private struct MapEncoder: RowEncoder {
  let writer: KMLAndGPXWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: try writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(&out) }
  func warning(_ all: EncodedPart) -> Warning? {
    all.reportedCells == 0
      ? nil
      : Warning(
        "\(counted(all.reportedCells, "cell")) with control characters, shown as U+FFFD "
          + "(carriage returns as line breaks)")
  }
}
