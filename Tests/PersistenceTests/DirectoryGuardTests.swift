import Conformance
import Domain
import Glibc
@testable import Persistence
import Query
import Rows
import Testing

/// What protects a store that is a directory, whatever its kind.
@Suite("A directory is one store") struct DirectoryGuardTests {
  private let folder = Folder()
  private static let registry = StoreFixtures.registry
  private static let durable = registry.factories.filter(\.isDurable).map(\.scheme)
  private static let directories = registry.factories.filter(\.isFolder).map(\.scheme)

  private func store(_ scheme: String, _ name: String = "s") async throws -> any RecordStore {
    let store = Self.registry.open(StoreLocation(scheme: scheme, path: "\(folder.path)/\(name)"))
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

  @Test("an export replaces none of its files, nor takes the name of a table", arguments: directories)
  func exports(_ scheme: String) async throws {
    let store = try await store(scheme)
    let load = TableLoad("load", time: "", StoreSample.numbered, BufferedRowsFixture.empty(StoreSample.numbered))
    try await store.load(load)
    let root = folder.path + "/s", files = Self.files(root)
    #expect(files.count > 4)
    let suffixes = Self.directories + ["md", "db", "csv-metadata.json", "x.y"]
    for name in files + suffixes.map({ "/named.\($0)" }) + ["/.bb/history/new.csv", "/NAMED.csv"] {
      let problem = #expect(throws: Problem.self, "\(name)") { _ = try OutputFile.sink(root + name, replaces: true) }
      #expect(problem?.kind == .cannotCreate, "\(name)")
    }
    unsafe symlink("s/named.\(scheme)", folder.path + "/link")
    #expect(throws: Problem.self) { _ = try OutputFile.sink(folder.path + "/link", replaces: true) }
    for name in ["other.csv", "name.csv", "named2.\(scheme)"] {
      try await OutputFile.sink("\(root)/\(name)", replaces: true).abandon()
    }
    #expect(Self.files(root) == files)
  }

  @Test("a store of another kind is not made in its directory, nor below it", arguments: directories, durable)
  func inside(_ scheme: String, _ other: String) async throws {
    _ = try await store(scheme)
    let before = Self.files(folder.path)
    for path in other == scheme ? ["s/inner", "s/.bb/inner"] : ["s", "s/inner", "s/deep/er/inner"] {
      let location = StoreLocation(scheme: other, path: "\(folder.path)/\(path)")
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
    #expect(Self.files(folder.path) == before)
  }

  @Test("the manifest records the kind, and a bare path finds it", arguments: directories)
  func kind(_ scheme: String) async throws {
    _ = try await store(scheme)
    #expect(try folder.read("s/bb.json").hasPrefix("{\"format\": 2, \"storage\": \"\(scheme)\", "))
    try await folder.write("s/export.csv", "a\n1\n")
    try await folder.write("s/export.json", "[]")
    #expect(try Self.registry.location(folder.path + "/s").scheme == scheme)
  }

  @Test("a directory with hidden files only is empty; one with other files is only read", arguments: directories)
  func hidden(_ scheme: String) async throws {
    unsafe mkdir(folder.path + "/s", 0o700)
    unsafe mkdir(folder.path + "/s/.git", 0o700)
    try await folder.write("s/.gitignore", "x\n")
    _ = try await store(scheme)
    unsafe mkdir(folder.path + "/t", 0o700)
    try await folder.write("t/README.md", "x\n")
    let problem = await #expect(throws: Problem.self) { _ = try await store(scheme, "t") }
    #expect(problem?.kind == .permission)
    #expect(Self.files(folder.path + "/t").filter { !$0.hasPrefix("/.bb/") } == ["/README.md"])
  }

  @Test("a newer format is refused and not changed", arguments: directories)
  func newer(_ scheme: String) async throws {
    let store = try await store(scheme)
    try await folder.write("s/bb.json", "{\"format\": 3, \"storage\": \"\(scheme)\", \"datasets\": {}}")
    let read = await #expect(throws: Problem.self) { _ = try await store.tables() }
    let written = await #expect(throws: Problem.self) { try await store.apply(Self.change("", 2)) }
    #expect(read?.kind == .configuration && written?.kind == .configuration)
  }

  @Test("what a later program of this format adds to a table stays", arguments: directories)
  func others(_ scheme: String) async throws {
    let store = try await store(scheme)
    let text = try folder.read("s/bb.json")
    let named = try #require(text.firstRange(of: "\"named\": {"))
    let added = text[..<named.upperBound] + "\"cursor\":{\"after\":[1,\"x\"]}," + text[named.upperBound...]
    try await folder.write("s/bb.json", String(added))
    try await store.apply(Self.change("second", 2))
    try await store.apply(StoreChange("third", time: "", [TableChange(StoreSample.wide, upserts: StoreSample.hostile)]))
    #expect(try folder.read("s/bb.json").contains("\"cursor\":{\"after\":[1,\"x\"]}"))
  }
}

enum BufferedRowsFixture {
  static func empty(_ schema: Schema) -> any RowStream { BufferedRows(schema: schema, batches: []) }
}
