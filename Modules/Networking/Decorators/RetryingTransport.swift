import Codecs
public import Domain
public import Rows
import Synchronization

/// Retries what may succeed later: full jitter between tries, and all requests wait for a throttling server.
///
/// Status 429, and 503 with `Retry-After`, are throttling: they count neither as tries nor as failures. A host that
/// fails most requests is probed by one request after 5 s; after three failed probes it receives no more requests. POST
/// requests that are not repeatable, and urgent ones, are neither retried nor delayed.
public struct RetryingTransport<Waiting: Clock>: HTTPTransport where Waiting.Duration == Duration {
  /// The number and the timing of attempts.
  public struct Policy: Sendable {
    /// Tries in all.
    public var attempts = 4
    /// The first wait is at most this, each further one at most twice the one before.
    public var base = Duration.milliseconds(500)
    /// No wait between tries is longer.
    public var cap = Duration.seconds(30)
    /// A server that wants a longer wait is not waited for.
    public var longestRetryAfter = Duration.seconds(120)
    /// The total time of all requests through this transport, waits included.
    public var deadline = Duration.seconds(900)
    /// The number of body bytes that are read before a response counts as received; an interruption after that is not
    /// retried.
    public var readAhead = 8 << 20
    /// The header field with the number of requests left; nil for the usual ones.
    public var remainingField: String?
    /// The header field with the time at which requests are served again; nil for the usual ones.
    public var resetField: String?
    /// Receives what requests wait for.
    public var waiting: @Sendable (String) -> Void = { _ in }
    /// The usual policy.
    public init() {}
  }

  private let inner: any HTTPTransport
  private let policy: Policy
  private let clock: Waiting
  private let date: any WallClock
  private let random: @Sendable (Duration) -> Duration
  private let limits: RateLimitFields
  private let deadline: Waiting.Instant
  private let gates = Gates<Waiting>()

  /// Retries around `inner`. `random` draws a wait between nothing and the one given.
  public init(
    _ inner: any HTTPTransport, policy: Policy = Policy(), clock: Waiting, date: any WallClock,
    random: @escaping @Sendable (Duration) -> Duration = { limit in
      .milliseconds(
        Int64.random(
          in: 0...max(0, limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)))
    }
  ) {
    self.inner = inner
    self.policy = policy
    self.clock = clock
    self.date = date
    self.random = random
    limits = RateLimitFields(remaining: policy.remainingField, reset: policy.resetField)
    deadline = clock.now.advanced(by: policy.deadline)
  }

  /// Those of the transport within.
  public var readers: [any TaskExecutor] { inner.readers }

