internal import Codecs
public import Domain

/// A table in a file, or in what comes in through a pipe: CSV, TSV, JSON, NDJSON.
///
/// Types are found by looking at the first MiB, and again when a later value contradicts them; a pipe is copied to a private file first, so that it can
/// be read twice, unless every type is said.
public struct FileSource: RecordSource {
  /// The formats that can be read.
  public enum Form: String, Sendable, CaseIterable {
    /// Comma-separated, tab-separated; an array of objects, an object a line.
    case csv, tsv, json, ndjson

    /// The format a path's suffix names; nil when it names none.
    public init?(path: String) {
      let suffix = path.split(separator: ".").last?.lowercased() ?? ""
      switch suffix {
      case "csv": self = .csv
      case "tsv", "tab": self = .tsv
      case "json": self = .json
      case "ndjson", "jsonl": self = .ndjson
      default: return nil
      }
    }
  }

  /// What was said about the file.
  public struct Options: Sendable {
    /// Its format; nil when the suffix says.
    public var form: Form?
    /// What its table is called; nil for the file's name without suffix.
    public var tableName: String?
    /// Types of columns, by name.
    public var types: [String: ColumnType] = [:]
    /// Whether an empty CSV field without quotes is the empty text rather than null.
    public var emptyIsText = false
    /// Whether bytes that are not UTF-8 become U+FFFD.
    public var replacesBadEncoding = false
    /// Nothing said.
    public init() {}
  }

  /// The path, or `standard input`.
  public let name: String
  private let path: String
  private let form: Form
  private let table: String
  private let options: Options
  private let scratch: any ScratchSpace
  private let report: @Sendable (String) -> Void

  /// The file at `path`; `-` is standard input.
  /// - Throws: `usage` when nothing says its format.
  public init(
    path: String, _ options: Options, scratch: any ScratchSpace, report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    guard let form = options.form ?? Form(path: path) else {
      let known = Form.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        .usage,
        path == "-" ? "the format of standard input is not said" : "the suffix names no format that can be read",
        at: path,
        hint: "add --from-format with one of \(known)")
    }
    self.path = path
    self.form = form
    self.options = options
    self.scratch = scratch
    self.report = report
    name = path == "-" ? "standard input" : path
    let file = Temporaries.split(path).name
    table =
      options.tableName ?? (path == "-" ? "input" : String(file.prefix(upTo: file.lastIndex(of: ".") ?? file.endIndex)))
  }

  /// The file's one table; its columns are known when its rows are asked for.
  /// - Throws: `noInput`, `permission` when the file cannot be opened.
  public func tables() async throws(Problem) -> [Schema] {
    if path != "-" { _ = try FileByteSource(path: path) }
    return [Schema(table, columns: [])]
  }

  /// The rows; only the columns that the request names are materialised.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    var bytes: any ByteSource = path == "-" ? FileByteSource() : try FileByteSource(path: path)
    if bytes.size == nil { bytes = try SpooledByteSource(bytes, scratch: scratch) }
    switch form {
    case .csv, .tsv:
      var reading = CSVReading()
      if form == .tsv { reading.delimiter = UInt8(ascii: "\t") }
      reading.emptyIsText = options.emptyIsText
      reading.replacesBadEncoding = options.replacesBadEncoding
      reading.types = options.types
      reading.columns = request.columns
      let stream = try CSVRowStream.inferring(bytes, table: table, reading)
      for warning in stream.warnings { report("\(name): \(warning)") }
      return stream
    case .json, .ndjson:
      let reading = JSONReading(
        form: form == .json ? .automatic : .lines, types: options.types, columns: request.columns)
      return try JSONRowStream.inferring(bytes, table: table, reading)
    }
  }
}
