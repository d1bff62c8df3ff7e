import Conformance
import Domain
import Files
import Glibc
@testable import Persistence
import Query
import Rows
import TestSupport
import Testing

/// What protects a store that is a directory, whatever its kind.
@Suite("A directory is one store") struct DirectoryGuardTests {
  private let directory = TemporaryDirectory()
  private static let registry = StoreFixtures.registry
  private static let durable = registry.factories.filter { $0.isDurable && $0.kind != .server }.map(\.scheme)
  private static let directories = registry.factories.filter { $0.kind == .directory }.map(\.scheme)

  private func store(_ scheme: String, _ name: String = "s") async throws -> any RecordStore {
    let store = Self.registry.open(StoreLocation(scheme: scheme, path: "\(directory.path)/\(name)"))
    try await store.apply(Self.change("first", 1))
    return store
  }

  private static func change(_ title: String, _ value: Int64) -> StoreChange {
    StoreChange(title, time: "", [TableChange(StoreSample.named, upserts: [[.text("a"), .integer(value)]])])
  }

  /// Every file below a path.
  private static func files(_ path: String, _ below: String = "") -> [String] {
    guard let names = try? DirectoryListing.names(path + below) else { return [below] }
    return names.flatMap { files(path, "\(below)/\($0)") }.sorted()
  }

  @Test("an export replaces none of its files, and makes none that it would read", arguments: directories)
  func exports(_ scheme: String) async throws {
    let store = try await store(scheme)
    let load = TableLoad("load", time: "", StoreSample.numbered, BufferedRowsFixture.empty(StoreSample.numbered))
    try await store.load(load)
    let root = directory.path + "/s", files = Self.files(root)
    #expect(files.count > 4)
    let suffixes = Self.directories + ["md", "db", "csv-metadata.json", "x.y"]
    let new = ["/new.\(scheme)", "/NEW.\(scheme.uppercased())", "/.bb/history/new.csv", "/NAMED.csv"]
    for name in files + suffixes.map({ "/named.\($0)" }) + new {
      let problem = #expect(throws: Problem.self, "\(name)") { _ = try OutputFile.sink(root + name, replaces: true) }
      #expect(problem?.kind == .cannotCreate, "\(name)")
    }
    unsafe symlink("s/named.\(scheme)", directory.path + "/link")
    #expect(throws: Problem.self) { _ = try OutputFile.sink(directory.path + "/link", replaces: true) }
    for name in ["other.md", "name.html", "named2.x"] + (scheme == "csv" ? [] : ["other.csv"]) {
      try await OutputFile.sink("\(root)/\(name)", replaces: true).abandon()
    }
    #expect(Self.files(root) == files)
  }

