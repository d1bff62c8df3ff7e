import Codecs
import Rows

/// The figures of the values of a column, or of the elements of its lists.
///
/// The values are counted as long as there are few; then only an estimate of their number, their extremes and their
/// distribution are kept. What is kept depends on the set of rows alone, so parts can be merged in any order.
final class ColumnProfile {
  /// The most different values, and the bytes they may have, that are counted.
  struct Limit: Sendable {
    let values: Int
    let bytes: Int
  }

  private let isNumeric: Bool
  private let limit: Limit
  private(set) var nulls = 0
  /// Values that are not null; of lists their elements.
  private(set) var count = 0
  private var keys = KeyTable(slots: 64)
  private var counts: [Int] = []
  private var bytes = 0
  private var buffer = KeyBuffer()
  /// Set when there are too many values to count.
  private var overflow: Overflow?

  /// The figures of values that are too many to count.
  private final class Overflow {
    private(set) var distinct = DistinctSketch()
    private(set) var numbers = NumberSketch()
    private(set) var least: ProfiledValue?
    private(set) var greatest: ProfiledValue?
    private(set) var shortest = Int.max
    private(set) var longest = 0

    func note(_ value: ProfiledValue, _ times: Int) {
      distinct.insert(value.hash)
      if let number = value.number { numbers.insert(number, times: times) }
      let length = value.length
      note(value, value, length, length)
    }

    func merge(_ other: Overflow) {
      distinct.merge(other.distinct)
      numbers.merge(other.numbers)
      guard let least = other.least, let greatest = other.greatest else { return }
      note(least, greatest, other.shortest, other.longest)
    }

    private func note(_ low: ProfiledValue, _ high: ProfiledValue, _ short: Int, _ long: Int) {
      if least.map({ low < $0 }) ?? true { least = low }
      if greatest.map({ $0 < high }) ?? true { greatest = high }
      shortest = min(shortest, short)
      longest = max(longest, long)
    }
  }

  init(isNumeric: Bool, limit: Limit) {
    self.isNumeric = isNumeric
    self.limit = limit
  }

  // MARK: - Adding

  func add(_ column: Int, of batch: RowBatch, isList: Bool) {
    let reader = CellReader(batch)
    for row in 0..<batch.count {
      let cell = reader.cell(row, column)
      if cell.isNull {
        nulls += 1
      } else if isList, case .json(let start, let length) = cell {
        unsafe addElements(of: reader.bytes(start, length))
      } else {
        put(cell, reader)
      }
      for number in 0..<buffer.count {
        unsafe add(buffer.key(number), hash: buffer.hash(number), times: 1)
      }
      buffer.removeAll()
    }
  }

  private func addElements(of list: UnsafeRawBufferPointer) {
    _ = unsafe ListText.first(in: list) { element in
      unsafe element.withUnsafeBytes { unsafe put($0, isNumber: isNumeric, otherwise: KeyBuffer.Kind.text) }
      buffer.finishKey()
      return false
    }
  }

  /// Puts a number that its nearest Double identifies, and anything else as its text.
  private func put(_ literal: UnsafeRawBufferPointer, isNumber: Bool, otherwise kind: UInt8) {
    guard isNumber, literal.count <= 17, let number = unsafe NearestDouble(literal), number.isWhole else {
      return unsafe buffer.put(kind, literal)
    }
    buffer.put(number: number.value)
  }

  private func put(_ cell: Cell, _ reader: CellReader) {
    switch cell {
    // Numbers that a Double does not identify are compared by their digits.
    case .integer(let value) where value.magnitude >= 1_000_000_000_000_000:
      unsafe Array(String(value).utf8).withUnsafeBytes { unsafe buffer.put(KeyBuffer.Kind.longNumber, $0) }
    case .number(let start, let length):
      unsafe put(reader.bytes(start, length), isNumber: true, otherwise: KeyBuffer.Kind.longNumber)
    case .real(let value): buffer.put(number: value)
    default: buffer.put(cell, reader)
    }
    buffer.finishKey()
  }

