public import Domain
import Glibc

/// The machine's date.
public struct SystemClock: WallClock {
  /// The clock.
  public init() {}
  /// The time now.
  public func now() -> Instant { Instant(seconds: Int64(time(nil))) }
}
