public import Rows
internal import Synchronization

/// The records of a CSV file.
///
/// `next` only splits the file into pieces; the returned work parses them, on any core. Text is a range of the input,
/// numbers keep their literal. An empty field without quotes is null, `""` is empty text. Throws `badData` with
/// `name:line:column` (columns in bytes) and the record for records with too many or too few fields, unterminated
/// quotes, quotes inside an unquoted field, a carriage return alone, invalid UTF-8, and values that do not fit their
/// column's type. Blank lines are skipped where a record has more than one field. Memory does not depend on the size of
/// the file, only on that of its largest record.
public final class CSVRowStream: RowStream {
  /// The columns that are needed.
  public let schema: Schema
  /// One warning per change of a name in the header.
  public let warnings: [Warning]

  private let source: any ByteSource
  private let table: String
  private let reading: CSVReading
  private let layout: CSVLayout
  private let state: Mutex<CSVOpening>
  /// The types of all columns, widened by values that contradicted them.
  private let found: Mutex<[ColumnType]>
  /// Unquoted fields so far that contain a quote; nil after one that was not expected.
  private let strays: Mutex<Int?>
  /// Records so far, and their fields between tabs that need their quotes or do not.
  private let enclosed = Mutex((records: 0, needed: 0, needless: 0))
  /// The bytes of the file in which the records begin; nil for all.
  private let part: Range<Int>?
  /// The first line of a quoted field that holds whole records.
  private let swallowing = Mutex<Int?>(nil)

  /// The records of a file whose header must name the columns of `schema`, in any order.
  /// - Throws: `badData` when the header is another.
  public convenience init(_ source: any ByteSource, schema: Schema, _ reading: CSVReading = CSVReading())
    throws(Problem)
  {
    var reading = reading
    for column in schema.columns { reading.types[column.name] = column.type }
    if reading.columns == nil { reading.columns = schema.columns.map(\.name) }
    let opened = try CSVOpening(source, reading, reading.isStrict ? .refused : .kept)
    let given = Self.positions(schema.columns.map(\.name)), found = Self.positions(opened.header.names)
    for column in schema.columns where found[Array(column.name.utf8)] == nil {
      let near =
        Remedy.choose(column.name, from: opened.header.names)
      throw Problem(.badData, "missing column “\(column.name)” in the header", at: "\(source.name):1", hint: near)
    }
    let whole = Schema(
      schema.name, schema.summary,
      columns: opened.header.names.map { name in
        given[Array(name.utf8)].map { schema.columns[$0] } ?? ColumnDescription(name, .text)
      })
    let wanted = schema.columns.map { found[Array($0.name.utf8)] ?? 0 }
    self.init(source, schema, whole, wanted, [], opened)
  }

