import Conformance
import Domain
@testable import Persistence
import Rows
import TestSupport
import Testing

@Suite("a database that another process writes") struct SQLiteLockTests {
  private let directory = TemporaryDirectory()
  private var path: String { directory.path + "/s.db" }

  private func change(_ rows: [[Value]] = StoreSample.hostile) -> StoreChange {
    StoreChange("test", time: "2026-01-01T00:00:00Z", [TableChange(StoreSample.wide, upserts: rows)])
  }

  @Test("is waited for, then reported as busy") func writer() async throws {
    try await SQLiteStore(path: path).apply(change())
    let other = try SQLiteConnection.open(path: path, .writing)
    try other.execute("BEGIN IMMEDIATE")
    let refused = await #expect(throws: Problem.self) { try await SQLiteStore(path: path).apply(change([])) }
    #expect(refused?.kind == .busy)
    try other.execute("ROLLBACK")
    try await SQLiteStore(path: path).apply(change([]))
  }
}
