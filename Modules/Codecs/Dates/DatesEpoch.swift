extension Dates {
  /// The first and the last second that RFC 3339 can write: the years 0000 to 9999.
  static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
  /// A fraction longer than this is not a time but a mistake.
  private static let longestFraction = 64

  /// Seconds since 1970-01-01T00:00:00Z as a timestamp in RFC 3339, UTC: `2013-09-29T20:00:00Z`; nil outside the years
  /// 0000 to 9999.
  public static func timestamp(epochSeconds seconds: Int64) -> [UInt8]? { timestamp(seconds, fraction: []) }

  /// The number that `literal` writes (in JSON's grammar: negative, with a fraction or an exponent as well), taken as
  /// seconds since 1970-01-01T00:00:00Z, as a timestamp. The fraction is kept digit for digit, an exponent is expanded.
  ///
  /// Nil for anything that is not such a number, outside the years 0000 to 9999, or with more than 64 digits of
  /// fraction.
  public static func timestamp(epochLiteral literal: [UInt8]) -> [UInt8]? {
    guard let number = DecimalLiteral(literal), number.fractionCount <= longestFraction else { return nil }
    guard var seconds = Int64(String(decoding: number.whole, as: UTF8.self)) else { return nil }
    var fraction = number.fraction
    if number.isNegative {
      seconds = -seconds
      // Times before 1970 are counted from the previous second: -0.25 is 0.75 s after second -1.
      if let last = fraction.lastIndex(where: { $0 != 48 }) {
        seconds -= 1
        for position in fraction.indices.prefix(through: last) {
          fraction[position] = position == last ? 106 - fraction[position] : 105 - fraction[position]
        }
      }
    }
    return timestamp(seconds, fraction: fraction)
  }

  /// A timestamp in RFC 3339 and UTC as whole seconds since 1970-01-01T00:00:00Z; nil for anything else. The fraction
  /// is dropped.
  public static func epochSeconds(of timestamp: [UInt8]) -> Int64? {
    guard isTimestamp(timestamp), let day = daysSince1970(Array(timestamp[..<10])),
      let hour = number(timestamp.span, 11, 2), let minute = number(timestamp.span, 14, 2),
      let second = number(timestamp.span, 17, 2)
    else { return nil }
    return Int64(day * 86_400 + hour * 3600 + minute * 60 + second)
  }

  /// A whole date (`1966-03-07`) as days since 1970-01-01; nil for anything else.
  package static func daysSince1970(_ text: [UInt8]) -> Int? {
    guard text.count == 10, isDate(text), let year = number(text.span, 0, 4), let month = number(text.span, 5, 2),
      let day = number(text.span, 8, 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day).daysSince1970
  }

  static func timestamp(_ seconds: Int64, fraction: [UInt8]) -> [UInt8]? {
    guard writable.contains(seconds) else { return nil }
    let (day, second) = Int(seconds).quotientAndRemainderRoundingDown(dividingBy: 86_400)
    let date = CivilDate(daysSince1970: day)
    var text = twoDigits(date.year / 100) + twoDigits(date.year % 100) + Array("-".utf8)
    text +=
      twoDigits(date.month) + Array("-".utf8) + twoDigits(date.day) + Array("T".utf8) + twoDigits(second / 3600)
      + Array(":".utf8)
    text += twoDigits(second / 60 % 60) + Array(":".utf8) + twoDigits(second % 60)
    if !fraction.isEmpty { text += Array(".".utf8) + fraction }
    return text + Array("Z".utf8)
  }
}
