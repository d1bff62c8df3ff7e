import Synchronization

/// Rows in order. Up to 64 MiB in memory; beyond that, sorted runs in temporary files that are merged. With a limit, only the rows that can
/// be among the first are kept.
final class SortedRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
  private let order: SortOrder
  private let keep: Int?
  private let scratch: any ScratchSpace
  private let memoryLimit: Int
  private let merge = Mutex<(any RowStream)?>(nil)

  init(
    _ inner: any RowStream, by order: SortOrder, keeping keep: Int?, scratch: any ScratchSpace,
    memoryLimit: Int = Spool.memoryLimit
  ) {
    schema = inner.schema
    self.inner = inner
    self.order = order
    self.keep = keep
    self.scratch = scratch
    self.memoryLimit = memoryLimit
  }

  func next() async throws(Problem) -> BatchWork? {
    if let stream = merge.withLock({ $0 }) { return try await stream.next() }
    let stream = try await sorted()
    merge.withLock { $0 = stream }
    return try await stream.next()
  }

  private func sorted() async throws(Problem) -> any RowStream {
    var runs: [Spool] = []
    var pending: [RowBatch] = [], memory = 0
    while let work = try await inner.next() {
      let batch = try work.batch()
      guard batch.count > 0 else { continue }
      pending.append(batch)
      memory += batch.memory + batch.count * MemoryLayout<RowPlace>.stride
      guard memory > memoryLimit else { continue }
      let batches = ordered(pending)
      let kept = batches.reduce(0) { $0 + $1.memory + $1.count * MemoryLayout<RowPlace>.stride }
      if keep != nil, kept <= memoryLimit / 2 {
        // Few rows are wanted: those that were kept go on as if they had just come in.
        (pending, memory) = (batches, kept)
        continue
      }
      runs.append(try run(batches))
      (pending, memory) = ([], 0)
    }
    let last = ordered(pending)
    if runs.isEmpty { return ReadyRows(schema: schema, batches: last) }
    runs.append(try run(last))
    return try await MergedRows(schema: schema, runs: runs.map { $0.stream() }, order: order)
  }

  private func run(_ batches: [RowBatch]) throws(Problem) -> Spool {
    let spool = Spool(schema: schema, scratch: scratch, memoryLimit: 0)
    for batch in batches { try spool.append(batch) }
    return spool
  }

  /// A row among the batches that are being sorted.
  private struct RowPlace {
    let batch: Int32, row: Int32
  }

  /// The rows of `batches` in order, cut to what is kept, in new batches.
  private func ordered(_ batches: [RowBatch]) -> [RowBatch] {
    let readers = batches.map(CellReader.init)
    var places: [RowPlace] = []
    places.reserveCapacity(batches.reduce(0) { $0 + $1.count })
    for (index, batch) in batches.enumerated() {
      for row in 0..<batch.count { places.append(RowPlace(batch: Int32(index), row: Int32(row))) }
    }
    let order = self.order
    places.sort { a, b in
      let result = order.compare(readers[Int(a.batch)], Int(a.row), readers[Int(b.batch)], Int(b.row))
      return result == 0 ? (a.batch, a.row) < (b.batch, b.row) : result < 0
    }
    var result: [RowBatch] = []
    var builder = BatchBuilder(width: schema.width)
    for place in places.prefix(keep ?? places.count) {
      builder.append(row: Int(place.row), of: batches[Int(place.batch)])
      if builder.isFull { result.append(builder.finish()) }
    }
    if builder.count > 0 { result.append(builder.finish()) }
    return result
  }
}

/// Sorted runs, merged: of equal rows, that of the earlier run comes first.
private final class MergedRows: RowStream {
  let schema: Schema
  private let order: SortOrder
  private let state: Mutex<State>

  /// Where each run stands.
  private struct State {
    var runs: [any RowStream]
    var batches: [RowBatch?]
    var rows: [Int]
  }

  init(schema: Schema, runs: [any RowStream], order: SortOrder) async throws(Problem) {
    self.schema = schema
    self.order = order
    var batches: [RowBatch?] = []
    for run in runs { batches.append(try await run.next()?.batch()) }
    state = Mutex(State(runs: runs, batches: batches, rows: runs.map { _ in 0 }))
  }

  func next() async throws(Problem) -> BatchWork? {
    var state = self.state.withLock { $0 }
    var builder = BatchBuilder(width: schema.width)
    while !builder.isFull {
      var best: Int?
      for (index, batch) in state.batches.enumerated() {
        guard let batch else { continue }
        if let other = best, let leader = state.batches[other],
          order.compare(CellReader(leader), state.rows[other], CellReader(batch), state.rows[index]) <= 0
        {
          continue
        }
        best = index
      }
      guard let index = best, let batch = state.batches[index] else { break }
      builder.append(row: state.rows[index], of: batch)
      state.rows[index] += 1
      if state.rows[index] == batch.count {
        state.batches[index] = try await state.runs[index].next()?.batch()
        state.rows[index] = 0
      }
    }
    let result = state
    self.state.withLock { $0 = result }
    return builder.count == 0 ? nil : BatchWork(ready: builder.finish())
  }
}
