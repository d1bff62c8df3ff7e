import Codecs
public import Domain
import Parquet
public import Rows

/// A Delta table as an output: data files, and one entry of the log that adds them all.
public struct DeltaExporter: Exporter {
  fileprivate let location: DeltaLocation
  fileprivate let log: DeltaLog
  fileprivate let format: any Exporter
  fileprivate let threads: Int
  fileprivate let now: @Sendable () -> Int64

  /// Creates the exporter of one output.
  /// - `format`: Parquet.
  /// - `threads`: the number of row groups that are encoded at the same time, at least 1.
  /// - `now`: the time in milliseconds since 1970.
  public init(
    _ location: DeltaLocation, in storage: any TableStorage, format: any Exporter, threads: Int,
    now: @escaping @Sendable () -> Int64
  ) {
    (self.location, self.format, self.threads, self.now) = (location, format, threads, now)
    log = DeltaLog(storage: storage)
  }

  /// The options of the table; its files have those of their format.
  public static var options: [ExporterDescriptor.Option] { DeltaOption.all }

  /// `delta`.
  public var descriptor: ExporterDescriptor {
    let files = format.descriptor
    return ExporterDescriptor(
      "delta", fileExtensions: [], mediaType: files.mediaType, summary: "A Delta table", isExact: true,
      measuring: files.measuring, options: DeltaOption.all + files.options)
  }

  /// The table.
  public var table: OutputTable? {
    OutputTable(
      location.name, existing: [.refuse, .append, .replace, .replacePartitions],
      excludedFromStates: DeltaOption.excludedFromStates.map(\.key))
  }

  /// Whether the table has a log.
  public func exists(_ table: String) async throws(Problem) -> Bool {
    try await log.storage.logFiles(from: "")?.isEmpty == false
  }

  /// Reads the log.
  /// - Throws: `cannotCreate` if the table exists and must not; `badData` for a damaged log and unsupported features;
  ///   `usage`.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    let snapshot = try await log.snapshot(), transaction = try transaction(options)
    var isChanged = false
    if let snapshot, let transaction, options.states != nil,
      snapshot.transactions[transaction.application] == transaction.version
    {
      isChanged = try await log.isChanged(since: transaction, at: snapshot.version)
    }
    let plan = try DeltaPlan(location, snapshot, options, transaction: transaction, isChanged: isChanged)
    if plan.addsIceberg { try await IcebergTable(log.storage).check() }
    let completeBytes = try Self.fileSize(options)
    return DeltaTable(self, plan, schema, options, completeBytes: completeBytes)
  }

  private func transaction(_ options: ExportOptions) throws(Problem) -> DeltaPlan.Transaction? {
    var number = options.states?.current
    if number == nil, let text = options.values[DeltaOption.transaction.key] {
      guard let version = Int64(text), version >= 0 else {
        throw Problem(
          .usage, "invalid value “\(text)” for option \(DeltaOption.transaction.key)", hint: "use a whole number")
      }
      number = version
    }
    guard let version = number else { return nil }
    let digest = SHA256.hex(Array("\(options.origin)\0\(location.place)".utf8))
    return DeltaPlan.Transaction(
      application: "bb:\(digest)", version: version, mark: options.states?.mark(of: version))
  }

  private static func fileSize(_ options: ExportOptions) throws(Problem) -> Int {
    guard let text = options.values[DeltaOption.fileSize.key] else { return 256 << 20 }
    guard let size = ByteSize.parse(text), size > 0 else {
      throw Problem(
        .usage, "invalid value “\(text)” for option \(DeltaOption.fileSize.key)", hint: "use a size, such as 512MiB")
    }
    return size
  }

  static func identifier() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}

@safe private final class DeltaTable: RowSink, @unchecked Sendable {
  private let exporter: DeltaExporter
  private let plan: DeltaPlan
  private let schema: Schema
  private let options: ExportOptions
  private let completeBytes: Int
  private var columns: DeltaColumnPlan?
  private var set: DeltaFileSet?
  private var files: PartitionSink?
  private var note: Warning?

