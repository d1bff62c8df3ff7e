import Domain
import Persistence
import Query
import Rows
import TestSupport
import Testing

/// Several sources own records of one table, each those of its shows.
@Suite("tables of several sources") struct SharedTableTests {
  private static func rows(_ episodes: [(show: String, number: Int64, title: String)]) -> BufferedRows {
    var builder = RowBatchBuilder(width: Catalog.episodes.width)
    for episode in episodes {
      for column in Catalog.episodes.columns {
        switch column.name {
        case "production": builder.append(text: episode.show)
        case "season": builder.append(integer: 1)
        case "episode": builder.append(integer: episode.number)
        case "title": builder.append(text: episode.title)
        default: builder.appendNull()
        }
      }
    }
    return BufferedRows(schema: Catalog.episodes, batches: [builder.finish()])
  }

  private static func load(
    _ store: any RecordStore, _ source: String, replaces: Bool = false, _ episodes: [(String, Int64, String)]
  ) async throws {
    var policy = Sync.Policy()
    policy.replacesSource = replaces
    _ = try await Sync(into: store, policy, time: "2026-01-01T00:00:00Z").run(
      rows(episodes.map { (show: $0.0, number: $0.1, title: $0.2) }), as: Catalog.episodes, from: source,
      scope: Catalog.episodeScope)
  }

  private static func titles(_ store: any RecordStore) async throws -> [String] {
    let rows = try await store.rows(of: "episodes", RowRequest())
    var titles: [String] = []
    for batch in try await rows.collect() {
      titles += batch.records(of: rows.schema).compactMap { $0.text("title") }
    }
    return titles
  }

  @Test("a source replaces the records of its shows and no others", arguments: ["csv:", "json:", "sqlite:"])
  func scopes(_ kind: String) async throws {
    let directory = TemporaryDirectory()
    let store = try StoreFixtures.registry.open("\(kind)\(directory.path)/store")
    try await Self.load(store, "a", [("Alpha", 1, "one"), ("Alpha", 2, "two"), ("Beta", 1, "three")])
    try await Self.load(store, "b", [("Gamma", 1, "four")])
    #expect(try await Self.titles(store) == ["one", "two", "three", "four"])
    try await Self.load(store, "a", [("Alpha", 1, "uno")])
    #expect(try await Self.titles(store) == ["uno", "three", "four"])
    // The owner of a show that is no longer returned stays its owner.
    await #expect(throws: Problem.self) { try await Self.load(store, "b", [("Beta", 1, "drei")]) }
    #expect(try await Self.titles(store) == ["uno", "three", "four"])
    try await Self.load(store, "b", replaces: true, [("Beta", 1, "drei")])
    #expect(try await Self.titles(store) == ["uno", "drei", "four"])
    await #expect(throws: Problem.self) { try await Self.load(store, "a", [("Beta", 1, "three")]) }
    try await Self.load(store, "b", [("Gamma", 1, "vier")])
    #expect(try await Self.titles(store) == ["uno", "drei", "vier"])
  }

  @Test("shows of a store are found by their names") func names() async throws {
    let store = MemoryStore()
    try await Self.load(store, "a", [("The Wire", 1, "The Target"), ("Wired", 1, "x")])
    let names = try await TitleNames(from: store)
    #expect(try names.key(of: "the  wire") == "The Wire")
    #expect(try names.key(of: "THE-WIRE") == "The Wire")
    #expect(try names.key(of: "wired") == "Wired")
    #expect(try names.key(of: "BCS") == Catalog.builtInTitles[1].key)
    #expect(throws: Problem.self) { try names.key(of: "wir") }
    #expect(throws: Problem.self) { try names.knownKey(of: "nothing") }
    #expect(try names.key(of: "nothing") == "nothing")
    #expect(names.newKey(.show, "The Wire", year: 2026, ids: []) == "The Wire (2026)")
    #expect(names.newKey(.movie, "Heat", year: 1995, ids: []) == "Heat (1995)")
  }
}
