import Codecs
import Domain
import Files
import Glibc
import Rows
import Synchronization

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
      guard let value = ByteRun(arena, start, length).heldReal else { return true }
      return value == 0 && value.sign == .minus
    case .text: return true
    default: return false
    }
  }
}

/// Spools the batches of a table, and adds them to a database when all have been written.
@safe final class TableSink: RowSink, @unchecked Sendable {
  private let schema: Schema
  private let policy: NonfinitePolicy
  /// Columns that may have NaN or an infinity.
  private let reals: [Int]
  private let rows: SpillBuffer
  private var survey: ValueSurvey
  /// Opens the database that is complete with this table; nil for one with other tables.
  private let openDatabase: (@Sendable () async throws(Problem) -> any TableDatabase)?
  private var database: (any TableDatabase)?

  /// - Throws: `usage` for columns that SQLite does not have.
  init(
    _ schema: Schema, _ policy: NonfinitePolicy, directory: String, in database: (any TableDatabase)? = nil,
    open: (@Sendable () async throws(Problem) -> any TableDatabase)? = nil
  ) throws(Problem) {
    guard schema.width > 0 else { throw Problem(.usage, "sqlite: a table must have at least one column") }
    try schema.checkForSQL()
    (self.schema, self.policy, self.database, openDatabase) = (schema, policy, database, open)
    reals = schema.columns.indices.filter { [.real, .decimal, .json].contains(schema.columns[$0].type) }
    rows = SpillBuffer(schema: schema, scratch: TemporaryScratch(directory: directory), memoryLimit: 4 << 20)
    survey = ValueSurvey(schema)
  }

  func open() async throws(Problem) {
    if let openDatabase { database = try await openDatabase() }
  }

  func prepare(_ rows: PreparedRows) throws(Problem) {
    try rows.forEach { (index, batch) throws(Problem) in
      rows.batches[index] = try policy.permitted(batch, columns: reals, of: schema)
    }
  }

  func write(_ prepared: PreparedRows) async throws(Problem) {
    for batch in prepared.batches {
      survey.add(batch)
      try rows.append(batch)
    }
  }

  func finish() async throws(Problem) {
    let definition = SQLiteDefinition(
      schema, untypedReals: survey.untypedReals, decimals: survey.decimals, hasKey: survey.hasKey)
    if openDatabase != nil, let new = database as? DatabaseFile {
      database = try await new.createdMeanwhile(with: [schema.name]) ?? new
    }
    try await database?.add(definition, of: schema, hasKey: survey.hasKey, survey.decimals, rows.stream())
    if openDatabase != nil { try await database?.copy() }
  }

  func commit() async throws(Problem) -> WrittenRows {
    var written = WrittenRows(database?.name ?? "")
    if openDatabase != nil, let database {
      written.bytes = database.bytes
      try await database.publish()
    }
    let mixed = survey.decimals.filter { $0.value.storage != .double }.keys.sorted().map { schema.columns[$0].name }
    if !mixed.isEmpty {
      written.warning = Warning(
        "no REAL holds all numbers of \(mixed.joined(separator: ", ")): the others are text, which SQLite sorts last")
    }
    return written
  }

  func abandon() async { if openDatabase != nil { await database?.abandon() } }
}

/// A database that is filled in a temporary file, then copied to its place.
final class DatabaseFile: TableContainer, TableDatabase {
  private let path: String
  private let directory: String
  private let sink: any ByteSink
  private let existing: ExistingOutput
  private let tables = Mutex<Set<String>>([])
  /// Held from the last look at the place to the end.
  private let right = Mutex<PublishingLock?>(nil)

  init(directory: String, in sink: any ByteSink, _ existing: ExistingOutput) {
    self.existing = existing
    path = Temporaries.name(beside: "\(directory)/export.db")
    self.directory = directory
    self.sink = sink
    Temporaries.expect(path)
  }

  deinit { remove() }

  var name: String { sink.name }
  /// The number of bytes that were copied to the database's place.
  var bytes: Int { copied.withLock { $0 } }
  private let copied = Mutex(0)

  func sink(for schema: Schema, options: ExportOptions) async throws(Problem) -> any RowSink {
    try TableSink(schema, try SQLiteExporter.policy(options), directory: directory, in: self)
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
    if try await createdMeanwhile(with: Array(tables.withLock { $0 })) != nil { throw .changedMeanwhile(name) }
    try await copy()
    try await publish()
  }

  /// The database that another process has created there since, to which tables are added; nil for none.
  func createdMeanwhile(with tables: [String]) async throws(Problem) -> ExistingDatabase? {
    let right = try await PublishingLock.wait(forFile: sink.name)
    guard try SQLiteReplacement.keeps(sink.name, tables: tables, existing) else {
      self.right.withLock { $0 = right }
      return nil
    }
    await abandon()
    return ExistingDatabase(sink.name, existing, directory: directory)
  }

  func copy() async throws(Problem) {
    defer { remove() }
    let file = try FileByteSource(path: path)
    var piece = ArenaBuilder(), bytes = ByteBuffer(capacity: Arena.usualCapacity)
    while try file.read(into: &piece, limit: piece.room) > 0 {
      piece.read { bytes.append($0) }
      try await sink.write(bytes)
      let count = bytes.count
      copied.withLock { $0 += count }
      piece.removeAll()
      bytes.removeAll()
    }
  }

  /// Publishes the copy.
  func publish() async throws(Problem) { try await sink.commit() }

  func abandon() async {
    remove()
    await sink.abandon()
  }

  private func remove() {
    unsafe unlink(path)
    Temporaries.forget(path)
  }
}
