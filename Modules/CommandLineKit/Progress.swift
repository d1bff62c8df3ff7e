import Synchronization

/// A line that tells how far the work is: redrawn ten times per second on a terminal, one line per second in a log.
public final class Progress: Sendable {
  private let report: Report
  private let started: ContinuousClock.Instant
  private let interval: Duration
  private let last: Mutex<ContinuousClock.Instant>

  /// Progress on `report`; nothing is shown in the first 300 ms, so that quick work stays silent.
  public init(_ report: Report) {
    self.report = report
    started = ContinuousClock.now
    interval = report.replacesProgress ? .milliseconds(100) : .seconds(1)
    last = Mutex(ContinuousClock.now + .milliseconds(300) - interval)
  }

  /// Shows what `text` makes of the seconds since the beginning, which are not none.
  public func show(_ text: (_ elapsed: Double) -> String) {
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      guard last.duration(to: now) >= interval else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let (seconds, attoseconds) = started.duration(to: now).components
    report.progress(text(max(Double(seconds) + Double(attoseconds) / 1e18, 0.001)))
  }

  /// Shows rows, bytes and their rate: `123,000 rows, 4.2 MB, 1.3 MB/s`.
  public func update(rows: Int, bytes: Int) {
    show { "\(Self.grouped(rows)) rows, \(Self.size(bytes)), \(Self.size(Int(Double(bytes) / $0)))/s" }
  }

  /// Shows the progress of many requests: `123 of 2,000 requests, 12 s left`; erases the line after the last.
  public func update(answers done: Int, of all: Int) {
    guard done < all else { return finish() }
    show { "\(Self.grouped(done)) of \(Self.grouped(all)) requests\(Self.left(done, of: all, after: $0))" }
  }

  /// Takes the line away.
  public func finish() { report.clear() }

  /// `, 1 min 12 s left`; nothing when nothing is done.
  public static func left(_ done: Int, of all: Int, after elapsed: Double) -> String {
    guard done > 0 else { return "" }
    let left = Int((elapsed / Double(done) * Double(all - done)).rounded(.up))
    return ", " + (left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s") + " left"
  }

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