  /// The position of each name, in a table that takes no longer for thousands of columns; of a duplicate, the first.
  private static func positions(_ names: [String]) -> [[UInt8]: Int] {
    Dictionary(names.enumerated().map { (Array($1.utf8), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The records of a file whose types are inferred from its first MiB: the narrowest types that preserve every value.
  /// `widened` handles later values that contradict them.
  /// - Throws: `badData` for an empty file or an invalid first record; `usage` for an unknown column name in `types`.
  public static func inferring(
    _ source: any ByteSource, table: String, _ reading: CSVReading = CSVReading()
  ) throws(Problem) -> CSVRowStream {
    try inferring(source, table: table, reading, careful: false)
  }

  /// - Parameter careful: whether quotes inside unquoted fields are expected.
  private static func inferring(
    _ source: any ByteSource, table: String, _ reading: CSVReading, careful: Bool
  ) throws(Problem) -> CSVRowStream {
    let isReadAgain = careful ? false : try source.reopened() != nil
    var opened = try CSVOpening(source, reading, reading.isStrict ? .refused : isReadAgain ? .unexpected : .kept)
    for name in reading.types.missing(opened.header.has, isNested: { reading.types[$0]?.isNested == true }) {
      throw Problem(
        .usage, "“\(table)” has no column “\(name)”",
        hint: .choose(name, from: opened.header.names, "available columns"))
    }
    let types = try opened.typesOfBeginning()
    if opened.splitter.strayQuotes == .unexpected {
      if opened.strays > 0 || opened.hasStrayQuote, let again = try source.reopened() {
        return try inferring(again, table: table, reading, careful: true)
      }
      let stream = try stream(source, table, reading, opened, types)
      if stream.mayWiden { return stream }
      // Written output cannot be undone, so the file cannot be read again.
      opened.splitter.strayQuotes = .kept
    }
    return try stream(source, table, reading, opened, types)
  }

  /// The names of the columns, as the header has them.
  /// - Throws: `badData` for an empty file or a bad beginning.
  public static func names(_ source: any ByteSource, _ reading: CSVReading = CSVReading()) throws(Problem) -> [String] {
    try CSVOpening(source, reading, reading.isStrict ? .refused : .kept).header.names
  }

  private static func stream(
    _ source: any ByteSource, _ table: String, _ reading: CSVReading, _ opened: CSVOpening, _ types: [InferredType]
  ) throws(Problem) -> CSVRowStream {
    let names = opened.header.names
    let annotations = positions(reading.annotations.map(\.name))
    let columns = zip(zip(names, opened.header.titles), types).map { header, type in
      let (name, title) = header
      var column = ColumnDescription(name, reading.types[name] ?? type.type)
      if !name.utf8.elementsEqual(title.utf8) { column.title = title }
      column.spelling = reading.types[name] == nil ? type.spelling : reading.types.spelling(of: name)
      return annotations[Array(name.utf8)].map { column.annotated(as: reading.annotations[$0]) } ?? column
    }
    let whole = Schema(table, columns: columns)
    let wanted =
      reading.columns.map { columns in
        let needed = Set(columns.map { Array($0.utf8) })
        return names.indices.filter { needed.contains(Array(names[$0].utf8)) }
      } ?? Array(names.indices)
    let inferred = Set(names.indices.filter { reading.types[names[$0]] == nil })
    return CSVRowStream(source, whole.projected(to: wanted), whole, wanted, inferred, opened)
  }

  private init(
    _ source: any ByteSource, _ schema: Schema, _ whole: Schema, _ wanted: [Int], _ inferred: Set<Int>,
    _ opened: CSVOpening
  ) {
    self.source = source
    reading = opened.reading
    self.schema = schema
    table = whole.name
    warnings = opened.header.warnings
    layout = CSVLayout(whole, wanted: wanted, inferred: inferred, reading: opened.reading, opened.splitter.strayQuotes)
    strays = Mutex(opened.strays)
    part = opened.splitter.part
    state = Mutex(opened)
    found = Mutex(whole.columns.map(\.type))
  }

  /// The number of unquoted fields with quotes, as text.
  public var notes: [Warning] {
    let count = strays.withLock { $0 ?? 0 }
    var notes = source.notes
    if let line = swallowing.withLock({ $0 }) {
      notes.append(Warning("\(source.name):\(line): a quoted field holds whole records; a quote may be missing"))
    }
    let (records, needed, needless) = enclosed.withLock { $0 }
    // A file whose fields are enclosed as a rule means its quotes.
    if needed == 0, needless > 0, needless * 10 < records {
      let fields = "\(needless) field\(needless == 1 ? "" : "s") in quotes without need"
      notes.append(
        Warning("\(source.name): \(fields), read without them", hint: .set(.inputQuote, to: "none", for: "keep them")))
    }
    if count == 0 { return notes }
    let fields = count == 1 ? "1 unquoted field contains a quote" : "\(count) unquoted fields contain quotes"
    return notes + [
      Warning("\(source.name): \(fields), kept as text", hint: .set(.strictQuotes, for: "refuse such fields"))
    ]
  }

  /// Whether types were found by looking at the beginning alone.
  public var mayWiden: Bool { part == nil && layout.columns.contains { $0.isInferred && $0.type != .text } }

  /// The file from its beginning, with the same types.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    try again(part)
  }

  private func again(_ part: Range<Int>?) throws(Problem) -> CSVRowStream? {
    guard let again = try source.reopened() else { return nil }
    let strayQuotes: CSVStrayQuotes = reading.isStrict ? .refused : .kept
    let types = layout.columns.map { InferredType(type: $0.type, spelling: $0.spelling) }
    return try Self.stream(again, table, reading, try CSVOpening(again, reading, strayQuotes, part: part), types)
  }

  /// The records that begin in a part of the file's bytes, with the types that the beginning of the file shows. Only
  /// quotes and line feeds are searched in the bytes before the part.
  /// - Parameter range: the part, given the size.
  /// - Returns: nil for a source whose size is not known.
  public func part(_ range: (_ size: Int) -> Range<Int>) throws(Problem) -> CSVRowStream? {
    guard let size = source.size, source is any RandomAccessSource else { return nil }
    let range = range(size), first = reading.areLines ? range.lowerBound : 0
    (source as? any PlannedSource)?.willRead([[first..<range.upperBound]], mayEnd: false)
    return try again(range)
  }

  /// The next piece of the file, still to be parsed.
  public func next() async throws(Problem) -> BatchTask? { try nextWork() }

  /// The same for who does not wait for others.
  public func nextWork() throws(Problem) -> BatchTask? {
    guard let task = try state.withLock({ (state) throws(Problem) in try state.next() }) else { return nil }
    return BatchTask { [self] () throws(Problem) in try task.batch(parse) }
  }

  private func parse(_ given: consuming CSVPiece) -> Result<RowBatch, Problem> {
    var piece = reading.replacesBadEncoding ? CSVOpening.repaired(given) : given
    var parser = unsafe CSVRecordParser(piece, layout)
    do throws(CSVSyntaxError) {
      try parser.parse()
    } catch {
      if error.isStrayQuote, layout.strayQuotes == .unexpected { strays.withLock { $0 = nil } }
      var problem = CSVOpening.problem(error, in: piece, name: source.name)
      if error.isInRecord { problem.record = parser.count }
      if let column = error.column {
        let description = layout.columns[column]
        if description.isInferred {
          found.withLock { $0[column] = Self.wider(description.type) }
        }
        if !description.isInferred, !error.hint.isEmpty, error.value == nil {
          problem.hint = error.hint.or(
            .set(.columnTypes, to: "\(NameListParser.written(description.name))=text", for: "read it as text"))
        } else if description.isInferred || problem.hint.description.isEmpty || error.value != nil {
          let type = Remedy.set(
            .columnTypes, to: "\(NameListParser.written(description.name))=text", for: "set the column type")
          let isNull = description.isInferred ? nil : error.value
          problem.hint = isNull.map { .set(.inputNull, to: $0, for: "read it as null").or(type) } ?? type
        }
      }
      return .failure(problem)
    }
    let found = parser.strays, rows = parser.count
    if found > 0 { strays.withLock { $0 = $0.map { $0 + found } } }
    if layout.reading.delimiter == 0x09 {
      enclosed.withLock { $0 = ($0.records + rows, $0.needed + parser.needed, $0.needless + parser.needless) }
    }
    if let offset = parser.swallowing {
      let line = piece.place(of: offset).lines + 1
      swallowing.withLock { $0 = min($0 ?? line, line) }
    }
    let tail = parser.tail, cells = parser.finish()
    if !tail.isEmpty { piece.text.append(tail) }
    return .success(
      unsafe RowBatch(width: layout.width, count: rows, uncheckedCells: cells, arena: piece.text.freeze()))
  }

  /// After a value that contradicts an inferred type: the file again, with types that fit it. The types are then
  /// inferred from the whole file, so it restarts only once.
  /// - Throws: `badData` if the whole file has an error that no type can avoid.
  public func widened() async throws(Problem) -> (any RowStream)? {
    let known = layout.columns.map(\.type), wider = found.withLock { $0 }
    let isStray = strays.withLock { $0 == nil }
    guard part == nil, wider != known || isStray, let again = try source.reopened(), let look = try source.reopened()
    else {
      return nil
    }
    if wider == known { return try Self.inferring(again, table: table, reading, careful: true) }
    let strayQuotes: CSVStrayQuotes = reading.isStrict ? .refused : .kept
    var opened = try CSVOpening(look, reading, strayQuotes)
    let types = try opened.typesOfWholeFile(named: source.name)
    // A value that does not fit the type which all values together show fits none.
    guard
      zip(types, layout.columns).contains(where: { $1.isInferred && ($0.type != $1.type || $0.spelling != $1.spelling) }
      )
    else { return nil }
    return try Self.stream(again, table, reading, try CSVOpening(again, reading, strayQuotes), types)
  }

  /// The type a column gets when a value does not fit.
  private static func wider(_ type: ColumnType) -> ColumnType { type == .integer || type == .real ? .decimal : .text }
}
