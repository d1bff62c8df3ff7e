import Domain
import Rows
import Synchronization
import Testing

@testable import Objects

@Suite("Delta tables in S3") struct S3DeltaTableTests {
  private func table(_ server: MemoryS3, _ key: String = "lake/t") throws -> S3DeltaTable {
    S3DeltaTable(try server.storage(), S3Location(bucket: "box", key: key)) { (_, _) throws(Problem) in nil }
  }

  @Test("the log in pages, from an entry on", arguments: ["lake/t", ""]) func log(key: String) async throws {
    let server = MemoryS3(pageSize: 2), table = try table(server, key)
    #expect(try await table.logFiles(from: "") == nil)
    let names = (0..<7).map { "0000000000000000000\($0).json" }
    for name in names { #expect(try await table.create("_delta_log/\(name)", [1])) }
    #expect(try await table.create("_delta_log/_sidecars/x.parquet", [1]))
    #expect(try await table.logFiles(from: "") == names)
    #expect(try await table.logFiles(from: names[5]) == Array(names[5...]))
    #expect(try await table.open("_delta_log/\(names[0])")?.length == 1)
    #expect(try await table.open("_delta_log/absent.json") == nil)
  }

  @Test("checkpoints are replaced, and read by many at a time: without the cache of downloads") func checkpoint()
    async throws
  {
    let server = MemoryS3(), table = try table(server), path = "_delta_log/00000000000000000010.checkpoint.parquet"
    try await table.replace(path, [1])
    try await table.replace(path, [1, 2])
    #expect(try await table.open(path)?.length == 2)
  }

  @Test("files are requested several at a time, those of the log once") func prepared() async throws {
    let server = MemoryS3(), busy = Mutex((now: 0, most: 0))
    let table = S3DeltaTable(try server.storage(), S3Location(bucket: "box", key: "t")) { (_, size) throws(Problem) in
      busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      try? await Task.sleep(for: .milliseconds(size ?? 0))
      busy.withLock { $0.now -= 1 }
      return nil
    }
    let names = (0..<9).map { "_delta_log/0000000000000000000\($0).json" }
    for name in names { #expect(try await table.create(name, Array(name.utf8))) }
    _ = try await table.logFiles(from: "")
    server.state.withLock { $0.requests = [] }
    try await table.prepare(names.map { ($0, nil) })
    for name in names { #expect(try await table.open(name)?.length == name.utf8.count) }
    #expect(server.log.count == names.count && server.log.allSatisfy { $0.hasPrefix("GET") })
    try await table.prepare((0..<20).map { ("part-\($0).parquet", 30) })
    #expect(busy.withLock { $0.most } >= 8)
  }

  @Test("an entry is created once") func exclusive() async throws {
    let server = MemoryS3(), table = try table(server)
    let created = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 as Range<UInt8> {
        group.addTask { (try? await table.create("_delta_log/0.json", [number])) ?? false }
      }
      return await group.reduce(into: 0) { count, isCreated in if isCreated { count += 1 } }
    }
    #expect(created == 1)
  }

  @Test("data files that are given up are removed") func abandoned() async throws {
    let server = MemoryS3(), files = try table(server).newFiles()
    for name in ["a=1/x.parquet", "y.parquet"] {
      let sink = try files.sink(name)
      var buffer = ByteBuffer()
      buffer.append(bytes: [1, 2, 3])
      try await sink.write(buffer)
      if name.hasPrefix("a") { try await sink.commit() }
    }
    #expect(server.objects.keys.sorted() == ["lake/t/a=1/x.parquet"])
    await files.abandon()
    #expect(server.objects.isEmpty && server.uploads == 0)
  }
}
