import Codecs
import Domain
import Glibc
import Persistence
import Rows
import TestSupport
import Testing

@Suite("Delta tables in directories") struct DeltaDirectoryTests {
  private let directory = TemporaryDirectory()
  private var path: String { "\(directory.path)/a/table" }
  private var table: DeltaDirectory { DeltaDirectory(path) }
  private let entry = "_delta_log/00000000000000000000.json"

  private func write(_ text: String, to sink: any ByteSink) async throws {
    var bytes = ByteBuffer(capacity: 16)
    bytes.append(bytes: Array(text.utf8))
    try await sink.write(bytes)
    try await sink.commit()
  }

  @Test("a file in place of the directory is refused") func file() async throws {
    try await directory.write("file", "x")
    do throws(Problem) {
      _ = try DeltaDirectory("\(directory.path)/file").logFiles(from: "")
      Issue.record("a file has no log")
    } catch {
      #expect(error.kind == .badData && error.message == "is a file, not a directory")
    }
  }

  @Test("of two entries of one version, the first stays") func exclusive() async throws {
    #expect(try table.logFiles(from: "") == nil)
    #expect(try table.create(entry, Array("one".utf8)))
    #expect(try !table.create(entry, Array("two".utf8)))
    // The response to the same request was lost.
    #expect(try table.create(entry, Array("one".utf8)))
    #expect(try directory.read("a/table/\(entry)") == "one")
    #expect(try table.logFiles(from: "") == ["00000000000000000000.json"])
    #expect(try table.logFiles(from: "1") == [])
    #expect(try table.open(entry)?.length == 3)
    #expect(try table.open("none") == nil)
  }

  @Test("of many that create one entry at the same time, one succeeds") func race() async throws {
    let table = self.table, entry = self.entry
    let won = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<40 { group.addTask { (try? table.create(entry, Array("\(number)".utf8))) ?? false } }
      var won = 0
      for await result in group where result { won += 1 }
      return won
    }
    #expect(won == 1)
    #expect(TemporaryDirectory.names("\(path)/_delta_log") == ["00000000000000000000.json"])
  }

  @Test("data files are listed without hidden ones and symbolic links, and removed") func dataFiles() throws {
    for name in ["a.parquet", "p=1/b.parquet", "_delta_log/0.json", ".x", "p=1/_y", "other/z"] {
      _ = try table.create(name, [1, 2])
    }
    unsafe symlink("\(path)/other", "\(path)/link")
    unsafe symlink("\(path)/a.parquet", "\(path)/link.parquet")
    #expect(try table.dataFiles().map(\.key).sorted() == ["a.parquet", "other/z", "p=1/b.parquet"])
    #expect(try table.dataFiles().allSatisfy { $0.size == 2 && ($0.modified?.seconds ?? 0) > 1_700_000_000 })
    for _ in 1...2 { try table.remove("p=1/b.parquet") }
    #expect(try table.dataFiles().count == 2)
  }

  @Test("files have their names when they are flushed; an abandoned export leaves nothing") func files() async throws {
    let kept = table.newFiles()
    try await write("x", to: try kept.sink("p=1/a.parquet"))
    #expect(unsafe access(path + "/p=1/a.parquet", F_OK) != 0)
    try await kept.flush()
    await kept.keep()
    #expect(try directory.read("a/table/p=1/a.parquet") == "x")
    for isFlushed in [false, true] {
      let files = table.newFiles()
      try await write("y", to: try files.sink("p=1/b.parquet"))
      try await write("z", to: try files.sink("p=2/q=3/c.parquet"))
      if isFlushed { try await files.flush() }
      await files.abandon()
      #expect(TemporaryDirectory.names(path) == ["p=1"])
      #expect(TemporaryDirectory.names("\(path)/p=1") == ["a.parquet"])
    }
  }
}
