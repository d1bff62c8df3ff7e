public import Domain
import Rows

/// A law that every HTTP transport keeps, decorated or not, checked with a server on the loopback interface.
public struct TransportLaw: Sendable, CustomStringConvertible {
  /// The law as a sentence.
  public let description: String
  private let check: @Sendable (any HTTPTransport) async throws -> Void

  /// Checks a fresh transport.
  /// - Throws: `LawViolation` with what was seen, or what the test server met.
  public func check(_ transport: any HTTPTransport) async throws { try await check(transport) }

  private init(_ description: String, _ check: @escaping @Sendable (any HTTPTransport) async throws -> Void) {
    self.description = description
    self.check = check
  }

  /// All laws.
  public static let all = [
    wholeAnswers, cutShort, notHTTP, endless, longHeader, silence, loop, crossOrigin, sameOrigin, otherSchemes,
    headerInjection, cookies, secrets, parallel, cancelled, dataStaysOutside,
  ]

  private static let wholeAnswers = TransportLaw("the body and the status arrive as they were sent") { transport in
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for status in [200, 404, 418] {
      let server = try LoopbackServer { _ in .whole(status, [HTTPHeader("X-A", "b")], body) }
      let response = try await transport.send(server.request())
      try expect(response.status == status, "status \(response.status) for \(status)")
      let bytes = try await response.bytes()
      try expect(bytes == body, "\(bytes.count) bytes that are not the \(body.count) sent")
    }
  }

  private static let cutShort = TransportLaw("a truncated response is unavailable, never a response") { transport in
    let head = "HTTP/1.1 200 OK\r\n"
    for start in [
      "\(head)Content-Length: 100\r\n\r\nhalf", "\(head)Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", head, "",
    ] {
      for ending in [LoopbackServer.Ending.close, .reset] {
        let server = try LoopbackServer { _ in .raw(Array(start.utf8), then: ending) }
        try await refused(transport, server.request(), [.unavailable, .badData], start)
      }
    }
  }

  private static let notHTTP = TransportLaw("what is not HTTP is bad data") { transport in
    for text in ["SSH-2.0-OpenSSH_9.2p1\r\n", "{\"a\":1}", "HTTP/1.1 abc\r\n\r\n"] {
      let server = try LoopbackServer { _ in .raw(Array(text.utf8), then: .close) }
      try await refused(transport, server.request(), [.badData], text)
    }
  }

