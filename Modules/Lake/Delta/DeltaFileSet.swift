import Codecs
import Domain
import Parquet
import Query
import Rows
import Synchronization

/// New data files of a table, which one entry of the log adds.
final class DeltaFileSet: OutputFileSet {
  /// The columns of the rows.
  struct Columns: Sendable {
    /// Those of the table.
    let table: DeltaSchema
    /// Those of the files.
    let file: [DeltaSchema.Field]
    /// The metadata to write; nil if the table keeps its own.
    let metadata: DeltaMetadata?
  }

  private let log: DeltaLog
  private let plan: DeltaPlan
  private let columns: Columns
  private let data: any TableDataFiles
  private let now: Int64
  private let identifier = DeltaExporter.identifier()
  private let state = Mutex(State())

  private struct State {
    var files: [DeltaFile] = []
    /// Whether the log may name the files.
    var isSettled = false
    var committed: [DeltaFile]?
    var note: Warning?
  }

  /// The files that the log has since the export; nil before, and if it had the rows already.
  var committed: [DeltaFile]? { state.withLock { $0.committed } }
  /// The warning after the export.
  var note: Warning? { state.withLock { $0.note } }

  /// The most attempts to be the next version.
  private static let attempts = 100

  /// - Parameter now: in milliseconds since 1970.
  init(_ log: DeltaLog, _ plan: DeltaPlan, _ columns: Columns, now: Int64) throws(Problem) {
    (self.log, self.plan, self.columns, self.now) = (log, plan, columns, now)
    data = try log.storage.newFiles()
  }

  /// The exporter knows.
  func hasEarlier() -> Bool { false }

  func isFree(_ path: String) -> Bool { true }

  func sink(_ path: String) throws(Problem) -> any ByteSink { try data.sink(path) }

  func complete(_ file: PartitionFile, _ written: WrittenRows) throws(Problem) {
    let groups = written.part.records.compactMap { $0.facts as? ParquetWriter.RowGroup }
    let found = ParquetWriter.statistics(of: groups)
    let nulls = zip(columns.file, found).filter { $1.nullCount > 0 }.map(\.0.name)
    let values = file.values.filter { $0.text == nil }.map(\.column)
    for name in nulls + values where columns.table.field(name)?.isNullable == false {
      throw Problem(.badData, "column “\(name)”: the table does not permit null values", at: log.storage.name)
    }
    for value in file.values {
      guard let text = value.text, let field = columns.table.field(value.column),
        let type = field.primitive.flatMap(StoredType.init), !type.holds(text)
      else { continue }
      throw Problem(
        .badData,
        "column “\(value.column)”: \(String(decoding: text.prefix(40), as: UTF8.self)) is not a value of type "
          + "\(field.primitive ?? "")", at: log.storage.name)
    }
    if let replaced = plan.replacedRows, try !plan.isSelected(file.values, by: replaced, columns.table) {
      let texts = file.values.map { "\($0.column)=\($0.text.map { String(decoding: $0, as: UTF8.self) } ?? "null")" }
      throw Problem(
        .badData, "rows with \(texts.joined(separator: ", ")) do not satisfy the condition of the replaced rows",
        at: log.storage.name)
    }
    let added = DeltaFile(
      path: file.path, size: Int64(written.bytes), values: file.values,
      statistics: DeltaStatistics.text(rows: written.part.rows, columns.file, found))
    state.withLock { $0.files.append(added) }
  }

  func abandon() async {
    if state.withLock({ $0.isSettled }) { return }
    await data.abandon()
  }

  // MARK: - Publishing

  func publish(
    _ files: [PartitionFile], of schema: Schema,
    numbered: (_ file: PartitionFile, _ number: Int) throws(Problem) -> String?
  ) async throws(Problem) -> [PartitionFile] {
    do throws(Problem) { try await commit() } catch { throw error.located(at: log.storage.name) }
    return files
  }

