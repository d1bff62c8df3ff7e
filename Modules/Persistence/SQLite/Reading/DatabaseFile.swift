import Codecs
import Domain
import Glibc
import Rows
import Synchronization

extension RowBatch {
  /// The batch that `BatchEncoder` wrote at `offset`, which is moved to its end.
  fileprivate static func decoded(_ bytes: RawSpan, at offset: inout Int, width: Int) -> RowBatch {
    let head = (0..<3).map {
      unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset + $0 * MemoryLayout<Int>.stride, as: Int.self)
    }
    let cells = offset + head.count * MemoryLayout<Int>.stride, text = cells + head[1]
    offset = text + head[2]
    var arena = ArenaBuilder(capacity: max(head[2], Arena.usualCapacity))
    arena.append(bytes.extracting(text..<offset))
    return RowBatch(
      width: width, count: head[0], cells: unsafe Cells(bytes: bytes.extracting(cells..<text)), arena: arena.freeze())
  }
}

/// The requirements that all values of a table have on its definition.
private struct ValueSurvey {
  /// Real columns with a value that a REAL column would change.
  private(set) var untypedReals: Set<Int> = []
  /// Whether no value of the key is null, which a primary key does not have.
  private(set) var hasKey = true
  /// The shapes of columns of decimals, by position.
  private(set) var decimals: [Int: DecimalShape] = [:]
  private let reals: [Int]
  private let key: [Int]

  init(_ schema: Schema) {
    reals = schema.columns.indices.filter { schema.columns[$0].type == .real }
    for column in schema.columns.indices where schema.columns[column].type == .decimal {
      decimals[column] = DecimalShape()
    }
    key = schema.key.filter { schema.columns[$0].isNullable }
  }

  mutating func add(_ batch: RowBatch) {
    for column in reals where !untypedReals.contains(column) {
      if (0..<batch.count).contains(where: { Self.isChanged(batch[$0, column], batch.arena) }) {
        untypedReals.insert(column)
      }
    }
    for column in Array(decimals.keys) {
      // A word for NaN or an infinity: only a column of any type has it among its numbers.
      if (0..<batch.count).contains(where: { if case .text = batch[$0, column] { true } else { false } }) {
        decimals[column] = nil
        continue
      }
      for row in 0..<batch.count { decimals[column]?.add(batch[row, column], batch.arena) }
    }
    for column in key where hasKey { hasKey = !(0..<batch.count).contains { batch[$0, column].isNull } }
  }

  private static func isChanged(_ cell: Cell, _ arena: Arena) -> Bool {
    switch cell {
    case .real(let value): return value == 0 && value.sign == .minus
    case .number(let start, let length):
      guard case .real(let value) = unsafe StoredNumber(arena.base + Int(start), Int(length)) else { return true }
      return value == 0 && value.sign == .minus
    case .text: return true
    default: return false
    }
  }
}

/// Spools the batches of a table, and adds them to a database when all have been written.
final class TableSink: ByteSink {
  let name: String
  private let schema: Schema
  private let isWhole: Bool
  private let database: DatabaseFile
  private let spool: Mutex<(rows: SpillBuffer, survey: ValueSurvey)>

  /// - Parameters:
  ///   - name: the name of the output.
  ///   - isWhole: whether the table completes the database.
  init(for name: String, _ schema: Schema, directory: String, isWhole: Bool, _ database: DatabaseFile) {
    self.name = name
    self.schema = schema
    self.isWhole = isWhole
    self.database = database
    let rows = SpillBuffer(schema: schema, scratch: TemporaryScratch(directory: directory), memoryLimit: 4 << 20)
    spool = Mutex((rows, ValueSurvey(schema)))
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let width = schema.width
    try bytes.read { (span) throws(Problem) in
      try spool.withLock { (spool) throws(Problem) in
        var offset = 0
        while offset < span.byteCount {
          let batch = RowBatch.decoded(span, at: &offset, width: width)
          spool.survey.add(batch)
          try spool.rows.append(batch)
        }
      }
    }
  }

  func commit() async throws(Problem) {
    let (rows, survey) = spool.withLock { ($0.rows.stream(), $0.survey) }
    let definition = SQLiteDefinition(
      schema, untypedReals: survey.untypedReals, decimals: survey.decimals, hasKey: survey.hasKey)
    try await database.add(definition, of: schema, hasKey: survey.hasKey, survey.decimals, rows)
    if isWhole { try await database.commit() }
  }

  func abandon() async { if isWhole { await database.abandon() } }
}

/// A database that is filled in a temporary file, then copied to its place.
final class DatabaseFile: TableContainer {
  private let path: String
  private let directory: String
  private let sink: any ByteSink
  private let tables = Mutex<Set<String>>([])

  init(directory: String, in sink: any ByteSink) {
    path = Temporaries.name(beside: "\(directory)/export.db")
    self.directory = directory
    self.sink = sink
    Temporaries.expect(path)
  }

  deinit { remove() }

  func sink(for schema: Schema, options: ExportOptions) throws(Problem) -> any ByteSink {
    TableSink(for: sink.name, schema, directory: directory, isWhole: false, self)
  }

  /// Creates a table and fills it, without a journal: the file is private, and deleted after an error.
  func add(
    _ definition: SQLiteDefinition, of schema: Schema, hasKey: Bool, _ decimals: [Int: DecimalShape],
    _ rows: any RowStream
  ) async throws(Problem) {
    let name = schema.name.lowercased()
    guard tables.withLock({ $0.insert(name).inserted }) else {
      throw Problem(.usage, "two tables have the name “\(schema.name)”", at: sink.name, hint: "rename one of them")
    }
    do throws(Problem) {
      let connection = try SQLiteConnection.open(path: path, .writing)
      try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192; BEGIN")
      try connection.execute(definition.text)
      let insertion = try SQLiteInsertion(
        schema, into: schema.name.quotedForSQL, isPlain: true, hasKey: hasKey, decimals: decimals, connection)
      let ahead = PrefetchingRows(rows)
      while let batch = try await ahead.next() { try insertion.insert(batch) }
      try connection.execute("COMMIT")
    } catch {
      var problem = error
      if problem.place.contains(path) { problem.place = sink.name }
      throw problem
    }
  }

  func commit() async throws(Problem) {
    defer { remove() }
    let file = try FileByteSource(path: path)
    var piece = ArenaBuilder(), bytes = ByteBuffer(capacity: Arena.usualCapacity)
    while try file.read(into: &piece, limit: piece.room) > 0 {
      piece.read { bytes.append($0) }
      try await sink.write(bytes)
      piece.removeAll()
      bytes.removeAll()
    }
    try await sink.commit()
  }

  func abandon() async {
    remove()
    await sink.abandon()
  }

  private func remove() {
    unsafe unlink(path)
    Temporaries.forget(path)
  }
}
