import Codecs
import Conformance
import Domain
import Exporters
import Rows
import Testing

/// A drawing, read back from its SVG.
private struct Drawing {
  struct Mark {
    let name: String, title: String
    let numbers: [String: Double]
    subscript(_ name: String) -> Double { numbers[name] ?? .nan }
  }
  let text: String

  /// The elements called `element` of a class, with their titles.
  func marks(_ element: String, _ name: String) -> [Mark] {
    text.split(separator: "<\(element) class=\"\(name)\"", omittingEmptySubsequences: false).dropFirst().map { piece in
      var numbers: [String: Double] = [:]
      let head = piece.prefix { $0 != ">" }
      for part in head.split(separator: "\" ") {
        let words = part.split(separator: "=\"")
        if words.count == 2, let number = Double(words[1].filter { $0 != "\"" && $0 != "/" }) {
          numbers[words[0].filter { $0 != " " }] = number
        }
      }
      let body = piece.dropFirst(head.count + 1)
      let title = body.hasPrefix("<title>") ? String(body.dropFirst(7).prefix { $0 != "<" }) : ""
      let words = body.hasPrefix("<title>") ? body : body.prefix { $0 != "<" }
      return Mark(name: String(words), title: title, numbers: numbers)
    }
  }

  /// The ticks of an axis: the labels in one row, without its title.
  var ticksBelow: [Mark] {
    let all = marks("text", "a")
    guard let y = all.dropLast().last?["y"] else { return [] }
    return all.filter { $0["y"] == y }
  }
}

/// A generator of the same numbers in every run.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

@Suite("Charts") struct ChartTests {
  private func draw(
    _ exporter: ChartExporter, _ schema: Schema, _ rows: [[Value]], _ options: [String: String] = ["as": "svg"],
    batch: Int = 7, threads: Int = 1
  ) async throws -> String {
    let values = exporter.descriptor.name == "svg" ? options.filter { $0.key != "as" } : options
    let sink = MemorySink()
    let output = Export.Output(exporter, ExportOptions(values)) { () throws(Problem) in sink }
    _ = try await Export(to: [output], threads: threads, scratch: NoScratch()).run(
      BufferedRows(schema: schema, batches: SampleTable("t", schema, rows).batches(of: batch))
    ) { (rows) throws(Problem) in rows }
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  private let counts = Schema(
    "t", columns: [ColumnDescription("name", .text), ColumnDescription("rows", .integer, unit: "points")])

  private func rows(_ pairs: [(String, Int64?)]) -> [[Value]] {
    pairs.map { [.text($0.0), $0.1.map { .integer($0) } ?? .null] }
  }

  @Test("bars of characters are as long as their values") func bars() async throws {
    let text = try await draw(
      .bars, counts, rows([("Jesse", 40), ("日本", 20), ("Zero", 0), ("None", nil)]), ["width": "30"])
    #expect(
      text == """
        Jesse ███████████████████ 40
        日本  █████████▌ 20
        Zero  0
        None  null
        t: rows (points) by name; 4 rows, 1 null

        """)
    let both = try await draw(.bars, counts, rows([("Up", 10), ("Down", -10)]), ["width": "19"])
    #expect(both.hasPrefix("Up        █████ 10\nDown █████ -10\n"), "\(both)")
  }

  @Test("the first 50 rows are shown, the others counted, for any batches") func rest() async throws {
    let rows = rows((0..<120).map { ("row \($0)", Int64(200 - $0)) })
    for exporter in [ChartExporter.bars, ChartExporter.svg] {
      let text = try await draw(exporter, counts, rows, [:])
      #expect(text.contains("row 49") && !text.contains("row 50") && text.contains("and 70 more rows"))
      for batch in [1, 49, 50, 51, 1000] {
        #expect(try await draw(exporter, counts, rows, [:], batch: batch, threads: 4) == text)
      }
    }
  }

