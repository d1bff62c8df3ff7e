import CSystem
import Domain
import Files
import Glibc
@testable import Persistence
import Rows
import TestSupport
import Testing

@Suite("Nothing is trusted by its name") struct BeneathTests {
  private let directory = TemporaryDirectory()
  fileprivate var root: String { "\(directory.path)/out" }
  private var pattern: PathPattern {
    get throws { try #require(try PathPattern("\(root)/k={k}/x.csv")) }
  }

  init() async throws {
    for name in ["", "/k=1", "/k=2", "/d", "/d/e"] { unsafe mkdir(root + name, 0o755) }
    unsafe mkdir(directory.path + "/v", 0o755)
    try await directory.write("v/id", "precious")
    try await directory.write("out/d/e/file", "1")
    try await directory.write("out/k=2/x.csv", "old")
    unsafe symlink("../v", root + "/l")
    unsafe symlink("../v/id", root + "/f")
    unsafe symlink("loop", root + "/loop")
    unsafe mkfifo(root + "/pipe", 0o600)
  }

  private func refusal(_ body: () throws(Problem) -> Void) -> Problem? {
    do throws(Problem) { try body() } catch { return error }
    return nil
  }

  @Test("a path below a directory follows no link and does not leave it, with and without openat2")
  func opens() {
    let cases: [(path: String, code: Int32)] = [
      ("d/e/file", 0), ("./d//e/./file", 0), ("d", 0), ("pipe", 0), ("none", ENOENT), ("d/none/x", ENOENT),
      ("l", ELOOP),
      ("l/id", ELOOP), ("f", ELOOP), ("loop", ELOOP), ("d/../f", ELOOP), ("../v/id", EXDEV), ("/etc/passwd", EXDEV),
      ("d/e/file/x", ENOTDIR), (String(repeating: "x", count: 256), ENAMETOOLONG),
    ]
    for (path, code) in cases {
      for isPortable in [false, true] {
        let flags = BB_O_PATH
        let descriptor =
          unsafe isPortable ? bb_open_each_beneath(root, path, flags) : bb_open_beneath(root, path, flags)
        let found = descriptor >= 0 ? 0 : errno
        if descriptor >= 0 { close(descriptor) }
        // Without openat2 a way up is refused even if it does not leave the directory.
        #expect(found == (isPortable && path.contains("d/..") ? EXDEV : code), "\(path) \(isPortable)")
      }
    }
  }

  // MARK: - Lists of changes

  /// Exports a file for each value of `k`.
  private func export(_ values: [String], _ existing: ExistingFiles = .append) async throws {
    let set = try StagedFiles(try pattern, existing: existing)
    var files: [PartitionFile] = []
    for value in values {
      let path = try pattern.path([PartitionValue(column: "k", text: Array(value.utf8))], number: 0, date: "")
      let sink = try set.sink(path)
      try await sink.write(TemporaryDirectory.buffer("new \(value)"))
      try await sink.commit()
      files.append(PartitionFile(path: path, values: [PartitionValue(column: "k", text: Array(value.utf8))]))
    }
    _ = try await set.publish(files, of: Schema("t", columns: [])) { _, _ in nil }
  }

  /// Leaves what an export leaves that is killed before its first rename: it replaces `k=2` by `k=1` and `k=3`.
  private func kill() async throws {
    var entries: [PendingChanges.Entry] = []
    for value in ["1", "3"] {
      unsafe mkdir("\(root)/k=\(value)", 0o755)
      let temporary = Temporaries.name(beside: "\(root)/k=\(value)/x.csv"), name = Temporaries.split(temporary).name
      try await directory.write("out/k=\(value)/\(name)", "new \(value)")
      let file = try #require(try FileStamp.now(at: temporary))
      entries.append(PendingChanges.Entry(from: name, path: "k=\(value)/x.csv", file: file))
    }
    let file = try #require(try FileStamp.now(at: root + "/k=2/x.csv"))
    _ = try PendingChanges(entries + [PendingChanges.Entry(from: nil, path: "k=2/x.csv", file: file)], of: try pattern)
  }

  fileprivate var list: String { root + "/.bb-pending.json" }

  @Test("a killed export is completed, and its list is removed") func completed() async throws {
    try await kill()
    #expect(directory.mode("out/.bb-pending.json") == 0o600)
    let text = try directory.read("out/.bb-pending.json")
    #expect(text.contains(#""bb":2,"pattern":"k={k}/x.csv""#) && text.contains(#""remove":"k=2/x.csv""#))
    try await export(["4"])
    #expect(try directory.read("out/k=1/x.csv") == "new 1" && directory.read("out/k=4/x.csv") == "new 4")
    #expect(unsafe access(root + "/k=2/x.csv", F_OK) != 0 && access(list, F_OK) != 0)
    #expect(TemporaryDirectory.names(root + "/k=3") == ["x.csv"])
  }

  @Test("a list of bb that was partly applied is completed as well") func begun() async throws {
    try await kill()
    let temporary = try #require(TemporaryDirectory.names(root + "/k=1").first)
    unsafe rename("\(root)/k=1/\(temporary)", root + "/k=1/x.csv")
    unsafe unlink(root + "/k=2/x.csv")
    try await export(["4"])
    #expect(try directory.read("out/k=1/x.csv") == "new 1" && directory.read("out/k=3/x.csv") == "new 3")
  }

  @Test("a list that bb did not write for these files changes nothing") func foreignLists() async throws {
    let changes: [(String, Problem.Kind, (Self) throws -> Void)] = [
      ("mode", .badData, { unsafe chmod($0.list, 0o644) }),
      ("directory that others can write to", .badData, { unsafe chmod($0.root, 0o777) }),
      (
        "link", .cannotCreate,
        {
          unsafe rename($0.list, $0.root + "/list"); unsafe symlink("list", $0.list)
        }
      ),
      (
        "pipe", .cannotCreate,
        {
          unsafe unlink($0.list); unsafe mkfifo($0.list, 0o600)
        }
      ),
      (
        "other file", .badData,
        { test in
          let name = try #require(TemporaryDirectory.names(test.root + "/k=1").first)
          unsafe rename("\(test.root)/k=2/x.csv", "\(test.root)/k=1/\(name)")
        }
      ),
      (
        "link above", .cannotCreate,
        {
          unsafe rename($0.root + "/k=1", $0.root + "/k"); unsafe symlink("k", $0.root + "/k=1")
        }
      ),
      ("target is a link", .cannotCreate, { unsafe symlink("../../v/id", $0.root + "/k=1/x.csv") }),
      ("way up", .badData, { try $0.rewrite(#""k=2/x.csv""#, #""../v/id""#) }),
      ("not of the pattern", .badData, { try $0.rewrite(#""k=2/x.csv""#, #""d/e/file""#) }),
      ("hidden", .badData, { try $0.rewrite(#""k=2/x.csv""#, #""k=2/.x.csv""#) }),
      ("not a temporary name", .badData, { try $0.rewrite(#"".x.csv.tmp."#, #"".y.csv.tmp."#) }),
      ("size", .badData, { try $0.rewrite(#""size":3"#, #""size":4"#) }),
      ("version", .badData, { try $0.rewrite(#""bb":2"#, #""bb":1"#) }),
      ("cut", .badData, { try $0.rewrite(#""entries""#, #""entries"#) }),
    ]
    for (name, kind, change) in changes {
      let test = try await BeneathTests()
      try await test.kill()
      try change(test)
      let before = test.digest()
      let problem = await #expect(throws: Problem.self, "\(name)") { try await test.export(["4"]) }
      #expect(problem?.kind == kind, "\(name): \(problem.map { "\($0)" } ?? "")")
      #expect(test.digest() == before, "\(name)")
    }
  }

  fileprivate func rewrite(_ old: String, _ new: String) throws {
    let text = try directory.read("out/.bb-pending.json")
    #expect(text.contains(old), "\(old)")
    let descriptor = unsafe open(list, O_WRONLY | O_TRUNC)
    defer { close(descriptor) }
    try writeAll(Array(text.replacing(old, with: new).utf8), to: descriptor, place: list)
  }

  /// Every name below the directory, and the sizes of files.
  private func digest(_ below: String = "") -> [String] {
    TemporaryDirectory.names(directory.path + below).flatMap { name in
      let path = "\(below)/\(name)", status = RegularFile.status(directory.path + path, follows: false)
      let isDirectory = status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
      return isDirectory ? [path] + digest(path) : ["\(path) \(status?.st_size ?? 0)"]
    }
  }

  @Test("an export waits for the list of a living process, and its lock goes with it") func living() async throws {
    try await kill()
    let descriptor = unsafe open(list, O_RDWR)
    #expect(bb_lock_exclusive(descriptor) == 0)
    let waiting = Task { try await export(["4"]) }
    try await Task.sleep(for: .milliseconds(200))
    #expect(unsafe access(list, F_OK) == 0 && access(root + "/k=1/x.csv", F_OK) != 0)
    close(descriptor)
    try await waiting.value
    #expect(try directory.read("out/k=1/x.csv") == "new 1" && directory.read("out/k=4/x.csv") == "new 4")
  }

  @Test("an export writes through no link below its directory") func exports() async throws {
    unsafe symlink("../v", root + "/k=5")
    unsafe mkdir(root + "/k=6", 0o755)
    unsafe symlink("../../v/id", root + "/k=6/x.csv")
    for value in ["5", "6"] {
      for existing in [ExistingFiles.append, .replace, .replacePartitions] {
        let problem = await #expect(throws: Problem.self) { try await export(["1", value], existing) }
        #expect(problem?.kind == .cannotCreate, "\(value)")
      }
    }
    let problem = await #expect(throws: Problem.self) { try await export(["1"], .replace) }
    #expect(problem?.kind == .cannotCreate)
    #expect(TemporaryDirectory.names(directory.path + "/v") == ["id"])
    #expect(try directory.read("v/id") == "precious")
  }

  // MARK: - Stores

  @Test("outputs are not written inside a store") func insideStores() async throws {
    let store = DirectoryStore(directory.path + "/s", .csv, scratch: TemporaryDirectory.scratch)
    try await store.apply(
      StoreChange("first", time: "", [TableChange(StoreSampleTable.schema, upserts: [[.text("a")]])]))
    let before = digest()
    for name in ["u", "a/b", ".bb/x", "."] {
      let place = "\(directory.path)/s/\(name)"
      let delta = refusal { () throws(Problem) in _ = try DeltaDirectory(place).create("_delta_log/0.json", [1]) }
      let site = refusal { () throws(Problem) in
        _ = try StagedDirectory(path: place + "/site", list: "list.json", replaces: true)
      }
      let file = refusal { () throws(Problem) in _ = try OutputFile.sink(place + "/u/x.csv", replaces: true) }
      for problem in [delta, site, file] { #expect(problem?.kind == .cannotCreate, "\(name)") }
    }
    let pattern = try #require(try PathPattern("\(directory.path)/s/{a}/notes.csv"))
    let set = try StagedFiles(pattern, existing: .append)
    #expect(
      refusal { () throws(Problem) in _ = try set.sink("\(directory.path)/s/1/notes.csv") }?.kind == .cannotCreate)
    #expect(digest() == before)
  }

  @Test("a store writes through no link", arguments: ["t.csv", "bb.json", ".gitattributes", ".bb", ".bb/history"])
  func links(_ name: String) async throws {
    let path = directory.path + "/s", store = DirectoryStore(path, .csv, scratch: TemporaryDirectory.scratch)
    try await store.apply(
      StoreChange("first", time: "", [TableChange(StoreSampleTable.schema, upserts: [[.text("a")]])]))
    for target in [directory.path + "/v/new", directory.path + "/v/moved"] {
      if target.hasSuffix("moved") {
        unsafe unlink("\(path)/\(name)")
        unsafe rename(directory.path + "/kept", target)
      } else {
        unsafe rename("\(path)/\(name)", directory.path + "/kept")
      }
      unsafe symlink(target, "\(path)/\(name)")
      let before = digest()
      var problem: Problem?
      do throws(Problem) {
        try await store.apply(
          StoreChange("second", time: "", [TableChange(StoreSampleTable.schema, upserts: [[.text("b")]])]))
      } catch { problem = error }
      // One that exists is not written.
      let isRefused = problem.map { [.cannotCreate, .badData].contains($0.kind) } ?? false
      #expect(isRefused || name == ".gitattributes" && target.hasSuffix("moved"), "\(name): \(problem?.message ?? "")")
      #expect(digest().filter { !$0.hasPrefix("/s/") } == before.filter { !$0.hasPrefix("/s/") }, "\(name)")
    }
  }
}

private enum StoreSampleTable {
  static let schema = Schema("t", key: ["a"], columns: [ColumnDescription("a", .text, nullable: false, "")])
}
