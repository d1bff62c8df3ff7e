import Codecs
public import Domain
public import Rows

/// A table for the eye, aligned by what a terminal shows.
public struct TableExporter: Exporter {
  /// The format.
  public init() {}

  /// `table`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "table", fileExtensions: ["txt"], mediaType: "text/plain; charset=utf-8",
      summary: "Aligned columns for the terminal, truncated to its width", isExact: false, isMeasured: true)
  }

  /// Widens the columns to the values of a batch.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    TableWriter.measure(batch, schema, into: &layout.widths)
  }

  /// An encoder; there are no options.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    TableEncoder(writer: TableWriter(schema, widths: layout.widths, terminalWidth: options.terminalWidth))
  }
}

private struct TableEncoder: RowEncoder {
  let writer: TableWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  func warning(_ all: EncodedPart) -> String? {
    var parts: [String] = []
    if all.reportedCells > 0 {
      parts.append("\(counted(all.reportedCells, "cell")) with control characters, shown as Unicode control pictures")
    }
    if writer.hiddenCount > 0 {
      parts.append(
        "\(counted(writer.hiddenCount, "column")) hidden to fit the terminal; use -f record or --columns to see all "
          + "columns"
      )
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
