public import Domain
import Synchronization

/// The reference: the shortest code that obeys the laws. What it keeps is gone with the process.
public final class MemoryStore: RecordStore {
  /// How messages name it.
  public let name = "memory:"
  /// Nothing beyond the laws.
  public let capabilities: StoreCapabilities = []

  private struct State: Sendable {
    var tables: [String: MemoryTable] = [:]
    var history: [HistoryEntry] = []
  }
  private let state = Mutex(State())

  /// An empty storage.
  public init() {}

  /// The tables, in order of name.
  public func tables() async throws(Problem) -> [Schema] {
    state.withLock { $0.tables.values.map(\.schema) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The rows of a table, as they are now.
  /// - Throws: `noInput` for a table that is not there.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard let table = state.withLock({ $0.tables[table] }) else {
      throw Problem(.noInput, "there is no table “\(table)”", at: name)
    }
    return table.stream(request)
  }

  /// Makes a change, in one step.
  @discardableResult
  public func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    try state.withLock { (state) throws(Problem) in
      var next = state
      try TableEditor.check(change) { next.tables[$0]?.schema }
      var outcomes: [TableOutcome] = [], images: [TableImages] = []
      for table in change.tables {
        var edited = next.tables[table.schema.name] ?? MemoryTable(schema: table.schema)
        let result = try TableEditor.apply(table, to: &edited)
        next.tables[table.schema.name] = edited
        outcomes.append(result.outcome)
        if !result.images.rows.isEmpty { images.append(result.images) }
      }
      if !images.isEmpty {
        let number = next.history.count + 1
        next.history.append(HistoryEntry(number: number, time: change.time, title: change.title, tables: images))
      }
      state = next
      return outcomes
    }
  }

  /// The changes made so far.
  public func history() async throws(Problem) -> [HistoryEntry] { state.withLock { $0.history } }

  /// All is always well.
  public func check() async throws(Problem) -> [Problem] { [] }
}

/// A table in memory.
struct MemoryTable: EditableTable, Sendable {
  let schema: Schema
  var rows: [StoredKey: [Value]] = [:]

  init(schema: Schema) { self.schema = schema }

  func row(_ key: StoredKey) throws(Problem) -> [Value]? { rows[key] }
  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem) { rows[key] = row }
  mutating func remove(_ key: StoredKey) throws(Problem) { rows[key] = nil }
  func keys() throws(Problem) -> [StoredKey] { Array(rows.keys) }

  /// The rows in order of the key.
  func sorted() -> [[Value]] { rows.sorted { $0.key < $1.key }.map(\.value) }

  /// The rows as a stream of the columns that are needed.
  func stream(_ request: RowRequest) -> any RowStream {
    let wanted = schema.columns.indices.filter { request.columns?.contains(schema.columns[$0].name) ?? true }
    var builder = BatchBuilder(width: wanted.count), batches: [RowBatch] = []
    for row in sorted() {
      for column in wanted { builder.append(value: row[column]) }
      if builder.isFull { batches.append(builder.finish()) }
    }
    if builder.count > 0 { batches.append(builder.finish()) }
    return ReadyRows(schema: schema.projected(to: wanted), batches: batches)
  }
}
