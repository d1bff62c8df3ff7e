public import Codecs
public import Rows

/// Rows by columns of coloured cells: the number of rows in each, or a value.
public struct MatrixChart: Chart {
  private struct Entry: Sendable {
    var rows = 0
    /// The value; nil if rows are counted.
    var value: ChartNumber?
  }

  private static let most = 400
  /// The most that are counted if there are more.
  private static let mostCounted = 100_000

  private let name: String, valueTitle: String
  private let value: Int?
  private let scale: (low: DecimalNumber, high: DecimalNumber)?
  private var rows: MatrixAxis, columns: MatrixAxis
  private var entries: [UInt64: Entry] = [:]
  private var counts = ChartCounts()
  // Known after `close`.
  private var rowOrder: [Int] = [], columnOrder: [Int] = []
  private var classes = MatrixClasses([], scale: nil)

  /// The matrix of a table: the first two columns, and the third of three, unless options say otherwise.
  /// - Throws: `usage` for unknown columns, or if none suit.
  public init(_ schema: Schema, format: String, _ options: [String: String]) throws(Problem) {
    let chart = ChartColumns(schema, format: format, options)
    func isValue(_ position: Int) -> Bool { chart.type(position).isNumeric || chart.type(position) == .boolean }
    let suitable = schema.columns.indices.filter { chart.isSuitable($0) && chart.type($0) != .bytes }
    let value: Int?
    if options["value"] != nil {
      value = try chart.value("a column of numbers or Booleans") { $0.isNumeric || $0 == .boolean }
    } else {
      value = schema.width == 3 && options["rows"] == nil && options["columns"] == nil && isValue(2) ? 2 : nil
    }
    let free = suitable.filter { $0 != value }.map { schema.columns[$0].name }
    guard let rows = options["rows"] ?? free.first,
      let columns = options["columns"] ?? free.first(where: { $0 != rows })
    else {
      throw Problem(
        .usage, "\(format) requires two columns, which \(schema.name) does not have",
        hint: .set(.outputFormat, to: "bars"))
    }
    self.rows = try MatrixAxis(rows, chart)
    self.columns = try MatrixAxis(columns, chart)
    scale = try options["scale"].map { (text) throws(Problem) in
      guard let middle = text.indices.first(where: { text[$0...].hasPrefix("..") }),
        let low = DecimalNumber(Array(text[..<middle].utf8)),
        let high = DecimalNumber(Array(text[middle...].dropFirst(2).utf8)), low < high
      else {
        throw Problem(.usage, "invalid value “\(text)” for option scale", hint: "use LOW..HIGH, for example 0..10")
      }
      return (low, high)
    }
    (name, self.value) = (schema.name, value)
    valueTitle = value.map { chart.title($0) } ?? "rows"
  }

  /// Adds rows.
  public mutating func add(_ batch: RowBatch) {
    for row in 0..<batch.count {
      counts.rows += 1
      let number = value.map { ChartNumber(batch[row, $0], batch.arena) }
      if let number { counts.add(number) }
      guard max(rows.labels.count, columns.labels.count) <= Self.mostCounted else { return }
      let across = columns.indices(batch, row)
      for down in rows.indices(batch, row) {
        guard rows.labels.count <= Self.most, columns.labels.count <= Self.most else { continue }
        for column in across {
          let key = UInt64(down) << 32 | UInt64(column)
          entries[key, default: Entry()].rows += 1
          if let number { entries[key]?.value = number }
        }
      }
    }
  }

  /// Sorts rows and columns, and makes the classes.
  /// - Throws: `badData` for too many, and for several rows in one cell with a value.
  public mutating func close() throws(Problem) {
    rows.fill(atMost: Self.most)
    columns.fill(atMost: Self.most)
    guard rows.labels.count <= Self.most, columns.labels.count <= Self.most else {
      func count(_ axis: MatrixAxis) -> String {
        axis.labels.count > Self.mostCounted
          ? "more than \(ChartCounts.text(Self.mostCounted))" : ChartCounts.text(axis.labels.count)
      }
      throw Problem(
        .badData, "matrix draws at most 400 × 400 cells, not \(count(rows)) × \(count(columns))",
        hint: [.set(.conditions, for: "select fewer"), .set(.limit)])
    }
    (rowOrder, columnOrder) = (rows.sorted(), columns.sorted())
    if value != nil {
      for row in rowOrder {
        for column in columnOrder {
          guard let entry = entry(row, column), entry.rows > 1 else { continue }
          throw Problem(
            .badData, "\(rows.place(row)), \(columns.place(column)): \(ChartCounts.counted(entry.rows, "row"))",
            hint: .set(.grouping, for: "group the rows"))
        }
      }
    }
    classes = MatrixClasses(Set(entries.values.compactMap(number)), scale: scale)
  }

