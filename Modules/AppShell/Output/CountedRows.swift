package import Rows

package struct CountedRows: RowStream {
  private let inner: any RowStream
  private let report: @Sendable (_ count: Int) -> Void

  /// - Parameter report: called with the number of rows of each batch, from any task.
  package init(_ inner: any RowStream, _ report: @escaping @Sendable (_ count: Int) -> Void) {
    self.inner = inner
    self.report = report
  }

  package var schema: Schema { inner.schema }
  package var mayWiden: Bool { inner.mayWiden }
  package var notes: [Warning] { inner.notes }

  /// The next piece of the inner rows.
  package func next() async throws(Problem) -> BatchTask? {
    let report = self.report
    return try await inner.next()?.followed { batch in
      report(batch.count)
      return batch
    }
  }

  /// The inner rows from their beginning, counted as well.
  package func reopened() async throws(Problem) -> (any RowStream)? {
    guard let again = try await inner.reopened() else { return nil }
    return CountedRows(again, report)
  }

  /// The widened inner rows, counted as well.
  package func widened() async throws(Problem) -> (any RowStream)? {
    guard let wider = try await inner.widened() else { return nil }
    return CountedRows(wider, report)
  }
}
