import Codecs
import Conformance
import Domain
import Glibc
import Persistence
import Query
import Rows
import TestSupport
import Testing

@Suite("Migration") struct MigrationTests {
  private let directory = TemporaryDirectory()
  private let registry = StoreRegistry(scratch: TemporaryDirectory.scratch, known: Catalog.all)
  private static let durable = StoreRegistry(scratch: TemporaryDirectory.scratch, known: Catalog.all).factories
    .filter { $0.kind != .server }
    .filter(\.isDurable).map(\.scheme)

  private func location(_ scheme: String, _ name: String) -> StoreLocation {
    StoreLocation(scheme: scheme, path: "\(directory.path)/\(name)")
  }

  /// A store with every type of value, a loaded table, one without a key, columns that the user added, and a history.
  private func filled(_ scheme: String) async throws -> StoreLocation {
    let location = location(scheme, "a"), store = registry.open(location)
    try await store.apply(
      StoreChange("first", time: "2026-01-02T03:04:05Z", [TableChange(StoreSample.wide, upserts: StoreSample.hostile)]))
    let extra = Schema(
      "named", key: ["name"],
      columns: StoreSample.named.columns + [
        ColumnDescription("remark", scheme == "json" ? .json : .text, extra: true),
        ColumnDescription("other", scheme == "json" ? .text : .json, extra: true),
      ])
    let word = Array((scheme == "json" ? "5" : "x, y").utf8), list = Array("[1,\"é\"]".utf8)
    let row: [Value] = [
      .text("a"), .integer(1), scheme == "json" ? .json(word) : .text(word),
      scheme == "json" ? .text(list) : .json(list),
    ]
    try await store.apply(
      StoreChange("second", time: "2026-01-02T03:04:06Z", [TableChange(extra, upserts: [row])]))
    let bare = Schema("a/b %", columns: [ColumnDescription("z", .text), ColumnDescription("n", .real)])
    var builder = RowBatchBuilder(width: 2)
    for row in [[Value.text("b"), .null], [.null, .real(-0.0)], [.text("b"), .null]] {
      for value in row { builder.append(value: value) }
    }
    _ = try await store.load(
      TableLoad("third", time: "", bare, BufferedRows(schema: bare, batches: [builder.finish()]), from: "file:x"))
    try await store.apply(
      StoreChange("fourth", time: "", [TableChange(StoreSample.wide, deletes: [[.text(""), .integer(0)]])]))
    return location
  }

  private func migrate(_ from: StoreLocation, _ to: StoreLocation) async throws {
    let old = registry.open(from)
    _ = try await registry.make(to) { (new) async throws(Problem) in try await Migration.copy(old, to: new) }
  }

  @Test("there and back again gives the same bytes, and the same history", arguments: durable, durable)
  func roundTrip(_ a: String, _ b: String) async throws {
    let first = try await filled(a)
    let middle = location(b, "b"), third = location("json", "c"), last = location(a, "d")
    try await migrate(first, middle)
    try await migrate(middle, third)
    try await migrate(third, last)
    let (before, after) = (registry.open(first), registry.open(last))
    #expect(try await before.history() == after.history())
    #expect(try await before.tables() == after.tables())
    for table in try await before.tables() {
      let rows = try await Self.rows(before, table.name)
      #expect(try await Self.rows(after, table.name) == rows)
      #expect(try await before.source(of: table.name) == after.source(of: table.name))
    }
    guard a != "sqlite" else { return }
    let files = Self.files(first.path)
    #expect(files.count > 4 && Self.files(last.path) == files)
    for name in files {
      #expect(try directory.bytes("a/" + name) == directory.bytes("d/" + name), "\(name)")
    }
  }

  /// Loads and undoes, the same in every store.
  private func load(_ store: any RecordStore, _ schema: Schema, _ rows: [[Value]], _ title: String) async throws {
    var builder = RowBatchBuilder(width: schema.width)
    for value in rows.joined() { builder.append(value: value) }
    let rows = BufferedRows(schema: schema, batches: [builder.finish()])
    try await store.load(TableLoad(title, time: "2026-01-02T03:04:05Z", schema, rows, from: "api"))
  }

