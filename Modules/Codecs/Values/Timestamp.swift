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
  /// RFC 3339 in UTC, whole seconds: `2013-09-29T20:00:00Z`. Years 0000 to 9999; an instant outside of them is the nearest that is inside.
  public var timestamp: String {
    let seconds = min(max(self.seconds, -62_167_219_200), 253_402_300_799)
    let second = Int(seconds) - Self.days(seconds) * 86_400
    let (year, month, day) = Self.civil(daysSince1970: Self.days(seconds))
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let date = "\(two(year / 100))\(two(year % 100))-\(two(month))-\(two(day))"
    return "\(date)T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }

  /// Whole days since 1970-01-01, counted down before.
  private static func days(_ seconds: Int64) -> Int {
    Int(seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1)
  }

  /// The day in the Gregorian calendar: years of 400 begin with March, so that the leap day is the last.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }
}
