import Codecs
public import Domain
import Parquet
public import Query
public import Rows
import Synchronization

/// A Delta table as records.
public final class DeltaSource: RecordSource {
  /// The table in messages.
  public let name: String
  private let location: DeltaLocation
  private let log: DeltaLog
  private let maximumField: Int?
  private let opened: @Sendable (_ files: Int, _ skipped: Int) -> Void
  private let known = Mutex<DeltaSnapshot?>(nil)

  /// Creates a source. Nothing is read yet.
  /// - `options`: of these, the largest size of a value and the name of the table apply.
  /// - `opened`: called with the number of data files, and of those that are not read.
  /// - Throws: `usage` for types of columns, which the table has.
  public init(
    _ location: DeltaLocation, in storage: any TableStorage, _ options: FileInputOptions,
    opened: @escaping @Sendable (_ files: Int, _ skipped: Int) -> Void = { _, _ in }
  ) throws(Problem) {
    (self.location, self.opened) = (location, opened)
    (maximumField, table) = (options.maximumField, options.table ?? Self.table(location.place))
    name = location.name
    log = DeltaLog(storage: storage)
    guard location.partitionColumns == nil else {
      throw Problem(.usage, "?partition applies only to outputs", at: location.name)
    }
    guard options.types.isEmpty else {
      throw Problem(.usage, "the table declares the types of its columns", at: name, hint: .omit(.columnTypes))
    }
  }

  private let table: String
  private static func table(_ place: String) -> String { place.split(at: "/").last.map(String.init) ?? "table" }

  private func snapshot() async throws(Problem) -> DeltaSnapshot {
    if let known = known.withLock({ $0 }) { return known }
    let snapshot = try await snapshot(at: location.version)
    known.withLock { $0 = snapshot }
    return snapshot
  }

  private func snapshot(
    at version: Int64?, reducing reduce: ((inout DeltaFile) -> Void)? = nil
  ) async throws(Problem) -> DeltaSnapshot {
    guard let found = try await log.snapshot(at: version, reducing: reduce) else {
      throw Problem(.noInput, "no such Delta table", at: name)
    }
    return found
  }

  /// The table, with its files marked by whether they are needed, and with their numbers of rows.
  private func snapshot(
    _ isNeeded: (@Sendable (_ bounds: (String) -> ParquetGroupBounds?) -> Bool)?, countsRows: Bool
  ) async throws(Problem) -> DeltaSnapshot {
    if isNeeded == nil, !countsRows { return try await snapshot() }
    // The same version as before, although others may write. Its files are in memory once.
    let version = try await snapshot().version, schema = try await snapshot().metadata.schema
    known.withLock { $0 = nil }
    let snapshot = try await snapshot(at: version) { file in
      var named = file
      if schema.hasStoredNames { named.values = schema.named(file.values) }
      if let isNeeded { file.isNeeded = isNeeded(DeltaStatistics.bounds(named, schema)) }
      let rows = countsRows ? DeltaStatistics.rows(of: file) : nil
      file.statistics = rows.map { Array("{\"numRecords\":\($0)}".utf8) }
    }
    known.withLock { $0 = snapshot }
    return snapshot
  }

  private func schema(_ snapshot: DeltaSnapshot) throws(Problem) -> Schema {
    do throws(Problem) { return try snapshot.metadata.schema.table(table) } catch { throw error.located(at: name) }
  }

  /// The table.
  /// - Throws: `noInput` for a missing table or version; `badData`, `io`.
  public func tables() async throws(Problem) -> [Schema] {
    [try schema(try await snapshot())]
  }

