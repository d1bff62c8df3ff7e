import Domain
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("files on servers") struct RemoteFileTests {
  /// The ways of servers that ignore a part of a request.
  enum Misbehaviour: CaseIterable, Sendable {
    case none, ignoresCondition, ignoresConditionWithoutTag, ignoresRange, wrongStart, wrongSize
    case endsEarly, sendsPartUnasked, sendsMore, sendsNothing
  }

  /// A server with one file that notes the requests; the first `cuts` responses end early.
  private final class Server: Sendable {
    let text: String
    let cuts: Mutex<Int>
    let requests = Mutex<[HTTPRequest]>([])
    let tag = Mutex("\"1\"")
    /// The text of the second version, from the second request on.
    let other: String?
    let misbehaviour: Misbehaviour

    init(_ text: String, cuts: Int = 0, then other: String? = nil, _ misbehaviour: Misbehaviour = .none) {
      (self.text, self.other, self.misbehaviour) = (text, other, misbehaviour)
      self.cuts = Mutex(cuts)
    }

    /// The response to a request, if the server misbehaves there.
    func misbehave(_ range: Int?, _ number: Int) -> HTTPResponse? {
      let bytes = Array((other ?? text).utf8), all = bytes.count
      func part(_ range: Range<Int>, of all: Int, from: Int? = nil, _ tag: String? = "\"1\"") -> HTTPResponse {
        var fields = [HTTPHeader("Content-Length", String(range.count))]
        fields.append(HTTPHeader("Content-Range", "bytes \(from ?? range.lowerBound)-\(range.upperBound - 1)/\(all)"))
        if let tag { fields.append(HTTPHeader("ETag", tag)) }
        return HTTPResponse(
          status: 206, headers: HTTPFields(fields), url: "", body: CutBody(bytes: Array(bytes[range]), isCut: false))
      }
      switch (misbehaviour, range) {
      case (.sendsPartUnasked, _): return part(0..<all / 2, of: all)
      case (.ignoresCondition, let start?): return part(start..<all, of: all, "\"2\"")
      case (.ignoresConditionWithoutTag, let start?): return part(start..<all, of: all, nil)
      case (.wrongStart, let start?): return part(start + 1..<all, of: all)
      case (.wrongSize, let start?): return part(start..<start + 3, of: start + 3)
      case (.endsEarly, let start?): return part(start..<min(all, start + 200), of: all)
      case (.sendsMore, _):
        let fields = HTTPFields([HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Length", "9")])
        return HTTPResponse(status: 200, headers: fields, url: "", body: CutBody(bytes: bytes, isCut: false))
      case (.sendsNothing, let start?) where number > 1:
        return HTTPResponse(
          status: 206,
          headers: HTTPFields([
            HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Range", "bytes \(start)-\(all - 1)/\(all)"),
          ]), url: "", body: CutBody(bytes: [], isCut: true))
      default: return nil
      }
    }

    func respond(_ request: HTTPRequest) -> HTTPResponse {
      let number = requests.withLock { requests in
        requests.append(request)
        return requests.count
      }
      func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
      let tag = tag.withLock { $0 }
      let range = header("Range").flatMap { Int($0.dropFirst(6).dropLast()) }
      if let response = misbehave(range, number) { return response }
      if header("If-None-Match") == tag { return HTTPResponse(304, "") }
      let bytes = Array((number > 1 ? other ?? text : text).utf8)
      var start = 0
      if header("If-Range") == tag, let range, misbehaviour != .ignoresRange { start = range }
      let isCut = cuts.withLock { left in
        defer { left = max(0, left - 1) }
        return left > 0
      }
      let rest = Array(bytes[start...]), count = isCut ? rest.count / 2 : rest.count
      var fields = [HTTPHeader("ETag", tag), HTTPHeader("Content-Length", String(rest.count))]
      if start > 0 { fields.append(HTTPHeader("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")) }
      return HTTPResponse(
        status: start > 0 ? 206 : 200, headers: HTTPFields(fields), url: request.url,
        body: CutBody(bytes: Array(rest[..<count]), isCut: isCut))
    }
  }

  private struct CutBody: AsyncSequence, Sendable {
    let bytes: [UInt8], isCut: Bool
    struct Iterator: AsyncIteratorProtocol {
      var rest: [UInt8]?
      let isCut: Bool
      mutating func next() async throws(Problem) -> [UInt8]? {
        defer { rest = nil }
        if let rest { return rest }
        guard isCut else { return nil }
        var problem = Problem(.unavailable, "connection closed")
        problem.isTransient = true
        throw problem
      }
    }
    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes, isCut: isCut) }
  }

  private static let url = "https://data.example/people.csv?version=2"

  @Test("a file is read by its address, once; an unchanged one is not fetched again") func cached() async throws {
    let server = Server("id,name\n1,Ann\n2,Bob\n")
    let console = Console { (request) throws(Problem) in server.respond(request) }
    for _ in 1...2 {
      let outcome = await console.run("bb-export --from '\(Self.url)' -f csv --summary json")
      #expect(outcome.status == 0 && outcome.out == "id,name\n1,Ann\n2,Bob\n", "\(outcome.err)")
      #expect(outcome.err.contains("\"source\":\"https://data.example/people.csv"))
    }
    let requests = server.requests.withLock { $0 }
    #expect(requests.count == 2 && requests[1].headers.contains(HTTPHeader("If-None-Match", "\"1\"")))
    let offline = await console.run("bb-export --from '\(Self.url)' --offline --count -f csv")
    #expect(offline.out == "count\n2\n" && server.requests.withLock { $0.count } == 2)
    let recent = await console.run("bb-export --from '\(Self.url)' --max-age 60 --count -f csv")
    #expect(recent.status == 0 && server.requests.withLock { $0.count } == 2)
  }

  @Test("an interrupted download is continued where it ended", arguments: [1, 3, 20]) func resumed(cuts: Int)
    async throws
  {
    let rows = (1...(cuts == 20 ? 200_000 : 1000)).map { "\($0),name \($0)\n" }.joined()
    let server = Server("id,name\n" + rows, cuts: cuts)
    let console = Console { (request) throws(Problem) in server.respond(request) }
    let outcome = await console.run("bb-export --from '\(Self.url)' -f csv")
    #expect(outcome.status == 0 && outcome.out == "id,name\n" + rows, "\(outcome.err)")
    let requests = server.requests.withLock { $0 }
    #expect(
      requests.count == cuts + 1 && requests.dropFirst().allSatisfy { $0.headers.contains { $0.name == "Range" } })
  }

  @Test("a download that ended is continued by the next command, unless the file changed", arguments: [false, true])
  func continued(isChanged: Bool) async throws {
    let text = "id\n" + (1...500).map { "\($0)\n" }.joined()
    let server = Server(text, cuts: 100)
    let console = Console { (request) throws(Problem) in server.respond(request) }
    #expect(await console.run("bb-export --from '\(Self.url)' -f csv").status == 69)
    server.cuts.withLock { $0 = 0 }
    if isChanged { server.tag.withLock { $0 = "\"2\"" } }
    let outcome = await console.run("bb-export --from '\(Self.url)' -f csv")
    #expect(outcome.status == 0 && outcome.out == text, "\(outcome.err)")
    #expect(server.requests.withLock { $0.last?.headers.contains { $0.name == "If-Range" } } == true)
  }

  @Test("whatever a server ignores, the result is one version of the file, or none", arguments: Misbehaviour.allCases)
  func misbehaving(how: Misbehaviour) async throws {
    let text = "id,name\n" + (1...500).map { "\($0),first\n" }.joined()
    let other = "id,name\n" + (1...500).map { "\($0),other\n" }.joined()
    let server = Server(text, cuts: 1, then: how == .endsEarly || how == .sendsMore ? nil : other, how)
    if how != .ignoresRange, how != .none { server.cuts.withLock { $0 = 1 } }
    let console = Console { (request) throws(Problem) in
      let response = server.respond(request)
      // The second version has a tag of its own.
      server.tag.withLock { $0 = server.other == nil ? "\"1\"" : "\"2\"" }
      return response
    }
    let outcome = await console.run("bb-export --from '\(Self.url)' -f csv")
    switch how {
    case .sendsPartUnasked, .sendsMore, .sendsNothing:
      #expect(outcome.status == 69 && outcome.out.isEmpty, "\(outcome.err)")
    case .endsEarly: #expect(outcome.status == 0 && outcome.out == text, "\(outcome.err)")
    default: #expect(outcome.status == 0 && outcome.out == other, "\(outcome.err)")
    }
    #expect(server.requests.withLock { $0.count } < 60)
  }

  @Test("a file that ends with the connection is reported") func undelimited() async {
    let console = Console { (_) throws(Problem) in
      var response = HTTPResponse(200, "id\n1\n")
      response.isDelimited = false
      return response
    }
    let outcome = await console.run("bb-export --from '\(Self.url)' -f csv")
    #expect(outcome.status == 0 && outcome.err.contains("warning: https://data.example/people.csv"), "\(outcome.err)")
  }

  @Test("errors name the address without its secrets", arguments: [(404, 66), (403, 77), (500, 69)])
  func refused(status: Int, code: Int32) async throws {
    let console = Console { (_) throws(Problem) in HTTPResponse(status, "") }
    let outcome = await console.run("bb-export --from 'https://user:secret@data.example/a.csv' -f csv")
    #expect(outcome.status == code && !outcome.err.contains("secret"), "\(outcome.err)")
    #expect(await console.run("bb-export --from '\(Self.url)' --offline -f csv").status == 69)
    #expect(await console.run("bb-export --from 'ftp://data.example/a.csv' -f csv").status == 64)
  }

  @Test("several files on servers and of the user are one table, in every format") func union() async throws {
    let server = Server("[{\"id\":3,\"name\":\"Cy\"}]")
    let console = Console { (request) throws(Problem) in server.respond(request) }
    let outcome = await console.run(
      "bb-export --from https://data.example/a.json --from https://data.example/b -f csv")
    #expect(outcome.out == "id,name\n3,Cy\n3,Cy\n", "\(outcome.err)")
  }
}
