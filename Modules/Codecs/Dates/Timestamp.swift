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

extension Instant {
  /// The instant that RFC 3339 text in UTC and whole seconds names; nil for other text.
  public init?(timestamp text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z"), Dates.isTimestamp(bytes),
      let days = Dates.daysSince1970(Array(bytes.prefix(10))), let hour = Dates.number(bytes.span, 11, 2),
      let minute = Dates.number(bytes.span, 14, 2), let second = Dates.number(bytes.span, 17, 2)
    else { return nil }
    self.init(seconds: Int64(((days * 24 + hour) * 60 + minute) * 60 + second))
  }
}
