import Codecs
public import Domain
import Files
import Query
public import Rows
import Synchronization

/// A table of a PostgreSQL database as an output: all rows are copied in one transaction.
///
/// A table that bb makes has the types of its columns and gets the rows in binary form; one that is there has types of
/// its own, and gets them as text.
public struct PostgresExporter: Exporter {
  /// The options of the table.
  public static var options: [ExporterDescriptor.Option] { [dates] }
  private static let dates = ExporterDescriptor.Option(
    "dates", "auto|native|text",
    "Dates and timestamps of a new table: date and timestamptz if the first rows fit them (auto), always, or text [default: auto]"
  )

  private let location: PostgresLocation

  /// Creates the exporter of one output.
  /// - Parameter location: `postgres://HOST/DATABASE?table=SCHEMA.TABLE`; without a table, `public` and the name of the
  ///   records.
  public init(_ location: PostgresLocation) { self.location = location }

  /// `postgres`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "postgres", fileExtensions: [], mediaType: "application/octet-stream",
      summary: "A table of a PostgreSQL database", isExact: true,
      measuring: .head(rows: 10_000), options: Self.options, limits: ExporterDescriptor.Limits(columns: 1599))
  }

  /// The table.
  public var table: OutputTable? {
    OutputTable(
      location.name, existing: [.refuse, .append, .replace, .truncate, .upsert], merging: [.append, .upsert])
  }

  /// The rows of a COPY.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    guard schema.width > 0 else { throw Problem(.usage, "postgres: a table must have at least one column") }
    try PostgresFormat.check(schema)
    // The registry accepts no other word.
    let dates = options.values[Self.dates.key].flatMap(EpochTime.Storage.init) ?? .automatic
    return PostgresSink(location, schema, options, dates)
  }

  /// The form in which COPY writes a column of a new table.
  static func form(
    of column: Int, _ schema: Schema, _ head: [RowBatch], _ dates: EpochTime.Storage,
    types: ColumnTypes = [:]
  ) -> PostgresBinary.Form {
    let stored = schema.columns[column].stored
    let isTimestamp = if case .timestamp = stored { dates == .automatic } else { false }
    return switch schema.columns[column].type {
    case .integer: .integer
    case .boolean: .boolean
    case .real: stored == .float ? .float : .real
    case .decimal:
      (types.decimalSize(of: schema.columns[column].name) ?? stored?.decimalSize).map { .decimal($0) } ?? .numeric
    case .bytes: .bytes
    case .json:
      switch stored {
      case .integers: .list(.integer)
      case .reals: .reals
      default: .json
      }
    case .text, .url: if case .time = stored, dates != .text { .time } else { .text }
    case .list(let element): .list(element)
    case .date: dates.unit([.days], for: column, in: head) == nil ? .text : .days
    case .timestamp where isTimestamp && EpochTime.isNative(column, of: schema, in: head):
      .microseconds(isExact: false)
    case .timestamp:
      dates.unit([.microseconds], for: column, in: head) == nil ? .text : .microseconds(isExact: dates != .native)
    case .datetime: dates.unit([.microseconds], for: column, in: head) == nil ? .text : .localMicroseconds
    }
  }

  /// Whether the database has the table.
  public func exists(_ table: String) async throws(Problem) -> Bool {
    try PostgresTable.find(location.table ?? PostgresName(nil, table), try PostgresConnection.open(location)) != nil
  }
}

/// Rows in the form of COPY.
private struct PostgresEncoder: Sendable {
  let schema: Schema
  let binary: PostgresBinary
  let copying: PostgresOutput.Copying

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    guard case .text(let arrays, let limits) = copying else {
      return try binary.append(batch, &out) { (row, column, fault) throws(Problem) in
        try value(batch, row, column, fault)
      }
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
}

/// Hands the rows to a COPY, on a queue of its own.
private actor PostgresSink: RowSink {
  private let queue = QueueExecutor("bb.postgres.sink")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  private let location: PostgresLocation
  private let name: PostgresName
  private let schema: Schema
  private let options: ExportOptions
  private let dates: EpochTime.Storage
  private var forms: [PostgresBinary.Form] = []
  /// Nil before the table is open.
  private nonisolated let encoder = Mutex<PostgresEncoder?>(nil)
  private nonisolated let written = Mutex(0)
  /// Nil once it was committed or given up.
  private var output: PostgresOutput?

  init(_ location: PostgresLocation, _ schema: Schema, _ options: ExportOptions, _ dates: EpochTime.Storage) {
    (self.location, self.schema, self.options, self.dates) = (location, schema, options, dates)
    name = location.table ?? PostgresName(nil, schema.name)
  }

  nonisolated var measuring: ExporterDescriptor.Measuring { .head(rows: 10_000) }
  nonisolated var bytes: Int { written.withLock { $0 } }

  func begin(_ metrics: ColumnMetrics) async throws(Problem) {
    forms = schema.columns.indices.map {
      PostgresExporter.form(of: $0, schema, metrics.head, dates, types: options.types)
    }
  }

  /// Connects, and makes or checks the table.
  func open() async throws(Problem) {
    do throws(Problem) { try PostgresName.check(name.table) } catch { throw error.located(at: location.name) }
    let output = PostgresOutput(try PostgresConnection.open(location), name, schema, forms, options.existing)
    let encoder = PostgresEncoder(
      schema: schema, binary: PostgresBinary(forms: forms), copying: try output.begin())
    self.encoder.withLock { $0 = encoder }
    self.output = output
    if encoder.copying.isBinary { try put(PostgresBinary.header) }
  }

  nonisolated func prepare(_ rows: PreparedRows) throws(Problem) {
    guard let encoder = encoder.withLock({ $0 }) else { throw Problem(.bug, "internal error: the table is not open") }
    rows.bytes.removeAll()
    try rows.forEach { (_, batch) throws(Problem) in try encoder.encode(batch, &rows.bytes) }
  }

  func write(_ rows: PreparedRows) async throws(Problem) {
    try rows.bytes.read { (span) throws(Problem) in try output?.put(span) }
    let count = rows.bytes.count
    written.withLock { $0 += count }
  }

  func finish() async throws(Problem) {
    if encoder.withLock({ $0?.copying.isBinary }) == true { try put(PostgresBinary.trailer) }
  }

  private func put(_ bytes: [UInt8]) throws(Problem) {
    try output?.put(unsafe bytes.span.bytes)
    written.withLock { $0 += bytes.count }
  }

  /// The rows of the table in the transaction.
  func uncommitted() async throws(Problem) -> (any RowStream)? {
    try output?.complete()
    guard let connection = output?.connection else { return nil }
    return try await PostgresSource(location, types: ColumnTypes(schema.columns), within: connection).rows(
      of: name.description, RowRequest(columns: schema.columns.map(\.name)))
  }

  func commit() async throws(Problem) -> WrittenRows {
    try output?.finish()
    output = nil
    var written = WrittenRows(location.name)
    written.warning = schema.nestedWarning
    written.bytes = bytes
    written.reading = { (_) in nil }
    return written
  }

  /// Closes the connection: the server undoes everything.
  func abandon() async { output = nil }
}
