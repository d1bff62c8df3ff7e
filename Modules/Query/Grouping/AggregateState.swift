import Rows

/// The state of one aggregate of many groups. One worker fills it; then states are merged.
protocol AggregateState: AnyObject {
  /// The memory held, in bytes, about.
  var memory: Int { get }
  /// Makes room for groups: new ones have seen no row.
  func reserve(_ groups: Int)
  func add(_ rows: GroupedBatch) throws(Problem)
  /// Appends the state of a group: `Aggregate.Function.partialWidth` cells.
  func appendPartial(_ group: Int, to builder: inout RowBatchBuilder)
  /// Adds states of the same aggregate; the first of their cells is in `column`.
  func add(_ groups: PartialGroups, _ column: Int)
  func append(_ group: Int, to builder: inout RowBatchBuilder) throws(Problem)
}

extension Aggregate.Function {
  /// The number of cells of a state.
  var partialWidth: Int {
    switch self {
    case .count, .distinct, .median, .quantile, .stddev: 1
    case .min, .max, .first, .last: 2
    case .sum, .avg: 4
    }
  }
}

struct GroupedBatch {
  let reader: CellReader
  /// The rows, ascending; a row may be in several groups.
  let rows: [Int32]
  /// The place of the first row of the batch in the whole input.
  let start: UInt64
  let groups: [UInt32]
}

/// Counts rows, or values that are not null.
final class CountState: AggregateState {
  private let column: Int?
  private var counts: [Int] = []

  init(column: Int?) { self.column = column }

  var memory: Int { counts.capacity * 8 }
  func reserve(_ groups: Int) { counts.append(contentsOf: repeatElement(0, count: groups - counts.count)) }

  func add(_ rows: GroupedBatch) {
    var counts: [Int] = []
    swap(&counts, &self.counts)
    defer { swap(&counts, &self.counts) }
    guard let column else {
      for group in rows.groups { counts[Int(group)] &+= 1 }
      return
    }
    for index in rows.rows.indices where !rows.reader.cell(Int(rows.rows[index]), column).isNull {
      counts[Int(rows.groups[index])] &+= 1
    }
  }

  /// Adds rows to the only group.
  func add(rows: Int) { counts[0] += rows }

  func appendPartial(_ group: Int, to builder: inout RowBatchBuilder) { append(group, to: &builder) }

  func add(_ groups: PartialGroups, _ column: Int) {
    var counts: [Int] = []
    swap(&counts, &self.counts)
    defer { swap(&counts, &self.counts) }
    groups.forEach { group, row in counts[group] &+= row.integer(column) }
  }

  func append(_ group: Int, to builder: inout RowBatchBuilder) { builder.append(integer: Int64(counts[group])) }
}

/// Keeps the least or the greatest value of each group, as it is written in the first row that has it.
final class ExtremeState: AggregateState {
  private let column: Int
  private let isGreatest: Bool
  private let areTimes: Bool
  /// Whether the first or the last value is kept, whatever its size.
  private let byOrder: Bool
  private var bests: [Best] = []
  /// The bytes of values that have some.
  private var bytes: [UInt8] = []

  /// A value: a word that orders it as far as it goes, and the cell, whose range is of `bytes`.
  private struct Best {
    var cell = Cell.null
    var word: UInt64 = 0
    var order: UInt64 = 0
    /// The bytes that may be written in place of these.
    var room: UInt32 = 0
  }

  /// - Parameter areTimes: whether the values are timestamps, which are compared as times.
  init(column: Int, isGreatest: Bool, areTimes: Bool, byOrder: Bool = false) {
    self.byOrder = byOrder
    self.column = column
    self.isGreatest = isGreatest
    self.areTimes = areTimes
  }

  var memory: Int { bests.capacity * MemoryLayout<Best>.stride + bytes.capacity }
  func reserve(_ groups: Int) { bests.append(contentsOf: repeatElement(Best(), count: groups - bests.count)) }

  func add(_ rows: GroupedBatch) {
    var bests: [Best] = []
    swap(&bests, &self.bests)
    defer { swap(&bests, &self.bests) }
    for index in rows.rows.indices {
      let cell = rows.reader.cell(Int(rows.rows[index]), column)
      if cell.isNull { continue }
      consider(cell, rows.reader, rows.start + UInt64(rows.rows[index]), &bests[Int(rows.groups[index])])
    }
  }

  @inline(__always)
  private func consider(_ cell: Cell, _ reader: CellReader, _ order: UInt64, _ best: inout Best) {
    let word = byOrder ? 0 : OrderWord.word(of: cell, reader)
    if byOrder {
      if !best.cell.isNull, (order < best.order) == isGreatest { return }
    } else if !best.cell.isNull {
      if word != best.word {
        if (word < best.word) == isGreatest { return }
      } else if !replacesEqual(cell, reader, order, best) {
        return
      }
    }
    best.word = word
    best.order = order
    keep(cell, reader, &best)
  }

