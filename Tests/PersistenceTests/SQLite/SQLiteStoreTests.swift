import Codecs
import Conformance
import Domain
import Files
import Glibc
@testable import Persistence
import Query
import Rows
import TestSupport
import Testing

/// Properties of SQLite stores only.
struct SQLiteStoreTests {
  let directory = TemporaryDirectory()
  var path: String { directory.path + "/s.db" }

  private func change(_ rows: [[Value]] = StoreSample.hostile) -> StoreChange {
    StoreChange("test", time: "2026-01-01T00:00:00Z", [TableChange(StoreSample.wide, upserts: rows)])
  }

  @Test func theFileIsMadeAtTheFirstChangeForItsOwnerAlone() async throws {
    let store = SQLiteStore(path: path)
    _ = try await store.tables()
    #expect(directory.names().isEmpty)
    let mask = umask(0)
    defer { umask(mask) }
    try await store.apply(change())
    #expect(directory.mode("s.db") == 0o600)
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
    #expect((0...3).map { facts.integer($0) } == [1, 1, 0x6262_7374, 2])
    #expect(facts.text(4) == "wal")
    #expect(facts.text(5) == "list-of-text")
  }

  @Test func theFolderIsMadeLikeThatOfAnyStorage() async throws {
    try await SQLiteStore(path: directory.path + "/a/b/s.db").apply(change())
    #expect(directory.mode("a/b") == 0o700 && directory.mode("a/b/s.db") == 0o600)
  }

  @Test func whatTheLogHoldsIsTakenIntoTheFileBeforeItIsMoved() async throws {
    try await SQLiteStore(path: path).apply(change())
    let connection = try SQLiteConnection.open(path: path, .writing)
    try connection.execute("CREATE TABLE late (x)")
    // The files that remain if the last connection could not close the log.
    for (from, to) in [("s.db", "t.db"), ("s.db-wal", "t.db-wal")] {
      let sink = try FileSink(path: "\(directory.path)/\(to)")
      try sink.append(try FileByteSource(path: "\(directory.path)/\(from)").bytes(limit: .max))
      try await sink.commit()
    }
    func isThere() throws -> Bool {
      let sink = try FileSink(path: directory.path + "/alone.db")
      try sink.append(try FileByteSource(path: directory.path + "/t.db").bytes(limit: .max))
      _ = try sink.flush()
      try sink.publish()
      let alone = try SQLiteConnection.open(path: directory.path + "/alone.db", .reading)
      return try alone.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'late'").step()
    }
    #expect(try !isThere())
    try SQLiteDatabase(path: directory.path + "/t.db").settle()
    #expect(try isThere() && !directory.names().contains("t.db-wal"))
    try connection.execute("DROP TABLE late")
  }

