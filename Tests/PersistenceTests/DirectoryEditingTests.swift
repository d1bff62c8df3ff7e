import Conformance
import Domain
import Glibc
import Persistence
import Query
import Rows
import TestSupport
import Testing

/// The files of a directory store while a user edits them.
@Suite("a directory that a user edits") struct DirectoryEditingTests {
  private let directory = TemporaryDirectory()
  private let registry = StoreRegistry(scratch: TemporaryDirectory.scratch, known: Catalog.all)

  private func store(_ scheme: String) async throws -> any RecordStore {
    let store = registry.open(StoreLocation(scheme: scheme, path: directory.path + "/s"))
    let rows: [[Value]] = [[.text("a"), .integer(1)], [.text("b"), .integer(2)]]
    try await store.apply(StoreChange("first", time: "", [TableChange(StoreSample.named, upserts: rows)]))
    return store
  }

  /// Appends to the file, in place.
  private func append(_ text: String, to name: String) throws {
    let file = unsafe open("\(directory.path)/s/\(name)", O_WRONLY | O_APPEND)
    defer { close(file) }
    let bytes = Array(text.utf8)
    try #require(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  private func read(_ rows: any RowStream) async throws -> Int {
    var count = 0
    while let work = try await rows.next() { count += try work.batch().count }
    return count
  }

  @Test("saved while it is read: neither the old rows nor the new ones", arguments: ["csv", "json"])
  func savedMeanwhile(_ scheme: String) async throws {
    let store = try await store(scheme), rows = try await store.rows(of: "named", RowRequest())
    try append(scheme == "csv" ? "c,3\n" : "\n", to: "named." + scheme)
    let problem = await #expect(throws: Problem.self) { _ = try await read(rows) }
    #expect(problem?.kind == .busy && problem?.message == "changed by another process")
    #expect(try await read(store.rows(of: "named", RowRequest())) == (scheme == "csv" ? 3 : 2))
  }

  @Test("a file that is being saved while it is read is not reported as damage", arguments: ["csv", "json"])
  func halfSaved(_ scheme: String) async throws {
    let store = try await store(scheme), rows = try await store.rows(of: "named", RowRequest())
    try append("\"", to: "named." + scheme)
    let problem = await #expect(throws: Problem.self) { _ = try await read(rows) }
    #expect(problem?.kind == .busy)
    let damage = await #expect(throws: Problem.self) { _ = try await read(store.rows(of: "named", RowRequest())) }
    #expect(damage?.kind == .badData)
  }

  @Test("a reader of a table that is being replaced sees the rows with their own columns", arguments: ["csv", "json"])
  func replacedMeanwhile(_ scheme: String) async throws {
    let location = StoreLocation(scheme: scheme, path: directory.path + "/s"), registry = registry
    let narrow = Schema("t", columns: [ColumnDescription("n", .integer)])
    let wide = Schema("t", columns: [ColumnDescription("word", .text), ColumnDescription("n", .integer)])
    @Sendable func load(_ schema: Schema) async throws {
      var builder = RowBatchBuilder(width: schema.columns.count)
      if schema.columns.count > 1 { builder.append(value: .text("a")) }
      builder.append(integer: 1)
      let rows = BufferedRows(schema: schema, batches: [builder.finish()])
      let store = registry.open(location)
      try await store.load(TableLoad("load", time: "", schema, rows))
      // The table goes again, so that it can come with other columns.
      let entries = try await store.history().suffix(1).map(\.id)
      try await store.undo(StoreUndo(entries, title: "undo", time: ""))
    }
    try await load(narrow)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for number in 0..<40 { try await load(number % 2 == 0 ? wide : narrow) } }
      group.addTask {
        let store = registry.open(location)
        for _ in 0..<200 {
          guard try await store.contains("t"), let rows = try? await store.rows(of: "t", RowRequest()) else { continue }
          #expect(rows.schema.columns == narrow.columns || rows.schema.columns == wide.columns)
          while let batch = try await rows.next()?.batch() { #expect(batch.count == 1) }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a directory of one format is not a store of the other", arguments: [("csv", "json"), ("json", "csv")])
  func otherFormat(_ scheme: String, _ other: String) async throws {
    _ = try await store(scheme)
    let mistaken = registry.open(StoreLocation(scheme: other, path: directory.path + "/s"))
    let read = await #expect(throws: Problem.self) { _ = try await mistaken.tables() }
    let rows: [[Value]] = [[.text("c"), .integer(3)]]
    let written = await #expect(throws: Problem.self) {
      try await mistaken.apply(StoreChange("second", time: "", [TableChange(StoreSample.named, upserts: rows)]))
    }
    #expect(read?.kind == .usage && read?.hint.description == "use \(scheme):\(directory.path)/s" && written == read)
  }

  @Test("replacing a file does not disturb a reader", arguments: ["csv", "json"])
  func replaced(_ scheme: String) async throws {
    let store = try await store(scheme), rows = try await store.rows(of: "named", RowRequest())
    let more: [[Value]] = [[.text("c"), .integer(3)]]
    try await store.apply(StoreChange("second", time: "", [TableChange(StoreSample.named, upserts: more)]))
    #expect(try await read(rows) == 2)
  }
}
