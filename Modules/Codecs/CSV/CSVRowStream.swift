public import Rows
internal import Synchronization

/// The records of a CSV file.
///
/// `next` only cuts the file into pieces; the work it gives parses them, on any core. Text is a range of what was read, numbers keep their
/// literal. An empty field without quotes is null, `""` is the empty text. `badData` with `name:line:column` (columns in bytes) and the record: for records with too many or too
/// few fields, quotes that are never closed or stand inside a field without quotes, a carriage return alone, text that is not UTF-8, and values that do
/// not fit their column's type. Blank lines are skipped where a record has more than one field. Memory does not depend on the size of the file, only on
/// that of its largest record.
public final class CSVRowStream: RowStream {
  /// The columns that are needed.
  public let schema: Schema
  /// What was changed in the header, a sentence each.
  public let warnings: [String]

  private let source: any ByteSource
  private let table: String
  private let reading: CSVReading
  private let layout: CSVLayout
  private let state: Mutex<State>
  /// The types of all columns, widened by values that contradicted them.
  private let found: Mutex<[ColumnType]>

  private struct State: Sendable {
    var splitter: CSVSplitter
    /// Pieces that were read to know the header and the types.
    var ahead: [CSVPiece] = []
  }

  /// The records of a file whose header must name the columns of `schema`, in any order.
  /// - Throws: `badData` when the header is another.
  public convenience init(_ source: any ByteSource, schema: Schema, _ reading: CSVReading = CSVReading())
    throws(Problem)
  {
    var reading = reading
    for column in schema.columns { reading.types[column.name] = column.type }
    if reading.columns == nil { reading.columns = schema.columns.map(\.name) }
    let opened = try Opened(source, reading)
    for column in schema.columns where !opened.header.has(column.name) {
      let near = Nearest.word(to: column.name, among: opened.header.names).map { "did you mean \($0)?" } ?? ""
      throw Problem(.badData, "the header has no column “\(column.name)”", at: "\(source.name):1", hint: near)
    }
    let whole = Schema(
      schema.name, schema.summary,
      columns: opened.header.names.map { name in
        schema.position(of: name).map { schema.columns[$0] } ?? ColumnDescription(name, .text)
      })
    let wanted = schema.columns.map { whole.position(of: $0.name) ?? 0 }
    self.init(source, schema, whole, wanted, [], opened)
  }

  /// The records of a file whose types are found by looking at its first MiB: the narrowest that lose nothing. `widened` mends what
  /// later values contradict.
  /// - Throws: `badData` for an empty file or a bad beginning; `usage` for a name in `types` that is no column.
  public static func inferring(
    _ source: any ByteSource, table: String, _ reading: CSVReading = CSVReading()
  ) throws(Problem) -> CSVRowStream {
    var opened = try Opened(source, reading)
    for name in reading.types.names where !opened.header.has(name) {
      let near = Nearest.word(to: name, among: opened.header.names).map { "did you mean \($0)?" } ?? ""
      throw Problem(.usage, "“\(table)” has no column “\(name)”", hint: near)
    }
    let types = try opened.typesOfBeginning()
    return try stream(source, table, reading, opened, types)
  }

  /// The names of the columns, as the header has them.
  /// - Throws: `badData` for an empty file or a bad beginning.
  public static func names(_ source: any ByteSource, _ reading: CSVReading = CSVReading()) throws(Problem) -> [String] {
    try Opened(source, reading).header.names
  }

  private static func stream(
    _ source: any ByteSource, _ table: String, _ reading: CSVReading, _ opened: Opened, _ types: [ColumnType]
  ) throws(Problem) -> CSVRowStream {
    let names = opened.header.names
    let whole = Schema(table, columns: zip(names, types).map { ColumnDescription($0, reading.types[$0] ?? $1) })
    let wanted =
      reading.columns.map { wanted in names.indices.filter { wanted.contains(names[$0]) } } ?? Array(names.indices)
    let inferred = Set(names.indices.filter { reading.types[names[$0]] == nil })
    return CSVRowStream(source, whole.projected(to: wanted), whole, wanted, inferred, opened)
  }

