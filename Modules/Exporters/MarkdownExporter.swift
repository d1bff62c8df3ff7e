import Documents
public import Domain
public import Rows

/// GFM tables that any renderer shows as the source text: the default format.
public struct MarkdownExporter: Exporter {
  /// The format.
  public init() {}

  /// `markdown`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "markdown", fileExtensions: ["md", "markdown"], mediaType: "text/markdown; charset=utf-8",
      summary: "A GitHub Flavored Markdown table that renders as the original text", isExact: false)
  }

  /// An encoder; there are no options.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    MarkdownEncoder(table: MarkdownTable(schema))
  }
}

private struct MarkdownEncoder: RowEncoder {
  let table: MarkdownTable

  func begin(_ out: inout ByteBuffer) { table.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: table.write(batch, &out))
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

/// `1 cell`, `3 cells`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
