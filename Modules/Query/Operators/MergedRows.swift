import Rows
import Synchronization

/// Sorted runs, merged: of equal rows, that of the earlier run comes first.
final class MergedRows: RowStream {
  let schema: Schema
  private let order: SortOrder
  private let state: Mutex<State>

  /// A run that has more rows, and its current position.
  private struct Head {
    let run: Int
    let rows: any RowStream
    var batch: RowBatch
    var row: Int
  }
  /// A heap of them, the one whose row comes first on top.
  private struct State { var heads: [Head] }

  /// Runs in the order their rows came in.
  init(schema: Schema, runs: [any RowStream], order: SortOrder) async throws(Problem) {
    self.schema = schema
    self.order = order
    var heads: [Head] = []
    for (index, run) in runs.enumerated() {
      guard let batch = try await Self.nextBatch(of: run) else { continue }
      heads.append(Head(run: index, rows: run, batch: batch, row: 0))
    }
    for parent in heads.indices.reversed() { Self.sink(parent, in: &heads, order) }
    state = Mutex(State(heads: heads))
  }

  func next() async throws(Problem) -> BatchTask? {
    var heads = state.withLock { state in
      defer { state.heads = [] }
      return state.heads
    }
    var builder = RowBatchBuilder(width: schema.width)
    while !builder.isFull, !heads.isEmpty {
      builder.append(row: heads[0].row, of: heads[0].batch)
      heads[0].row += 1
      if heads[0].row == heads[0].batch.count {
        if let batch = try await Self.nextBatch(of: heads[0].rows) {
          heads[0].batch = batch
          heads[0].row = 0
        } else {
          heads.swapAt(0, heads.count - 1)
          heads.removeLast()
        }
      }
      if !heads.isEmpty { Self.sink(0, in: &heads, order) }
    }
    state.withLock { $0.heads = heads }
    return builder.count == 0 ? nil : BatchTask(ready: builder.finish())
  }

  /// The next batch that has rows.
  private static func nextBatch(of run: any RowStream) async throws(Problem) -> RowBatch? {
    while let batch = try await run.next()?.batch() { if batch.count > 0 { return batch } }
    return nil
  }

  /// Moves a head down to where it belongs.
  private static func sink(_ start: Int, in heads: inout [Head], _ order: SortOrder) {
    func comesFirst(_ a: Head, _ b: Head) -> Bool {
      let result = order.compare(CellReader(a.batch), a.row, CellReader(b.batch), b.row)
      return result == 0 ? a.run < b.run : result < 0
    }
    var parent = start
    while true {
      var child = 2 * parent + 1
      if child >= heads.count { return }
      if child + 1 < heads.count, comesFirst(heads[child + 1], heads[child]) { child += 1 }
      if comesFirst(heads[parent], heads[child]) { return }
      heads.swapAt(parent, child)
      parent = child
    }
  }
}
