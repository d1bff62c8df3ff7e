package import Rows

package struct CountedRows: RewrittenRowStream {
  package let inner: any RowStream
  private let report: @Sendable (_ count: Int) -> Void

  /// - Parameter report: called with the number of rows of each batch, from any task.
  package init(_ inner: any RowStream, _ report: @escaping @Sendable (_ count: Int) -> Void) {
    self.inner = inner
    self.report = report
  }

  package var schema: Schema { inner.schema }
  package func over(_ rows: any RowStream) -> any RowStream { CountedRows(rows, report) }

  /// The next piece of the inner rows.
  package func next() async throws(Problem) -> BatchTask? {
    let report = self.report
    return try await inner.next()?.followed { batch in
      report(batch.count)
      return batch
    }
  }
}
