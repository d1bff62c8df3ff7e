import Rows
import Synchronization

/// Rows in order. Each worker sorts the batches it gets; the ranges of the result are merged when they are taken, on
/// any core. Above the memory limit, runs go to temporary files. With a small limit of rows, only those that can be
/// among the first are kept.
final class SortedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let order: SortOrder
  private let keep: Int?
  private let scratch: any ScratchSpace
  private let memoryLimit: Int
  private let threads: Int
  private let result = Mutex<(any RowStream)?>(nil)
  /// Limits up to this many rows are kept in memory.
  private static let mostKept = 10_000

  /// The rows of `inner` by `order`; of them the first `keep`, or a few more.
  /// - Parameters:
  ///   - memoryLimit: bytes of rows kept in memory.
  ///   - threads: tasks that sort at once.
  init(
    _ inner: any RowStream, by order: SortOrder, keeping keep: Int?, scratch: any ScratchSpace,
    memoryLimit: Int = SpillBuffer.memoryLimit, threads: Int = 1
  ) {
    schema = inner.schema
    self.inner = inner
    self.order = order
    self.keep = keep
    self.scratch = scratch
    self.memoryLimit = memoryLimit
    self.threads = max(1, threads)
  }

  func next() async throws(Problem) -> BatchTask? {
    if let stream = result.withLock({ $0 }) { return try await stream.next() }
    let stream = try await sorted()
    result.withLock { $0 = stream }
    return try await stream.next()
  }

  private func sorted() async throws(Problem) -> any RowStream {
    if let keep, keep <= Self.mostKept { return try await first(keep) }
    let runs = RunCollector(schema, order, scratch: scratch, memoryLimit: memoryLimit), order = self.order
    try await BatchDispenser.forEach(of: inner, threads: threads) { (_, index, batch) throws(Problem) in
      try runs.add(SortRun(batch, order), number: index)
    }
    return try RangedRows(schema: schema, order: order, parts: try runs.parts(), limit: keep)
  }

  private func first(_ keep: Int) async throws(Problem) -> any RowStream {
    let top = TopRows(schema, by: order, keeping: keep, workers: threads)
    try await BatchDispenser.forEach(of: inner, threads: threads) { (worker, index, batch) throws(Problem) in
      top.add(batch, number: index, worker: worker)
    }
    return BufferedRows(schema: schema, batches: top.batches())
  }
}