  @Test("hostile labels are text", arguments: ["text", "svg", "html"]) func hostile(form: String) async throws {
    let labels = ["</text><script>alert(1)</script>", "\u{1B}[31m\u{0}", "\" onload=\"x", "\u{202E}abc", "]]>", "&#0;"]
    let schema = Schema(
      "<b>\u{1B}", columns: [ColumnDescription("na\"><me", .text), ColumnDescription("rows", .integer)])
    for exporter in [ChartExporter.bars, .matrix, .histogram] {
      let text = try await draw(exporter, schema, rows(labels.map { ($0, 1) }), ["as": form])
      #expect(!text.contains("\u{1B}") && !text.contains("\u{0}"))
      if form == "text" {
        #expect(!text.contains("\u{202E}"))
      } else {
        #expect(!text.contains("<script") && !text.contains("\" onload") && !text.contains("<b>"))
      }
    }
  }

  @Test("a table without suitable columns is refused with those that are, an empty one is drawn")
  func refused() async throws {
    let schema = Schema("t", columns: [ColumnDescription("name", .text), ColumnDescription("id", .integer)])
    for exporter in [ChartExporter.bars, .svg, .line, .histogram] {
      let problem = await #expect(throws: Problem.self) { _ = try await draw(exporter, schema, [], [:]) }
      #expect(problem?.kind == .usage && problem?.hint.description.contains("selection.countBy") == true)
      #expect(problem?.hint.description.contains("id") == true)
    }
    let named = try await draw(.bars, schema, [[.text("a"), .integer(2)]], ["value": "id"])
    #expect(named.contains("█ 2"))
    let problem = await #expect(throws: Problem.self) { _ = try await draw(.bars, schema, [], ["value": "nme"]) }
    #expect(problem?.hint.description == "did you mean name?")
    let part = await #expect(throws: Problem.self) { _ = try await draw(.matrix, schema, [], ["rows": "name:yaer"]) }
    #expect(part?.hint.description == "did you mean year?")
    #expect(try await draw(.bars, counts, [], [:]) == "t: rows (points) by name; 0 rows\n")
    for exporter in [ChartExporter.svg, .line, .histogram, .matrix] where exporter.descriptor.name != "line" {
      #expect(try await draw(exporter, counts, []).hasSuffix("</svg>\n"))
    }
  }

  // MARK: - Laws

  /// Values of any size and sign, with nulls.
  private func randomValues(_ numbers: inout Numbers) -> [Value] {
    let power = Int.random(in: -9...14, using: &numbers), kind = Int.random(in: 0...3, using: &numbers)
    return (0..<Int.random(in: 1...40, using: &numbers)).map { _ in
      if Int.random(in: 0...9, using: &numbers) == 0 { return .null }
      let digits = Int.random(in: kind == 0 ? 1...9999 : -9999...9999, using: &numbers)
      return .number(Array("\(kind == 2 ? digits % 7 : digits)e\(power - 3)".utf8))
    }
  }

  private func number(_ value: Value) -> Double? {
    if case .number(let text) = value { return Double(String(decoding: text, as: UTF8.self)) }
    return nil
  }

