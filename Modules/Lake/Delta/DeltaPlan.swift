import Domain
import Query
import Rows

/// The effect of an export on a table, given the table as it was before.
struct DeltaPlan: Sendable {
  /// The table; nil for a new one.
  let snapshot: DeltaSnapshot?
  let existing: ExistingOutput
  let partitionColumns: [String]
  /// The condition on partition columns of the rows that are replaced; nil for all.
  let replacedRows: Predicate?
  /// The number of this write of an application; nil if it may be repeated.
  let transaction: Transaction?

  struct Transaction: Sendable, Hashable {
    let application: String
    let version: Int64
    /// The mark of a state of a stored table; nil for other rows.
    var mark: Int64?

    static func markName(_ application: String) -> String { application + "#mark" }
    var actions: [(application: String, version: Int64)] {
      [(application, version)] + (mark.map { [(Self.markName(application), $0)] } ?? [])
    }

    /// Whether the table has it already.
    func isIn(_ version: Int64?) -> Bool { version.map { $0 >= self.version } ?? false }
  }

  /// Whether the table has the rows already.
  let isRepeated: Bool
  /// Whether another program changed the table after the rows were written to it.
  let isChanged: Bool

  /// Whether metadata of Iceberg are written; nil as for the write before.
  let wantsIceberg: Bool?
  /// Whether this write adds metadata of Iceberg.
  var addsIceberg: Bool { wantsIceberg ?? (snapshot?.metadata.setting(IcebergTable.setting) == "yes") }

  /// The warning that nothing is written.
  func repetition(_ name: String) -> Warning { "\(name): the table already has these rows; nothing was written" }

  /// Whether the table is partitioned by a column.
  func isPartitioned(by column: String) -> Bool {
    partitionColumns.contains { $0.utf8.elementsEqual(column.utf8) }
  }

  /// Whether the columns of the table become those of the rows.
  var definesColumns: Bool { snapshot == nil || existing == .replace && replacedRows == nil }

  /// - Parameter isChanged: whether another program changed the table after this state of a stored table.
  /// - Throws: `cannotCreate` if the table exists and may not; `usage` for options that the table does not permit;
  ///   `badData` for unsupported features.
  init(
    _ location: DeltaLocation, _ snapshot: DeltaSnapshot?, _ options: ExportOptions, transaction: Transaction?,
    isChanged: Bool = false
  ) throws(Problem) {
    (self.snapshot, self.transaction) = (snapshot, transaction)
    wantsIceberg = try options.values[DeltaOption.iceberg.key].map { (text) throws(Problem) in
      guard let value = ["yes": true, "no": false][text] else {
        throw Problem(
          .usage, "invalid value “\(text)” for option \(DeltaOption.iceberg.key)", hint: "use yes or no")
      }
      return value
    }
    let recorded = transaction.flatMap { snapshot?.transactions[$0.application] }
    // A table that has a state of the rows was written for them; other states are those of another store.
    var isOwn = false
    if let states = options.states, let recorded, let mark = states.mark(of: recorded), let transaction {
      isOwn = snapshot?.transactions[Transaction.markName(transaction.application)] ?? mark == mark
    }
    self.isChanged = isChanged && isOwn
    isRepeated =
      options.states.map { isOwn && $0.current == recorded && !isChanged } ?? (transaction?.isIn(recorded) ?? false)
    existing = isOwn && options.existing == .refuse ? .replace : options.existing
    replacedRows = try options.values[DeltaOption.replaceWhere.key].map { (text) throws(Problem) in
      try Predicate(parsing: text)
    }
    let place = location.name
    if replacedRows != nil, existing != .replace {
      throw Problem(
        .usage, "option \(DeltaOption.replaceWhere.key) requires that rows are replaced", at: place,
        hint: .set(.existingOutput, to: "replace"))
    }
    if location.version != nil {
      throw Problem(.usage, "cannot write to an earlier version of a Delta table", at: place)
    }
    if let snapshot {
      if existing == .refuse {
        throw Problem(
          .cannotCreate,
          options.states == nil || recorded == nil
            ? "the table already exists" : "the table has records of another store",
          at: place,
          hint: options.states == nil
            ? .set(.existingOutput, to: "append", "replace", "replace-partitions")
            : .set(.existingOutput, to: "replace"))
      }
      do throws(Problem) { try snapshot.protocolVersions.checkWriting(snapshot.metadata) } catch {
        throw error.located(at: place)
      }
      if snapshot.metadata.isAppendOnly, existing != .append {
        throw Problem(
          .badData, "rows can only be added to this table (delta.appendOnly)", at: place,
          hint: .set(.existingOutput, to: "append"))
      }
    }
    if snapshot == nil, let start = place.utf8.firstIndex(of: UInt8(ascii: "{")),
      place[start...].utf8.contains(UInt8(ascii: "}"))
    {
      throw Problem(
        .usage, "the path of a Delta table has no columns of its rows", at: place, hint: "use ?partition=COLUMN,…")
    }
    let definesColumns = snapshot == nil || existing == .replace && replacedRows == nil
    let columns = snapshot?.metadata.partitionColumns ?? []
    partitionColumns = definesColumns ? location.partitionColumns ?? columns : columns
    if !definesColumns, let given = location.partitionColumns, !given.elementsEqual(columns) {
      throw Problem(
        .usage,
        columns.isEmpty
          ? "the table is not partitioned" : "the table is partitioned by \(columns.joined(separator: ", "))",
        at: place, hint: "omit ?partition")
    }
    if existing == .replacePartitions, partitionColumns.isEmpty {
      throw Problem(
        .usage, "the table is not partitioned", at: place, hint: .set(.existingOutput, to: "append", "replace"))
    }
    for column in replacedRows?.columns ?? [] where !isPartitioned(by: column) {
      throw Problem(
        .usage, "option \(DeltaOption.replaceWhere.key): “\(column)” is not a column by which the table is partitioned",
        at: place, hint: .choose(column, from: partitionColumns, "partition columns"))
    }
  }

