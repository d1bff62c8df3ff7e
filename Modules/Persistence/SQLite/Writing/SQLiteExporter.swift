import Codecs
public import Domain
public import Rows

/// An SQLite database with plain tables, usually one, and nothing else (`SQLiteDefinition`), for any program that reads
/// SQLite.
public struct SQLiteExporter: Exporter {
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
      options: [Self.nonfinite], limits: ExporterDescriptor.Limits(columns: SQLiteTableLimits.columns),
      holdsSeveralTables: true)
  }

  /// The maker of the database.
  /// - Throws: `cannotCreate` for a database with more in it than this table, and with this table as well.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    try TableSink(schema, try Self.policy(options), directory: directory) { [directory] () throws(Problem) in
      let sink = try await open()
      guard try SQLiteReplacement.keeps(sink.name, tables: [schema.name], options.existing) else {
        return DatabaseFile(directory: directory, in: sink, options.existing)
      }
      await sink.abandon()
      return ExistingDatabase(sink.name, options.existing, directory: directory)
    }
  }

  /// A database of several tables.
  /// - Throws: `cannotCreate` for a database with other tables, and with one of these.
  public func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace, existing: ExistingOutput
  ) throws(Problem) -> (any TableContainer)? {
    try SQLiteReplacement.keeps(sink.name, tables: tables, existing)
      ? ExistingDatabase(sink.name, existing, directory: directory)
      : DatabaseFile(directory: directory, in: sink, existing)
  }

  static func policy(_ options: ExportOptions) throws(Problem) -> NonfinitePolicy {
    let word = options.values[Self.nonfinite.key] ?? NonfinitePolicy.error.rawValue
    if let policy = NonfinitePolicy(rawValue: word) { return policy }
    throw Problem(
      .usage, "invalid value “\(word)” for option nonfinite", hint: "expected one of: \(Self.nonfinite.values)")
  }
}

extension NonfinitePolicy {
  /// The batch without numbers that the policy does not permit in `columns`. SQLite keeps infinities, and takes NaN for
  /// null.
  /// - Throws: `badData` with the record.
  func permitted(_ batch: RowBatch, columns: [Int], of schema: Schema) throws(Problem) -> RowBatch {
    var isPermitted = true
    for column in columns {
      for row in 0..<batch.count {
        guard case .real(let value) = batch[row, column], !value.isFinite else { continue }
        if self != .error {
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
          builder.append(value: self == .null ? .null : .text("\(NonfinitePolicy.word(for: number))"))
        } else {
          builder.append(value: value)
        }
      }
    }
    return builder.finish()
  }
}
