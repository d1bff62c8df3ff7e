import Codecs
public import Domain
public import Rows
import Synchronization

/// A table of a PostgreSQL database as an output: all rows are copied in one transaction.
///
/// A table that bb makes has the types of its columns and gets the rows in binary form; one that is there has types of
/// its own, and gets them as text.
public struct PostgresExporter: Exporter {
  private let location: PostgresLocation
  /// The columns of the table that are arrays; known once the output is open.
  private let arrays = PostgresArrays()

  /// Creates the exporter of one output.
  /// - Parameter location: `postgres://HOST/DATABASE?table=SCHEMA.TABLE`; without a table, `public` and the name of the
  ///   records.
  public init(_ location: PostgresLocation) { self.location = location }

  /// `postgres`.
  public var descriptor: ExporterDescriptor {
    var descriptor = ExporterDescriptor(
      "postgres", fileExtensions: [], mediaType: "application/octet-stream",
      summary: "A table of a PostgreSQL database", isExact: true,
      limits: ExporterDescriptor.Limits(columns: 1599))
    descriptor.server = location.name
    descriptor.existing = [.refuse, .append, .replace, .truncate, .upsert]
    return descriptor
  }

  /// An encoder of the rows of a COPY.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard schema.width > 0 else { throw Problem(.usage, "postgres: a table must have at least one column") }
    try PostgresFormat.check(schema)
    return PostgresEncoder(schema, isText: [.append, .truncate, .upsert].contains(options.existing), arrays)
  }

  /// Connects, and makes or checks the table.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink {
    let name = location.table ?? PostgresName(nil, schema.name)
    do throws(Problem) { try PostgresName.check(name.table) } catch { throw error.located(at: location.name) }
    let loading = PostgresOutput(
      try PostgresConnection.open(location), name, schema, options.existing)
    arrays.columns.withLock { [arrays = try loading.begin()] in $0 = arrays }
    return PostgresSink(sink, loading)
  }
}

/// The positions of the columns that a table has as arrays.
private final class PostgresArrays: Sendable {
  let columns = Mutex<Set<Int>>([])
}

/// Rows in the form of COPY.
private struct PostgresEncoder: RowEncoder {
  private let schema: Schema
  private let binary: PostgresBinary?
  private let arrays: PostgresArrays

  init(_ schema: Schema, isText: Bool, _ arrays: PostgresArrays) {
    (self.schema, self.arrays) = (schema, arrays)
    binary = isText ? nil : PostgresBinary(forms: schema.columns.map { PostgresOutput.form($0.type) })
  }

  func begin(_ out: inout ByteBuffer) { if binary != nil { out.append(bytes: PostgresBinary.header) } }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
    if binary != nil { out.append(bytes: PostgresBinary.trailer) }
  }

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    if let binary {
      try binary.append(batch, &out) { (row, column, fault) throws(Problem) in
        try value(batch, row, column, fault)
      }
      return EncodedPart(rows: batch.count)
    }
    let arrays = self.arrays.columns.withLock { $0 }
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        if column > 0 { out.append("\t") }
        if arrays.contains(column), case .json(let start, let length) = batch[row, column],
          let list = PostgresText.array(batch.arena.bytes(start, length))
        {
          PostgresText.append(.text(list), &out)
          continue
        }
        do throws(PostgresBinary.Fault) {
          try PostgresText.append(batch[row, column], batch.arena, &out)
        } catch {
          throw problem(error, row, column, found: "")
        }
      }
      out.append("\n")
    }
    return EncodedPart(rows: batch.count)
  }

  /// A value in another form than the usual one of its type.
  private func value(
    _ batch: RowBatch, _ row: Int, _ column: Int, _ fault: PostgresBinary.Fault
  ) throws(Problem) -> Value {
    let value = batch.value(row, column)
    if case .other = fault {
      switch (schema.columns[column].type, value) {
      case (.real, .number(let literal)):
        // A double keeps the value, though not its spelling.
        if let number = Double(String(decoding: literal, as: UTF8.self)), number.isFinite,
          DecimalNumber(literal) == DecimalNumber(number)
        {
          return .real(number)
        }
      case (.integer, .number(let literal)):
        if let number = Int64(String(decoding: literal, as: UTF8.self)) { return .integer(number) }
      default: break
      }
    }
    let found: String
    switch value {
    case .number(let bytes), .text(let bytes), .json(let bytes): found = String(decoding: bytes, as: UTF8.self)
    case .bytes: found = "bytes"
    case .boolean(let truth): found = String(truth)
    case .integer(let number): found = String(number)
    case .real(let number): found = "\(number)"
    case .null: found = "null"
    }
    throw problem(fault, row, column, found: found)
  }

  private func problem(_ fault: PostgresBinary.Fault, _ row: Int, _ column: Int, found: String) -> Problem {
    let column = schema.columns[column]
    let what =
      switch fault {
      case .nul: "PostgreSQL cannot store U+0000"
      case .range(let type): "\(type) cannot represent \(found.prefix(40))"
      case .other: "PostgreSQL cannot store \(found.prefix(40)) as \(PostgresOutput.declared(column.type).lowercased())"
      }
    return Problem(
      .badData, "column \(column.name): \(what)", hint: .set(.columns, for: "exclude the column"), record: row)
  }

  func warning(_ all: EncodedPart) -> Warning? { nil }
}

