import Codecs
package import Domain
package import Rows
import Synchronization

/// The rows of a view while they are read: some in memory, the others in a temporary file.
package final class RowWindow: Sendable {
  private struct State {
    var rows: SpillBuffer?
    var starts: [Int] = []
    var widths: [Int] = []
    var isComplete = false, isClosed = false
    var problem: Problem?
    var last: (number: Int, batch: RowBatch)?
  }
  private let scratch: any ScratchSpace
  private let state = Mutex(State())

  /// An empty window.
  package init(_ scratch: any ScratchSpace) { self.scratch = scratch }

  /// The columns; nil before they are known.
  package var schema: Schema? { state.withLock { $0.rows?.schema } }
  package var count: Int { state.withLock { $0.rows?.count ?? 0 } }
  /// Whether all rows were read.
  package var isComplete: Bool { state.withLock { $0.isComplete || $0.problem != nil } }
  package var problem: Problem? { state.withLock { $0.problem } }
  /// The rows so far.
  package var rows: (any RowStream)? { state.withLock { $0.rows?.batches() } }
  /// The widths of the columns for the rows that were measured: of numbers and dates that of the widest.
  var widths: [Int] { state.withLock { $0.widths } }

  /// Widens the columns for some rows, and at first for many.
  func measure(_ rows: Range<Int>) {
    guard let schema else { return }
    var known = widths, seen: [ColumnWidths] = [], next = known.isEmpty ? 0 : rows.lowerBound
    let end = known.isEmpty ? max(rows.upperBound, 500) : rows.upperBound
    while next < end, let (batch, position) = row(next) {
      let some = position..<min(batch.count, position + end - next)
      TableWriter.measure(batch.selecting(some), schema, forTerminal: true, into: &seen)
      next += some.count
    }
    for (column, seen) in seen.enumerated() {
      if column == known.count { known.append(0) }
      let isRigid = TableLayout.isRigid(schema.columns[column].type)
      known[column] = max(known[column], isRigid ? seen.widest : seen.percentile(95))
    }
    state.withLock { $0.widths = known }
  }

  /// Begins, maybe again with other types.
  package func begin(_ schema: Schema) {
    state.withLock { state in
      let rows = SpillBuffer(schema: schema, scratch: scratch, memoryLimit: 8 << 20)
      state = State(rows: rows, isClosed: state.isClosed)
    }
  }

  /// - Throws: `cancelled` after `close`; `io`.
  package func append(_ batch: RowBatch) throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      guard !state.isClosed else { throw Problem(.cancelled, "interrupted") }
      guard let rows = state.rows, batch.count > 0 else { return }
      state.starts.append(rows.count)
      try rows.append(batch)
    }
  }

  package func finish(_ problem: Problem? = nil) {
    state.withLock { ($0.problem, $0.isComplete) = (problem, problem == nil) }
  }

  package func close() { state.withLock { $0.isClosed = true } }

  /// The batch with a row, and the position of the row in it; nil if there is none, or it cannot be read.
  func row(_ row: Int) -> (batch: RowBatch, position: Int)? {
    state.withLock { state in
      guard let rows = state.rows, row >= 0, row < rows.count else { return nil }
      var low = 0, high = state.starts.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if state.starts[middle] <= row { low = middle } else { high = middle }
      }
      if let last = state.last, last.number == low { return (last.batch, row - state.starts[low]) }
      do throws(Problem) {
        guard let batch = try rows.batches().task(at: low)?.batch() else { return nil }
        state.last = (low, batch)
        return (batch, row - state.starts[low])
      } catch {
        state.problem = error
        return nil
      }
    }
  }
}

/// An output whose rows go to a window.
package struct WindowExporter: Exporter {
  private let window: RowWindow
  private let problem: Problem?

  /// - Parameter problem: the error that comes after the rows.
  package init(_ window: RowWindow, before problem: Problem? = nil) { (self.window, self.problem) = (window, problem) }

  /// The format `explore`, which has no name on the command line.
  package var descriptor: ExporterDescriptor {
    ExporterDescriptor("explore", fileExtensions: [], mediaType: "", summary: "", isExact: false, isStyled: true)
  }

  package func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink { WindowSink(window: window, schema: schema, problem: problem) }

  private struct WindowSink: RowSink {
    let window: RowWindow, schema: Schema, problem: Problem?

    func open() async throws(Problem) { window.begin(schema) }
    func write(_ rows: PreparedRows) async throws(Problem) { for batch in rows.batches { try window.append(batch) } }
    func commit() async throws(Problem) -> WrittenRows {
      window.finish(problem)
      return WrittenRows("the screen")
    }
    func abandon() async {}
  }
}
