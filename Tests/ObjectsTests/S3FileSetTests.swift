import Domain
import Rows
import Synchronization
import Testing

@testable import Objects

@Suite("partitions in S3") struct S3FileSetTests {
  private static let url = "s3://box/out/show={show}/part-{n}.csv"
  private static let schema = Schema("t", columns: [])

  /// Writes a small object for each of `shows`.
  private func write(
    _ shows: [String], _ server: MemoryS3, _ existing: ExistingFiles, isPublished: Bool = true
  ) async throws {
    guard let pattern = try PathPattern(Self.url) else { return }
    let set = try S3FileSet(try server.storage(), pattern, existing: existing)
    var files: [PartitionFile] = []
    do {
      for show in shows {
        let values = [PartitionValue(column: "show", text: Array(show.utf8))]
        var number = 0, path = try pattern.path(values, number: 0, date: "")
        while try await !set.isFree(path) {
          number += 1
          path = try pattern.path(values, number: number, date: "")
        }
        let sink = try set.sink(path)
        var buffer = ByteBuffer()
        buffer.append(bytes: Array(show.utf8))
        try await sink.write(buffer)
        try await sink.commit()
        files.append(PartitionFile(path: path, values: values))
      }
      #expect(!server.objects.keys.contains { key in files.contains { $0.path.hasSuffix(key) } } || existing != .append)
      if isPublished { _ = try await set.publish(files, of: Self.schema) { _, _ in nil } } else { await set.abandon() }
    } catch {
      await set.abandon()
      throw error
    }
  }

  @Test("objects appear together, under escaped keys, and none before") func together() async throws {
    let server = MemoryS3()
    try await write(["a b", "x/y=z", "ü"], server, .refuse)
    #expect(
      server.objects.keys.sorted() == [
        "out/show=a b/part-0.csv", "out/show=x%2Fy%3Dz/part-0.csv", "out/show=ü/part-0.csv",
      ])
    #expect(server.uploads == 0)
    try await write(["c"], server, .append, isPublished: false)
    #expect(server.objects.count == 3 && server.uploads == 0)
  }

  @Test("earlier objects") func existing() async throws {
    let server = MemoryS3(pageSize: 1)
    try await write(["a", "b"], server, .refuse)
    await #expect(throws: Problem.self) { try await write(["c"], server, .refuse) }
    #expect(server.objects.count == 2 && server.uploads == 0)
    try await write(["a"], server, .append)
    #expect(server.objects["out/show=a/part-1.csv"] != nil && server.objects.count == 3)
    try await write(["a"], server, .replacePartitions)
    #expect(server.objects.keys.sorted() == ["out/show=a/part-0.csv", "out/show=b/part-0.csv"])
    try await write(["c"], server, .replace)
    #expect(server.objects.keys.sorted() == ["out/show=c/part-0.csv"])
  }

  @Test("an export that was killed between two completions is completed by the next", arguments: 1...4)
  func interrupted(completions: Int) async throws {
    let isDead = Flag()
    let server = MemoryS3 { (request, _) throws(Problem) in
      let isCompletion = request.method == .post && request.url.contains("uploadId")
      if isDead.value || isCompletion && isDead.count() > completions {
        isDead.set(true)
        throw Problem(.unavailable, "killed")
      }
      return nil
    }
    await #expect(throws: Problem.self) { try await write(["a", "b", "c", "d", "e"], server, .refuse) }
    #expect(server.objects.count == completions + 1, "with the list")
    isDead.set(false)
    isDead.reset()
    let storage = try server.storage()
    await #expect { try await storage.objects(below: "out/") } throws: { ($0 as? Problem)?.kind == .busy }
    try await write(["f"], server, .append)
    #expect(server.objects.count == 6 && server.uploads == 0)
    #expect(try await storage.objects(below: "out/").count == 6)
  }

  @Test("a list that names other objects, or objects that were replaced since, changes nothing", arguments: 0...5)
  func foreignList(number: Int) async throws {
    let isDead = Flag()
    let server = MemoryS3 { (request, _) throws(Problem) in
      if isDead.value || request.method == .post && request.url.contains("uploadId") {
        isDead.set(true)
        throw Problem(.unavailable, "killed")
      }
      return nil
    }
    let storage = try server.storage(), list = "out/.bb-pending.json"
    for key in ["out/show=z/part-0.csv", "out/main.c"] { _ = try await storage.put([0], at: key, replaces: true) }
    await #expect(throws: Problem.self) { try await write(["a", "b"], server, .replace) }
    isDead.set(false)
    var text = String(decoding: server.objects[list] ?? [], as: UTF8.self)
    #expect(text.contains(#""removals":[["out/show=z/part-0.csv","#))
    switch number {
    case 0: text = text.replacing("out/show=z/part-0.csv", with: "out/main.c")
    case 1: text = text.replacing("out/show=b/part-0.csv", with: "out/main.c")
    case 2: text = text.replacing(#""bb":2"#, with: #""bb":1"#)
    case 3: text = text.replacing("s3://box/out/", with: "s3://box/")
    case 4: _ = try await storage.put([1, 2], at: "out/show=z/part-0.csv", replaces: true)
    default: text.removeLast(9)
    }
    _ = try await storage.put(Array(text.utf8), at: list, replaces: true)
    let before = server.objects
    await #expect { try await write(["c"], server, .append) } throws: { ($0 as? Problem)?.kind == .badData }
    #expect(server.objects == before)
  }

  @Test("objects below a prefix, and those that match a pattern") func reading() async throws {
    let server = MemoryS3(), storage = try server.storage()
    for key in ["d/a=1/x.csv", "d/a=2/x.csv", "d/_meta", "d/.h/x.csv", "d/", "e/x*.csv", "e/xy.csv"] {
      _ = try await storage.put([0], at: key, replaces: true)
    }
    #expect(try await storage.objects(below: "d/").map(\.key) == ["d/a=1/x.csv", "d/a=2/x.csv"])
    #expect(try await storage.objects(matching: "d/**/x.csv").map(\.key) == ["d/a=1/x.csv", "d/a=2/x.csv"])
    #expect(try await storage.objects(matching: "d/a=[2-9]/*").map(\.key) == ["d/a=2/x.csv"])
    #expect(try await storage.objects(matching: "e/x*.csv").map(\.key) == ["e/x*.csv"])
  }
}

/// Whether a server is dead, and how many completions it has seen.
private final class Flag: Sendable {
  private let state = Mutex((isSet: false, count: 0))
  var value: Bool { state.withLock { $0.isSet } }
  func set(_ value: Bool) { state.withLock { $0.isSet = value } }
  func reset() { state.withLock { $0.count = -1000 } }
  func count() -> Int {
    state.withLock {
      $0.count += 1
      return $0.count
    }
  }
}
