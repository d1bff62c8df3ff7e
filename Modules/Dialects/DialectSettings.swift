public import Rows

extension Setting {
  /// The character encoding of text.
  public static let inputEncoding = Setting("input.encoding")
  /// The quote of CSV input.
  public static let inputQuote = Setting("csv.quote")
  /// The spelling of a quote in a quoted field of CSV input.
  public static let inputEscape = Setting("csv.escape")
  /// Whether CSV input has no header.
  public static let noHeader = Setting("csv.noHeader")
  /// The records of the header of CSV input.
  public static let headerRows = Setting("csv.headerRows")
  /// The names of the columns of CSV input.
  public static let columnNames = Setting("csv.names")
  /// The records before the header of CSV input.
  public static let skippedRows = Setting("csv.skippedRows")
  /// The records after the table in CSV input.
  public static let skippedFooter = Setting("csv.skippedFooter")
  /// The beginning of comments in CSV input.
  public static let commentPrefix = Setting("csv.comment")
  /// Which table of a CSV file is read.
  public static let tableNumber = Setting("csv.table")
  /// The columns of CSV input by position.
  public static let fixedColumns = Setting("csv.fixed")
  /// Where records go that repair changes or drops.
  public static let rejects = Setting("csv.rejects")
  /// The options of one of several files.
  public static let fileOptions = Setting("input.fileOptions")
  /// The most records that repair may change or drop.
  public static let maximumRejects = Setting("csv.maximumRejects")
}