  @Test("loads are undone and made again as in the first store", arguments: durable, durable)
  func undoneLoads(_ a: String, _ b: String) async throws {
    let first = location(a, "a"), middle = location("json", "b"), second = location(b, "c")
    let keyed = Schema(
      "keyed", key: ["id"],
      columns: [
        ColumnDescription("id", .text, nullable: false), ColumnDescription("bb_kind", .text, nullable: false),
        ColumnDescription("at", .datetime), ColumnDescription("list", .json),
      ])
    func row(_ id: String, _ text: String, _ list: String) -> [Value] {
      [.text(id), .text(text), .text("2026-01-02T03:04:05"), .json(Array(list.utf8))]
    }
    let bare = Schema("bare", columns: [ColumnDescription("z", .text), ColumnDescription("n", .decimal)])
    let numbered = Schema(
      "numbered", key: ["n", "flag", "day"],
      columns: [
        ColumnDescription("n", .integer, nullable: false), ColumnDescription("text", .text, nullable: false),
        ColumnDescription("flag", .boolean, nullable: false), ColumnDescription("day", .date, nullable: false),
      ])
    func number(_ number: Int64, _ text: String, _ flag: Bool = true) -> [Value] {
      [.integer(number), .text(text), .boolean(flag), .text("2026-01-02")]
    }
    let store = registry.open(first)
    try await load(store, numbered, [number(9, "a"), number(10, "b"), number(-3, "c")], "sync six")
    try await load(store, numbered, [number(9, "A"), number(-3, "c"), number(10, "d", false)], "sync seven")
    try await load(store, keyed, [row("1.0", "a", "[1]"), row("2", "b", "{}")], "sync one")
    try await load(store, bare, [[.text("b"), .number(Array("1.50".utf8))], [.text("a"), .null]], "sync two")
    try await load(store, keyed, [row("2", "c", "0"), row("10", "d", "\"x\"")], "sync three")
    try await load(store, bare, [[.text(""), .null], [.text("a"), .null], [.text("a"), .null]], "sync four")
    try await store.apply(StoreChange("edit", time: "", [TableChange(keyed, upserts: [row("7", "e", "[]")])]))
    try await load(store, keyed, [row("2", "c", "[2]")], "sync five")
    let undo = UndoHistory(RecordRepository(store, clock: StoppedClock()))
    try await undo.undo()
    try await migrate(first, middle)
    try await migrate(middle, second)
    let copy = UndoHistory(RecordRepository(registry.open(second), clock: StoppedClock()))
    // Made again; then everything is undone, and made again.
    #expect(try await undo.redo() == copy.redo())
    for step in 0..<16 {
      if step < 8 {
        let titles = (try await undo.undo().title, try await copy.undo().title)
        #expect(titles.0 == titles.1)
      } else {
        #expect(try await undo.redo() == copy.redo())
      }
      let states = (try await undo.items().map(\.state), try await copy.items().map(\.state))
      #expect(states.0 == states.1, "step \(step)")
      let (one, other) = (store, registry.open(second))
      #expect(try await one.tables() == other.tables(), "step \(step)")
      for table in try await one.tables() {
        let rows = try await Self.rows(one, table.name)

        #expect(try await Self.rows(other, table.name) == rows, "step \(step): \(table.name)")
        #expect(try await one.source(of: table.name) == other.source(of: table.name))
      }
    }
  }

  @Test("an existing store is not replaced; an incomplete one is removed", arguments: durable)
  func repeated(_ scheme: String) async throws {
    let first = try await filled(scheme), target = location(scheme, "b")
    let failed = await #expect(throws: Problem.self) {
      try await registry.make(target) { (new) async throws(Problem) -> Void in
        _ = try await Migration.copy(registry.open(first), to: new)
        throw Problem(.cancelled, "killed")
      }
    }
    #expect(failed?.kind == .cancelled)
    #expect(directory.names().filter { !$0.hasPrefix("a") } == [])
    try await migrate(first, target)
    let taken = await #expect(throws: Problem.self) { try await migrate(first, target) }
    #expect(taken?.kind == .cannotCreate)
  }

  private static func rows(_ store: any RecordStore, _ table: String) async throws -> [[String]] {
    let stream = try await store.rows(of: table, RowRequest())
    var rows: [[String]] = []
    for batch in try await stream.collect() {
      for row in 0..<batch.count {
        // Stores read an integer as a number or as its literal.
        let values = (0..<batch.width).map { batch.value(row, $0) }
        rows.append(
          values.map {
            if case .integer(let number) = $0 { "\(Value.number(Array("\(number)".utf8)))" } else { "\($0)" }
          })
      }
    }
    return rows
  }

  /// Every file but the lock and what loads replaced, which are local.
  private static func files(_ path: String, _ below: String = "") -> [String] {
    guard let directory = unsafe opendir(path + "/" + below) else { return [below] }
    defer { unsafe closedir(directory) }
    var found: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if ![".", "..", "lock", "replaced"].contains(name) {
        found += files(path, below.isEmpty ? name : below + "/" + name)
      }
    }
    return found.sorted()
  }
}

private struct StoppedClock: WallClock {
  func now() -> Instant { Instant(seconds: 1_384_000_000) }
}
