public import Domain
import Codecs

/// The location of a column's values in the records of a source, and their conversion to the column's type.
///
/// In this order: the value at `from`; texts for missing values become null; `steps`; the conversion to the type, dates
/// by `formats`.
public struct SourceColumn: Sendable, Hashable {
  /// The column of the schema.
  public var name: String
  /// JSON Pointer within the record, or `place`, `parent` or another selector.
  var from: String
  /// Further places, used in order if the first has no value.
  var alternatives: [String] = []
  /// The value of every record, in place of `from`; nil for none.
  var constant: JSON?
  /// The formats of dates and timestamps; empty for ISO 8601 and RFC 3339.
  var formats: [SourceFormat]
  /// Scalars that mean null, alone or in a list.
  var nulls: [JSON]
  /// Scalars that mean null because of an error of the source: null with a warning.
  var invalid: [JSON]
  /// The time zone of times without an offset: `UTC`, `+02:00` or a name; nil for UTC.
  var zone: String?
  /// The language of month and weekday names; nil for English.
  var language: String?
  /// The treatment of values that do not fit the column's type.
  var onError = OnError.stop
  /// The treatment of values that do not fit.
  enum OnError: String, Sendable, Hashable, CaseIterable {
    case stop
    case null
    /// The record is skipped, with a warning.
    case skip
  }

  /// The conversions of a value, in order.
  var steps: [SourceStep]
  /// The text for a missing value; nil to leave it null.
  var missing: String?
  /// Whether no record need have the member, so that its absence is not reported.
  var isOptional: Bool

  /// A column.
  public init(
    _ name: String, from: String, formats: [SourceFormat] = [], nulls: [String] = [], invalid: [String] = [],
    steps: [SourceStep] = [], missing: String? = nil, isOptional: Bool = false
  ) {
    self.name = name
    self.from = from
    self.formats = formats
    self.nulls = nulls.map { .string($0) }
    self.invalid = invalid.map { .string($0) }
    self.steps = steps
    self.missing = missing
    self.isOptional = isOptional
  }

  /// Instead of a pointer: the record's place in its list, from 1.
  public static let place = "#place"
  /// Instead of a pointer: the value of the parent record that the request was made for.
  public static let parent = "#parent"

  /// Instead of a pointer: the record's key in an object of records.
  static let key = "#key"
  /// Instead of a pointer: the number of the page, from 1.
  static let page = "#page"

  /// The JSON Pointers within the record.
  var pointers: [String] {
    constant == nil ? ([from] + alternatives).filter { !$0.hasPrefix("#") } : []
  }

  /// Whether each record has a value at its only pointer.
  var isRequired: Bool { !isOptional && missing == nil && pointers.count == 1 }

  /// The texts that the Breaking Bad APIs use for unknown values.
  static let unknown = ["", "?", "Unknown"]
}

/// A format of dates, numbers or Booleans in a source: one of those below, or a pattern.
///
/// Dates and times: `dd.MM.yyyy HH:mm`; numbers: `1.234,5`; Booleans: `Y/N`.
public struct SourceFormat: RawRepresentable, Sendable, Hashable {
  /// The text in a description.
  public let rawValue: String
  /// The format that `rawValue` writes.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `1966-03-07`.
  static let day = SourceFormat(rawValue: "YYYY-MM-DD")
  /// `1966-03`.
  static let month = SourceFormat(rawValue: "YYYY-MM")
  /// `1966`.
  public static let year = SourceFormat(rawValue: "YYYY")
  /// `03-07-1966`.
  public static let monthDayYear = SourceFormat(rawValue: "MM-DD-YYYY")
  /// `March 1966`.
  static let monthNameYear = SourceFormat(rawValue: "Month YYYY")
  /// A number of seconds since 1970-01-01T00:00:00Z, with a fraction or an exponent too; for timestamps.
  public static let epochSeconds = SourceFormat(rawValue: "epoch-seconds")
  /// The same in milliseconds.
  static let epochMilliseconds = SourceFormat(rawValue: "epoch-ms")
  /// The same in microseconds.
  static let epochMicroseconds = SourceFormat(rawValue: "epoch-us")
  /// `[2024, 5, 1]`.
  static let parts = SourceFormat(rawValue: "parts")

  /// `PT1H2M3S` as a number of seconds.
  static let isoDuration = SourceFormat(rawValue: "iso-duration")

  /// The formats of version 1.
  static let first: [SourceFormat] = [day, month, year, monthDayYear, monthNameYear, epochSeconds]
  /// The formats of dates and times that are not patterns.
  static let named = first + [epochMilliseconds, epochMicroseconds, parts]
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
  /// Splits a text into a list at a separator, and trims white space. A list is not changed.
  case splitAt(String)
  /// Keeps the elements of a list that have a member with a value.
  case filter(SourceSign)
  /// The first element of a list, or null.
  case first
  /// Makes a list of one element of anything that is not a list.
  case wrap
  /// Whether a list has an element.
  case hasElements
  /// Puts a text in front of a text.
  case prefix(String)
  /// Puts a text after a text.
  case suffix(String)
  /// Makes a list of the values at a JSON Pointer of each element.
  case each(String)
  /// Joins the elements of a list with a text between them.
  case join(String)
  /// Removes HTML tags and decodes entities.
  case stripHTML
  /// Multiplies a number by a power of ten, exactly.
  case scale(Int)
  /// Replaces words, ignoring case: `name` becomes `value`. Any other word is kept, with a warning.
  case words([SourceParameter])
}
