import Synchronization

/// A line that says how far the work is: rows, bytes, rate; redrawn at most ten times a second.
public final class Progress: Sendable {
  private struct State {
    var last: ContinuousClock.Instant
    var isShown = false
  }
  private let report: Report
  private let started: ContinuousClock.Instant
  private let state: Mutex<State>

  /// Progress on `report`; nothing is shown in the first half second, so that quick work stays silent.
  public init(_ report: Report) {
    self.report = report
    started = ContinuousClock.now
    state = Mutex(State(last: ContinuousClock.now + .milliseconds(400)))
  }

  /// Tells how far the work is.
  public func update(rows: Int, bytes: Int) {
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      guard state.last.duration(to: now) >= .milliseconds(100) else { return false }
      state.last = now
      return true
    }
    guard isDue else { return }
    let (seconds, attoseconds) = started.duration(to: now).components
    let elapsed = Double(seconds) + Double(attoseconds) / 1e18
    report.progress(
      "\(Self.grouped(rows)) rows, \(Self.size(bytes)), \(Self.size(Int(Double(bytes) / max(elapsed, 0.001))))/s")
  }

  /// Takes the line away.
  public func finish() { report.clear() }

  /// `1,234,567`.
  public static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits = String(digits.dropLast(3))
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  /// `17.9 MB`, with factors of a thousand.
  public static func size(_ bytes: Int) -> String {
    var tenths = bytes * 10, unit = 0
    let units = ["B", "kB", "MB", "GB", "TB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