  /// Whether the rows of a partition are replaced.
  /// - Parameter written: the partitions that are written.
  func replaces(
    _ file: DeltaFile, _ schema: DeltaSchema, _ written: Set<[[UInt8]?]>
  ) throws(Problem) -> Bool {
    switch existing {
    case .replacePartitions: return written.contains(partitionColumns.map { file.value(of: $0) })
    case .replace:
      guard let replacedRows else { return true }
      return try isSelected(file.values, by: replacedRows, schema)
    default: return false
    }
  }

  /// Whether partition values satisfy a condition.
  func isSelected(
    _ values: [PartitionValue], by predicate: Predicate, _ schema: DeltaSchema
  ) throws(Problem) -> Bool {
    var row = RowBatchBuilder(width: partitionColumns.count), columns: [ColumnDescription] = []
    for name in partitionColumns {
      let type = try schema.field(name)?.columnType() ?? .text
      columns.append(ColumnDescription(name, type))
      let text = values.first { $0.column.utf8.elementsEqual(name.utf8) }?.text
      guard let value = DeltaValue.value(text, type) else {
        throw Problem(.badData, "column \(name): invalid partition value of type \(type.name)")
      }
      row.append(value: value)
    }
    return try predicate.holds(for: row.finish(), of: Schema("partitions", columns: columns))[0]
  }
}

/// The options of the output, in addition to those of its files.
enum DeltaOption {
  static let replaceWhere = ExporterDescriptor.Option(
    "replace-where", "CONDITION", "The rows to replace, by partition columns, for example 'season = 1' [default: all]")
  static let transaction = ExporterDescriptor.Option(
    "transaction", "N",
    "The number of this write: if the same command has already written N or more, nothing is written")
  static let fileSize = ExporterDescriptor.Option(
    "file-size", "SIZE", "The size from which on a data file is complete [default: 256MiB]")
  static let iceberg = ExporterDescriptor.Option(
    "iceberg", "yes|no",
    "Whether this write and later ones add metadata by which readers of Apache Iceberg find the rows [default: as before]"
  )
  static let all = [replaceWhere, transaction, fileSize, iceberg]
  /// Those that do not apply to the states of stored tables, which are complete and have numbers.
  static let excludedFromStates = [replaceWhere, transaction]
}
