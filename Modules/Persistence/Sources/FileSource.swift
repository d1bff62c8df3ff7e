import Codecs
public import Dialects
import Documents
public import Domain
import Files
import Lake
import Parquet
public import Query
public import Rows

/// The tables of one file: CSV, TSV, JSON, JSON Lines, an SQLite database, or a workbook.
public struct FileSource: RecordSource, SampledFile {
  /// The path, or `standard input`.
  public let name: String
  private let path: String?
  /// The place that the file was fetched from; nil for a file of the user.
  private let place: String?
  /// The path that names the table, with the extension of the format.
  private let title: String
  private let format: FileFormat
  private var reading: FileInputOptions
  private let scratch: any ScratchSpace
  private let rejects: RejectLog?
  private let report: @Sendable (Warning) -> Void
  private let onRead: (@Sendable (_ position: Int, _ size: Int?) -> Void)?
  /// The compression of the file; nil for none.
  private let compression: FileCompression?
  /// A pipe's bytes, decompressed.
  private let piped: (any ByteSource)?
  private var contents = Contents.text

  /// The tables of the file, and how they are read.
  private enum Contents {
    /// One table in CSV or JSON.
    case text
    case workbook(any RandomAccessSource), rowGroups(any RandomAccessSource), database(SQLiteDatabase)
    case document(DocumentFormat, DocumentTables)
  }

  /// The file at `path`; `-` is standard input.
  ///
  /// A pipe is copied to a private file first, unless types are given, because types may have to be inferred again.
  /// - Parameters:
  ///   - path: the path of the file, or `-` for standard input.
  ///   - origin: the place that the file was fetched from, in messages, and the text whose end is the name of the file;
  ///     nil for a file of the user.
  ///   - reading: how to read the file.
  ///   - scratch: for copies of pipes.
  ///   - rejects: where records go that are changed or dropped.
  ///   - onRead: called as the file is read, with the position in it and its size; the size of a pipe is nil.
  ///   - report: called with each change of a column name, as a sentence.
  /// - Throws: `noInput`, `permission`, `io`; `usage` if the format is unknown.
  public init(
    path: String, of origin: (place: String, title: String)? = nil, _ reading: FileInputOptions,
    scratch: any ScratchSpace, rejects: RejectLog? = nil,
    onRead: (@Sendable (_ position: Int, _ size: Int?) -> Void)? = nil, report: @escaping @Sendable (Warning) -> Void
  ) throws(Problem) {
    self.reading = reading
    self.rejects = rejects
    self.onRead = onRead
    self.scratch = scratch
    self.report = report
    let advice = Remedy.set(.store, to: path, for: "read a directory as a store")
    if path != "-", (reading.format ?? FileFormat(ofFile: path)) == .sqlite { try RegularFile.refusePipe(path) }
    let file =
      (path == "-" ? FileByteSource() : try FileByteSource(input: path, of: origin?.place, ifDirectory: advice))
      .reporting(onRead)
    name = file.name
    place = origin?.place
    title = origin?.title ?? path
    let isPipe = file.size == nil
    let (source, compression) = try Self.decompressed(file)
    self.compression = compression
    let isCopied = isPipe && (reading.format?.isReadAgain ?? true || reading.types.isEmpty)
    var copy = isCopied ? try SpooledByteSource(source, scratch: scratch) : nil
    let bytes: any ByteSource = copy ?? source
    piped = isPipe ? bytes : nil
    self.path = isPipe ? nil : path
    if let said = reading.format {
      format = said
    } else {
      format = try FileFormat.detecting(title, bytes, reading, place: name, isOwn: origin == nil && path != "-")
    }
    if format.isRandomAccess {
      if compression != nil, copy == nil { copy = try SpooledByteSource(source, scratch: scratch) }
      try copy?.readAll()
    }
    try check()
    if isPipe, format == .sqlite {
      throw Problem(.usage, "cannot read an SQLite database from a pipe", at: name, hint: "save it to a file first")
    }
    if compression != nil, format == .sqlite {
      throw Problem(.usage, "cannot read a compressed SQLite database", at: name, hint: "decompress it first")
    }
    switch format.content {
    case .fields, .json: break
    case .workbook: contents = .workbook(copy ?? file)
    case .rowGroups: contents = .rowGroups(copy ?? file)
    case .database: contents = .database(database(path))
    case .document(let format):
      let tables = DocumentTables(format, limit: reading.maximumField ?? 16 << 20) {
        [self] () throws(Problem) in try self.text()
      }
      contents = .document(format, tables)
    }
  }

