import Codecs
import Rows

/// The rows one relation leads to, found by what they are matched by.
struct JoinIndex: Sendable {
  let table: JoinTables.Table
  private let resolver: NameIndex?
  /// The relation's columns, where it begins.
  private let left: [Int]
  /// From what rows are matched by to their numbers, in order.
  private let rows: [[UInt8]: [Int]]
  /// The number of each batch's first row.
  private let starts: [Int]

  /// - Throws: `usage` when a table lacks a column the relation is about.
  init(_ relation: Relation, from schema: Schema, _ related: JoinTables) throws(Problem) {
    table = try related.table(relation.to)
    if let names = relation.names {
      let named = try related.table(names.dataset)
      resolver = NameIndex(names, named.batches, schema: named.schema)
    } else {
      resolver = nil
    }
    var left: [Int] = [], right: [Int] = []
    for pair in relation.columns {
      left.append(try schema.column(named: pair.left))
      right.append(try table.schema.column(named: pair.right))
    }
    self.left = left
    var rows: [[UInt8]: [Int]] = [:], starts: [Int] = [], count = 0
    for batch in table.batches {
      starts.append(count)
      for row in 0..<batch.count {
        for key in Self.keys(batch, row, right, resolver) { rows[key, default: []].append(count + row) }
      }
      count += batch.count
    }
    self.rows = rows
    self.starts = starts
  }

  /// The numbers of the rows that a row leads to, each once.
  func matches(_ batch: RowBatch, _ row: Int) -> [Int] {
    var found: [Int] = []
    for key in Self.keys(batch, row, left, resolver) {
      for number in rows[key] ?? [] where !found.contains(number) { found.append(number) }
    }
    return found
  }

  /// The batch and the row within it of a row's number.
  func place(of number: Int) -> (batch: RowBatch, row: Int) {
    var low = 0, high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= number { low = middle } else { high = middle }
    }
    return (table.batches[low], number - starts[low])
  }

  /// The keys that a row is matched by: each element of a list; none if a value is null or a name is unknown.
  private static func keys(_ batch: RowBatch, _ row: Int, _ columns: [Int], _ resolver: NameIndex?) -> [[UInt8]] {
    let reader = CellReader(batch)
    if let resolver, let column = columns.first {
      var keys: [[UInt8]] = []
      reader.forEachText(of: reader.cell(row, column)) { name in
        if let position = resolver.position(of: name) { keys.append(Array(String(position).utf8)) }
      }
      return keys
    }
    var key = ByteBuffer(capacity: 128)
    for column in columns {
      let cell = reader.cell(row, column)
      if cell.isNull { return [] }
      // A canonical JSON value delimits itself, so the values of several columns cannot run into each other.
      if let integer = reader.integer(of: cell) {
        key.append(integer: integer)
      } else {
        key.append(jsonOf: cell, batch.arena)
      }
      key.append(byte: UInt8(ascii: ","))
    }
    return [key.bytes()]
  }
}