  private func add(_ key: (UnsafePointer<UInt8>, Int), hash: UInt64, times: Int) {
    count += times
    if let overflow {
      return unsafe overflow.note(ProfiledValue(UnsafeBufferPointer(start: key.0, count: key.1)), times)
    }
    let found = unsafe keys.find(key.0, key.1, hash)
    if found >= 0 {
      counts[found] += times
      return
    }
    unsafe bytes += key.1
    _ = unsafe keys.add(key.0, key.1, hash, more: key.0, 0)
    counts.append(times)
    if counts.count > limit.values || bytes > limit.bytes { spill() }
  }

  /// Gives up counting the values.
  private func spill() {
    let overflow = Overflow()
    for (value, times) in counted { overflow.note(value, times) }
    self.overflow = overflow
    keys = KeyTable(slots: 64)
    counts = []
  }

  /// Adds the rows of another part.
  func merge(_ other: ColumnProfile) {
    nulls += other.nulls
    guard let more = other.overflow else {
      for number in 0..<other.counts.count {
        unsafe add(other.keys.key(number), hash: other.keys.hash(of: number), times: other.counts[number])
      }
      return
    }
    if overflow == nil { spill() }
    count += other.count
    overflow?.merge(more)
  }

  // MARK: - Results

  /// Whether all values were counted.
  var isExact: Bool { overflow == nil }

  private var counted: [(value: ProfiledValue, count: Int)] {
    (0..<counts.count).map { number in
      let (start, length) = unsafe keys.key(number)
      return unsafe (ProfiledValue(UnsafeBufferPointer(start: start, count: length)), counts[number])
    }
  }

  /// The figures of the column.
  func summary() -> ColumnSummary {
    var summary = ColumnSummary(nulls: nulls, count: count, isExact: isExact)
    if let overflow {
      summary.distinct = min(overflow.distinct.count, count)
      summary.least = overflow.least
      summary.greatest = overflow.greatest
      if count > 0 { summary.lengths = (overflow.shortest, overflow.longest) }
      if isNumeric { summary.distribute(overflow.numbers.values.map { (ProfiledValue(number: $0.value), $0.count) }) }
    } else {
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
    }
    return summary
  }
}

/// A value of a column, by its key.
struct ProfiledValue: Comparable {
  /// The value as text.
  let text: [UInt8]
  /// The value of a number.
  let number: Double?
  let hash: UInt64

  init(number: Double) {
    self.number = number
    hash = 0
    if number == number.rounded(), number.magnitude < 1e15 {
      text = Array(String(Int64(number)).utf8)
    } else {
      text = number.canonicalText
    }
  }

  /// The value of a key of `KeyBuffer` that is one value.
  init(_ key: UnsafeBufferPointer<UInt8>) {
    let kind = key.isEmpty ? KeyBuffer.Kind.null : unsafe key[0]
    let hash = unsafe DistinctSketch.hash(key)
    switch kind {
    case KeyBuffer.Kind.number:
      let value = ProfiledValue(
        number: unsafe UnsafeRawPointer(key.baseAddress!).loadUnaligned(fromByteOffset: 1, as: Double.self))
      (text, number, self.hash) = (value.text, value.number, hash)
    case KeyBuffer.Kind.boolean:
      (text, number, self.hash) = (Array((unsafe key[1] != 0 ? "yes" : "no").utf8), nil, hash)
    default:
      let body = unsafe Array(key.dropFirst(5))
      let isNumber = kind == KeyBuffer.Kind.longNumber
      (text, number, self.hash) = (body, isNumber ? Double(String(decoding: body, as: UTF8.self)) : nil, hash)
    }
  }

  /// The number of characters.
  var length: Int { text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }

  static func < (left: ProfiledValue, right: ProfiledValue) -> Bool {
    if let a = left.number, let b = right.number, a != b { return a < b }
    return left.text.lexicographicallyPrecedes(right.text)
  }
  static func == (left: ProfiledValue, right: ProfiledValue) -> Bool { left.text == right.text }
}
