public import Codecs
public import Dialects
public import Rows

/// The options for reading a file of tables. It contains what the readers take, so that nothing is copied from type to
/// type.
public struct FileInputOptions: Sendable, Hashable {
  /// The format; nil to detect it by the extension, then by the first bytes.
  public var format: FileFormat?
  /// The name of the table; nil for the name of the file without extension. A database names its own tables, and so
  /// does a workbook with several sheets.
  public var table: String?
  /// Types of columns, by name, that are not inferred.
  public var types: ColumnTypes = [:]
  /// The place of the array of records in a JSON document; nil for the document itself.
  public var records: JSONPointer?
  /// The dialect of CSV as far as it is known.
  public var dialect = DialectOptions()
  /// The other options of CSV.
  public var csv = CSVReading()
  /// The texts that mean null in CSV and workbooks, in addition to the empty field.
  public var nullTexts: [[UInt8]] = []
  /// The most bytes of a field, in SQLite of a row; nil for 16 MiB.
  public var maximumField: Int?
  /// The time in seconds that a view of a database may run without returning a row, and that a recursive view may run
  /// in all; 0 for no limit, nil for 30.
  public var timeout: Int?
  /// The number of bytes of a text file that are read at most; nil for all.
  public var beginning: Int?
  /// The number of lines of a text file that are read; nil for all.
  public var lines: Int?
  /// Whether only a part of the rows is read, by their place in the file.
  public var isPart = false
  /// The settings that apply only if the format has them, and after what the file says of itself.
  public var preferences: Set<Setting> = []

  /// Creates the default options.
  public init() {}

  /// The settings of text that is read as fields.
  static let ofText =
    DialectOptions.allSettings + [
      .emptyFields, .invalidUTF8, .strictQuotes, .linesAsRecords, .inputNull, .decimalSeparator, .thousands,
    ]

  /// The settings that are not as usual, and that formats do not have in common.
  var settings: [Setting] {
    let others: [(Bool, Setting)] = [
      (csv.emptyIsText, .emptyFields), (csv.replacesBadEncoding, .invalidUTF8), (csv.isStrict, .strictQuotes),
      (csv.areLines, .linesAsRecords),
      (!nullTexts.isEmpty, .inputNull), (csv.decimalSeparator != nil, .decimalSeparator),
      (csv.thousands != nil, .thousands), (timeout != nil, .viewTimeout),
    ]
    return (records == nil ? [] : [.recordsPointer]) + dialect.settings + others.filter(\.0).map(\.1)
  }
}