  private init(
    _ source: any ByteSource, _ schema: Schema, _ whole: Schema, _ wanted: [Int], _ inferred: Set<Int>,
    _ opened: Opened
  ) {
    self.source = source
    reading = opened.reading
    self.schema = schema
    table = whole.name
    warnings = opened.header.warnings
    layout = CSVLayout(whole, wanted: wanted, inferred: inferred, reading: opened.reading)
    state = Mutex(State(splitter: opened.splitter, ahead: opened.ahead))
    found = Mutex(whole.columns.map(\.type))
  }

  /// Whether types were found by looking at the beginning alone.
  public var isOptimistic: Bool { layout.columns.contains { $0.isInferred && $0.type != .text } }

  /// The next piece of the file, still to be parsed.
  public func next() async throws(Problem) -> BatchWork? { try nextWork() }

  /// The same for who does not wait for others.
  public func nextWork() throws(Problem) -> BatchWork? {
    let piece = try state.withLock { (state) throws(Problem) in
      state.ahead.isEmpty ? try state.splitter.next() : state.ahead.removeFirst()
    }
    guard let piece else { return nil }
    let work = Work(piece, self)
    return BatchWork { () throws(Problem) in try work.batch() }
  }

  /// Parses a piece. The text is changed when it is parsed, so that happens once; who asks again gets the same batch.
  private final class Work: Sendable {
    private let piece: CSVPiece
    private let stream: CSVRowStream
    private let result = Mutex<Result<RowBatch, Problem>?>(nil)

    init(_ piece: CSVPiece, _ stream: CSVRowStream) {
      self.piece = piece
      self.stream = stream
    }

    func batch() throws(Problem) -> RowBatch {
      try result.withLock { result in
        let known = result ?? stream.parse(piece)
        result = known
        return known
      }.get()
    }
  }

  private func parse(_ piece: CSVPiece) -> Result<RowBatch, Problem> {
    let piece = reading.replacesBadEncoding ? Opened.repaired(piece) : piece
    var parser = CSVRecordParser(piece, layout)
    do throws(CSVFault) {
      return .success(try parser.batch())
    } catch {
      var problem = Opened.problem(error, in: piece, name: source.name)
      if error.isInRecord { problem.record = parser.count }
      if let column = error.column {
        let description = layout.columns[column]
        if description.isInferred {
          found.withLock { $0[column] = Self.wider(description.type) }
          problem.hint = "say its type, as in --types '\(ListedName.written(description.name))=text'"
        }
      }
      return .failure(problem)
    }
  }

  /// After a value that contradicts an inferred type: the file again, with types that hold it. A file's types are looked at whole then, so that
  /// it is begun again once.
  /// - Throws: `badData` when the whole file shows a fault that no type mends.
  public func widened() async throws(Problem) -> (any RowStream)? {
    let known = layout.columns.map(\.type), wider = found.withLock { $0 }
    guard wider != known, let again = try source.reopened(), let look = try source.reopened() else { return nil }
    var opened = try Opened(look, reading)
    let types = try opened.typesOfWholeFile(named: source.name)
    return try Self.stream(again, table, reading, try Opened(again, reading), types)
  }

  /// The type a column gets when a value does not fit.
  private static func wider(_ type: ColumnType) -> ColumnType { type == .integer || type == .real ? .decimal : .text }
}

/// A file whose header was read.
private struct Opened {
  var splitter: CSVSplitter
  var ahead: [CSVPiece] = []
  let header: CSVHeader
  /// How the file is read, now that the number of its columns is known.
  private(set) var reading: CSVReading

