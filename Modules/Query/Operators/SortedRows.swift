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
    let pending = PendingRuns(schema: schema, scratch: scratch, memoryLimit: memoryLimit)
    try await BatchDispenser.forEach(of: inner, threads: threads) { (_, index, batch) throws(Problem) in
      guard let full = pending.add(SortRun(batch, order), number: index) else { return }
      try full.file.write(RangedRows(schema: schema, order: order, runs: full.runs))
    }
    let rest = RangedRows(schema: schema, order: order, runs: pending.rest(), limit: keep)
    let files = pending.files()
    if files.isEmpty { return rest }
    return try await MergedRows(schema: schema, runs: files.map { $0.rows() } + [rest], order: order)
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
  private let schema: Schema
  private let scratch: any ScratchSpace
  private let memoryLimit: Int
  private let state = Mutex(State())

  private struct State {
    /// Runs that arrived, by the number of their batch.
    var runs: [Int: SortRun] = [:]
    var memory = 0
    /// Batches up to here have gone to files; up to there they have all arrived.
    var written = 0, complete = 0
    var files: [RunFile] = []
  }

  init(schema: Schema, scratch: any ScratchSpace, memoryLimit: Int) {
    self.schema = schema
    self.scratch = scratch
    self.memoryLimit = memoryLimit
  }

  /// Takes in a run.
  /// - Returns: runs that must go to a file now, in order. Half of the memory is for those that are being written.
  func add(_ run: SortRun, number: Int) -> (runs: [SortRun], file: RunFile)? {
    state.withLock { state in
      state.runs[number] = run
      state.memory += run.memory
      while state.runs[state.complete] != nil { state.complete += 1 }
      guard state.memory > memoryLimit / 2, state.complete > state.written else { return nil }
      let runs = (state.written..<state.complete).compactMap { state.runs[$0] }
      for number in state.written..<state.complete { state.runs[number] = nil }
      state.memory -= runs.reduce(0) { $0 + $1.memory }
      state.written = state.complete
      let file = RunFile(SpillBuffer(schema: schema, scratch: scratch, memoryLimit: 0))
      state.files.append(file)
      return (runs, file)
    }
  }

  /// The runs in memory, when all have arrived.
  func rest() -> [SortRun] {
    state.withLock { state in state.runs.sorted { $0.key < $1.key }.map(\.value) }
  }
  /// The files, in the order of their rows.
  func files() -> [RunFile] { state.withLock { $0.files } }
}

/// A sorted run in a file; one task writes it before another one reads it.
private final class RunFile: @unchecked Sendable {
  private let buffer: SpillBuffer
  init(_ buffer: SpillBuffer) { self.buffer = buffer }

  func write(_ rows: RangedRows) throws(Problem) {
    while let task = rows.nextTask() { try buffer.append(try task.batch()) }
  }
  func rows() -> any RowStream { buffer.stream() }
}