  /// Checks that the options agree with the format and with each other.
  private func check() throws(Problem) {
    try format.check(reading, at: name)
    if let group = reading.csv.thousands, group == reading.csv.decimalSeparator ?? UInt8(ascii: ".") {
      throw Problem(.thousands, "is the same as the decimal separator", hint: [.set(.decimalSeparator, to: ",", ".")])
    }
    if case .character(let quote)? = reading.dialect.quote, reading.dialect.delimiter?.contains(quote) == true {
      throw Problem(.inputQuote, "is the same as the delimiter", hint: [.set(.inputQuote, to: "none")])
    }
    if reading.dialect.quote == Optional.some(.none), reading.dialect.escape == .double {
      throw Problem(.inputEscape, "needs quotes", hint: [.omit(.inputEscape), .omit(.inputQuote)])
    }
    if reading.csv.isStrict, reading.dialect.repairs {
      throw Problem(.strictQuotes, "cannot be combined with repair", hint: [.omit(.strictQuotes), .omit(.repair)])
    }
  }

  /// A file whose bytes are somewhere else: text if they are also a `ByteSource`, else Parquet. The end of `title` is
  /// the name of the file.
  public init(
    of bytes: any RandomAccessSource, title: String, _ reading: FileInputOptions, scratch: any ScratchSpace,
    rejects: RejectLog? = nil, report: @escaping @Sendable (Warning) -> Void
  ) throws(Problem) {
    (self.reading, self.scratch, self.report, self.title) = (reading, scratch, report, title)
    (name, path, place, self.rejects, onRead) = (bytes.name, title, bytes.name, rejects, nil)
    if let text = bytes as? any ByteSource {
      var start = ArenaBuilder(capacity: 4)
      _ = try bytes.read(at: 0, count: 4, into: &start)
      compression = FileCompression(beginning: start.bytes, of: bytes.name)
      piped = try compression.map { (kind) throws(Problem) in try DecompressingSource(text, kind) } ?? text
      if let own = reading.format {
        format = own
      } else {
        format = try FileFormat.detecting(title, piped ?? text, reading, place: bytes.name, isOwn: false)
      }
    } else {
      (format, compression, piped) = (.parquet, nil, nil)
      contents = .rowGroups(bytes)
    }
    try check()
  }

  /// The bytes of a file, decompressed if its first bytes show a compression.
  private static func decompressed(
    _ file: FileByteSource
  ) throws(Problem) -> (any ByteSource, FileCompression?) {
    var start = ArenaBuilder(capacity: 4)
    let peeked = file.again() ?? file
    while start.count < 4, try peeked.read(into: &start, limit: 4 - start.count) > 0 {}
    let source: any ByteSource = file.size == nil ? PrefixedByteSource(start.bytes, file) : file
    guard let compression = FileCompression(beginning: start.bytes, of: file.name) else { return (source, nil) }
    return (try DecompressingSource(source, compression), compression)
  }

  /// The given name, or the file's name without its suffix.
  private var table: String {
    if let table = reading.table { return table }
    return path == nil ? "input" : FileCompression.stem(of: title)
  }

  /// The name of its format.
  public var formatName: String { format.name }

