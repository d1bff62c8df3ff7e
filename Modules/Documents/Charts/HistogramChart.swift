public import Codecs
public import Rows

/// The distribution of the numbers or times of a column, in at most 64 intervals of one width. Counts fine intervals in
/// one pass, whose width grows tenfold when there are too many, so that every number is in the right one.
public struct HistogramChart: Chart {
  private let name: String, title: String
  private let value: Int, times: [ChartStep], isInteger: Bool
  private var isTime: Bool { !times.isEmpty }
  private var counts = ChartCounts()
  private var fine: ChartStep
  private var tallies: [Int: Int] = [:]
  private var step = ChartStep.number(1, power: 0)
  private var bins: [(index: Int, count: Int)] = []

  /// The most intervals; and the most fine ones, of which there are at least ten to each of them.
  private static let most = 64, mostFine = 20_000
  /// The fine steps of times: each is a part of the next.
  private static let fineTimes: [ChartStep] = [
    .seconds(1), .seconds(60), .seconds(3600), .seconds(ChartStep.day), .months(1), .months(12),
  ]

  /// The distribution of the last column of numbers or times, unless an option says otherwise.
  /// - Throws: `usage` if no column suits.
  public init(_ schema: Schema, format: String, _ options: [String: String]) throws(Problem) {
    let columns = ChartColumns(schema, format: format, options)
    value = try columns.value("a column of numbers or dates") { $0.isNumeric || $0.isTemporal }
    (name, title) = (schema.name, columns.title(value))
    (times, isInteger) = (ChartStep.times(of: columns.type(value)), columns.type(value) == .integer)
    fine = !times.isEmpty ? Self.fineTimes[0] : .number(1, power: isInteger ? 0 : -40)
  }

  /// Adds rows.
  public mutating func add(_ batch: RowBatch) {
    for row in 0..<batch.count {
      counts.rows += 1
      let number = ChartNumber(batch[row, value], batch.arena)
      counts.add(number)
      switch number {
      case .null, .undrawn: continue
      case .time(let second, _, _): tallies[fine.index(ofSecond: second), default: 0] += 1
      case .number(_, let exact):
        var index = fine.index(of: exact)
        while index == nil {
          coarsen()
          index = fine.index(of: exact)
        }
        tallies[index ?? 0, default: 0] += 1
      }
      while tallies.count > Self.mostFine { coarsen() }
    }
  }

  /// Joins fine intervals.
  private mutating func coarsen() {
    let next: ChartStep
    switch fine {
    case .number(_, let power): next = .number(1, power: power + 1)
    case let time: next = Self.fineTimes.drop { $0 != time }.dropFirst().first ?? time
    }
    var joined: [Int: Int] = [:]
    for (index, count) in tallies {
      let new =
        isTime
        ? next.index(ofSecond: Int(fine.start(index)))
        : index.quotientAndRemainderRoundingDown(dividingBy: 10).0
      joined[new, default: 0] += count
    }
    (fine, tallies) = (next, joined)
  }

  /// Chooses the intervals: the smallest of 1, 2 or 5 times a power of ten, or of the calendar, with at most 64; fewer
  /// for few rows.
  public mutating func close() {
    guard let least = tallies.keys.min(), let last = tallies.keys.max() else { return }
    let most = min(Self.most, max(8, Int(2 * Double(counts.rows).squareRoot())))
    let (low, high) = (fine.start(least), fine.start(last))
    let range = high - low
    var candidates: [ChartStep]
    if isTime {
      candidates = times.filter { $0.start(1) - $0.start(0) >= fine.start(1) - fine.start(0) }
    } else if case .number(_, let power) = fine {
      // One value has an interval of a tenth of its size.
      let usual = range > 0 ? ChartStep.power(of: range) - 3 : ChartStep.power(of: max(abs(low), 1)) - 1
      candidates = Array(ChartStep.numbers(from: max(usual, power)).prefix(20))
    } else {
      candidates = []
    }
    for candidate in candidates {
      step = candidate
      if coarse(last) - coarse(least) < most { break }
    }
    var sums: [Int: Int] = [:]
    for (index, count) in tallies { sums[coarse(index), default: 0] += count }
    bins = (coarse(least)...coarse(last)).map { ($0, sums[$0] ?? 0) }
  }

