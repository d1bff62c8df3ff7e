import Codecs
public import Domain
import Parquet
public import Rows
import Synchronization

/// A Delta table as an output: data files, and one entry of the log that adds them all.
public struct DeltaExporter: VerifiableExporter {
  private let location: DeltaLocation
  private let log: DeltaLog
  private let format: any Exporter
  private let threads: Int
  private let now: @Sendable () -> Int64
  private let handoff = BatchHandoff()
  private let state = DeltaExportState()

  /// Creates the exporter of one output.
  /// - `format`: Parquet.
  /// - `threads`: the number of row groups that are encoded at the same time, at least 1.
  /// - `now`: the time in milliseconds since 1970.
  public init(
    _ location: DeltaLocation, in storage: any DeltaStorage, format: any Exporter, threads: Int,
    now: @escaping @Sendable () -> Int64
  ) {
    (self.location, self.format, self.threads, self.now) = (location, format, threads, now)
    log = DeltaLog(storage: storage)
  }

  /// `delta`.
  public var descriptor: ExporterDescriptor {
    let files = format.descriptor
    var descriptor = ExporterDescriptor(
      "delta", fileExtensions: [], mediaType: files.mediaType, summary: "A Delta table", isExact: true,
      measuring: files.measuring, options: DeltaOption.all + files.options)
    descriptor.server = location.name
    descriptor.existing = [.refuse, .append, .replace, .replacePartitions]
    return descriptor
  }

  /// Whether the table has a log.
  public func exists(_ table: String) async throws(Problem) -> Bool {
    try await log.storage.logFiles(from: "")?.isEmpty == false
  }

  /// Reads the log.
  /// - Returns: the columns by which the table is partitioned.
  /// - Throws: `cannotCreate` if the table exists and must not; `badData` for a damaged log and unsupported features;
  ///   `usage`.
  public func prepare(_ options: ExportOptions) async throws(Problem) -> [String] {
    let snapshot = try await log.snapshot(), transaction = try transaction(options)
    var isChanged = false
    if let snapshot, let transaction, options.states != nil,
      snapshot.transactions[transaction.application] == transaction.version
    {
      isChanged = try await log.isChanged(since: transaction, at: snapshot.version)
    }
    let plan = try DeltaPlan(location, snapshot, options, transaction: transaction, isChanged: isChanged)
    state.value.withLock { $0.plan = plan }
    return plan.partitionColumns
  }

  /// Refuses options that do not apply to the states of stored tables.
  /// - Throws: `usage`.
  public static func checkStateOptions(_ options: ExportOptions) throws(Problem) {
    for option in DeltaOption.excludedFromStates where options.values[option.key] != nil {
      throw Problem(
        .usage, "option \(option.key) does not apply to a sync, which replaces all rows once", hint: "omit it")
    }
  }

  /// Whether the table has the rows already, after `prepare`.
  public var isRepeated: Bool { state.value.withLock { $0.plan?.isRepeated ?? false } }

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

  private func plan() throws(Problem) -> DeltaPlan {
    guard let plan = state.value.withLock({ $0.plan }) else {
      throw Problem(.bug, "internal error: the log was not read", at: location.name)
    }
    return plan
  }

