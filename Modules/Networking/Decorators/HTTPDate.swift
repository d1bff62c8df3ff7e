/// Dates in HTTP headers (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970; nil when it is no such date.
  package static func seconds(_ text: String) -> Int64? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == ":" }
    guard parts.count == 8, parts[7] == "GMT", let day = Int64(parts[1]),
      let month = months.firstIndex(of: String(parts[2])),
      let year = Int64(parts[3]), let hour = Int64(parts[4]), let minute = Int64(parts[5]),
      let second = Int64(parts[6]),
      (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      (1...9999).contains(year)
    else { return nil }
    return days(year, Int64(month + 1), day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// Days from 1970-01-01 to a day of the Gregorian calendar.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = y / 400, yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
