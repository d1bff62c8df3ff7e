import Codecs

/// The requests for only the records that changed since a value of one of their columns, the cursor.
public struct SourceIncrement: Sendable, Hashable {
  /// The spelling of a cursor in a request.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case value
    /// `2024-05-01T10:20:30Z`
    case rfc3339
    /// `2024-05-01`
    case date
    /// Seconds since 1970.
    case epochSeconds = "epoch-seconds"
    /// Milliseconds since 1970.
    case epochMilliseconds = "epoch-ms"
  }

  /// The order of the records of a response.
  public enum Order: String, Sendable, Hashable, CaseIterable {
    /// The oldest first, so that each page can be stored with its cursor.
    case ascending
    /// The newest first, so that reading stops at the cursor.
    case descending
  }

  /// A distance between cursors: of times in seconds, of integers their difference.
  public struct Span: Sendable, Hashable {
    var amount: Int64
    /// The distance as the file writes it: `30d`.
    public var text: String

    /// A number, or one with a unit: `s`, `m`, `h`, `d` or `w`; nil for other text, and for 0 or less.
    public init?(_ text: String) {
      guard let amount = TimeSpan.parse(text) else { return nil }
      (self.amount, self.text) = (amount, text)
    }
  }

  /// The column with the cursor: a timestamp, date or integer, or, without `window` and `lookback`, a text.
  public var column: String
  /// The parameter with the cursor, `{name}` in the path or the body or else of the query; nil if responses are only in
  /// descending order.
  public var parameter: String?
  /// The spelling of the cursor in a request.
  public var format = Format.value
  /// The cursor of the first request; nil to request everything.
  public var start: String?
  /// The parameter with the end of a window; nil if requests have no end.
  public var endParameter: String?
  /// The length of a window; nil if requests have no end.
  public var window: Span?
  /// The distance before the cursor from which records are requested again; nil for none.
  public var lookback: Span?
  /// Whether responses contain the records whose value is the cursor.
  public var isInclusive = true
  /// The order of the records; nil if unknown.
  public var order: Order?
  /// JSON Pointer to the member of a record that says that it was deleted; nil for none.
  public var deletedAt: String?
  /// The time in seconds after which all records are fetched, and others deleted; nil for never.
  public var fullEvery: Span?
  /// Whether only the parent records that changed in the same run are requested.
  public var isOnlyForChanged = false

  /// Records in which `column` is the cursor.
  public init(_ column: String, parameter: String?) {
    self.column = column
    self.parameter = parameter
  }
}
