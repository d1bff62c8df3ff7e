public import Codecs
public import Rows

/// Labels and values as bars, of characters or as an SVG image.
public struct BarChart: Sendable {
  /// A bar.
  public struct Bar: Sendable, Hashable {
    /// The label and the value as text.
    let label: [UInt8], text: [UInt8]
    /// The length; nil for a missing value.
    let value: Double?
  }

  /// The bars, in the order of the rows.
  public private(set) var bars: [Bar] = []
  private let valueName: String

  /// The most bars of a chart.
  public static let mostBars = 50
  /// The widest label.
  private static let widestLabel = 40

  /// The bars of rows of `schema`: labels are its title, or all other columns; values its last numeric column.
  /// - Returns: nil if no column is numeric.
  public init?(_ schema: Schema, _ batches: [RowBatch]) {
    guard let value = schema.columns.lastIndex(where: { $0.type.isNumeric }) else { return nil }
    let title = schema.title ?? schema.columns.indices.first { $0 != value }
    let isGrouped = schema.columns[value].role == nil && schema.key.isEmpty && value == schema.width - 1
    // Of the results of a grouping all columns before the value are the label.
    let labels = isGrouped && value <= 3 ? Array(0..<value) : title.map { [$0] } ?? []
    valueName = schema.columns[value].name
    for batch in batches {
      for row in 0..<batch.count where bars.count < Self.mostBars {
        var label = ByteBuffer(capacity: 64), text = ByteBuffer(capacity: 32)
        for (place, column) in labels.enumerated() {
          if place > 0 { label.append(", ") }
          DisplayText.appendPlain(batch[row, column], batch.arena, to: &label)
        }
        DisplayText.appendPlain(batch[row, value], batch.arena, to: &text)
        let bytes = text.bytes()
        bars.append(Bar(label: label.bytes(), text: bytes, value: Double(String(decoding: bytes, as: UTF8.self))))
      }
    }
  }

  /// The length of the longest bar.
  private var most: Double { max(bars.compactMap(\.value).filter(\.isFinite).max() ?? 0, 0) }

  /// The share of the longest bar, 0 to 1; nothing for a negative value.
  private func share(_ bar: Bar) -> Double {
    guard let value = bar.value, value.isFinite, value > 0, most > 0 else { return 0 }
    return value / most
  }

  private static let eighths: [StaticString] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// Appends a line for each bar.
  /// - `width`: the columns of a line.
  public func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer) {
    func visible(_ bytes: [UInt8], _ out: inout ByteBuffer) {
      let arena = Arena(bytes)
      _ = VisibleText.append(ByteRun(arena, 0, UInt32(bytes.count)), to: &out)
    }
    var labels: [(text: [UInt8], width: Int)] = []
    for bar in bars {
      var label = ByteBuffer(capacity: 64)
      visible(bar.label, &label)
      labels.append((label.bytes(), label.run(DisplayWidth.of)))
    }
    let widestText = bars.map(\.text.count).max() ?? 0
    let room = min(labels.map(\.width).max() ?? 0, Self.widestLabel, max(width / 2, 1))
    let length = max(width - room - widestText - 2, 1)
    for (bar, label) in zip(bars, labels) {
      let arena = Arena(label.text), run = ByteRun(arena, 0, UInt32(label.text.count))
      if label.width > room {
        let kept = DisplayWidth.prefix(of: run, width: max(room - 1, 0))
        out.append(run.slice(from: 0, atMost: kept.0))
        out.append("…")
        out.append(blanks: room - 1 - kept.1)
      } else {
        out.append(run)
        out.append(blanks: room - label.width)
      }
      out.append(" ")
      let eighths = Int((share(bar) * Double(length * 8)).rounded())
      if eighths > 0 {
        style.begin(.number, &out)
        for _ in 0..<eighths / 8 { out.append("█") }
        out.append(Self.eighths[eighths % 8])
        style.end(.number, &out)
        out.append(" ")
      }
      visible(bar.text.isEmpty ? Array("–".utf8) : bar.text, &out)
      out.append("\n")
    }
  }

  /// Appends an SVG image.
  /// - `rest`: a line below the bars.
  public func write(title: String, rest: String?, to page: inout Markup) {
    let line = 22, left = 230, length = 420, right = 110
    let height = (bars.count + (rest == nil ? 0 : 1)) * line + 8
    page.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"")
    page.number(left + length + right)
    page.raw("\" height=\"")
    page.number(height)
    page.raw("\" viewBox=\"0 0 ")
    page.number(left + length + right)
    page.raw(" ")
    page.number(height)
    page.raw("\">\n<title>")
    page.text("\(title): \(valueName)")
    page.raw("</title>\n<style>text { font: 13px system-ui, sans-serif; fill: #1b1f24 } rect { fill: #0b5cad }")
    page.raw(" @media (prefers-color-scheme: dark) { text { fill: #e4e8ee } rect { fill: #79b8ff } }</style>\n")
    for (place, bar) in bars.enumerated() {
      let y = place * line + 4, tenths = Int((share(bar) * Double(length * 10)).rounded())
      let label = String(decoding: bar.label, as: UTF8.self)
      page.raw("<text text-anchor=\"end\" x=\"")
      page.number(left - 8)
      page.raw("\" y=\"")
      page.number(y + 15)
      page.raw("\">")
      page.text(label.count > 32 ? label.prefix(31) + "…" : label)
      page.raw("</text><rect rx=\"2\" x=\"")
      page.number(left)
      page.raw("\" y=\"")
      page.number(y + 2)
      page.raw("\" height=\"")
      page.number(line - 6)
      page.raw("\" width=\"")
      page.number(tenths: tenths)
      page.raw("\"/><text x=\"")
      page.number(tenths: left * 10 + tenths + 60)
      page.raw("\" y=\"")
      page.number(y + 15)
      page.raw("\">")
      page.text(bytes: bar.text.isEmpty ? Array("–".utf8) : bar.text)
      page.raw("</text>\n")
    }
    if let rest {
      page.raw("<text x=\"")
      page.number(left)
      page.raw("\" y=\"")
      page.number(bars.count * line + 19)
      page.raw("\">")
      page.text(rest)
      page.raw("</text>\n")
    }
    page.raw("</svg>\n")
  }
}
