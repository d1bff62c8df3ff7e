import Codecs
import Rows

/// The figures of the values of a column, or of the elements of its lists.
///
/// The values are counted as long as there are few; then only an estimate of their number, their extremes and their
/// distribution are kept. What is kept depends on the set of rows alone, so parts can be merged in any order.
struct ColumnProfile: ~Copyable {
  /// The most different values, and the bytes they may have, that are counted.
  struct Limit: Sendable {
    let values: Int
    let bytes: Int
  }

  private let isNumeric: Bool
  private let isList: Bool
  private let areTimes: Bool, areInstants: Bool
  private let limit: Limit
  private(set) var nulls = 0
  /// Values that are not null; of lists their elements.
  private(set) var count = 0
  private var keys = KeyTable(slots: 64)
  private var counts: [Int] = []
  private var bytes = 0
  private var buffer = KeyBuffer()
  /// Set when there are too many values to count.
  private var sketch: ValueSketch?

  init(_ type: ColumnType, limit: Limit) {
    isNumeric = type.isNumeric || type == .list(.integer)
    isList = if case .list = type { true } else { false }
    areTimes = type.isTime
    areInstants = type == .timestamp
    self.limit = limit
  }

  // MARK: - Adding

  mutating func add(_ column: Int, of batch: RowBatch) {
    if sketch == nil {
      nulls += Self.forEach(column, of: batch, isList: isList, isNumeric: isNumeric, areTimes: areTimes) { value in
        switch value {
        case .number(let number): buffer.put(number: number)
        case .boolean(let value):
          buffer.put(kind: KeyBuffer.Kind.boolean)
          buffer.put(kind: value ? 1 : 0)
        case .text(let kind, let text): buffer.put(kind, text)
        }
        buffer.finishKey()
      }
      for number in 0..<buffer.count { add(buffer.value(number), buffer.hash(number), times: 1) }
      buffer.removeAll()
    } else {
      var count = 0
      nulls += Self.forEach(column, of: batch, isList: isList, isNumeric: isNumeric, areTimes: areTimes) { value in
        count &+= 1
        sketch!.note(value, times: 1)
      }
      self.count += count
    }
  }

  /// Calls `body` with each value of a column, and returns the number of nulls.
  @inline(__always) private static func forEach(
    _ column: Int, of batch: RowBatch, isList: Bool, isNumeric: Bool, areTimes: Bool, _ body: (ProfiledBytes) -> Void
  ) -> Int {
    let reader = CellReader(batch)
    var nulls = 0
    for row in 0..<batch.count {
      let cell = reader.cell(row, column)
      switch areTimes ? reader.time(cell) : cell {
      case .null: nulls &+= 1
      case .text(let start, let length): body(.text(KeyBuffer.Kind.text, reader.value(start, length)))
      case .number(let start, let length):
        body(ProfiledBytes(number: reader.value(start, length), otherwise: KeyBuffer.Kind.longNumber))
      // Numbers that a Double does not identify are compared by their digits.
      case .integer(let value) where value.magnitude >= 1_000_000_000_000_000:
        Array(String(value).utf8).withValueBytes { body(.text(KeyBuffer.Kind.longNumber, $0)) }
      case .integer(let value): body(.number(Double(value)))
      case .real(let value): body(.number(value.ordered))
      case .json(let start, let length) where isList:
        _ = unsafe ListText.first(in: reader.bytes(start, length)) { element in
          element.withValueBytes { element in
            let kind = KeyBuffer.Kind.text
            body(isNumeric ? ProfiledBytes(number: element, otherwise: kind) : .text(kind, element))
          }
          return false
        }
      case .json(let start, let length): body(.text(KeyBuffer.Kind.json, reader.value(start, length)))
      case .bytes(let start, let length): body(.text(KeyBuffer.Kind.bytes, reader.value(start, length)))
      case .boolean(let value): body(.boolean(value))
      }
    }
    return nulls
  }

  private mutating func add(_ key: ValueBytes, _ hash: UInt64, times: Int) {
    count += times
    if sketch != nil { return sketch!.note(ProfiledBytes(key: key), times: times) }
    let found = keys.find(key, hash)
    if found >= 0 {
      counts[found] += times
      return
    }
    bytes += key.count
    keys.add(key, hash)
    counts.append(times)
    if counts.count > limit.values || bytes > limit.bytes { spill() }
  }

  /// Gives up counting the values.
  private mutating func spill() {
    var sketch = ValueSketch()
    for number in 0..<counts.count { sketch.note(ProfiledBytes(key: keys.value(number)), times: counts[number]) }
    self.sketch = sketch
    keys = KeyTable(slots: 64)
    counts = []
  }

  /// Adds the rows of another part.
  mutating func merge(_ other: borrowing ColumnProfile) {
    nulls += other.nulls
    if other.sketch == nil {
      for number in 0..<other.counts.count {
        add(other.keys.value(number), other.keys.hash(of: number), times: other.counts[number])
      }
      return
    }
    if sketch == nil { spill() }
    count += other.count
    sketch!.merge(other.sketch!)
  }

  // MARK: - Results

  /// Whether all values were counted.
  var isExact: Bool { sketch == nil }

  /// - Parameter scale: the number of digits after the point that all values have; nil if they differ.
  func summary(scale: Int? = nil) -> ColumnSummary {
    var summary = ColumnSummary(nulls: nulls, count: count, isExact: isExact)
    guard sketch == nil else {
      sketch!.describe(in: &summary, isNumeric: isNumeric)
      if areInstants { summary.spellTimes() }
      if let scale { summary.spellNumbers(scale: scale) }
      return summary
    }
    let counted = (0..<counts.count).map { number in
      (value: ProfiledValue(ProfiledBytes(key: keys.value(number))).spelled(scale: scale ?? 0), count: counts[number])
    }
    let sorted = counted.sorted { $0.value < $1.value }
    summary.distinct = sorted.count
    summary.least = sorted.first?.value
    summary.greatest = sorted.last?.value
    if let first = sorted.first {
      summary.lengths = sorted.reduce((first.value.length, 0)) {
        (min($0.0, $1.value.length), max($0.1, $1.value.length))
      }
    }
    summary.distribute(sorted)
    // The most frequent first; of those as frequent, in their order.
    let top = sorted.enumerated().sorted { (-$0.element.count, $0.offset) < (-$1.element.count, $1.offset) }
    summary.top = top.prefix(5).map(\.element)
    if areInstants { summary.spellTimes() }
    return summary
  }
}
