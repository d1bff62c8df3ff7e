import Conformance
import Domain
import Glibc
@testable import Persistence
import Query
import Rows
import TestSupport
import Testing

@Suite("several processes create one store") struct CreationTests {
  private let directory = TemporaryDirectory()

  @Test("a load into a database that another process created concurrently succeeds, and keeps both") func load()
    async throws
  {
    let first = SQLiteStore(path: directory.path + "/first.db"), second = SQLiteStore(path: directory.path + "/n.db")
    try await first.load(
      TableLoad("load", time: "", StoreSample.numbered, BufferedRowsFixture.empty(StoreSample.numbered)))
    let paths = (directory.path + "/first.db", directory.path + "/n.db")
    var builder = RowBatchBuilder(width: StoreSample.named.width)
    for value in [Value.text(Array("a".utf8)), .integer(7)] { builder.append(value: value) }
    let rows = BufferedRows(schema: StoreSample.named, batches: [builder.takeBatch()])
    var load = TableLoad("load", time: "", StoreSample.named, rows)
    load.accepts = { (_) throws(Problem) in
      unsafe link(paths.0, paths.1)
      return true
    }
    let outcome = try await second.load(load)
    #expect(outcome.added == 1)
    let names = try await second.tables().map(\.name)
    #expect(names == [StoreSample.named.name, StoreSample.numbered.name].sorted())
    #expect(try await second.rows(of: StoreSample.named.name, RowRequest()).next()?.batch().count == 1)
    #expect(!directory.names().contains { $0.contains(".tmp.") })
  }
}
