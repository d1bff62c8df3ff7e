/// The type of a column, shared by all stores and exporters. Every type may also be null.
public enum ColumnType: Sendable, Hashable, CaseIterable {
  /// Int64.
  case integer
  /// A finite Double; canonical text is the shortest that reads back the same, always with `.0` or an exponent.
  case real
  /// A number kept as its literal: thirty digits, `1e400`, `1.10`.
  case decimal
  /// `true` or `false`.
  case boolean
  /// UTF-8; compared and sorted as bytes.
  case text
  /// Any bytes; base64 in text formats.
  case bytes
  /// ISO 8601, also partial: `1958`, `1966-03`, `1966-03-07`.
  case date
  /// RFC 3339 in UTC, ending in `Z`.
  case timestamp
  /// A date and time on a clock whose zone is not known: `2024-01-06T10:00`, with seconds and a fraction or without; a
  /// whole day is its first moment.
  case datetime
  /// A URL, kept as the text the source gave.
  case url
  /// A list, held as the text of a JSON array in canonical form.
  case list(Element)
  /// Any JSON value, held as its text in canonical form.
  case json

  /// The type of the elements of a list.
  public enum Element: String, Sendable, Hashable, CaseIterable {
    /// A list of text, of integers, or of URLs.
    case text, integer, url
  }

  /// Every type there is.
  public static let allCases: [ColumnType] =
    [.integer, .real, .decimal, .boolean, .text, .bytes, .date, .timestamp, .datetime, .url]
    + Element.allCases.map { .list($0) }
    + [.json]

  /// The word for the type in `--types`, metadata files, help texts: `integer`, `date`, `list-of-text`.
  public var name: String {
    switch self {
    case .integer: "integer"
    case .real: "real"
    case .decimal: "decimal"
    case .boolean: "boolean"
    case .text: "text"
    case .bytes: "bytes"
    case .date: "date"
    case .timestamp: "timestamp"
    case .datetime: "datetime"
    case .url: "url"
    case .list(let element): "list-of-\(element.rawValue)"
    case .json: "json"
    }
  }

  /// The type whose `name` is given; nil for any other word.
  public init?(name: String) {
    guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = type
  }

  /// The type that a word of SQL, Python or Rust names as well, in any case: `int`, `varchar`; nil for other words.
  public init?(alias: String) {
    let word = alias.lowercased()
    if let type = ColumnType(name: word) {
      self = type
      return
    }
    guard let type = Self.aliases.first(where: { $0.words.contains(word) })?.type else { return nil }
    self = type
  }

  /// The words for reals to which numbers are rounded.
  public static let roundingWords = ["double", "float", "float64", "f64"]

  private static let aliases: [(type: ColumnType, words: [String])] = [
    (.integer, ["int", "bigint", "int64", "i64", "long"]), (.real, roundingWords),
    (.decimal, ["numeric", "number"]), (.text, ["string", "varchar", "str", "utf8"]), (.boolean, ["bool"]),
    (.timestamp, ["timestamptz"]),
  ]

  /// Whether values are days or times, ordered in time.
  @inlinable public var isTemporal: Bool { self == .date || isTime }
  /// Whether values are times, whose last zeros do not count when they are compared.
  @inlinable public var isTime: Bool { self == .timestamp || self == .datetime }

  /// Whether values are numbers, shown right-aligned and compared by value.
  @inlinable public var isNumeric: Bool {
    switch self {
    case .integer, .real, .decimal: true
    default: false
    }
  }

  /// Whether values are nested (a list or any JSON value).
  @inlinable public var isNested: Bool {
    switch self {
    case .list, .json: true
    default: false
    }
  }
}
