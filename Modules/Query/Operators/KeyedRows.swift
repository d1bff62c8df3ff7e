import Rows
import Synchronization

/// Rows with two more columns: the bytes of a key, and the number of the row. Sorted by both, in temporary files if
/// they do not fit into memory, the rows of a key are next to each other.
final class KeyedRows: DerivedRowStream {
  /// The means of the work.
  struct Work: Sendable {
    let scratch: any ScratchSpace
    /// The memory in bytes.
    let memory: Int
  }

  let schema: Schema
  let inner: any RowStream
  private let columns: [Int]
  private let note: @Sendable (RowBatch) throws(Problem) -> Void
  private let count = Mutex<Int64>(0)

  private init(
    _ inner: any RowStream, by columns: [Int], _ note: @escaping @Sendable (RowBatch) throws(Problem) -> Void
  ) {
    (self.inner, self.columns, self.note) = (inner, columns, note)
    schema = Schema(
      inner.schema.name,
      columns: inner.schema.columns + [
        ColumnDescription(Conditions.mark + "key", .text), ColumnDescription(Conditions.mark + "number", .integer),
      ])
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let batch = try await inner.next()?.batch() else { return nil }
    try note(batch)
    let made = Self.keys(of: batch, columns, inner.schema), width = batch.width
    var keys = RowBatchBuilder(width: 1), numbers = RowBatchBuilder(width: 1)
    count.withLock { (count) in
      for row in 0..<batch.count {
        let (key, length) = unsafe made.key(row)
        keys.append(text: unsafe Array(UnsafeBufferPointer(start: key, count: length)))
        count += 1
        numbers.append(integer: count)
      }
    }
    let keyed = batch.setting(width, of: width + 1, to: keys.finish())
    return BatchTask(ready: keyed.setting(width + 1, of: width + 2, to: numbers.finish()))
  }

  /// The rows by their values in some columns, those of one key in the order of the input.
  /// - Parameter note: called with each batch in the order of the input.
  static func sorted(
    _ rows: any RowStream, by columns: [Int], _ work: Work,
    noting note: @escaping @Sendable (RowBatch) throws(Problem) -> Void = { (_) in }
  ) -> any RowStream {
    let keyed = KeyedRows(rows, by: columns, note), width = keyed.schema.width
    let keys = [width - 2, width - 1].map { SortOrder.Key(column: $0, isDescending: false) }
    return SortedRows(
      keyed, by: SortOrder(keys, keyed.schema), keeping: nil, scratch: work.scratch, memoryLimit: work.memory / 4)
  }

  /// Rows of `schema`, with a key and a number, by the number and without both.
  static func inOrder(_ rows: any RowStream, _ schema: Schema, _ work: Work) -> any RowStream {
    let keys = [SortOrder.Key(column: schema.width + 1, isDescending: false)]
    let sorted = SortedRows(
      rows, by: SortOrder(keys, rows.schema), keeping: nil, scratch: work.scratch, memoryLimit: work.memory / 4)
    return ReshapedRows(ProjectedRows(sorted, Array(0..<schema.width)), schema) { (batch) throws(Problem) in batch }
  }

  /// The key of a row of sorted rows.
  static func key(of row: Int, in batch: RowBatch) -> [UInt8] {
    if case .text(let key) = batch.value(row, batch.width - 2) { key } else { [] }
  }

  /// The number of a row of sorted rows.
  static func number(of row: Int, in batch: RowBatch) -> Int64 {
    if case .integer(let number) = batch[row, batch.width - 1] { number } else { 0 }
  }

  /// The values of some columns as keys, equal for equal values.
  static func keys(of batch: RowBatch, _ columns: [Int], _ schema: Schema) -> KeyBuffer {
    let reader = CellReader(batch)
    var keys = KeyBuffer()
    for row in 0..<batch.count {
      for column in columns {
        let cell = reader.cell(row, column)
        keys.put(schema.columns[column].type.isTime ? reader.time(cell) : cell, reader)
      }
      keys.finishKey()
    }
    return keys
  }
}