/// Hands the rows to a COPY, on a queue of its own.
private actor PostgresSink: ByteSink {
  private let queue = QueueExecutor("bb.postgres.sink")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  nonisolated let name: String
  private let inner: any ByteSink
  /// Nil once it was committed or given up.
  private var output: PostgresOutput?

  init(_ inner: any ByteSink, _ output: PostgresOutput) {
    self.inner = inner
    self.output = output
    name = inner.name
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    guard let output else { return }
    try bytes.read { (span) throws(Problem) in try output.put(span) }
    // Digests are taken of what is sent.
    try await inner.write(bytes)
  }

  func commit() async throws(Problem) {
    try output?.finish()
    output = nil
    try await inner.commit()
  }

  /// Closes the connection: the server undoes everything.
  func abandon() async {
    output = nil
    await inner.abandon()
  }
}

/// A table that gets rows, in one transaction.
final class PostgresOutput: @unchecked Sendable {
  private let connection: PostgresConnection
  private let name: PostgresName
  private let schema: Schema
  private let existing: ExistingOutput
  private var isNew = false
  private var key: [String] = []
  /// The table that is replaced under another name until all rows are there.
  private let temporary: PostgresName

  init(_ connection: PostgresConnection, _ name: PostgresName, _ schema: Schema, _ existing: ExistingOutput) {
    self.connection = connection
    self.name = name
    self.schema = schema
    self.existing = existing
    temporary = PostgresName(name.schema, "bb_new_" + String(UInt64.random(in: 0 ... .max), radix: 36))
  }

  /// The declared type of a column of a new table.
  static func declared(_ type: ColumnType) -> String {
    switch type {
    case .integer: "bigint"
    case .boolean: "boolean"
    case .real: "double precision"
    case .decimal: "numeric"
    case .bytes: "bytea"
    case .json: "json"
    case .text, .date, .timestamp, .url, .list: "text"
    }
  }

  /// The form in which COPY writes a column of a new table.
  static func form(_ type: ColumnType) -> PostgresBinary.Form {
    switch type {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .real
    case .decimal: .numeric
    case .bytes: .bytes
    case .json: .json
    case .text, .date, .timestamp, .url, .list: .text
    }
  }

  private var columns: String { PostgresFormat.names(schema) }

  /// Makes or checks the table, and begins to copy.
  /// - Returns: the positions of the columns that are arrays in the table.
  func begin() throws(Problem) -> Set<Int> {
    try connection.begin(.writing, search: true)
    let found = try PostgresTable.find(name, connection)
    isNew = found == nil
    if let found { try check(found) }
    let target: String
    switch existing {
    case .replace where !isNew:
      try create(temporary)
      target = temporary.sql
    case .upsert where !isNew:
      try connection.execute(
        "CREATE TEMP TABLE bb_rows ON COMMIT DROP AS SELECT \(columns) FROM \(name.sql) WITH NO DATA")
      target = "pg_temp.bb_rows"
    default:
      if isNew { try create(name) } else if existing == .truncate { try connection.execute("TRUNCATE \(name.sql)") }
      target = name.sql
    }
    let isText = [.append, .truncate, .upsert].contains(existing)
    try connection.beginCopyIn(
      "COPY \(target)(\(columns)) FROM STDIN (FORMAT \(isText ? "text" : "binary"))")
    guard isText, let found else { return [] }
    return Set(
      schema.columns.indices.filter { position in
        found.columns.contains { $0.element != 0 && $0.name.utf8.elementsEqual(schema.columns[position].name.utf8) }
      })
  }

  private func check(_ found: PostgresTable) throws(Problem) {
    let place = connection.place
    if existing == .refuse {
      throw Problem(
        .cannotCreate, "the table \(name) already exists", at: place, hint: Self.alternatives(to: found))
    }
    if existing == .replace, found.kind != "r" {
      throw Problem(
        .cannotCreate, "refusing to replace \(name): it is not a plain table", at: place,
        hint: Self.alternatives(to: found))
    }
    if existing == .replace { return }
    for column in schema.columns where !found.columns.contains(where: { $0.name.utf8.elementsEqual(column.name.utf8) })
    {
      throw Problem(
        .badData, "the table \(name) has no column “\(column.name)”", at: place,
        hint: .choose(column.name, from: found.columns.map(\.name), "available columns"))
    }
    guard existing == .upsert else { return }
    key = found.key.isEmpty ? schema.key.map { schema.columns[$0].name } : found.key.map { found.columns[$0].name }
    guard !key.isEmpty else {
      throw Problem(
        .usage, "the table \(name) has no primary key, by which rows could be updated", at: place,
        hint: found.kind == "r" ? .set(.existingOutput, to: "append", "replace", "truncate") : "choose another table")
    }
    if let missing = key.first(where: { schema.position(of: $0) == nil }) {
      throw Problem(.badData, "the records have no column “\(missing)”, which is part of the key of \(name)", at: place)
    }
  }