  /// The storage of the columns of a Parquet file.
  public func columnDetails() throws(Problem) -> (
    names: [(name: String, type: ColumnType)], values: [String: [Value]]
  )? {
    if case .rowGroups(let bytes) = contents { return try ParquetFile(bytes).storage }
    return nil
  }

  /// Whether the file has bounds of its values.
  public var usesSelection: Bool { format == .parquet }

  /// The key of a CSV file in the metadata next to it.
  public func declaredKey(of table: String) throws(Problem) -> [[String]] {
    guard case .fields = format.content, let path, place == nil else { return [] }
    return try CSVMetadata.beside(path)?.key ?? []
  }

  /// The tables: those of a database, the sheets of a workbook, or the only one. The columns of sheets and of the only
  /// table are known when the rows are read.
  public func tables() async throws(Problem) -> [Schema] {
    switch contents {
    case .workbook(let bytes):
      let sheets = sheets(of: try Workbook(bytes))
      return (sheets.isEmpty ? [table] : sheets.map(\.name)).map { Schema($0, columns: []) }
    case .document(_, let tables):
      let names = try tables.names()
      return (names.count == 1 ? [table] : names).map { Schema($0, columns: []) }
    case .database(let database): return try database.tables().map(\.likelySchema)
    case .text, .rowGroups: return [Schema(table, columns: [])]
    }
  }

  /// The table that is read if none is named: the first sheet that a spreadsheet shows, the first of a document, or the
  /// only table; nil for a database with several.
  public func mainTable() async throws(Problem) -> String? {
    if case .workbook(let bytes) = contents {
      let workbook = try Workbook(bytes), main = workbook.mainSheet
      return main == nil ? table : sheets(of: workbook).first { $0.sheet == main }?.name
    }
    let tables = try await tables()
    if case .database = contents, tables.count > 1 { return nil }
    return tables.first?.name
  }

  /// The sheets of a workbook by the names of their tables: their own, or that of the file for the only one.
  private func sheets(of workbook: Workbook) -> [(name: String, sheet: Workbook.Sheet)] {
    if workbook.sheets.count == 1 { return [(table, workbook.sheets[0])] }
    return workbook.sheets.map { ($0.name, $0) }
  }

  private func sheetRows(
    _ workbook: Workbook, _ table: String, _ request: RowRequest
  ) throws(Problem) -> any RowStream {
    if workbook.sheets.isEmpty { return BufferedRows(schema: Schema(table, columns: []), batches: []) }
    guard
      let sheet = sheets(of: workbook).first(where: { $0.name == table })?.sheet ?? workbook.sheet(named: table)
    else {
      let names = workbook.sheets.map(\.name)
      throw Problem(
        .noInput, "sheet not found: “\(table)”", at: name,
        hint: .choose(table, from: names, "available sheets"))
    }
    var way = SheetReading()
    way.types = reading.types
    way.columns = request.someColumns
    way.nullTexts = reading.nullTexts
    let dialect = reading.dialect.dialect
    (way.skippedRows, way.headerRows, way.names) = (dialect.skippedRows, dialect.headerRows, dialect.names)
    (way.table, way.findsHeader) = (reading.dialect.table, reading.dialect.repairs)
    if let most = reading.maximumField { way.maximumField = most }
    let stream = try SheetRowStream.inferring(
      workbook, sheet, table: reading.table ?? table, way, scratch: scratch)
    for warning in stream.warnings { report(warning.located(at: name)) }
    return stream
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
    // Columns with patterns are read as text.
    var plain = self
    for (name, _) in patterns { plain.reading.types[name] = .text }
    let read = try await plain.unchecked(table, request)
    let rows: any RowStream = patterns.isEmpty ? read : try CSVWRows(name: name, patterns, first: read)
    if request.columns == nil, let name = reading.types.unmatched(by: rows.schema.columns.map(\.name)) {
      throw Problem(.usage, "“\(table)” has no column “\(name)”", at: self.name, hint: rows.schema.remedy(for: name))
    }
    return FileRows.of(rows, reading.types, request, at: name)
  }

