import Codecs
import Domain
import Parquet
import Query
import Rows
import Synchronization

/// New data files of a table, which one entry of the log adds.
final class DeltaFileSet: OutputFileSet {
  struct Columns: Sendable {
    let table: DeltaSchema
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

  /// The division of the rows, if files with equal rows are kept; nil if all files are new.
  let pieces: RowPieces?

  private struct State {
    var files: [DeltaFile] = []
    /// Files of the table by what they have, of which those are kept that have the rows of a piece.
    var equal: [String: [DeltaFile]] = [:]
    var kept: [String: DeltaFile] = [:], digests: [String: String] = [:]
    /// Whether the log may name the files.
    var isSettled = false
    var committed: [DeltaFile]?
    var note: Warning?
  }

  /// The files that the log has since the export; nil before, and if it had the rows already.
  var committed: [DeltaFile]? { state.withLock { $0.committed } }
  var note: Warning? { state.withLock { $0.note } }

  /// The most attempts to be the next version.
  private static let attempts = 100

  /// - Parameter now: in milliseconds since 1970.
  ///   - key: the positions of the columns of the key, for the rows of a store; nil for other rows.
  init(_ log: DeltaLog, _ plan: DeltaPlan, _ columns: Columns, key: [Int]?, now: Int64) throws(Problem) {
    (self.log, self.plan, self.columns, self.now) = (log, plan, columns, now)
    data = try log.storage.newFiles()
    let files = plan.snapshot?.files ?? [], least = files.compactMap(\.pieceRows).max() ?? Self.pieceRows
    // Files of a table that has grown are divided less often.
    pieces = key.map { RowPieces(key: $0, least: files.count > Self.mostPieces ? 4 * least : least) }
    guard pieces?.least == least, columns.metadata == nil else { return }
    state.withLock { state in
      for file in files where file.deletions == nil && file.pieceRows == least {
        state.equal[Self.contents(file.digest ?? "", file.values), default: []].append(file)
      }
    }
  }

  /// The least rows of a piece, and the most files of a table before there are more.
  private static let pieceRows = 32_768, mostPieces = 256

  private static func contents(_ digest: String, _ values: [PartitionValue]) -> String {
    digest + values.map { "/\($0.column)=\($0.text.map { String(decoding: $0, as: UTF8.self) } ?? "\0")" }.joined()
  }

  /// Notes the digest of a piece that is complete.
  func digested(_ path: String, _ digest: RowDigest) {
    guard pieces != nil else { return }
    state.withLock { $0.digests[path] = "\(digest.rows)-\(digest.text)" }
  }

  /// Whether the table has the rows of a piece in a file, which is kept instead.
  private func keepsEqual(_ path: String) -> Bool {
    let values = PathPattern.hiveValues(of: path)
    return state.withLock { state in
      guard let digest = state.digests[path], let file = state.equal[Self.contents(digest, values)]?.popLast()
      else { return false }
      state.kept[path] = file
      return true
    }
  }

  func hasEarlier() -> Bool { false }

  func isFree(_ path: String) -> Bool { true }

  func sink(_ path: String) throws(Problem) -> any ByteSink {
    if pieces == nil { return try data.sink(path) }
    return PieceFile(path, exists: { [self] in keepsEqual(path) }) { [data] () throws(Problem) in try data.sink(path) }
  }

  func complete(_ file: PartitionFile, _ written: WrittenRows) throws(Problem) {
    if let kept = state.withLock({ $0.kept[file.path] }) {
      guard kept.digest?.hasPrefix("\(written.part.rows)-") == true else {
        throw Problem(.bug, "internal error: another number of rows in a file that is kept", at: file.path)
      }
      return
    }
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
    var added = DeltaFile(
      path: file.path, size: Int64(written.bytes), values: file.values,
      statistics: DeltaStatistics.text(rows: written.part.rows, columns.file, found))
    (added.digest, added.pieceRows) = (state.withLock { $0.digests[file.path] }, pieces?.least)
    state.withLock { [added] in $0.files.append(added) }
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
    let (added, kept) = state.withLock { ($0.files, Array($0.kept.values)) }
    let written = Set(added.map { file in plan.partitionColumns.map { file.value(of: $0) } })
    var removed: [DeltaFile] = []
    let keptKeys = Set(kept.map(\.key))
    for file in plan.snapshot?.files ?? [] where !keptKeys.contains(file.key) {
      if try plan.replaces(file, columns.table, written) { removed.append(file) }
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
        state.withLock { ($0.isSettled, $0.committed) = (true, kept + added) }
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
