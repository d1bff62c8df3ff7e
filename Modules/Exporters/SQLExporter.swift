import Codecs
public import Domain
public import Rows

/// SQL that creates and fills a table.
public struct SQLExporter: Exporter {
  private static let dialect = ExporterDescriptor.Option(
    "dialect", "ansi|sqlite|postgres|mysql",
    "Database system; ansi works in SQLite, PostgreSQL, MariaDB and DuckDB "
      + "[default: ansi, or sqlite if only SQLite can have such columns]"
  )

  /// The format.
  public init() {}

  /// `sql`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "sql", fileExtensions: ["sql"], mediaType: "application/sql",
      summary: "SQL statements that create and fill the table", isExact: true, isTypedByValue: true,
      options: [Self.dialect, OptionKeys.nonfinite],
      limits: ExporterDescriptor.Limits(columns: SQLWriter.maximumColumns))
  }

  /// The first rows, if they decide how SQLite declares decimals.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring {
    options.values[Self.dialect.key] == SQLDialect.sqlite.rawValue ? .head(rows: 10_000) : .none
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let dialect: SQLDialect? =
      options.values[Self.dialect.key] == nil ? nil : try options.choice(Self.dialect, default: .ansi)
    return SQLEncoder(
      writer: try SQLWriter(
        schema, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error), dialect: dialect,
        decimals: layout.decimals))
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
