extension Dates {
  /// A timestamp in RFC 3339 with any offset, as the same instant in UTC: `2024-05-01T10:20:30-04:00` is
  /// `2024-05-01T14:20:30Z`.
  ///
  /// A timestamp in UTC is unchanged. The fraction is kept digit for digit. A second 60 is accepted in UTC only.
  /// - Returns: nil for any other text, and outside the years 0 to 9999.
  public static func utc(_ text: [UInt8]) -> [UInt8]? {
    if isTimestamp(text) { return text }
    // Lower-case letters are allowed as well.
    var text = text
    if text.count > 10, text[10] == UInt8(ascii: "t") { text[10] = UInt8(ascii: "T") }
    if text.last == UInt8(ascii: "z") {
      text[text.count - 1] = UInt8(ascii: "Z")
      return isTimestamp(text) ? text : nil
    }
    guard text.count >= 25, let offset = offset(text[(text.count - 6)...]) else {
      return isTimestamp(text) ? text : nil
    }
    let local = text[..<(text.count - 6)] + [UInt8(ascii: "Z")]
    guard let seconds = epochSeconds(of: Array(local)), number(text.span, 17, 2) != 60 else { return nil }
    return timestamp(seconds - Int64(offset), fraction: Array(local.dropFirst(20).dropLast()))
  }

  /// The seconds that `+02:00` or `-04:30` is ahead of UTC; nil for other text.
  static func offset(_ text: ArraySlice<UInt8>) -> Int? {
    let text = Array(text)
    guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"), text[3] == UInt8(ascii: ":"),
      let hours = number(text.span, 1, 2), let minutes = number(text.span, 4, 2), hours < 24, minutes < 60
    else { return nil }
    return (hours * 3600 + minutes * 60) * (text[0] == UInt8(ascii: "-") ? -1 : 1)
  }
}
