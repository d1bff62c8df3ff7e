import Codecs

/// The kind of value that a number format shows: a number, or a part of a date.
enum NumberFormat: Sendable {
  case number
  case date
  case time
  case dateTime
  /// A day and a time, followed by a Z for UTC.
  case timestamp
  /// A number of hours, minutes or seconds, which may exceed a day.
  case elapsed

  /// The format that a number of `numFmtId` stands for without a code of its own (ISO/IEC 29500-1, 18.8.30).
  init(builtIn id: Int) {
    switch id {
    case 14...17, 27...31, 36, 50...54, 57, 58: self = .date
    case 18...21, 32...35, 45, 47, 55, 56: self = .time
    case 22: self = .dateTime
    case 46: self = .elapsed
    default: self = .number
    }
  }

  /// The format of a code such as `yyyy\-mm\-dd` or `[h]:mm;@`.
  init(code: String) {
    var hasDay = false, hasTime = false, hasMonthOrMinute = false
    var rest = Array(code.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: ";"):
        // The other sections are for negative numbers, zero and text.
        rest = []
      case UInt8(ascii: "\""):
        while let inside = rest.popFirst(), inside != byte {}
      case UInt8(ascii: "\\"), UInt8(ascii: "_"), UInt8(ascii: "*"): _ = rest.popFirst()
      case UInt8(ascii: "["):
        let inside = rest.prefix { $0 != UInt8(ascii: "]") }
        rest = rest.dropFirst(inside.count + 1)
        if let first = inside.first, "hmsHMS".utf8.contains(first), inside.allSatisfy({ $0 | 32 == first | 32 }) {
          self = .elapsed
          return
        }
      case UInt8(ascii: "G"), UInt8(ascii: "g"):
        // “General”, also “Generic” of older programs.
        if rest.starts(with: "eneral".utf8) || rest.starts(with: "ENERAL".utf8) { rest = rest.dropFirst(6) }
      case UInt8(ascii: "A"), UInt8(ascii: "a"):
        // AM/PM and A/P, whose letters mean no month.
        if rest.starts(with: "M/PM".utf8) || rest.starts(with: "m/pm".utf8) { rest = rest.dropFirst(4) }
      case UInt8(ascii: "y"), UInt8(ascii: "Y"), UInt8(ascii: "d"), UInt8(ascii: "D"): hasDay = true
      case UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "s"), UInt8(ascii: "S"): hasTime = true
      case UInt8(ascii: "m"), UInt8(ascii: "M"): hasMonthOrMinute = true
      default: break
      }
    }
    switch (hasDay, hasTime) {
    case (true, true): self = code.hasSuffix("\\Z") || code.hasSuffix("\"Z\"") ? .timestamp : .dateTime
    case (true, false): self = .date
    case (false, true): self = .time
    case (false, false): self = hasMonthOrMinute ? .date : .number
    }
  }
}

/// Dates as spreadsheets count them: days since an epoch, times as fractions of a day.
enum SerialDate {
  /// The first day that is not before any and after all: 10000-01-01 in days since 1899-12-30.
  private static let end = 2_958_466.0
  /// 0001-01-01: Excel shows no dates before 1900, but other programs write them.
  private static let start = -693_593.0

  /// The text of a number shown as a date, to a millisecond: `2024-05-01`, `2024-05-01T10:30:00`, `10:30:00`, of
  /// elapsed time `25:30:00`; nil for a number outside the range of dates.
  /// - Parameter from1904: whether day 0 is 1904-01-01. Else day 1 is 1900-01-01, and day 60, the nonexistent
  ///   29 February 1900, is invalid.
  static func text(_ serial: Double, as format: NumberFormat, from1904: Bool) -> [UInt8]? {
    let isDay = format == .date || format == .dateTime || format == .timestamp
    guard serial >= (isDay ? start : 0), serial < end, format != .number else { return nil }
    // The fraction alone is exact; its product with the whole would not be.
    let whole = serial.rounded(.down), part = Int(((serial - whole) * 86_400_000).rounded())
    let days = Int(whole) + part / 86_400_000, rest = part % 86_400_000
    var text: [UInt8] = []
    if format == .elapsed {
      put(time: days * 86_400_000 + rest, &text)
      return text
    }
    if days == 0, !from1904 || format == .time {
      put(time: rest, &text)
      return text
    }
    guard let day = day(days, from1904: from1904) else { return nil }
    text = day
    if rest == 0, format == .date { return text }
    text.append(UInt8(ascii: "T"))
    put(time: rest, &text)
    if format == .timestamp { text.append(UInt8(ascii: "Z")) }
    return text
  }

  private static func day(_ days: Int, from1904: Bool) -> [UInt8]? {
    if !from1904, days == 60 { return nil }
    // Days between 1970-01-01 and 1904-01-01, 1899-12-30, 1899-12-31.
    let date = CivilDate(daysSince1970: days - (from1904 ? 24_107 : 1..<60 ~= days ? 25_568 : 25_569))
    guard 1...9999 ~= date.year else { return nil }
    var text: [UInt8] = []
    put(date.year / 100, &text)
    put(date.year % 100, &text)
    text.append(UInt8(ascii: "-"))
    put(date.month, &text)
    text.append(UInt8(ascii: "-"))
    put(date.day, &text)
    return text
  }

  private static func put(time milliseconds: Int, _ text: inout [UInt8]) {
    let seconds = milliseconds / 1000, fraction = milliseconds % 1000
    let hours = seconds / 3600
    if hours < 100 { put(hours, &text) } else { text += String(hours).utf8 }
    text.append(UInt8(ascii: ":"))
    put(seconds / 60 % 60, &text)
    text.append(UInt8(ascii: ":"))
    put(seconds % 60, &text)
    guard fraction > 0 else { return }
    text.append(UInt8(ascii: "."))
    text.append(UInt8(48 + fraction / 100))
    put(fraction % 100, &text)
  }

  private static func put(_ number: Int, _ text: inout [UInt8]) {
    text.append(UInt8(48 + number / 10))
    text.append(UInt8(48 + number % 10))
  }
}
