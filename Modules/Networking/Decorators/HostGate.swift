import Domain
import Rows
import Synchronization

/// Controls the requests to one host: their number at a time, the time between them, and whether any are sent.
///
/// A throttled response closes the gate for all requests until the time that the host names; then they follow at the
/// rate that it last served. A host that fails most requests is probed after a pause, by one request at a time.
final class HostGate<Waiting: Clock>: Sendable where Waiting.Duration == Duration {
  /// The permission to send one request.
  struct Ticket: Sendable {
    /// The number of closings so far: one throttled response of each period counts.
    fileprivate var period: Int
    /// Whether the request finds out whether a failing host has recovered.
    fileprivate var isProbe: Bool
  }

  enum Outcome {
    /// A final response.
    case answered
    /// No response, or one that says that the server failed.
    case failed(String)
    /// The host asks to wait.
    case throttled(Duration, status: Int)
  }

  struct State {
    var underWay = 0
    var limit = Int.max
    var waiting: [(id: Int, waiter: CheckedContinuation<Void, Never>)] = []
    var nextID = 0
    var period = 0
    var closedUntil: Waiting.Instant?
    /// The status of the response that closed it, and the time of the next report about the wait.
    var status = 0
    var reportsAt: Waiting.Instant?
    /// The time between two requests; nil for none.
    var interval: Duration?
    var nextTurn: Waiting.Instant?
    var grownAt: Waiting.Instant?
    var patience = Duration.seconds(2)
    var served = ServedRate()
    var run = 0
    var breaker = HostBreaker<Waiting.Instant>()
    var requests = 0, retries = 0, answered = 0
  }

  enum Step {
    case go(Ticket)
    case sleep(Waiting.Instant)
    case queue
    case fail(String)
  }

  private let clock: Waiting
  private let start: Waiting.Instant
  private let jitter: @Sendable () -> Duration
  private let waits: @Sendable (_ seconds: Int64, _ status: Int) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - waits: receives the seconds that a throttled host is waited for: after 2 s, then every 30 s.
  ///   - jitter: draws the wait of a request after a closed gate opens.
  init(
    clock: Waiting, waits: @escaping @Sendable (Int64, Int) -> Void = { _, _ in },
    jitter: @escaping @Sendable () -> Duration
  ) {
    (self.clock, self.waits) = (clock, waits)
    self.jitter = jitter
    start = clock.now
  }

  /// Waits for permission to send a request.
  /// - Throws: `unavailable` for a host that keeps failing, and when `deadline` has passed; `cancelled`.
  func enter(until deadline: Waiting.Instant, _ url: String) async throws(Problem) -> Ticket {
    var turn: Int?
    while true {
      let now = clock.now
      let step = state.withLock { Self.step(&$0, at: now, &turn, jitter) }
      switch step {
      case .go(let ticket): return ticket
      case .fail(let last):
        wakeAll()
        throw Problem(
          .unavailable, "the server keeps failing (\(last))", at: URLText.redacted(url), hint: "try again later")
      case .sleep(let wake):
        guard wake <= deadline else {
          wakeAll()
          let status = state.withLock { $0.status }
          let limit = status == 0 ? "accepts no more requests" : "limits requests (\(status)), and accepts no more"
          throw Problem(
            .unavailable, "the server \(limit) within the total time", at: URLText.redacted(url),
            hint: ["try again later", .raise(.deadline)])
        }
        do { try await clock.sleep(until: reported(wake), tolerance: nil) } catch {
          wakeAll()
          throw Problem(.cancelled, "interrupted", at: URLText.redacted(url))
        }
      case .queue:
        await queue()
        if Task.isCancelled {
          wakeAll()
          throw Problem(.cancelled, "interrupted", at: URLText.redacted(url))
        }
      }
    }
  }

  /// Reports a long wait if that is due; the time until which to sleep, which is that of the next report or `wake`.
  private func reported(_ wake: Waiting.Instant) -> Waiting.Instant {
    let now = clock.now
    let (next, report): (Waiting.Instant, (Int64, Int)?) = state.withLock { state in
      guard let due = state.reportsAt, let opening = state.closedUntil, now < opening else { return (wake, nil) }
      guard now >= due else { return (min(wake, due), nil) }
      let following = now.advanced(by: .seconds(30))
      state.reportsAt = following
      return (min(wake, following), (now.duration(to: opening).components.seconds + 1, state.status))
    }
    if let report { waits(report.0, report.1) }
    return next
  }

