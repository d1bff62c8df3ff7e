import Rows

/// Joins batches, which workers make concurrently, to groups, in order: the groups depend on the batches only.
actor BatchGroups {
  struct Group: Sendable {
    let index: Int
    var batches: [RowBatch]
    let rows: Int
  }

  /// A group ends with the batch that makes it as large as this.
  private let bytesPerGroup: Int
  private var batches: [RowBatch] = []
  private var rows = 0, bytes = 0, groupIndex = 0
  private var nextIndex = 0
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var isStopped = false

  /// - Parameter bytes: the size in memory from which on a group is complete; 0 for groups of one batch.
  init(bytes: Int) { bytesPerGroup = bytes }

  /// Adds batch `index`, or nil at the end of the stream, when its turn has come.
  /// - Returns: the group that it completes; nil if it completes none.
  func add(_ index: Int, _ batch: RowBatch?) async -> Group? {
    guard await turn(index) else { return nil }
    defer { advance() }
    guard let batch else { return batches.isEmpty ? nil : takeGroup() }
    batches.append(batch)
    rows += batch.count
    bytes += batch.arena.count + batch.cells.count * MemoryLayout<Cell>.stride
    return bytes >= bytesPerGroup ? takeGroup() : nil
  }

  /// Ends the work with the failure of batch `index`, when its turn comes.
  /// - Returns: the index of the group that it would belong to, and the problem with its record counted from there.
  func fail(_ index: Int, _ problem: Problem) async -> (Int, Problem) {
    _ = await turn(index)
    isStopped = true
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
    return (groupIndex, problem.following(rows: rows))
  }

  private func takeGroup() -> Group {
    defer {
      batches = []
      (rows, bytes) = (0, 0)
      groupIndex += 1
    }
    return Group(index: groupIndex, batches: batches, rows: rows)
  }

  private func turn(_ index: Int) async -> Bool {
    if index != nextIndex, !isStopped { await withCheckedContinuation { waiting[index] = $0 } }
    return !isStopped
  }

  private func advance() {
    nextIndex += 1
    waiting.removeValue(forKey: nextIndex)?.resume()
  }
}
