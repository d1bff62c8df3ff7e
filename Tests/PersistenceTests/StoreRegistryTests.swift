import Glibc
import Domain
import Persistence
import Rows
import TestSupport
import Testing

@Suite("locations of stores") struct StoreRegistryTests {
  private let registry = StoreRegistry(scratch: TemporaryDirectory.scratch, known: Catalog.all)

  @Test(
    "a text says the kind, or its suffix does",
    arguments: [
      ("sqlite:a.txt", "sqlite:a.txt"), ("csv:a/b/", "csv:a/b"), ("json:x:y", "json:x:y"), ("memory:", "memory:"),
      ("nowhere/n.db", "sqlite:nowhere/n.db"), ("N.SQLITE3", "sqlite:N.SQLITE3"),
    ])
  func texts(text: String, location: String) throws {
    #expect(try registry.location(text).description == location)
  }

  @Test("or an existing file does") func looks() async throws {
    let directory = TemporaryDirectory()
    #expect(throws: Problem.self) { try registry.location(directory.path) }
    try await directory.write("data.csv", "a\n1\n")
    #expect(try registry.location(directory.path + "/").scheme == "csv")
    try await directory.write("bb.json", "{}")
    try await directory.write("data.csv-metadata.json", "{}")
    #expect(try registry.location(directory.path).scheme == "csv")
    try await directory.write("more.json", "[]")
    #expect(throws: Problem.self) { try registry.location(directory.path) }
    try await directory.write("plain", "SQLite format 3\0")
    #expect(try registry.location(directory.path + "/plain").scheme == "sqlite")
  }

  @Test("a kind of store of another package is opened by its scheme") func adding() throws {
    let mine = StoreFactory(scheme: "mine", summary: "in memory", kind: .memory) { _, _ in MemoryStore() }
    let registry = StoreRegistry(scratch: TemporaryDirectory.scratch, known: [], adding: [mine])
    #expect(try registry.open("mine:x") is MemoryStore)
  }

  @Test("an unusable location is refused with advice") func advice() {
    let schemes = registry.factories.filter(\.isDurable).map(\.scheme)
    let messages = [
      "sqlit:a": "unknown store type “sqlit”; did you mean sqlite:a?",
      "csv:": "missing path in store “csv:”; use csv:PATH",
      "nowhere": "cannot tell the type of store “nowhere”; use a prefix: "
        + schemes.filter { $0 != "postgres" }.map { "\($0):nowhere" }.joined(separator: " or "),
      "": "missing path of the store; use "
        + schemes.map { $0 == "postgres" ? "postgres://HOST/DATABASE" : "\($0):PATH" }.joined(separator: ", "),
    ]
    for (text, message) in messages {
      let problem = #expect(throws: Problem.self) { try registry.location(text) }
      #expect(problem?.kind == .usage)
      #expect(problem?.description == message)
    }
  }
}
