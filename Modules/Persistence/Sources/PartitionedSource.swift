import Codecs
public import Domain
import Lake
import Parquet
public import Query
public import Rows

/// A file in a partition: the columns of its path follow those of the file. They are text unless types are given.
public struct PartitionedSource: RecordSource {
  /// The path.
  public var name: String { inner.name }
  private let inner: any RecordSource
  private let values: [PartitionValue]
  private let types: ColumnTypes

  /// - `inner`: the file, with the options that `options` returns.
  /// - `types`: the types of columns.
  public init(_ inner: any RecordSource, _ values: [PartitionValue], types: ColumnTypes) {
    (self.inner, self.values, self.types) = (inner, values, types)
  }

  /// The options for a file in a partition: only the types of its own columns.
  public static func options(_ reading: FileInputOptions, without values: [PartitionValue]) -> FileInputOptions {
    var own = reading
    for value in values { own.types[value.column] = nil }
    return own
  }

  /// As the file.
  public var usesSelection: Bool { inner.usesSelection }
  /// The tables of the file.
  public func tables() async throws(Problem) -> [Schema] { try await inner.tables() }
  /// The main table of the file.
  public func mainTable() async throws(Problem) -> String? { try await inner.mainTable() }

  /// The rows of a table, each with the values of the path.
  /// - Throws: `badData` for a value that does not have the given type; the errors of the file.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    try await rows(of: table, request, nil) ?? BufferedRows(schema: Schema(table, columns: []), batches: [])
  }

  /// The rows of a part of the file, each with the values of the path.
  public func part(
    _ shard: Shard, of table: String, _ request: RowRequest
  ) async throws(Problem) -> (any RowStream)? {
    try await rows(of: table, request, shard)
  }

  private func rows(
    of table: String, _ request: RowRequest, _ shard: Shard?
  ) async throws(Problem) -> (any RowStream)? {
    var own = request
    own.columns = request.columns?.filter { name in !values.contains { $0.column == name } }
    // Not every format can distinguish rows without columns from no rows.
    if own.columns?.isEmpty == true, !usesSelection { own.columns = nil }
    let part: (any RowStream)? =
      if let shard { try await inner.part(shard, of: table, own) } else { try await inner.rows(of: table, own) }
    guard let rows = part else { return nil }
    var constants: [(column: ColumnDescription, value: Value)] = []
    for value in values where !rows.schema.columns.has(value.column) {
      let type = types[value.column] ?? .text
      constants.append((ColumnDescription(value.column, type), try Self.value(value, type, at: name)))
    }
    let all = ConstantColumns(rows, constants)
    if !usesSelection || Self.mayMatch(constants, request.selection) { return all }
    return BufferedRows(schema: all.schema, batches: [])
  }

  /// Whether a file whose path has values may have rows that are needed, unless it has columns of these names.
  public static func mayMatch(
    _ values: [PartitionValue], _ types: ColumnTypes, at place: String, _ selection: Selection
  ) throws(Problem) -> Bool {
    var constants: [(column: ColumnDescription, value: Value)] = []
    for value in values {
      let type = types[value.column] ?? .text
      constants.append((ColumnDescription(value.column, type), try Self.value(value, type, at: place)))
    }
    return mayMatch(constants, selection)
  }

  private static func mayMatch(
    _ constants: [(column: ColumnDescription, value: Value)], _ selection: Selection?
  ) -> Bool {
    guard let isNeeded = ParquetPruning(selection).test else { return true }
    // The statistics of the file are left to its reader.
    return isNeeded { name in
      guard let (column, value) = constants.first(where: { $0.column.name.utf8.elementsEqual(name.utf8) }) else {
        return nil
      }
      switch (column.type, value) {
      case (_, .null): return ParquetGroupBounds(least: nil, greatest: nil, hasNull: true, hasValue: false)
      case (.integer, .integer), (.text, .text):
        return ParquetGroupBounds(least: value, greatest: value, hasNull: false, hasValue: true)
      case (.decimal, .number(let digits)):
        let whole = Int64(String(decoding: digits, as: UTF8.self)).map { Value.integer($0) }
        return whole.map { ParquetGroupBounds(least: $0, greatest: $0, hasNull: false, hasValue: true) }
      default: return nil
      }
    }
  }

  private static func value(
    _ value: PartitionValue, _ type: ColumnType, at place: String
  ) throws(Problem) -> Value {
    guard let bytes = value.text else { return .null }
    let text = String(decoding: bytes, as: UTF8.self)
    var found: Value?
    switch type {
    case .integer: found = Int64(text).map { .integer($0) }
    case .real: found = Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case .decimal: found = DecimalNumber(bytes).map { _ in .number(bytes) }
    case .boolean: found = ["true": true, "false": false][text].map { .boolean($0) }
    case .text, .url, .date, .timestamp, .datetime: found = .text(bytes)
    case .bytes, .list, .json: break
    }
    guard let found else {
      throw Problem(
        .badData, "invalid value “\(text)” of column \(value.column) in the path: expected \(type.name)", at: place)
    }
    return found
  }
}

/// Rows with further columns that have the same values in each row.
private final class ConstantColumns: RewrittenRowStream {
  let schema: Schema
  let inner: any RowStream
  private let constants: [(column: ColumnDescription, value: Value)]

  init(_ inner: any RowStream, _ constants: [(column: ColumnDescription, value: Value)]) {
    schema = Schema(inner.schema.name, columns: inner.schema.columns + constants.map(\.column))
    (self.inner, self.constants) = (inner, constants)
  }

  func over(_ rows: any RowStream) -> any RowStream { ConstantColumns(rows, constants) }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    if constants.isEmpty { return task }
    let values = constants.map(\.value)
    return task.followed { (batch) throws(Problem) in Self.adding(values, to: batch) }
  }

  private static func adding(_ values: [Value], to batch: RowBatch) -> RowBatch {
    var arena = ArenaBuilder(capacity: batch.arena.count + 4096)
    batch.arena.read { arena.append($0) }
    let added = values.map { value -> Cell in
      let start = UInt32(arena.count), bytes = value.plainText
      switch value {
      case .integer(let number): return .integer(number)
      case .real(let number): return .real(number)
      case .boolean(let value): return .boolean(value)
      case .text:
        arena.append(bytes)
        return .text(start, UInt32(bytes.count))
      case .number:
        arena.append(bytes)
        return .number(start, UInt32(bytes.count))
      case .null, .json, .bytes: return .null
      }
    }
    let width = batch.width + added.count
    var cells = CellsBuilder(capacity: batch.count * width)
    for row in 0..<batch.count {
      for column in 0..<batch.width { cells.append(batch[row, column]) }
      for cell in added { cells.append(cell) }
    }
    return RowBatch(width: width, count: batch.count, cells: cells.freeze(), arena: arena.freeze())
  }
}
