import Codecs
import Rows

/// The values of one column in a row group, without nulls, and the levels of nulls and lists.
///
/// Byte strings refer to the batches, which must outlive the values.
@safe struct ParquetValues {
  let column: ParquetColumn
  /// The number of values, nulls and empty lists.
  private(set) var levelCount = 0
  /// One for each value, null and empty list; empty as long as no value of a column without lists is null.
  private(set) var definition: [UInt8] = []
  /// 0 where a row begins, 1 within a list; empty for a column without lists.
  private(set) var repetition: [UInt8] = []
  /// Integers, days, instants, and 0 or 1 for Booleans.
  private(set) var integers: ParquetEntries<Int64>
  private(set) var reals: ParquetEntries<Double>
  private(set) var runs: ParquetEntries<ByteRun>
  /// Whether the values are integers in strictly ascending order, which differences encode best.
  private(set) var areAscending: Bool
  private(set) var shape = DecimalShape()
  private var lastInteger: Int64?
  private let copies = ByteRunCopies()

  /// No values yet, of a row group of `rows` rows.
  init(_ column: ParquetColumn, rows: Int, dictionary: Bool) {
    self.column = column
    let storage = column.storage, repeats = dictionary && column.mayHaveDictionary
    integers = ParquetEntries(dictionary: storage == .integers && repeats, capacity: storage == .integers ? rows : 0)
    reals = ParquetEntries(dictionary: storage == .reals && repeats, capacity: storage == .reals ? rows : 0)
    runs = ParquetEntries(dictionary: storage == .runs && repeats, capacity: storage == .runs ? rows : 0)
    areAscending = column.mayHaveDifferences
  }

  /// The number of values that are not null.
  var count: Int { integers.count + reals.count + runs.count }

  var isDictionary: Bool { integers.isDictionary || reals.isDictionary || runs.isDictionary }
  /// The number of entries of the dictionary; without one, that of values.
  var entryCount: Int { integers.entries.count + reals.entries.count + runs.entries.count }
  /// The position among the entries of each value; empty without a dictionary.
  var indices: [UInt32] {
    switch column.storage {
    case .integers: integers.indices
    case .reals: reals.indices
    case .runs: runs.indices
    }
  }

  /// Appends the cells of the column in rows of a batch.
  /// - Parameter firstRow: the position of the batch's first row in the group, for errors.
  /// - Throws: `badData` with `record` set for a value that the column cannot hold.
  mutating func append(_ batch: RowBatch, rows: Range<Int>, firstRow: Int) throws(Problem) {
    var place = rows.lowerBound &* batch.width &+ column.position
    for row in rows {
      let cell = batch.cells[place]
      place &+= batch.width
      if cell.isNull {
        if column.isList { repetition.append(0) }
        appendLevel(0)
      } else if column.isList {
        try append(list: cell, batch.arena, row: firstRow + row)
      } else {
        if !definition.isEmpty { definition.append(1) }
        levelCount &+= 1
        try append(cell, batch.arena, row: firstRow + row)
      }
    }
  }

  /// Ends the values. Those in ascending order have no dictionary, and neither has a column without values.
  mutating func finish() {
    areAscending = areAscending && count > 1
    guard areAscending || count == 0 else { return }
    integers.removeDictionary()
    reals.removeDictionary()
    runs.removeDictionary()
  }

  private mutating func appendLevel(_ level: UInt8) {
    // A column without lists has values only so far.
    if definition.isEmpty, !column.isList { definition = Array(repeating: 1, count: levelCount) }
    definition.append(level)
    levelCount += 1
  }

  @inline(__always) private mutating func append(_ value: Int64) {
    if areAscending {
      if let lastInteger, lastInteger >= value { areAscending = false }
      lastInteger = value
    }
    integers.append(value)
  }

