/// Whether a host is asked at all: not after most of its last requests failed, except by one probe at a time.
struct HostBreaker<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
  enum State: Sendable {
    case closed
    /// The host is not asked before a time.
    case open(until: Instant)
    /// One request finds out whether the host has recovered.
    case probing
    /// The host is not asked any more; the last failure.
    case dead(last: String)
  }
  var state = State.closed
  /// Whether each of the last requests failed.
  private var outcomes: [Bool] = []
  private var probes = 0

  /// The least and the largest number of requests that decide.
  private static var least: Int { 10 }
  private static var most: Int { 20 }
  private static var pause: Duration { .seconds(5) }
  private static var probeLimit: Int { 3 }

  mutating func noteSuccess(isProbe: Bool) {
    if isProbe {
      self = HostBreaker()
    } else {
      append(false)
    }
  }

  mutating func note(failure: String, isProbe: Bool, at now: Instant) {
    if isProbe {
      probes += 1
      state = probes >= Self.probeLimit ? .dead(last: failure) : .open(until: now.advanced(by: Self.pause))
      return
    }
    append(true)
    guard case .closed = state, outcomes.count >= Self.least else { return }
    let failures = outcomes.count { $0 }
    if failures * 5 >= outcomes.count * 4 { state = .open(until: now.advanced(by: Self.pause)) }
  }

  private mutating func append(_ failed: Bool) {
    outcomes.append(failed)
    if outcomes.count > Self.most { outcomes.removeFirst() }
  }
}
