import Rows

/// Writes concurrently encoded groups of batches to every output, in order.
actor OrderedWriter {
  private let sinks: [any RowSink]
  /// Whether the reader of each output closed it; the other outputs continue.
  private var isClosed: [Bool]
  private let progress: @Sendable (Int, Int) -> Void
  private let beforeCommit: Export.Step
  private var rows = 0
  private var nextIndex = 0
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var isStopped = false

  init(
    _ sinks: [any RowSink], beforeCommit: @escaping Export.Step, progress: @escaping @Sendable (Int, Int) -> Void
  ) {
    self.sinks = sinks
    self.beforeCommit = beforeCommit
    self.progress = progress
    isClosed = sinks.map { _ in false }
  }

  func open() async throws(Problem) {
    for lane in sinks.indices { try await use(lane) { (sink) async throws(Problem) in try await sink.open() } }
  }

  /// Writes group `index`, of `count` rows, when its turn has come; false when the work has stopped.
  func write(_ index: Int, rows count: Int, _ lanes: [PreparedRows]) async throws(Problem) -> Bool {
    guard await turn(index) else { return false }
    for (lane, group) in lanes.enumerated() {
      try await use(lane) { (sink) async throws(Problem) in try await sink.write(group) }
    }
    rows += count
    progress(rows, sinks.first?.bytes ?? 0)
    advance()
    return true
  }

  /// Ends the work with the failure of group `index` (nil: immediately), when its turn comes, so that the first failure
  /// in the data is the one reported. Nil if another group failed before.
  func fail(_ index: Int?, _ problem: Problem) async -> Problem? {
    if let index, await !turn(index) { return nil }
    guard !isStopped else { return nil }
    stop()
    return problem.following(rows: rows)
  }

  /// Writes what follows the last row to every output, then publishes them.
  func finish() async throws(Problem) -> Export.Summary {
    for lane in sinks.indices { try await use(lane) { (sink) async throws(Problem) in try await sink.finish() } }
    try await beforeCommit()
    var summary = Export.Summary(rows: rows)
    for lane in sinks.indices {
      var written = WrittenRows("")
      written.bytes = sinks[lane].bytes
      if !isClosed[lane] { written = try await sinks[lane].commit() }
      if let warning = written.warning { summary.warnings.append(warning) }
      if let footer = written.footer { summary.footers.append(footer) }
      summary.outputs.append(written)
    }
    return summary
  }

  private func use(
    _ lane: Int, _ work: (any RowSink) async throws(Problem) -> Void
  ) async throws(Problem) {
    if isClosed[lane] { return }
    do throws(Problem) { try await work(sinks[lane]) } catch {
      guard error.kind == .endOfPipe else { throw error }
      isClosed[lane] = true
      if isClosed.allSatisfy(\.self) { throw error }
    }
  }

  private func turn(_ index: Int) async -> Bool {
    if index != nextIndex, !isStopped { await withCheckedContinuation { waiting[index] = $0 } }
    return !isStopped
  }

  private func advance() {
    nextIndex += 1
    waiting.removeValue(forKey: nextIndex)?.resume()
  }

  private func stop() {
    isStopped = true
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
  }
}
