import Codecs
public import Domain
import Glibc
public import Rows
import Synchronization

/// An SQLite database with one plain table and nothing else (`SQLiteDefinition`), for any program that reads SQLite.
///
/// The encoder's bytes are the batches themselves; the sink after it spools them, and creates the database when all
/// have been written.
public struct SQLiteExporter: Exporter {
  private static let nonfinite = ExporterDescriptor.Option(
    "nonfinite", NonfinitePolicy.allCases.map(\.rawValue).joined(separator: "|"),
    "NaN and infinities: keep infinities and fail for NaN, write null, or write as text [default: error]")

  private let folder: String

  /// Databases are built in `folder`, then copied to their place.
  public init(temporaryFolder folder: String) { self.folder = folder }

  /// `sqlite`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "sqlite", fileExtensions: ["sqlite", "db", "sqlite3", "db3"], mediaType: "application/vnd.sqlite3",
      summary: "An SQLite database with one plain table", isExact: true, isTypedByValue: true,
      options: [Self.nonfinite], limits: ExporterDescriptor.Limits(columns: SQLiteTableLimits.columns))
  }

  /// An encoder of batches for the sink.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard schema.width > 0 else { throw Problem(.usage, "sqlite: a table must have at least one column") }
    try schema.checkForSQL()
    let word = options.values[Self.nonfinite.key] ?? NonfinitePolicy.error.rawValue
    guard let policy = NonfinitePolicy(rawValue: word) else {
      throw Problem(
        .usage, "invalid value “\(word)” for option nonfinite", hint: "expected one of: \(Self.nonfinite.values)")
    }
    return BatchEncoder(schema, policy)
  }

  /// The maker of the database.
  /// - Throws: `cannotCreate` when it would take the place of a database with more in it than this table.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink {
    try SQLiteReplacement.check(sink.name, table: schema.name)
    return DatabaseSink(sink, schema, folder: folder)
  }
}

/// Writes a batch as it is in memory: how many rows, how many bytes of cells and of text, then these.
private struct BatchEncoder: RowEncoder {
  private let schema: Schema
  private let policy: NonfinitePolicy
  /// Columns that may have NaN or an infinity.
  private let reals: [Int]

  init(_ schema: Schema, _ policy: NonfinitePolicy) {
    self.schema = schema
    self.policy = policy
    reals = schema.columns.indices.filter { [.real, .decimal, .json].contains(schema.columns[$0].type) }
  }

  func begin(_ out: inout ByteBuffer) {}

  /// The batch without numbers that the policy does not permit. SQLite keeps infinities, and takes NaN for null.
  private func permitted(_ batch: RowBatch) throws(Problem) -> RowBatch {
    var isPermitted = true
    for column in reals {
      for row in 0..<batch.count {
        guard case .real(let value) = batch[row, column], !value.isFinite else { continue }
        if policy != .error {
          isPermitted = false
        } else if value.isNaN {
          throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: row, format: "SQLite")
        }
      }
    }
    if isPermitted { return batch }
    var builder = RowBatchBuilder(width: batch.width)
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        let value = batch.value(row, column)
        if case .real(let number) = value, !number.isFinite {
          builder.append(value: policy == .null ? .null : .text("\(NonfinitePolicy.word(for: number))"))
        } else {
          builder.append(value: value)
        }
      }
    }
    return builder.finish()
  }

  func encode(_ given: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    let batch = try permitted(given)
    var numbers: [UInt8] = []
    for number in [batch.count, batch.cells.count * MemoryLayout<Cell>.stride, batch.arena.count] {
      unsafe withUnsafeBytes(of: number) { unsafe numbers.append(contentsOf: $0) }
    }
    out.append(bytes: numbers)
    batch.cells.readBytes { out.append($0) }
    batch.arena.read { out.append($0) }
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
}

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
  private let reals: [Int]
  private let key: [Int]

  init(_ schema: Schema) {
    reals = schema.columns.indices.filter { schema.columns[$0].type == .real }
    key = schema.key.filter { schema.columns[$0].isNullable }
  }

  mutating func add(_ batch: RowBatch) {
    for column in reals where !untypedReals.contains(column) {
      if (0..<batch.count).contains(where: { Self.isChanged(batch[$0, column], batch.arena) }) {
        untypedReals.insert(column)
      }
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

/// Spools batches, then passes on the bytes of a database that holds them.
private final class DatabaseSink: ByteSink {
  let name: String
  private let inner: any ByteSink
  private let schema: Schema
  private let folder: String
  private let spool: Mutex<(rows: SpillBuffer, survey: ValueSurvey)>

  init(_ inner: any ByteSink, _ schema: Schema, folder: String) {
    name = inner.name
    self.inner = inner
    self.schema = schema
    self.folder = folder
    let rows = SpillBuffer(schema: schema, scratch: TemporaryScratch(folder: folder), memoryLimit: 4 << 20)
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
    let path = Temporaries.name(beside: "\(folder)/export.db")
    Temporaries.expect(path)
    defer {
      unsafe unlink(path)
      Temporaries.forget(path)
    }
    do throws(Problem) {
      try await build(path)
    } catch {
      var problem = error
      if problem.place.contains(path) { problem.place = name }
      throw problem
    }
    try await copy(try FileByteSource(path: path))
    try await inner.commit()
  }

  /// Creates the database without a journal: the file is private, and deleted after an error.
  private func build(_ path: String) async throws(Problem) {
    let (rows, survey) = spool.withLock { ($0.rows.stream(), $0.survey) }
    let connection = try SQLiteConnection.open(path: path, .writing)
    try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192; BEGIN")
    let definition = SQLiteDefinition(schema, untypedReals: survey.untypedReals, hasKey: survey.hasKey)
    try connection.execute(definition.text)
    let insertion = try SQLiteInsertion(
      schema, into: schema.name.quotedForSQL, isPlain: true, hasKey: survey.hasKey, connection)
    let ahead = PrefetchingRows(rows)
    while let batch = try await ahead.next() { try insertion.insert(batch) }
    try connection.execute("COMMIT")
  }

  private func copy(_ file: FileByteSource) async throws(Problem) {
    var piece = ArenaBuilder(), bytes = ByteBuffer(capacity: Arena.usualCapacity)
    while try file.read(into: &piece, limit: piece.room) > 0 {
      piece.read { bytes.append($0) }
      try await inner.write(bytes)
      piece.removeAll()
      bytes.removeAll()
    }
  }

  func abandon() async { await inner.abandon() }
}