  private var patterns: [(name: String, column: CSVWColumn)] {
    reading.types.names.compactMap { name in
      reading.types.pattern(of: name).flatMap { reading.csv.column(reading.types[name] ?? .date, pattern: $0) }.map {
        (name, $0)
      }
    }
  }

  private func unchecked(_ table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    switch contents {
    case .workbook(let bytes):
      if let count = reading.beginning, (bytes as? any ByteSource)?.size ?? 0 > count {
        return BufferedRows(schema: Schema(table, columns: []), batches: [])
      }
      return try sheetRows(try Workbook(bytes), table, request)
    case .document(let format, let tables): return try rows(of: tables, format, table, request)
    case .database(let database): return try await database.rows(of: table, as: reading.table, reading.types, request)
    case .text, .rowGroups: break
    }
    guard table == self.table else {
      throw Problem(.noInput, "table not found: “\(table)”", at: name, hint: "its only table is “\(self.table)”")
    }
    if case .rowGroups(let bytes) = contents { return try parquetRows(bytes, request) }
    return try await stream(request)
  }

  /// The rows of a part of a table, if the format can be read from any place.
  public func part(_ shard: Shard, of table: String, _ request: RowRequest) async throws(Problem) -> (any RowStream)? {
    guard patterns.isEmpty else { return nil }
    switch contents {
    case .database(let database):
      return try await database.rows(of: table, as: reading.table, reading.types, request, shard: shard)
    case .rowGroups(let bytes): return try parquetRows(bytes, request, shard)
    case .text:
      let rows = try await unchecked(table, request)
      var part: (any RowStream)? = try (rows as? CSVRowStream)?.part(shard.range)
      if let rows = rows as? JSONRowStream { part = try rows.part(shard.range) }
      return part.map { FileRows.of($0, reading.types, request, at: name) }
    case .workbook, .document: return nil
    }
  }

  /// The rows of a table of a document, by its name or number; the only one has the name of the file.
  private func rows(
    of document: DocumentTables, _ format: DocumentFormat, _ table: String, _ request: RowRequest
  ) throws(Problem) -> any RowStream {
    let names = try document.names()
    let number = Int(table).flatMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
    guard let name = names.count == 1 && table == self.table ? names[0] : names.contains(table) ? table : number else {
      throw Problem(
        .noInput, "table not found: “\(table)”", at: self.name,
        hint: .choose(table, from: names, "available tables"))
    }
    let text = try document.text(of: name)
    guard format.isText else {
      var way = JSONReading(
        form: .lines, records: JSONPointer(steps: []), types: reading.types, columns: request.someColumns)
      if let most = reading.maximumField { way.maximumField = most }
      return try JSONRowStream.inferring(text, table: reading.table ?? table, way)
    }
    var way = reading.csv
    way.types = reading.types
    way.columns = request.columns
    if let most = reading.maximumField { way.maximumField = most }
    let stream = try CSVRowStream.inferring(text, table: reading.table ?? table, way)
    for warning in stream.warnings { report(warning.located(at: self.name)) }
    return stream
  }

  private func parquetRows(
    _ bytes: any RandomAccessSource, _ request: RowRequest, _ shard: Shard? = nil
  ) throws(Problem) -> any RowStream {
    let file = try ParquetFile(bytes)
    var way = ParquetReading()
    way.rows = shard?.range(of: file.rowCount)
    way.columns = request.columns
    way.needsGroup = ParquetPruning(request.selection).test
    if let wanted = request.selection {
      way.mayEnd = wanted.limit != nil && wanted.sort.isEmpty && wanted.grouping == nil && wanted.sample == nil
    }
    if let most = reading.maximumField { way.maximumField = most }
    let stream = try ParquetRowStream(file, table: table, way)
    for column in stream.schema.columns {
      guard let type = reading.types[column.name], type != column.type else { continue }
      throw Problem(
        .usage, "the file declares column “\(column.name)” as \(column.type.name), which cannot be changed", at: name,
        hint: .omit(.columnTypes))
    }
    return stream
  }