  /// Sends the request until a response is final, the attempts are used up, or the time is over.
  ///
  /// The request's timeout covers the tries and the waits between them, not the waits that the server asks for.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard request.method != .post || request.isRepeatable, !request.isUrgent else {
      return try await inner.send(request)
    }
    let gate = gates.gate(of: request.url, clock, random, policy.waiting)
    var left = request.timeout, failures = 0, throttles = 0, served = 0
    while true {
      let ticket = try await gate.enter(until: deadline, request.url)
      var request = request
      request.timeout = left
      let begun = clock.now
      let outcome: Result<HTTPResponse, Problem>
      do throws(Problem) { outcome = .success(try await begin(inner.send(request))) } catch {
        outcome = .failure(error)
      }
      left -= begun.duration(to: clock.now)
      switch verdict(outcome) {
      case .final:
        gate.leave(ticket, .answered)
        if case .success(let response) = outcome,
          let wait = limits.wait(response.headers, now: date.now().seconds), wait <= policy.longestRetryAfter
        {
          gate.close(for: wait)
        }
        return try outcome.get()
      case .throttled where request.endsWhenThrottled:
        gate.leave(ticket, .answered)
        return try outcome.get()
      case .throttled(let asked, let status):
        // Without a time, a server that serves no request at all refuses rather than throttles.
        if throttles == 0 { served = gate.served }
        if asked == .zero, throttles + 1 >= policy.attempts, gate.served == served {
          gate.leave(ticket, .throttled(.zero, status: status))
          return try outcome.get()
        }
        let wait = asked > .zero ? asked : random(min(policy.cap, policy.base * (1 << min(throttles, 16))))
        throttles += 1
        gate.leave(ticket, .throttled(wait <= policy.longestRetryAfter ? wait : .zero, status: status))
        guard wait <= policy.longestRetryAfter else {
          throw Problem(
            .unavailable, "the server asks to retry after \(wait.components.seconds) s",
            at: URLText.redacted(request.url),
            hint: "run the command again then")
        }
        if clock.now.advanced(by: wait) >= deadline { return try outcome.get() }
      case .failed(let reason):
        gate.leave(ticket, .failed(reason))
        failures += 1
        let wait = random(min(policy.cap, policy.base * (1 << (failures - 1))))
        guard failures < policy.attempts, wait < left, gate.mayRetry() else { return try outcome.get() }
        do { try await clock.sleep(until: clock.now.advanced(by: wait), tolerance: nil) } catch {
          throw Problem(.cancelled, "interrupted", at: URLText.redacted(request.url))
        }
        left -= wait
      }
    }
  }

  /// A response with the beginning of its body read, so that an early interruption counts as a failed attempt; the rest
  /// is streamed.
  private func begin(_ response: HTTPResponse) async throws(Problem) -> HTTPResponse {
    guard ![408, 425, 429, 500, 502, 503, 504].contains(response.status) else { return response }
    var copy = response
    copy.body = try await ResumableBody(response.body, limit: policy.readAhead)
    return copy
  }

  private enum Verdict {
    case final
    /// The server asks to wait this long; zero if it does not say.
    case throttled(Duration, status: Int)
    /// Trying again may help.
    case failed(String)
  }

  private func verdict(_ outcome: Result<HTTPResponse, Problem>) -> Verdict {
    switch outcome {
    case .failure(let problem): return problem.isTransient ? .failed(problem.message) : .final
    case .success(let response):
      let wait = response.status == 429 || response.status == 503 ? retryAfter(response) : nil
      switch response.status {
      case 429: return .throttled(wait ?? .zero, status: 429)
      case 503 where wait != nil: return .throttled(wait ?? .zero, status: 503)
      case 408, 425, 500, 502, 503, 504: return .failed("HTTP status \(response.status)")
      default: return .final
      }
    }
  }

  /// `Retry-After` in seconds or as a date; zero for the past, nil for what is neither.
  private func retryAfter(_ response: HTTPResponse) -> Duration? {
    guard let text = response.header("Retry-After") else { return nil }
    if text.utf8.allSatisfy({ $0 &- 48 < 10 }), let seconds = Int64(text.prefix(18)) { return .seconds(seconds) }
    guard let then = HTTPDate.seconds(text) else { return nil }
    return .seconds(max(0, then - date.now().seconds))
  }
}

/// The gates of the hosts that a transport talks to.
private final class Gates<Waiting: Clock>: Sendable where Waiting.Duration == Duration {
  private let gates = Mutex<[String: HostGate<Waiting>]>([:])

  func gate(
    of url: String, _ clock: Waiting, _ random: @escaping @Sendable (Duration) -> Duration,
    _ waiting: @escaping @Sendable (String) -> Void
  ) -> HostGate<Waiting> {
    let host = Self.host(url)
    return gates.withLock { gates in
      if let known = gates[host] { return known }
      let gate = HostGate(clock: clock, waits: { waiting("waiting \($0) s: \(host) limits requests (\($1))") }) {
        random(.milliseconds(100))
      }
      gates[host] = gate
      return gate
    }
  }

  private static func host(_ url: String) -> String {
    // After the second slash.
    let slashes = url.utf8.indices.lazy.filter { url.utf8[$0] == UInt8(ascii: "/") }
    let start = slashes.dropFirst().first.map { url.utf8.index(after: $0) } ?? url.startIndex
    return String(Substring(url.utf8[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
  }
}
