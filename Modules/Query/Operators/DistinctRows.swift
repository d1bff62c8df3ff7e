import Rows
import Synchronization

/// The first row of each combination of values of some columns. Above the memory limit, the rows whose values are not
/// known yet are sorted by them, in temporary files.
final class DistinctRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let columns: [Int]
  private let work: KeyedRows.Work
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var known = KeyTable()
    /// The rows after those whose values were kept in memory.
    var rest: (any RowStream)?
  }

  init(_ inner: any RowStream, by columns: [Int], _ work: KeyedRows.Work) {
    schema = inner.schema
    (self.inner, self.columns, self.work) = (inner, columns, work)
  }

  var mayWiden: Bool { inner.mayWiden }

  func next() async throws(Problem) -> BatchTask? {
    if let rest = state.withLock({ $0.rest }) { return try await rest.next() }
    while let task = try await inner.next() {
      let (batch, memory) = unknown(in: try task.batch(), adds: true)
      if memory > max(work.memory / 2, 1 << 20) {
        let sorted = KeyedRows.sorted(
          ReshapedRows(inner, schema) { self.unknown(in: $0, adds: false).rows }, by: columns, work)
        let rest = KeyedRows.inOrder(FirstOfEach(sorted), schema, work)
        state.withLock { $0.rest = rest }
        return BatchTask(ready: batch)
      }
      if batch.count > 0 { return BatchTask(ready: batch) }
    }
    return nil
  }

  /// The rows of a batch whose values are not known, and the memory of those that are.
  private func unknown(in batch: RowBatch, adds: Bool) -> (rows: RowBatch, memory: Int) {
    let keys = KeyedRows.keys(of: batch, columns, schema)
    var kept: [Int] = []
    let memory = state.withLock { (state) in
      for row in 0..<batch.count {
        let (key, length) = unsafe keys.key(row), hash = keys.hash(row)
        guard unsafe state.known.find(key, length, hash) < 0 else { continue }
        if adds { _ = unsafe state.known.add(key, length, hash, more: key, 0) }
        kept.append(row)
      }
      return state.known.memory
    }
    return (kept.count == batch.count ? batch : batch.selecting(kept), memory)
  }

  /// The first of the rows with one key, which are next to each other.
  private final class FirstOfEach: DerivedRowStream {
    let schema: Schema
    let inner: any RowStream
    private let last = Mutex<[UInt8]?>(nil)

    init(_ inner: any RowStream) { (schema, self.inner) = (inner.schema, inner) }

    func next() async throws(Problem) -> BatchTask? {
      guard let batch = try await inner.next()?.batch() else { return nil }
      var kept: [Int] = []
      last.withLock { (last) in
        for row in 0..<batch.count {
          let key = KeyedRows.key(of: row, in: batch)
          if key != last { kept.append(row) }
          last = key
        }
      }
      return BatchTask(ready: batch.selecting(kept))
    }
  }
}
