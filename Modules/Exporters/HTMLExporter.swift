import Codecs
public import Domain
public import Rows

/// A web page with a table, for any browser, light or dark.
public struct HTMLExporter: Exporter {
  private static let pictures = ExporterDescriptor.Option(
    "pictures", "yes|no", "Whether addresses of pictures are shown as pictures (default: yes)")

  /// The format.
  public init() {}

  /// `html`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "html", fileExtensions: ["html", "htm"], mediaType: "text/html; charset=utf-8",
      summary: "A web page with a table, light or dark, with links and pictures", isExact: false,
      options: [Self.pictures])
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: Layout
  ) throws(Problem) -> any RowEncoder {
    HTMLEncoder(writer: HTMLWriter(schema, showsPictures: try options.flag(Self.pictures, default: true)))
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
      : "\(counted(all.reportedCells, "cell")) with control characters: shown as U+FFFD, carriage returns as line breaks"
  }
}
