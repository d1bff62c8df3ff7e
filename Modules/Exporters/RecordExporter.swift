import Codecs
public import Domain
public import Rows

/// One field per line, aligned names, a blank line between records.
public struct RecordExporter: Exporter {
  /// The format.
  public init() {}

  /// `record`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "record", fileExtensions: ["record"], mediaType: "text/plain; charset=utf-8",
      summary: "One field per line, with a blank line between records", isExact: false,
      isStyled: true)
  }

  /// An encoder; there are no options.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let terminal = options.terminalWidth.map {
      RecordWriter.Terminal(width: $0, style: options.style, showsAll: options.hasChosenColumns)
    }
    return RecordEncoder(writer: RecordWriter(schema, terminal: terminal))
  }
}

private struct RecordEncoder: RowEncoder {
  let writer: RecordWriter

  func begin(_ out: inout ByteBuffer) {}
  var separator: StaticString { writer.separator }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  func warning(_ all: EncodedPart) -> Warning? {
    all.reportedCells == 0
      ? nil : "\(counted(all.reportedCells, "cell")) with control characters, shown as Unicode control pictures"
  }
}
