public import Domain
public import Query
public import Rows
import Synchronization

/// The reference implementation: the shortest code that passes the conformance checks. Its contents end with the
/// process.
public final class MemoryStore: RecordStore {
  /// The name in messages.
  public let name = "memory:"
  /// Nothing beyond the laws.
  public let capabilities = StoreCapabilities.holdsEverything

  private struct State: Sendable {
    var tables: [String: MemoryTable] = [:]
    var history: [HistoryEntry] = []
    /// Where tables were loaded from.
    var sources: [String: String] = [:]

    /// Tables and their sources as they were before loads, or until these were undone, by identifier of the load's
    /// entry; nil for none.
    var replaced: [String: (table: MemoryTable?, source: String?)] = [:]

    /// Adds an entry; its identifier.
    @discardableResult
    mutating func remember(
      _ title: String, _ time: String, _ tables: [TableRevisions], undoes: [String] = [], command: String? = nil
    ) -> String {
      let id = HistoryIdentifier.make(time: time, after: history.last?.id)
      history.append(
        HistoryEntry(id: id, time: time, title: title, tables: tables, undoes: undoes, command: command))
      return id
    }

    mutating func edit(_ changes: [TableChange]) throws(Problem) -> (outcomes: [TableOutcome], images: [TableRevisions])
    {
      try TableEditor.check(changes) { (name) throws(Problem) in tables[name]?.schema }
      var outcomes: [TableOutcome] = [], images: [TableRevisions] = []
      for table in changes {
        if tables[table.schema.name] == nil { try StoreRules.checkNotReserved(table.schema.name, at: "memory:") }
        var edited = tables[table.schema.name] ?? MemoryTable(schema: table.schema)
        edited.widen(to: TableEditor.kept(edited.schema, table.schema))
        let result = try TableEditor.apply(table, kept: edited.schema, to: &edited)
        tables[table.schema.name] = edited
        outcomes.append(result.outcome)
        if !result.images.rows.isEmpty { images.append(result.images) }
      }
      return (outcomes, images)
    }
  }
  private let state = Mutex(State())

  /// An empty storage.
  public init() {}

  /// The tables, in order of name.
  public func tables() async throws(Problem) -> [Schema] {
    state.withLock { $0.tables.values.map(\.schema) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The rows of a table, as they are now.
  /// - Throws: `noInput` for a missing table.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard let table = state.withLock({ $0.tables[table] }) else {
      throw Problem(.noInput, "table not found: “\(table)”", at: name)
    }
    return table.stream(request)
  }

