import Conformance
import Domain
import Rows
import Synchronization
import Testing

@testable import Networking

/// A server that takes ten requests in each second of a clock whose sleeps last no time, and refuses all others.
private final class ThrottledServer: HTTPTransport {
  private let clock: VirtualClock
  private let state = Mutex((second: Int64(-1), taken: 0, refused: 0, answered: 0))

  init(_ clock: VirtualClock) { self.clock = clock }
  var counts: (refused: Int, answered: Int) { state.withLock { ($0.refused, $0.answered) } }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let second = clock.elapsed.components.seconds
    let isTaken = state.withLock { state in
      if second != state.second { (state.second, state.taken) = (second, 0) }
      state.taken += 1
      if state.taken <= 10 { state.answered += 1 } else { state.refused += 1 }
      return state.taken <= 10
    }
    let headers: HTTPFields = isTaken ? [] : [HTTPHeader("Retry-After", "1")]
    return HTTPResponse(status: isTaken ? 200 : 429, headers: headers, url: request.url, body: NoBytes())
  }
}

/// A body without bytes.
private struct NoBytes: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Problem
  struct AsyncIterator: AsyncIteratorProtocol {
    mutating func next() async throws(Problem) -> [UInt8]? { nil }
    mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> [UInt8]? { nil }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

/// A clock that goes a hundred times as fast as time.
private final class VirtualClock: Clock, Sendable {
  private let start = ContinuousClock.now
  private let speed = 100
  var elapsed: Duration { start.duration(to: .now) * speed }
  var now: ContinuousClock.Instant { start.advanced(by: elapsed) }
  var minimumResolution: Duration { .milliseconds(1) }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(for: now.duration(to: deadline) / speed, tolerance: .zero)
  }
}

@Suite("Throttling") struct ThrottleTests {
  @Test("500 requests against a limit of 10 a second are all served") func all() async throws {
    let clock = VirtualClock(), server = ThrottledServer(clock)
    // The clock follows real time, so that a busy machine must not reach the deadline.
    var policy = RetryingTransport<VirtualClock>.Policy()
    policy.deadline = .seconds(1_000_000)
    let transport = RetryingTransport(server, policy: policy, clock: clock, date: StillDate())
    let statuses = try await Array(0..<500).mapInParallel(most: 32, on: []) { (_) async throws(Problem) -> Int in
      try await transport.send(HTTPRequest(.get, "https://h/")).status
    }
    #expect(statuses == Array(repeating: 200, count: 500))
    #expect(server.counts.answered == 500 && server.counts.refused > 0)
  }

  @Test("a turn that was given before the host throttled is void") func turns() {
    typealias Gate = HostGate<ContinuousClock>
    let start = ContinuousClock.now
    var state = Gate.State(), turns: [Int?] = [nil, nil, nil]
    state.interval = .milliseconds(100)
    func starts(_ request: Int, after wait: Duration) -> Bool {
      if case .go = Gate.step(&state, at: start.advanced(by: wait), &turns[request], { .zero }) { return true }
      return false
    }
    #expect(starts(0, after: .zero))
    #expect(!starts(1, after: .zero))
    #expect(!starts(2, after: .zero))
    // The host throttles the first request; the gate opens when the turns of the others come.
    (state.period, state.nextTurn, state.closedUntil) = (1, nil, start.advanced(by: .milliseconds(200)))
    #expect(starts(1, after: .milliseconds(200)))
    #expect(!starts(2, after: .milliseconds(200)), "one request in each interval")
    #expect(starts(2, after: .milliseconds(300)))
  }
}
