import Codecs
import Rows

struct ColumnSummary {
  let nulls: Int
  let count: Int
  let isExact: Bool
  var distinct = 0
  var least: ProfiledValue?
  var greatest: ProfiledValue?
  var lengths: (least: Int, greatest: Int)?
  var top: [(value: ProfiledValue, count: Int)] = []
  private var quartiles: [ProfiledValue] = []
  private var histogram: [Int] = []

  init(nulls: Int, count: Int, isExact: Bool) {
    (self.nulls, self.count, self.isExact) = (nulls, count, isExact)
  }

  private static let bars = 16

  /// Takes quartiles and histogram from values in their order.
  mutating func distribute(_ sorted: [(value: ProfiledValue, count: Int)]) {
    let total = sorted.reduce(0) { $0 + $1.count }
    guard total > 0 else { return }
    var passed = 0, next = 0
    // The nearest rank: the first value with at least a quarter of the values up to it.
    let ranks = [1, 2, 3].map { (total * $0 + 3) / 4 }
    for (value, count) in sorted {
      passed += count
      while next < ranks.count, passed >= ranks[next] {
        quartiles.append(value)
        next += 1
      }
    }
    let positions = sorted.compactMap { value, count in value.position.map { ($0, count) } }
    guard let low = positions.first?.0, let high = positions.last?.0, high > low, (high - low).isFinite else { return }
    histogram = [Int](repeating: 0, count: Self.bars)
    for (position, count) in positions {
      histogram[min(Self.bars - 1, Int((position - low) / (high - low) * Double(Self.bars)))] += count
    }
  }

  /// Makes timestamps of texts that have the order of time.
  mutating func spellTimes() {
    least = least?.timestamp
    greatest = greatest?.timestamp
    quartiles = quartiles.map(\.timestamp)
    top = top.map { ($0.value.timestamp, $0.count) }
    lengths = lengths.map { ($0.least + 1, $0.greatest + 1) }
  }

  /// Writes numbers as those of a column that have all `scale` digits after the point.
  mutating func spellNumbers(scale: Int) {
    least = least?.spelled(scale: scale)
    greatest = greatest?.spelled(scale: scale)
    quartiles = quartiles.map { $0.spelled(scale: scale) }
    // The shortest and the longest number are at the ends, but for the shortest of numbers of both signs.
    guard let least, let greatest, (least.number ?? 0) >= 0 || (greatest.number ?? 0) < 0 else { return }
    let ends = [least.text.count, greatest.text.count].sorted()
    lengths = (ends[0], ends[1])
  }

  private static let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  private var sparkline: String {
    let most = max(histogram.max() ?? 0, 1)
    return histogram.map { $0 == 0 ? " " : Self.blocks[($0 * 8 + most - 1) / most - 1] }.joined()
  }

  private static func text(_ value: ProfiledValue, _ longest: Int = 40) -> String {
    let text = String(decoding: value.text.prefix(longest * 4), as: UTF8.self)
    return text.count > longest ? text.prefix(longest - 1) + "…" : text
  }

  /// The values in a few words.
  private func description(_ type: ColumnType) -> String? {
    let isOrdered = type.isNumeric || type.isTemporal, isUnique = isExact && distinct == count
    return isOrdered && (distinct > 5 || isUnique) ? distribution(type) : frequent ?? distribution(type)
  }

  /// The most frequent values, if not every value is different.
  private var frequent: String? {
    guard isExact, distinct < count, !top.isEmpty else { return nil }
    return top.map { "\(Self.text($0.value, 24))×\($0.count)" }.joined(separator: " ")
  }

  /// The least value, the median and the greatest one, or the lengths.
  private func distribution(_ type: ColumnType) -> String? {
    guard count > 0, let least, let greatest else { return nil }
    if type.isNumeric || type.isTemporal {
      let ends = [least] + quartiles.dropFirst().prefix(1) + [greatest]
      let range = ends.map { Self.text($0) }.joined(separator: " … ")
      return histogram.isEmpty ? range : "\(sparkline)  \(range)"
    }
    guard let lengths else { return nil }
    let range = lengths.least == lengths.greatest ? "\(lengths.least)" : "\(lengths.least)–\(lengths.greatest)"
    return "\(range) character\(lengths.greatest == 1 ? "" : "s")"
  }

  func append(_ column: ColumnDescription, rows: Int, to builder: inout RowBatchBuilder) {
    let isOrdered =
      column.type.isNumeric || column.type.isTemporal || column.type == .list(.integer)
    builder.append(text: column.name)
    if case .list(let element) = column.type {
      builder.append(text: "[\(element.rawValue)]")
    } else {
      builder.append(text: column.type.name)
    }
    // Not 100 % as long as there is a value, and not 0 %.
    let share = nulls == 0 ? 0 : nulls == rows ? 100 : min(max((nulls * 200 + rows) / (rows * 2), 1), 99)
    append(text: share == 0 ? nil : Array((share == 100 ? "all" : "\(share)%").utf8), &builder)
    if count == 0 {
      builder.appendNull()
    } else {
      builder.append(text: "\(isExact ? "" : "~")\(distinct)\(isExact && distinct == count ? "=" : "")")
    }
    append(text: description(column.type).map { Array($0.utf8) }, &builder)
    for number in [rows, nulls, distinct] { builder.append(integer: Int64(number)) }
    builder.append(boolean: isExact)
    append(text: least?.text, &builder)
    for place in 0..<3 { append(text: isOrdered && place < quartiles.count ? quartiles[place].text : nil, &builder) }
    append(text: greatest?.text, &builder)
    for length in [lengths?.least, lengths?.greatest] {
      if let length { builder.append(integer: Int64(length)) } else { builder.appendNull() }
    }
    if isExact, count > 0 {
      let values = top.map { value, count -> JSON in
        JSON.object(["value": .string(value.text), "count": .number(Int64(count))])
      }
      builder.append(json: JSON.array(values).canonicalBytes)
    } else {
      builder.appendNull()
    }
    if isOrdered, !histogram.isEmpty {
      builder.append(json: Array("[\(histogram.map(String.init).joined(separator: ","))]".utf8))
    } else {
      builder.appendNull()
    }
    builder.append(text: "\(100 - share)%")
    for text in [distribution(column.type), frequent] { append(text: text.map { Array($0.utf8) }, &builder) }
  }

  private func append(text: [UInt8]?, _ builder: inout RowBatchBuilder) {
    if let text { builder.append(text: text) } else { builder.appendNull() }
  }
}

extension ProfiledValue {
  /// The place on a line: of a number its value, of a date or time the day; nil for other values.
  var position: Double? {
    if let number { return number }
    return text.count >= 4 ? Dates.day(of: text.count < 19 ? text : Array(text[..<10])).map(Double.init) : nil
  }
}