  /// The interval that a fine one is in.
  private func coarse(_ index: Int) -> Int {
    guard case .number(_, let power) = fine, case .number(let factor, let wide) = step else {
      return step.index(ofSecond: Int(fine.start(index)))
    }
    var divisor = factor
    for _ in 0..<min(wide - power, 18) { divisor = min(divisor * 10, 1 << 60) }
    return index.quotientAndRemainderRoundingDown(dividingBy: divisor).0
  }

  private func label(_ bin: Int) -> String { "[\(step.text(bin)), \(step.text(bin + 1)))" }

  /// The title, the description and the note.
  public var words: ChartWords {
    let text = ChartWords.description("histogram", bins, "interval", by: \.count) { bin in
      "\(label(bin.index)): \(ChartCounts.text(bin.count))"
    }
    return ChartWords(title: "\(name): distribution of \(title)", description: text, note: counts.note)
  }

  private var all: [(label: String, count: Int)] {
    bins.map { (label($0.index), $0.count) } + (counts.nulls > 0 ? [("null", counts.nulls)] : [])
  }

  /// The drawn values.
  public var table: [[String]] { [[title, "rows"]] + all.map { [$0.label, ChartCounts.text($0.count)] } }

  private static let left = 900, width = 6000, height = 2600

  /// The size, in pixels.
  public var size: (width: Int, height: Int) { ((Self.left + Self.width + 1000) / 10, Self.height / 10 + 80) }

  /// Draws the intervals.
  public func draw(from top: Int, to page: inout Markup) {
    let top = top * 10 + 240, left = Self.left
    let low = bins.first.map { step.start($0.index) } ?? 0, high = bins.last.map { step.start($0.index + 1) } ?? low
    let across = ChartAxis(covering: low...high, times: times, most: 6, below: Self.width)
    let up = ChartAxis(covering: 0...Double(max(all.map(\.count).max() ?? 0, 2)))
    page.axisBeside(up, title: "rows", left: left, top: top, width: Self.width, height: Self.height)
    page.axisBelow(across, title: title, left: left, top: top, width: Self.width, height: Self.height)
    func bar(_ x: Int, _ end: Int, _ count: Int, _ name: StaticString, _ label: String) {
      let height = up.place(Double(count), on: Self.height)
      page.bar(
        x: x, y: top + Self.height - height, width: end - x, height: height, class: name,
        title: "\(label): \(ChartCounts.text(count))")
    }
    for bin in bins {
      bar(
        left + across.place(step.start(bin.index), on: Self.width),
        left + across.place(step.start(bin.index + 1), on: Self.width), bin.count, "m", label(bin.index))
    }
    guard counts.nulls > 0 else { return }
    let x = left + Self.width + 300
    bar(x, x + 300, counts.nulls, "u", "null")
    page.label("null", x: x + 150, y: top + Self.height + 170, .middle, class: "k")
  }

  /// Appends a line for each interval, and the note.
  public func write(width: Int, style: TerminalStyle, _ out: inout ByteBuffer) {
    let all = all, room = all.map { ChartText.width($0.label) }.max() ?? 0, most = all.map(\.count).max() ?? 0
    let length = max(width - room - ChartCounts.text(most).count - 2, 1)
    for (label, count) in all {
      let cells = most == 0 ? 0 : Int((Double(count) / Double(most) * Double(length)).rounded())
      out.append(ChartText.field(label, room, isRight: true))
      out.append(" ")
      style.begin(.number, &out)
      for _ in 0..<cells { out.append("█") }
      style.end(.number, &out)
      if cells > 0 { out.append(" ") }
      out.append("\(ChartCounts.text(count))\n")
    }
    writeNote(style, &out)
  }
}