  /// The number that a text of a chart says; it must be exact and plain.
  private func plain(_ text: String) throws -> Double {
    #expect(!text.contains("e") && !text.hasSuffix(".0"), "\(text)")
    let digits = text.filter { $0 != "," }
    let whole = (digits.hasPrefix("-") ? digits.dropFirst() : digits[...]).prefix { $0 != "." }
    if whole.count > 3 { #expect(text.contains(","), "\(text)") }
    return try #require(Double(digits), "\(text)")
  }

  /// Checks that no text of an axis touches the next one.
  private func checkRoom(_ ticks: [Drawing.Mark]) {
    let ends = ticks.map { tick in (tick["x"], Double(tick.name.prefix { $0 != "<" }.count) * 4) }
    for (one, next) in zip(ends, ends.dropFirst()) {
      #expect(next.0 - one.0 > one.1 + next.1, "\(ticks.map(\.name))")
    }
  }

  private func checkTicks(_ ticks: [Double], enclosing values: [Double]) {
    #expect((3...8).contains(ticks.count), "\(ticks)")
    guard ticks.count > 1, let first = ticks.first, let last = ticks.last else { return }
    let step = (last - first) / Double(ticks.count - 1)
    let digits = DecimalNumber(Double("\(Float(step))") ?? 0)?.keyBytes.filter { $0 < 10 && $0 > 0 } ?? []
    #expect(digits == [1] || digits == [2] || digits == [5], "\(ticks)")
    for (tick, next) in zip(ticks, ticks.dropFirst()) {
      #expect(abs(next - tick - step) <= abs(step) * 1e-6 + abs(last) * 1e-14, "\(ticks)")
    }
    for value in values { #expect(value >= first - step * 1e-9 && value <= last + step * 1e-9, "\(value) \(ticks)") }
  }

  private let decimals = Schema(
    "t", columns: [ColumnDescription("name", .text), ColumnDescription("amount", .decimal, unit: "m")])

  @Test("the length of a bar is its value, from zero on, 500 times") func barLaws() async throws {
    var numbers = Numbers(state: 1)
    for _ in 0..<500 {
      let values = randomValues(&numbers), rows = values.enumerated().map { [.text("r\($0.offset)"), $0.element] }
      let drawing = Drawing(text: try await draw(.svg, decimals, rows))
      let bars = drawing.marks("rect", "m"), known = values.compactMap(number)
      #expect(bars.count == known.count)
      checkTicks(
        try drawing.ticksBelow.map { try plain($0.name.prefix { $0 != "<" }.description) }, enclosing: known + [0])
      checkRoom(drawing.ticksBelow)
      let zero = try #require(drawing.text.split(separator: "<line class=\"z\" x1=\"").last?.prefix { $0 != "\"" })
      let longest = zip(bars, known).max { $0.0["width"] < $1.0["width"] }
      for (bar, value) in zip(bars, known) {
        if let longest, longest.1 != 0 {
          #expect(abs(bar["width"] - abs(value / longest.1) * longest.0["width"]) <= 0.5)
        }
        let start = try #require(Double(zero))
        #expect(abs((value < 0 ? bar["x"] + bar["width"] : bar["x"]) - start) <= 0.11)
        #expect(try plain(String(bar.title.split(separator: " ").last ?? "")) == value)
      }
      let nulls = values.count { $0 == .null }
      #expect(drawing.text.contains("\(values.count) row") && (nulls == 0 || drawing.text.contains("\(nulls) null")))
      #expect(drawing.text.contains("role=\"img\"") && drawing.text.contains("<desc>bars: "))
      #expect(drawing.text.contains(">amount (m)</text>") && drawing.text.contains("<rect class=\"bg\""))
    }
  }

  @Test("a histogram counts every row once, in equal intervals, 500 times") func histogramLaws() async throws {
    var numbers = Numbers(state: 2)
    for _ in 0..<500 {
      let values = randomValues(&numbers), rows = values.map { [Value.text("r"), $0] }
      let drawing = Drawing(text: try await draw(.histogram, decimals, rows))
      let bins = drawing.marks("rect", "m"), known = values.compactMap(number)
      #expect(bins.count <= 64)
      var counted = 0, edge: Double?
      for bin in bins {
        let words = bin.title.split(separator: " ")
        let low = try plain(words[0].dropFirst().dropLast().description),
          high = try plain(words[1].dropLast(2).description)
        let count = try #require(Int(words[2]))
        #expect(count == known.count { $0 >= low && $0 < high }, "\(bin.title) of \(known)")
        if let edge { #expect(edge == low) }
        (edge, counted) = (high, counted + count)
      }
      #expect(counted == known.count)
      let nulls = values.count { $0 == .null }
      #expect(drawing.marks("rect", "u").map(\.title) == (nulls > 0 ? ["null: \(nulls)"] : []))
      let tallest = bins.max { $0["height"] < $1["height"] }
      for bin in bins {
        guard let tallest, let most = Int(tallest.title.split(separator: " ")[2]), most > 0,
          let count = Int(bin.title.split(separator: " ")[2])
        else { continue }
        #expect(abs(bin["height"] - tallest["height"] * Double(count) / Double(most)) <= 0.5)
      }
    }
  }

  @Test("distances on an axis of dates are those of time, and nulls are gaps, 500 times") func lineLaws() async throws {
    var numbers = Numbers(state: 3)
    let schema = Schema("t", columns: [ColumnDescription("day", .date), ColumnDescription("amount", .decimal)])
    for _ in 0..<500 {
      let values = randomValues(&numbers), span = [3, 40, 800, 20_000][Int.random(in: 0...3, using: &numbers)]
      let days = values.map { _ in Int.random(in: 0...span, using: &numbers) }
      let rows = zip(days, values).map { day, value in
        let date = CivilDate(daysSince1970: day)
        return [
          Value.text("\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"),
          value,
        ]
      }
      let drawing = Drawing(text: try await draw(.line, schema, rows))
      let points = drawing.marks("circle", "p s0"), known = values.compactMap(number)
      #expect(points.count == known.count)
      checkRoom(drawing.ticksBelow)
      let ticks = drawing.ticksBelow.map { ($0.name.prefix { $0 != "<" }.description, $0["x"]) }
      #expect((3...8).contains(ticks.count), "\(ticks)")
      func day(_ text: String) -> Double {
        Double(Dates.day(of: Array(text.utf8)) ?? 0)
      }
      guard let first = ticks.first, let last = ticks.last else { continue }
      let scale = (last.1 - first.1) / (day(last.0) - day(first.0))
      for tick in ticks { #expect(abs(first.1 + (day(tick.0) - day(first.0)) * scale - tick.1) <= 0.5) }
      for point in points {
        let date = day(String(point.title.prefix(10)))
        #expect(abs(first.1 + (date - day(first.0)) * scale - point["cx"]) <= 0.5, "\(point.title)")
      }
      let isWhole = zip(rows, values).allSatisfy { $1 != .null }
      let gaps = drawing.text.split(separator: " d=\"").dropFirst().first?.prefix { $0 != "\"" }.count { $0 == "M" }
      if isWhole { #expect(gaps == 1) }
    }
  }

  @Test("classes of a matrix have one width and cover the values, 500 times") func matrixLaws() async throws {
    var numbers = Numbers(state: 4)
    let schema = Schema(
      "t",
      columns: [
        ColumnDescription("row", .text), ColumnDescription("column", .integer), ColumnDescription("value", .decimal),
      ])
    for _ in 0..<500 {
      let values = randomValues(&numbers)
      let rows: [[Value]] = values.enumerated().map { place, value in
        [.text("r\(place / 5)"), .integer(Int64(place % 5)), value]
      }
      let drawing = Drawing(text: try await draw(.matrix, schema, rows))
      let parts = drawing.text.split(separator: "<g class=\"")
      let cells = try #require(parts.first { $0.hasPrefix("cells") }), legend = try #require(parts.last)
      let titles = cells.split(separator: "<g><title>").dropFirst().map { String($0.prefix { $0 != "<" }) }
      let width = min(values.count, 5), height = (values.count + 4) / 5
      #expect(titles.count == width * height)
      let axes = drawing.text.split(separator: "<text class=\"a\"").dropFirst().map {
        $0.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
      }
      #expect(axes == ["row", "column", "value"])
      #expect(titles.count { $0.hasSuffix(": no row") } == width * height - values.count)
      #expect(titles.count { $0.hasSuffix(": null") } == values.count { $0 == .null })
      #expect(legend.contains(">null<") == values.contains(.null))
      let known = Set(values.compactMap(number))
      let classes = legend.split(separator: "<text class=\"k\"").dropFirst().map {
        String($0.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })
      }.filter { $0 != "null" && $0 != "no row" }
      #expect(classes.count <= 7)
      let ranges = try classes.filter { $0.hasPrefix("[") }.map { text in
        let ends = text.dropFirst().dropLast().split(separator: ", ").map(String.init)
        return (try plain(ends[0]), try plain(ends[1]))
      }
      if ranges.isEmpty {
        #expect(Set(try classes.map(plain)) == known)
        continue
      }
      for (range, next) in zip(ranges, ranges.dropFirst()) { #expect(range.1 == next.0) }
      for value in known { #expect(ranges.contains { $0.0 <= value && value < $0.1 }, "\(value) \(classes)") }
      if known.contains(where: { $0 < 0 }), known.contains(where: { $0 > 0 }) {
        #expect(ranges.contains { $0.0 == 0 || $0.1 == 0 })
      }
    }
  }

  @Test("several rows in a cell with a value are an error with the place, and a matrix has at most 400 × 400 cells")
  func matrixLimits() async throws {
    let schema = Schema(
      "t",
      columns: [
        ColumnDescription("season", .integer), ColumnDescription("episode", .integer),
        ColumnDescription("rating", .real),
      ])
    let twice: [[Value]] = [[.integer(1), .integer(2), .real(8)], [.integer(1), .integer(2), .real(9)]]
    let problem = await #expect(throws: Problem.self) { _ = try await draw(.matrix, schema, twice) }
    #expect(problem?.kind == .badData && problem?.message == "season 1, episode 2: 2 rows")
    let many: [[Value]] = (0..<401).map { [.integer(Int64($0)), .integer(1), .real(1)] }
    let large = await #expect(throws: Problem.self) { _ = try await draw(.matrix, schema, many) }
    #expect(large?.message == "matrix draws at most 400 × 400 cells, not 401 × 1")
  }

  @Test("labels of a matrix are complete where there is room, and differ where there is not") func matrixLabels()
    async throws
  {
    let schema = Schema("t", columns: [ColumnDescription("a", .text), ColumnDescription("b", .text)])
    let seasons: [[Value]] = (1...3).map { [.text("season \($0)"), .text("Better Call Saul \($0)")] }
    let wide = try await draw(.matrix, schema, seasons, ["width": "120"])
    #expect(
      wide.hasPrefix(String(repeating: " ", count: 10) + "Better Call Saul 1  Better Call Saul 2  Better Call"),
      "\(wide)")
    for width in ["50", "28"] {
      let text = try await draw(.matrix, schema, seasons, ["width": width])
      for number in 1...3 { #expect(text.contains("Better Call Saul \(number)"), "\(text)") }
    }
    let names: [[Value]] = (1...3).map { number in
      [.text("x"), .text(String(repeating: "long ", count: 6) + "\(number)")]
    }
    let image = try await draw(.matrix, schema, names, ["as": "svg"])
    for number in 1...3 { #expect(image.contains("long \(number)</text>"), "\(image)") }
  }

  @Test("years without rows are in a calendar, and a number that is too large is not null") func matrixGaps()
    async throws
  {
    let schema = Schema("t", columns: [ColumnDescription("day", .date), ColumnDescription("v", .decimal)])
    let rows: [[Value]] = [[.text("2013-02-01"), .number(Array("1e400".utf8))], [.text("2016-04-30"), .null]]
    let text = try await draw(
      .matrix, schema, rows, ["rows": "day:year", "columns": "day:month", "value": "v", "width": "60"])
    #expect(
      text.hasPrefix(
        """
              Feb  Mar  Apr
        2013    !    ·    ·
        2014    ·    ·    ·
        2015    ·    ·    ·
        2016    ·    ·    ×
        v: × null  ! infinite or too large  · no row

        """), "\(text)")
  }

  @Test("a matrix counts elements of lists, by parts of dates; null, no row and zero differ") func matrix() async throws
  {
    let schema = Schema(
      "t", columns: [ColumnDescription("day", .date), ColumnDescription("names", .list(.text))])
    let rows: [[Value]] = [
      [.text("2024-01-31"), .json(Array(#"["a","b"]"#.utf8))], [.text("2024-02-01"), .json(Array(#"["b"]"#.utf8))],
      [.text("2023-02"), .json(Array(#"["a","a"]"#.utf8))], [.null, .json(Array(#"["b"]"#.utf8))],
    ]
    let text = try await draw(.matrix, schema, rows, ["rows": "names", "columns": "day:month", "width": "60"])
    #expect(
      text == """
           Jan  Feb  null
        a    1    1     ·
        b    1    1     1
        rows per cell: 1 1  · no row
        t: rows by names and month of day; 4 rows

        """, "\(text)")
    let parts = ["year": "2024", "quarter": "Q1", "week": "W05", "weekday": "Wed", "day": "31"]
    for (part, label) in parts {
      let table = try await draw(.matrix, schema, [rows[0]], ["rows": "names", "columns": "day:\(part)"])
      #expect(table.split(separator: "\n").first?.hasSuffix(label) == true, "\(table)")
    }
    let three = Schema(
      "t",
      columns: [ColumnDescription("a", .text), ColumnDescription("b", .text), ColumnDescription("v", .integer)])
    let looks = try await draw(
      .matrix, three,
      [
        [.text("x"), .text("p"), .integer(0)], [.text("x"), .text("q"), .null], [.text("y"), .text("p"), .integer(12)],
      ],
      ["scale": "0..10"])
    #expect(
      looks == """
             p  q
        x    0  ×
        y  >12  ·
        v: 1 [0, 2)  2 [2, 4)  3 [4, 6)  4 [6, 8)  5 [8, 10]  × null  · no row  > 1 value above
        t: v by a and b; 3 rows, 1 null

        """, "\(looks)")
  }

  // MARK: - Colours

  @Test("text has a contrast of 4.5, marks of 3, and classes differ by 8 in lightness") func colours() async throws {
    let text = try await draw(.svg, counts, [])
    let parts = text.components(separatedBy: "@media (prefers-color-scheme: dark)")
    func colour(_ name: String, _ part: String, _ property: String = "fill: #") throws -> Double {
      let rule = try #require(
        part.components(separatedBy: "\(name) {").dropFirst().first
          ?? part.components(separatedBy: "\(name),").dropFirst().first)
      let digits = try #require(rule.components(separatedBy: property).dropFirst().first?.prefix(6))
      let value = try #require(UInt32(digits, radix: 16))
      func linear(_ byte: UInt32) -> Double {
        let part = Double(byte & 255) / 255
        return part <= 0.04045 ? part / 12.92 : power((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * linear(value >> 16) + 0.7152 * linear(value >> 8) + 0.0722 * linear(value)
    }
    func contrast(_ a: Double, _ b: Double) -> Double { (max(a, b) + 0.05) / (min(a, b) + 0.05) }
    for part in parts.prefix(2) {
      let ground = try colour(".bg", part)
      for name in [".bb-chart text", ".n"] { #expect(contrast(try colour(name, part), ground) >= 4.5) }
      #expect(contrast(try colour(".m", part), ground) >= 3)
      for series in 0..<8 { #expect(contrast(try colour(".s\(series)", part, "stroke: #"), ground) >= 3) }
    }
    for palette in ["b", "o"] {
      let levels = try (0..<7).map { try colour(".\(palette)\($0)", parts[1]) }
      let lightness = levels.map { 116 * power($0, 1 / 3) - 16 }
      for (light, dark) in zip(lightness, lightness.dropFirst()) { #expect(light - dark >= 8) }
      for (place, level) in levels.enumerated() { #expect(contrast(level, place < 4 ? 0 : 1) >= 4.5) }
    }
  }

  /// x to the power of y, of positive numbers.
  private func power(_ x: Double, _ y: Double) -> Double {
    // The logarithm as a sum of halvings, precise enough for contrasts.
    var (log, base) = (0.0, x)
    while base < 0.5 { (base, log) = (base * 2, log - 0.693_147_180_559_945) }
    let z = (base - 1) / (base + 1)
    var term = z
    for odd in stride(from: 1.0, to: 60, by: 2) {
      log += 2 * term / odd
      term *= z * z
    }
    var (result, part) = (1.0, 1.0)
    for number in 1...60 {
      part *= log * y / Double(number)
      result += part
    }
    return result
  }
}

extension String {
  fileprivate func components(separatedBy part: String) -> [String] {
    split(separator: part, omittingEmptySubsequences: false).map(String.init)
  }
}
