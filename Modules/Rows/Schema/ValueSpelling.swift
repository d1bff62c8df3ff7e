/// A spelling that all values of a column have and that cells do not keep.
public enum ValueSpelling: Sendable, Hashable {
  /// `true`, `2024-01-06T10:00`.
  case usual
  /// `True` and `False`, `TRUE` and `FALSE`.
  case capitalized, uppercase
  /// A space between date and time.
  case spaced
  /// Dates and times in another form.
  case time(TimeSpelling)
  /// Times of which each states at its end how it is written, if it is not in the usual form.
  case each

  /// The word for a Boolean.
  public func word(_ value: Bool) -> StaticString {
    switch self {
    case .usual, .spaced, .time, .each: value ? "true" : "false"
    case .capitalized: value ? "True" : "False"
    case .uppercase: value ? "TRUE" : "FALSE"
    }
  }
}

extension ColumnDescription {
  /// Whether its values are times in the order of ISO 8601, each of which could have a spelling of its own.
  public var mayBeSpelledAnew: Bool {
    guard type == .timestamp || type == .datetime else { return false }
    guard case .time(let form) = spelling else { return true }
    return form.order == .yearMonthDay && form.mark == UInt8(ascii: "-") && form.half == nil && form.isPadded
      && form.isHourPadded
  }
}

/// A form of dates and times that is not the one of ISO 8601, or that states an offset from UTC.
public struct TimeSpelling: Sendable, Hashable {
  /// The order of day, month and year.
  public enum Order: Sendable, Hashable, CaseIterable { case yearMonthDay, dayMonthYear, monthDayYear }
  /// The words for morning and afternoon: `AM`, ` PM`, `am`, ` pm`.
  public enum Half: String, Sendable, Hashable, CaseIterable {
    case spacedUpper = " AM", upper = "AM", spacedLower = " am", lower = "am"
  }

  /// The order of the parts of the date.
  public var order = Order.yearMonthDay
  /// The byte between them.
  public var mark = UInt8(ascii: "-")
  /// Whether days and months have two digits, and whether hours have.
  public var isPadded = true, isHourPadded = true
  /// The byte between date and time; nil for dates.
  public var gap: UInt8?
  /// The words for the halves of the day; nil for hours up to 23.
  public var half: Half?
  /// The offset from UTC as it is written, and in seconds; nil for times without one.
  public var offset: (text: String, seconds: Int)? {
    get { offsetText.map { ($0, offsetSeconds) } }
    set { (offsetText, offsetSeconds) = (newValue?.text, newValue?.seconds ?? 0) }
  }
  private var offsetText: String?, offsetSeconds = 0

  /// Whether times with an offset have seconds.
  public var hasSeconds = true

  /// The form of ISO 8601.
  public init() {}

  /// The type of the values.
  public var type: ColumnType { offset != nil ? .timestamp : gap != nil ? .datetime : .date }
}
