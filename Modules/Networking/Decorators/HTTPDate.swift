import Codecs

/// Dates in HTTP headers (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970; nil when it is no such date.
  package static func seconds(_ text: String) -> Int64? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == ":" }
    guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), let hour = Int64(parts[4]), let minute = Int64(parts[5]),
      let second = Int64(parts[6]),
      (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      (1...9999).contains(year)
    else { return nil }
    let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
    return Int64(days) * 86_400 + hour * 3600 + minute * 60 + second
  }
}
