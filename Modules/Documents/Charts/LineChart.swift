public import Codecs
public import Rows

/// Values by time or by a number, as lines with a mark for each point.
public struct LineChart: Chart {
  private struct Point: Sendable {
    let x: Double
    /// Nil for a gap.
    let y: Double?
    let xText: String, yText: String
  }

  private static let mostPoints = 10_000, mostSeries = 8

  private let name: String, xTitle: String, yTitle: String
  private let x: Int, y: Int, series: Int?, times: [ChartStep], hasZero: Bool
  private var names: [String] = [], points: [[Point]] = []
  private var counts = ChartCounts(), xCounts = ChartCounts(), total = 0

  /// The lines of a table: the last numeric column by the first date, time or number, unless options say otherwise.
  /// - Throws: `usage` if no columns suit.
  public init(_ schema: Schema, format: String, _ options: [String: String]) throws(Problem) {
    let columns = ChartColumns(schema, format: format, options)
    let y = try columns.value("a numeric column") { $0.isNumeric }
    func fits(_ position: Int) -> Bool {
      position != y && (columns.type(position).isTemporal || columns.type(position).isNumeric)
    }
    let all = schema.columns.indices
    let chosen = try options["x"].map { (name) throws(Problem) in try columns.position(of: name) }
    guard
      let x = chosen ?? all.first(where: { fits($0) && columns.type($0).isTemporal && columns.isSuitable($0) })
        ?? all.first(where: { fits($0) && columns.isSuitable($0) }), fits(x)
    else {
      let suitable = all.filter(fits).map { schema.columns[$0].name }
      throw Problem(
        .usage, "\(format) requires a column of dates or numbers besides \(schema.columns[y].name)",
        hint: suitable.isEmpty
          ? .set(.outputFormat, to: "bars") : "suitable columns: \(suitable.joined(separator: ", "))")
    }
    (self.x, self.y, name, xTitle) = (x, y, schema.name, columns.title(x))
    series = try options["series"].map { (name) throws(Problem) in try columns.position(of: name) }
    times = ChartStep.times(of: columns.type(x))
    hasZero = options["zero"] != "no"
    yTitle = columns.title(y)
    if series == nil { (names, points) = ([""], [[]]) }
  }

  /// Adds rows.
  /// - Throws: `badData` for too many series.
  public mutating func add(_ batch: RowBatch) throws(Problem) {
    for row in 0..<batch.count {
      counts.rows += 1
      let number = ChartNumber(batch[row, y], batch.arena), place = ChartNumber(batch[row, x], batch.arena)
      counts.add(number)
      guard let position = place.position else {
        xCounts.nulls += 1
        continue
      }
      if case .time(_, true, _) = place { counts.partial += 1 }
      var line = 0
      if let series {
        let cell = batch[row, series]
        let name = cell.isNull ? "null" : String(decoding: ChartNumber.plain(cell, batch.arena), as: UTF8.self)
        line = names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? names.count
        if line == names.count {
          guard line < Self.mostSeries else {
            throw Problem(
              .badData, "line draws at most \(Self.mostSeries) series",
              hint: [.set(.conditions, for: "select fewer"), "use the format matrix"])
          }
          names.append(name)
          points.append([])
        }
      }
      total += 1
      guard total <= Self.mostPoints else { continue }
      points[line].append(Point(x: position, y: number.position, xText: place.text, yText: number.text))
    }
  }

  /// Sorts the points.
  /// - Throws: `badData` for too many.
  public mutating func close() throws(Problem) {
    guard total <= Self.mostPoints else {
      throw Problem(
        .badData, "line draws at most \(ChartCounts.text(Self.mostPoints)) points, not \(ChartCounts.text(total))",
        hint: [.set(.grouping, for: "group the rows"), .set(.limit, for: "draw fewer")])
    }
    for line in points.indices {
      points[line] = points[line].enumerated().sorted { ($0.element.x, $0.offset) < ($1.element.x, $1.offset) }
        .map(\.element)
    }
  }

  private var ys: [Double] { points.flatMap { $0.compactMap(\.y) } }

  /// The title, the description and the note.
  public var words: ChartWords {
    let drawn = points.enumerated().flatMap { line, points in points.filter { $0.y != nil }.map { (line, $0) } }
    let text = ChartWords.description("line", drawn, "point", by: { $0.1.y ?? 0 }, text: { label($0.0, $0.1) })
    let places = xCounts.nulls
    return ChartWords(
      title: "\(name): \(yTitle) by \(xTitle)", description: text,
      note: counts.note + (places > 0 ? ", \(ChartCounts.text(places)) without \(xTitle) not drawn" : ""))
  }

  private func label(_ line: Int, _ point: Point) -> String {
    (names[line].isEmpty ? "" : "\(names[line]) · ") + "\(point.xText): \(point.yText)"
  }

  /// The drawn values.
  public var table: [[String]] {
    let hasNames = series != nil
    return [[xTitle] + (hasNames ? ["series"] : []) + [yTitle]]
      + points.enumerated().flatMap { line, points in
        points.map { [$0.xText] + (hasNames ? [names[line]] : []) + [$0.yText] }
      }
  }

  private var across: ChartAxis {
    let xs = points.flatMap { $0.map(\.x) }
    return ChartAxis(covering: (xs.min() ?? 0)...(xs.max() ?? 0), times: times, most: 6, below: Self.width)
  }
  private var up: ChartAxis {
    let ys = ys, zero: [Double] = hasZero || ys.isEmpty ? [0] : []
    return ChartAxis(covering: ((ys + zero).min() ?? 0)...((ys + zero).max() ?? 0))
  }