  /// The rows of the table. Files whose partition values or statistics exclude all their rows are not read.
  /// - Throws: `badData`, `io`.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    try await rows(of: table, request, nil)
  }

  /// The rows of a part of the data files, joined in the order of their paths.
  public func part(
    _ shard: Shard, of table: String, _ request: RowRequest
  ) async throws(Problem) -> (any RowStream)? {
    try await rows(of: table, request, shard)
  }

  private func rows(of table: String, _ request: RowRequest, _ shard: Shard?) async throws(Problem) -> DeltaRows {
    guard table == self.table else {
      throw Problem(.noInput, "table not found: “\(table)”", at: name, hint: "its only table is “\(self.table)”")
    }
    let isNeeded = ParquetPruning(request.selection).test
    let snapshot = try await snapshot(isNeeded, countsRows: shard != nil)
    let whole = try schema(snapshot)
    let wanted = request.columns.map { Set($0.map { Array($0.utf8) }) }
    let positions = whole.columns.indices.filter { wanted?.contains(Array(whole.columns[$0].name.utf8)) ?? true }
    var parts: [[UInt8]: Range<Int>]?
    if let shard { parts = try await self.parts(shard, of: snapshot.files) }
    let files =
      parts == nil && isNeeded == nil
      ? snapshot.files
      : snapshot.files.filter { file in
        (parts.map { $0[file.key] != nil } ?? true) && (isNeeded == nil || file.isNeeded)
      }
    opened(snapshot.files.count, snapshot.files.count - files.count)
    var reading = ParquetReading()
    reading.needsGroup = isNeeded
    if let maximumField { reading.maximumField = maximumField }
    return DeltaRows(
      log.storage, files, snapshot.metadata, whole.projected(to: positions), reading,
      parts: parts)
  }

  /// The rows of each file that are in a part, by its key.
  private func parts(_ shard: Shard, of files: [DeltaFile]) async throws(Problem) -> [[UInt8]: Range<Int>] {
    var ends: [(key: [UInt8], rows: Range<Int>)] = [], count = 0
    for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      let rows: Int
      if let known = DeltaStatistics.rows(of: file) {
        rows = known
      } else {
        guard let source = try await log.storage.open(file.path) else {
          throw Problem(.badData, "the log names a file that does not exist: \(file.path)", at: name)
        }
        rows = try ParquetFile(source).rowCount
      }
      ends.append((file.key, count..<count + rows))
      count += rows
    }
    let wanted = shard.range(of: count)
    var parts: [[UInt8]: Range<Int>] = [:]
    for (key, rows) in ends {
      let own = wanted.clamped(to: rows)
      if !own.isEmpty { parts[key] = own.lowerBound - rows.lowerBound..<own.upperBound - rows.lowerBound }
    }
    return parts
  }
}

/// The rows of data files, one file after another.
final class DeltaRows: ExactRowStream {
  let schema: Schema
  private let storage: any TableStorage
  private let files: [DeltaFile]
  private let metadata: DeltaMetadata
  private let reading: ParquetReading
  /// The rows of each file that are read, by its key; nil for all.
  private let parts: [[UInt8]: Range<Int>]?
  private let state = Mutex(State())
  private static let preparedFiles = 16

  private struct State: Sendable {
    var next = 0, prepared = 0
    var current: (rows: ParquetRowStream, shape: Shape)?
  }

  /// Where the columns of the table are: in a file, or in its path.
  private struct Shape: Sendable {
    let positions: [Int?]
    let constants: [(column: Int, value: Value)]
    let isIdentity: Bool
  }

  init(
    _ storage: any TableStorage, _ files: [DeltaFile], _ metadata: DeltaMetadata, _ schema: Schema,
    _ reading: ParquetReading, parts: [[UInt8]: Range<Int>]? = nil
  ) {
    self.parts = parts
    (self.storage, self.files, self.metadata, self.schema, self.reading) = (storage, files, metadata, schema, reading)
  }

  func next() async throws(Problem) -> BatchTask? {
    while true {
      if let (rows, shape) = state.withLock({ $0.current }) {
        if let task = try await rows.next() {
          if shape.isIdentity { return task }
          return task.followed { (batch) throws(Problem) in Self.reshaped(batch, shape) }
        }
        state.withLock { $0.current = nil }
      }
      let (number, prepared) = state.withLock { state in
        defer {
          state.prepared = state.next == state.prepared ? state.prepared + Self.preparedFiles : state.prepared
          state.next += 1
        }
        return (state.next, state.prepared)
      }
      guard number < files.count else { return nil }
      if number == prepared {
        let next = files[number...].prefix(Self.preparedFiles)
        try await storage.prepare(next.map { ($0.path, Int($0.size)) })
      }
      let opened = try await open(files[number])
      state.withLock { $0.current = opened }
    }
  }

