/// One value of a batch. Ranges (start, length) are of the batch's arena. Stride 16.
///
/// A cell says what a reader found; the schema says what it means. Dates, timestamps and URLs are `text`; lists are
/// `json` holding a canonical array; a number that was read from text is `number` and keeps its literal, so that it is
/// written verbatim and parsed only where its value is needed.
@frozen public enum Cell: Sendable, Hashable {
  /// No value; never the same as an empty text.
  case null
  /// UTF-8 text.
  case text(UInt32, UInt32)
  /// The literal of a number, in JSON's grammar.
  case number(UInt32, UInt32)
  /// A nested JSON value in canonical form: no white space outside strings, strings with the shortest escapes.
  case json(UInt32, UInt32)
  /// Raw bytes.
  case bytes(UInt32, UInt32)
  case integer(Int64)
  /// A real; NaN and the infinities only from sources that have them.
  case real(Double)
  case boolean(Bool)

  /// The end of the range; 0 for values without one.
  var end: Int {
    switch self {
    case .text(let start, let length), .number(let start, let length), .json(let start, let length),
      .bytes(let start, let length):
      Int(start) + Int(length)
    case .null, .integer, .real, .boolean: 0
    }
  }

  /// Whether there is no value.
  @inlinable public var isNull: Bool { if case .null = self { true } else { false } }
}
