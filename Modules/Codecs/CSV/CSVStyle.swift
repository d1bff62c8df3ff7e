public import Rows

/// The style of written CSV: RFC 4180 quoting, and the choices of the user.
///
/// Null is an empty unquoted field, and empty text is `""`. In a table of one column a null is therefore a blank line,
/// which pandas skips unless it is called with `skip_blank_lines=False`. A text equal to `nullText` is quoted as well.
public struct CSVStyle: Sendable, Hashable {
  /// The line end.
  public enum LineEnding: String, Sendable, Hashable, CaseIterable {
    /// A line feed.
    case lf
    /// A carriage return and a line feed.
    case crlf
  }
  /// The treatment of text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab, a
  /// line end or NUL, also full-width ones, and is not a plain number).
  public enum Formulas: String, Sendable, Hashable, CaseIterable {
    /// Written as it is; counted.
    case keep
    /// Given a leading `'` and quotes.
    case escape
    /// Refused, naming record and column.
    case reject
  }
  /// The style of lists and JSON values.
  public enum Nested: String, Sendable, Hashable, CaseIterable {
    case json
    /// Lists as their elements joined by `; `; JSON objects as JSON text. Cannot be read back.
    case join
    /// Spread over columns (`a.1`, `a.2`, `b.city`). Cannot be read back.
    case flatten
  }

  /// The null that earlier versions wrote in a table of one column; as a text it is quoted there, for their sake.
  public static let loneNull: [UInt8] = Array("\\N".utf8)

  private static let delimiterNames: [String: UInt8] = [
    "comma": UInt8(ascii: ","), "tab": 0x09, "semicolon": UInt8(ascii: ";"), "pipe": UInt8(ascii: "|"),
    "space": UInt8(ascii: " "), "\\t": 0x09,
  ]

  /// The byte that `text` means: one ASCII character, or a word for one.
  /// - Throws: `usage` for what would make fields ambiguous.
  public static func delimiter(named text: String) throws(Problem) -> UInt8 {
    if let byte = delimiterNames[text] { return byte }
    let bytes = Array(text.utf8)
    // Bytes that occur in numbers, words and quoting would make fields ambiguous.
    let isTaken = bytes.first.map { byte in
      byte < 0x20 && byte != 0x09 || byte >= 0x7F || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || "\"+-.\\".utf8.contains(byte)
    }
    guard bytes.count == 1, let byte = bytes.first, isTaken == false else {
      throw Problem(
        .usage, "invalid delimiter “\(text)”",
        hint: "use comma, tab, semicolon, pipe, space, or another ASCII character that numbers and words do not contain"
      )
    }
    return byte
  }

  /// The byte between fields; not a quote, a line end or part of a number.
  public var delimiter: UInt8
  /// The line end.
  public var lineEnding: LineEnding
  /// The text for null, never quoted.
  public var nullText: [UInt8]
  /// Whether a line with the columns' names comes first.
  public var hasHeader: Bool
  /// Whether the header is that of the source, if it means the same names.
  public var keepsTitles = false
  /// Whether a byte order mark comes first.
  public var hasByteOrderMark: Bool
  /// The treatment of text that looks like a formula.
  public var formulas: Formulas
  /// The style of lists and JSON values.
  public var nested: Nested
  /// The treatment of NaN and the infinities.
  public var nonfinite: NonfinitePolicy

  /// The usual style, with what is given instead.
  public init(
    delimiter: UInt8 = UInt8(ascii: ","), lineEnding: LineEnding = .lf, nullText: [UInt8] = [], hasHeader: Bool = true,
    hasByteOrderMark: Bool = false, formulas: Formulas = .keep, nested: Nested = .json,
    nonfinite: NonfinitePolicy = .error
  ) {
    self.delimiter = delimiter
    self.lineEnding = lineEnding
    self.nullText = nullText
    self.hasHeader = hasHeader
    self.hasByteOrderMark = hasByteOrderMark
    self.formulas = formulas
    self.nested = nested
    self.nonfinite = nonfinite
  }
}

extension ColumnDescription {
  /// The type of the column in a CSV file: lists whose elements are joined are text, as are dates in a spelling that
  /// its metadata do not describe.
  func writtenType(in style: CSVStyle) -> ColumnType {
    if spelling.isRespelled { return .text }
    return style.nested == .join && type.isNested ? .text : type
  }
}
