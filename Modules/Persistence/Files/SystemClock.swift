public import Codecs
public import Domain
import Glibc

/// The machine's date.
public struct SystemClock: WallClock {
  /// The clock.
  public init() {}
  /// The time now.
  public func now() -> Instant { Instant(seconds: Int64(time(nil))) }
  /// The time now in milliseconds since 1970.
  package static func milliseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
  /// The time now, RFC 3339 in UTC, whole seconds.
  public var timestamp: String {
    String(decoding: Dates.timestamp(epochSeconds: now().seconds) ?? [], as: UTF8.self)
  }
}