  /// Lets the queued requests look again, when a request that would have woken them is not sent.
  private func wakeAll() {
    let woken = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting.map(\.waiter)
    }
    for waiter in woken { waiter.resume() }
  }

  /// The next step of a request that asks at `now`.
  /// - Parameter turn: the period in which the request was given a turn; turns end with their period.
  static func step(
    _ state: inout State, at now: Waiting.Instant, _ turn: inout Int?, _ jitter: () -> Duration
  ) -> Step {
    var isProbe = false
    switch state.breaker.state {
    case .closed: break
    case .dead(let last): return .fail(last)
    case .open(let until): if now < until { return .sleep(until) } else { isProbe = true }
    case .probing: return .queue
    }
    if let opening = state.closedUntil {
      if now < opening {
        turn = nil
        // Requests that wait together do not come together.
        return .sleep(state.interval == nil ? opening.advanced(by: jitter()) : opening)
      }
      state.closedUntil = nil
    }
    if state.underWay >= state.limit { return .queue }
    if let interval = state.interval, turn != state.period {
      let time = max(state.nextTurn ?? now, now)
      state.nextTurn = time.advanced(by: interval)
      turn = state.period
      if now < time { return .sleep(time) }
    }
    if isProbe { state.breaker.state = .probing }
    state.underWay += 1
    state.requests += 1
    return .go(Ticket(period: state.period, isProbe: isProbe))
  }

  /// Suspends until a request has ended.
  private func queue() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let isLate = state.withLock { state in
          // What it waits for may have happened in between.
          let mayGo = state.underWay == 0 || Task.isCancelled
          if !mayGo { state.waiting.append((id, waiter)) }
          return mayGo
        }
        if isLate { waiter.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let place = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiting.remove(at: place).waiter
      }
      waiter?.resume()
    }
  }

  /// Gives a permission back.
  func leave(_ ticket: Ticket, _ outcome: Outcome) {
    let now = clock.now
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let others = state.underWay
      state.underWay -= 1
      switch outcome {
      case .answered: Self.noteSuccess(&state, ticket, since: start, at: now)
      case .failed(let last):
        state.run = 0
        state.breaker.note(failure: last, isProbe: ticket.isProbe, at: now)
      case .throttled(let wait, let status):
        state.run = 0
        state.status = status
        state.reportsAt = state.reportsAt ?? now.advanced(by: .seconds(2))
        if ticket.isProbe { state.breaker.state = .closed }
        let opening = now.advanced(by: wait)
        state.closedUntil = max(state.closedUntil ?? opening, opening)
        if ticket.period == state.period { Self.slowDown(&state, others, since: start, at: now) }
      }
      let free = state.limit == .max ? state.waiting.count : max(0, state.limit - state.underWay)
      let woken = state.waiting.prefix(max(free, ticket.isProbe ? state.waiting.count : 0)).map(\.waiter)
      state.waiting.removeFirst(woken.count)
      return woken
    }
    for waiter in woken { waiter.resume() }
  }

  private static func noteSuccess(
    _ state: inout State, _ ticket: Ticket, since start: Waiting.Instant, at now: Waiting.Instant
  ) {
    state.served.note(start.duration(to: now))
    state.breaker.noteSuccess(isProbe: ticket.isProbe)
    state.run += 1
    state.answered += 1
    guard state.limit != .max else { return }
    if state.run % 20 == 0 { state.limit += 1 }
    guard let interval = state.interval, let grown = state.grownAt, grown.duration(to: now) > state.patience else {
      return
    }
    state.interval = interval / 1.25
    state.grownAt = now
  }

  /// Halves the requests at a time, and spaces them by what the host served in the last second.
  private static func slowDown(
    _ state: inout State, _ atATime: Int, since start: Waiting.Instant, at now: Waiting.Instant
  ) {
    state.period += 1
    guard atATime > 1 || state.interval != nil else { return }
    state.limit = max(1, min(state.limit, atATime) / 2)
    let served = state.served.lastSecond(at: start.duration(to: now))
    if served > 0 { state.interval = .seconds(1 / (Double(served) * 0.95)) }
    state.nextTurn = nil
    state.grownAt = state.closedUntil
    state.patience = min(.seconds(16), state.patience * 2)
  }

  /// The number of requests that were answered.
  var served: Int { state.withLock { $0.answered } }

  /// Closes the gate, because the host announced that its limit is reached.
  func close(for wait: Duration) {
    let opening = clock.now.advanced(by: wait)
    state.withLock { $0.closedUntil = max($0.closedUntil ?? opening, opening) }
  }

  /// Whether one more request may be repeated: of all requests, at most one in five and ten.
  func mayRetry() -> Bool {
    state.withLock { state in
      guard state.retries < state.requests / 5 + 10 else { return false }
      state.retries += 1
      return true
    }
  }
}

/// The number of requests that a host served in the last second, counted in tenths.
struct ServedRate: Sendable {
  private var counts = [Int](repeating: 0, count: 10)
  private var last = 0

  private mutating func advance(to time: Duration) {
    let (seconds, attoseconds) = time.components
    let tenth = Int(seconds) * 10 + Int(attoseconds / 100_000_000_000_000_000)
    for passed in 0..<max(0, min(10, tenth - last)) { counts[(last + 1 + passed) % 10] = 0 }
    if tenth - last > 10 { counts = [Int](repeating: 0, count: 10) }
    last = max(last, tenth)
  }

  mutating func note(_ time: Duration) {
    advance(to: time)
    counts[last % 10] += 1
  }

  mutating func lastSecond(at time: Duration) -> Int {
    advance(to: time)
    return counts.reduce(0, +)
  }
}