  private func entry(_ row: Int, _ column: Int) -> Entry? { entries[UInt64(row) << 32 | UInt64(column)] }

  private func number(_ entry: Entry) -> DecimalNumber? {
    guard let value = entry.value else { return DecimalNumber(Int64(entry.rows)) }
    if case .number(_, let number) = value { return number }
    return nil
  }

  private func text(_ entry: Entry?) -> String { entry.map { $0.value?.text ?? ChartCounts.text($0.rows) } ?? "no row" }

  /// The numbers of cells with null, without a row, and with values outside of a given scale.
  private var others: (nulls: Int, undrawn: Int, empty: Int, below: Int, above: Int) {
    var all = (
      nulls: 0, undrawn: 0, empty: rows.labels.count * columns.labels.count - entries.count, below: 0, above: 0
    )
    for entry in entries.values {
      guard let number = number(entry) else {
        if case .undrawn = entry.value { all.undrawn += 1 } else { all.nulls += 1 }
        continue
      }
      let side = classes.classify(number).side
      if side < 0 { all.below += 1 } else if side > 0 { all.above += 1 }
    }
    return all
  }

  /// The title, the description and the note.
  public var words: ChartWords {
    var least: (Int, Int, DecimalNumber)?, most: (Int, Int, DecimalNumber)?
    for row in rowOrder {
      for column in columnOrder {
        guard let number = entry(row, column).flatMap(number) else { continue }
        if least.map({ number < $0.2 }) ?? true { least = (row, column, number) }
        if most.map({ $0.2 < number }) ?? true { most = (row, column, number) }
      }
    }
    func label(_ mark: (Int, Int, DecimalNumber)) -> String { title(mark.0, mark.1) }
    var text = "matrix: \(ChartCounts.counted(entries.count, "cell"))"
    if let least, let most { text += "; smallest: \(label(least)); largest: \(label(most))" }
    return ChartWords(
      title: "\(name): \(valueTitle) by \(rows.title) and \(columns.title)", description: text, note: counts.note)
  }

  private func title(_ row: Int, _ column: Int) -> String {
    "\(rows.text(row)) · \(columns.text(column)): \(text(entry(row, column)))"
  }

  /// The drawn values.
  public var table: [[String]] {
    [[""] + columnOrder.map(columns.text)]
      + rowOrder.map { row in
        [rows.text(row)] + columnOrder.map { entry(row, $0) == nil ? "·" : text(entry(row, $0)) }
      }
  }

  // MARK: - Image

  private struct Layout {
    var left: Int, top: Int, width: Int, height: Int, isUpright: Bool
    /// The cells to which labels are cut.
    let rowLabel: Int, columnLabel: Int
  }

  private var layout: Layout {
    let names = rowOrder.map(rows.text), labels = columnOrder.map(columns.text)
    let rowLabel = ChartText.cut(names, from: 40, to: 80), columnLabel = ChartText.cut(labels, from: 24, to: 60)
    let widest = ChartText.room(labels, cutTo: columnLabel)
    let number = entries.values.map { ChartText.width(text($0)) }.max() ?? 1
    let isSmall = columnOrder.count > 80
    let width = isSmall ? 120 : min(max(number * 70 + 80, 240), 700)
    let isUpright = widest + 20 > width
    return Layout(
      left: ChartText.room(names + [rows.title], cutTo: rowLabel) + 260,
      top: isUpright ? widest + 300 : 400, width: width, height: rowOrder.count > 80 ? 140 : 220,
      isUpright: isUpright, rowLabel: rowLabel, columnLabel: columnLabel)
  }

  private var legendRows: Int { (legend.count + 3) / 4 }

  /// The size, in pixels.
  public var size: (width: Int, height: Int) {
    let layout = layout
    return (
      max((layout.left + layout.width * columnOrder.count + 200) / 10, 640),
      (layout.top + layout.height * rowOrder.count + 300 + legendRows * 220) / 10
    )
  }