  @Test("an export replaces no database of a store, whatever it is called, and no log of a database")
  func databases() async throws {
    let path = directory.path + "/noext"
    try await SQLiteStore(path: path).apply(Self.change("first", 1))
    unsafe symlink("noext", directory.path + "/link")
    for name in ["noext", "link", "noext-wal", "noext-journal", "noext-shm"] {
      let problem = #expect(throws: Problem.self, "\(name)") {
        _ = try OutputFile.sink("\(directory.path)/\(name)", replaces: true)
      }
      #expect(problem?.kind == (name.contains("-") ? .cannotCreate : .permission), "\(name)")
    }
    try await OutputFile.sink(directory.path + "/other-wal", replaces: true).abandon()
  }

  @Test("a store of another kind is not made in its directory, nor below it", arguments: directories, durable)
  func inside(_ scheme: String, _ other: String) async throws {
    _ = try await store(scheme)
    let before = Self.files(directory.path)
    for path in other == scheme ? ["s/inner", "s/.bb/inner"] : ["s", "s/inner", "s/deep/er/inner"] {
      let location = StoreLocation(scheme: other, path: "\(directory.path)/\(path)")
      let second = Self.registry.open(location)
      for title in ["second", "again"] {
        await #expect(throws: Problem.self, "\(path)") { try await second.apply(Self.change(title, 2)) }
      }
      let load = TableLoad("load", time: "", StoreSample.named, BufferedRowsFixture.empty(StoreSample.named))
      await #expect(throws: Problem.self, "\(path)") { try await second.load(load) }
      await #expect(throws: Problem.self, "\(path)") {
        try await Self.registry.make(location) { (new) async throws(Problem) in try await new.apply(Self.change("", 2))
        }
      }
      if other != "sqlite" { await #expect(throws: Problem.self) { try await Self.registry.claim(location) } }
    }
    #expect(Self.files(directory.path) == before)
  }

  @Test("what is of another type within it is reported as such, and waited for by no command", arguments: directories)
  func types(_ scheme: String) async throws {
    let store = try await store(scheme)
    let load = TableLoad("load", time: "", StoreSample.named, BufferedRowsFixture.one("b"))
    let root = directory.path + "/s"
    for name in [".bb", ".bb/history", ".bb/lock", ".bb/begun", ".bb/replaced", "bb.json", "named.\(scheme)"] {
      let path = "\(root)/\(name)", kept = directory.path + "/kept"
      let existed = unsafe rename(path, kept) == 0
      for kind in ["a named pipe", "a file", "a directory"] {
        switch kind {
        case "a named pipe": unsafe mkfifo(path, 0o600)
        case "a directory": unsafe mkdir(path, 0o700)
        default: try await directory.write("s/\(name)", "x")
        }
        let isDirectory = [".bb", ".bb/history", ".bb/replaced"].contains(name)
        guard kind != (isDirectory ? "a directory" : "a file") else {
          DirectoryListing.removeAll(path)
          continue
        }
        let before = Self.files(root)
        let problem = await #expect(throws: Problem.self, "\(kind) as \(name)") {
          if name == ".bb/replaced" { try await store.load(load) } else { try await store.apply(Self.change("", 2)) }
        }
        #expect(
          // Files below another file are refused where they are opened.
          name == ".bb/replaced" || problem?.kind == .badData && problem?.place == path,
          "\(kind) as \(name): \(String(describing: problem))")
        #expect(
          name == ".bb/replaced" || problem?.message.hasPrefix("is \(kind), not a ") == true,
          "\(String(describing: problem))")
        #expect(Self.files(root) == before, "\(kind) as \(name)")
        if ![".bb/replaced", ".bb/lock", "named.\(scheme)"].contains(name) {
          let reading = await #expect(throws: Problem.self, "\(kind) as \(name)") { _ = try await store.history() }
          #expect(reading?.kind == .badData && reading?.place == path)
        }
        DirectoryListing.removeAll(path)
      }
      if existed { #expect(unsafe rename(kept, path) == 0) }
    }
    try await store.apply(Self.change("after", 3))
  }

  @Test("a record that it could not read again is not written", arguments: directories, [false, true])
  func large(_ scheme: String, _ loads: Bool) async throws {
    let store = try await store(scheme)
    for (count, fits) in [(15 << 20, true), (17 << 20, false)] {
      let name = String(repeating: "x", count: count), title = "\(loads) \(count)"
      func write() async throws(Problem) {
        if loads {
          try await store.load(TableLoad(title, time: "", StoreSample.named, BufferedRowsFixture.one(name)))
        } else {
          try await store.apply(
            StoreChange(title, time: "", [TableChange(StoreSample.named, upserts: [[.text(name), .null]])]))
        }
      }
      if fits {
        try await write()
      } else {
        let problem = await #expect(throws: Problem.self) { try await write() }
        #expect(problem?.kind == .badData && problem?.message.contains("larger than 16 MiB") == true)
      }
      #expect(try await store.check().isEmpty)
    }
  }

  @Test("the manifest records the kind, and a bare path finds it", arguments: directories)
  func kind(_ scheme: String) async throws {
    _ = try await store(scheme)
    #expect(try directory.read("s/bb.json").hasPrefix("{\"format\": 2, \"storage\": \"\(scheme)\", "))
    try await directory.write("s/export.csv", "a\n1\n")
    try await directory.write("s/export.json", "[]")
    #expect(try Self.registry.location(directory.path + "/s").scheme == scheme)
  }

  @Test("a directory with hidden files only is empty; one with other files is only read", arguments: directories)
  func hidden(_ scheme: String) async throws {
    unsafe mkdir(directory.path + "/s", 0o700)
    unsafe mkdir(directory.path + "/s/.git", 0o700)
    try await directory.write("s/.gitignore", "x\n")
    _ = try await store(scheme)
    unsafe mkdir(directory.path + "/t", 0o700)
    try await directory.write("t/README.md", "x\n")
    let problem = await #expect(throws: Problem.self) { _ = try await store(scheme, "t") }
    #expect(problem?.kind == .permission)
    #expect(Self.files(directory.path + "/t").filter { !$0.hasPrefix("/.bb/") } == ["/README.md"])
  }

  @Test("a newer format is refused and not changed", arguments: directories)
  func newer(_ scheme: String) async throws {
    let store = try await store(scheme)
    try await directory.write("s/bb.json", "{\"format\": 3, \"storage\": \"\(scheme)\", \"datasets\": {}}")
    let read = await #expect(throws: Problem.self) { _ = try await store.tables() }
    let written = await #expect(throws: Problem.self) { try await store.apply(Self.change("", 2)) }
    #expect(read?.kind == .configuration && written?.kind == .configuration)
  }

  @Test("what a later program of this format adds to a table stays", arguments: directories)
  func others(_ scheme: String) async throws {
    let store = try await store(scheme)
    let text = try directory.read("s/bb.json")
    let named = try #require(text.firstRange(of: "\"named\": {"))
    let added = text[..<named.upperBound] + "\"cursor\":{\"after\":[1,\"x\"]}," + text[named.upperBound...]
    try await directory.write("s/bb.json", String(added))
    try await store.apply(Self.change("second", 2))
    try await store.apply(StoreChange("third", time: "", [TableChange(StoreSample.wide, upserts: StoreSample.hostile)]))
    #expect(try directory.read("s/bb.json").contains("\"cursor\":{\"after\":[1,\"x\"]}"))
  }
}

enum BufferedRowsFixture {
  static func empty(_ schema: Schema) -> any RowStream { BufferedRows(schema: schema, batches: []) }

  /// A row of `StoreSample.named`.
  static func one(_ name: String) -> any RowStream {
    var builder = RowBatchBuilder(width: 2)
    for value in [Value.text(name), .null] { builder.append(value: value) }
    return BufferedRows(schema: StoreSample.named, batches: [builder.finish()])
  }
}