  private func commit() async throws(Problem) {
    let added = state.withLock { $0.files }
    let written = Set(added.map { file in plan.partitionColumns.map { file.value(of: $0) } })
    var removed: [DeltaFile] = []
    for file in plan.snapshot?.files ?? [] where try plan.replaces(file, columns.table, written) {
      removed.append(file)
    }
    guard !added.isEmpty || !removed.isEmpty || plan.definesColumns || plan.transaction != nil else {
      return state.withLock { $0.committed = [] }
    }
    try await data.flush()
    await data.keep()
    var version = (plan.snapshot?.version ?? -1) + 1, isNew = plan.snapshot == nil
    for _ in 0..<Self.attempts {
      let entry = entry(added, removed, isNew: isNew)
      let isCreated: Bool
      do throws(Problem) { isCreated = try await log.storage.create(DeltaLog.path(version), entry) } catch {
        // The entry may be there: its files stay.
        state.withLock { $0.isSettled = true }
        throw error
      }
      if isCreated {
        state.withLock { ($0.isSettled, $0.committed) = (true, added) }
        return await checkpoint(version)
      }
      if isNew, plan.existing == .refuse {
        throw Problem(
          .cannotCreate, "another process has created the table",
          hint: plan.transaction == nil ? .set(.existingOutput, to: "append") : "run the command again")
      }
      if try await follow(version, written, isNew: isNew) {
        await data.abandon()
        state.withLock { $0.note = plan.repetition(log.storage.name) }
        return
      }
      (version, isNew) = (version + 1, false)
    }
    throw Problem(
      .busy, "other processes wrote to the table \(Self.attempts) times in between", hint: "run the command again")
  }

  /// Writes the checkpoint of a version that is in the log. The table is complete without it.
  private func checkpoint(_ version: Int64) async {
    guard let metadata = columns.metadata ?? plan.snapshot?.metadata, DeltaCheckpoint.isDue(version, metadata) else {
      return
    }
    do throws(Problem) { try await DeltaCheckpoint.write(version, log, now: now) } catch {
      state.withLock { $0.note = "\(log.storage.name): the rows were written, but no checkpoint: \(error.message)" }
    }
  }

  /// Checks that the rows can follow an entry of another process.
  /// - Returns: whether the entry has the transaction already.
  /// - Throws: `busy` if it contradicts.
  private func follow(_ version: Int64, _ written: Set<[[UInt8]?]>, isNew: Bool) async throws(Problem) -> Bool {
    var isRepeated = false, conflict: String?
    let current = columns.metadata ?? plan.snapshot?.metadata
    try await log.actions(of: version) { (action) throws(Problem) in
      if let value = action["txn"], let transaction = plan.transaction,
        value["appId"]?.stringValue == transaction.application, transaction.isIn(value["version"]?.integerValue)
      {
        isRepeated = true
      }
      if let value = action["metaData"], !value.isNull {
        let metadata = try DeltaMetadata(value)
        if plan.existing == .replace || current.map({ !metadata.isSame(as: $0) }) ?? true {
          conflict = "changed the columns of the table"
        }
        if plan.existing != .append, metadata.isAppendOnly { conflict = "made the table append-only" }
      }
      if let value = action["protocol"], !value.isNull, let current {
        try DeltaProtocol(value).checkWriting(current)
      }
      for key in ["add", "remove"] {
        guard let value = action[key], !value.isNull, plan.existing != .append, conflict == nil else { continue }
        let file = try DeltaFile(value, in: log.storage.root, keepsStatistics: false)
        // Without its values, a removed file may be of any partition.
        var isReplaced = value["partitionValues"].map(\.isNull) ?? true
        if !isReplaced { isReplaced = try plan.replaces(file, columns.table, written) }
        if isReplaced { conflict = "changed the rows that are replaced" }
      }
    }
    if isRepeated { return true }
    guard let conflict else { return false }
    throw Problem(.busy, "another process \(conflict) (version \(version))", hint: "run the command again")
  }

  /// The actions of the entry.
  private func entry(_ added: [DeltaFile], _ removed: [DeltaFile], isNew: Bool) -> [UInt8] {
    let mode =
      switch plan.existing {
      case .append: "Append"
      case .replace, .replacePartitions: "Overwrite"
      default: "ErrorIfExists"
      }
    let partitions = JSON.array(plan.partitionColumns.map { .string($0) }).canonicalBytes
    var actions: [JSON] = [
      .object([
        "commitInfo": .object([
          "timestamp": .number(now), "operation": .string("WRITE"),
          "operationParameters": .object(["mode": .string(mode), "partitionBy": .string(partitions)]),
          "isBlindAppend": .boolean(removed.isEmpty), "engineInfo": .string("bb"),
          // No other entry has the same bytes.
          "txnId": .string(identifier),
        ])
      ])
    ]
    if isNew { actions.append(DeltaProtocol.required(by: columns.table).action) }
    if let metadata = columns.metadata, isNew || plan.snapshot != nil {
      actions.append(.object(["metaData": metadata.action]))
    }
    for (application, version) in plan.transaction?.actions ?? [] {
      actions.append(
        .object([
          "txn": .object([
            "appId": .string(application), "version": .number(version), "lastUpdated": .number(now),
          ])
        ]))
    }
    actions += removed.map { $0.removing(at: now) } + added.map { $0.adding(at: now) }
    return actions.flatMap { $0.canonicalBytes + [0x0A] }
  }
}