  /// Whether a value whose word is that of the best comes before it, or is equal and of an earlier row.
  private func replacesEqual(_ cell: Cell, _ reader: CellReader, _ order: UInt64, _ best: Best) -> Bool {
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      let known = unsafe CellReader(bytes: bytes.baseAddress)
      if !areTimes { return SortOrder.compare(reader, cell, known, best.cell) }
      return SortOrder.compare(reader, reader.time(cell), known, known.time(best.cell))
    }
    return result == 0 ? order < best.order : (result > 0) == isGreatest
  }

  private func keep(_ cell: Cell, _ reader: CellReader, _ best: inout Best) {
    guard let value = unsafe reader.bytes(of: cell) else {
      best.cell = cell
      best.room = 0
      return
    }
    let length = UInt32(value.count)
    var start = UInt32(bytes.count)
    if let old = best.cell.range, length <= best.room {
      start = old.start
      for index in 0..<value.count { bytes[Int(start) + index] = unsafe value[index] }
    } else {
      // Values grow rarely; twice the room keeps a series of longer and longer ones from filling memory.
      best.room = max(length, best.room * 2)
      unsafe bytes.append(contentsOf: value)
      bytes.append(contentsOf: repeatElement(0, count: Int(best.room - length)))
    }
    best.cell = cell.moved(to: start)
  }

  /// The value and the place of its row.
  func appendPartial(_ group: Int, to builder: inout RowBatchBuilder) {
    append(group, to: &builder)
    builder.append(integer: Int64(bitPattern: bests[group].order))
  }

  func add(_ groups: PartialGroups, _ column: Int) {
    groups.forEach { group, row in
      let cell = row.cell(column)
      if cell.isNull { return }
      consider(cell, row.reader, UInt64(bitPattern: Int64(row.integer(column + 1))), &bests[group])
    }
  }

  func append(_ group: Int, to builder: inout RowBatchBuilder) {
    let cell = bests[group].cell
    guard let range = cell.range else { return builder.append(cell) }
    let value = Array(bytes[Int(range.start)..<Int(range.start + range.length)])
    switch cell {
    case .number: builder.append(number: value)
    case .json: builder.append(json: value)
    case .bytes: builder.append(bytes: value)
    default: builder.append(text: value)
    }
  }
}

/// The standard deviation of the numbers of each group.
final class NumbersState: AggregateState {
  private let column: Int
  private var numbers: [[Double]] = []
  private var count = 0

  init(column: Int) { self.column = column }

  var memory: Int { numbers.capacity * 32 + count * 12 }
  func reserve(_ groups: Int) { numbers.append(contentsOf: repeatElement([], count: groups - numbers.count)) }

  func add(_ rows: GroupedBatch) {
    for index in rows.rows.indices {
      let cell = rows.reader.cell(Int(rows.rows[index]), column)
      guard let number = rows.reader.nearestDouble(of: cell) else { continue }
      numbers[Int(rows.groups[index])].append(number.value)
      count += 1
    }
  }

  func appendPartial(_ group: Int, to builder: inout RowBatchBuilder) {
    unsafe numbers[group].withUnsafeBytes { builder.append(bytes: unsafe Array($0)) }
  }

  func add(_ groups: PartialGroups, _ column: Int) {
    groups.forEach { group, row in
      guard let bytes = unsafe row.reader.bytes(of: row.cell(column)) else { return }
      for at in stride(from: 0, to: bytes.count, by: 8) {
        numbers[group].append(unsafe bytes.loadUnaligned(fromByteOffset: at, as: Double.self))
      }
    }
  }

  func append(_ group: Int, to builder: inout RowBatchBuilder) {
    guard let value = Quantile.deviation(of: numbers[group]) else { return builder.appendNull() }
    builder.append(real: value)
  }
}

extension Cell {
  /// The range of bytes of a cell that has some.
  var range: (start: UInt32, length: UInt32)? {
    switch self {
    case .text(let start, let length), .number(let start, let length), .json(let start, let length),
      .bytes(let start, let length):
      (start, length)
    case .null, .integer, .real, .boolean: nil
    }
  }
  /// The same cell with its bytes elsewhere.
  func moved(to start: UInt32) -> Cell {
    switch self {
    case .text(_, let length): .text(start, length)
    case .number(_, let length): .number(start, length)
    case .json(_, let length): .json(start, length)
    case .bytes(_, let length): .bytes(start, length)
    case .null, .integer, .real, .boolean: self
    }
  }
}

/// Words that order the values of one column as far as they go: if two differ, the values differ in the same direction.
enum OrderWord {
  @inline(__always) static func word(of cell: Cell, _ reader: CellReader) -> UInt64 {
    if let number = reader.nearestDouble(of: cell) { return number.orderedBits }
    if case .boolean(let value) = cell { return value ? 1 : 0 }
    guard let bytes = unsafe reader.bytes(of: cell) else { return 0 }
    return unsafe word(of: bytes)
  }

  /// The first eight bytes, with zeros in place of those that are missing.
  @inline(__always) static func word(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    for at in 0..<8 { word = unsafe word << 8 | (at < bytes.count ? UInt64(bytes[at]) : 0) }
    return word
  }
}