  init(
    _ exporter: DeltaExporter, _ plan: DeltaPlan, _ schema: Schema, _ options: ExportOptions, completeBytes: Int
  ) {
    (self.exporter, self.plan, self.schema, self.options) = (exporter, plan, schema, options)
    self.completeBytes = completeBytes
  }

  private var name: String { exporter.location.name }
  var order: [String] { plan.partitionColumns }
  var needsRows: Bool { options.states == nil || !plan.isRepeated }
  var measuring: ExporterDescriptor.Measuring { exporter.format.descriptor.measuring }

  func begin(_ metrics: ColumnMetrics) async throws(Problem) {
    let columns: DeltaColumnPlan
    do throws(Problem) {
      columns = try DeltaColumnPlan(
        schema, plan, metrics, hasDates: options.values["dates"] != "text", decimals: options.values["decimals"],
        types: options.types, now: exporter.now())
    } catch { throw error.located(at: name) }
    self.columns = columns
    if plan.isChanged { note = "\(name): another program changed the rows of the table; it was written again" }
    if plan.isRepeated {
      note = options.states == nil ? plan.repetition(name) : nil
      return
    }
    let pattern = PathPattern(
      partitionedBy: plan.partitionColumns, before: "part-", after: "-\(DeltaExporter.identifier()).parquet")
    var own = options
    own.values = options.values.filter { option in !DeltaOption.all.contains { $0.key == option.key } }
    own.values["dates"] = "native"
    // The types of the log decide.
    own.values["decimals"] = nil
    own.types = [:]
    var metrics = metrics
    metrics.decimals = [:]
    let key = schema.key
    let set = try DeltaFileSet(
      exporter.log, plan, columns.columns,
      key: options.states == nil ? nil : key.isEmpty ? Array(schema.columns.indices) : key, now: exporter.now())
    self.set = set
    var configuration = PartitionSink.Configuration(exporter.format, own) { () throws(Problem) in set }
    (configuration.pieces, configuration.digested) = (
      set.pieces, { [weak set] (path, digest) in set?.digested(path, digest) }
    )
    configuration.completeBytes = completeBytes
    configuration.isSizeApproximate = true
    configuration.threads = exporter.threads
    let files = try await PartitionSink(columns.schema, to: pattern, configuration)
    self.files = files
    try await files.begin(metrics)
  }

  func write(_ rows: PreparedRows) async throws(Problem) {
    do throws(Problem) { try await files?.write(rows) } catch { throw decided(error) }
  }
  func finish() async throws(Problem) {
    do throws(Problem) { try await files?.finish() } catch { throw decided(error) }
  }

  /// A problem with a number that the type in the log cannot hold, whatever the other rows are.
  private func decided(_ problem: Problem) -> Problem {
    var problem = problem
    if problem.needsAllRows, !plan.definesColumns {
      problem.needsAllRows = false
      problem.hint = .set(.columnTypes, for: "round the numbers: the type is double")
    }
    return problem
  }

  func commit() async throws(Problem) -> WrittenRows {
    _ = try await files?.commit()
    var written = WrittenRows(name)
    written.warning = set?.note ?? note ?? schema.typesWarning
    let storage = exporter.log.storage
    if plan.addsIceberg {
      do throws(Problem) { _ = try await IcebergTable(storage).write(now: exporter.now()) } catch {
        written.warning = Warning(
          "\(name): the rows were written, but no metadata of Iceberg: \(error.message); the next write completes them")
      }
    }
    guard let files = set?.committed, let columns,
      let metadata = columns.columns.metadata ?? plan.snapshot?.metadata
    else {
      written.reading = { (_) in nil }
      return written
    }
    written.reading = { (_) throws(Problem) in
      DeltaRows(storage, files, metadata, try metadata.schema.table("rows"), ParquetReading())
    }
    return written
  }

  func abandon() async { await files?.abandon() }
}

