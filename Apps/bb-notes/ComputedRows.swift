import Domain
import Rows

/// Rows with further columns, computed from each record.
struct ComputedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let change: @Sendable (Record) -> Record

  /// - Parameters:
  ///   - columns: the columns to add, after the others; those that there are already are left.
  ///   - change: is given a record in which these are null.
  init(
    _ inner: any RowStream, adding columns: [ColumnDescription] = [],
    _ change: @escaping @Sendable (Record) -> Record
  ) {
    self.inner = inner
    self.change = change
    let old = inner.schema
    schema = Schema(
      old.name, old.summary, key: old.key.map { old.columns[$0].name },
      columns: old.columns + columns.filter { !old.columns.has($0.name) })
  }

  func next() async throws(Problem) -> BatchTask? {
    let old = inner.schema, schema = self.schema, change = self.change
    return try await inner.next()?.followed { (batch) throws(Problem) in
      var builder = RowBatchBuilder(width: schema.width)
      for record in batch.records(of: old) {
        let missing = Array(repeating: Value.null, count: schema.width - old.width)
        for value in change(Record(schema, record.values + missing)).values { builder.append(value: value) }
      }
      return builder.finish()
    }
  }
}