  private func open(_ file: DeltaFile) async throws(Problem) -> (ParquetRowStream, Shape) {
    guard let source = try await storage.open(file.path) else {
      throw Problem(
        .badData, "the log names a file that does not exist: \(file.path)", at: storage.name,
        hint: "it may have been removed as obsolete; read a later version")
    }
    let place = "\(storage.name)/\(file.path)"
    let parts = metadata.partitionColumns.map { Array($0.utf8) }
    let own = schema.columns.filter { !parts.contains(Array($0.name.utf8)) }
    var reading = reading
    reading.columns = own.map(\.name)
    reading.types = ColumnTypes(own)
    let rows: ParquetRowStream
    do throws(Problem) {
      let data = try ParquetFile(source, names: metadata.schema.names)
      if let rows = self.parts?[file.key] {
        reading.rows = rows
        if let known = DeltaStatistics.rows(of: file), known != data.rowCount {
          throw Problem(.badData, "the log says that the file has \(known) rows, and it has \(data.rowCount)")
        }
      }
      if let vector = try await file.deletions?.read(storage) {
        guard vector.last.map({ $0 < data.rowCount }) ?? true else {
          throw Problem(.badData, "damaged deletion vector: it has rows that the file does not have")
        }
        reading.omitted = { vector.rows(in: $0) }
      }
      rows = try ParquetRowStream(data, table: schema.name, reading)
    } catch {
      throw error.located(at: place)
    }
    var positions: [Int?] = [], constants: [(column: Int, value: Value)] = []
    for (position, column) in schema.columns.enumerated() {
      if parts.contains(Array(column.name.utf8)) {
        positions.append(nil)
        let text = file.value(of: column.name),
          isZoned = metadata.schema.field(column.name)?.primitive != "timestamp_ntz"
        guard let value = DeltaValue.value(text, column.type, isZoned: isZoned) else {
          // Programs do not agree on the text of binary values.
          let what =
            column.type == .bytes
            ? "unsupported partition values of type binary"
            : "invalid partition value “\(String(decoding: text ?? [], as: UTF8.self))” of type \(column.type.name)"
          throw Problem(
            .badData, "column \(column.name): \(what)", at: place, hint: .set(.columns, for: "exclude the column"))
        }
        if value != .null { constants.append((position, value)) }
        continue
      }
      let found = rows.schema.position(of: column.name)
      if let found, !Self.isSame(rows.schema.columns[found].type, column.type) {
        throw Problem(
          .badData,
          "column \(column.name) is of type \(rows.schema.columns[found].type.name) in the file, and of type "
            + "\(column.type.name) in the table", at: place)
      }
      positions.append(found)
    }
    let isIdentity =
      constants.isEmpty && positions.count == rows.schema.width && positions.enumerated().allSatisfy { $0 == $1 }
    return (rows, Shape(positions: positions, constants: constants, isIdentity: isIdentity))
  }

  /// Whether values of both types are the same cells.
  private static func isSame(_ file: ColumnType, _ table: ColumnType) -> Bool {
    file == table || file.isNested && table == .json || file == .url && table == .text
  }

  private static func reshaped(_ batch: RowBatch, _ shape: Shape) -> RowBatch {
    let projected = batch.projected(to: shape.positions)
    if shape.constants.isEmpty { return projected }
    var arena = ArenaBuilder(capacity: batch.arena.count + 4096)
    batch.arena.read { arena.append($0) }
    var cells = [Cell](repeating: .null, count: shape.positions.count)
    for (column, value) in shape.constants {
      let start = UInt32(arena.count)
      switch value {
      case .integer(let number): cells[column] = .integer(number)
      case .real(let number): cells[column] = .real(number)
      case .boolean(let value): cells[column] = .boolean(value)
      case .text(let bytes):
        arena.append(bytes)
        cells[column] = .text(start, UInt32(bytes.count))
      case .number(let bytes):
        arena.append(bytes)
        cells[column] = .number(start, UInt32(bytes.count))
      case .null, .json, .bytes: break
      }
    }
    var all = CellsBuilder(capacity: batch.count * cells.count)
    for row in 0..<batch.count {
      for column in cells.indices {
        all.append(shape.positions[column] == nil ? cells[column] : projected[row, column])
      }
    }
    return RowBatch(width: cells.count, count: batch.count, cells: all.freeze(), arena: arena.freeze())
  }
}
