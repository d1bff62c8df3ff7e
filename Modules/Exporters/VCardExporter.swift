import Documents
import Domain
import Rows

/// People as vCards, for tables with a column of names.
struct VCardExporter: Exporter {
  private static let version = ExporterDescriptor.Option(
    "version", "4.0|3.0", "Version of the standard; 3.0 for older address books [default: 4.0]")
  private static let images = ExporterDescriptor.Option(
    "images", "links|embed",
    "Photos of the web: as addresses, or stored images as part of the cards [default: links]")

  /// The format.
  init() {}

  /// `vcard`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "vcard", fileExtensions: ["vcf"], mediaType: "text/vcard; charset=utf-8",
      summary: "vCards for an address book", isExact: false, options: [Self.version, Self.images])
  }

  /// An encoder.
  /// - Throws: `usage` for a table without names.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let isEmbedded = options.values[Self.images.key] == "embed"
    return VCardEncoder(
      writer: try VCardWriter(
        schema, version: try options.choice(Self.version, default: .four),
        images: isEmbedded ? options.images : options.images.local))
  }
}

private struct VCardEncoder: RowEncoder {
  let writer: VCardWriter

  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: try writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  func warning(_ all: EncodedPart) -> Warning? {
    all.reportedCells == 0
      ? nil
      : Warning(
        "\(counted(all.reportedCells, "cell")) with control characters, shown as U+FFFD "
          + "(carriage returns as line breaks)")
  }
}
