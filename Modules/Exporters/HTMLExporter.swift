import Codecs
public import Domain
public import Rows

/// A web page with a table, for any browser, light or dark.
public struct HTMLExporter: Exporter {
  private static let images = ExporterDescriptor.Option(
    "images", aliases: ["pictures"], "yes|no", "Show image URLs as images [default: yes]")

  /// The format.
  public init() {}

  /// `html`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "html", fileExtensions: ["html", "htm"], mediaType: "text/html; charset=utf-8",
      summary: "An HTML page with a table, links and images; follows the light or dark system theme", isExact: false,
      options: [Self.images])
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    HTMLEncoder(writer: HTMLWriter(schema, showsPictures: try options.flag(Self.images, default: true)))
  }
}

private struct HTMLEncoder: RowEncoder {
  let writer: HTMLWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(&out) }
  func warning(_ all: EncodedPart) -> String? {
    all.reportedCells == 0
      ? nil
      : "\(counted(all.reportedCells, "cell")) with control characters, shown as U+FFFD (carriage returns as line "
        + "breaks)"
  }
}
