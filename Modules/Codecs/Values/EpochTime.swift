/// Dates and timestamps as the integers that Parquet stores.
enum ParquetTime {
  /// The value in a column of `kind`: days, thousandths or millionths of a second since 1970-01-01T00:00:00Z; nil for
  /// text that a reader would write differently. Thousandths stand for a fraction of exactly three digits, millionths
  /// for none, or one of at most six digits that does not end with a zero.
  /// - Parameter isExact: if false, millionths stand for any fraction of at most six digits.
  static func value(of text: ByteRun, as kind: ParquetColumn.Kind, isExact: Bool) -> Int64? {
    guard kind != .date else { return text.count == 10 ? days(text) : nil }
    guard let (seconds, fraction, digits) = instant(text) else { return nil }
    if kind == .milliseconds { return digits == 3 ? seconds * 1000 + fraction / 1000 : nil }
    guard digits == 0 || (digits <= 6 && (!isExact || text[text.count - 2] != UInt8(ascii: "0"))) else { return nil }
    return seconds * 1_000_000 + fraction
  }

  /// The days since 1970-01-01 of `yyyy-mm-dd`, with which the text, of at least ten bytes, begins.
  private static func days(_ text: ByteRun) -> Int64? {
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = number(text, 0, 4), year > 0, let month = number(text, 5, 2), let day = number(text, 8, 2),
      (1...12).contains(month), day >= 1, day <= CivilDate.days(in: month, of: year)
    else { return nil }
    return Int64(CivilDate(year: year, month: month, day: day).daysSince1970)
  }

  /// Whole seconds, millionths of a second, and the number of digits of the fraction of `yyyy-mm-ddThh:mm:ss[.f]Z`.
  private static func instant(_ text: ByteRun) -> (Int64, Int64, digits: Int)? {
    let count = text.count
    guard count == 20 || (22...27).contains(count), text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
      text[16] == UInt8(ascii: ":"), text[count - 1] == UInt8(ascii: "Z"), let days = days(text),
      let hour = number(text, 11, 2), let minute = number(text, 14, 2), let second = number(text, 17, 2), hour < 24,
      minute < 60, second < 60
    else { return nil }
    let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    guard count > 20 else { return (seconds, 0, 0) }
    let places = count - 21
    guard text[19] == UInt8(ascii: "."), var fraction = number(text, 20, places) else { return nil }
    for _ in places..<6 { fraction *= 10 }
    return (seconds, Int64(fraction), places)
  }

  private static func number(_ text: ByteRun, _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for place in start..<start + count {
      let digit = text[place] &- 48
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }
}
