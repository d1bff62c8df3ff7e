import Codecs
import Documents
import Domain
import Rows

/// The profile of a table as a page: a row for each column, with what is filled, its distribution and its most frequent
/// values.
struct ProfilePage: RowEncoder {
  /// The columns of a profile that the page needs.
  private static let names = [
    "column", "type", "rows", "nulls", "distinct_count", "distinct_is_exact", "min", "p25", "median", "p75", "max",
    "min_length", "max_length", "top", "histogram",
  ]

  private let title: String
  private let positions: [String: Int]
  private let style: StyleSheet
  /// The number of rows of the table.
  private let rows: Int

  /// Nil unless the table is a profile with all its columns.
  init?(_ schema: Schema, _ head: [RowBatch]) {
    positions = Dictionary(
      uniqueKeysWithValues: Self.names.compactMap { name in schema.position(of: name).map { (name, $0) } })
    guard positions.count == Self.names.count, let bars = positions["histogram"],
      schema.columns[bars].unit == Histogram.unit
    else { return nil }
    title = "\(schema.name): profile"
    var count = 0
    if let place = positions["rows"], let batch = head.first, batch.count > 0,
      case .integer(let number) = batch[0, place]
    {
      count = Int(number)
    }
    rows = count
    var style = StyleSheet()
    style.append(PageAsset.profileStyle)
    self.style = style
  }

