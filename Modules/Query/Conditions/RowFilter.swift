public import Rows

/// Conditions made ready for a schema, applied to the rows of a batch together.
///
/// The kind of each test is checked once per batch, cheap tests come first, and the next test sees only the rows that
/// are left.
indirect enum RowFilter: Sendable {
  case test(ConditionMatcher)
  case all([RowFilter])
  case any([RowFilter])

  /// - Parameters:
  ///   - isNegated: whether the predicate must be false. Negations are carried to the conditions, so that what is
  ///     neither true nor false stays so.
  ///   - position: finds a column.
  init(
    _ predicate: Predicate, negated isNegated: Bool = false, of schema: Schema,
    position: (String) throws(Problem) -> Int
  ) throws(Problem) {
    switch predicate {
    case .condition(let condition):
      var other: Int?
      if let name = condition.otherColumn {
        do throws(Problem) { other = try position(name) } catch {
          var problem = error
          if Remedy.nearest(name, among: schema.columns.map(\.name)) == nil {
            problem.hint = .advice("quote text as '\(name.replacing("'", with: "''"))'")
          }
          throw problem
        }
      }
      self = .test(
        try ConditionMatcher(
          condition, at: try position(condition.column), other: other, of: schema, negated: isNegated))
    case .not(let part):
      self = try RowFilter(part, negated: !isNegated, of: schema, position: position)
    case .all(let parts), .any(let parts):
      var filters: [RowFilter] = []
      for part in parts { filters.append(try RowFilter(part, negated: isNegated, of: schema, position: position)) }
      filters.sort { $0.cost < $1.cost }
      var isAll = false
      if case .all = predicate { isAll = true }
      self = isAll != isNegated ? .all(filters) : .any(filters)
    }
  }

  /// The relative cost for a row.
  var cost: Int {
    switch self {
    case .test(let matcher): matcher.cost
    case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.cost }
    }
  }

  var lastColumn: Int {
    switch self {
    case .test(let matcher): max(matcher.column, matcher.other ?? 0)
    case .all(let parts), .any(let parts): parts.reduce(0) { max($0, $1.lastColumn) }
    }
  }

  /// Whether a row matches: one row after the other, the law for `filter`.
  func matches(_ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool {
    switch self {
    case .test(let matcher): return matcher.matches(reader, row, &scratch)
    case .all(let parts):
      for part in parts where !part.matches(reader, row, &scratch) { return false }
      return true
    case .any(let parts):
      for part in parts where part.matches(reader, row, &scratch) { return true }
      return false
    }
  }

  /// Keeps the rows that match; `rows` ascend before and after.
  func filter(_ reader: CellReader, _ rows: inout [Int32], _ scratch: inout [UInt8]) {
    switch self {
    case .test(let matcher): matcher.filter(reader, &rows, &scratch)
    case .all(let parts):
      for part in parts where !rows.isEmpty { part.filter(reader, &rows, &scratch) }
    case .any(let parts):
      var left = rows, kept: [Int32] = []
      for part in parts where !left.isEmpty {
        var found = left
        part.filter(reader, &found, &scratch)
        if found.isEmpty { continue }
        Self.remove(found, from: &left)
        kept = Self.merged(kept, found)
      }
      rows = kept
    }
  }

  private static func remove(_ found: [Int32], from rows: inout [Int32]) {
    var next = 0
    rows.removeAll { row in
      guard next < found.count, found[next] == row else { return false }
      next += 1
      return true
    }
  }

  private static func merged(_ a: [Int32], _ b: [Int32]) -> [Int32] {
    if a.isEmpty { return b }
    var result: [Int32] = [], i = 0, j = 0
    result.reserveCapacity(a.count + b.count)
    while i < a.count, j < b.count {
      if a[i] < b[j] {
        result.append(a[i])
        i += 1
      } else {
        result.append(b[j])
        j += 1
      }
    }
    return result + a[i...] + b[j...]
  }
}

extension ConditionMatcher {
  func filter(_ reader: CellReader, _ rows: inout [Int32], _ scratch: inout [UInt8]) {
    let column = self.column, wants = !isNegated
    switch test {
    case .isNull(let wanted):
      keep(&rows) { row in (reader.cell(row, column).isNull == wanted) == wants }
    case .boolean(let wanted):
      keep(&rows) { row in
        if case .boolean(let value) = reader.cell(row, column) { (value == wanted) == wants } else { false }
      }
    case .number(let comparison, let wanted, _, let bounds?) where wanted.allSatisfy(\.nearest.isWhole):
      if wanted.count == 1 {
        filterNumbers(reader, &rows, comparison, bounds, wanted[0])
      } else {
        filterNumbers(reader, &rows, among: bounds, wanted)
      }
    case .text(let comparison, let wanted):
      filterTexts(reader, &rows, comparison, wanted)
    case .date(let comparison, let wanted):
      keep(&rows) { row in
        guard let value = reader.text(of: reader.cell(row, column)) else { return false }
        return Self.dateHolds(comparison, value, wanted) == wants
      }
    case .time(let comparison, let wanted):
      keep(&rows) { row in
        guard let value = reader.text(of: reader.time(reader.cell(row, column))) else { return false }
        return Self.dateHolds(comparison, value, wanted) == wants
      }
    case .contains(let isThere, let needle):
      keep(&rows) { row in
        let cell = reader.cell(row, column)
        if cell.isNull { return false }
        guard let text = unsafe reader.bytes(of: cell) else { return matches(reader, row, &scratch) }
        return unsafe (needle.isContained(in: text, &scratch) == isThere) == wants
      }
    case .pattern(let searches, let isList):
      searches.with { search in
        keep(&rows) { row in
          let cell = reader.cell(row, column)
          if cell.isNull { return false }
          return unsafe Self.anyText(of: cell, reader, isList) { unsafe search.matches($0) } == wants
        }
      }
    case .number, .element, .numberElement, .begins, .column, .json:
      keep(&rows) { row in matches(reader, row, &scratch) }
    }
  }

  /// Numbers against a constant. There is no branch on what a number is: it would often be mispredicted.
  private func filterNumbers(
    _ reader: CellReader, _ rows: inout [Int32], _ comparison: Condition.Operator, _ bounds: NumberBounds,
    _ constant: NumberConstant
  ) {
    let column = self.column, nearest = constant.nearest.value
    // Bits 0 to 2: whether what is less, the same and more is wanted.
    let wanted = [-1, 0, 1].reduce(0) { bits, order in
      bits | (Self.holds(comparison, order) != isNegated ? 1 << (order + 1) : 0)
    }
    let (lows, highs) = (bounds.lows, bounds.highs)
    @inline(__always) func holds(_ row: Int) -> Bool {
      let cell = reader.cell(row, column)
      let order: Int
      if let short = reader.shortDecimal(of: cell) {
        order =
          (short.mantissa >= lows[short.scale] ? 1 : 0) &+ (short.mantissa > highs[short.scale] ? 1 : 0)
      } else if case .real(let value) = cell {
        // NaN is above all numbers.
        order = (value < nearest ? 0 : 1) &+ (value <= nearest ? 0 : 1)
      } else {
        order = reader.order(of: cell, to: constant).map { $0 + 1 } ?? 3
      }
      return wanted &>> order & 1 != 0
    }
    keep(&rows, holds)
  }

  private func filterNumbers(
    _ reader: CellReader, _ rows: inout [Int32], among bounds: NumberBounds, _ constants: [NumberConstant]
  ) {
    let column = self.column, wants = !isNegated
    let (lows, highs) = (bounds.lows, bounds.highs)
    @inline(__always) func holds(_ row: Int) -> Bool {
      let cell = reader.cell(row, column)
      guard let short = reader.shortDecimal(of: cell) else {
        return reader.isAmong(cell, constants).map { $0 == wants } ?? false
      }
      var isAmong = 0, at = short.scale
      while at < lows.count {
        isAmong |= short.mantissa >= lows[at] && short.mantissa <= highs[at] ? 1 : 0
        at &+= NumberBounds.scales
      }
      return (isAmong != 0) == wants
    }
    keep(&rows, holds)
  }

  private func filterTexts(
    _ reader: CellReader, _ rows: inout [Int32], _ comparison: Condition.Operator, _ wanted: [[UInt8]]
  ) {
    let column = self.column
    let less = Self.holds(comparison, -1) != isNegated
    let same = Self.holds(comparison, 0) != isNegated
    let more = Self.holds(comparison, 1) != isNegated
    if wanted.count == 1 {
      unsafe wanted[0].withUnsafeBytes { text in
        keep(&rows) { row in
          guard let value = unsafe reader.bytes(of: reader.cell(row, column)) else { return false }
          if less == more, value.count != text.count { return less }
          let order = unsafe precedes(value, text)
          return order < 0 ? less : order == 0 ? same : more
        }
      }
    } else {
      keep(&rows) { row in
        guard let value = unsafe reader.bytes(of: reader.cell(row, column)) else { return false }
        return wanted.contains { unsafe Self.order(value, $0) == 0 } == same
      }
    }
  }

  @inline(__always) private func keep(_ rows: inout [Int32], _ holds: (Int) -> Bool) {
    var kept = 0
    unsafe rows.withUnsafeMutableBufferPointer { rows in
      for index in 0..<rows.count {
        let row = unsafe rows[index]
        unsafe rows[kept] = row
        kept &+= holds(Int(row)) ? 1 : 0
      }
    }
    rows.removeSubrange(kept...)
  }
}

extension CellReader {
  /// The number of a cell that has few digits.
  @inline(__always) fileprivate func shortDecimal(of cell: Cell) -> (mantissa: Int64, scale: Int)? {
    if case .number(let start, let length) = cell, let digits = unsafe DecimalDigits(bytes(start, length)) {
      let sign: Int64 = digits.isNegative ? -1 : 0
      return ((Int64(truncatingIfNeeded: digits.value) ^ sign) &- sign, digits.scale)
    }
    if case .integer(let value) = cell { return (value, 0) }
    return nil
  }

  @inline(never) fileprivate func isAmong(_ cell: Cell, _ constants: [NumberConstant]) -> Bool? {
    guard order(of: cell, to: constants[0]) != nil else { return nil }
    return constants.contains { order(of: cell, to: $0) == 0 }
  }
}

extension Predicate {
  /// Whether it holds for each row of a batch.
  /// - Throws: `usage` for an unknown column, and for a value that cannot be compared.
  public func holds(for batch: RowBatch, of schema: Schema) throws(Problem) -> [Bool] {
    let filter = try RowFilter(self, of: schema) { (name) throws(Problem) in try schema.column(named: name) }
    var scratch: [UInt8] = []
    let reader = CellReader(batch)
    return (0..<batch.count).map { filter.matches(reader, $0, &scratch) }
  }
}
