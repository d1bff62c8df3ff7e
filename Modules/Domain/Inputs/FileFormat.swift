public import Codecs
import Dialects
public import Documents
public import Rows

/// A format that tables are read from, as a value in the list `all`. A format of documents is in `DocumentFormat.all`.
public struct FileFormat: Sendable, Hashable {
  /// Its name in options.
  public let name: String
  /// The extensions of its files, in lower case.
  package let extensions: [String]
  /// The way to its tables.
  public let content: Content
  /// The settings that apply to it, besides those of any file.
  let settings: [Setting]
  /// Whether a file of the extension begins like this format.
  private let begins: @Sendable (_ bytes: [UInt8], _ suffix: String?) -> Bool

  /// The way to the tables of a file.
  public enum Content: Sendable {
    /// Records of fields; whether they are separated by tabs.
    case fields(isTabbed: Bool)
    case json(JSONForm)
    /// Tables of SQLite.
    case database
    /// Sheets, at any place of the file.
    case workbook
    /// Row groups of Parquet, at any place of the file.
    case rowGroups
    case document(DocumentFormat)
  }

  private init(
    _ name: String, _ extensions: [String], _ content: Content, settings: [Setting] = [],
    begins: @escaping @Sendable ([UInt8], String?) -> Bool = { _, _ in false }
  ) {
    (self.name, self.extensions, self.content) = (name, extensions, content)
    (self.settings, self.begins) = (settings, begins)
  }

  /// The formats, in the order of the help.
  public static let all: [FileFormat] =
    [csv, tsv, json, ndjson, sqlite, xlsx, ods, parquet]
    + DocumentFormat.all.map { FileFormat($0.name, $0.extensions, .document($0), settings: [.inputEncoding]) }

  /// Fields separated by commas.
  public static let csv = FileFormat("csv", ["csv"], .fields(isTabbed: false), settings: FileInputOptions.ofText)
  /// Fields separated by tabs.
  public static let tsv = FileFormat(
    "tsv", ["tsv", "tab"], .fields(isTabbed: true), settings: FileInputOptions.ofText.filter { $0 != .inputDelimiter })
  /// A JSON array of objects.
  public static let json = FileFormat(
    "json", ["json"], .json(.automatic), settings: [.recordsPointer, .inputEncoding, .repair]
  ) {
    bytes, _ in
    let text = jsonText(bytes)
    return text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{") && !isFirstLine(text)
  }
  /// One JSON object per line.
  public static let ndjson = FileFormat(
    "ndjson", ["ndjson", "jsonl"], .json(.lines), settings: [.inputEncoding, .repair]
  ) { bytes, _ in
    let text = jsonText(bytes)
    return text.first == UInt8(ascii: "{") && isFirstLine(text)
  }
  /// An SQLite database.
  public static let sqlite = FileFormat(
    "sqlite", ["db", "sqlite", "sqlite3", "db3"], .database, settings: [.viewTimeout]
  ) { bytes, _ in bytes.starts(with: "SQLite format 3\0".utf8) }
  /// A workbook of Excel, LibreOffice or another spreadsheet.
  static let xlsx = FileFormat(
    "xlsx", ["xlsx", "xlsm", "xltx", "xltm"], .workbook,
    settings: [.inputNull, .skippedRows, .headerRows, .noHeader, .columnNames, .tableNumber, .repair]
  ) { bytes, suffix in bytes.starts(with: [0x50, 0x4B, 3, 4]) && !ForeignFormat.suffixes.contains(suffix ?? "") }
  /// An OpenDocument spreadsheet.
  static let ods = FileFormat("ods", ["ods", "ots"], .workbook, settings: xlsx.settings)
  /// An Apache Parquet file.
  public static let parquet = FileFormat("parquet", ["parquet"], .rowGroups) { bytes, _ in
    bytes.starts(with: "PAR1".utf8)
  }

  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
  private static func jsonText(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return text.drop { spaces.contains($0) }
  }
  /// Whether the line of the first brace continues, as in a file with one object per line.
  private static func isFirstLine(_ text: ArraySlice<UInt8>) -> Bool {
    !text.dropFirst().prefix { spaces.contains($0) }.contains(0x0A)
  }

  /// Whether a file is not read from its beginning to its end.
  public var isRandomAccess: Bool {
    switch content {
    case .workbook, .rowGroups: true
    default: false
    }
  }

  /// Whether a file is read more than once, as for the names of its tables.
  public var isReadAgain: Bool { if case .document = content { true } else { isRandomAccess } }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest name.
  public init(named name: String) throws(Problem) {
    guard let format = Self.all.first(where: { $0.name == name }) ?? Self(suffix: name) else {
      throw Problem(
        .usage, "unknown input format “\(name)”", hint: .choose(name, from: Self.all.map(\.name), "available formats"))
    }
    self = format
  }

  /// The format of a suffix; nil when no format has it.
  public init?(suffix: String) {
    let suffix = suffix.lowercased()
    guard let format = Self.all.first(where: { $0.extensions.contains(suffix) }) else { return nil }
    self = format
  }

  /// The format that the first bytes of a file suggest; nil if they suggest none.
  public init?(beginning bytes: [UInt8], suffix: String? = nil) {
    guard let format = Self.all.first(where: { $0.begins(bytes, suffix) }) else { return nil }
    self = format
  }

  /// Refuses settings of other formats.
  /// - Throws: `usage` for the first one.
  public func check(_ options: FileInputOptions, at place: String) throws(Problem) {
    let preferences = options.preferences
    guard let setting = options.settings.first(where: { !settings.contains($0) && !preferences.contains($0) }) else {
      return
    }
    let other = Self.all.first { $0.settings.contains(setting) }
    throw Problem(
      setting, "cannot be used with \(name)", at: place,
      hint: other.map { [.omit(setting), .set(.inputFormat, to: $0.name)] } ?? .omit(setting))
  }

  /// Whether the names are equal.
  public static func == (a: FileFormat, b: FileFormat) -> Bool { a.name == b.name }
  /// By name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
