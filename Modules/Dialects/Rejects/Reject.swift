/// A record that repair changed or dropped, or that needs a look.
public struct Reject: Sendable {
  /// The fault of a record.
  public enum Reason: String, Sendable, CaseIterable {
    case strayQuote = "stray quote"
    case strayQuoteInside = "quote in an unquoted field"
    case spaceAfterQuote = "space after a closing quote"
    case textAfterQuote = "text after a closing quote"
    case unterminated = "unterminated quote"
    case missingDelimiter = "missing delimiter"
    case anotherDelimiter = "another delimiter"
    case shortRow = "short row"
    case longRow = "long row"
    case shortHeader = "short header"
    case longHeader = "long header"
    case repeatedHeader = "repeated header"
    case preamble = "preamble"
    case comment = "comment"
    case blankLine = "blank line"
    case footer = "footer"
    case anotherTable = "another table"
    case wholeRecords = "field holds whole records"
    case badEncoding = "bad encoding"

    /// Whether the fields of the record are certain all the same.
    var isSoft: Bool { self == .strayQuoteInside || self == .spaceAfterQuote }
  }
  /// The change.
  public enum Action: String, Sendable, CaseIterable {
    case kept = "kept"
    case repaired = "repaired"
    case guessed = "guessed"
    case padded = "padded"
    case trailingDelimiters = "trailing delimiters"
    case surplusCut = "surplus cut"
    case dropped = "dropped"
    /// A further part of a long record.
    case continued = "continued"
  }

  /// The line where it begins, from 1.
  var line: Int
  /// Its first byte in the file.
  var offset: Int
  var reason: Reason
  var action: Action
  var detail = ""
  /// Its bytes in the file, with the line end; those of a long record are stored.
  var raw: [UInt8] = []
  var stored: StoredText?
  /// The number of its bytes.
  var count: Int { stored?.range.count ?? raw.count }
  /// Whether its bytes are only white space.
  var isBlank: Bool { stored == nil && raw.allSatisfy(CellKind.isSpace) }
  /// Whether it is of the same record.
  func isOfRecord(_ other: Reject) -> Bool { offset == other.offset && count == other.count }
  /// Whether the user said that the record does not belong to the table.
  var isExpected = false
}