  private static let width = 6000, height = 3000
  private static let dashes: [StaticString] = ["", "6 3", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2", "1 4", "14 3 3 3"]
  private static let lines: [StaticString] = ["l s0", "l s1", "l s2", "l s3", "l s4", "l s5", "l s6", "l s7"]
  private static let marks: [StaticString] = ["p s0", "p s1", "p s2", "p s3", "p s4", "p s5", "p s6", "p s7"]

  private var left: Int { max(up.room + 160, across.room / 2) }
  private var right: Int {
    max(ChartText.room(names, cutTo: 24) + 160, across.room / 2, 500)
  }

  /// The size, in pixels.
  public var size: (width: Int, height: Int) { ((left + Self.width + right) / 10, Self.height / 10 + 80) }

  /// Draws the lines.
  public func draw(from top: Int, to page: inout Markup) {
    let top = top * 10 + 240, left = left, across = across, up = up
    page.axisBeside(
      up, title: yTitle + (hasZero ? "" : ", from \(up.ticks.first?.text ?? "")"), left: left, top: top,
      width: Self.width, height: Self.height)
    page.axisBelow(across, title: xTitle, left: left, top: top, width: Self.width, height: Self.height)
    func place(_ point: Point, _ y: Double) -> (x: Int, y: Int) {
      (left + across.place(point.x, on: Self.width), top + Self.height - up.place(y, on: Self.height))
    }
    var labels: [(y: Int, x: Int, name: String)] = []
    for (line, points) in points.enumerated() {
      page.mark("path", Self.lines[line])
      page.raw(" stroke-dasharray=\"")
      page.raw(line == 0 ? "none" : Self.dashes[line])
      page.raw("\" d=\"")
      var isGap = true
      for point in points {
        guard let y = point.y else {
          isGap = true
          continue
        }
        let (x, place) = place(point, y)
        page.raw(isGap ? "M" : "L")
        page.number(tenths: x)
        page.raw(" ")
        page.number(tenths: place)
        isGap = false
      }
      page.raw("\"/>\n")
      for point in points {
        guard let y = point.y else { continue }
        let (x, place) = place(point, y)
        page.mark("circle", Self.marks[line], ["r": points.count > 200 ? 10 : 25, "cx": x, "cy": place])
        page.raw(">")
        page.title(label(line, point))
        page.raw("</circle>\n")
      }
      if let last = points.last(where: { $0.y != nil }), let y = last.y, !names[line].isEmpty {
        let (x, place) = place(last, y)
        labels.append((place, x, ChartText.cut(names[line], 24)))
      }
    }
    // The names at the ends of the lines do not overlap, and are above the axis.
    labels.sort { $0.y < $1.y }
    for place in labels.indices.dropFirst() { labels[place].y = max(labels[place].y, labels[place - 1].y + 150) }
    var last = top + Self.height - 40
    for label in labels.reversed() {
      page.label(label.name, x: label.x + 80, y: min(label.y, last) + 45, class: "k")
      last = min(label.y, last) - 150
    }
  }

  private static let signs: [StaticString] = ["•", "+", "x", "o", "*", "#", "@", "%"]

  /// Appends the points in a grid of characters, and the note.
  public func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer) {
    let across = across, up = up, height = 16
    let yTicks = up.ticks.map { (height - 1 - up.place($0.position, on: height - 1), $0.text) }
    let room = yTicks.map { ChartText.width($0.1) }.max() ?? 0, columns = max(width - room - 3, 8)
    var grid = [[Int]](repeating: Array(repeating: -1, count: columns), count: height)
    for (line, points) in points.enumerated() {
      var last: (x: Int, y: Int)?
      for point in points {
        guard let y = point.y else {
          last = nil
          continue
        }
        let place = (x: across.place(point.x, on: columns - 1), y: height - 1 - up.place(y, on: height - 1))
        if let last, place.x - last.x > 1 {
          for x in last.x + 1..<place.x {
            let y = last.y + ((place.y - last.y) * (x - last.x) * 2 + (place.x - last.x)) / (2 * (place.x - last.x))
            if grid[y][x] < 0 { grid[y][x] = 100 }
          }
        }
        grid[place.y][place.x] = line
        last = place
      }
    }
    for (y, row) in grid.enumerated() {
      out.append(ChartText.field(yTicks.first { $0.0 == y }?.1 ?? "", room, isRight: true))
      out.append(" │")
      let end = (row.lastIndex { $0 >= 0 } ?? -1) + 1
      for sign in row[..<end] { out.append(sign < 0 ? " " : sign == 100 ? "·" : Self.signs[sign]) }
      out.append("\n")
    }
    out.append(blanks: room)
    out.append(" └")
    for _ in 0..<columns { out.append("─") }
    out.append("\n")
    out.append(blanks: room + 2)
    var end = 0
    for tick in across.ticks {
      let place = min(
        max(across.place(tick.position, on: columns - 1) - tick.text.count / 2, 0), columns - tick.text.count)
      guard place > end || end == 0, place >= 0 else { continue }
      out.append(blanks: place - end)
      out.append(tick.text)
      end = place + tick.text.count
    }
    out.append("\n")
    for (line, name) in names.enumerated() where !name.isEmpty {
      out.append(Self.signs[line])
      out.append(" \(ChartText.visible(name))\n")
    }
    writeNote(style, &out)
  }
}
