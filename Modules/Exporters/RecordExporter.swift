import Codecs
public import Domain
public import Rows

/// One field a line, names aligned, a blank line between records.
public struct RecordExporter: Exporter {
  /// The format.
  public init() {}

  /// `record`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "record", fileExtensions: ["record"], mediaType: "text/plain; charset=utf-8",
      summary: "One field a line, a blank line between records", isExact: false)
  }

  /// An encoder; there are no options.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: Layout
  ) throws(Problem) -> any RowEncoder {
    RecordEncoder(writer: RecordWriter(schema))
  }
}

private struct RecordEncoder: RowEncoder {
  let writer: RecordWriter

  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) -> Int {
    writer.write(batch, isFirst: isFirst, &out)
  }
  func finish(rows: Int, _ out: inout ByteBuffer) {}
  func warning(noted: Int) -> String? {
    noted == 0 ? nil : "\(counted(noted, "cell")) with control characters, shown as pictures"
  }
}
