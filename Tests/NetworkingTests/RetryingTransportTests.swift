import Conformance
import Domain
import Glibc
@testable import Networking
import Rows
import Synchronization
import Testing

@Suite("RetryingTransport") struct RetryingTests {
  /// The waits and the number of requests for these responses in order, the last one repeated.
  private func outcome(
    _ answers: [LoopbackServer.Answer], _ method: HTTPRequest.Method = .get, timeout: Duration = .seconds(600)
  ) async throws -> (waits: [Duration], requests: Int, result: Result<Int, Problem>) {
    let count = Mutex(0)
    let server = try LoopbackServer { _ in
      answers[
        min(
          count.withLock {
            $0 += 1; return $0
          } - 1, answers.count - 1)]
    }
    let clock = CountingClock()
    let transport = RetryingTransport(TransportCase.curl(), clock: clock, date: StillDate()) { $0 }
    let result: Result<Int, Problem>
    do throws(Problem) {
      let response = try await transport.send(HTTPRequest(method, server.url, timeout: timeout))
      _ = try await response.bytes()
      result = .success(response.status)
    } catch { result = .failure(error) }
    return (clock.waits, server.requests.count, result)
  }
  private func busy(_ retryAfter: String?, status: Int = 503) -> LoopbackServer.Answer {
    .json("{}", status: status, headers: retryAfter.map { [HTTPHeader("Retry-After", $0)] } ?? [])
  }

