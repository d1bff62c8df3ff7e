import Codecs
import Rows

/// Compares the rows at two positions, and writes their differences.
struct Comparing {
  /// The columns of the key, and the others that count.
  let key: [Int]
  let compared: [Int]
  let schema: Schema
  /// The columns that only one of the tables has as JSON.
  let loose: Set<Int>
  /// The columns of text that are numbers or Booleans in the old table.
  let literals: Set<Int>

  /// The relation between the rows at two positions.
  enum Difference {
    /// The first row has no counterpart, or the second one.
    case removed, added
    /// They belong together, and differ in these columns.
    case pair([Int])
  }

  /// The next difference; nil after the last rows.
  func difference(_ old: DifferenceCursor, _ new: DifferenceCursor) -> Difference? {
    guard let left = old.batch else { return new.batch == nil ? nil : .added }
    guard let right = new.batch else { return .removed }
    let a = CellReader(left), b = CellReader(right)
    for column in key {
      let order = order(column, a, old.row, b, new.row)
      if order != 0 { return order < 0 ? .removed : .added }
    }
    var columns: [Int] = []
    for column in compared {
      let order = order(column, a, old.row, b, new.row)
      if order == 0 { continue }
      // Of several rows with one key, those that are equal belong together.
      if old.isRepeated || new.isRepeated { return order < 0 ? .removed : .added }
      columns.append(column)
    }
    return .pair(columns)
  }

  /// The order of two cells of a column, null last.
  private func order(_ column: Int, _ a: CellReader, _ row: Int, _ b: CellReader, _ other: Int) -> Int {
    let x = a.cell(row, column), y = b.cell(other, column)
    switch (x.isNull, y.isNull) {
    case (true, true): return 0
    case (true, false): return 1
    case (false, true): return -1
    case (false, false) where schema.columns[column].type.isTime:
      return SortOrder.compare(a, a.time(x), b, b.time(y))
    case (false, false) where schema.columns[column].type == .json:
      let order = SortOrder.compare(a, x, b, y)
      return order == 0 || JSONValues.areEqual(a, x, b, y, isLoose: loose.contains(column)) ? 0 : order
    case (false, false): return SortOrder.compare(a, x, b, y)
    }
  }

  /// Appends a row that only one table has.
  func append(_ change: String, _ cursor: DifferenceCursor, to builder: inout RowBatchBuilder) {
    guard let batch = cursor.batch else { return }
    builder.append(text: change)
    builder.append(cells: cursor.row, of: batch)
    builder.appendNull()
    builder.appendNull()
  }

  /// Appends a row with other values in some columns.
  func append(
    _ columns: [Int], _ old: DifferenceCursor, _ new: DifferenceCursor, to builder: inout RowBatchBuilder
  ) {
    guard let left = old.batch, let right = new.batch else { return }
    builder.append(text: "changed")
    builder.append(cells: new.row, of: right)
    var names = ByteBuffer(capacity: 256), values = ByteBuffer(capacity: 256)
    for (index, column) in columns.enumerated() {
      names.append(byte: UInt8(ascii: index == 0 ? "[" : ","))
      values.append(byte: UInt8(ascii: index == 0 ? "{" : ","))
      names.append(jsonString: schema.columns[column].name)
      values.append(jsonString: schema.columns[column].name)
      values.append(byte: UInt8(ascii: ":"))
      if case .text(let start, let count) = left[old.row, column], literals.contains(column),
        let literal = try? JSON.parse(left.arena.bytes(start, count), name: "")
      {
        values.append(bytes: literal.canonicalBytes)
      } else {
        values.append(jsonOf: left[old.row, column], left.arena)
      }
    }
    names.append(byte: UInt8(ascii: "]"))
    values.append(byte: UInt8(ascii: "}"))
    builder.append(json: names.bytes())
    builder.append(json: values.bytes())
  }
}

extension RowBatchBuilder {
  fileprivate mutating func append(cells row: Int, of batch: RowBatch) {
    for column in 0..<batch.width { append(row, column, of: batch) }
  }
}

/// JSON compared by value: numbers as numbers, members in any order.
private enum JSONValues {
  /// - Parameter isLoose: whether text is also what it would be as JSON: a table without types has `false` as text.
  static func areEqual(_ a: CellReader, _ x: Cell, _ b: CellReader, _ y: Cell, isLoose: Bool) -> Bool {
    guard case .json(let start, let length) = x, case .json(let otherStart, let otherLength) = y else { return false }
    let left = unsafe Array(a.bytes(start, length)), right = unsafe Array(b.bytes(otherStart, otherLength))
    // Numbers that are not finite are not JSON.
    guard let first = try? JSON.parse(left, name: ""), let second = try? JSON.parse(right, name: "") else {
      return false
    }
    if isLoose, first.stringBytes == right || second.stringBytes == left { return true }
    return areEqual(first, second)
  }

  private static func areEqual(_ a: JSON, _ b: JSON) -> Bool {
    switch (a, b) {
    case (.number(let left), .number(let right)):
      return left == right || DecimalNumber(left).map { $0 == DecimalNumber(right) } ?? false
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy(areEqual)
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      let names = { (member: JSON.Member) in member.key }
      let sorted = [left, right].map { $0.sorted { names($0).lexicographicallyPrecedes(names($1)) } }
      return zip(sorted[0], sorted[1]).allSatisfy { $0.key == $1.key && areEqual($0.value, $1.value) }
    default: return a == b
    }
  }
}