  @inline(__always)
  private mutating func append(_ cell: Cell, _ arena: Arena, row: Int) throws(Problem) {
    switch column.kind {
    case .integer:
      switch cell {
      case .integer(let value): return append(value)
      case .number(let start, let length):
        let literal = ByteRun(arena, start, length)
        if case .integer(let value) = unsafe StoredNumber(literal.start, literal.count) {
          return append(value)
        }
      default: break
      }
    case .real where column.areDecimals:
      if let value = shape.add(cell, arena) { return reals.append(value) }
      throw misfit("\(Self.text(cell, arena)) in a column of doubles", row: row)
    case .real:
      switch cell {
      case .real(let value): return reals.append(value)
      case .number(let start, let length):
        let literal = ByteRun(arena, start, length)
        switch unsafe StoredNumber(literal.start, literal.count) {
        case .real(let value): return reals.append(value)
        case .integer(let value) where value.magnitude <= 1 << 53: return reals.append(Double(value))
        default:
          // Another spelling, such as `1e-05`, of a value that a real has.
          if let value = Double(literal.text), value.isFinite { return reals.append(value) }
        }
      default: break
      }
    case .boolean: if case .boolean(let value) = cell { return append(value ? 1 : 0) }
    case .narrow(let bits):
      guard let number = Self.number(cell, arena)?.unscaled(precision: 18, scale: 0) else { break }
      guard number >> Int128(bits - 1) == (number < 0 ? -1 : 0) else {
        throw problem("\(number) in a column of \(bits) bits", row: row)
      }
      return append(Int64(number))
    case .float:
      if case .real(let value) = cell, !value.isFinite || value == 0 { return reals.append(value) }
      guard let number = Self.number(cell, arena) else { break }
      // The value is the one that is written, or the spelling of the nearest one.
      guard let value = number.float else {
        throw problem("\(Self.text(cell, arena)) in a column of 32-bit reals", row: row)
      }
      return reals.append(value == 0 && Self.text(cell, arena).hasPrefix("-") ? -0.0 : Double(value))
    case .decimal(let precision, let scale):
      guard let number = Self.number(cell, arena) else { break }
      guard let value = number.unscaled(precision: precision, scale: scale) else {
        let what = "\(Self.text(cell, arena)) in a column of decimal(\(precision),\(scale))"
        throw column.areDecimals ? misfit(what, row: row) : problem(what, row: row)
      }
      guard column.kind.isWide else { return append(Int64(value)) }
      return runs.append(copies.copy((0..<16).map { UInt8(truncatingIfNeeded: value >> Int128(120 - $0 * 8)) }))
    case .unsigned:
      guard let number = Self.number(cell, arena)?.unscaled(precision: 20, scale: 0),
        let value = UInt64(exactly: number)
      else { break }
      return append(Int64(bitPattern: value))
    case .time(let unit, _):
      guard case .text(let start, let length) = cell,
        let value = EpochTime.time(of: ByteRun(arena, start, length), perSecond: unit)
      else { break }
      return append(value)
    case .date, .milliseconds, .microseconds, .nanoseconds:
      if case .text(let start, let length) = cell, let unit = column.kind.unit,
        let value = EpochTime.value(of: arena, start, length, in: unit, isExact: column.isExact)
      {
        return append(value)
      }
      throw problem(
        column.kind == .date
          ? "a date that is not a whole day, in a column of days" : "the precision of this timestamp in this column",
        row: row, hint: .set(.formatOption("parquet.dates"), to: "text"))
    case .text, .bytes, .json:
      if case .text(let start, let length) = cell, column.kind == .text {
        return runs.append(ByteRun(arena, start, length))
      }
      return appendText(cell, arena)
    }
    throw problem("a value that is not of the column's type", row: row)
  }

  /// The number of a cell; nil for another value.
  private static func number(_ cell: Cell, _ arena: Arena) -> DecimalNumber? {
    switch cell {
    case .integer(let value): DecimalNumber(value)
    case .real(let value): DecimalNumber(value)
    case .number(let start, let length), .text(let start, let length): DecimalNumber(arena.bytes(start, length))
    default: nil
    }
  }

