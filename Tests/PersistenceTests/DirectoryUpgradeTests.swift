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

/// Directory stores of version 1, as programs before made them: `Tests/Fixtures/store-1-csv` and `store-1-json`.
@Suite("Directory stores of version 1") struct DirectoryUpgradeTests {
  private let directory = TemporaryDirectory()
  private let registry = StoreFixtures.registry
  private static let kinds = ["csv", "json"]

  private func copy(_ scheme: String, to name: String = "s") async throws -> any RecordStore {
    let source = "\(#filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined())/Fixtures/store-1-\(scheme)"
    try await copy(from: source, to: name)
    return registry.open(StoreLocation(scheme: scheme, path: "\(directory.path)/\(name)"))
  }

  private func copy(from path: String, to name: String) async throws {
    unsafe mkdir("\(directory.path)/\(name)", 0o700)
    for file in try #require(try DirectoryListing.names(path)) {
      if let below = try? DirectoryListing.names("\(path)/\(file)"), !below.isEmpty {
        try await copy(from: "\(path)/\(file)", to: "\(name)/\(file)")
      } else {
        let bytes = try FileByteSource(path: "\(path)/\(file)").bytes(limit: 1 << 20)
        try await directory.write("\(name)/\(file)", String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  private func tree() throws -> [String: [UInt8]] {
    var tree: [String: [UInt8]] = [:]
    func add(_ below: String) throws {
      for name in try DirectoryListing.names("\(directory.path)/s\(below)") ?? [] where name != "lock" {
        var status = stat()
        let path = "\(directory.path)/s\(below)/\(name)"
        try #require(unsafe lstat(path, &status) == 0)
        if status.st_mode & S_IFMT == S_IFDIR {
          try add("\(below)/\(name)")
        } else {
          tree["\(below)/\(name)"] = try FileByteSource(path: path).bytes(limit: 1 << 20)
        }
      }
    }
    try add("")
    return tree
  }

  @Test("open, and reading changes nothing", arguments: kinds)
  func open(_ scheme: String) async throws {
    let store = try await copy(scheme), before = try tree()
    #expect(try await store.tables().map(\.name) == ["favourites", "items", "notes", "places"])
    #expect(try await store.source(of: "items") == "file:items.csv")
    let history = try await store.history()
    #expect(history.map(\.number) == Array(1...7) && history.map(\.id) == history.map(\.id).sorted())
    #expect(history[5].title == "undo: delete Breaking Bad S05E15" && history[5].undoes == [history[4].id])
    #expect(try await store.check() == [])
    #expect(try await store.undoableLoads() == [])
    #expect(try tree() == before)
  }

  @Test("are upgraded by the first change, which keeps tables and history", arguments: kinds)
  func upgraded(_ scheme: String) async throws {
    let store = try await copy(scheme), history = try await store.history(), before = try tree()
    let book = UndoHistory(RecordRepository(store, clock: StoppedClock()))
    try await book.undo()
    #expect(try await store.history().prefix(7) == history[...])
    #expect(try await store.history().last?.title == "undo: favourite characters 1")
    try await book.undo(1)
    let problem = await #expect(throws: Problem.self) { try await book.undo(4) }
    #expect(problem?.kind == .absent)
    let after = try tree()
    #expect(after["/bb.json"]?.starts(with: Array("{\"format\": 2, \"storage\": \"\(scheme)\"".utf8)) == true)
    #expect(after["/.bb/history.ndjson"] == nil && after["/.bb/.gitignore"] != nil)
    #expect(after.keys.filter { $0.hasPrefix("/.bb/history/") }.count == 9)
    #expect(after["/items.\(scheme)"] == before["/items.\(scheme)"])
    #expect(try await store.check() == [])
  }

  @Test("two copies that are upgraded apart have the same history", arguments: kinds)
  func twice(_ scheme: String) async throws {
    var names: [Set<String>] = []
    for copy in ["a", "b"] {
      let store = try await self.copy(scheme, to: copy)
      try await store.apply(
        StoreChange("n", time: "", [TableChange(StoreSample.named, upserts: [[.text("a"), .null]])]))
      names.append(Set(try DirectoryListing.names("\(directory.path)/\(copy)/.bb/history") ?? []))
    }
    #expect(names[0].intersection(names[1]).count == 7 && names[0] != names[1])
  }

  @Test("a killed upgrade is started again", arguments: kinds)
  func killed(_ scheme: String) async throws {
    let store = try await copy(scheme), history = try await store.history()
    // As after a kill between the history and the manifest: half of the entries, and a temporary.
    for file in ["0190.json", ".x.tmp.999999.a", "018bcff5-0000-7000-8000-000000000000.json"] {
      unsafe mkdir(directory.path + "/s/.bb/history", 0o700)
      try await directory.write("s/.bb/history/\(file)", "{}")
    }
    #expect(try await store.history() == history)
    try await store.adoptNothing()
    #expect(try await store.history() == history)
    // And between the manifest and the removal of the old history.
    try await directory.write("s/.bb/history.ndjson", "{\"number\":1}\n")
    try await store.adoptNothing()
    #expect(try tree()["/.bb/history.ndjson"] == nil)
    #expect(try await store.history() == history)
  }

  @Test("a change that was started before the upgrade is completed", arguments: kinds)
  func begun(_ scheme: String) async throws {
    let store = try await copy(scheme)
    let lines = try directory.read("s/.bb/history.ndjson").split(separator: "\n")
    // The last entry again, of a favourite that its file does not have yet.
    let next = lines[6].split(separator: "\"number\":7", omittingEmptySubsequences: false).joined(
      separator: "\"number\":8"
    )
    .split(separator: "\"1\"", omittingEmptySubsequences: false).joined(separator: "\"2\"")
    try await directory.write("s/.bb/history.ndjson", lines.joined(separator: "\n") + "\n\(next)\n")
    try await directory.write("s/.bb/lock", "{\"finished\":7,\"history\":1,\"loading\":null,\"files\":{}}\n")
    try await store.adoptNothing()
    #expect(try directory.read("s/favourites.\(scheme)").contains("2"))
    #expect(try await store.history().count == 8)
    let rows = try await store.rows(of: "favourites", RowRequest())
    var count = 0
    while let work = try await rows.next() { count += try work.batch().count }
    #expect(count == 2)
  }
}

private struct StoppedClock: WallClock {
  func now() -> Instant { Instant(seconds: 1_384_000_000) }
}

extension RecordStore {
  /// A change that changes nothing but what every change does first.
  fileprivate func adoptNothing() async throws {
    do throws(Problem) { try await adopt([]) } catch { guard error.kind == .cannotCreate else { throw error } }
  }
}
