/// Dates by ISO 8601 that may be known in part: `1958`, `1966-03`, `1966-03-07`.
///
/// As bytes they sort by their earliest day, the less certain first.
public enum PartialDate {
  /// Whether bytes are such a date, of a day that exists.
  public static func isValid(_ text: some Collection<UInt8>) -> Bool {
    let bytes = Array(text)
    guard bytes.count == 4 || bytes.count == 7 || bytes.count == 10 else { return false }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard byte &- 48 < 10 else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      return value
    }
    guard let year = number(0..<4) else { return false }
    guard bytes.count >= 7 else { return true }
    guard bytes[4] == 45, let month = number(5..<7), (1...12).contains(month) else { return false }
    guard bytes.count == 10 else { return true }
    guard bytes[7] == 45, let day = number(8..<10) else { return false }
    return day >= 1 && day <= days(in: month, of: year)
  }

  /// Full years between two whole days, `1976-10-23`; nil when one of them is not whole.
  public static func years(from start: String, to end: String) -> Int? {
    guard start.utf8.count == 10, end.utf8.count >= 10, isValid(start.utf8), isValid(Array(end.utf8.prefix(10))),
      let first = Int(start.prefix(4)), let last = Int(end.prefix(4))
    else { return nil }
    let isBefore = end.dropFirst(5).prefix(5) < start.dropFirst(5)
    return last - first - (isBefore ? 1 : 0)
  }

  /// Days of a month, 28 to 31, in the Gregorian calendar.
  public static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
