import Codecs
import Documents
public import Domain
public import Rows

/// A workbook for spreadsheets, with one sheet for each table. The encoder writes the sheet, and a sink adds the other
/// parts of the file.
public struct XLSXExporter: ByteFormat {
  private static let numbers = ExporterDescriptor.Option(
    "numbers", "error|text",
    "Numbers with more digits than a spreadsheet stores: fail, or write as text [default: error]")

  /// The format.
  public init() {}

  /// `xlsx`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "xlsx", fileExtensions: ["xlsx"],
      mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      summary: "A workbook for Excel or LibreOffice; 1.10 is shown as 1.10; fails on values a cell cannot hold",
      isExact: true, measuring: .head(rows: 500), options: [Self.numbers, OptionKeys.nonfinite],
      limits: ExporterDescriptor.Limits(
        columns: SheetWriter.maximumColumns, records: SheetWriter.maximumRows - 1, characters: SheetWriter.maximumText),
      holdsSeveralTables: true)
  }

  /// An encoder of the sheet.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    SheetEncoder(
      writer: SheetWriter(
        schema, numbers: try options.choice(Self.numbers, default: .error),
        nonfinite: try options.choice(OptionKeys.nonfinite, default: .error), head: layout.head))
  }

  /// The workbook around the sheet.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    EncodedFile(self, of: schema, options) { () throws(Problem) in
      SheetSink(try WorkbookFile([schema.name], in: try await open()), spool: nil)
    }
  }

  /// A workbook of several sheets.
  public func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace, existing: ExistingOutput
  ) throws(Problem) -> (any TableContainer)? { try WorkbookFile(tables, in: sink, scratch: scratch) }
}

private struct SheetEncoder: RowEncoder {
  let writer: SheetWriter

  func begin(_ out: inout ByteBuffer) throws(Problem) { try writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    let links = try writer.write(batch, &out)
    return EncodedPart(rows: batch.count, reportedCells: links.count, links: links)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) {
    try writer.finish(rows: all.rows, links: all.links, &out)
  }
  func warning(_ all: EncodedPart) -> Warning? {
    guard all.reportedCells > all.links.count else { return nil }
    return "only the first \(all.links.count) of \(all.reportedCells) URLs are links, the limit of a sheet"
  }
}
