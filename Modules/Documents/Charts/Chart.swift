public import Codecs
public import Rows

/// A drawing of the rows of a table: `add` for each batch in order, then `close`, then the drawing in any form.
public protocol Chart: Sendable {
  /// Adds rows.
  /// - Throws: `badData` for rows that it cannot draw.
  mutating func add(_ batch: RowBatch) throws(Problem)
  /// Ends the rows.
  /// - Throws: `badData` for more rows than it can draw.
  mutating func close() throws(Problem)
  /// The title, the description and the note.
  var words: ChartWords { get }
  /// The size without title and note, in pixels. Known after `close`.
  var size: (width: Int, height: Int) { get }
  /// Draws it from `top` on.
  func draw(from top: Int, to page: inout Markup)
  /// Appends it as text of at most `width` cells.
  func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer)
  /// The drawn values: a header, and rows whose first field is their label.
  var table: [[String]] { get }
}

/// The words of a chart.
public struct ChartWords: Sendable {
  var title: String
  /// The kind, the number of marks, the least and the greatest value.
  var description: String
  /// The number of rows, nulls and other values that are not drawn.
  var note: String

  /// The description of marks: `bars: 2 bars; smallest: A: 1; largest: B: 2`.
  static func description<Mark, Value: Comparable>(
    _ kind: String, _ marks: [Mark], _ unit: String, by value: (Mark) -> Value, text: (Mark) -> String
  ) -> String {
    let words = "\(kind): \(ChartCounts.counted(marks.count, unit))"
    guard let least = marks.min(by: { value($0) < value($1) }), let most = marks.max(by: { value($0) < value($1) })
    else { return words }
    return "\(words); smallest: \(text(least)); largest: \(text(most))"
  }
}

/// The number of rows of a chart, and of those that it does not draw like others.
struct ChartCounts: Sendable {
  var rows = 0, nulls = 0, undrawn = 0, partial = 0

  mutating func add(_ number: ChartNumber) {
    switch number {
    case .null: nulls += 1
    case .undrawn: undrawn += 1
    case .time(_, true, _): partial += 1
    default: break
    }
  }

  /// `62 rows, 1 null`.
  var note: String {
    var parts = [Self.counted(rows, "row")]
    if nulls > 0 { parts.append(Self.counted(nulls, "null")) }
    if partial > 0 { parts.append("\(Self.counted(partial, "partial date")) at the first day") }
    if undrawn > 0 { parts.append("\(Self.text(undrawn)) not drawn (infinite, not a number, or above 10^300)") }
    return parts.joined(separator: ", ")
  }

  static func text(_ count: Int) -> String { ChartNumber.text(DecimalNumber(Int64(count))) }
  static func counted(_ count: Int, _ what: String) -> String { "\(text(count)) \(what)\(count == 1 ? "" : "s")" }
}

/// The columns of a chart: those that its options name, or those that suit.
struct ChartColumns {
  let schema: Schema
  let format: String
  let options: [String: String]
  private let roles: [ColumnRole?]

  init(_ schema: Schema, format: String, _ options: [String: String]) {
    (self.schema, self.format, self.options, roles) = (schema, format, options, schema.roles)
  }

  func type(_ position: Int) -> ColumnType { schema.columns[position].type }

  /// The name and the unit of a column: `duration minutes (minutes)`.
  func title(_ position: Int) -> String {
    let column = schema.columns[position]
    return Self.words(column.name) + (column.unit.isEmpty ? "" : " (\(column.unit))")
  }
  static func words(_ name: String) -> String { name.split(separator: "_").joined(separator: " ") }

  /// Whether a column may be chosen by default: no identifier, no bookkeeping, no coordinate.
  func isSuitable(_ position: Int) -> Bool {
    let name = schema.columns[position].name.lowercased()
    let last = name.split { $0 == "_" || $0 == "." || $0 == " " }.last ?? ""
    return roles[position] != .identifier && roles[position] != .audit && !(roles[position]?.isImage ?? false)
      && !["id", "uuid", "guid", "latitude", "longitude", "lat", "lon", "lng"].contains(last)
  }