  init(_ source: any ByteSource, _ reading: CSVReading) throws(Problem) {
    splitter = CSVSplitter(source)
    let none = Problem(.badData, "the file is empty, and has no header", at: source.name)
    guard let first = try splitter.next() else { throw none }
    let piece = reading.replacesBadEncoding ? Self.repaired(first) : first
    let (fields, end): ([[UInt8]], Int)
    do throws(CSVFault) {
      (fields, end) = try CSVHeader.firstRecord(piece, reading.delimiter)
    } catch {
      var problem = Self.problem(error, in: piece, name: source.name)
      if let advice = CSVHeader.otherDelimiter(piece, reading.delimiter) { problem.hint = advice }
      throw problem
    }
    guard !fields.isEmpty else { throw none }
    guard fields.count <= 4096 else {
      throw Problem(.badData, "the header has \(fields.count) columns, more than 4096", at: "\(source.name):1")
    }
    self.reading = reading
    // The one null that a table of one column can show, since its empty line could be overlooked.
    if fields.count == 1, reading.nullText == nil { self.reading.nullText = CSVStyle.loneNull }
    let advice = fields.count == 1 ? CSVHeader.otherDelimiter(piece, reading.delimiter) : nil
    if reading.hasHeader {
      header = CSVHeader(
        fields.map { String(decoding: $0, as: UTF8.self) }, advice, keepsEmpty: reading.types[""] != nil)
    } else {
      let names = reading.names ?? fields.indices.map { "column\($0 + 1)" }
      guard names.count == fields.count else {
        throw Problem(
          .badData, "the record has \(fields.count) fields, and \(names.count) columns are described",
          at: "\(source.name):1", hint: advice ?? "")
      }
      header = CSVHeader(names, advice, keepsEmpty: names.contains(""))
    }
    let start = reading.hasHeader ? end : piece.start
    ahead = [CSVPiece(chunk: piece.chunk, start: start, place: piece.place(of: start))]
  }

  /// Types by the first MiB, which stays to be parsed for good.
  mutating func typesOfBeginning() throws(Problem) -> [ColumnType] {
    var inference = CSVInference(width: header.names.count)
    let layout = textLayout
    var bytes = 0, position = 0
    while bytes < 1 << 20 {
      if position == ahead.count {
        guard let piece = try splitter.next() else { break }
        ahead.append(piece)
      }
      let piece = ahead[position]
      bytes += piece.chunk.count
      position += 1
      // What is wrong is told when the piece is parsed for good, with its record.
      do throws(CSVFault) { try look(at: piece, layout, &inference) } catch { break }
    }
    return inference.types
  }

  /// Types by all there is; nothing is left to be parsed.
  mutating func typesOfWholeFile(named name: String) throws(Problem) -> [ColumnType] {
    var inference = CSVInference(width: header.names.count)
    let layout = textLayout
    while let piece = try ahead.isEmpty ? splitter.next() : ahead.removeFirst() {
      do throws(CSVFault) { try look(at: piece, layout, &inference) } catch {
        throw Self.problem(error, in: piece, name: name)
      }
    }
    return inference.types
  }

  /// All columns as text.
  private var textLayout: CSVLayout {
    let all = Schema("", columns: header.names.map { ColumnDescription($0, .text) })
    return CSVLayout(all, wanted: Array(all.columns.indices), inferred: [], reading: reading)
  }

  private func look(at piece: CSVPiece, _ layout: CSVLayout, _ inference: inout CSVInference) throws(CSVFault) {
    var parser = CSVRecordParser(reading.replacesBadEncoding ? Self.repaired(piece) : piece, layout)
    // A text that would have to be decoded is no number either way.
    inference.read(try parser.batch(decoding: false))
  }

  static func problem(_ fault: CSVFault, in piece: CSVPiece, name: String) -> Problem {
    Problem(.badData, fault.message, at: "\(name):\(piece.place(of: fault.offset))", hint: fault.hint)
  }

  /// The same text with U+FFFD for what is not UTF-8.
  static func repaired(_ piece: CSVPiece) -> CSVPiece {
    let text = unsafe String(
      decoding: UnsafeBufferPointer(start: piece.chunk.base + piece.start, count: piece.chunk.count - piece.start),
      as: UTF8.self)
    let bytes = Array(text.utf8)
    let chunk = Chunk(capacity: max(bytes.count, Chunk.usualCapacity))
    for (index, byte) in bytes.enumerated() { unsafe chunk.base[index] = byte }
    chunk.count = bytes.count
    return CSVPiece(chunk: chunk, start: 0, place: piece.place)
  }
}
