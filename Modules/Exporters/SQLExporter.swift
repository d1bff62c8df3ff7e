import Codecs
public import Domain
public import Rows

/// SQL that makes and fills a table in SQLite.
public struct SQLExporter: Exporter {
  /// The format.
  public init() {}

  /// `sql`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "sql", fileExtensions: ["sql"], mediaType: "application/sql",
      summary: "SQL statements that create and fill the table, for SQLite 3.37 or later", isExact: true,
      options: [OptionKeys.nonfinite],
      limits: ExporterDescriptor.Limits(columns: SQLWriter.maximumColumns))
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: Layout
  ) throws(Problem) -> any RowEncoder {
    SQLEncoder(writer: try SQLWriter(schema, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error)))
  }
}

private struct SQLEncoder: RowEncoder {
  let writer: SQLWriter

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(&out) }
}