  func begin(_ out: inout ByteBuffer) {
    var page = Markup(continuing: &out)
    page.head(title, style)
    page.raw("<main>\n<h1 id=\"title\">")
    page.text(title)
    page.raw("</h1>\n<p>")
    page.text(rows == 1 ? "1 row" : "\(Markup.grouped(rows)) rows")
    page.raw("</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"title\">\n")
    page.raw("<table aria-labelledby=\"title\">\n<thead>\n<tr>")
    for name in ["column", "type", "filled", "distinct", "distribution", "values"] {
      page.raw("<th scope=\"col\">")
      page.text(name)
      page.raw("</th>")
    }
    page.raw("</tr>\n</thead>\n<tbody>\n")
    page.finish(into: &out)
  }

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    var page = Markup(continuing: &out)
    for row in 0..<batch.count {
      put(Column(positions.mapValues { batch.value(row, $0) }), &page)
    }
    page.finish(into: &out)
    return EncodedPart(rows: batch.count)
  }

  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
    var page = Markup(continuing: &out)
    page.raw("</tbody>\n</table>\n</div>\n<p>")
    page.text(all.rows == 1 ? "1 column" : "\(all.rows) columns")
    page.raw("</p>\n</main>\n</body>\n</html>\n")
    page.finish(into: &out)
  }

  /// The figures of a column.
  private struct Column {
    private let values: [String: Value]

    init(_ values: [String: Value]) { self.values = values }

    func text(_ name: String) -> String? {
      switch values[name] ?? .null {
      case .text(let bytes), .json(let bytes), .number(let bytes): String(decoding: bytes, as: UTF8.self)
      case .integer(let number): String(number)
      default: nil
      }
    }
    func number(_ name: String) -> Int { text(name).flatMap { Int($0) } ?? 0 }
    var isExact: Bool { values["distinct_is_exact"] == .boolean(true) }
    var isText: Bool { text("p25") == nil }

    /// The counts of 16 intervals from the least to the greatest value; empty without.
    var histogram: [Int] {
      guard case .json(let bytes) = values["histogram"] ?? .null else { return [] }
      return ListText.elements(of: bytes).compactMap { Int($0) }
    }

    /// The most frequent values, if one is more frequent than others.
    var top: [(value: String, count: Int)] {
      guard case .json(let bytes) = values["top"] ?? .null, let list = (try? JSON.parse(bytes, name: ""))?.arrayValue
      else {
        return []
      }
      let all = list.compactMap { entry -> (value: String, count: Int)? in
        guard let count = entry["count"]?.integerValue, let value = entry["value"] else { return nil }
        return (value.stringValue ?? String(decoding: value.canonicalBytes, as: UTF8.self), Int(count))
      }
      return (all.first?.count ?? 0) > 1 ? Array(all.prefix(5)) : []
    }

    /// The place of a value between the least and the greatest one, in pixels of a width.
    func place(_ name: String, of width: Int) -> Int? {
      func position(_ name: String) -> Double? {
        text(name).flatMap { text in Double(text) ?? Dates.day(of: Array(text.utf8.prefix(10))).map(Double.init) }
      }
      guard let low = position("min"), let high = position("max"), let value = position(name), high > low else {
        return nil
      }
      return Int(((value - low) / (high - low) * Double(width)).rounded())
    }
  }

  /// The longest text of a value, in characters; longer ones are cut in the middle.
  private static let longest = 28

  private static func cut(_ text: String, to longest: Int = longest) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count <= longest ? line : "\(line.prefix(longest - 12))…\(line.suffix(11))"
  }

  private func put(_ column: Column, _ page: inout Markup) {
    let rows = column.number("rows"), filled = rows - column.number("nulls")
    let name = column.text("column") ?? "", isBlank = name.allSatisfy(\.isWhitespace)
    page.raw(isBlank ? "<tr><td" : "<tr><th scope=\"row\"")
    page.attribute("title", name)
    page.raw(">")
    page.text(Self.cut(name, to: 60))
    page.raw(isBlank ? "</td><td>" : "</th><td>")
    page.text(column.text("type") ?? "")
    page.raw("</td><td class=\"num\">")
    // A column with few nulls is not full.
    let share = rows == 0 ? 0 : filled == rows ? 100 : min(max(filled * 100 / rows, filled > 0 ? 1 : 0), 99)
    putBar(share, of: 100, &page)
    page.number(share)
    page.raw(" %</td><td class=\"num\">")
    if !column.isExact { page.raw("~") }
    page.text(Markup.grouped(column.number("distinct_count")))
    if column.isExact, filled > 0, column.number("distinct_count") == filled,
      !(column.text("type") ?? "").hasPrefix("[")
    {
      page.raw("<span title=\"every value is different\">=</span>")
    }
    page.raw("</td><td>")
    putDistribution(column, &page)
    page.raw("</td><td>")
    let top = column.top
    if !top.isEmpty {
      page.raw("<ul>")
      for (value, count) in top {
        page.raw("<li>")
        putBar(count, of: max(top[0].count, 1), &page)
        page.raw("<span")
        page.attribute("title", value)
        page.raw(">")
        page.text(Self.cut(value))
        page.raw("</span> <b>")
        page.text(Markup.grouped(count))
        page.raw("</b></li>")
      }
      page.raw("</ul>")
    } else if filled > 0, column.isText {
      let least = column.number("min_length"), most = column.number("max_length")
      page.text(least == most ? "\(least) characters" : "\(least)–\(most) characters")
    }
    page.raw("</td></tr>\n")
  }

  private func putBar(_ count: Int, of most: Int, _ page: inout Markup) {
    page.raw("<svg class=\"bar\" width=\"60\" height=\"9\" aria-hidden=\"true\"><rect height=\"9\"")
    page.attribute("width", count == 0 ? 0 : max(count * 60 / most, 1))
    page.raw("/></svg> ")
  }

  private static let width = 220, height = 44

  private func putDistribution(_ column: Column, _ page: inout Markup) {
    guard let low = column.text("min"), let high = column.text("max") else { return }
    let counts = column.histogram
    if let most = counts.max(), most > 0 {
      page.raw("<svg role=\"img\"")
      page.attribute("width", Self.width)
      page.attribute("height", Self.height + 6)
      page.raw("><title>")
      page.text("Distribution of \(column.text("column") ?? "")")
      page.raw("</title><desc>")
      page.text(
        "\(counts.count) equal intervals from \(low) to \(high): \(counts.map { String($0) }.joined(separator: ", "))")
      page.raw("</desc>")
      let step = Self.width / counts.count
      for (place, count) in counts.enumerated() where count > 0 {
        let size = max(count * Self.height / most, 1)
        page.raw("<rect")
        page.attribute("x", place * Self.width / counts.count)
        page.attribute("y", Self.height - size)
        page.attribute("width", max(step - 1, 1))
        page.attribute("height", size)
        page.raw("><title>")
        page.text(Markup.grouped(count))
        page.raw("</title></rect>")
      }
      for name in ["p25", "median", "p75"] {
        guard let place = column.place(name, of: Self.width) else { continue }
        page.raw("<rect class=\"mark\"")
        page.attribute("x", min(max(place - 1, 0), Self.width - 2))
        page.attribute("y", Self.height)
        page.raw(" width=\"2\" height=\"6\"><title>")
        page.text(
          "\(name == "median" ? "median" : name == "p25" ? "first quartile" : "third quartile"): \(column.text(name) ?? "")"
        )
        page.raw("</title></rect>")
      }
      page.raw("</svg>")
    }
    page.raw("<div class=\"ends\">")
    var ends = [(title: low, value: low)]
    if low != high { ends += (column.text("median").map { [("median", $0)] } ?? []) + [(high, high)] }
    for end in ends {
      page.raw("<span")
      page.attribute("title", end.title)
      page.raw(">")
      page.text(Self.cut(end.value))
      page.raw("</span>")
    }
    page.raw("</div>")
  }
}