  @Test("waits double from half a second, for four attempts, then the last response") func doubles() async throws {
    let seen = try await outcome([busy(nil)])
    #expect(seen.waits == [.milliseconds(500), .seconds(1), .seconds(2)])
    #expect(seen.requests == 4 && seen.result == .success(503))
  }
  @Test("a valid response ends the attempts") func flapping() async throws {
    let seen = try await outcome([busy(nil), busy(nil, status: 408), .json("[]")])
    #expect(seen.waits == [.milliseconds(500), .seconds(1)])
    #expect(seen.requests == 3 && seen.result == .success(200))
  }
  @Test("a truncated body is requested again") func cutBody() async throws {
    let cut = LoopbackServer.Answer.raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8), then: .close)
    let seen = try await outcome([cut, .json("[]")])
    #expect(seen.requests == 2 && seen.result == .success(200))
  }
  @Test(
    "Retry-After: seconds, dates, the past, what is neither",
    arguments: [
      ("7", Duration.seconds(7)), ("0", .milliseconds(500)), ("-5", .milliseconds(500)),
      ("soon", .milliseconds(500)),
      ("", .milliseconds(500)), ("Tue, 14 Nov 2023 22:13:50 GMT", .seconds(30)),
      ("Sun, 06 Nov 1994 08:49:37 GMT", .milliseconds(500)),
    ])
  func retryAfter(_ text: String, _ wait: Duration) async throws {
    let seen = try await outcome([busy(text, status: 429), .json("[]")])
    // Requests that wait together are up to 100 ms apart afterwards.
    #expect(seen.waits.reduce(.zero, +) == wait + .milliseconds(100) && seen.result == .success(200))
  }
  @Test(
    "a wait above two minutes is refused, and said",
    arguments: ["121", "99999999999999999999", "Wed, 15 Nov 2023 22:13:50 GMT"])
  func tooLong(_ text: String) async throws {
    let seen = try await outcome([busy(text)])
    #expect(seen.waits.isEmpty && seen.requests == 1)
    guard case .failure(let problem) = seen.result else {
      Issue.record("no problem")
      return
    }
    #expect(problem.kind == .unavailable && problem.message.contains("retry after"))
  }
  @Test("throttling counts neither as a try nor against the timeout, but ends at the deadline") func deadline()
    async throws
  {
    let seen = try await outcome([busy("100")], timeout: .seconds(30))
    #expect(seen.waits.reduce(.zero, +) == (.seconds(100) + .milliseconds(100)) * 8 && seen.requests == 9)
    #expect(seen.result == .success(503))
  }
  @Test("POST and what will not pass are not tried again") func final() async throws {
    #expect(try await outcome([busy(nil)], .post).requests == 1)
    for status in [400, 401, 403, 404, 410, 501, 505] {
      #expect(try await outcome([busy(nil, status: status)]).requests == 1, "\(status)")
    }
    #expect(try await outcome([.raw(Array("SSH-2.0\r\n".utf8), then: .close)]).requests == 1)
  }
  @Test("a host that fails is probed after 5 s, three times, then skipped") func circuit() async throws {
    let server = try LoopbackServer { _ in .json("{}", status: 500) }, clock = CountingClock()
    let transport = RetryingTransport(TransportCase.curl(), clock: clock, date: StillDate()) { _ in .zero }
    for _ in 0..<3 { #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 500) }
    #expect(clock.waits.filter { $0 > .zero } == [.seconds(5), .seconds(5)] && server.requests.count == 12)
    await #expect(throws: Problem.self) { try await transport.send(HTTPRequest(.get, server.url)) }
    #expect(server.requests.count == 13)
    let problem = await #expect(throws: Problem.self) { try await transport.send(HTTPRequest(.get, server.url)) }
    #expect(problem?.kind == .unavailable && problem?.message == "the server keeps failing (HTTP status 500)")
    #expect(server.requests.count == 13)
    var request = HTTPRequest(.delete, server.url)
    request.isUrgent = true
    #expect(try await transport.send(request).status == 500)
    #expect(server.requests.count == 14)
  }
  @Test("a host that recovers is asked as before") func recovery() async throws {
    let count = Mutex(0)
    let server = try LoopbackServer { _ in
      .json(
        "[]",
        status: count.withLock { count in
          count += 1; return count <= 10 ? 502 : 200
        })
    }
    let clock = CountingClock()
    let transport = RetryingTransport(TransportCase.curl(), clock: clock, date: StillDate()) { _ in .zero }
    var statuses: [Int] = []
    for _ in 0..<8 { statuses.append(try await transport.send(HTTPRequest(.get, server.url)).status) }
    #expect(statuses == [502, 502, 200, 200, 200, 200, 200, 200])
    #expect(clock.waits.filter { $0 > .zero } == [.seconds(5)])
  }
  @Test("the gate closes before a 429 comes when no request is left") func remaining() async throws {
    let fields = [HTTPHeader("X-RateLimit-Remaining", "0"), HTTPHeader("X-RateLimit-Reset", "3")]
    let server = try LoopbackServer { _ in .json("[]", headers: fields) }, clock = CountingClock()
    let transport = RetryingTransport(TransportCase.curl(), clock: clock, date: StillDate()) { _ in .zero }
    _ = try await transport.send(HTTPRequest(.get, server.url))
    #expect(clock.waits.isEmpty)
    _ = try await transport.send(HTTPRequest(.get, server.url))
    #expect(clock.waits == [.seconds(3)])
  }
  @Test(
    "header fields of rate limits",
    arguments: [
      ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "7")], 7),
      ([("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000009")], 9),
      ([("X-Rate-Limit-Remaining", "0"), ("X-Rate-Limit-Reset", "1700000009000")], 9),
      ([("RateLimit", "limit=10, remaining=0, reset=5")], 5), ([("RateLimit", "\"default\";r=0;t=6")], 6),
      ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "7")], nil), ([("X-RateLimit-Remaining", "0")], nil),
      ([("RateLimit", "r=3;t=6")], nil), ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "-7")], nil),
    ])
  func limits(fields: [(String, String)], seconds: Int?) {
    let headers = HTTPFields(fields.map { HTTPHeader($0.0, $0.1) })
    let wait = RateLimitFields(remaining: nil, reset: nil).wait(headers, now: 1_700_000_000)
    #expect(wait == seconds.map { .seconds($0) })
  }
}
