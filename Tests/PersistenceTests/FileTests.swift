import Dispatch
import Domain
import Files
import Glibc
@testable import Persistence
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("files", .serialized) struct FileTests {
  let directory = TemporaryDirectory()

  @Test("a file appears only when it is complete, and an abandoned one leaves nothing") func whole() async throws {
    try await directory.write("a", "old")
    let sink = try FileSink(path: directory.path + "/a")
    try await sink.write(TemporaryDirectory.buffer("new"))
    #expect(try directory.read("a") == "old")
    #expect(directory.names().count == 2)
    try await sink.commit()
    #expect(try directory.read("a") == "new")
    let other = try FileSink(path: directory.path + "/a")
    try await other.write(TemporaryDirectory.buffer("lost"))
    await other.abandon()
    #expect(try directory.read("a") == "new")
    #expect(directory.names() == ["a"])
  }
  @Test("a refresh token is known only to the server that issued it") func tokens() async throws {
    let tokens = SourceMemory(directory: directory.path + "/tokens"), origin = "https://a.example"
    try tokens.keep("S3CR3T", of: "shop", from: origin)
    #expect(try tokens.text(of: "shop", from: origin) == "S3CR3T")
    for other in ["https://b.example", "http://a.example", "https://a.example:8443", "https://a.example/", ""] {
      #expect(try tokens.text(of: "shop", from: other) == nil)
    }
    #expect(try tokens.text(of: "other", from: origin) == nil)
    // A file of an earlier version has no server.
    try await directory.write("tokens/shop", "S3CR3T")
    #expect(try tokens.text(of: "shop", from: origin) == "S3CR3T")
  }

  @Test("lines are new since they were last kept, and none before") func newLines() throws {
    let memory = SourceMemory(directory: directory.path)
    func new(_ lines: [String], kept: Bool) throws -> Set<String> {
      try memory.new(lines, of: "s", from: "https://a.example", isKept: kept)
    }
    #expect(try new(["/a"], kept: false) == [] && directory.names() == [])
    #expect(try new(["/a"], kept: true) == [])
    #expect(try new(["/a", "/b"], kept: false) == ["/b"] && new(["/b", "/c"], kept: true) == ["/b", "/c"])
    #expect(try new(["/a", "/c"], kept: true) == [])
  }

  @Test("a sink that is dropped removes its temporary") func dropped() async throws {
    do { _ = try FileSink(path: directory.path + "/a") }
    #expect(directory.names() == [])
  }
  /// In a process of its own: the temporaries of all tests would go.
  @Test("a sink that is interrupted removes its temporary") func interrupted() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let directory = TemporaryDirectory()
      let sink = try FileSink(path: directory.path + "/a")
      Temporaries.removeAll()
      let names = directory.names()
      await sink.abandon()
      exit(names == [] ? 3 : 4)
    }
  }
  /// In a process of its own, that is not root: nothing is forbidden to root.
  @Test("a file and a database that the user may not read or write are refused") func forbidden() async {
    let directory = TemporaryDirectory()
    await #expect(processExitsWith: .exitCode(3)) { [directory = directory as TemporaryDirectory] in
      try await directory.write("a", "old")
      try await SQLiteStore(path: directory.path + "/n.db").load(
        TableLoad("t", time: "", Catalog.places, BufferedRows(schema: Catalog.places, batches: [])))
      for (name, mode) in [("a", mode_t(0o444)), ("n.db", 0), ("", 0o777)] {
        _ = unsafe chmod(directory.path + "/" + name, mode)
        if geteuid() == 0 { _ = unsafe chown(directory.path + "/" + name, 65534, 65534) }
      }
      if geteuid() == 0 { _ = setuid(65534) }
      var kinds: [Problem.Kind] = []
      do throws(Problem) { _ = try FileSink(path: directory.path + "/a") } catch { kinds.append(error.kind) }
      do throws(Problem) { _ = try SQLiteDatabase(path: directory.path + "/n.db").tables() } catch {
        kinds.append(error.kind)
      }
      let kept = try directory.read("a")
      exit(kinds == [.permission, .permission] && kept == "old" ? 3 : 4)
    }
  }
  @Test("a name of 255 bytes can be written, a longer one not") func longName() async throws {
    let name = String(repeating: "é", count: 127) + "x"
    try await directory.write(name, "whole")
    #expect(try directory.read(name) == "whole" && directory.names() == [name])
    let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/y" + name) }
    #expect(problem?.kind == .cannotCreate && problem?.message == "file name too long")
  }
  @Test("a file under a file cannot be created") func underAFile() async throws {
    try await directory.write("a", "")
    let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/a/b") }
    #expect(problem?.kind == .cannotCreate && problem?.message == "is not a directory")
  }
  @Test("a pipe that does not block gets every byte") func nonBlocking() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1]), bytes = [UInt8](repeating: 7, count: 300_000)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }  // Else a child of another test keeps the pipe open.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    // A thread of its own: those of tasks may all wait in tests like this one.
    let reader = DispatchQueue(label: "reader"), total = Mutex(0)
    reader.async {
      var room = [UInt8](repeating: 0, count: 4096)
      while case let count = unsafe read(reading, &room, 4096), count > 0 { total.withLock { $0 += count } }
    }
    try unsafe writeAll(bytes.span.bytes, to: writing, place: "pipe")
    close(writing)
    reader.sync {}
    #expect(total.withLock { $0 } == bytes.count)
    close(reading)
  }
  @Test("an existing file keeps its mode") func mode() async throws {
    try await directory.write("a", "1")
    unsafe chmod(directory.path + "/a", 0o640)
    try await directory.write("a", "2")
    #expect(directory.mode("a") == 0o640)
  }
  @Test("a symbolic link stays, its target is replaced") func link() async throws {
    try await directory.write("target", "1")
    unsafe symlink("target", directory.path + "/link")
    let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/link") }
    #expect(problem?.kind == .cannotCreate)
    let sink = try FileSink(path: directory.path + "/link", follows: true)
    try await sink.write(TemporaryDirectory.buffer("2"))
    try await sink.commit()
    #expect(try directory.read("target") == "2")
    var status = stat()
    _ = unsafe lstat(directory.path + "/link", &status)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
  }
  @Test("circular links, directories and pipes are refused") func refused() {
    unsafe symlink("loop", directory.path + "/loop")
    unsafe mkfifo(directory.path + "/pipe", 0o600)
    for name in ["loop", "pipe", ""] {
      let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/" + name) }
      #expect(problem?.kind == .cannotCreate)
    }
    let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/none/a") }
    #expect(problem?.kind == .cannotCreate)
  }
  @Test("--no-clobber keeps an existing file") func noClobber() async throws {
    try await directory.write("a", "old")
    let problem = #expect(throws: Problem.self) { try FileSink(path: directory.path + "/a", replaces: false) }
    #expect(problem?.kind == .cannotCreate)
    #expect(try directory.read("a") == "old")
  }
  @Test("a full device has its own error") func full() async throws {
    let sink = try DescriptorSink(device: "/dev/full")
    let problem = await #expect(throws: Problem.self) { try await sink.write(TemporaryDirectory.buffer("x")) }
    #expect(problem?.kind == .io && problem?.message.contains("no space left") == true)
    #expect(DescriptorSink.isDevice("/dev/full") && !DescriptorSink.isDevice("/"))
  }
  @Test("a file that is cut while it is read is not read as a shorter one") func cut() async throws {
    let path = directory.path + "/cut"
    try await directory.write("cut", "123456")
    let source = try FileByteSource(path: path)
    var bytes = ArenaBuilder()
    #expect(try source.read(into: &bytes, limit: 4) == 4)
    #expect(unsafe truncate(path, 3) == 0)
    #expect(#expect(throws: Problem.self) { try source.read(into: &bytes, limit: 4) }?.kind == .busy)
  }
  @Test("missing files and directories have their own errors") func missing() {
    #expect(#expect(throws: Problem.self) { try FileByteSource(path: directory.path + "/none") }?.kind == .noInput)
    #expect(#expect(throws: Problem.self) { try FileByteSource(path: directory.path) }?.kind == .badData)
  }
  @Test("a spill buffer returns every batch, from memory and from its file", arguments: [0, 1 << 20, 1 << 30])
  func spool(limit: Int) async throws {
    let schema = Schema("t", columns: [ColumnDescription("a", .integer), ColumnDescription("b", .text)])
    let spool = SpillBuffer(schema: schema, scratch: TemporaryDirectory.scratch, memoryLimit: limit)
    for start in 0..<10 {
      var builder = RowBatchBuilder(width: 2)
      for row in 0..<50 {
        builder.append(integer: Int64(start * 50 + row))
        builder.append(text: String(repeating: "x", count: row))
      }
      try spool.append(builder.finish())
    }
    for _ in 0..<2 {
      let batches = try await spool.stream().collect()
      let values = batches.flatMap { batch in (0..<batch.count).map { [batch.value($0, 0), batch.value($0, 1)] } }
      #expect(values.count == 500 && spool.count == 500)
      for (row, value) in values.enumerated() {
        #expect(value == [.integer(Int64(row)), .text(String(repeating: "x", count: row % 50))])
      }
    }
  }
  @Test("a pipe that was spooled can be read again") func spooled() throws {
    let source = try SpooledByteSource(
      MemoryByteSource("abc", name: "standard input"), scratch: TemporaryDirectory.scratch)
    for source in [source, try #require(try source.reopened())] {
      var bytes = ArenaBuilder()
      #expect(try source.read(into: &bytes, limit: 10) == 3)
      #expect(try source.read(into: &bytes, limit: 10) == 0)
    }
  }
}
