import Codecs
public import Query
public import Rows

/// The tables of one file: CSV, TSV, JSON, JSON Lines, or an SQLite database.
public struct FileSource: RecordSource {
  /// The options that the user gave for the file.
  public struct Reading: Sendable {
    /// Its format; nil to detect it by its extension, then by its first bytes.
    public var format: FileFormat?
    /// What to call its table; nil for the file's name without the suffix. A database names its own.
    public var table: String?
    /// Types of columns, by name, that are not to be inferred.
    public var types: ColumnTypes = [:]
    /// Where the array of records is in a JSON document, as a JSON Pointer; nil for the document itself.
    public var records: String?
    /// Whether an empty field of CSV without quotes is the empty text rather than null.
    public var emptyIsText = false
    /// Whether bytes that are not UTF-8 become U+FFFD rather than a problem; CSV only.
    public var replacesBadEncoding = false
    /// Whether a quote inside an unquoted field of CSV is refused.
    public var isStrict = false
    /// An unquoted field of CSV that means null, in addition to the empty one; nil for none.
    public var nullText: String?
    /// The delimiter of CSV: a character or a word for one; nil for that of the format.
    public var delimiter: String?
    /// The most bytes a field may have, of SQLite a row; nil for the usual 16 MiB.
    public var maximumField: Int?
    /// Seconds that a view of a database may run without returning a row, and that a recursive view may run in all; 0
    /// for no limit, nil for 30.
    public var timeout: Int?

    /// No options.
    public init() {}
  }

  /// The path, or `standard input`.
  public let name: String
  private let path: String?
  private let format: FileFormat
  private var reading: Reading
  private let delimiter: UInt8?
  private let scratch: any ScratchSpace
  private let report: @Sendable (String) -> Void
  /// A pipe's bytes.
  private let piped: (any ByteSource)?

  /// The file at `path`; `-` is standard input.
  ///
  /// A pipe is copied to a private file first, unless types are given, because types may have to be inferred again.
  /// - Parameters:
  ///   - path: the path of the file, or `-` for standard input.
  ///   - reading: how to read the file.
  ///   - scratch: for copies of pipes.
  ///   - report: called with each change of a column name, as a sentence.
  /// - Throws: `noInput`, `permission`, `io`; `usage` if the format is unknown.
  public init(
    path: String, _ reading: Reading, scratch: any ScratchSpace, report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    self.reading = reading
    delimiter = try reading.delimiter.map { (text) throws(Problem) in try CSVStyle.delimiter(named: text) }
    self.scratch = scratch
    self.report = report
    let advice = "use --storage \(path) to read a directory as a store"
    let source = path == "-" ? FileByteSource() : try FileByteSource(input: path, ifFolder: advice)
    name = source.name
    let isPipe = source.size == nil
    let isCopied = isPipe && (reading.format == nil || reading.types.isEmpty)
    let bytes: any ByteSource
    if isCopied { bytes = try SpooledByteSource(source, scratch: scratch) } else { bytes = source }
    piped = isPipe ? bytes : nil
    self.path = isPipe ? nil : path
    if let said = reading.format { format = said } else { format = try Self.format(of: path, bytes, reading) }
    if reading.records != nil, format != .json {
      throw Problem(
        .usage, "--records cannot be used with \(format.rawValue)", at: name,
        hint: "remove --records, or use --from-format json")
    }
    if delimiter != nil, format != .csv {
      throw Problem(
        .usage, "--from-delimiter cannot be used with \(format.rawValue)", at: name,
        hint: "remove --from-delimiter, or use --from-format csv")
    }
    let ofCSV = [
      (reading.emptyIsText, "--empty-as"), (reading.replacesBadEncoding, "--encoding-errors"),
      (reading.isStrict, "--strict-csv"), (reading.nullText != nil, "--from-null"),
    ]
    if format != .csv, format != .tsv, let option = ofCSV.first(where: \.0)?.1 {
      throw Problem(
        .usage, "\(option) applies only to csv and tsv, and this is \(format.rawValue)", at: name,
        hint: "omit \(option)")
    }
    if reading.timeout != nil, format != .sqlite {
      throw Problem(
        .usage, "--timeout applies only to SQLite databases", at: name, hint: "omit it, or add --from-format sqlite")
    }
    if isPipe, format == .sqlite {
      throw Problem(.usage, "cannot read an SQLite database from a pipe", at: name, hint: "save it to a file first")
    }
  }

