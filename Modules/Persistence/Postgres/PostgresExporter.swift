import Codecs
public import Domain
import Query
public import Rows
import Synchronization

/// A table of a PostgreSQL database as an output: all rows are copied in one transaction.
///
/// A table that bb makes has the types of its columns and gets the rows in binary form; one that is there has types of
/// its own, and gets them as text.
public struct PostgresExporter: VerifiableExporter {
  private static let dates = ExporterDescriptor.Option(
    "dates", "auto|native|text",
    "Dates and timestamps of a new table: date and timestamptz if the first rows fit them (auto), always, or text [default: auto]"
  )

  private let location: PostgresLocation
  private let columns = PostgresColumns()

  /// Creates the exporter of one output.
  /// - Parameter location: `postgres://HOST/DATABASE?table=SCHEMA.TABLE`; without a table, `public` and the name of the
  ///   records.
  public init(_ location: PostgresLocation) { self.location = location }

  /// `postgres`.
  public var descriptor: ExporterDescriptor {
    var descriptor = ExporterDescriptor(
      "postgres", fileExtensions: [], mediaType: "application/octet-stream",
      summary: "A table of a PostgreSQL database", isExact: true,
      measuring: .head(rows: 10_000), options: [Self.dates], limits: ExporterDescriptor.Limits(columns: 1599))
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
    // The registry accepts no other word.
    let dates = options.values[Self.dates.key].flatMap(EpochTime.Storage.init) ?? .automatic
    let forms = schema.columns.indices.map {
      Self.form(of: $0, schema, layout.head, dates, types: options.types)
    }
    columns.forms.withLock { $0 = forms }
    return PostgresEncoder(schema, PostgresBinary(forms: forms), columns)
  }

  /// The form in which COPY writes a column of a new table.
  static func form(
    of column: Int, _ schema: Schema, _ head: [RowBatch], _ dates: EpochTime.Storage,
    types: ColumnTypes = [:]
  ) -> PostgresBinary.Form {
    switch schema.columns[column].type {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .real
    case .decimal: types.decimalSize(of: schema.columns[column].name).map { .decimal($0) } ?? .numeric
    case .bytes: .bytes
    case .json: .json
    case .text, .url: .text
    case .list(let element): .list(element)
    case .date: dates.unit([.days], for: column, in: head) == nil ? .text : .days
    case .timestamp:
      dates.unit([.microseconds], for: column, in: head) == nil ? .text : .microseconds(isExact: dates != .native)
    case .datetime: dates.unit([.microseconds], for: column, in: head) == nil ? .text : .localMicroseconds
    }
  }

  /// Whether the database has the table.
  public func exists(_ table: String) async throws(Problem) -> Bool {
    try PostgresTable.find(location.table ?? PostgresName(nil, table), try PostgresConnection.open(location)) != nil
  }

  /// Connects, and makes or checks the table.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink {
    let name = location.table ?? PostgresName(nil, schema.name)
    do throws(Problem) { try PostgresName.check(name.table) } catch { throw error.located(at: location.name) }
    let loading = PostgresOutput(
      try PostgresConnection.open(location), name, schema, columns.forms.withLock { $0 }, options.existing)
    columns.copying.withLock { [copying = try loading.begin()] in $0 = copying }
    columns.written.withLock { $0 = (name, schema) }
    return PostgresSink(sink, loading)
  }

  /// Refuses to add rows to others.
  public func checkVerifiable(_ options: ExportOptions) throws(Problem) {
    guard [.append, .upsert].contains(options.existing) else { return }
    throw Problem(
      .usage, "rows that are added to others in a table cannot be verified",
      hint: .set(.existingOutput, to: "replace", "truncate"))
  }

  /// The rows of the table.
  public func writtenRows(threads: Int) async throws(Problem) -> (any RowStream)? {
    guard let (name, schema) = columns.written.withLock({ $0 }) else { return nil }
    return try await PostgresSource(location, types: ColumnTypes(schema.columns)).rows(
      of: name.description, RowRequest(columns: schema.columns.map(\.name), cores: threads))
  }
}

/// The facts about the columns that are found out during an export.
private final class PostgresColumns: Sendable {
  /// The forms of those of a new table; known once the first rows are.
  let forms = Mutex<[PostgresBinary.Form]>([])
  /// Known once the output is open.
  let copying = Mutex<PostgresOutput.Copying>(.binary)
  /// The table and the columns that are written; known once the output is open.
  let written = Mutex<(PostgresName, Schema)?>(nil)
}

/// Rows in the form of COPY.
private struct PostgresEncoder: RowEncoder {
  private let schema: Schema
  private let binary: PostgresBinary
  private let columns: PostgresColumns

  init(_ schema: Schema, _ binary: PostgresBinary, _ columns: PostgresColumns) {
    (self.schema, self.binary, self.columns) = (schema, binary, columns)
  }

  private var copying: PostgresOutput.Copying { columns.copying.withLock { $0 } }

  func begin(_ out: inout ByteBuffer) { if copying.isBinary { out.append(bytes: PostgresBinary.header) } }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
    if copying.isBinary { out.append(bytes: PostgresBinary.trailer) }
  }

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    guard case .text(let arrays, let limits) = copying else {
      try binary.append(batch, &out) { (row, column, fault) throws(Problem) in
        try value(batch, row, column, fault)
      }
      return EncodedPart(rows: batch.count)
    }
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        if column > 0 { out.append("\t") }
        if let (type, limit) = limits[column] {
          for text in PostgresLimit.texts(of: batch[row, column], batch.arena, isArray: arrays.contains(column))
          where !limit.keeps(text) {
            throw change(text, type, limit, row, column)
          }
        }
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

  /// The problem of a value that a column of the table would change.
  private func change(
    _ text: [UInt8], _ type: String, _ limit: PostgresLimit, _ row: Int, _ column: Int
  ) -> Problem {
    var isText = false
    if case .characters = limit { isText = true }
    return Problem(
      .badData,
      "column \(schema.columns[column].name): \(type) would change \(String(decoding: text.prefix(40), as: UTF8.self))",
      hint: isText
        ? "use varchar or text for the column of the table"
        : "change the value, or the type of the column of the table",
      record: row)
  }

  private func problem(_ fault: PostgresBinary.Fault, _ row: Int, _ column: Int, found: String) -> Problem {
    let form = copying.isBinary ? binary.forms[column] : .text,
      isTime = schema.columns[column].type.isTemporal
    let what =
      switch fault {
      case .nul: "PostgreSQL cannot store U+0000"
      case .range(let type): "\(type) cannot represent \(found.prefix(40))"
      case .other: "PostgreSQL cannot store \(found.prefix(40)) as \(form.declared)"
      }
    return Problem(
      .badData, "column \(schema.columns[column].name): \(what)",
      hint: isTime && form != .text
        ? .set(.formatOption("postgres.dates"), to: "text") : .set(.columns, for: "exclude the column"), record: row)
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
