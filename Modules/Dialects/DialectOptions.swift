internal import Codecs
public import Rows

/// The properties of a CSV file that are known before it is read, and are therefore not guessed.
public struct DialectOptions: Sendable, Hashable {
  /// The quote of a file, or that it has none.
  public enum Quote: Sendable, Hashable {
    case character(UInt8), none

    /// The byte; nil for none.
    var byte: UInt8? { if case .character(let byte) = self { byte } else { nil } }
  }

  /// The encoding of the text.
  public var encoding: CharacterEncoding?
  /// The bytes between fields.
  public var delimiter: [UInt8]?
  /// The byte around fields.
  public var quote: Quote?
  /// The spelling of a quote in a quoted field.
  public var escape: CSVDialect.Escape?
  /// Whether there is no header.
  public var hasNoHeader = false
  /// The records of the header.
  public var headerRows: Int?
  /// The names of the columns.
  public var names: [String]?
  /// Records before the header.
  public var skippedRows: Int?
  /// Records after the table.
  public var skippedFooter: Int?
  /// The beginning of comments.
  public var comment: [UInt8]?
  /// The treatment of records that are not as wide as the header.
  public var ragged: CSVDialect.Ragged?
  /// Which of several tables is read; 0 for all.
  public var table: Int?
  /// The columns by the positions of their characters.
  public var positions: [ClosedRange<Int>]?
  /// Whether damaged records are read in other ways.
  public var repairs = false
  /// The most records that may be changed or dropped.
  public var maximumRejects: Int?

  /// The settings that are not as usual.
  public var settings: [Setting] { all.filter(\.0).map(\.1) }
  /// All settings of dialects.
  public static let allSettings: [Setting] = DialectOptions().all.map(\.1)

  private var all: [(Bool, Setting)] {
    [
      (encoding != nil, .inputEncoding), (delimiter != nil, .inputDelimiter), (quote != nil, .inputQuote),
      (escape != nil, .inputEscape), (hasNoHeader, .noHeader), (headerRows != nil, .headerRows),
      (names != nil, .columnNames), (skippedRows != nil, .skippedRows), (skippedFooter != nil, .skippedFooter),
      (comment != nil, .commentPrefix), (ragged != nil, .raggedRows), (table != nil, .tableNumber),
      (positions != nil, .fixedColumns), (repairs, .repair), (maximumRejects != nil, .maximumRejects),
    ]
  }

  /// Nothing is known.
  public init() {}

  /// Everything is known: RFC 4180 in UTF-8 with this delimiter.
  public static func exact(_ delimiter: UInt8) -> DialectOptions {
    var options = DialectOptions()
    (options.encoding, options.delimiter, options.quote) = (.utf8, [delimiter], .character(0x22))
    (options.escape, options.headerRows, options.skippedRows, options.comment) = (.double, 1, 0, [])
    return options
  }

  /// Whether nothing is left to be found.
  var isComplete: Bool {
    encoding != nil && (delimiter != nil && quote != nil && escape != nil || positions != nil)
      && (hasNoHeader || headerRows != nil) && skippedRows != nil && comment != nil && !repairs
  }

  /// The dialect as far as it is known, and the rest as usual.
  public var dialect: CSVDialect { applied(to: CSVDialect()) }

  /// A dialect with what is known in place of its own.
  public func applied(to usual: CSVDialect) -> CSVDialect {
    var dialect = usual
    dialect.delimiter = delimiter ?? usual.delimiter
    if let quote { dialect.quote = quote.byte }
    dialect.escape = escape ?? usual.escape
    dialect.headerRows = hasNoHeader ? 0 : headerRows ?? usual.headerRows
    dialect.names = names ?? usual.names
    dialect.skippedRows = skippedRows ?? usual.skippedRows
    dialect.skippedFooter = skippedFooter ?? usual.skippedFooter
    dialect.comment = comment ?? usual.comment
    dialect.ragged = ragged ?? usual.ragged
    dialect.table = table ?? usual.table
    dialect.positions = positions ?? usual.positions
    if !dialect.positions.isEmpty { dialect.quote = nil }
    return dialect
  }
}
