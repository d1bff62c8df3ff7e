import Codecs
import Documents
public import Domain
public import Rows

/// A bar for each row of a table: the label is its title column, the value its last numeric column.
public struct ChartExporter: ByteFormat {
  private enum Form { case text, image }
  private let form: Form

  private init(_ form: Form) { self.form = form }

  /// Bars of characters, for a terminal.
  public static let bars = ChartExporter(.text)
  /// Bars as an image.
  public static let svg = ChartExporter(.image)

  private static let width = ExporterDescriptor.Option(
    "width", "N", "Fit the bars into N columns [default: the width of the terminal, otherwise 80]")

  /// `bars` or `svg`.
  public var descriptor: ExporterDescriptor {
    switch form {
    case .text:
      ExporterDescriptor(
        "bars", fileExtensions: [], mediaType: "text/plain; charset=utf-8",
        summary: "A bar for each of the first 50 rows, by the last numeric column", isExact: false,
        measuring: .head(rows: BarChart.mostBars), isStyled: true, options: [Self.width])
    case .image:
      ExporterDescriptor(
        "svg", fileExtensions: ["svg"], mediaType: "image/svg+xml",
        summary: "An image with a bar for each of the first 50 rows, by the last numeric column", isExact: false,
        measuring: .head(rows: BarChart.mostBars))
    }
  }

  /// An encoder.
  /// - Throws: `usage` for a table without a numeric column.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard let chart = BarChart(schema, layout.head) else {
      throw Problem(
        .usage, "\(descriptor.name) requires a numeric column, which \(schema.name) does not have",
        hint: .set(.countBy, for: "count values"))
    }
    if form == .image { return ImageEncoder(chart: chart, title: schema.name) }
    var width = options.terminalWidth ?? 80
    if let text = options.values[Self.width.key] {
      guard let number = Int(text), (1...10_000).contains(number) else {
        throw Problem(.usage, "invalid value “\(text)” for option width", hint: "expected an integer from 1 to 10000")
      }
      width = number
    }
    return TextEncoder(chart: chart, width: width, style: options.style)
  }

  /// `and 7 more rows`; nil if there are none.
  private static func rest(_ chart: BarChart, of rows: Int) -> String? {
    rows > chart.bars.count ? "and \(counted(rows - chart.bars.count, "more row"))" : nil
  }

  private struct TextEncoder: RowEncoder {
    let chart: BarChart
    let width: Int
    let style: TerminalStyle

    // All bars are of the head, which was measured.
    func begin(_ out: inout ByteBuffer) { chart.write(width: width, style: style, &out) }
    func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart { EncodedPart(rows: batch.count) }
    func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
      if let rest = ChartExporter.rest(chart, of: all.rows) { out.append("\(rest)\n") }
    }
  }

  private struct ImageEncoder: RowEncoder {
    let chart: BarChart
    let title: String

    func begin(_ out: inout ByteBuffer) {}
    func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart { EncodedPart(rows: batch.count) }
    func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
      var page = Markup(continuing: &out)
      chart.write(title: title, rest: ChartExporter.rest(chart, of: all.rows), to: &page)
      page.finish(into: &out)
    }
  }
}
