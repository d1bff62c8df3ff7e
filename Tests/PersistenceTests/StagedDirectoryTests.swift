import Files
import Glibc
@testable import Persistence
import Rows
import TestSupport
import Testing

@Suite("Staged directories") struct StagedDirectoryTests {
  private let directory = TemporaryDirectory()
  private var path: String { "\(directory.path)/site" }

  private func publish(_ files: [String: String], to path: String) async throws(Problem) {
    let site = try StagedDirectory(path: path, list: "assets/site.json", replaces: true)
    for (name, text) in files { try site.write(Array(text.utf8), to: name) }
    try await site.commit()
  }
  private func refusal(_ body: () async throws(Problem) -> Void) async -> Problem? {
    do throws(Problem) { try await body() } catch { return error }
    return nil
  }

  @Test("nothing is seen before the commit, everything after it") func publishes() async throws {
    let site = try StagedDirectory(path: path, list: "assets/site.json", replaces: true)
    try site.write(Array("one".utf8), to: "index.html")
    try site.write(Array("two".utf8), to: "a/b/c.html")
    #expect(unsafe access(path, F_OK) != 0)
    #expect(site.bytes == 6)
    try await site.commit()
    #expect(directory.names() == ["site"])
    #expect(try directory.read("site/index.html") == "one" && directory.read("site/a/b/c.html") == "two")
    #expect(
      try directory.read("site/assets/site.json").contains(#""files":["a/b/c.html","index.html","assets/site.json"]"#))
  }

  @Test("a directory of bb is replaced with all of its files, and keeps its mode") func replaces() async throws {
    try await publish(["index.html": "old", "gone/x.html": "x"], to: path)
    unsafe chmod(path, 0o711)
    try await publish(["index.html": "new"], to: path + "/")
    #expect(directory.names() == ["site"])
    #expect(try directory.read("site/index.html") == "new")
    #expect(unsafe access(path + "/gone", F_OK) != 0)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o711)
  }

  @Test("an abandoned directory leaves nothing, and the earlier one stays") func abandons() async throws {
    try await publish(["index.html": "old"], to: path)
    let site = try StagedDirectory(path: path, list: "assets/site.json", replaces: true)
    try site.write(Array("new".utf8), to: "index.html")
    site.abandon()
    #expect(directory.names() == ["site"])
    #expect(try directory.read("site/index.html") == "old")
  }

  @Test("what bb did not make is refused and unchanged") func refuses() async throws {
    unsafe mkdir(path, 0o700)
    try await publish(["index.html": "in an empty directory"], to: path)
    let file = try FileSink(path: path + "/CNAME")
    try file.append(Array("mine".utf8))
    try await file.commit()
    var problem = await refusal { () async throws(Problem) in try await publish(["index.html": "new"], to: path) }
    #expect(problem?.kind == .cannotCreate && problem?.place == path + "/CNAME")
    #expect(try directory.read("site/CNAME") == "mine")
    unsafe unlink(path + "/CNAME")
    unsafe symlink("/etc", path + "/link")
    problem = await refusal { () async throws(Problem) in try await publish(["index.html": "new"], to: path) }
    #expect(problem?.place == path + "/link")
    unsafe unlink(path + "/link")
    unsafe unlink(path + "/assets/site.json")
    problem = await refusal { () async throws(Problem) in try await publish(["index.html": "new"], to: path) }
    #expect(problem?.message == "refusing to replace a directory that bb did not create")
    #expect(try directory.read("site/index.html") == "in an empty directory")
    for place in ["/", ".", "..", directory.path + "/none/site", "/dev/null"] {
      let problem = await refusal { () async throws(Problem) in try await publish([:], to: place) }
      #expect(problem?.kind == .cannotCreate, "\(place)")
    }
    #expect(directory.names() == ["site"])
  }

  @Test("a list that names files elsewhere is none of bb") func hostileList() async throws {
    try await publish(["index.html": "x"], to: path)
    try await directory.write("victim", "precious")
    unsafe symlink("..", path + "/link")
    for name in ["../victim", "/etc/victim", "link/victim", "link"] {
      let list = #"{"format":1,"kind":"bb-site","files":["\#(name)","index.html","assets/site.json"]}"#
      let sink = try FileSink(path: path + "/assets/site.json")
      try sink.append(Array(list.utf8))
      try await sink.commit()
      let problem = await refusal { () async throws(Problem) in try await publish([:], to: path) }
      #expect(problem?.kind == .cannotCreate, "\(name)")
      #expect(try directory.read("victim") == "precious")
    }
  }

  @Test("files that appear while the directory is written stop the exchange") func lateFiles() async throws {
    try await publish(["index.html": "old"], to: path)
    let site = try StagedDirectory(path: path, list: "assets/site.json", replaces: true)
    try site.write(Array("new".utf8), to: "index.html")
    let late = try FileSink(path: path + "/late")
    try late.append([1])
    try await late.commit()
    let problem = await refusal { () async throws(Problem) in try await site.commit() }
    site.abandon()
    #expect(problem?.place == path + "/late")
    #expect(try directory.read("site/index.html") == "old" && directory.names() == ["site"])
  }

  @Test("directories of killed processes are removed, those of living ones stay") func leftovers() async throws {
    for process in ["999999999", "1"] {
      unsafe mkdir("\(directory.path)/.site.tmp.\(process).abc", 0o700)
      try await FileSink(path: "\(directory.path)/.site.tmp.\(process).abc/x").commit()
    }
    try await publish(["index.html": "x"], to: path)
    #expect(directory.names() == [".site.tmp.1.abc", "site"])
  }

  @Test("only images are copied, with the extension of their kind") func images() async throws {
    let files: [(name: String, bytes: [UInt8])] = [
      ("a.exe", [0xFF, 0xD8, 0xFF, 0xE0, 1, 2]), ("b.jpg", Array("<script>alert(1)</script>".utf8)),
    ]
    for file in files {
      let sink = try FileSink(path: "\(directory.path)/\(file.name)")
      try sink.append(file.bytes)
      try await sink.commit()
    }
    let site = try StagedDirectory(path: path, list: "assets/site.json", replaces: true)
    #expect(try site.copy(image: directory.path + "/a.exe", to: "images/x/1") == "images/x/1.jpg")
    #expect(try site.copy(image: directory.path + "/b.jpg", to: "images/x/2") == nil)
    #expect(try site.copy(image: directory.path + "/none", to: "images/x/3") == nil)
    #expect(try site.copy(image: directory.path, to: "images/x/4") == nil)
    try await site.commit()
    #expect(try directory.bytes("site/images/x/1.jpg") == files[0].bytes)
  }
}
