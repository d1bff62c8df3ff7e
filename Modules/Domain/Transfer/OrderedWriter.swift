package import Rows

/// Writes concurrently encoded groups of batches to every output, in order.
actor OrderedWriter {
  /// One output and what it got so far.
  struct Lane: Sendable {
    let encoder: any RowEncoder
    let sink: any ByteSink
    var bytes = 0
    /// The merged reports on the batches written.
    var written = EncodedPart()
    /// Whether its reader closed it; the other outputs continue.
    var isClosed = false
  }

  private var lanes: [Lane]
  private let separators: EncodedBatch
  private let progress: @Sendable (Int, Int) -> Void
  private let beforeCommit: Export.Step
  private var rows = 0
  private var nextIndex = 0
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var isStopped = false

  init(
    _ lanes: [Lane], beforeCommit: @escaping Export.Step = {}, progress: @escaping @Sendable (Int, Int) -> Void
  ) {
    self.beforeCommit = beforeCommit
    self.lanes = lanes
    separators = EncodedBatch(count: lanes.count)
    self.progress = progress
  }

  /// Writes the text before the first row.
  func begin() async throws(Problem) {
    for lane in lanes.indices {
      let text = EncodedBatch(count: 1)
      try lanes[lane].encoder.begin(&text.buffers[0].bytes)
      try await put(text, 0, into: lane)
    }
  }

  /// Writes group `index`, of `count` rows, when its turn has come; false when the work has stopped.
  func write(_ index: Int, rows count: Int, _ encoded: EncodedBatch) async throws(Problem) -> Bool {
    guard await turn(index) else { return false }
    for lane in lanes.indices {
      if rows > 0, count > 0, lanes[lane].encoder.separator.utf8CodeUnitCount > 0 {
        separators.buffers[lane].bytes.removeAll()
        separators.buffers[lane].bytes.append(lanes[lane].encoder.separator)
        try await put(separators, lane, into: lane)
      }
      try await put(encoded, lane, into: lane)
      lanes[lane].written.merge(encoded.buffers[lane].part)
    }
    rows += count
    progress(rows, lanes.first?.bytes ?? 0)
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

  /// Writes the text after the last row and publishes every output.
  func finish() async throws(Problem) -> Export.Summary {
    for lane in lanes.indices {
      let text = EncodedBatch(count: 1)
      try lanes[lane].encoder.finish(lanes[lane].written, &text.buffers[0].bytes)
      try await put(text, 0, into: lane)
    }
    try await beforeCommit()
    for lane in lanes where !lane.isClosed { try await lane.sink.commit() }
    return Export.Summary(
      rows: rows, outputs: lanes.map { Export.Summary.Written(name: $0.sink.name, bytes: $0.bytes) },
      warnings: lanes.compactMap { $0.encoder.warning($0.written) },
      footers: lanes.compactMap { $0.encoder.footer($0.written) })
  }

  private func put(_ encoded: EncodedBatch, _ buffer: Int, into lane: Int) async throws(Problem) {
    guard !lanes[lane].isClosed, encoded.buffers[buffer].bytes.count > 0 else { return }
    do throws(Problem) {
      try await lanes[lane].sink.write(encoded.buffers[buffer].bytes)
      lanes[lane].bytes += encoded.buffers[buffer].bytes.count
    } catch {
      guard error.kind == .endOfPipe else { throw error }
      lanes[lane].isClosed = true
      if lanes.allSatisfy(\.isClosed) { throw error }
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

/// The encoded forms of one group of batches, one buffer per output. The worker owns it, and waits while the writer
/// reads it.
package final class EncodedBatch: @unchecked Sendable {
  /// A buffer that can be an array element.
  package final class Buffer {
    package var bytes = ByteBuffer()
    package var part = EncodedPart()
  }
  package let buffers: [Buffer]

  package init(count: Int) { buffers = (0..<count).map { _ in Buffer() } }

  package func encode(_ group: [RowBatch], with encoder: any RowEncoder, lane: Int) throws(Problem) {
    buffers[lane].bytes.removeAll()
    buffers[lane].part = try encoder.encode(group, &buffers[lane].bytes)
  }
}
