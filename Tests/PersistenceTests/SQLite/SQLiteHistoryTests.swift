import Codecs
import Conformance
import Domain
@testable import Persistence
import Rows
import TestSupport
import Testing

/// The history of an SQLite store, and its bounds.
struct SQLiteHistoryTests {
  private let directory = TemporaryDirectory()
  private var path: String { directory.path + "/s.db" }

  private func change(_ rows: [[Value]] = StoreSample.hostile) -> StoreChange {
    StoreChange("test", time: "2026-01-01T00:00:00Z", [TableChange(StoreSample.wide, upserts: rows)])
  }

  @Test("a history entry that is too large is refused, and the store stays usable") func largeEntry() async throws {
    let store = SQLiteStore(path: path, historyLimit: 1 << 20)
    try await store.apply(change())
    try SQLiteConnection.open(path: path, .writing).execute("UPDATE bb_history SET tables = hex(zeroblob(2 << 20))")
    let refused = await #expect(throws: Problem.self) { try await store.history() }
    #expect(refused?.kind == .badData && refused?.place.hasSuffix("s.db:bb_history") == true)
    #expect(
      refused?.message == "a value or row is larger than 2 MiB" && refused?.hint.description == "restore a backup")
    #expect(try await store.apply(change([])).count == 1)
  }

  @Test("a text that is longer than strings of foreign documents may be is in the history") func longText() throws {
    let row: [Value] = [.text(Array(repeating: UInt8(0x78), count: 17 << 20)), .integer(1)]
    let tables = [TableRevisions(schema: StoreSample.named, rows: [TableRevisions.Row(before: nil, after: row)])]
    let encoded = HistoryCodec.encoded(tables)
    #expect(try HistoryCodec.decoded(encoded, at: "x") == tables)
    #expect(throws: Problem.self) { try JSON.parse(encoded, name: "x") }
  }

  @Test("a change whose rows are too large for the history can be undone") func largeChange() async throws {
    let store = SQLiteStore(path: path, historyLimit: 300), some = Array(StoreSample.hostile.prefix(4))
    try await store.apply(change(some))
    func rows() throws -> [String] {
      let connection = try SQLiteConnection.open(path: path, .reading)
      let columns = StoreSample.wide.columns.map { "typeof(\"\($0.name)\") || quote(\"\($0.name)\")" }
      let rows = try connection.prepare("SELECT \(columns.joined(separator: " || ")) FROM wide")
      var found: [String] = []
      while try rows.step() { found.append(rows.text(0)) }
      return found
    }
    let before = try rows()
    var changed = some[1]
    changed[6] = .text("changed")
    var second = change([changed, StoreSample.hostile[5]])
    second.tables[0].deletes = [[.text("a"), .integer(1)]]
    try await store.apply(second)
    let last = try #require(try await store.history().last)
    #expect(last.tables.map(\.rows.count) == [0] && last.tables.map(\.loaded) == [3])
    #expect(try rows() != before)
    try await store.undo(StoreUndo([last.id], title: "undo", time: "2026-01-02T03:04:06Z"))
    #expect(try rows() == before)
    let two = StoreChange(
      "two", time: "",
      [
        TableChange(StoreSample.wide, upserts: [changed]),
        TableChange(StoreSample.named, upserts: [[.text("a"), .integer(1)]]),
      ])
    let refused = await #expect(throws: Problem.self) { try await store.apply(two) }
    #expect(refused?.kind == .badData)
    #expect(try rows() == before)
  }
}
