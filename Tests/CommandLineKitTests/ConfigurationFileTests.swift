import CommandLineKit
import Files
import Glibc
import Rows
import TestSupport
import Testing

@Suite("the configuration file") struct ConfigurationFileTests {
  private let directory = TemporaryDirectory().path + "/bb"
  private var path: String { directory + "/config" }

  private func text() throws -> String {
    String(decoding: try FileByteSource(path: path).bytes(limit: 1 << 20), as: UTF8.self)
  }
  private func write(_ text: String) throws {
    try DirectoryListing.make(directory)
    guard let file = unsafe fopen(path, "w") else { throw Problem(.cannotCreate, "cannot create", at: path) }
    unsafe fputs(text, file)
    unsafe fclose(file)
  }
  private func problem(_ body: () async throws(Problem) -> Void) async -> Problem? {
    do throws(Problem) {
      try await body()
      return nil
    } catch { return error }
  }

  @Test("set creates a private file, replaces a value, keeps comments; unset removes the line") func set() async throws
  {
    try await ConfigurationFile.set(.storage, to: "csv:notes", in: path)
    #expect(try text() == "storage = csv:notes\n")
    var status = stat()
    unsafe stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
    try write("# mine\n\nstorage=old\n  # more\npager = cat")
    unsafe chmod(path, 0o644)
    try await ConfigurationFile.set(.storage, to: "json:new", in: path)
    try await ConfigurationFile.set(.threads, to: "2", in: path)
    #expect(try text() == "# mine\n\nstorage = json:new\n  # more\npager = cat\nthreads = 2\n")
    unsafe stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
    try await ConfigurationFile.set(.pager, to: nil, in: path)
    try await ConfigurationFile.set(.editor, to: nil, in: path)
    #expect(try text() == "# mine\n\nstorage = json:new\n  # more\nthreads = 2\n")
    #expect(try ConfigurationFile.read(path) == [.storage: "json:new", .threads: "2"])
  }
  @Test("an invalid value changes nothing") func invalid() async throws {
    for value in ["", " ", "a\nb = c", "0", "x", "1025"] {
      #expect(
        await problem { () throws(Problem) in try await ConfigurationFile.set(.threads, to: value, in: path) }?.kind
          == .usage)
    }
    #expect(try ConfigurationFile.read(path) == [:])
  }
  @Test(
    "an error names the line",
    arguments: [
      ("storage = a\nstorrage = b\n", "2: unknown key “storrage”", "did you mean storage?"),
      ("storage = a\nstorage = b\n", "2: duplicate key: storage", ""),
      (
        "storage = csv:n # mine\n", "1: a comment must be on a line of its own: “csv:n # mine”",
        "move the comment to the line above"
      ),
      ("\nstorage = 'csv:n'\n", "2: values are written without quotes: 'csv:n'", "write storage = csv:n"),
      ("# x\npager =\n", "2: missing value for pager", ""), ("pager\n", "1: expected KEY = VALUE, found “pager”", ""),
      ("progress = sometimes\n", "1: invalid value “sometimes” for progress", "expected one of: auto, always, never"),
      ("max-image = 1T\n", "1: invalid value “1T” for max-image", "expected a number of bytes, or as in 500k, 64M, 2G"),
      ("threads = 0\n", "1: invalid value “0” for threads", "expected an integer from 1 to 1024"),
    ])
  func errors(text: String, message: String, hint: String) async throws {
    try write(text)
    let path = self.path
    let read = await problem { () throws(Problem) in _ = try ConfigurationFile.read(path) }
    #expect(read?.kind == .configuration && read.map { "\($0.place): \($0.message)" } == "\(path):\(message)")
    #expect(read?.hint.description == hint)
    let changed = await problem { () throws(Problem) in try await ConfigurationFile.set(.api, to: "http://h", in: path)
    }
    #expect(changed == read)
    #expect(try self.text() == text)
  }
  @Test("concurrent changes are all kept") func concurrent() async throws {
    let values: [(ConfigurationKey, String)] = [
      (.storage, "a"), (.editor, "b"), (.pager, "c"), (.api, "http://d"), (.proxy, "e"), (.threads, "6"),
    ]
    let path = self.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (key, value) in values { group.addTask { try await ConfigurationFile.set(key, to: value, in: path) } }
      try await group.waitForAll()
    }
    #expect(try ConfigurationFile.read(path) == Dictionary(uniqueKeysWithValues: values))
  }
  @Test("a variable precedes the file, and the file precedes VISUAL and PAGER") func origins() async throws {
    let configuration = try Configuration(
      variables: ["BB_THREADS": "3", "BB_STORAGE": "", "VISUAL": "ed", "PAGER": "more"],
      file: [.threads: "2", .storage: "csv:x", .pager: "cat"])
    #expect(configuration[.threads]?.value == "3" && configuration[.threads]?.origin == "BB_THREADS")
    #expect(configuration[.storage]?.value == "csv:x" && configuration[.storage]?.origin == "configuration")
    #expect(configuration[.pager]?.value == "cat" && configuration[.pager]?.origin == "configuration")
    #expect(configuration[.editor]?.value == "ed" && configuration[.editor]?.origin == "VISUAL")
    #expect(configuration[.proxy] == nil)
    let invalid = await problem { () throws(Problem) in _ = try Configuration(variables: ["BB_THREADS": "x"], file: [:])
    }
    #expect(invalid?.kind == .configuration && invalid?.place == "BB_THREADS")
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