  private func database(_ path: String) -> SQLiteDatabase {
    var database = SQLiteDatabase(path: path, place: place)
    if let most = reading.maximumField { database.limits.field = most }
    if let seconds = reading.timeout { database.limits.seconds = seconds }
    return database
  }

  private func stream(_ request: RowRequest) async throws(Problem) -> any RowStream {
    let bytes = try bytes()
    switch format.content {
    case .fields(let isTabbed):
      var way = reading.csv
      way.keepsSpellings = true
      if isTabbed { way.delimiter = UInt8(ascii: "\t") }
      way.nullTexts = reading.nullTexts
      way.columns = request.columns
      if let most = reading.maximumField { way.maximumField = most }
      if let path, place == nil, let metadata = try CSVMetadata.beside(path) {
        way.columns = request.someColumns
        // Settings do not win over what the file says of itself.
        var options = reading.dialect
        if reading.preferences.contains(.inputDelimiter) { options.delimiter = nil }
        if reading.preferences.contains(.inputEncoding) { options.encoding = nil }
        let described = try DescribedCSV(
          metadata, bytes, table: table, way, options, types: reading.types, log: rejects, report: report)
        return try described.rows()
      }
      way.types = reading.types
      if way.decimalSeparator == nil, way.thousands == nil { way.inferred = request.types }
      guard let input = try dialect(of: bytes, way) else {
        return BufferedRows(schema: Schema(table, columns: []), batches: [])
      }
      (way.delimiter, way.hasHeader, way.names) = (input.delimiter, input.hasHeader, input.names)
      let stream = try CSVRowStream.inferring(input.source, table: table, way)
      for warning in stream.warnings { report(warning.located(at: name)) }
      return stream
    default:
      var form = JSONForm.automatic
      if case .json(let own) = format.content { form = own }
      let (source, sample) = try sampled(try text(), DialectSniffer.firstLook)
      let input = try JSONInput(
        source, sample: sample.bytes, isWhole: sample.isWhole, findsRecords: form != .lines && reading.records == nil,
        repairs: reading.dialect.repairs)
      for warning in input.warnings { report(warning) }
      var way = JSONReading(
        form: input.isJoined ? .automatic : form,
        records: reading.records ?? JSONPointer(steps: input.records ?? []), types: reading.types,
        columns: request.someColumns)
      way.keepsSpellings = true
      way.isJoined = input.isJoined
      if let most = reading.maximumField { way.maximumField = most }
      return try JSONRowStream.inferring(input.source, table: table, way)
    }
  }

  /// The bytes of the file from the beginning, decompressed.
  private func bytes() throws(Problem) -> any ByteSource {
    let all = try allBytes()
    return reading.lines.map { FirstLines($0, of: all, isArray: format == .json) } ?? all
  }

  private func allBytes() throws(Problem) -> any ByteSource {
    if let piped { return try piped.reopened() ?? piped }
    let file = try FileByteSource(input: path ?? name, of: place).reporting(onRead)
    if let count = reading.beginning, file.size ?? 0 > count { return try beginning(of: file, count) }
    guard let compression else { return file }
    return try DecompressingSource(file, compression)
  }

  /// The whole lines in the first `count` bytes of a file.
  private func beginning(of file: FileByteSource, _ count: Int) throws(Problem) -> any ByteSource {
    var text = try sample(of: file, count).bytes
    if let compression {
      let source = try DecompressingSource(MemoryByteSource(text, name: name), compression)
      var plain = ArenaBuilder(capacity: count)
      // The end of the compressed bytes is missing.
      while plain.room > 0, let more = try? source.read(into: &plain, limit: plain.room), more > 0 {}
      text = plain.bytes
    }
    text.removeSubrange((text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count)...)
    if format == .json, text.first == UInt8(ascii: "["), let last = text.lastIndex(of: UInt8(ascii: ",")) {
      text.replaceSubrange(last..., with: "]".utf8)
    }
    return MemoryByteSource(text, name: name)
  }

