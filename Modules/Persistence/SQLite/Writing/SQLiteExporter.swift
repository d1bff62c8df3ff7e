import Codecs
public import Domain
public import Rows

/// An SQLite database with plain tables, usually one, and nothing else (`SQLiteDefinition`), for any program that reads
/// SQLite.
///
/// The encoder's bytes are the batches themselves; the sink after it spools them, and creates the database when all
/// have been written.
public struct SQLiteExporter: ContainerFormat {
  private static let nonfinite = ExporterDescriptor.Option(
    "nonfinite", NonfinitePolicy.allCases.map(\.rawValue).joined(separator: "|"),
    "NaN and infinities: keep infinities and fail for NaN, write null, or write as text [default: error]")

  private let directory: String

  /// Databases are built in `directory`, then copied to their place.
  public init(temporaryDirectory directory: String) { self.directory = directory }

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
    try SQLiteReplacement.check(sink.name, tables: [schema.name])
    return TableSink(
      for: sink.name, schema, directory: directory, isWhole: true, DatabaseFile(directory: directory, in: sink))
  }

  /// A database of several tables.
  /// - Throws: `cannotCreate` when it would take the place of a database with other tables.
  public func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace
  ) throws(Problem) -> any TableContainer {
    try SQLiteReplacement.check(sink.name, tables: tables)
    return DatabaseFile(directory: directory, in: sink)
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
