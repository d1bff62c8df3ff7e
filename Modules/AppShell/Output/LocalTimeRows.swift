import CommandLineKit
import Rows

/// Rows whose times are shown as the user's clock shows them.
struct LocalTimeRows: RewrittenRowStream {
  let schema: Schema
  let inner: any RowStream
  private let times: [Int]

  init(_ inner: any RowStream) {
    self.inner = inner
    let old = inner.schema
    times = old.columns.indices.filter { old.columns[$0].type == .timestamp }
    schema = Schema(
      old.name, old.summary, key: old.key.map { old.columns[$0].name },
      columns: old.columns.map { column in
        column.type == .timestamp
          ? ColumnDescription(column.name, .text, nullable: column.isNullable, column.summary, role: column.role)
          : column
      })
  }

  func over(_ rows: any RowStream) -> any RowStream { LocalTimeRows(rows) }

  func next() async throws(Problem) -> BatchTask? {
    if times.isEmpty { return try await inner.next() }
    let times = self.times
    return try await inner.next()?.followed { (batch) throws(Problem) in
      var builder = RowBatchBuilder(width: batch.width)
      for row in 0..<batch.count {
        for column in 0..<batch.width {
          if times.contains(column), case .text(let text) = batch.value(row, column) {
            builder.append(text: LocalTime.text(of: String(decoding: text, as: UTF8.self)))
          } else {
            builder.append(row, column, of: batch)
          }
        }
      }
      return builder.finish()
    }
  }
}