  /// By suffix, else by what the bytes look like; what looks like nothing else is CSV when it is text.
  private static func format(of path: String, _ bytes: any ByteSource, _ reading: Reading) throws(Problem) -> FileFormat
  {
    let last = path.split(separator: "/").last ?? ""
    let suffix = last.lastIndex(of: ".").map { last[last.index(after: $0)...].lowercased() }
    if let suffix, let format = FileFormat(suffix: suffix) { return format }
    var read = ArenaBuilder(capacity: 4096)
    if let source = try bytes.reopened() {
      // A pipe gives its bytes in pieces of any size.
      while read.room > 0, try source.read(into: &read, limit: read.room) > 0 {}
    }
    let beginning = read.bytes
    if let format = FileFormat(beginning: beginning) {
      return format == .ndjson && reading.records != nil ? .json : format
    }
    try FileFormat.refuse(bytes.name, suffix: suffix, beginning: beginning)
    guard !beginning.contains(0) else {
      throw Problem(
        .usage, "cannot detect the input format", at: bytes.name,
        hint: "use --from-format FORMAT; available formats: "
          + FileFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return .csv
  }

  /// The given name, or the file's name without its suffix.
  private var table: String {
    if let table = reading.table { return table }
    guard let last = path?.split(separator: "/").last else { return "input" }
    let dot = last.dropFirst().lastIndex(of: ".")
    return String(dot.map { last[..<$0] } ?? last)
  }

  /// The tables: those of a database, or the only one, whose columns are known when its rows are read.
  public func tables() async throws(Problem) -> [Schema] {
    guard format == .sqlite, let path else {
      return [Schema(table, columns: [])]
    }
    return try database(path).tables().map(\.likelySchema)
  }

  /// The same file with the types that `types` gives for its column names, which are known once the header was read.
  public func typed(
    _ table: String, _ types: (_ columns: [String]) throws(Problem) -> ColumnTypes
  ) async throws(Problem) -> FileSource {
    var typed = self
    typed.reading.types = try types(try await rows(of: table, RowRequest()).schema.columns.map(\.name))
    return typed
  }

  /// The rows of a table.
  /// - Throws: `noInput` for a missing table; `badData`, `io`; `usage` for types of unknown columns.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard format == .sqlite, let path else {
      guard table == self.table else {
        throw Problem(.noInput, "table not found: “\(table)”", at: name, hint: "its only table is “\(self.table)”")
      }
      return try await stream(request)
    }
    return try await database(path).rows(of: table, as: reading.table, reading.types, request)
  }

  private func database(_ path: String) -> SQLiteDatabase {
    var database = SQLiteDatabase(path: path)
    if let most = reading.maximumField { database.limits.field = most }
    if let seconds = reading.timeout { database.limits.seconds = seconds }
    return database
  }

  private func stream(_ request: RowRequest) async throws(Problem) -> any RowStream {
    let bytes: any ByteSource
    if let piped {
      bytes = try piped.reopened() ?? piped
    } else {
      bytes = try FileByteSource(input: path ?? name)
    }
    switch format {
    case .json, .ndjson, .sqlite:
      let form: JSONForm = format == .ndjson ? .lines : .automatic
      let pointer = try JSONPointer(reading.records ?? "")
      var way = JSONReading(form: form, records: pointer, types: reading.types, columns: request.columns)
      if let most = reading.maximumField { way.maximumField = most }
      return try JSONRowStream.inferring(bytes, table: table, way)
    case .csv, .tsv:
      var way = CSVReading()
      if format == .tsv { way.delimiter = UInt8(ascii: "\t") }
      way.nullText = reading.nullText.map { Array($0.utf8) }
      way.isStrict = reading.isStrict
      way.emptyIsText = reading.emptyIsText
      way.replacesBadEncoding = reading.replacesBadEncoding
      way.columns = request.columns
      if let most = reading.maximumField { way.maximumField = most }
      if let path, let metadata = try CSVMetadata.beside(path) {
        let described = DescribedCSV(
          metadata, bytes, table: table, way, delimiter: delimiter, types: reading.types, report: report)
        return try described.rows()
      }
      way.delimiter = delimiter ?? way.delimiter
      way.types = reading.types
      let stream = try CSVRowStream.inferring(bytes, table: table, way)
      for warning in stream.warnings { report("\(name): \(warning)") }
      return stream
    }
  }
}