  /// An encoder that passes the batches on to the sink.
  /// - Throws: `badData` for a column that the table does not have, or has with another type; `usage`.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    do throws(Problem) {
      let writing = try DeltaColumnPlan(
        schema, try plan(), layout, hasDates: options.values["dates"] != "text", decimals: options.values["decimals"],
        types: options.types, now: now())
      state.value.withLock { $0.writing = writing }
    } catch {
      throw error.located(at: location.name)
    }
    handoff.layout = layout
    let plan = try plan()
    handoff.note = plan.isRepeated && options.states == nil ? plan.repetition(location.name) : nil
    if plan.isChanged {
      handoff.note = "\(location.name): another program changed the rows of the table; it was written again"
    }
    return handoff
  }

  /// The sink that writes the files; `sink` receives nothing.
  public func sink(around sink: any ByteSink, of schema: Schema, options: ExportOptions) throws(Problem) -> any ByteSink
  {
    let plan = try plan()
    if plan.isRepeated { return DiscardedRows(name: location.name, handoff) }
    guard let writing = state.value.withLock({ $0.writing }) else {
      throw Problem(.bug, "internal error: the columns are unknown", at: location.name)
    }
    let pattern = PathPattern(
      partitionedBy: plan.partitionColumns, before: "part-", after: "-\(Self.identifier()).parquet")
    let kept = writing.schema.columns.indices.filter { !pattern.isHive(writing.schema.columns[$0].name) }
    let inner = writing.schema.projected(to: kept)
    var files = options
    files.values = options.values.filter { option in !DeltaOption.all.contains { $0.key == option.key } }
    files.values["dates"] = "native"
    // The types of the log decide.
    files.values["decimals"] = nil
    let types = inner.columns.enumerated().compactMap { position, column in
      writing.columns.table.field(column.name)?.primitive.map { "\(position):\($0)" }
    }
    files.values["narrow-types"] = types.joined(separator: ";")
    var layout = handoff.layout
    layout.head = layout.head.map { $0.projected(to: kept) }
    layout.decimals = [:]
    let encoder = try format.encoder(for: inner, options: files, layout: layout)
    let handoff = self.handoff, state = self.state
    let set = try DeltaFileSet(
      log, plan, writing.columns, now: now(), committed: { files in state.value.withLock { $0.files = files } },
      note: { handoff.note = $0 })
    var configuration = PartitionedExporter.Configuration { () throws(Problem) in set }
    configuration.options = files
    configuration.completeBytes = try Self.fileSize(options)
    configuration.isSizeApproximate = true
    configuration.threads = threads
    return PartitionSink(
      handoff, PartitionWriter(format, encoder, writing.schema, inner, kept, pattern, configuration, set),
      WrittenFiles())
  }

  /// Accepts all options: the log has the files of the export.
  public func checkVerifiable(_ options: ExportOptions) throws(Problem) {}

  /// The rows of the files that the log has since the export; nil if the table had the rows already.
  public func writtenRows(threads: Int) throws(Problem) -> (any RowStream)? {
    let state = state.value.withLock { $0 }
    guard let files = state.files, let writing = state.writing,
      let metadata = writing.columns.metadata ?? state.plan?.snapshot?.metadata
    else { return nil }
    return DeltaRows(log.storage, files, metadata, try metadata.schema.table("rows"), ParquetReading())
  }

  private static func fileSize(_ options: ExportOptions) throws(Problem) -> Int {
    guard let text = options.values[DeltaOption.fileSize.key] else { return 256 << 20 }
    guard let size = ByteSize.parse(text), size > 0 else {
      throw Problem(
        .usage, "invalid value “\(text)” for option \(DeltaOption.fileSize.key)", hint: "use a size, such as 512MiB")
    }
    return size
  }

  /// A random UUID.
  static func identifier() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}

/// The facts about an export before its first row.
private final class DeltaExportState: Sendable {
  struct Value {
    var plan: DeltaPlan?
    var writing: DeltaColumnPlan?
    /// Those that were written; nil before, and if nothing was.
    var files: [DeltaFile]?
  }
  let value = Mutex(Value())
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
    let table: DeltaSchema, metadata: DeltaMetadata?
    if let current = plan.snapshot?.metadata, !plan.definesColumns {
      (table, metadata) = (current.schema, nil)
    } else {
      let storages = layout.decimals.compactMapValues { shape in
        decimals == "text" ? nil : decimals == "exact" ? shape.size.map { .decimal($0) } : shape.storage
      }
      table = try DeltaSchema(schema, types: types, decimals: storages) {
        hasDates && EpochTime.isNative($0, of: schema, in: layout.head)
      }
      let new = DeltaMetadata(
        table, partitionColumns: plan.partitionColumns, id: DeltaExporter.identifier(), time: now,
        earlier: plan.snapshot?.metadata)
      metadata = plan.snapshot.map { $0.metadata.isSame(as: new) } ?? false ? nil : new
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
      guard let type = DeltaSchema.written(column.type, into: field) else {
        let found = field.primitive ?? field.type["type"]?.stringValue ?? "nested"
        throw Problem(
          .badData, "column “\(column.name)” is of type \(column.type.name), and of type \(found) in the table",
          hint: .set(.columnTypes))
      }
      columns.append(ColumnDescription(column.name, type, nullable: column.isNullable))
    }
    for field in table.fields where !field.isNullable && schema.position(of: field.name) == nil {
      throw Problem(.badData, "the records have no column “\(field.name)”, which must not be null in the table")
    }
    self.schema = Schema(schema.name, columns: columns)
    let file = columns.filter { !plan.isPartitioned(by: $0.name) }.compactMap { table.field($0.name) }
    self.columns = DeltaFileSet.Columns(table: table, file: file, metadata: metadata)
  }
}

/// Rows that the table has already.
private struct DiscardedRows: ByteSink {
  let name: String
  private let handoff: BatchHandoff

  init(name: String, _ handoff: BatchHandoff) { (self.name, self.handoff) = (name, handoff) }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { _ = handoff.take(bytes.bytes()) }
  func commit() async throws(Problem) {}
  func abandon() async {}
}
