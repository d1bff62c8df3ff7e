import Rows
import Synchronization

/// Rows in order. Each worker sorts the batches it gets; the ranges of the result are merged when they are taken, on
/// any core. Above the memory limit, runs go to temporary files. With a small limit of rows, only those that can be
/// among the first are kept.
final class SortedRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
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
    let order = self.order, schema = self.schema
    let pending = PendingRuns(memoryLimit: memoryLimit)
    try await BatchDispenser.forEach(of: inner, threads: threads) { [scratch] (_, index, batch) throws(Problem) in
      guard let full = pending.add(SortRun(batch, order), number: index) else { return }
      var file = try SpilledRun(width: schema.width, scratch: scratch)
      try RangedRows(schema: schema, order: order, parts: full.runs).write(to: &file)
      pending.replace(full.number, file)
    }
    return RangedRows(
      schema: schema, order: order, parts: try merged(pending.files()) + pending.rest(), limit: keep)
  }

  /// At most 64 files, which are read at the same time; more are merged.
  private func merged(_ files: [SpilledRun]) throws(Problem) -> [SortPart] {
    let most = 64
    guard files.count > most else { return files.map { .file($0) } }
    var larger: [SpilledRun] = []
    for start in stride(from: 0, to: files.count, by: most) {
      var file = try SpilledRun(width: schema.width, scratch: scratch)
      let group = files[start..<min(start + most, files.count)].map { SortPart.file($0) }
      try RangedRows(schema: schema, order: order, parts: group).write(to: &file)
      larger.append(file)
    }
    return try merged(larger)
  }

  private func first(_ keep: Int) async throws(Problem) -> any RowStream {
    let top = TopRows(schema, by: order, keeping: keep, workers: threads)
    try await BatchDispenser.forEach(of: inner, threads: threads) { (worker, index, batch) throws(Problem) in
      top.add(batch, number: index, worker: worker)
    }
    return BufferedRows(schema: schema, batches: top.batches())
  }
}

/// Sorted runs in memory, until there are too many: then those of the beginning go to a file together. So of equal
/// rows, those of an earlier file come first.
private final class PendingRuns: Sendable {
  private let memoryLimit: Int
  private let state = Mutex(State())

  private struct State {
    /// Runs that arrived, by the number of their batch.
    var runs: [Int: SortRun] = [:]
    var memory = 0
    /// Batches up to here have gone to files; up to there they have all arrived.
    var written = 0, complete = 0
    /// Files by their number; nil while they are written.
    var files: [SpilledRun?] = []
  }

  init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

  /// Takes in a run.
  /// - Returns: runs that must go to a file now, in order, and the number of that file. Half of the memory is for those
  ///   that are being written.
  func add(_ run: SortRun, number: Int) -> (runs: [SortPart], number: Int)? {
    state.withLock { state in
      state.runs[number] = run
      state.memory += run.memory
      while state.runs[state.complete] != nil { state.complete += 1 }
      guard state.memory > memoryLimit / 2, state.complete > state.written else { return nil }
      let runs = (state.written..<state.complete).compactMap { state.runs.removeValue(forKey: $0) }
      state.memory -= runs.reduce(0) { $0 + $1.memory }
      state.written = state.complete
      state.files.append(nil)
      return (runs.map { .run($0) }, state.files.count - 1)
    }
  }

  /// Takes in a file that is written.
  func replace(_ number: Int, _ file: SpilledRun) { state.withLock { $0.files[number] = file } }

  /// The runs in memory, when all have arrived.
  func rest() -> [SortPart] {
    state.withLock { state in state.runs.sorted { $0.key < $1.key }.map { .run($0.value) } }
  }
  /// The files, in the order of their rows, when all are written.
  func files() -> [SpilledRun] { state.withLock { $0.files.compactMap(\.self) } }
}
