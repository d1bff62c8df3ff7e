import Codecs
import Rows
import Synchronization

/// Rows with a column for each value of another column. The rows of the input are sorted by what identifies a row of
/// the output, in temporary files if they do not fit into memory.
final class PivotedRows: DerivedRowStream {
  static let mostColumns = 10_000
  let schema: Schema
  let inner: any RowStream
  private let plan: Plan
  private let names: Names
  /// The first batch, after which `inner` continues, and the row that is not complete.
  private let state: Mutex<State>

  private struct Plan: Sendable {
    let kept: [Int], name: Int, value: Int
    let columns: [ColumnDescription]
  }

  private struct State {
    var first: RowBatch?
    var current: (key: [UInt8], number: Int64, values: [Value], cells: [Int: (value: Value, number: Int64)])?
    var isDone = false
  }

  /// The names of the new columns, in the order of the input.
  private final class Names: Sendable {
    let found = Mutex<(positions: [[UInt8]: Int], order: [[UInt8]])>(([:], []))

    func note(_ batch: RowBatch, _ column: Int) throws(Problem) {
      let reader = CellReader(batch)
      try found.withLock { (found) throws(Problem) in
        for row in 0..<batch.count {
          let name = ExpressionValue(reader.cell(row, column), reader).text
          guard found.positions[name] == nil else { continue }
          found.positions[name] = found.order.count
          found.order.append(name)
          guard found.order.count <= mostColumns else {
            throw Problem(.badData, "more than \(mostColumns) columns", hint: "choose a column with fewer values")
          }
        }
      }
    }
    var order: [[UInt8]] { found.withLock { $0.order } }
    func position(of name: [UInt8]) -> Int? { found.withLock { $0.positions[name] } }
  }

  private init(_ inner: any RowStream, _ schema: Schema, _ plan: Plan, _ names: Names, first: RowBatch?) {
    (self.inner, self.schema, self.plan, self.names) = (inner, schema, plan, names)
    state = Mutex(State(first: first))
  }

  /// - Parameters:
  ///   - name: the column whose values name the new columns; `value` fills them. The others identify a row.
  /// - Throws: `badData` for two values of one cell, naming both records, and for too many columns.
  static func pivoting(
    _ rows: any RowStream, name: Int, value: Int, _ work: KeyedRows.Work
  ) async throws(Problem) -> any RowStream {
    let old = rows.schema, kept = old.columns.indices.filter { $0 != name && $0 != value }
    let names = Names()
    let sorted = KeyedRows.sorted(rows, by: kept, work) { (batch) throws(Problem) in try names.note(batch, name) }
    // All rows are read before the first is given out.
    let first = try await sorted.next()?.batch()
    var all = kept.map { old.columns[$0] }
    var distinct = DistinctNames(all.map(\.name))
    for name in names.order {
      let text = name.isEmpty ? "null" : String(decoding: name, as: UTF8.self)
      all.append(ColumnDescription(distinct.add(text), old.columns[value].type))
    }
    let schema = Schema(old.name, old.summary, columns: all)
    let marked = Schema(old.name, columns: all + sorted.schema.columns.suffix(2))
    let plan = Plan(kept: kept, name: name, value: value, columns: old.columns)
    return KeyedRows.inOrder(PivotedRows(sorted, marked, plan, names, first: first), schema, work)
  }

  func next() async throws(Problem) -> BatchTask? {
    var builder = RowBatchBuilder(width: schema.width)
    while !builder.isFull {
      var batch = state.withLock { (state) -> RowBatch? in
        defer { state.first = nil }
        return state.first
      }
      if batch == nil { batch = try await inner.next()?.batch() }
      guard let batch else {
        let last = state.withLock { (state) in
          defer { state.current = nil }
          return state.current
        }
        if let last { write(last.key, last.number, last.values, last.cells, to: &builder) }
        break
      }
      try add(batch, to: &builder)
    }
    return builder.count == 0 ? nil : BatchTask(ready: builder.finish())
  }

  private func add(_ batch: RowBatch, to builder: inout RowBatchBuilder) throws(Problem) {
    let reader = CellReader(batch)
    for row in 0..<batch.count {
      let key = KeyedRows.key(of: row, in: batch), number = KeyedRows.number(of: row, in: batch)
      let name = ExpressionValue(reader.cell(row, plan.name), reader).text
      guard let column = names.position(of: name) else { continue }
      let value = batch.value(row, plan.value), values = plan.kept.map { batch.value(row, $0) }
      let (other, done) = state.withLock { (state) in
        if state.current?.key == key {
          let other = state.current?.cells.updateValue((value, number), forKey: column)
          return (other?.number, nil as State?)
        }
        let done = state.current == nil ? nil : state
        state.current = (key, number, values, [column: (value, number)])
        return (nil, done)
      }
      if let other {
        let group = (plan.kept + [plan.name]).map { NameListParser.written(plan.columns[$0].name) }
        let value = NameListParser.written(plan.columns[plan.value].name)
        throw Problem(
          .badData, "two values of “\(String(decoding: name, as: UTF8.self))”, in records \(other) and \(number)",
          hint: .together([
            Remedy.Choice(.grouping, group.joined(separator: ",")),
            Remedy.Choice(.aggregates, "sum(\(value)) as \(value)"),
          ]))
      }
      if let done = done?.current { write(done.key, done.number, done.values, done.cells, to: &builder) }
    }
  }

  private func write(
    _ key: [UInt8], _ number: Int64, _ values: [Value], _ cells: [Int: (value: Value, number: Int64)],
    to builder: inout RowBatchBuilder
  ) {
    for value in values { builder.append(value: value) }
    for column in 0..<schema.width - values.count - 2 { builder.append(value: cells[column]?.value ?? .null) }
    builder.append(text: key)
    builder.append(integer: number)
  }
}
