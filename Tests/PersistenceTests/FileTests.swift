import Dispatch
import Domain
import Glibc
@testable import Persistence
import Rows
import Synchronization
import Testing

/// A directory that is deleted with its test.
final class Folder: Sendable {
  let path: String
  init() {
    path = "/tmp/bb-test-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    unsafe mkdir(path, 0o700)
  }
  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    for name in names(path) { remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }
  /// Every name in it, sorted.
  func names() -> [String] { Self.names(path) }

  static func names(_ path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
  func read(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
  func bytes(_ name: String) throws -> [UInt8] {
    let source = try FileByteSource(path: "\(path)/\(name)")
    var bytes = ArenaBuilder()
    while try source.read(into: &bytes, limit: 4096) > 0 {}
    return bytes.bytes
  }
  func write(_ name: String, _ text: String) async throws {
    let sink = try FileSink(path: "\(path)/\(name)")
    try await sink.write(Self.buffer(text))
    try await sink.commit()
  }
  static func buffer(_ text: String) -> ByteBuffer {
    var bytes = ByteBuffer()
    bytes.append(bytes: Array(text.utf8))
    return bytes
  }
  func mode(_ name: String) -> UInt32 {
    var status = stat()
    _ = unsafe stat("\(path)/\(name)", &status)
    return status.st_mode & 0o7777
  }
}

@Suite("files", .serialized) struct FileTests {
  let folder = Folder()

  @Test("a file appears only when it is complete, and an abandoned one leaves nothing") func whole() async throws {
    try await folder.write("a", "old")
    let sink = try FileSink(path: folder.path + "/a")
    try await sink.write(Folder.buffer("new"))
    #expect(try folder.read("a") == "old")
    #expect(folder.names().count == 2)
    try await sink.commit()
    #expect(try folder.read("a") == "new")
    let other = try FileSink(path: folder.path + "/a")
    try await other.write(Folder.buffer("lost"))
    await other.abandon()
    #expect(try folder.read("a") == "new")
    #expect(folder.names() == ["a"])
  }
  @Test("a sink that is dropped removes its temporary") func dropped() async throws {
    do { _ = try FileSink(path: folder.path + "/a") }
    #expect(folder.names() == [])
  }
  /// In a process of its own: the temporaries of all tests would go.
  @Test("a sink that is interrupted removes its temporary") func interrupted() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let folder = Folder()
      let sink = try FileSink(path: folder.path + "/a")
      Temporaries.removeAll()
      let names = folder.names()
      await sink.abandon()
      exit(names == [] ? 3 : 4)
    }
  }
  /// In a process of its own, that is not root: nothing is forbidden to root.
  @Test("what must not be written or read is refused as that: a file, a database") func forbidden() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let folder = Folder()
      try await folder.write("a", "old")
      try await SQLiteStore(path: folder.path + "/n.db").load(
        TableLoad("t", time: "", Catalog.places, BufferedRows(schema: Catalog.places, batches: [])))
      for (name, mode) in [("a", mode_t(0o444)), ("n.db", 0), ("", 0o777)] {
        _ = unsafe chmod(folder.path + "/" + name, mode)
        if geteuid() == 0 { _ = unsafe chown(folder.path + "/" + name, 65534, 65534) }
      }
      if geteuid() == 0 { _ = setuid(65534) }
      var kinds: [Problem.Kind] = []
      do throws(Problem) { _ = try FileSink(path: folder.path + "/a") } catch { kinds.append(error.kind) }
      do throws(Problem) { _ = try SQLiteDatabase(path: folder.path + "/n.db").tables() } catch {
        kinds.append(error.kind)
      }
      let kept = try folder.read("a")
      exit(kinds == [.permission, .permission] && kept == "old" ? 3 : 4)
    }
  }
  @Test("a name of 255 bytes can be written, a longer one not") func longName() async throws {
    let name = String(repeating: "é", count: 127) + "x"
    try await folder.write(name, "whole")
    #expect(try folder.read(name) == "whole" && folder.names() == [name])
    let problem = #expect(throws: Problem.self) { try FileSink(path: folder.path + "/y" + name) }
    #expect(problem?.kind == .cannotCreate && problem?.message == "file name too long")
  }
  @Test("a file under a file cannot be created") func underAFile() async throws {
    try await folder.write("a", "")
    let problem = #expect(throws: Problem.self) { try FileSink(path: folder.path + "/a/b") }
    #expect(problem?.kind == .cannotCreate && problem?.message == "no such directory")
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
    try await folder.write("a", "1")
    unsafe chmod(folder.path + "/a", 0o640)
    try await folder.write("a", "2")
    #expect(folder.mode("a") == 0o640)
  }
  @Test("a symbolic link stays, its target is replaced") func link() async throws {
    try await folder.write("target", "1")
    unsafe symlink("target", folder.path + "/link")
    try await folder.write("link", "2")
    #expect(try folder.read("target") == "2")
    var status = stat()
    _ = unsafe lstat(folder.path + "/link", &status)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
  }
  @Test("circular links, directories and pipes are refused") func refused() {
    unsafe symlink("loop", folder.path + "/loop")
    unsafe mkfifo(folder.path + "/pipe", 0o600)
    for name in ["loop", "pipe", ""] {
      let problem = #expect(throws: Problem.self) { try FileSink(path: folder.path + "/" + name) }
      #expect(problem?.kind == .cannotCreate)
    }
    let problem = #expect(throws: Problem.self) { try FileSink(path: folder.path + "/none/a") }
    #expect(problem?.kind == .cannotCreate)
  }
  @Test("--no-clobber keeps an existing file") func noClobber() async throws {
    try await folder.write("a", "old")
    let problem = #expect(throws: Problem.self) { try FileSink(path: folder.path + "/a", replaces: false) }
    #expect(problem?.kind == .cannotCreate)
    #expect(try folder.read("a") == "old")
  }
  @Test("a full device has its own error") func full() async throws {
    let sink = try DescriptorSink(device: "/dev/full")
    let problem = await #expect(throws: Problem.self) { try await sink.write(Folder.buffer("x")) }
    #expect(problem?.kind == .io && problem?.message.contains("no space left") == true)
    #expect(DescriptorSink.isDevice("/dev/full") && !DescriptorSink.isDevice("/tmp"))
  }
  @Test("missing files and directories have their own errors") func missing() {
    #expect(#expect(throws: Problem.self) { try FileByteSource(path: folder.path + "/none") }?.kind == .noInput)
    #expect(#expect(throws: Problem.self) { try FileByteSource(path: folder.path) }?.kind == .badData)
  }
  @Test("a spill buffer returns every batch, from memory and from its file", arguments: [0, 1 << 20, 1 << 30])
  func spool(limit: Int) async throws {
    let schema = Schema("t", columns: [ColumnDescription("a", .integer), ColumnDescription("b", .text)])
    let spool = SpillBuffer(schema: schema, scratch: TemporaryScratch(directory: "/tmp"), memoryLimit: limit)
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
      MemoryByteSource("abc", name: "standard input"), scratch: TemporaryScratch(directory: "/tmp"))
    for source in [source, try #require(try source.reopened())] {
      var bytes = ArenaBuilder()
      #expect(try source.read(into: &bytes, limit: 10) == 3)
      #expect(try source.read(into: &bytes, limit: 10) == 0)
    }
  }
  @Test("directories follow the environment; relative ones are ignored") func directories() {
    #expect(Directories(["HOME": "/h"]).cache == "/h/.cache/bb")
    #expect(Directories(["HOME": "/h", "XDG_CACHE_HOME": "/c"]).cache == "/c/bb")
    #expect(Directories(["HOME": "/h", "XDG_DATA_HOME": "rel"]).data == "/h/.local/share/bb")
    #expect(Directories(["HOME": "/"]).cache == "/.cache/bb")
    let registered = unsafe getpwuid(getuid()).flatMap { unsafe String(cString: $0.pointee.pw_dir) } ?? ""
    for variables in [[:], ["HOME": ""], ["HOME": "h"]] {
      #expect(Directories(variables).cache == (registered == "/" ? "" : registered) + "/.cache/bb")
    }
  }
}