/// The columns of the rows as they are written.
struct DeltaColumnPlan: Sendable {
  /// The columns of the rows, with the types of the files.
  let schema: Schema
  let columns: DeltaFileSet.Columns

  /// - Throws: `badData` for a column that the table does not have, or has with another type; `usage` for a partition
  ///   column that the rows do not have.
  init(
    _ schema: Schema, _ plan: DeltaPlan, _ layout: ColumnMetrics, hasDates: Bool, decimals: String?, types: ColumnTypes,
    now: Int64
  ) throws(Problem) {
    let table: DeltaSchema
    var metadata: DeltaMetadata?
    if let current = plan.snapshot?.metadata, !plan.definesColumns {
      (table, metadata) = (current.schema, nil)
    } else {
      let storages = layout.decimals.compactMapValues { shape in
        decimals == "text" ? nil : decimals == "exact" ? shape.size.map { .decimal($0) } : shape.storage
      }
      let hasLocalTimes = plan.snapshot?.protocolVersions.hasLocalTimes ?? true
      table = try DeltaSchema(
        schema, types: types, decimals: storages,
        isStored: { $0.type == .decimal ? decimals != "text" : $0.type == .datetime ? hasLocalTimes : true }
      ) { hasDates && EpochTime.isNative($0, of: schema, in: layout.head) }
      let new = DeltaMetadata(
        table, partitionColumns: plan.partitionColumns, id: DeltaExporter.identifier(), time: now,
        earlier: plan.snapshot?.metadata)
      metadata = plan.snapshot.map { $0.metadata.isSame(as: new) } ?? false ? nil : new
    }
    if let wanted = plan.wantsIceberg, let base = metadata ?? plan.snapshot?.metadata,
      (base.setting(IcebergTable.setting) == "yes") != wanted
    {
      metadata = try base.setting(IcebergTable.setting, to: wanted ? "yes" : "no")
    }
    if plan.addsIceberg, let described = metadata ?? plan.snapshot?.metadata {
      _ = try IcebergColumns(described, after: nil)
    }
    let names = schema.columns.map(\.name)
    for name in plan.partitionColumns {
      guard let position = schema.position(of: name) else {
        throw Problem(
          plan.definesColumns ? .usage : .badData,
          "the records have no column “\(name)”, by which the table is partitioned",
          hint: .choose(name, from: names, "available columns"))
      }
      let type = schema.columns[position].type
      if type.isNested || type == .bytes {
        throw Problem(.usage, "a table cannot be partitioned by column “\(name)” of type \(type.name)")
      }
    }
    guard plan.partitionColumns.count < schema.width else {
      throw Problem(.usage, "no column is left for the files: the table is partitioned by all")
    }
    var columns: [ColumnDescription] = []
    for column in schema.columns {
      guard let field = table.field(column.name) else {
        throw Problem(
          .badData, "the table has no column “\(column.name)”",
          hint: .choose(column.name, from: table.fields.map(\.name), "available columns"))
      }
      guard let type = DeltaSchema.written(column, into: field) else {
        let found = field.primitive ?? field.type["type"]?.stringValue ?? "nested"
        throw Problem(
          .badData, "column “\(column.name)” is of type \(column.type.name), and of type \(found) in the table",
          hint: .set(.columnTypes))
      }
      columns.append(
        ColumnDescription(column.name, type, nullable: column.isNullable)
          .stored(as: field.primitive == nil ? field.storedType : field.primitive.flatMap(StoredType.init)))
    }
    for field in table.fields where !field.isNullable && schema.position(of: field.name) == nil {
      throw Problem(.badData, "the records have no column “\(field.name)”, which must not be null in the table")
    }
    self.schema = Schema(schema.name, columns: columns)
    let file = columns.filter { !plan.isPartitioned(by: $0.name) }.compactMap { table.field($0.name) }
    self.columns = DeltaFileSet.Columns(table: table, file: file, metadata: metadata)
  }
}
