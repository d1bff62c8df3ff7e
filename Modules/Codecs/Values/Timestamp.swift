/// Seconds since 1970-01-01T00:00:00Z.
public struct Instant: Sendable, Hashable, Comparable {
  /// Whole seconds; negative before 1970.
  public var seconds: Int64
  /// An instant.
  public init(seconds: Int64) { self.seconds = seconds }
  /// Earlier first.
  public static func < (a: Instant, b: Instant) -> Bool { a.seconds < b.seconds }
}

extension Instant {
  /// RFC 3339 in UTC, whole seconds: `2013-09-29T20:00:00Z`. Clamped to the years 0000 to 9999.
  public var timestamp: String {
    let seconds = min(max(self.seconds, Dates.writable.lowerBound), Dates.writable.upperBound)
    return String(decoding: Dates.timestamp(epochSeconds: seconds) ?? [], as: UTF8.self)
  }
}