  private static let shades: [[StaticString]] = [
    ["b0", "b1", "b2", "b3", "b4", "b5", "b6"], ["o0", "o1", "o2", "o3", "o4", "o5", "o6"],
  ]
  private static let inks: [StaticString] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]

  /// A look of cells, and its meaning.
  private enum Look { case value(Int), null, undrawn, empty, note }

  private var legend: [(look: Look, text: String)] {
    let others = others
    var all: [(Look, String)] = (0..<classes.count).map { (.value($0), classes.text($0)) }
    if others.nulls > 0 { all.append((.null, "null")) }
    if others.undrawn > 0 { all.append((.undrawn, "infinite or too large")) }
    if others.empty > 0 { all.append((.empty, "no row")) }
    if others.below > 0 { all.append((.note, "< \(ChartCounts.counted(others.below, "value")) below")) }
    if others.above > 0 { all.append((.note, "> \(ChartCounts.counted(others.above, "value")) above")) }
    return all
  }

  private func cell(_ look: Look, x: Int, y: Int, _ layout: Layout, to page: inout Markup) {
    var name: StaticString = "c"
    if case .value(let number) = look {
      let shade = classes.shade(number)
      name = Self.shades[shade.isNegative ? 1 : 0][shade.level]
    }
    page.mark("rect", name, ["x": x, "y": y, "width": layout.width - 10, "height": layout.height - 10])
    page.raw("/>")
    switch look {
    case .value, .note: break
    case .null:
      for part in 1...3 {
        let place = (layout.width - 10) * part / 4
        page.line(
          x: x + place - 30, y: y + layout.height - 30, toX: x + place + 30, y: y + 20, class: "x")
      }
    case .undrawn:
      let y = y + layout.height / 2 - 5
      page.line(x: x + 40, y: y, toX: x + layout.width - 50, y: y, class: "x")
    case .empty:
      page.mark("circle", "d", ["r": 15, "cx": x + layout.width / 2 - 5, "cy": y + layout.height / 2 - 5])
      page.raw("/>")
    }
  }

  /// The look of a cell, and the mark before its number if it is outside of the scale.
  private func look(_ entry: Entry?) -> (Look, String) {
    guard let entry else { return (.empty, "") }
    if case .undrawn = entry.value { return (.undrawn, "") }
    guard let number = number(entry) else { return (.null, "") }
    let (place, side) = classes.classify(number)
    return (.value(place), side < 0 ? "<" : side > 0 ? ">" : "")
  }

  /// Draws the cells, their labels and the legend.
  public func draw(from start: Int, to page: inout Markup) {
    let layout = layout, top = start * 10 + layout.top
    let each = max(1, (140 + layout.width - 1) / layout.width)
    for (place, column) in columnOrder.enumerated() where place % (layout.isUpright ? each : 1) == 0 {
      let x = layout.left + place * layout.width + layout.width / 2
      let text = columns.text(column), cut = ChartText.cut(text, layout.columnLabel)
      if layout.isUpright {
        page.raw("<g transform=\"translate(")
        page.number(tenths: x + 40)
        page.raw(" ")
        page.number(tenths: top - 50)
        page.raw(") rotate(-90)\">")
        page.label(cut, x: 0, y: 0, class: "k", title: text)
        page.raw("</g>\n")
      } else {
        page.label(cut, x: x, y: top - 60, .middle, class: "k", title: text)
      }
    }
    for (place, row) in rowOrder.enumerated() {
      let text = rows.text(row)
      let cut = ChartText.cut(text, layout.rowLabel)
      page.label(
        cut, x: layout.left - 80, y: top + place * layout.height + layout.height / 2 + 40, .end,
        class: "k", title: text)
    }
    page.label(ChartText.cut(rows.title, layout.rowLabel), x: layout.left - 80, y: top - 60, .end, class: "a")
    let titleRoom = size.width / 8 - layout.left / 80
    page.label(ChartText.cut(columns.title, titleRoom), x: layout.left, y: start * 10 + 140, class: "a")
    page.raw("<g class=\"cells\">\n")
    for (down, row) in rowOrder.enumerated() {
      for (across, column) in columnOrder.enumerated() {
        let x = layout.left + across * layout.width, y = top + down * layout.height
        let entry = entry(row, column), (look, mark) = look(entry), text = mark + text(entry)
        page.raw("<g>")
        page.title(title(row, column))
        cell(look, x: x, y: y, layout, to: &page)
        if case .value(let number) = look, ChartText.width(text) * 70 + 20 <= layout.width, layout.height > 150 {
          page.label(
            text, x: x + layout.width / 2 - 5, y: y + layout.height / 2 + 40, .middle,
            class: Self.inks[classes.shade(number).level])
        }
        page.raw("</g>\n")
      }
    }
    page.raw("</g>\n")
    for (place, next) in zip(rowOrder.indices, rowOrder.indices.dropFirst())
    where rows.changes(rowOrder[place], rowOrder[next]) {
      let y = top + next * layout.height - 5
      page.line(x: layout.left, y: y, toX: layout.left + columnOrder.count * layout.width, y: y, class: "z")
    }
    for (place, next) in zip(columnOrder.indices, columnOrder.indices.dropFirst())
    where columns.changes(columnOrder[place], columnOrder[next]) {
      let x = layout.left + next * layout.width - 5
      page.line(x: x, y: top, toX: x, y: top + rowOrder.count * layout.height, class: "z")
    }
    let y = top + rowOrder.count * layout.height + 200
    page.raw("<g class=\"legend\">\n")
    page.label(valueTitle, x: 160, y: y + 140, class: "a")
    var key = layout
    (key.width, key.height) = (240, 180)
    for (place, (look, text)) in legend.enumerated() {
      let x = 160 + (place % 4) * 1550, y = y + 220 + (place / 4) * 220
      if case .note = look {} else { cell(look, x: x, y: y, key, to: &page) }
      page.label(text, x: x + 300, y: y + 130, class: "k")
    }
    page.raw("</g>\n")
  }

  // MARK: - Text

  private static let backgrounds: [[StaticString]] = [
    ["195", "153", "111", "39", "31", "25", "17"], ["230", "223", "215", "173", "130", "94", "52"],
  ]

  /// Appends the cells in blocks that fit, and the legend.
  public func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer) {
    let names = rowOrder.map { ChartText.visible(rows.text($0)) }
    let widest = names.map(ChartText.width).max() ?? 0, usual = min(widest, 40, max(width / 2, 1))
    let room = ChartText.cut(names, from: usual, to: min(widest, width - 12))
    let labels = columnOrder.map { ChartText.visible(columns.text($0)) }
    let values = columnOrder.map { column in
      rowOrder.map { ChartText.width(sign(entry($0, column)).text) }.filter { $0 <= 10 }.max() ?? 1
    }
    func widths(_ most: Int) -> [Int] {
      zip(labels, values).map { max(min(ChartText.width($0), most), $1, 1) }
    }
    // Labels are complete, or as wide as fits.
    let least = ChartText.cut(labels, from: 14, to: max(width - room - 2, 14)), all = width - room
    let most = (least...max(least, 40)).last { widths($0).reduce(0) { $0 + $1 + 2 } <= all } ?? least
    let widths = widths(most)
    var start = 0
    repeat {
      var end = start, used = room
      while end < widths.count, end == start || used + widths[end] + 2 <= width {
        used += widths[end] + 2
        end += 1
      }
      if start > 0 { out.append("\n") }
      out.append(blanks: room)
      for place in start..<end {
        out.append("  ")
        out.append(ChartText.field(ChartText.visible(columns.text(columnOrder[place])), widths[place], isRight: true))
      }
      out.append("\n")
      for (row, name) in zip(rowOrder, names) {
        out.append(ChartText.field(name, room))
        for place in start..<end {
          out.append("  ")
          write(entry(row, columnOrder[place]), widths[place], style, &out)
        }
        out.append("\n")
      }
      start = end
    } while start < widths.count
    out.append("\(ChartText.visible(valueTitle))\(value == nil ? " per cell" : ""):")
    for (place, (look, text)) in legend.enumerated() {
      out.append(place == 0 ? " " : "  ")
      switch look {
      case .value(let number): out.append("\(number + 1) \(text)")
      case .null: out.append("× \(text)")
      case .undrawn: out.append("! \(text)")
      case .empty: out.append("· \(text)")
      case .note: out.append(text)
      }
    }
    out.append("\n")
    writeNote(style, &out)
  }

  /// A cell as text, and its class.
  private func sign(_ entry: Entry?) -> (text: String, number: Int?) {
    let (look, mark) = look(entry)
    switch look {
    case .empty, .note: return ("·", nil)
    case .null: return ("×", nil)
    case .undrawn: return ("!", nil)
    case .value(let number): return (mark + text(entry), number)
    }
  }

  private func write(_ entry: Entry?, _ width: Int, _ style: TerminalStyle, _ out: inout ByteBuffer) {
    let (text, number) = sign(entry)
    if let number, style.isColored {
      let shade = classes.shade(number)
      out.append("\u{1B}[48;5;")
      out.append(Self.backgrounds[shade.isNegative ? 1 : 0][shade.level])
      out.append(shade.level < 4 ? ";38;5;16m" : ";38;5;231m")
    }
    let short = number.map { ChartText.width(text) <= width ? text : "\($0 + 1)" } ?? text
    out.append(ChartText.field(short, width, isRight: true))
    if number != nil, style.isColored { out.append("\u{1B}[0m") }
  }
}
