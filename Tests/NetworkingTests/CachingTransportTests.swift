import Conformance
import Domain
import Glibc
@testable import Networking
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("CachingTransport") struct CachingTests {
  private final class Notes: Sendable {
    let all = Mutex<[String]>([])
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }
  private let directory = TemporaryDirectory().path
  private let notes = Notes()

  private func cache(
    _ policy: CachingTransport.Policy = CachingTransport.Policy(), at seconds: Int64 = 1_700_000_000,
    over inner: any HTTPTransport = TransportCase.curl()
  ) -> CachingTransport {
    CachingTransport(inner, directory: directory, policy: policy, date: StillDate(seconds: seconds), report: notes.add)
  }

  /// Gives `[1]` with an ETag, 304 when it is known, and 500 for as long as `isDown`.
  private func server(isDown: @escaping @Sendable () -> Bool = { false }) throws -> LoopbackServer {
    try LoopbackServer { request in
      if isDown() { return .json("{}", status: 500) }
      let tag = [HTTPHeader("ETag", "\"a\"")]
      return request.headers["if-none-match"] == "\"a\"" ? .whole(304, tag, []) : .json("[1]", headers: tag)
    }
  }
  private func text(
    _ cache: CachingTransport, _ url: String, storable: Bool = true, shelf: String? = nil
  ) async throws -> String {
    var request = HTTPRequest(.get, url)
    request.isStorable = storable
    request.shelf = shelf
    let response = try await cache.send(request)
    let text = String(decoding: try await response.bytes(), as: UTF8.self)
    response.commitToCache()
    return text
  }
  /// The cache's files.
  private func files() throws -> [String] {
    let opened = unsafe opendir("\(directory)/http")
    guard let stream = unsafe opened else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append("\(directory)/http/\(name)") }
    }
    return names
  }

  @Test("asks whether it changed; the body comes from the file", arguments: [nil, "things"]) func revalidates(
    _ shelf: String?
  ) async throws {
    let server = try server()
    for _ in 0..<2 { #expect(try await text(cache(), server.url, shelf: shelf) == "[1]") }
    #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"a\""])
  }
  @Test("the link to the next page is stored as well, and follows the server", arguments: [nil, "things"]) func links(
    _ shelf: String?
  ) async throws {
    let target = Mutex("/2")
    let server = try LoopbackServer { request in
      let tag = HTTPHeader("ETag", "\"a\""), link = HTTPHeader("Link", target.withLock { $0 })
      return .whole(request.headers["if-none-match"] == nil ? 200 : 304, link.value.isEmpty ? [tag] : [tag, link], [])
    }
    func link(_ policy: CachingTransport.Policy = CachingTransport.Policy()) async throws -> String? {
      var request = HTTPRequest(.get, server.url)
      request.shelf = shelf
      let response = try await cache(policy).send(request)
      response.commitToCache()
      return response.header("Link")
    }
    #expect(try await link() == "/2")
    for (said, kept) in [("/2", "/2"), ("", "/2"), ("/3", "/3"), ("", "/3")] {
      target.withLock { $0 = said }
      #expect(try await link() == kept)
      #expect(try await link(CachingTransport.Policy(offline: true)) == kept)
    }
    #expect(server.requests.dropFirst().allSatisfy { $0.headers["if-none-match"] == "\"a\"" })
  }
  @Test("fresh responses need no request, refreshed ones no condition", arguments: [nil, "things"]) func ages(
    _ shelf: String?
  ) async throws {
    let server = try server()
    #expect(try await text(cache(), server.url, shelf: shelf) == "[1]")
    #expect(
      try await text(cache(CachingTransport.Policy(maximumAge: 60), at: 1_700_000_059), server.url, shelf: shelf)
        == "[1]")
    #expect(server.requests.count == 1)
    #expect(
      try await text(cache(CachingTransport.Policy(maximumAge: 60), at: 1_700_000_060), server.url, shelf: shelf)
        == "[1]")
    #expect(server.requests.count == 2)
    // It was found unchanged: it is young again, though nothing was written.
    #expect(
      try await text(cache(CachingTransport.Policy(maximumAge: 60), at: 1_700_000_119), server.url, shelf: shelf)
        == "[1]")
    #expect(server.requests.count == 2)
    #expect(try await text(cache(CachingTransport.Policy(refresh: true)), server.url, shelf: shelf) == "[1]")
    #expect(server.requests.last?.headers["if-none-match"] == nil && server.requests.count == 3)
  }
  @Test("offline never asks", arguments: [nil, "things"]) func offline(_ shelf: String?) async throws {
    let server = try server(), policy = CachingTransport.Policy(offline: true)
    #expect(cache(policy).readers.isEmpty && !cache().readers.isEmpty, "no thread is started without need")
    await #expect(throws: Problem.self) { try await text(cache(policy), server.url, shelf: shelf) }
    #expect(try await text(cache(), server.url, shelf: shelf) == "[1]")
    #expect(try await text(cache(policy, at: 1_700_007_200), server.url, shelf: shelf) == "[1]")
    #expect(server.requests.count == 1)
    #expect(notes.all.withLock { $0 } == ["using a cached response, 2 hours old"])
  }
  @Test("a stale response is used if the server is down, with a warning", arguments: [nil, "things"]) func stale(
    _ shelf: String?
  ) async throws {
    final class Switch: Sendable { let isDown = Mutex(false) }
    let toggle = Switch()
    let server = try server { toggle.isDown.withLock { $0 } }
    #expect(try await text(cache(), server.url, shelf: shelf) == "[1]")
    toggle.isDown.withLock { $0 = true }
    #expect(try await text(cache(at: 1_700_086_400), server.url, shelf: shelf) == "[1]")
    let told = notes.all.withLock { $0 }
    #expect(told.count == 1 && told.first?.contains("HTTP status 500; using a cached response, 1 day old") == true)
  }
  @Test("a cached response takes the place of any refusal, unless there is no record or the credentials are wrong")
  func refusals() async throws {
    let status = Mutex(200)
    let server = try LoopbackServer { _ in .json("[1]", status: status.withLock { $0 }) }
    #expect(try await text(cache(), server.url) == "[1]")
    for refusal in [204, 302, 400, 401, 403, 404, 410, 451] {
      status.withLock { $0 = refusal }
      var request = HTTPRequest(.get, server.url)
      #expect(try await cache().send(request).status == (refusal == 401 ? 401 : 200), "\(refusal)")
      #expect(try await cache(CachingTransport.Policy(refresh: true)).send(request).status == refusal)
      request.mayBeAbsent = true
      let isFinal = [401, 404, 410].contains(refusal)
      #expect(try await cache().send(request).status == (isFinal ? refusal : 200), "\(refusal)")
    }
    #expect(
      notes.all.withLock { $0 }.contains { $0.hasSuffix("HTTP status 404; using a cached response, 0 seconds old") })
  }
  @Test("a damaged entry is fetched again; files are private") func damaged() async throws {
    let server = try server()
    #expect(try await text(cache(), server.url) == "[1]")
    let file = try #require(try files().first)
    // The URL, which may hold a key, is not to be read from the name.
    let name = file.dropFirst("\(directory)/http/".count)
    #expect(name.count == 64 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) })
    #expect(try files().count == 1)
    var status = stat()
    #expect(unsafe stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(unsafe truncate(file, status.st_size - 1) == 0)
    #expect(try await text(cache(), server.url) == "[1]")
    #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil])
    // Something that is not a file is not a response, and a pipe is not waited for.
    #expect(unsafe unlink(file) == 0 && mkfifo(file, 0o600) == 0)
    #expect(try await text(cache(), server.url) == "[1]")
    #expect(try await text(cache(CachingTransport.Policy(offline: true)), server.url) == "[1]")
  }
  @Test("a response that is not committed is not stored, and leaves no file") func unbelieved() async throws {
    let server = try server()
    #expect(try await cache().send(HTTPRequest(.get, server.url)).bytes() == Array("[1]".utf8))
    #expect(try files().isEmpty)
    await #expect(throws: Problem.self) { try await text(cache(CachingTransport.Policy(offline: true)), server.url) }
  }
  @Test("responses that differ each time are not stored") func storable() async throws {
    let server = try server()
    _ = try await text(cache(), server.url, storable: false)
    await #expect(throws: Problem.self) { try await text(cache(CachingTransport.Policy(offline: true)), server.url) }
  }
  @Test("304 to a question without conditions is bad data") func unasked() async throws {
    let server = try LoopbackServer { _ in .whole(304, [], []) }
    do throws(Problem) {
      _ = try await cache().send(HTTPRequest(.get, server.url))
      Issue.record("no problem")
    } catch { #expect(error.kind == .badData) }
  }
  @Test("what was recorded is replayed without the server; what was not, not") func records() async throws {
    let server = try LoopbackServer { .json("\"\($0.path)\"", status: $0.path == "/b" ? 404 : 200) }
    let recording = RecordingTransport(TransportCase.curl(), directory: directory, date: StillDate())
    for path in ["/a", "/b"] { _ = try await recording.send(HTTPRequest(.get, server.url + path)).bytes() }
    let replaying = ReplayingTransport(directory: directory)
    for (path, status) in [("/a", 200), ("/b", 404)] {
      let response = try await replaying.send(HTTPRequest(.get, server.url + path))
      #expect(response.status == status && response.header("content-type") == "application/json")
      #expect(try await response.bytes() == Array("\"\(path)\"".utf8))
    }
    #expect(server.requests.count == 2)
    for request in [HTTPRequest(.get, server.url + "/c"), HTTPRequest(.head, server.url + "/a")] {
      await #expect(throws: Problem.self) { try await replaying.send(request) }
    }
  }
}