  private static func text(_ cell: Cell, _ arena: Arena) -> String {
    switch cell {
    case .integer(let value): String(value)
    case .real(let value): String(decoding: value.canonicalText, as: UTF8.self)
    case .number(let start, let length), .text(let start, let length):
      String(decoding: arena.bytes(start, length).prefix(40), as: UTF8.self)
    default: "this value"
    }
  }

  /// Appends a cell as text, as JSON text in a column of JSON values.
  private mutating func appendText(_ cell: Cell, _ arena: Arena) {
    switch cell {
    case .null: break
    case .text(let start, let length) where column.kind == .json:
      runs.append(copies.copy(JSON.string(arena.bytes(start, length)).canonicalBytes))
    case .text(let start, let length), .number(let start, let length), .json(let start, let length),
      .bytes(let start, let length):
      runs.append(ByteRun(arena, start, length))
    case .integer(let value): runs.append(copies.copy(Array(String(value).utf8)))
    case .real(let value): runs.append(copies.copy(value.canonicalText))
    case .boolean(let value): runs.append(copies.copy(Array((value ? "true" : "false").utf8)))
    }
  }

  private mutating func append(list cell: Cell, _ arena: Arena, row: Int) throws(Problem) {
    guard case .json(let start, let length) = cell else { throw problem("a value that is not a list", row: row) }
    var elements: [[UInt8]] = []
    _ = unsafe arena.bytes(start, length).withUnsafeBytes { list in
      unsafe ListText.first(in: list) { element in
        elements.append(element)
        return false
      }
    }
    if elements.isEmpty {
      repetition.append(0)
      appendLevel(1)
    }
    for (position, element) in elements.enumerated() {
      repetition.append(position == 0 ? 0 : 1)
      let isNull = column.kind != .text && element == Array("null".utf8)
      appendLevel(isNull ? 2 : 3)
      if isNull { continue }
      let text = String(decoding: element, as: UTF8.self)
      switch column.kind {
      case .real, .float:
        guard let value = Double(text), column.kind == .real || !value.isFinite || DecimalNumber(element)?.float != nil
        else {
          throw problem("an element that is not a \(column.kind == .real ? 64 : 32)-bit real", row: row)
        }
        reals.append(value)
      case .integer, .narrow:
        let bits = if case .narrow(let bits) = column.kind { bits } else { 64 }
        guard let value = Int64(text), value >> Int64(bits - 1) == (value < 0 ? -1 : 0) else {
          throw problem("an element that is not a \(bits)-bit integer", row: row)
        }
        append(value)
      default: runs.append(copies.copy(element))
      }
    }
  }

  /// A decimal that does not fit the type which the first rows suggested.
  private func misfit(_ what: String, row: Int) -> Problem {
    let name = NameListParser.written(column.name)
    var problem = problem(
      what, row: row,
      hint: [.set(.columnTypes, to: "\(name)=decimal(38,20)"), .set(.formatOption("parquet.decimals"), to: "text")])
    problem.needsAllRows = true
    return problem
  }

  private func problem(_ what: String, row: Int, hint: Remedy = "") -> Problem {
    Problem(.badData, "column \(column.name): parquet cannot represent \(what)", hint: hint, record: row)
  }
}

/// Copies of byte strings that stay where they are.
@safe private final class ByteRunCopies {
  private static let blockSize = 64 << 10
  private var blocks: [Block] = []
  private var used = blockSize

  @safe private struct Block { let start: UnsafeMutablePointer<UInt8> }

  init() {}
  deinit { for block in blocks { unsafe block.start.deallocate() } }

  func copy(_ bytes: [UInt8]) -> ByteRun {
    if blocks.isEmpty || used + bytes.count > Self.blockSize {
      // At least 32 readable bytes follow each run.
      unsafe blocks.append(Block(start: .allocate(capacity: max(Self.blockSize, bytes.count) + 32)))
      used = 0
    }
    let start = unsafe blocks[blocks.count - 1].start + used
    unsafe start.update(from: bytes, count: bytes.count)
    used += bytes.count
    return unsafe ByteRun(start: UnsafePointer(start), count: bytes.count)
  }
}
