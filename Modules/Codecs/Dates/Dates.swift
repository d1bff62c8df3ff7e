internal import Rows

/// Dates and timestamps as text: which are valid, and how those that sources write become ISO 8601.
public enum Dates {
  /// A date format of a source.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// `1966-03-07`.
    case isoDay = "YYYY-MM-DD"
    /// `1966-03`.
    case isoMonth = "YYYY-MM"
    /// `1966`.
    case year = "YYYY"
    /// `03-07-1966`.
    case monthDayYear = "MM-DD-YYYY"
    /// `March 1966`, also `Mar 1966`, ignoring case.
    case monthNameYear = "Month YYYY"
  }

  /// Whether `text` is a date in ISO 8601, whole or partial: `1958`, `1966-03`, `1966-03-07`. The day must be in the
  /// calendar.
  public static func isDate(_ text: [UInt8]) -> Bool { isDate(text.span) }
  /// Whether `text` is a date in ISO 8601, whole or partial.
  static func isDate(_ text: Span<UInt8>) -> Bool {
    guard let year = number(text, 0, 4) else { return false }
    switch text.count {
    case 4: return true
    case 7: return text[4] == dash && isMonth(number(text, 5, 2))
    case 10: return text[4] == dash && text[7] == dash && isDay(year, number(text, 5, 2), number(text, 8, 2))
    default: return false
    }
  }

  /// The day that a date or a timestamp begins with, in days since 1970-01-01: of a partial date its first day; nil for
  /// any other text.
  public static func day(of text: [UInt8]) -> Int? {
    let date = text.count > 10 && isTimestamp(text) ? Array(text[..<10]) : text
    guard isDate(date), let year = number(date.span, 0, 4) else { return nil }
    let month = date.count >= 7 ? number(date.span, 5, 2) ?? 1 : 1,
      day = date.count == 10 ? number(date.span, 8, 2) ?? 1 : 1
    return CivilDate(year: year, month: month, day: day).daysSince1970
  }

  /// Full years from one whole day to another, as in an age; nil if either is not a whole day. A longer `end` is cut to
  /// its date.
  public static func years(from start: String, to end: String) -> Int? {
    let end = end.prefix(10)
    guard start.utf8.count == 10, end.utf8.count == 10, isDate(Array(start.utf8)), isDate(Array(end.utf8)),
      let first = Int(start.prefix(4)), let last = Int(end.prefix(4))
    else { return nil }
    return last - first - (end.dropFirst(5) < start.dropFirst(5) ? 1 : 0)
  }

  /// Whether `text` is a timestamp in RFC 3339 and UTC: `2013-09-29T20:00:00Z`, with a fraction of any length, `T` and
  /// `Z` upper case. A second 60 is accepted at the end of a day.
  public static func isTimestamp(_ text: [UInt8]) -> Bool { isTimestamp(text.span) }
  /// Whether `text` is a timestamp in RFC 3339 and UTC.
  static func isTimestamp(_ text: Span<UInt8>) -> Bool { timeForm(text) == .instant }

  /// Whether `text` is a date and time without a zone, `2024-01-06T10:00`, with seconds and a fraction or without, or a
  /// whole day.
  public static func isDatetime(_ text: [UInt8]) -> Bool { isDatetime(text.span) }
  static func isDatetime(_ text: Span<UInt8>) -> Bool {
    text.count == 10 ? isDate(text) : timeForm(text) == .local
  }

  package enum TimeForm {
    /// RFC 3339 in UTC.
    case instant
    /// Without a zone, with `T` or with a space.
    case local, spaced
  }

  /// The form of a date and time; nil for other text.
  package static func timeForm(_ text: Span<UInt8>) -> TimeForm? {
    let count = text.count
    guard count >= 16, text[4] == dash, text[7] == dash, text[13] == UInt8(ascii: ":"),
      let year = number(text, 0, 4), isDay(year, number(text, 5, 2), number(text, 8, 2)),
      let hour = number(text, 11, 2), let minute = number(text, 14, 2), hour < 24, minute < 60
    else { return nil }
    var at = 16
    if count > 16, text[16] == UInt8(ascii: ":") {
      guard let second = number(text, 17, 2), second < 60 || second == 60 && minute == 59 && hour == 23 else {
        return nil
      }
      at = 19
      if count > 20, text[19] == UInt8(ascii: "."), isDigit(text[20]) {
        at = 21
        while at < count, isDigit(text[at]) { at += 1 }
      }
    }
    let isSpaced = text[10] == UInt8(ascii: " ")
    guard isSpaced || text[10] == UInt8(ascii: "T") else { return nil }
    if at == count { return isSpaced ? .spaced : .local }
    return at == count - 1 && at > 16 && !isSpaced && text[at] == UInt8(ascii: "Z") ? .instant : nil
  }

  /// Whether a text is a date and time without a zone, or a day. A space before the time becomes a `T`, as cells have
  /// it; the spelling of the column remembers it.
  /// - Parameter spelling: that of all values of the column; nil for any.
  static func acceptLocal(
    _ text: UnsafeMutablePointer<UInt8>, _ count: Int, _ form: TimeForm?, spelling: ValueSpelling?
  ) -> Bool {
    switch form {
    case .local: return spelling == nil || spelling == .usual
    case .spaced:
      guard spelling == nil || spelling == .spaced else { return false }
      unsafe text[10] = UInt8(ascii: "T")
      return true
    case .instant: return false
    case nil: return unsafe count == 10 && isDay(text)
    }
  }

  /// Whether the ten bytes at `text`, which at least six others follow, are a whole day: eight of them at once.
  @inline(__always) static func isDay(_ text: UnsafePointer<UInt8>) -> Bool {
    let (head, tail) = unsafe (
      UInt64(littleEndian: UnsafeRawPointer(text).loadUnaligned(as: UInt64.self)),
      UInt16(littleEndian: UnsafeRawPointer(text + 8).loadUnaligned(as: UInt16.self))
    )
    guard head & 0xFF00_00FF_0000_0000 == 0x2D00_002D_0000_0000 else { return false }
    let digits = head ^ 0x2D30_302D_3030_3030, last = tail ^ 0x3030
    // A byte is a digit if it is below 10: neither it nor it plus 6 has one of the four high bits.
    guard (digits | digits &+ 0x0006_0600_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0, (last | last &+ 0x0606) & 0xF0F0 == 0
    else { return false }
    let month = digits &>> 40 & 15 &* 10 &+ digits &>> 48 & 15, day = Int(last & 15 &* 10 &+ last &>> 8)
    guard month &- 1 < 12, day >= 1 else { return false }
    if day <= 28 { return true }
    let year = ((digits & 15) &* 10 &+ digits &>> 8 & 15) &* 100 &+ (digits &>> 16 & 15) &* 10 &+ digits &>> 24 & 15
    return day <= CivilDate.days(in: Int(month), of: Int(year))
  }

  /// A source's date as an ISO 8601 date; nil when `text` is not written in that format or not in the calendar.
  public static func date(_ text: [UInt8], format: Format) -> [UInt8]? {
    switch format {
    case .isoDay: return text.count == 10 && isDate(text) ? text : nil
    case .isoMonth: return text.count == 7 && isDate(text) ? text : nil
    case .year: return text.count == 4 && isDate(text) ? text : nil
    case .monthDayYear:
      guard text.count == 10, text[2] == dash, text[5] == dash else { return nil }
      let date = Array(text[6...]) + [dash] + text[..<5]
      return isDate(date) ? date : nil
    case .monthNameYear:
      guard let blank = text.lastIndex(of: UInt8(ascii: " ")), let month = month(named: text[..<blank]) else {
        return nil
      }
      let date = Array(text[(blank + 1)...]) + [dash] + twoDigits(month)
      return date.count == 7 && isDate(date) ? date : nil
    }
  }

  /// The month, 1 to 12, whose English name or its first three letters are in `name`.
  private static func month(named name: ArraySlice<UInt8>) -> Int? {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december",
    ]
    let lower = name.map { $0 | 0x20 }
    let index = names.firstIndex { $0.utf8.elementsEqual(lower) || $0.utf8.prefix(3).elementsEqual(lower) }
    return index.map { $0 + 1 }
  }

  // MARK: - Parts

  private static let dash = UInt8(ascii: "-")

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  /// The number that `count` digits at `start` write; nil when they are not all there.
  static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
    guard start + count <= text.count else { return nil }
    var value = 0
    for position in start..<start + count {
      guard isDigit(text[position]) else { return nil }
      value = value * 10 + Int(text[position] - 48)
    }
    return value
  }

  private static func isMonth(_ month: Int?) -> Bool { month.map { (1...12).contains($0) } ?? false }

  private static func isDay(_ year: Int, _ month: Int?, _ day: Int?) -> Bool {
    guard let month, isMonth(month), let day else { return false }
    return (1...CivilDate.days(in: month, of: year)).contains(day)
  }

  static func twoDigits(_ value: Int) -> [UInt8] { [UInt8(48 + value / 10 % 10), UInt8(48 + value % 10)] }
}
