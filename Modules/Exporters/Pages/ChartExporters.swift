import Codecs
import Documents
public import Domain
public import Rows

/// A drawing of a table: bars, lines, a histogram or a matrix, as text, as an image or as a page.
public struct ChartExporter: Exporter {
  typealias Make = @Sendable (Schema, String, [String: String]) throws(Problem) -> any Chart
  typealias Option = ExporterDescriptor.Option

  /// The format.
  public let descriptor: ExporterDescriptor
  private let isImage: Bool
  private let make: Make

  private init(
    _ name: String, _ summary: String, isImage: Bool = false, _ options: [Option], make: @escaping Make
  ) {
    var descriptor = ExporterDescriptor(
      name, fileExtensions: isImage ? ["svg"] : [],
      mediaType: isImage ? "image/svg+xml" : "text/plain; charset=utf-8", summary: summary, isExact: false,
      isStyled: true, options: (isImage ? [] : [Self.form, Self.width]) + options)
    if !isImage { descriptor.drawings = ["svg", "html", "htm", "txt"] }
    (self.descriptor, self.isImage, self.make) = (descriptor, isImage, make)
  }

  private static let form = Option(
    "as", "text|svg|html", "Form on standard output; the extension of a file decides its form [default: text]")
  private static let width = Option(
    "width", "N", "Fit text into N columns [default: the width of the terminal, otherwise 80]")
  private static let value = Option.columns(
    "value", "COLUMN", "Column with the values [default: the last one besides identifiers]")

  private static func bars(_ name: String, _ summary: String, isImage: Bool) -> ChartExporter {
    ChartExporter(name, summary, isImage: isImage, [value]) { (schema, format, options) throws(Problem) in
      try BarChart(schema, format: format, options)
    }
  }

  /// Bars, also as an image or a page.
  public static let bars = bars(
    "bars", "A bar for each of the first 50 rows; also as SVG or HTML", isImage: false)
  /// Bars as an image.
  public static let svg = bars("svg", "An image with a bar for each of the first 50 rows", isImage: true)
  /// Lines.
  public static let line = ChartExporter(
    "line", "Values by time or by a number, as lines; also as SVG or HTML",
    [
      value,
      .columns("x", "COLUMN", "Column with dates, times or numbers [default: the first besides identifiers]"),
      .columns("series", "COLUMN", "Draw a line for each value of this column, at most 8"),
      Option("zero", "yes|no", "Whether the axis of values begins at zero [default: yes]"),
    ]
  ) { (schema, format, options) throws(Problem) in try LineChart(schema, format: format, options) }
  /// Distributions.
  public static let histogram = ChartExporter(
    "histogram", "The number of rows in intervals of a number or a date; also as SVG or HTML", [value]
  ) { (schema, format, options) throws(Problem) in try HistogramChart(schema, format: format, options) }
  /// Matrices.
  public static let matrix = ChartExporter(
    "matrix", "Rows by columns of coloured cells; also as SVG or HTML",
    [
      .columns("rows", "A+B", "Columns whose values are the rows, or parts of dates (date:year) [default: the first]"),
      .columns("columns", "A+B", "Columns whose values are the columns, or parts of dates [default: the second]"),
      .columns("value", "COLUMN", "Column with the values of cells [default: the third, or the number of rows]"),
      Option("scale", "LOW..HIGH", "Bounds of the colours [default: those of the values]"),
    ]
  ) { (schema, format, options) throws(Problem) in try MatrixChart(schema, format: format, options) }

  /// A sink that draws the rows when it has all.
  /// - Throws: `usage` for unknown columns, and for a table without suitable ones.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    var width = options.terminalWidth ?? 80
    if let text = options.values[Self.width.key] {
      guard let number = Int(text), (1...10_000).contains(number) else {
        throw Problem(.usage, "invalid value “\(text)” for option width", hint: "expected an integer from 1 to 10000")
      }
      width = number
    }
    let chart = try make(schema, descriptor.name, options.values)
    return ChartSink(
      chart, isImage ? "svg" : options.values[Self.form.key] ?? "text", width: width, style: options.style, open: open)
  }
}

/// Draws rows when it has all.
@safe private final class ChartSink: RowSink, @unchecked Sendable {
  private var chart: any Chart
  private let form: String, width: Int, style: TerminalStyle
  private let open: OpenBytes
  private var sink: (any ByteSink)?
  private var all = EncodedPart()
  private(set) var bytes = 0

  init(_ chart: any Chart, _ form: String, width: Int, style: TerminalStyle, open: @escaping OpenBytes) {
    (self.chart, self.form, self.width, self.style, self.open) = (chart, form, width, style, open)
  }

  func open() async throws(Problem) { sink = try await open() }

  func write(_ rows: PreparedRows) async throws(Problem) {
    for batch in rows.batches {
      try chart.add(batch)
      all.merge(EncodedPart(rows: batch.count))
    }
  }

  func finish() async throws(Problem) {
    try chart.close()
    var out = ByteBuffer(capacity: 1 << 16)
    if form == "text" {
      chart.write(width: width, style: style, &out)
    } else {
      var page = Markup(continuing: &out)
      if form == "svg" { page.chart(chart, hasStyle: true) } else { page.page(of: chart) }
      page.finish(into: &out)
    }
    try await sink?.write(out)
    bytes = out.count
  }

  func commit() async throws(Problem) -> WrittenRows {
    try await sink?.commit()
    var written = WrittenRows(sink?.name ?? "")
    (written.bytes, written.part) = (bytes, all)
    return written
  }

  func abandon() async {
    await sink?.abandon()
    sink = nil
  }
}
