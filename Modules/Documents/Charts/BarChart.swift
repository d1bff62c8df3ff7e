public import Codecs
public import Rows

/// A bar for each of the first rows; all begin at zero.
public struct BarChart: Chart {
  private struct Bar: Sendable {
    let label: String
    /// Nil for a missing value, and for one that is not drawn.
    let value: Double?
    let text: String
  }

  static let mostBars = 50
  /// The widest label and value, in cells.
  private static let widestLabel = 32, widestText = 26

  private let name: String
  private let value: Int, labels: [Int], valueTitle: String
  private let header: [String]
  private var bars: [Bar] = [], counts = ChartCounts()

  /// The bars of a table: the last numeric column by the title, unless options say otherwise.
  /// - Throws: `usage` if no column suits.
  public init(_ schema: Schema, format: String, _ options: [String: String]) throws(Problem) {
    let columns = ChartColumns(schema, format: format, options)
    name = schema.name
    value = try columns.value("a numeric column") { $0.isNumeric }
    labels = columns.labels(of: value)
    valueTitle = columns.title(value)
    header = [labels.map { ChartColumns.words(schema.columns[$0].name) }.joined(separator: ", "), valueTitle]
  }

  /// Adds rows.
  public mutating func add(_ batch: RowBatch) {
    for row in 0..<batch.count {
      counts.rows += 1
      let number = ChartNumber(batch[row, value], batch.arena)
      counts.add(number)
      guard bars.count < Self.mostBars else { continue }
      let label = labels.map { String(decoding: ChartNumber.plain(batch[row, $0], batch.arena), as: UTF8.self) }
      bars.append(Bar(label: label.joined(separator: ", "), value: number.position, text: number.text))
    }
  }

  /// Ends the rows.
  public mutating func close() {}

  private var axis: ChartAxis {
    let values = bars.compactMap(\.value)
    return ChartAxis(covering: min(values.min() ?? 0, 0)...max(values.max() ?? 0, 0), below: Self.plot)
  }

  /// The title, the description and the note.
  public var words: ChartWords {
    let drawn = bars.filter { $0.value != nil }
    let least = drawn.min { ($0.value ?? 0) < ($1.value ?? 0) }, most = drawn.max { ($0.value ?? 0) < ($1.value ?? 0) }
    var text = "bars: \(ChartCounts.counted(bars.count, "bar"))"
    if let least, let most {
      text += "; smallest: \(least.label): \(least.text); largest: \(most.label): \(most.text)"
    }
    let rest = counts.rows - bars.count
    return ChartWords(
      title: "\(name): \(valueTitle)\(header[0].isEmpty ? "" : " by \(header[0])")", description: text,
      note: (rest > 0 ? "and \(ChartCounts.counted(rest, "more row")); " : "") + counts.note)
  }

  /// The drawn values.
  public var table: [[String]] { [header] + bars.map { [$0.label, $0.text] } }

  // MARK: - Image

  private static let line = 220, plot = 4200

  private var labelRoom: Int { ChartText.room(bars.map(\.label), cutTo: Self.widestLabel) + 240 }
  private var textRoom: Int { ChartText.room(bars.map(\.text), cutTo: Self.widestText) + 140 }
  private var hasNegative: Bool { bars.contains { ($0.value ?? 0) < 0 } }

  /// The size, in pixels.
  public var size: (width: Int, height: Int) {
    let width = labelRoom + Self.plot + textRoom * (hasNegative ? 2 : 1) + 160
    return (max(width / 10, 480), (bars.count * Self.line) / 10 + 60)
  }

  /// Draws the bars.
  public func draw(from top: Int, to page: inout Markup) {
    let axis = axis, left = labelRoom + (hasNegative ? textRoom : 0), top = top * 10
    let zero = left + axis.place(0, on: Self.plot)
    page.axisBelow(
      axis, title: valueTitle, left: left, top: top, width: Self.plot, height: bars.count * Self.line)
    for (place, bar) in bars.enumerated() {
      let y = top + place * Self.line
      let end = left + (bar.value.map { axis.place($0, on: Self.plot) } ?? axis.place(0, on: Self.plot))
      let words = "\(bar.label): \(bar.text)"
      page.label(
        ChartText.cut(bar.label, Self.widestLabel), x: labelRoom - 100, y: y + 160, .end, class: "k", title: bar.label)
      if bar.value != nil {
        page.bar(x: min(zero, end), y: y + 30, width: abs(end - zero), height: 160, class: "m", title: words)
      }
      let isNegative = end < zero
      page.label(
        ChartText.cut(bar.text, Self.widestText), x: end + (isNegative ? -60 : 60), y: y + 160,
        isNegative ? .end : .start, class: "v", title: words)
    }
    page.line(x: zero, y: top, toX: zero, y: top + bars.count * Self.line, class: "z")
  }

  // MARK: - Text

  private static let eighths: [StaticString] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// Appends a line for each bar, and the note.
  public func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer) {
    let labels = bars.map { ChartText.visible($0.label) }, texts = bars.map { ChartText.visible($0.text) }
    let room = min(labels.map(ChartText.width).max() ?? 0, 40, max(width / 2, 1))
    let length = max(width - room - (texts.map(ChartText.width).max() ?? 0) - 2, 1)
    let values = bars.compactMap(\.value), least = min(values.min() ?? 0, 0), most = max(values.max() ?? 0, 0)
    // Halves, so that their difference is finite.
    let below = least < 0 ? Int((least / 2 / (least / 2 - most / 2) * Double(length)).rounded(.up)) : 0
    for (place, bar) in bars.enumerated() {
      out.append(ChartText.field(labels[place], room))
      out.append(" ")
      let eighths = Int(((bar.value ?? 0) / max(most - least, .leastNonzeroMagnitude) * Double(length * 8)).rounded())
      let cells = min((max(-eighths, 0) + 4) / 8, below)
      out.append(blanks: below - cells)
      style.begin(.number, &out)
      for _ in 0..<cells + max(eighths, 0) / 8 { out.append("█") }
      if eighths > 0 { out.append(Self.eighths[eighths % 8]) }
      style.end(.number, &out)
      if eighths > 0 || below > 0 { out.append(" ") }
      out.append(texts[place])
      out.append("\n")
    }
    writeNote(style, &out)
  }
}

extension Chart {
  /// Appends the title and the note as a line.
  func writeNote(_ style: TerminalStyle, _ out: inout ByteBuffer) {
    style.begin(.dim, &out)
    out.append(ChartText.visible("\(words.title); \(words.note)"))
    style.end(.dim, &out)
    out.append("\n")
  }
}
