import Codecs
public import Domain
public import Rows

/// Tries again what may pass: full jitter between tries, `Retry-After` heeded within bounds, one deadline over all.
///
/// Only GET and HEAD are tried again. A host that failed five times in a row is not asked any more by this transport.
public struct Retrying<Waiting: Clock>: HTTPTransport where Waiting.Duration == Duration {
  /// The number and the timing of attempts.
  public struct Policy: Sendable, Hashable {
    /// Tries in all.
    public var attempts = 4
    /// The first wait is at most this, each further one at most twice the one before.
    public var base = Duration.milliseconds(500)
    /// No wait between tries is longer.
    public var cap = Duration.seconds(30)
    /// A server that wants a longer wait is not waited for.
    public var longestRetryAfter = Duration.seconds(120)
    /// The number of body bytes that are read before a response counts as received; an interruption after that is not
    /// retried.
    public var readAhead = 8 << 20
    /// The usual policy.
    public init() {}
  }

  private let inner: any HTTPTransport
  private let policy: Policy
  private let clock: Waiting
  private let date: any WallClock
  private let random: @Sendable (Duration) -> Duration
  private let failures = HostFailures()

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
  }

  /// Those of the transport within.
  public var readers: [any TaskExecutor] { inner.readers }

  /// Sends the request until a response is final, the attempts are used up, or the time is over.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard request.method != .post else { return try await inner.send(request) }
    let deadline = clock.now.advanced(by: request.timeout)
    if failures.isOpen(request.url) {
      throw Problem(
        .unavailable, "skipped: the last five requests to this server failed", at: URLText.redacted(request.url))
    }
    var attempt = 0
    while true {
      attempt += 1
      var request = request
      request.timeout = clock.now.duration(to: deadline)
      let outcome: Result<HTTPResponse, Problem>
      do throws(Problem) { outcome = .success(try await begun(inner.send(request))) } catch {
        outcome = .failure(error)
      }
      guard let wanted = try wait(for: outcome, request.url) else {
        failures.note(request.url, failed: false)
        return try outcome.get()
      }
      failures.note(request.url, failed: true)
      let wait = max(wanted, random(min(policy.cap, policy.base * (1 << (attempt - 1)))))
      if attempt >= policy.attempts || clock.now.advanced(by: wait) >= deadline || failures.isOpen(request.url) {
        return try outcome.get()
      }
      do { try await clock.sleep(until: clock.now.advanced(by: wait), tolerance: nil) } catch {
        throw Problem(.cancelled, "interrupted", at: URLText.redacted(request.url))
      }
    }
  }

  /// A response with the beginning of its body read, so that an early interruption counts as a failed attempt; the rest
  /// is streamed.
  private func begun(_ response: HTTPResponse) async throws(Problem) -> HTTPResponse {
    guard Self.isFinal(response.status) else { return response }
    var copy = response
    copy.body = try await BegunBody(response.body, limit: policy.readAhead)
    return copy
  }

  private static func isFinal(_ status: Int) -> Bool { ![408, 425, 429, 500, 502, 503, 504].contains(status) }

  /// The minimum wait before the next attempt; nil if the outcome is final.
  private func wait(for outcome: Result<HTTPResponse, Problem>, _ url: String) throws(Problem) -> Duration? {
    switch outcome {
    case .failure(let problem): return problem.isTransient ? .zero : nil
    case .success(let response):
      guard !Self.isFinal(response.status) else { return nil }
      guard let text = response.header("Retry-After"), let wait = retryAfter(text) else { return .zero }
      guard wait <= policy.longestRetryAfter else {
        throw Problem(
          .unavailable, "the server asks to retry after \(wait.components.seconds) s", at: URLText.redacted(url),
          hint: "run the command again then")
      }
      return wait
    }
  }

  /// `Retry-After` in seconds or as a date; nothing for the past, nil for what is neither.
  private func retryAfter(_ text: String) -> Duration? {
    if text.utf8.allSatisfy({ $0 &- 48 < 10 }), let seconds = Int64(text.prefix(18)) { return .seconds(seconds) }
    guard let then = HTTPDate.seconds(text) else { return nil }
    return .seconds(max(0, then - date.now().seconds))
  }
}