  /// Makes a change, in one step.
  @discardableResult
  public func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    try state.withLock { (state) throws(Problem) in
      var next = state
      let (outcomes, images) = try next.edit(change.tables)
      guard try change.accepts(outcomes) else { return outcomes }
      if images.concernRecords { next.remember(change.title, change.time, images, command: change.command) }
      state = next
      return outcomes
    }
  }

  /// Makes a table hold the rows of a stream.
  @discardableResult
  public func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    var rows: [[Value]] = []
    for batch in try await load.rows.collect() {
      for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    let wanted = rows
    return try state.withLock { (state) throws(Problem) in
      if state.tables[load.schema.name] == nil { try StoreRules.checkNotReserved(load.schema.name, at: name) }
      var table = state.tables[load.schema.name] ?? MemoryTable(schema: load.schema)
      try StoreRules.check(load, known: state.tables[load.schema.name]?.schema, from: state.sources[load.schema.name])
      let outcome = try table.load(wanted, load.schema)
      guard try load.accepts(outcome) else { return outcome }
      let old = (state.tables[load.schema.name], state.sources[load.schema.name])
      state.tables[load.schema.name] = table
      state.sources[load.schema.name] = load.source
      if outcome.isDifferent, load.isRemembered {
        let images = TableRevisions(schema: table.schema, loaded: outcome.added + outcome.changed + outcome.removed)
        let id = state.remember(load.title, load.time, [images], command: load.command)
        state.replaced[id] = old
        for id in state.replaced.keys.sorted().dropLast(StoreRules.keptLoads) { state.replaced[id] = nil }
      }
      return outcome
    }
  }

  /// Where a table was loaded from.
  public func source(of table: String) async throws(Problem) -> String? { state.withLock { $0.sources[table] } }

  /// The changes made so far.
  public func history() async throws(Problem) -> [HistoryEntry] { HistoryEntry.numbered(state.withLock { $0.history }) }

  /// The loads whose tables are kept as they were before.
  public func undoableLoads() async throws(Problem) -> Set<String> { Set(state.withLock { $0.replaced.keys }) }

  /// Reverses changes, in one step.
  public func undo(_ undo: StoreUndo) async throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      var next = state
      let plan = try UndoPlan(undo, state.history, at: name)
      let images = try next.edit(plan.changes).images
      for load in plan.loads {
        let table = load.images.schema.name
        guard let old = next.replaced[load.id] else { throw plan.notKept(load.images) }
        next.replaced[load.id] = (next.tables[table], next.sources[table])
        (next.tables[table], next.sources[table]) = (old.table, old.source)
      }
      next.remember(undo.title, undo.time, images + plan.loads.map(\.images), undoes: undo.entries)
      state = next
    }
  }

  /// Takes over a history.
  public func adopt(_ history: [HistoryEntry]) async throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      guard state.history.isEmpty else { throw StoreRules.hasHistory(name) }
      state.history = history
    }
  }

  /// All is always well.
  public func check() async throws(Problem) -> [Problem] { [] }
}

struct MemoryTable: EditableTable, Sendable {
  private(set) var schema: Schema
  var rows: [StoredKey: [Value]] = [:]

  init(schema: Schema) { self.schema = schema }

  /// Adds the columns of `wider` that are not in it, which are its last.
  mutating func widen(to wider: Schema) {
    let added = Array(repeating: Value.null, count: wider.width - schema.width)
    if !added.isEmpty { (schema, rows) = (wider, rows.mapValues { $0 + added }) }
  }

  func row(_ key: StoredKey) throws(Problem) -> [Value]? { rows[key] }
  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem) { rows[key] = row }
  mutating func remove(_ key: StoredKey) throws(Problem) { rows[key] = nil }
  func keys() throws(Problem) -> [StoredKey] { Array(rows.keys) }

  /// Holds `given` and no others.
  mutating func load(_ given: [[Value]], _ schema: Schema) throws(Problem) -> TableOutcome {
    guard schema.key.isEmpty else {
      return try TableEditor.apply(TableChange(schema, upserts: given, replacesAll: true), kept: self.schema, to: &self)
        .outcome
    }
    let places = self.schema.columns.map { schema.position(of: $0.name) }
    var outcome = TableOutcome(), next: [StoredKey: [Value]] = [:]
    for (number, row) in given.enumerated() {
      let row = try StoredRow.normalised(row, schema)
      next[StoredKey([.integer(Int64(number))])] = places.map { $0.map { row[$0] } ?? .null }
    }
    let isSame = next.count == rows.count && next.allSatisfy { StoredRow.areSame(rows[$0], $1) }
    if isSame { outcome.unchanged = rows.count } else { (outcome.removed, outcome.added) = (rows.count, next.count) }
    rows = next
    return outcome
  }

  /// The rows in order of the key.
  func sorted() -> [[Value]] { rows.sorted { $0.key < $1.key }.map(\.value) }

  /// The rows as a stream of the columns that are needed.
  func stream(_ request: RowRequest) -> any RowStream {
    let wanted = schema.columns.indices.filter { request.someColumns?.contains(schema.columns[$0].name) ?? true }
    var builder = RowBatchBuilder(width: wanted.count), batches: [RowBatch] = []
    for row in sorted() {
      for column in wanted { builder.append(value: row[column]) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    if builder.count > 0 { batches.append(builder.finish()) }
    return BufferedRows(schema: schema.projected(to: wanted), batches: batches)
  }
}
