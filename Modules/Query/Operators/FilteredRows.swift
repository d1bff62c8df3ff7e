import Rows

/// The rows with one of the keys, for which one condition of each group holds; the matching is part of each batch's
/// work, so it is done on any core.
struct FilteredRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
  private let groups: [[ConditionMatcher]]
  private let search: SearchMatcher?

  private let keys: Set<[UInt8]>?

  init(
    _ inner: any RowStream, _ groups: [[ConditionMatcher]], _ search: SearchMatcher?, keys: Set<[UInt8]>? = nil
  ) {
    self.keys = keys
    schema = inner.schema
    self.inner = inner
    self.groups = groups
    self.search = search
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let work = try await inner.next() else { return nil }
    let groups = self.groups, search = self.search, keys = self.keys, schema = self.schema
    return work.followed { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var scratch: [UInt8] = []
      let rows = (0..<batch.count).filter { row in
        groups.allSatisfy { group in group.contains { $0.matches(reader, row, &scratch) } }
          && search?.matches(reader, row, &scratch) ?? true
          && keys.map { keys in RecordKey.text(of: row, in: batch, schema).map(keys.contains) ?? false } ?? true
      }
      return rows.count == batch.count ? batch : batch.selecting(rows)
    }
  }
}

/// Some of the columns, in another order.
struct ProjectedRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
  private let positions: [Int]

  init(_ inner: any RowStream, _ positions: [Int]) {
    schema = inner.schema.projected(to: positions)
    self.inner = inner
    self.positions = positions
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let work = try await inner.next() else { return nil }
    let positions = self.positions
    return work.followed { (batch) throws(Problem) in batch.projected(to: positions) }
  }
}