  /// The position of a column.
  /// - Throws: `usage` with the nearest name.
  func position(of name: String) throws(Problem) -> Int {
    if let found = schema.position(of: name) { return found }
    throw Problem(
      .usage, "\(schema.name) has no column “\(name)”",
      hint: .choose(name, from: schema.columns.map(\.name), "available columns"))
  }

  /// The column with the values: that of the option, or the last that suits.
  /// - Throws: `usage` if there is none, with those that an option may name.
  func value(_ what: String, _ fits: (ColumnType) -> Bool) throws(Problem) -> Int {
    let possible = schema.columns.indices.filter { fits(type($0)) }
    if let name = options["value"] {
      let position = try position(of: name)
      if possible.contains(position) { return position }
      throw Problem(
        .usage, "\(format) requires \(what), and \(name) is \(type(position).name)",
        hint: possible.isEmpty
          ? .set(.countBy, for: "count values")
          : "suitable columns: \(possible.map { schema.columns[$0].name }.joined(separator: ", "))")
    }
    let usual = possible.filter { isSuitable($0) && !schema.key.contains($0) }
    if let found = usual.last(where: { type($0).isNumeric }) ?? usual.last { return found }
    var hint = Remedy.set(.countBy, for: "count values")
    for position in possible { hint = hint.or(.set(.formatOption("value"), to: schema.columns[position].name)) }
    throw Problem(.usage, "\(format) requires \(what), which \(schema.name) does not have", hint: hint)
  }

  func labels(of value: Int) -> [Int] {
    // Of the results of a grouping all columns before the value are the label.
    let isGrouped = schema.columns[value].role == nil && schema.key.isEmpty && value == schema.width - 1
    if isGrouped, value <= 3 { return Array(0..<value) }
    return (schema.title ?? schema.columns.indices.first { $0 != value }).map { [$0] } ?? []
  }
}

enum ChartText {
  static func width(_ text: String) -> Int { ByteRun.reading(text, DisplayWidth.of) }

  /// The room of the widest of some texts in an image, each cut to `most` cells, in tenths of a pixel. Capitals and
  /// signs are wider than digits.
  static func room(_ texts: [String], cutTo most: Int = .max) -> Int {
    texts.map { text in
      let text = cut(text, most)
      return width(text) * 81 + text.utf8.count { (0x3C...0x5A).contains($0) || $0 == 0x6D || $0 == 0x77 } * 45
    }.max() ?? 0
  }

  /// The text, or as much of it as takes at most `width` cells with an ellipsis.
  static func cut(_ text: String, _ width: Int) -> String {
    if Self.width(text) <= width { return text }
    let kept = ByteRun.reading(text) { DisplayWidth.prefix(of: $0, width: max(width - 1, 0)).count }
    return String(decoding: text.utf8.prefix(kept), as: UTF8.self) + "…"
  }

  /// The width to cut texts to: at least `least`, and if different ones would look the same, as much as it takes.
  static func cut(_ texts: [String], from least: Int, to most: Int) -> Int {
    let all = Set(texts)
    return (least..<max(least, most)).first { width in Set(all.map { cut($0, width) }).count == all.count }
      ?? max(least, most)
  }

  /// The text with nothing that drives a terminal, cut and filled with blanks.
  static func field(_ text: String, _ width: Int, isRight: Bool = false) -> String {
    let text = cut(text, width), blanks = String(repeating: " ", count: max(width - Self.width(text), 0))
    return isRight ? blanks + text : text + blanks
  }

  /// The text with nothing that drives a terminal.
  static func visible(_ text: String) -> String {
    var out = ByteBuffer(capacity: 64)
    _ = ByteRun.reading(text) { VisibleText.append($0, to: &out) }
    return String(decoding: out.bytes(), as: UTF8.self)
  }
}

extension ByteRun {
  fileprivate static func reading<Result>(_ text: String, _ body: (ByteRun) -> Result) -> Result {
    let arena = Arena(Array(text.utf8))
    return body(ByteRun(arena, 0, UInt32(text.utf8.count)))
  }
}
