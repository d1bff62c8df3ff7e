extension Dates {
  /// The first and the last second that RFC 3339 can write: the years 0000 to 9999.
  private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
  /// A fraction longer than this is not a time but a mistake.
  private static let longestFraction = 64

  /// Seconds since 1970-01-01T00:00:00Z as a timestamp in RFC 3339, UTC: `2013-09-29T20:00:00Z`; nil outside the years 0000 to 9999.
  public static func timestamp(epochSeconds seconds: Int64) -> [UInt8]? { timestamp(seconds, fraction: []) }

  /// The number that `literal` writes (in JSON's grammar: negative, with a fraction or an exponent as well), taken as seconds since
  /// 1970-01-01T00:00:00Z, as a timestamp. The fraction is kept digit for digit, an exponent is expanded.
  ///
  /// Nil for anything that is not such a number, outside the years 0000 to 9999, or with more than 64 digits of fraction.
  public static func timestamp(epochLiteral literal: [UInt8]) -> [UInt8]? {
    guard let number = DecimalLiteral(literal), number.fractionCount <= longestFraction else { return nil }
    guard var seconds = Int64(String(decoding: number.whole, as: UTF8.self)) else { return nil }
    var fraction = number.fraction
    if number.isNegative {
      seconds = -seconds
      // Times before 1970 count on from the second before: -0.25 is 0.75 s behind second -1.
      if let last = fraction.lastIndex(where: { $0 != 48 }) {
        seconds -= 1
        for position in fraction.indices.prefix(through: last) {
          fraction[position] = position == last ? 106 - fraction[position] : 105 - fraction[position]
        }
      }
    }
    return timestamp(seconds, fraction: fraction)
  }

  /// A whole date (`1966-03-07`) as days since 1970-01-01; nil for anything else.
  static func daysSince1970(_ text: [UInt8]) -> Int? {
    guard text.count == 10, isDate(text), let year = number(text.span, 0, 4), let month = number(text.span, 5, 2),
      let day = number(text.span, 8, 2)
    else { return nil }
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.quotientAndRemainderRoundingDown(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func timestamp(_ seconds: Int64, fraction: [UInt8]) -> [UInt8]? {
    guard writable.contains(seconds) else { return nil }
    let (day, second) = Int(seconds).quotientAndRemainderRoundingDown(dividingBy: 86_400)
    let (year, month, date) = civil(daysSince1970: day)
    var text = twoDigits(year / 100) + twoDigits(year % 100) + Array("-".utf8) + twoDigits(month) + Array("-".utf8)
    text += twoDigits(date) + Array("T".utf8) + twoDigits(second / 3600) + Array(":".utf8)
    text += twoDigits(second / 60 % 60) + Array(":".utf8) + twoDigits(second % 60)
    if !fraction.isEmpty { text += Array(".".utf8) + fraction }
    return text + Array("Z".utf8)
  }

  /// The date in the Gregorian calendar of a day counted from 1970-01-01: years of 400 begin with March, so that the leap day is the last.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainderRoundingDown(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Int {
  fileprivate func quotientAndRemainderRoundingDown(dividingBy divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
