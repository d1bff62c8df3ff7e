import Rows

/// The rows with one of the keys that pass a filter and a search; the matching is part of each batch's work, so it is
/// done on any core.
struct FilteredRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let filter: RowFilter
  private let search: SearchMatcher?
  private let keys: Set<[UInt8]>?

  init(_ inner: any RowStream, _ filters: [RowFilter], _ search: SearchMatcher?, keys: Set<[UInt8]>? = nil) {
    schema = inner.schema
    self.inner = inner
    filter = .all(filters.sorted { $0.cost < $1.cost })
    self.search = search
    self.keys = keys
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    let filter = self.filter, search = self.search, keys = self.keys, schema = self.schema
    return task.followed { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var scratch: [UInt8] = [], rows = Array(0..<Int32(batch.count))
      filter.filter(reader, &rows, &scratch)
      search?.filter(reader, &rows, &scratch)
      if let keys { rows.removeAll { RecordKey.text(of: Int($0), in: batch, schema).map(keys.contains) != true } }
      return rows.count == batch.count ? batch : batch.selecting(rows)
    }
  }
}

/// Some of the columns, in another order.
struct ProjectedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let positions: [Int]

  init(_ inner: any RowStream, _ positions: [Int]) {
    schema = inner.schema.projected(to: positions)
    self.inner = inner
    self.positions = positions
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    let positions = self.positions
    return task.followed { (batch) throws(Problem) in batch.projected(to: positions) }
  }
}

extension RowBatch {
  /// A batch with only the rows at `rows`. The bytes are shared, unless most of them would be kept for few rows.
  fileprivate func selecting(_ rows: [Int32]) -> RowBatch {
    guard rows.count < count / 8 else { return selecting(rows.map(Int.init)) }
    var builder = RowBatchBuilder(width: width)
    for row in rows { builder.append(row: Int(row), of: self) }
    return builder.finish()
  }
}
