import Testing

@testable import Persistence
@testable import TestSupport

/// A store of format 1, made by the first release: read as it is, and upgraded by the first change.
@Suite("a store of format 1") struct StoreUpgradeTests {
  private let storage = StorageFaultTests.Storage(kind: "sqlite")
  private var path: String { "\(storage.shell.directory)/work/s/s.db" }

  init() {
    let fixture = #filePath.replacing("AppTests/Stores/StoreUpgradeTests.swift", with: "Fixtures/store-version-1.db")
    _ = storage.shell.run("mkdir -p s && cp \(fixture) s/s.db && chmod 600 s/s.db")
  }

  /// The first value of a query; an interrupted transaction is rolled back in a private copy.
  private func integer(_ query: String) throws -> Int64 {
    let connection = try SQLiteDatabase(path: path).open()
    return try connection.integer(query)
  }
  private func text(_ query: String) throws -> String {
    let connection = try SQLiteConnection.open(path: path, .reading)
    let rows = try connection.prepare(query)
    return try rows.step() ? rows.text(0) : ""
  }

  @Test("reading does not change it") func reading() {
    let before = storage.shell.run("sha256sum s/s.db; ls s").out
    #expect(storage.run("bb-export items -f csv").out.hasPrefix("id,price,n,tags,remark\na,1.10,1,"))
    #expect(storage.run("bb-notes list").out.contains("a first note"))
    let history = storage.run("bb-notes history")
    #expect(history.status == 0 && history.err.isEmpty, "\(history.err)")
    #expect(storage.run("bb-notes check").status == 0)
    #expect(storage.shell.run("sha256sum s/s.db; ls s").out == before)
  }

  @Test("a change that is refused does not upgrade it") func refused() throws {
    #expect(storage.run("bb-notes add S09E99 x").status != 0)
    #expect(storage.run("bb-notes set S05E14 nothing=1").status != 0)
    #expect(try integer("PRAGMA user_version") == 1)
  }

  @Test("the first change upgrades it, and keeps all values, columns, indexes, triggers and views") func upgrade()
    throws
  {
    let before = storage.run("bb-export items -f csv").out
    #expect(storage.run("bb-notes add S05E15 second").status == 0)
    #expect(try integer("PRAGMA user_version") == 2)
    #expect(storage.run("bb-export items -f csv").out == before)
    #expect(
      try text("SELECT group_concat(typeof(price)) FROM (SELECT price FROM items ORDER BY rowid)")
        == "text,integer,real,text,real,text")
    #expect(try text("SELECT remark FROM items WHERE id = 'b'") == "mine")
    #expect(
      try text(
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE name IN ('by_price', 'kept', 'cheap') ORDER BY name)"
      ) == "by_price,cheap,kept")
    #expect(try integer("SELECT count(*) FROM log") == 1, "no trigger ran")
    #expect(try text("PRAGMA integrity_check") == "ok")
    #expect(storage.run("bb-notes check").status == 0)
    #expect(storage.run("bb-notes search first").out.contains("a first note"))
    #expect(storage.run("bb-notes undo").status == 0)
    #expect(!storage.run("bb-notes list").out.contains("second"))
  }

  @Test(
    "a kill during the upgrade leaves the old store, or the new one",
    .enabled(if: StorageFaultTests.library != nil, "no C compiler found"))
  func kill() throws {
    let words = "bb-notes add S05E15 second"
    let before = storage.state
    storage.keep()
    let made = storage.calls(words)
    let after = storage.state
    #expect(before != after)
    var kills = 0
    for call in ["open", "write", "fsync", "truncate", "unlink"] {
      let count = made.count { $0 == call }
      for number in stride(from: 1, through: count, by: max(1, count / 6)) {
        storage.restore()
        #expect(storage.run(words, "FAULT_NAME=\(call) FAULT_AT=\(number) FAULT_DO=kill").status >= 128)
        kills += 1
        // An interrupted transaction, which readers do not roll back in the file, is not committed: the old store.
        let now = storage.state, version = try? integer("PRAGMA user_version")
        #expect(now == (version == 2 ? after : before), "\(call) \(number): format \(version ?? 0)")
        #expect(now == after || storage.run(words).status == 0 && storage.state == after, "\(call) \(number)")
      }
    }
    #expect(kills > 10)
  }
}
