import Codecs
public import Domain
public import Rows

/// A table for the eye, aligned by what a terminal shows.
public struct TableExporter: ByteFormat {
  private static let width = ExporterDescriptor.Option(
    "width", "N", "Fit the table into N columns of a terminal; 0 for no limit [default: the width of the terminal]")

  private static let wrap = ExporterDescriptor.Option(
    "wrap", "yes|no", "On a terminal, show long text on up to three lines instead of cutting it to one [default: no]")

  /// The format.
  public init() {}

  /// `table`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "table", fileExtensions: ["txt"], mediaType: "text/plain; charset=utf-8",
      summary: "Aligned columns; on a terminal the most useful ones that fit", isExact: false, measuring: .all,
      headerLines: 2, isStyled: true, options: [Self.width, Self.wrap])
  }

  /// Counts the widths of the values of a batch.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    let forTerminal = options.terminalWidth != nil || options.values[Self.width.key] != nil
    TableWriter.measure(batch, schema, forTerminal: forTerminal, into: &layout.widths)
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard let width = try Self.width(options) else {
      return TableEncoder(writer: TableWriter(schema, widths: layout.widths, style: options.style))
    }
    let fitted = TableLayout(schema, layout.widths, width: width, isChosen: options.hasChosenColumns)
    return TableEncoder(
      writer: TableWriter(
        schema, layout: fitted, style: options.style, isWrapped: options.values[Self.wrap.key] == "yes"),
      notes: Self.notes(fitted, schema.columns.map(\.name)), isCut: !fitted.hidden.isEmpty)
  }

  /// The width to fit the table into; nil for a file.
  private static func width(_ options: ExportOptions) throws(Problem) -> Int? {
    guard let text = options.values[width.key] else { return options.terminalWidth }
    guard let number = Int(text), (0...100_000).contains(number) else {
      throw Problem(
        .usage, "invalid value “\(text)” for option \(width.key)", hint: "expected an integer from 0 to 100000")
    }
    return number
  }

  /// Descriptions of the columns that are not shown.
  private static func notes(_ layout: TableLayout, _ names: [String]) -> [String] {
    func listed(_ positions: [Int]) -> String { positions.map { names[$0] }.joined(separator: ", ") }
    var notes: [String] = []
    if !layout.hidden.isEmpty {
      notes.append(
        "\(counted(layout.hidden.count, "column")) not shown: \(listed(layout.hidden))")
    }
    if !layout.empty.isEmpty { notes.append("empty: \(listed(layout.empty))") }
    return notes
  }
}

private struct TableEncoder: RowEncoder {
  let writer: TableWriter
  /// The parts of the footer after the number of rows; nil for a file.
  var notes: [String]?
  /// Whether columns are not shown.
  var isCut = false

  func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  func warning(_ all: EncodedPart) -> Warning? {
    WriterEncoder.controls(all.reportedCells, shownAs: WriterEncoder.inText)
  }
  func footer(_ all: EncodedPart) -> Warning? {
    notes.map { notes in
      Warning(
        ([counted(all.rows, "row")] + notes).joined(separator: " · "),
        hint: isCut ? [.set(.outputFormat, to: "record"), .set(.columns)] : "")
    }
  }
}
