public import Codecs
public import Domain
import Glibc

/// The machine's date.
public struct SystemClock: WallClock {
  /// The clock.
  public init() {}
  /// The time now.
  public func now() -> Instant { Instant(seconds: Int64(time(nil))) }
  /// The time now, RFC 3339 in UTC, whole seconds.
  public var timestamp: String {
    String(decoding: Dates.timestamp(epochSeconds: now().seconds) ?? [], as: UTF8.self)
  }
}