  /// What can be done with a table that is there.
  private static func alternatives(to found: PostgresTable) -> Remedy {
    switch found.kind {
    case "r": .set(.existingOutput, to: "append", "replace", "truncate", "upsert")
    case "p": .set(.existingOutput, to: "append", "truncate", "upsert")
    case "f": .set(.existingOutput, to: "append", "truncate")
    default: "choose another table"
    }
  }

  private func create(_ table: PostgresName) throws(Problem) {
    let definitions = schema.columns.map { column in
      "\(column.name.quotedForSQL) \(Self.declared(column.type))\(column.isNullable ? "" : " NOT NULL")"
    }
    try connection.execute("CREATE TABLE \(table.sql) (\(definitions.joined(separator: ", ")))")
    for column in schema.columns {
      switch column.type {
      case .date, .timestamp, .url, .list:
        try connection.execute(
          "COMMENT ON COLUMN \(table.sql).\(column.name.quotedForSQL) IS '\(PostgresTable.mark)\(column.type.name)'")
      case .integer, .real, .decimal, .boolean, .text, .bytes, .json: break
      }
    }
  }

  func put(_ bytes: RawSpan) throws(Problem) { try connection.put(bytes) }

  /// Ends the copy, and commits.
  func finish() throws(Problem) {
    _ = try connection.endCopyIn()
    switch existing {
    case .replace where !isNew:
      try addKey(to: temporary)
      try connection.execute(
        "DROP TABLE \(name.sql); ALTER TABLE \(temporary.sql) RENAME TO \(name.table.quotedForSQL)")
    case .upsert where !isNew: try merge()
    default: if isNew { try addKey(to: name) }
    }
    do throws(Problem) { try connection.execute("COMMIT") } catch {
      if connection.isConnected { throw error }
      throw Problem(
        .busy, "the connection was lost while the rows were saved", at: connection.place,
        hint: "look at the table \(name) before you repeat the command")
    }
    // The planner's statistics; a server without them is as right, though slower.
    _ = try? connection.execute("ANALYZE \(name.sql)")
  }

  /// Adds the primary key once the rows are there; a table with a null in its key has none.
  private func addKey(to table: PostgresName) throws(Problem) {
    guard !schema.key.isEmpty else { return }
    let names = schema.key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")
    try connection.execute("SAVEPOINT bb_key")
    do throws(Problem) { try connection.execute("ALTER TABLE \(table.sql) ADD PRIMARY KEY (\(names))") } catch {
      guard connection.state == "23502" else { throw error }
      try connection.execute("ROLLBACK TO SAVEPOINT bb_key")
    }
  }

  private func merge() throws(Problem) {
    let others = schema.columns.map(\.name).filter { !key.contains($0) }
    let sets = others.map { "\($0.quotedForSQL) = excluded.\($0.quotedForSQL)" }.joined(separator: ", ")
    // As text: some types have no equality.
    let differs = others.map { name in
      "t.\(name.quotedForSQL)::text IS DISTINCT FROM excluded.\(name.quotedForSQL)::text"
    }.joined(separator: " OR ")
    let action = others.isEmpty ? "NOTHING" : "UPDATE SET \(sets) WHERE \(differs)"
    let names = key.map(\.quotedForSQL).joined(separator: ", ")
    try connection.execute("SAVEPOINT bb_merge")
    do throws(Problem) {
      try connection.execute(
        "INSERT INTO \(name.sql) AS t (\(columns)) SELECT \(columns) FROM pg_temp.bb_rows "
          + "ON CONFLICT (\(names)) DO \(action)")
    } catch {
      switch connection.state {
      case "21000":
        try connection.execute("ROLLBACK TO SAVEPOINT bb_merge")
        let texts = key.map { "\($0.quotedForSQL)::text" }.joined(separator: ", ")
        let key = try connection.query(
          "SELECT concat_ws('/', \(texts)) FROM pg_temp.bb_rows GROUP BY \(names) HAVING count(*) > 1 LIMIT 1")
        throw Problem(.badData, "two records have the key \(key.text(0, 0))", at: connection.place)
      case "42P10":
        throw Problem(
          .usage, "the table \(name) has no unique constraint on \(names), by which rows could be updated",
          at: connection.place, hint: .set(.existingOutput, to: "append", "replace", "truncate"))
      default: throw error
      }
    }
  }
}
