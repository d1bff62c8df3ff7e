/// The ways in which a CSV file may differ from RFC 4180, most of them by the names of W3C CSV on the Web.
public struct CSVDialect: Sendable, Hashable {
  /// The spelling of a quote in a quoted field.
  public enum Escape: String, Sendable, Hashable, CaseIterable {
    case double
    /// After a backslash, which also precedes delimiters and itself.
    case backslash
    case none
  }
  /// The treatment of records that are not as wide as the header.
  public enum Ragged: String, Sendable, Hashable, CaseIterable {
    case error
    /// Short records are filled with nulls.
    case pad
    /// The surplus of long records is dropped.
    case cut
    case both
    case drop
  }

  /// The bytes between fields; two spaces for any number of spaces.
  public var delimiter: [UInt8] = [0x2C]
  /// The byte around fields that contain delimiters or line ends; nil if no field is quoted.
  public var quote: UInt8? = 0x22
  /// The spelling of a quote in a quoted field.
  public var escape = Escape.double
  /// Records that begin so are comments; empty if there are none.
  public var comment: [UInt8] = []
  /// Whether lines end with a carriage return alone.
  public var endsWithReturn = false
  /// Whether several carriage returns precede the line feed, as in files that were converted twice.
  var repeatsReturns = false
  /// The bytes of the line that names the delimiter, `sep=;`; 0 if there is none.
  public var separatorLine = 0
  /// Records before the header, blank lines included.
  public var skippedRows = 0
  /// Records of the header, whose names are joined by spaces; those of 0 are made up.
  public var headerRows = 1
  /// Records at the end that do not belong to the table.
  var skippedFooter = 0
  /// Whether spaces after a delimiter do not belong to the field.
  public var skipsInitialSpace = false
  /// The treatment of records that are not as wide as the header.
  var ragged = Ragged.error
  /// Which of several tables is read, from 1; 0 for all of them, if their names are equal; nil for the first of one.
  var table: Int?
  /// The names of the columns instead of those of the header.
  public var names: [String]?
  /// The columns by their first and last characters, from 1; empty if a delimiter separates the fields.
  public var positions: [ClosedRange<Int>] = []
  /// Columns of a record; 0 if the header decides.
  public var columns = 0

  /// RFC 4180.
  public init() {}

  /// The delimiter that stands for one or more spaces.
  public static let spaces: [UInt8] = [0x20, 0x20]

  /// Whether fields are separated by spaces.
  var splitsAtSpaces: Bool { delimiter == Self.spaces }

  /// Whether a reader of RFC 4180 that takes any delimiter of one byte can read the file as it is.
  public var isPlain: Bool {
    var usual = CSVDialect()
    usual.delimiter = delimiter
    usual.columns = columns
    usual.headerRows = min(headerRows, 1)
    usual.names = names
    return self == usual && delimiter.count == 1 && (names == nil || headerRows == 0)
  }

  /// The byte that separates the fields of the converted text: the delimiter itself where that is possible.
  public var plainDelimiter: UInt8 {
    delimiter.count == 1 && positions.isEmpty && delimiter[0] != quote ? delimiter[0] : 0x2C
  }
}