  @Test func aNewerFormatIsRefusedUntouched() async throws {
    try await SQLiteStore(path: path).apply(change())
    try SQLiteConnection.open(path: path, .writing).execute("PRAGMA user_version=3")
    let refused = await #expect(throws: Problem.self) { try await SQLiteStore(path: path).apply(change([])) }
    #expect(refused?.kind == .configuration)
    let unread = await #expect(throws: Problem.self) {
      try await SQLiteStore(path: path).rows(of: "wide", RowRequest())
    }
    #expect(unread?.kind == .configuration)
  }

  @Test func anotherProgramsDatabaseIsReadAndNeverChanged() async throws {
    try SQLiteConnection.open(path: path, .writing).execute("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES(1)")
    let before = try directory.bytes("s.db")
    let store = SQLiteStore(path: path)
    #expect(try await store.tables().map(\.name) == ["t"])
    let refused = await #expect(throws: Problem.self) { try await store.apply(change()) }
    #expect(refused?.kind == .permission)
    #expect(try directory.bytes("s.db") == before)
  }

  /// SQLite itself refuses a change of the journal mode while another process makes one.
  @Test("a database that another process creates is waited for") func creation() async throws {
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("BEGIN IMMEDIATE")
    let store = SQLiteStore(path: path), change = change()
    let applying = Task { try await store.apply(change) }
    try await Task.sleep(for: .milliseconds(300))
    try other.execute("COMMIT")
    #expect(try await applying.value.count == 1)
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

  @Test func checkFindsAValueThatCannotBeRead() async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("ALTER TABLE wide ADD COLUMN remark ANY; UPDATE wide SET remark = number")
    try other.execute("UPDATE wide SET remark = 'text' WHERE part = 'a'")
    #expect(try await store.check() == [])
    try other.execute("UPDATE wide SET date = 'yesterday'")
    #expect(try await store.check().map(\.kind) == [.badData])
  }

  @Test func checkFindsADamagedHistory() async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    try SQLiteConnection.open(path: path, .writing).execute("UPDATE bb_history SET tables = '[{'")
    let found = try await store.check()
    #expect(found.map(\.kind) == [.badData] && found.first?.place.contains("bb_history:1") == true)
  }

  @Test("a missing internal table is damage", arguments: ["bb_history", "bb_columns"])
  func ownTables(table: String) async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    try SQLiteConnection.open(path: path, .writing).execute("DROP TABLE \(table)")
    let problem = await #expect(throws: Problem.self) {
      try await store.apply(change())
      _ = try await store.history()
    }
    #expect(
      problem?.kind == .badData && problem?.message.hasPrefix("the store is damaged") == true, "\(problem as Any)")
  }

  @Test func everySpellingOfANumberComesBack() async throws {
    var generator = SystemRandomNumberGenerator()
    let schema = Schema("numbers", columns: [ColumnDescription("r", .real), ColumnDescription("i", .integer)])
    var literals = [
      "0.0", "-0.0", "1.0", "10.0", "0.1", "1.10", "1.00", "0.0001", "0.00001", "1e22", "100000000000000.0",
      "0.12345678901234567", "5",
    ]
    for _ in 0..<3000 {
      let digits = { (count: Int) in (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      }
      let whole = Int64.random(in: 0...(1 << 40), using: &generator) >> Int64.random(in: 0...40, using: &generator)
      literals.append("\(Bool.random() ? "-" : "")\(whole).\(digits(.random(in: 1...9)))")
    }
    let integers = [
      "0", "-1", "9223372036854775807", "-9223372036854775808", "123456789012345678", "999999999999999999",
    ]
    var builder = RowBatchBuilder(width: 2)
    for (place, literal) in literals.enumerated() {
      builder.append(number: Array(literal.utf8))
      builder.append(number: Array(integers[place % integers.count].utf8))
    }
    let store = SQLiteStore(path: path)
    let outcome = try await store.load(
      TableLoad("test", time: "", schema, BufferedRows(schema: schema, batches: [builder.finish()])))
    #expect(outcome.added == literals.count && directory.names() == ["s.db"])
    var seen: [String] = [], numbers: [Value] = []
    for batch in try await store.rows(of: "numbers", RowRequest()).collect() {
      for row in 0..<batch.count {
        switch batch.value(row, 0) {
        case .real(let number): seen.append(String(decoding: number.canonicalText, as: UTF8.self))
        case .number(let literal), .text(let literal): seen.append(String(decoding: literal, as: UTF8.self))
        default: seen.append("?")
        }
        numbers.append(batch.value(row, 1))
      }
    }
    #expect(seen == literals)
    let wanted = integers.map { Value.integer(Int64($0) ?? 0) }
    #expect(Array(numbers[..<6]) == wanted)
  }

  /// Many rows are one statement; the message names the refused one, and the rows before it are rolled back.
  @Test(arguments: [["a"], ["a", "b"]], [130, 256, 300]) func theSecondRecordOfAKeyIsNamed(
    _ key: [String], _ place: Int
  ) async throws {
    let schema = Schema("t", key: key, columns: [ColumnDescription("a", .integer), ColumnDescription("b", .text)])
    func load(_ numbers: [Int]) -> TableLoad {
      var builder = RowBatchBuilder(width: 2)
      for number in numbers {
        builder.append(integer: Int64(number))
        builder.append(value: .text("x"))
      }
      return TableLoad("test", time: "", schema, BufferedRows(schema: schema, batches: [builder.finish()]))
    }
    var numbers = Array(0..<400)
    numbers[place] = 7
    let store = SQLiteStore(path: path)
    for isNew in [true, false] {
      if !isNew { try await store.load(load([1, 2])) }
      let refused = await #expect(throws: Problem.self) { try await store.load(load(numbers)) }
      #expect(refused?.message.hasPrefix("two records have the key 7") == true)
      #expect(try await store.tables().isEmpty == isNew)
    }
    #expect(try await store.load(load(Array(0..<400))).added == 398)
    let rows = try await store.rows(of: "t", RowRequest()).collect()
    #expect(rows.flatMap { batch in (0..<batch.count).map { batch.value($0, 0) } } == (0..<400).map { .integer($0) })
  }

  @Test func aNewFileAppearsWhenItIsWhole() async throws {
    let schema = Schema("t", key: ["a"], columns: [ColumnDescription("a", .integer, nullable: false)])
    func load(_ values: [Int64]) -> TableLoad {
      var builder = RowBatchBuilder(width: 1)
      for value in values { builder.append(integer: value) }
      return TableLoad("test", time: "", schema, BufferedRows(schema: schema, batches: [builder.finish()]))
    }
    let store = SQLiteStore(path: path)
    let twice = await #expect(throws: Problem.self) { try await store.load(load([1, 2, 1])) }
    #expect(twice?.message == "two records have the key 1")
    var refused = load([1])
    refused.accepts = { (_) throws(Problem) in false }
    _ = try await store.load(refused)
    #expect(directory.names().isEmpty)
    _ = try await store.load(load([2, 1]))
    #expect(directory.mode("s.db") == 0o600 && directory.names() == ["s.db"])
    let connection = try SQLiteConnection.open(path: path, .reading)
    let mode = try connection.prepare("PRAGMA journal_mode")
    #expect(try mode.step() && mode.text(0) == "wal")
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

  @Test(arguments: ["TEXT", "ANY"]) func aColumnThatAPersonAddedIsKept(_ type: String) async throws {
    let store = SQLiteStore(path: path)
    try await store.apply(change())
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("ALTER TABLE wide ADD COLUMN remark \(type); UPDATE wide SET remark = 'mine'")
    var row = StoreSample.hostile[0]
    row[6] = .text("changed")
    try await store.apply(change([row]))
    let rows = try await store.rows(of: "wide", RowRequest(columns: ["text", "remark"]))
    let values = try await rows.collect().flatMap { batch in (0..<batch.count).map { batch.value($0, 1) } }
    #expect(values == Array(repeating: .text("mine"), count: StoreSample.hostile.count))
    let entry = try #require(await store.history().last?.tables.first)
    #expect(entry.rows.first?.before?.last == .text("mine"))
    // So it comes back with the record, and can be changed as others can.
    let key = entry.schema.key.map { row[$0] }
    try await store.apply(
      StoreChange("delete", time: "2024-01-01T00:00:00Z", [TableChange(entry.schema, deletes: [key])]))
    let gone = try #require(await store.history().last?.tables.first?.rows.first?.before)
    #expect(gone.last == .text("mine"))
    let back = TableChange(entry.schema, upserts: [Array(gone.dropLast()) + [.text("yours")]])
    try await store.apply(StoreChange("restore", time: "2024-01-01T00:00:00Z", [back]))
    #expect(try await store.history().last?.tables.first?.rows.first?.after?.last == .text("yours"))
  }
}
