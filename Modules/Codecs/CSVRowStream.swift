public import Domain
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
    for column in schema.columns where !opened.header.names.contains(column.name) {
      let near = Nearest.word(to: column.name, among: opened.header.names).map { "did you mean \($0)?" } ?? ""
      throw Problem(.badData, "the header has no column “\(column.name)”", at: "\(source.name):1", hint: near)
    }
    let known = Dictionary(uniqueKeysWithValues: schema.columns.map { ($0.name, $0) })
    let whole = Schema(
      schema.name, schema.summary, columns: opened.header.names.map { known[$0] ?? ColumnDescription($0, .text) })
    let wanted = schema.columns.map { whole.position(of: $0.name) ?? 0 }
    self.init(source, reading, schema, whole, wanted, [], opened)
  }

  /// The records of a file whose types are found by looking at its first MiB: the narrowest that lose nothing. `widened` mends what
  /// later values contradict.
  /// - Throws: `badData` for an empty file or a bad beginning; `usage` for a name in `types` that is no column.
  public static func inferring(
    _ source: any ByteSource, table: String, _ reading: CSVReading = CSVReading()
  ) throws(Problem) -> CSVRowStream {
    var opened = try Opened(source, reading)
    for name in reading.types.keys.sorted() where !opened.header.names.contains(name) {
      let near = Nearest.word(to: name, among: opened.header.names).map { "did you mean \($0)?" } ?? ""
      throw Problem(.usage, "“\(table)” has no column “\(name)”", hint: near)
    }
    let types = try opened.inferredTypes(reading, source.name)
    return try stream(source, table, reading, opened, types)
  }

  private static func stream(
    _ source: any ByteSource, _ table: String, _ reading: CSVReading, _ opened: Opened, _ types: [ColumnType]
  ) throws(Problem) -> CSVRowStream {
    let names = opened.header.names
    let whole = Schema(table, columns: zip(names, types).map { ColumnDescription($0, reading.types[$0] ?? $1) })
    let wanted =
      reading.columns.map { wanted in names.indices.filter { wanted.contains(names[$0]) } } ?? Array(names.indices)
    let inferred = Set(names.indices.filter { reading.types[names[$0]] == nil })
    return CSVRowStream(source, reading, whole.projected(to: wanted), whole, wanted, inferred, opened)
  }

  private init(
    _ source: any ByteSource, _ reading: CSVReading, _ schema: Schema, _ whole: Schema, _ wanted: [Int],
    _ inferred: Set<Int>, _ opened: Opened
  ) {
    var reading = reading
    // The one null that a table of one column can show, since its empty line could be overlooked.
    if whole.width == 1, reading.nullText == nil { reading.nullText = CSVStyle.loneNull }
    self.source = source
    self.reading = reading
    self.schema = schema
    table = whole.name
    warnings = opened.header.warnings
    layout = CSVLayout(whole, wanted: wanted, inferred: inferred, reading: reading)
    state = Mutex(State(splitter: opened.splitter, ahead: opened.ahead))
    found = Mutex(whole.columns.map(\.type))
  }

  /// Whether types were found by looking at the beginning alone.
  public var isOptimistic: Bool { layout.columns.contains { $0.isInferred && $0.type != .text } }

  /// The next piece of the file, still to be parsed.
  public func next() async throws(Problem) -> BatchWork? {
    let piece = try state.withLock { (state) throws(Problem) in
      state.ahead.isEmpty ? try state.splitter.next() : state.ahead.removeFirst()
    }
    guard let piece else { return nil }
    return BatchWork { () throws(Problem) in try self.parse(piece) }
  }

  private func parse(_ piece: CSVPiece) throws(Problem) -> RowBatch {
    let piece = reading.replacesBadEncoding ? Opened.repaired(piece) : piece
    var parser = CSVRecordParser(piece, layout)
    do throws(CSVFault) {
      return try parser.batch()
    } catch {
      var problem = Opened.problem(error, in: piece, name: source.name)
      problem.record = parser.count
      if let column = error.column {
        let description = layout.columns[column]
        if description.isInferred { found.withLock { $0[column] = Self.wider(description.type) } }
        problem.hint = "say its type, as in --types \(description.name)=text"
      }
      throw problem
    }
  }

  /// After a value that contradicts an inferred type: the file again, with types that hold it. A file's types are looked at whole then, so that
  /// it is begun again once.
  public func widened() async throws(Problem) -> (any RowStream)? {
    let known = layout.columns.map(\.type), wider = found.withLock { $0 }
    guard wider != known, let again = try source.reopened(), let look = try source.reopened() else { return nil }
    var opened = try Opened(look, reading)
    let types = try opened.inferredTypes(reading, source.name, wholeFile: true)
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

  init(_ source: any ByteSource, _ reading: CSVReading) throws(Problem) {
    splitter = CSVSplitter(source)
    guard let first = try splitter.next(), first.chunk.count > first.start else {
      throw Problem(.badData, "the file is empty, and has no header", at: source.name)
    }
    let piece = reading.replacesBadEncoding ? Self.repaired(first) : first
    let (fields, end) = Self.firstRecord(piece, reading.delimiter)
    guard fields.count <= 4096 else {
      throw Problem(.badData, "the header has \(fields.count) columns, more than 4096", at: "\(source.name):1")
    }
    var names: [String] = []
    for field in fields {
      guard let name = String(validating: field, as: UTF8.self) else {
        throw Problem(
          .badData, "the header is not UTF-8", at: "\(source.name):1",
          hint: "convert the file, or say --encoding-errors replace")
      }
      names.append(name)
    }
    header = CSVHeader(reading.hasHeader ? names : names.indices.map { "column\($0 + 1)" })
    let start = reading.hasHeader ? end : piece.start
    ahead = [CSVPiece(chunk: piece.chunk, start: start, place: piece.place(of: start))]
  }

  /// Types by the first MiB, or by the whole file.
  mutating func inferredTypes(_ reading: CSVReading, _ name: String, wholeFile: Bool = false) throws(Problem)
    -> [ColumnType]
  {
    let all = Schema("", columns: header.names.map { ColumnDescription($0, .text) })
    let layout = CSVLayout(all, wanted: Array(all.columns.indices), inferred: [], reading: reading)
    var inference = CSVInference(width: all.width)
    var bytes = 0, position = 0
    while wholeFile || bytes < 1 << 20 {
      if position == ahead.count {
        guard let piece = try splitter.next() else { break }
        ahead.append(piece)
      }
      let original = ahead[position]
      // Parsing folds quotes in place; the piece will be parsed again.
      let piece = wholeFile ? original : Self.copy(original)
      bytes += piece.chunk.count
      var parser = CSVRecordParser(reading.replacesBadEncoding ? Self.repaired(piece) : piece, layout)
      do throws(CSVFault) { inference.read(try parser.batch()) } catch {
        // What is wrong is told when the piece is parsed for good, with its record.
        break
      }
      if wholeFile { ahead.removeFirst() } else { position += 1 }
    }
    return inference.types
  }

  static func problem(_ fault: CSVFault, in piece: CSVPiece, name: String) -> Problem {
    Problem(.badData, fault.message, at: "\(name):\(piece.place(of: fault.offset))", hint: fault.hint)
  }

  /// The same text in memory of its own.
  private static func copy(_ piece: CSVPiece) -> CSVPiece {
    let chunk = Chunk(capacity: max(piece.chunk.count, Chunk.usualCapacity))
    unsafe chunk.base.update(from: piece.chunk.base, count: piece.chunk.count)
    chunk.count = piece.chunk.count
    return CSVPiece(chunk: chunk, start: piece.start, place: piece.place)
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

  /// The fields of the first record that is no blank line, unquoted, and where the next begins.
  private static func firstRecord(_ piece: CSVPiece, _ delimiter: UInt8) -> (fields: [[UInt8]], end: Int) {
    var fields: [[UInt8]] = [], field: [UInt8] = []
    var at = piece.start, isQuoted = false
    while at < piece.chunk.count {
      let byte = unsafe piece.chunk.base[at]
      at += 1
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          field.append(byte)
        } else if at < piece.chunk.count, unsafe piece.chunk.base[at] == UInt8(ascii: "\"") {
          field.append(byte)
          at += 1
        } else {
          isQuoted = false
        }
      } else if byte == UInt8(ascii: "\""), field.isEmpty {
        isQuoted = true
      } else if byte == delimiter {
        fields.append(field)
        field = []
      } else if byte == 0x0A {
        if field.last == 0x0D { field.removeLast() }
        if fields.isEmpty, field.isEmpty { continue }
        return (fields + [field], at)
      } else {
        field.append(byte)
      }
    }
    return (fields + [field], at)
  }
}
