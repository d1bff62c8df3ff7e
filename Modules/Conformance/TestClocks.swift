package import Codecs
import Domain
import Synchronization

/// A clock whose sleeps last no time; keeps how long each would have been.
package final class CountingClock: Clock, Sendable {
  private let state = Mutex((now: ContinuousClock().now, waits: [Duration]()))
  package var now: ContinuousClock.Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .nanoseconds(1) }
  package var waits: [Duration] { state.withLock { $0.waits } }
  package init() {}
  package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    state.withLock { state in
      state.waits.append(state.now.duration(to: deadline))
      state.now = deadline
    }
  }
}

/// A date that does not move.
package struct StillDate: WallClock {
  package var seconds: Int64
  package init(seconds: Int64 = 1_700_000_000) { self.seconds = seconds }
  package func now() -> Instant { Instant(seconds: seconds) }
}
