/// The location of a column's values in the records of a source, and their conversion to the column's type.
///
/// In this order: the value at `from`; texts for missing values become null; `steps`; the conversion to the type, dates
/// by `formats`.
public struct SourceColumn: Sendable, Hashable {
  /// The column of the schema.
  public var name: String
  /// JSON Pointer within the record, or `place` or `parent`.
  public var from: String
  /// How dates and timestamps are written; empty for ISO 8601 and RFC 3339.
  public var formats: [SourceDateFormat]
  /// Texts that mean null, alone or in a list.
  public var nulls: [String]
  /// Texts that mean null because of an error of the source: null with a warning.
  public var invalid: [String]
  /// The conversions of a value, in order.
  public var steps: [SourceStep]
  /// The text for a missing value; nil to leave it null.
  public var missing: String?
  /// Whether no record need have the member, so that its absence is not reported.
  public var isOptional: Bool

  /// A column.
  public init(
    _ name: String, from: String, formats: [SourceDateFormat] = [], nulls: [String] = [], invalid: [String] = [],
    steps: [SourceStep] = [], missing: String? = nil, isOptional: Bool = false
  ) {
    self.name = name
    self.from = from
    self.formats = formats
    self.nulls = nulls
    self.invalid = invalid
    self.steps = steps
    self.missing = missing
    self.isOptional = isOptional
  }

  /// Instead of a pointer: the record's place in its list, from 1.
  public static let place = "#place"
  /// Instead of a pointer: the value of the parent record that the request was made for.
  public static let parent = "#parent"

  /// The texts that the Breaking Bad APIs use for unknown values.
  public static let unknown = ["", "?", "Unknown"]
}

/// A format of dates and times in a source.
public enum SourceDateFormat: String, Sendable, Hashable, CaseIterable {
  /// `1966-03-07`.
  case day = "YYYY-MM-DD"
  /// `1966-03`.
  case month = "YYYY-MM"
  /// `1966`.
  case year = "YYYY"
  /// `03-07-1966`.
  case monthDayYear = "MM-DD-YYYY"
  /// `March 1966`.
  case monthNameYear = "Month YYYY"
  /// A number of seconds since 1970-01-01T00:00:00Z, with a fraction or an exponent too; for timestamps.
  case epochSeconds = "epoch-seconds"
}

/// One thing that is done to a value. Null stays null.
public enum SourceStep: Sendable, Hashable {
  /// Removes blanks at both ends of a text.
  case trim
  /// Divides an integer, or an integer written as text, and drops the rest: 501 → 5.
  case divide(by: Int64)
  /// The rest of that division: 501 → 1.
  case remainder(by: Int64)
  /// Splits a text into a list at commas outside parentheses and brackets, and trims white space. A list is not
  /// changed.
  case split
  /// Makes a list of one element of anything that is not a list.
  case wrap
  /// Whether a list has an element.
  case hasElements
  /// Puts a text in front of a text.
  case prefix(String)
  /// Replaces words, ignoring case: `name` becomes `value`. Any other word is kept, with a warning.
  case words([SourceParameter])
}
