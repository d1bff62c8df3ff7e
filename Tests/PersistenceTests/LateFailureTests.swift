import Codecs
import Domain
import Persistence
import Query
import Rows
import Testing

/// A store that makes a change and then reports an error, as when the directory cannot be flushed after the file was
/// renamed.
private struct LateFailure: RecordStore {
  let base = MemoryStore()
  let isLate: Bool
  var name: String { base.name }
  var capabilities: StoreCapabilities { base.capabilities }

  func tables() async throws(Problem) -> [Schema] { try await base.tables() }
  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    try await base.rows(of: table, request)
  }
  func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    if isLate { _ = try await base.apply(change) }
    throw Problem(.io, "cannot flush: input/output error", at: "notes.csv")
  }
  func load(_ load: TableLoad) async throws(Problem) -> TableOutcome { try await base.load(load) }
  func source(of table: String) async throws(Problem) -> String? { try await base.source(of: table) }
  func history() async throws(Problem) -> [HistoryEntry] { try await base.history() }
  func undo(_ undo: StoreUndo) async throws(Problem) {
    if isLate { try await base.undo(undo) }
    throw Problem(.io, "cannot flush: input/output error", at: "notes.csv")
  }
  func undoableLoads() async throws(Problem) -> Set<String> { try await base.undoableLoads() }
  func adopt(_ history: [HistoryEntry]) async throws(Problem) { try await base.adopt(history) }
  func check() async throws(Problem) -> [Problem] { [] }
}

private struct Noon: WallClock {
  func now() -> Instant { Instant(seconds: 1_700_000_000) }
}

@Suite("Errors after a change was saved") struct LateFailureTests {
  @Test("are distinguished from those before it", arguments: [true, false]) func late(_ isLate: Bool) async throws {
    let book = RecordRepository(LateFailure(isLate: isLate), clock: Noon())
    let places = NamedRecords(.place, book)
    var luzern = places.draft(id: RecordIdentifier.make(milliseconds: 0, random: Array(repeating: 7, count: 10)))
    luzern["name"] = .text("Luzern")
    luzern["latitude"] = .real(47.05)
    luzern["longitude"] = .real(8.3)
    let problem = await #expect(throws: Problem.self) { try await places.add(luzern) }
    #expect(problem?.kind == .io && problem?.place == "notes.csv")
    #expect(problem?.message.hasPrefix("the change was saved, but ") == isLate)
    let before = try await book.store.history().count
    if isLate {
      let undo = await #expect(throws: Problem.self) { try await UndoHistory(book).undo() }
      #expect(undo?.message.hasPrefix("the change was saved, but ") == true)
      #expect(try await book.store.history().count == before + 1)
      try await (book.store as? LateFailure)?.base.apply(
        StoreChange("again", time: book.now, [TableChange(Catalog.places, upserts: [luzern.values])]))
    }
    var again = luzern
    again["id"] = .text("another")
    #expect(try await places.same(as: again)?.key == (isLate ? luzern.key : nil))
    again["comment"] = .text("the bridge")
    #expect(try await places.same(as: again) == nil)
  }
}
