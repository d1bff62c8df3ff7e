import Query
import Rows

/// A store with one table.
struct StoredTable: RecordSource {
  let schema: Schema
  let batch: RowBatch
  var name: String { "stored" }
  func tables() async throws(Problem) -> [Schema] { [schema] }
  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    BufferedRows(schema: schema, batches: [batch])
  }
}
