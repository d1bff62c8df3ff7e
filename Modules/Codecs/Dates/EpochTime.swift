public import Rows

/// Dates and timestamps as integers since 1970-01-01T00:00:00Z, as Parquet and PostgreSQL store them.
public enum EpochTime {
  /// The unit that the integers count.
  public enum Unit: Sendable, Hashable {
    case days
    case milliseconds, microseconds, nanoseconds
  }

  /// The types of columns of dates and timestamps in a file or a table.
  public enum Storage: String, Sendable, Hashable, CaseIterable {
    /// Their own if the first rows can be read back as they are, otherwise text.
    case automatic = "auto"
    /// Days, and microseconds; zeros at the end of a fraction are lost.
    case native
    case text

    /// The unit of a column; nil for text.
    /// - Parameters:
    ///   - candidates: the possible units, the usual one first.
    ///   - column: the position of the column.
    ///   - head: the first rows.
    public func unit(_ candidates: [Unit], for column: Int, in head: [RowBatch]) -> Unit? {
      switch self {
      case .text: nil
      case .native: candidates.first
      case .automatic: candidates.first { holds($0, column, in: head, isExact: true) }
      }
    }
  }

  /// Whether the values of a column in the first rows are whole days, or instants up to microseconds.
  public static func isNative(_ column: Int, of schema: Schema, in head: [RowBatch]) -> Bool {
    switch schema.columns[column].type {
    case .date: holds(.days, column, in: head, isExact: false)
    case .timestamp, .datetime: holds(.microseconds, column, in: head, isExact: false)
    default: false
    }
  }

  private static func holds(_ unit: Unit, _ column: Int, in head: [RowBatch], isExact: Bool) -> Bool {
    head.allSatisfy { batch in
      (0..<batch.count).allSatisfy { row in
        guard case .text(let start, let length) = batch[row, column] else { return batch[row, column].isNull }
        return value(of: batch.arena, start, length, in: unit, isExact: isExact) != nil
      }
    }
  }

  /// The number of units of a range of an arena's bytes, which has a date or a timestamp; nil for text that a reader
  /// would write differently. Milliseconds stand for a fraction of exactly three digits, microseconds for none, or one
  /// of at most six digits that does not end with a zero.
  /// Unless it `isExact`, microseconds stand for any fraction of at most six digits.
  @inline(__always)
  public static func value(
    of arena: Arena, _ start: UInt32, _ length: UInt32, in unit: Unit, isExact: Bool
  ) -> Int64? {
    value(of: ByteRun(arena, start, length), in: unit, isExact: isExact)
  }

  static func value(of text: ByteRun, in unit: Unit, isExact: Bool) -> Int64? {
    guard unit != .days else { return text.count == 10 ? days(text) : nil }
    guard let (seconds, fraction, digits) = instant(text) else { return nil }
    if unit == .milliseconds { return digits == 3 ? seconds * 1000 + fraction / 1_000_000 : nil }
    let isLocal = text[text.count - 1] != UInt8(ascii: "Z"), most = unit == .nanoseconds ? 9 : 6
    guard digits == 0 || (digits <= most && (!isExact || isLocal || text[text.count - 2] != UInt8(ascii: "0"))) else {
      return nil
    }
    if unit == .microseconds { return seconds * 1_000_000 + fraction / 1000 }
    let (value, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return isTooLarge || value > .max - fraction ? nil : value + fraction
  }

  /// The days since 1970-01-01 of `yyyy-mm-dd`, with which the text, of at least ten bytes, begins.
  private static func days(_ text: ByteRun) -> Int64? {
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = number(text, 0, 4), year > 0, let month = number(text, 5, 2), let day = number(text, 8, 2),
      (1...12).contains(month), day >= 1, day <= CivilDate.days(in: month, of: year)
    else { return nil }
    return Int64(CivilDate(year: year, month: month, day: day).daysSince1970)
  }

  /// The number of units of a time of day, `hh:mm:ss[.f]`, since midnight; nil for other text, and for a smaller part
  /// of a second.
  package static func time(of text: ByteRun, perSecond unit: Int64) -> Int64? {
    guard text.count >= 8, text.count <= 18, text.count != 9, text[2] == UInt8(ascii: ":"),
      text[5] == UInt8(ascii: ":"), let hour = number(text, 0, 2), let minute = number(text, 3, 2),
      let second = number(text, 6, 2), hour < 24, minute < 60, second < 60
    else { return nil }
    let whole = Int64(hour * 3600 + minute * 60 + second) * unit
    guard text.count > 8 else { return whole }
    guard text[8] == UInt8(ascii: "."), var fraction = number(text, 9, text.count - 9).map(Int64.init) else {
      return nil
    }
    for _ in text.count..<18 { fraction *= 10 }
    let (units, rest) = fraction.quotientAndRemainder(dividingBy: 1_000_000_000 / unit)
    return rest == 0 ? whole + units : nil
  }

  /// Whole seconds, billionths of a second, and the number of digits of the fraction of `yyyy-mm-ddThh:mm:ss[.f]Z`, and
  /// of a time without a zone, which may be without seconds or a whole day.
  private static func instant(_ text: ByteRun) -> (Int64, Int64, digits: Int)? {
    let isUTC = text.count > 0 && text[text.count - 1] == UInt8(ascii: "Z")
    // The length without the Z.
    let count = isUTC ? text.count - 1 : text.count
    guard count >= 10, count <= 29, let days = days(text) else { return nil }
    if !isUTC, count == 10 { return (days * 86_400, 0, 0) }
    guard count == 19 || count > 20 || !isUTC && count == 16, text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), let hour = number(text, 11, 2), let minute = number(text, 14, 2), hour < 24,
      minute < 60
    else { return nil }
    var second = 0
    if count > 16 {
      guard text[16] == UInt8(ascii: ":"), let found = number(text, 17, 2), found < 60 else { return nil }
      second = found
    }
    let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    guard count > 19 else { return (seconds, 0, 0) }
    let places = count - 20
    guard text[19] == UInt8(ascii: "."), var fraction = number(text, 20, places) else { return nil }
    for _ in places..<9 { fraction *= 10 }
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
