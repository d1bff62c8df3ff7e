import Conformance
import Domain
import Glibc
import Testing

@testable import Persistence

/// What is SQLite's alone.
struct SQLiteStoreTests {
  let folder = Folder()
  var path: String { folder.path + "/s.db" }

  private func change(_ rows: [[Value]] = StoreSample.hostile) -> StoreChange {
    StoreChange("test", time: "2026-01-01T00:00:00Z", [TableChange(StoreSample.wide, upserts: rows)])
  }

  @Test func theFileIsMadeAtTheFirstChangeForItsOwnerAlone() async throws {
    let store = SQLiteStore(path: path)
    _ = try await store.tables()
    #expect(folder.names().isEmpty)
    let mask = umask(0)
    defer { umask(mask) }
    try await store.apply(change())
    #expect(folder.mode("s.db") == 0o600)
  }

  @Test func tablesAreStrictInOrderOfKeyAndDescribed() async throws {
    try await SQLiteStore(path: path).apply(change())
    let connection = try SQLiteConnection.open(path: path, .reading)
    let facts = try connection.prepare(
      """
      SELECT strict, wr, (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
        (SELECT journal_mode FROM pragma_journal_mode), (SELECT type FROM bb_columns WHERE name = 'texts')
      FROM pragma_table_list WHERE name = 'wide'
      """)
    #expect(try facts.step())
    #expect((0...3).map { facts.integer($0) } == [1, 1, 0x6262_7374, 1])
    #expect(facts.text(4) == "wal")
    #expect(facts.text(5) == "list-of-text")
  }

  @Test func aNewerFormatIsRefusedUntouched() async throws {
    try await SQLiteStore(path: path).apply(change())
    try SQLiteConnection.open(path: path, .writing).execute("PRAGMA user_version=2")
    let refused = await #expect(throws: Problem.self) { try await SQLiteStore(path: path).apply(change([])) }
    #expect(refused?.kind == .configuration)
    let unread = await #expect(throws: Problem.self) {
      try await SQLiteStore(path: path).rows(of: "wide", RowRequest())
    }
    #expect(unread?.kind == .configuration)
  }

  @Test func anotherProgramsDatabaseIsReadAndNeverChanged() async throws {
    try SQLiteConnection.open(path: path, .writing).execute("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES(1)")
    let before = try folder.bytes("s.db")
    let store = SQLiteStore(path: path)
    #expect(try await store.tables().map(\.name) == ["t"])
    let refused = await #expect(throws: Problem.self) { try await store.apply(change()) }
    #expect(refused?.kind == .permission)
    #expect(try folder.bytes("s.db") == before)
  }

  @Test func aWriterElsewhereIsWaitedForThenToldOf() async throws {
    try await SQLiteStore(path: path).apply(change())
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("BEGIN IMMEDIATE")
    let refused = await #expect(throws: Problem.self) { try await SQLiteStore(path: path).apply(change([])) }
    #expect(refused?.kind == .busy)
    try other.execute("ROLLBACK")
    try await SQLiteStore(path: path).apply(change([]))
  }

  @Test func checkFindsATableThatIsNotAsDescribed() async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    let damaged = try SQLiteConnection.open(path: path, .writing)
    try damaged.execute("DELETE FROM bb_columns WHERE name = 'json'")
    #expect(try await store.check() == [])
    #expect(try await store.tables().first?.columns.last?.isExtra == true)
    try damaged.execute("ALTER TABLE wide RENAME COLUMN text TO other")
    #expect(try await store.check().map(\.kind) == [.badData])
  }

  @Test func theSearchIndexFollowsWhoeverWrites() async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    func found(_ search: String) async throws -> Int {
      var selection = Selection()
      selection.search = search
      let rows = try await store.rows(of: "wide", RowRequest(columns: ["text"], selection: selection))
      return try await rows.collect().reduce(0) { $0 + $1.count }
    }
    #expect(try await found("zebra") == 0)
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("UPDATE wide SET text = 'The Zebras' WHERE part = 'a'")
    #expect(try await found("zEBR") == 3)
    try other.execute("DELETE FROM wide WHERE part = 'a' AND number = 1")
    #expect(try await found("zebra") == 2)
    #expect(try await store.check() == [])
    try other.execute("DELETE FROM bb_words_wide WHERE rowid IN (SELECT max(rowid) FROM bb_words_wide)")
    #expect(try await store.check().map(\.kind) == [.badData])
  }

  @Test func aColumnThatAPersonAddedIsKept() async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("ALTER TABLE wide ADD COLUMN remark TEXT; UPDATE wide SET remark = 'mine'")
    var row = StoreSample.hostile[0]
    row[6] = .text("changed")
    try await store.apply(change([row]))
    let rows = try await store.rows(of: "wide", RowRequest(columns: ["text", "remark"]))
    let values = try await rows.collect().flatMap { batch in (0..<batch.count).map { batch.value($0, 1) } }
    #expect(values == Array(repeating: .text("mine"), count: StoreSample.hostile.count))
    #expect(try await store.history().last?.tables.first?.rows.first?.before?.last == .text("mine"))
  }
}
