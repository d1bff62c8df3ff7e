@testable import Persistence
import Query
import Rows
import TestSupport
import Testing

/// Large tables are read by two connections.
struct SQLiteReadTests {
  private let directory = TemporaryDirectory()
  private var path: String { directory.path + "/s.db" }

  /// How row ids of 6000 rows may be spread, as SQL of their number `i`.
  private static let spreads = [
    "i", "i * 1000003", "i * i * i - 1000000", "CASE WHEN i < 10 THEN i * (1 << 59) ELSE i END",
    "CASE WHEN i < 3000 THEN -(1 << 62) + i ELSE (1 << 62) + i * 7 END",
    "CASE WHEN i < 500 THEN i * (1 << 40) ELSE (500 << 40) + i END",
    "CASE i WHEN 1 THEN -9223372036854775807 - 1 WHEN 2 THEN 9223372036854775807 ELSE i END",
  ]

  private func make(_ id: String) throws {
    try SQLiteConnection.open(path: path, .writing).execute(
      """
      PRAGMA journal_mode=WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
        INSERT INTO t SELECT \(id), printf('%.*c', 200 + i % 7 * 300, 'x') FROM n
      """)
  }

  private func ids(_ rows: any RowStream) async throws -> [Int64] {
    var ids: [Int64] = []
    while let batch = try await rows.next()?.batch() {
      for row in 0..<batch.count { if case .integer(let id) = batch[row, 0] { ids.append(id) } }
    }
    return ids
  }

  private func expected() throws -> [Int64] {
    let connection = try SQLiteConnection.open(path: path, .reading)
    let rows = try connection.prepare("SELECT id FROM t ORDER BY id")
    var ids: [Int64] = []
    while try rows.step() { ids.append(rows.integer(0)) }
    return ids
  }

  @Test(arguments: spreads) func rowsComeInOrderHoweverTheirIdsAreSpread(_ id: String) async throws {
    try make(id)
    let rows = try await SQLiteDatabase(path: path).rows(of: "t", as: nil, [:], RowRequest(cores: 2))
    #expect((rows as? SQLiteRows)?.ranges != nil)
    #expect(try await ids(rows) == expected())
  }

  @Test func bothConnectionsReadTheTableAsItWasAtTheBeginning() async throws {
    try make("i")
    let before = try expected()
    let rows = try await SQLiteDatabase(path: path).rows(of: "t", as: nil, [:], RowRequest(cores: 2))
    #expect((rows as? SQLiteRows)?.ranges != nil)
    try SQLiteConnection.open(path: path, .writing).execute("DELETE FROM t WHERE id % 3 = 0")
    #expect(try await ids(rows) == before)
    #expect(try expected().count == 4000)
  }

  @Test func aConnectionNoticesThatSomebodyWroteBeforeItBegan() async throws {
    try make("i")
    let database = SQLiteDatabase(path: path)
    let table = try #require(try database.tables().first)
    for writes in [false, true] {
      let first = try SQLiteTableReader(try database.open(), table, columns: [0, 1])
      if writes { try SQLiteConnection.open(path: path, .writing).execute("DELETE FROM t WHERE id = 1") }
      let second = try SQLiteTableReader(try database.open(), table, columns: [0, 1], begins: false)
      let version = try await second.version(), snapshot = await first.snapshot
      #expect(snapshot != nil)
      #expect(try await second.begin(asOf: version, snapshot) == !writes)
    }
  }
}
