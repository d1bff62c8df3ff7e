import Domain
import Query
import Rows
import Synchronization

/// Rows whose digest is computed as they are read.
struct DigestedRows: DerivedRowStream {
  let inner: any RowStream
  private let result: Result
  private let guarding: JSONGuard?

  /// The digest; of rows that are read again, of the last time.
  final class Result: Sendable {
    private let state = Mutex(RowDigest())
    var digest: RowDigest { state.withLock { $0 } }
    fileprivate func begin() { state.withLock { $0 = RowDigest() } }
    fileprivate func add(_ digest: RowDigest) { state.withLock { $0.add(digest) } }
  }

  init(_ inner: any RowStream, _ result: Result) {
    (self.inner, self.result, guarding) = (inner, result, JSONGuard(inner.schema))
    result.begin()
  }

  var schema: Schema { inner.schema }
  var mayWiden: Bool { inner.mayWiden }

  func next() async throws(Problem) -> BatchTask? {
    let schema = self.schema, result = self.result, guarding = self.guarding
    return try await inner.next()?.followed { (batch) throws(Problem) in
      var digest = RowDigest()
      digest.add(try guarding?.checked(batch) ?? batch, of: schema)
      result.add(digest)
      return batch
    }
  }
}
