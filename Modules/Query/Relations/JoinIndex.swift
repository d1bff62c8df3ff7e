import Codecs
import Rows

/// The rows one relation leads to, found by what they are matched by; a class, because every row of a join uses it.
final class JoinIndex: Sendable {
  let table: JoinTables.Table
  /// Resolves the names of the rows where the relation begins.
  private let names: NameResolver?
  /// The relation's columns, where it begins.
  private let left: [Int]
  /// Whether a pair of columns has timestamps on both sides, which are compared as times.
  private let areTimes: [Bool]
  /// From what rows are matched by to their numbers, in order.
  let rows: RowsByKey
  /// The number of each batch's first row.
  private let starts: [Int]
  /// The most bytes of text in a row of the table.
  let longestRow: Int

  /// - Throws: `usage` when a table lacks a column the relation is about.
  init(_ relation: Relation, from schema: Schema, _ related: JoinTables) throws(Problem) {
    table = try related.table(relation.to)
    var resolver: NameResolver?
    if let names = relation.names {
      let named = try related.table(names.dataset), tally = related.tally
      let index = NameIndex(names, named.batches, schema: named.schema)
      let columns = related.agreeing[relation.from] ?? related.agreeing[relation.to] ?? related.agreeing[names.dataset]
      func resolve(_ dataset: String, _ schema: Schema, _ column: String) -> NameResolver {
        NameResolver(
          index: index,
          agreement: NameAgreement(columns, of: schema, with: index, isSame: dataset == names.dataset),
          tally: tally, column: "\(dataset).\(column)",
          // A row of a single relation without a match shows its nulls.
          countsUnmatched: relation.isToMany)
      }
      self.names = resolve(relation.from, schema, relation.columns.first?.left ?? "")
      resolver = resolve(relation.to, table.schema, relation.columns.first?.right ?? "")
    } else {
      self.names = nil
    }
    var left: [Int] = [], right: [Int] = [], areTimes: [Bool] = []
    for pair in relation.columns {
      let columns = (try schema.column(named: pair.left), try table.schema.column(named: pair.right))
      if relation.names == nil { try Self.check(schema.columns[columns.0], table.schema.columns[columns.1]) }
      left.append(columns.0)
      right.append(columns.1)
      areTimes.append(
        schema.columns[columns.0].type.isTime && table.schema.columns[columns.1].type == schema.columns[columns.0].type)
    }
    self.left = left
    self.areTimes = areTimes
    var builder = RowsByKey.Builder()
    var starts: [Int] = [], count = 0
    var keys = KeyBuffer()
    for batch in table.batches {
      starts.append(count)
      let reader = CellReader(batch)
      for row in 0..<batch.count {
        keys.removeAll()
        Self.put(batch, reader, row, right, areTimes, resolver, to: &keys)
        for number in 0..<keys.count { builder.add(count + row, keys, number) }
      }
      count += batch.count
    }
    self.starts = starts
    longestRow = table.batches.reduce(0) { longest, batch in
      (0..<batch.count).reduce(longest) { max($0, batch.textBytes(ofRow: $1)) }
    }
    rows = RowsByKey(builder)
  }

  /// Refuses columns whose values are never equal.
  private static func check(_ left: ColumnDescription, _ right: ColumnDescription) throws(Problem) {
    func kind(_ type: ColumnType) -> ColumnType {
      switch type {
      case .integer, .real, .decimal: .decimal
      case .text, .date, .timestamp, .datetime, .url: .text
      case .list, .json: .json
      case .boolean, .bytes: type
      }
    }
    guard kind(left.type) != kind(right.type) else { return }
    throw Problem(
      .usage, "cannot join \(left.name) (\(left.type.name)) and \(right.name) (\(right.type.name))",
      hint: .set(.columnTypes, for: "read both as the same type"))
  }

  func matchCount(_ batch: RowBatch, _ row: Int, _ keys: inout KeyBuffer) -> Int {
    keys.removeAll()
    Self.put(batch, CellReader(batch), row, left, areTimes, names, to: &keys)
    return (0..<keys.count).reduce(0) { $0 + rows.range(keys, $1).count }
  }

  /// Whether columns are compared, not names that several records may have.
  var hasOwnKeys: Bool { names == nil }

  /// The numbers of the rows that a row leads to, each once.
  /// - Parameter keys: a buffer to work with.
  func matches(_ batch: RowBatch, _ row: Int, _ keys: inout KeyBuffer) -> [Int] {
    keys.removeAll()
    Self.put(batch, CellReader(batch), row, left, areTimes, names, to: &keys)
    var found: [Int] = []
    for number in 0..<keys.count { for place in rows.range(keys, number) { found.append(rows[place]) } }
    return keys.count > 1 ? found.withoutRepetitions : found
  }

  /// The keys of rows by values: the number of each row's key, or -1 if a value is null. Nil if rows are matched by
  /// names, which may have several keys.
  func keys(of range: Range<Int>, in batch: RowBatch, _ keys: inout KeyBuffer) -> [Int]? {
    guard names == nil else { return nil }
    let reader = CellReader(batch)
    return range.map { row in
      let before = keys.count
      Self.put(batch, reader, row, left, areTimes, nil, to: &keys)
      return keys.count > before ? before : -1
    }
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

  /// Puts the keys that a row is matched by: of each known name in a list; none if a value is null.
  private static func put(
    _ batch: RowBatch, _ reader: CellReader, _ row: Int, _ columns: [Int], _ areTimes: [Bool],
    _ resolver: NameResolver?, to keys: inout KeyBuffer
  ) {
    if let resolver, let column = columns.first {
      var positions: [Int] = []
      reader.forEachText(of: reader.cell(row, column)) { name in positions += resolver.positions(of: name, batch, row) }
      for position in positions {
        keys.put(.integer(Int64(position)), reader)
        keys.finishKey()
      }
      return
    }
    for (place, column) in columns.enumerated() {
      let cell = reader.cell(row, column)
      if cell.isNull { return keys.discardKey() }
      keys.put(areTimes[place] ? reader.time(cell) : cell, reader)
    }
    keys.finishKey()
  }
}

/// The records that names in the rows of a table mean.
private struct NameResolver: Sendable {
  let index: NameIndex
  let agreement: NameAgreement
  let tally: JoinTally
  let column: String
  /// Whether names without a match are counted.
  let countsUnmatched: Bool

  /// The positions of the records that a name in a row may mean.
  func positions(of name: [UInt8], _ batch: RowBatch, _ row: Int) -> [Int] {
    let found = index.positions(of: name)
    let chosen = agreement.chosen(found, index) { batch.value(row, $0) }
    if chosen.count > 1 { tally.noteAmbiguous(name, in: column) }
    if chosen.isEmpty, countsUnmatched { tally.noteUnmatched(name, in: column) }
    return chosen
  }
}

extension [Int] {
  /// The elements, each where it comes first.
  var withoutRepetitions: [Int] {
    var seen = Set<Int>()
    return filter { seen.insert($0).inserted }
  }
}
