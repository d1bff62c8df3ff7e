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
    [.integer, .real, .decimal, .boolean, .text, .bytes, .date, .timestamp, .url] + Element.allCases.map { .list($0) }
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
