import Codecs
public import Domain
public import Rows

/// JSON: an array with one record per line (`json`), or one record per line without an array (`ndjson`).
public struct JSONExporter: Exporter {
  private let framing: JSONWriter.Framing

  private init(_ framing: JSONWriter.Framing) { self.framing = framing }

  /// An array of objects.
  public static let json = JSONExporter(.array)
  /// One object per line.
  public static let ndjson = JSONExporter(.lines)

  /// `json` or `ndjson`.
  public var descriptor: ExporterDescriptor {
    let limits = ExporterDescriptor.Limits(columns: CSVReading.maximumColumns)
    return switch framing {
    case .array:
      ExporterDescriptor(
        "json", fileExtensions: ["json"], mediaType: "application/json",
        summary: "A JSON array of objects, one per line, keys in column order", isExact: true,
        options: [OptionKeys.nonfinite], limits: limits)
    case .lines:
      ExporterDescriptor(
        "ndjson", fileExtensions: ["ndjson", "jsonl"], mediaType: "application/x-ndjson",
        summary: "One JSON object per line", isExact: true, options: [OptionKeys.nonfinite], limits: limits)
    }
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let nonfinite = try options.choice(OptionKeys.nonfinite, default: NonfinitePolicy.error)
    return JSONEncoder(writer: JSONWriter(schema, framing: framing, nonfinite: nonfinite))
  }
}

private struct JSONEncoder: RowEncoder {
  let writer: JSONWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  var separator: StaticString { writer.separator }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(isEmpty: all.rows == 0, &out) }
}