  /// The text of a file that is not CSV, as UTF-8.
  private func text() throws(Problem) -> any ByteSource {
    let (whole, sample) = try sampled(try bytes(), 4096)
    let declared = isXML ? CharacterEncoding(declaredBy: sample.bytes) : nil
    let found = CharacterEncoding.finding(
      sample.bytes.span, isWhole: sample.isWhole, reading.dialect.encoding ?? declared)
    let name = found.encoding.rawValue
    // A vCard states the encoding of each value.
    if !found.isSure, !isXML, !reading.dialect.repairs, format.name != "vcard" {
      throw Problem(
        .badData, "the text is not UTF-8, and may be \(name)",
        at: self.name + CSVInput.placeOfBadText(in: sample.bytes.span), hint: .set(.inputEncoding, to: name))
    }
    guard found.isSure, found.encoding != .utf8 else { return whole }
    if reading.dialect.encoding == nil, declared == nil {
      report(Warning("\(self.name): read as \(name)", hint: .set(.inputEncoding, to: name)))
    }
    // The declaration of XML is about the original.
    let beginning = isXML ? found.text(of: sample.bytes) : []
    let end = beginning.starts(with: "<?xml".utf8) ? beginning.firstRange(of: Array("?>".utf8))?.upperBound : nil
    return try TranscodingSource(
      whole, found.encoding, mark: found.mark + (end ?? 0) * found.encoding.unitBytes)
  }

  private var isXML: Bool { ["gpx", "kml"].contains(format.name) }

  /// The first bytes of a CSV file.
  public func sample(_ count: Int) throws(Problem) -> FileSample? {
    guard format == .csv || format == .tsv else { return nil }
    return try sample(of: try bytes(), count)
  }

  private func sample(of bytes: any ByteSource, _ count: Int) throws(Problem) -> FileSample {
    var sample = ArenaBuilder(capacity: count), isWhole = false
    // A pipe gives its bytes in pieces of any size; rows of given types do not wait for others.
    let isPrompt = piped != nil && format == .ndjson && !reading.types.isEmpty
    while sample.room > 0, !isWhole, !isPrompt || sample.bytes.count(where: { $0 == 0x0A }) < 500 {
      isWhole = try bytes.read(into: &sample, limit: sample.room) == 0
    }
    return FileSample(name: name, bytes: sample.bytes, isWhole: isWhole, isTabbed: format == .tsv)
  }

  /// A file and its first bytes.
  private func sampled(_ bytes: any ByteSource, _ count: Int) throws(Problem) -> (any ByteSource, FileSample) {
    let again = try bytes.reopened(), sample = try sample(of: again ?? bytes, count)
    return (again == nil ? PrefixedByteSource(sample.bytes, bytes) : bytes, sample)
  }

  /// The dialect of a CSV file by its beginning, and its text in the usual one; nil for an empty file that is repaired.
  private func dialect(of bytes: any ByteSource, _ way: CSVReading) throws(Problem) -> CSVInput? {
    let (source, sample) = try sampled(bytes, DialectSniffer.sampleSize)
    if reading.dialect.repairs, sample.isWhole {
      let mark = CharacterEncoding.finding(sample.bytes.span, isWhole: true).mark
      if sample.bytes.dropFirst(mark).allSatisfy({ $0 == 0x20 || 0x09...0x0D ~= $0 }) { return nil }
    }
    let input = try CSVInput(
      source, sample: sample.bytes.span, isWhole: sample.isWhole, reading.dialect, isTabbed: format == .tsv,
      maximumField: way.maximumField,
      replacesBadEncoding: way.replacesBadEncoding, log: rejects)
    for warning in input.warnings { report(warning) }
    rejects?.note(hasHeader: input.hasHeader || input.names != nil)
    return input
  }
}