  private static let endless = TransportLaw("a body above the limit is bad data, however it is sent") { transport in
    let chunk = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 60_000)
    let server = try LoopbackServer { _ in .raw(Array(chunk.utf8), then: .again(10_000)) }
    var request = server.request()
    request.maximumBytes = 1 << 20
    try await refused(transport, request, [.badData], "600 MB")
  }

  private static let longHeader = TransportLaw("a header without end is bad data") { transport in
    for (line, times) in [
      ("X-\(String(repeating: "y", count: 1000)): z\r\n", 2000), (String(repeating: "y", count: 1000), 2000),
    ] {
      let server = try LoopbackServer { _ in
        .raw(Array(("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: times)).utf8), then: .silence(200))
      }
      try await refused(transport, server.request(), [.badData], "a header of 2 MB")
    }
  }

  private static let silence = TransportLaw("the deadline holds, before the head and in the body") { transport in
    for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
      let server = try LoopbackServer { _ in .raw(Array(start.utf8), then: .silence(6000)) }
      var request = server.request()
      request.timeout = .milliseconds(300)
      let clock = ContinuousClock(), begin = clock.now
      try await refused(transport, request, [.unavailable], "silence")
      let lasted = begin.duration(to: clock.now)
      try expect(lasted < .seconds(5), "ended after \(lasted) with a deadline of 0.3 s")
    }
  }

  private static let dataStaysOutside = TransportLaw("a URL from data does not lead to a private address") {
    transport in
    let server = try LoopbackServer { _ in .json("[]") }
    for host in [
      "127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "localhost", "LOCALHOST.", "a.localhost",
    ] {
      var request = HTTPRequest(.get, "http://\(host):\(server.port)/x")
      request.comesFromData = true
      try await refused(transport, request, [.badData], host)
    }
    try expect(server.requests.isEmpty, "\(server.requests.count) requests arrived")
  }

  private static let loop = TransportLaw("redirects end") { transport in
    let server = try LoopbackServer { _ in .whole(302, [HTTPHeader("Location", "/again")], []) }
    try await refused(transport, server.request(), [.badData], "a loop of redirects")
    try expect(server.requests.count <= 6, "\(server.requests.count) requests in a loop")
  }

  private static let crossOrigin = TransportLaw("on the way to another origin every header is dropped") { transport in
    let other = try LoopbackServer { _ in .json("[]") }
    let server = try LoopbackServer { _ in .whole(307, [HTTPHeader("Location", "\(other.url)/there")], []) }
    let response = try await transport.send(server.request())
    try expect(response.status == 200, "status \(response.status)")
    _ = try await response.bytes()
    let there = other.requests.first?.headers ?? [:]
    try expect(other.requests.count == 1 && other.requests.first?.path == "/there", "did not arrive")
    try expect(there["authorization"] == nil && there["x-api-key"] == nil, "the other origin was sent a key")
    try expect(server.requests.first?.headers["x-api-key"] == "k3y", "the first origin was not sent the key")
  }

  private static let sameOrigin = TransportLaw("within an origin redirects keep the headers; POST is not redirected") {
    transport in
    let server = try LoopbackServer { request in
      request.path == "/a/b" ? .json("[1]") : .whole(308, [HTTPHeader("Location", "a/../a/b")], [])
    }
    _ = try await transport.send(server.request()).bytes()
    try expect(server.requests.last?.path == "/a/b", "arrived at \(server.requests.last?.path ?? "nothing")")
    try expect(server.requests.last?.headers["x-api-key"] == "k3y", "the key was dropped")
    var post = server.request()
    post.method = .post
    post.body = Array("{}".utf8)
    let response = try await transport.send(post)
    try expect(response.status == 308, "POST was redirected: \(response.status)")
    try expect(server.requests.last?.body == Array("{}".utf8), "the body of POST is not what was sent")
  }

  private static let otherSchemes = TransportLaw("only http and https, asked or redirected to") { transport in
    for url in [
      "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "127.0.0.1/x", "http://127.0.0.1/a b",
    ] {
      try await refused(transport, HTTPRequest(.get, url), [.usage], url)
      let server = try LoopbackServer { _ in .whole(302, [HTTPHeader("Location", url)], []) }
      guard url.contains(":///") || !url.hasPrefix("http"), url.contains("://") else { continue }
      try await refused(transport, server.request(), [.badData], "a redirect to \(url)")
    }
  }

  private static let headerInjection = TransportLaw("no line breaks get into headers or URLs") { transport in
    let server = try LoopbackServer { _ in .json("[]") }
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b"] {
      var request = server.request()
      request.headers = [HTTPHeader("X-A", value)]
      try await refused(transport, request, [.usage], "a header with a line break")
      try await refused(transport, HTTPRequest(.get, "\(server.url)/\(value)"), [.usage], "a URL with a line break")
    }
    try expect(server.requests.isEmpty, "\(server.requests.count) requests were sent")
  }

  private static let cookies = TransportLaw("cookies are not kept") { transport in
    let server = try LoopbackServer { _ in .json("[]", headers: [HTTPHeader("Set-Cookie", "a=b; Path=/")]) }
    for path in ["/1", "/2"] { _ = try await transport.send(server.request(path)).bytes() }
    let sent = server.requests.compactMap { $0.headers["cookie"] }
    try expect(sent.isEmpty, "sent the cookie \(sent)")
  }

  private static let secrets = TransportLaw("problems name the URL without secrets and control characters") {
    transport in
    let server = try LoopbackServer { _ in .raw(Array("\u{1B}[2Jnot HTTP".utf8), then: .close) }
    let url = "http://me:s3cret@127.0.0.1:\(server.port)/x?key=s3cret"
    do throws(Problem) {
      _ = try await transport.send(HTTPRequest(.get, url)).bytes()
    } catch {
      let text = error.description
      try expect(!text.contains("s3cret") && !text.contains("k3y"), "a secret in “\(text)”")
      try expect(
        text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }, "a control character in a message")
      try expect(text.contains("127.0.0.1"), "no place in “\(text)”")
      return
    }
    throw LawViolation("no problem for what is not HTTP")
  }

  private static let parallel = TransportLaw("a hundred concurrent requests get their own responses") { transport in
    let server = try LoopbackServer { .json("\"\($0.path)\"") }
    let right = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await transport.send(server.request("/\(number)")).bytes() == Array("\"/\(number)\"".utf8)
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try expect(right == 100, "\(right) correct responses")
  }

  private static let cancelled = TransportLaw("cancelling the task ends the exchange at once") { transport in
    for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
      let server = try LoopbackServer { _ in .raw(Array(start.utf8), then: .silence(6000)) }
      let clock = ContinuousClock(), begin = clock.now
      let task = Task { try await transport.send(server.request()).bytes() }
      try await clock.sleep(for: .milliseconds(200))
      task.cancel()
      let result = await task.result
      let lasted = begin.duration(to: clock.now)
      try expect(lasted < .seconds(5), "continued for \(lasted)")
      guard case .failure(let error) = result, (error as? Problem)?.kind == .cancelled else {
        throw LawViolation("a cancelled exchange gave \(result)")
      }
    }
  }
}

/// The violation; nil if the law holds.
private func expect(_ holds: Bool, _ violation: @autoclosure () -> String) throws(LawViolation) {
  if !holds { throw LawViolation(violation()) }
}

/// Whether a request ends in a problem of one of the kinds.
private func refused(
  _ transport: any HTTPTransport, _ request: HTTPRequest, _ kinds: [Problem.Kind], _ what: String
) async throws(LawViolation) {
  do throws(Problem) {
    let response = try await transport.send(request)
    let bytes = try await response.bytes()
    throw Problem(.bug, "answered \(response.status) with \(bytes.count) bytes")
  } catch {
    try expect(kinds.contains(error.kind), "“\(what)”: \(error.kind), \(error)")
  }
}

extension LoopbackServer {
  /// A request to this server with two headers that are secret.
  fileprivate func request(_ path: String = "/x") -> HTTPRequest {
    HTTPRequest(
      .get, url + path, headers: [HTTPHeader("X-Api-Key", "k3y"), HTTPHeader("Authorization", "Bearer k3y")],
      timeout: .seconds(10))
  }
}
