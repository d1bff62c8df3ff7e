import Rows
internal import Synchronization

/// Spreads requests over time, for sources that allow so many a second.
final class RateLimit: Sendable {
  /// Seconds between requests, at most: no source that is of any use wants more.
  private static let longest = 3600.0
  private let interval: Duration?
  private let next = Mutex<ContinuousClock.Instant?>(nil)

  /// Nil for no limit.
  init(perSecond: Double?) {
    interval = perSecond.flatMap { $0 > 0 ? .seconds(min(1 / $0, Self.longest)) : nil }
  }

  /// Returns when the next request may be sent.
  func wait() async throws(Problem) {
    guard let interval else { return }
    let turn = next.withLock { next in
      let turn = max(next ?? .now, .now)
      next = turn + interval
      return turn
    }
    do {
      try await ContinuousClock().sleep(until: turn)
    } catch {
      throw Problem(.cancelled, "cancelled while waiting for the rate limit")
    }
  }
}
