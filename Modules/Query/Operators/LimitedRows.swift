import Rows
import Synchronization

/// Rows from an offset on, up to a limit; stops pulling when it has them.
final class LimitedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  /// The numbers of rows still to skip and to return.
  private let left: Mutex<(skip: Int, take: Int)>

  init(_ inner: any RowStream, offset: Int, limit: Int?) {
    schema = inner.schema
    self.inner = inner
    left = Mutex((offset, limit ?? .max))
  }

  func next() async throws(Problem) -> BatchTask? {
    while true {
      var (skip, take) = left.withLock { $0 }
      guard take > 0, let work = try await inner.next() else { return nil }
      let batch = try work.batch()
      let first = min(skip, batch.count)
      let count = min(take, batch.count - first)
      skip -= first
      take -= take == .max ? 0 : count
      left.withLock { $0 = (skip, take) }
      if count == batch.count { return BatchTask(ready: batch) }
      if count > 0 { return BatchTask(ready: batch.selecting(first..<(first + count))) }
    }
  }
}
