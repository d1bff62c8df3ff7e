import Codecs
import Domain
import Files
import Glibc
import Query
import Rows

/// A schema of a PostgreSQL database: a table for each dataset, what their columns mean, and the history of changes.
///
/// The schema is made at the first change. A change is one transaction; changes of several programs follow each other.
/// Nothing depends on the session, so that a pooler may give each transaction another one.
actor PostgresStore: RecordStore {
  private let queue = QueueExecutor("bb.postgres.store")
  /// The store's own queue: its calls wait for the server.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  /// The location, without secrets.
  public nonisolated let name: String
  /// All but text with U+0000, and names of more than 63 bytes.
  public nonisolated let capabilities: StoreCapabilities = [.durable, .crashSafe, .shared]
  let location: PostgresLocation
  let format: PostgresFormat
  /// The connection of the last call, for the next one.
  private var idle: PostgresConnection?

  /// Creates a store. Nothing is opened yet.
  init(_ location: PostgresLocation) { self.init(location, schema: location.schema) }

  init(_ location: PostgresLocation, schema: String?) {
    self.location = location
    format = PostgresFormat(schema: schema ?? PostgresFormat.usualSchema)
    name = location.name
  }

  // MARK: Connections

  func connection(_ purpose: PostgresConnection.Purpose) throws(Problem) -> PostgresConnection {
    if let idle {
      self.idle = nil
      // The server may have closed it since.
      do throws(Problem) {
        try idle.begin(purpose)
        return idle
      } catch {
        if idle.isConnected { throw error }
      }
    }
    let connection = try PostgresConnection.open(location)
    try connection.begin(purpose)
    return connection
  }

  /// Keeps a connection whose transaction has ended for the next call.
  func keep(_ connection: PostgresConnection) {
    if connection.isConnected, connection.isIdle { idle = connection }
  }

  /// Reads in one transaction.
  /// - Parameter otherwise: the result if there is no store.
  private func reading<Result>(
    otherwise: Result, _ body: (PostgresConnection) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let connection = try connection(.reading)
    let result = try format.isStore(connection) ? try body(connection) : otherwise
    try connection.execute("COMMIT")
    keep(connection)
    return result
  }

  static func exists(at location: PostgresLocation) throws(Problem) -> Bool {
    let connection = try PostgresConnection.open(location)
    try connection.begin(.reading)
    return try PostgresFormat(schema: location.schema ?? PostgresFormat.usualSchema).isStore(connection)
  }

  // MARK: Reading

  /// Every table, in order of name; none when there is no store.
  public func tables() throws(Problem) -> [Schema] {
    try reading(otherwise: []) { (connection) throws(Problem) in
      try format.schemas(connection).values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }

  /// The rows of a table, as they are now.
  /// - Throws: `noInput` for a missing table.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    let connection = try connection(.reading)
    guard try format.isStore(connection) else { throw StoreRules.noStorage(name) }
    let schemas = try format.schemas(connection)
    guard let schema = schemas[table] else {
      throw Problem(
        .noInput, "table not found: “\(table)”", at: name,
        hint: .choose(table, from: schemas.keys.sorted(), "available tables"))
    }
    var positions = schema.columns.indices.filter { request.columns?.contains(schema.columns[$0].name) ?? true }
    if positions.isEmpty { positions = Array(schema.columns.indices) }
    let filter = SQLFilter(request.selection, onServer: schema.columns.map { SQLFilter.Column($0.name, $0.type) })
    let columns = positions.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")
    let query =
      "SELECT \(columns) FROM \(format.table(table))\(filter.whereClause) \(PostgresFormat.order(schema))"
      + filter.limitClause
    let decoding = PostgresDecoding(
      forms: positions.map { PostgresFormat.decoding(schema.columns[$0].type) },
      schema: schema.projected(to: positions), place: "\(name): \(table)")
    return try await PostgresRows(connection, query, decoding) { [weak self] in await self?.keep($0) }
  }

  /// Where a table was loaded from.
  public func source(of table: String) throws(Problem) -> String? {
    try reading(otherwise: nil) { (connection) throws(Problem) in try format.value("source:" + table, connection) }
  }

  /// The changes made so far, oldest first.
  public func history() throws(Problem) -> [HistoryEntry] {
    try reading(otherwise: []) { (connection) throws(Problem) in try log(connection).entries() }
  }

  /// The loads of which what they replaced is kept.
  public func undoableLoads() throws(Problem) -> Set<String> {
    try reading(otherwise: []) { (connection) throws(Problem) in try log(connection).undoable() }
  }

  private func log(_ connection: PostgresConnection) -> PostgresHistory {
    PostgresHistory(format: format, connection: connection, place: name)
  }

  // MARK: Changing

  /// Makes a change, in one transaction.
  @discardableResult
  public func apply(_ change: StoreChange) throws(Problem) -> [TableOutcome] {
    try changing { (connection) throws(Problem) in
      let (outcomes, images) = try edit(change.tables, connection)
      guard try change.accepts(outcomes) else { return (outcomes, false) }
      if images.concernRecords {
        try log(connection).remember(
          HistoryEntry(id: "", time: change.time, title: change.title, tables: images, command: change.command))
      }
      return (outcomes, true)
    }
  }

  /// Edits tables, within a transaction.
  private func edit(
    _ changes: [TableChange], _ connection: PostgresConnection
  ) throws(Problem) -> (outcomes: [TableOutcome], images: [TableRevisions]) {
    var schemas = try format.schemas(connection)
    try TableEditor.check(changes) { (name) throws(Problem) in schemas[name] }
    var outcomes: [TableOutcome] = [], images: [TableRevisions] = []
    for table in changes {
      let known = schemas[table.schema.name]
      if known == nil {
        try make(table.schema, among: schemas, connection)
        schemas[table.schema.name] = table.schema
      }
      let kept = TableEditor.kept(known, table.schema)
      if let known { try format.widen(known, to: kept, connection) { schemas[$0] != nil } }
      var editing = try PostgresEditing(table, kept: kept, in: format, connection)
      let result = try TableEditor.apply(table, kept: kept, to: &editing)
      try editing.flush()
      outcomes.append(result.outcome)
      if !result.images.rows.isEmpty { images.append(result.images) }
    }
    return (outcomes, images)
  }

  /// Makes an empty table.
  private func make(
    _ schema: Schema, among known: [String: Schema], _ connection: PostgresConnection
  ) throws(Problem) {
    try StoreRules.checkNotReserved(schema.name, at: name)
    try PostgresFormat.check(schema)
    try connection.execute(format.create(schema) { known[$0] != nil })
    try format.describe(schema, connection)
  }

  /// Replaces the rows of a table with those of a stream, in one transaction.
  ///
  /// Over a table that is there, others may write until all rows have come.
  @discardableResult
  public func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    let table = load.schema.name
    let connection = try creating()
    var schemas = try format.schemas(connection)
    try check(load, schemas, connection)
    if schemas[table] == nil {
      try lock(connection)
      schemas = try format.schemas(connection)
      try check(load, schemas, connection)
    }
    let known = schemas[table]
    if known == nil { try make(load.schema, among: schemas, connection) }
    let loading = PostgresLoading(load.schema, over: known, in: format, connection)
    let count = try await loading.copy(load.rows)
    if known != nil {
      try lock(connection)
      // Others may have changed it since.
      let now = try format.schemas(connection)
      guard now[table] == known else {
        throw Problem(.busy, "\(table) was changed by another process", at: name, hint: "run the command again")
      }
      try check(load, now, connection)
    }
    let outcome = try loading.outcome(of: count)
    guard try load.accepts(outcome) else {
      try connection.execute("ROLLBACK")
      keep(connection)
      return outcome
    }
    let log = log(connection), isRemembered = outcome.isDifferent && load.isRemembered
    if isRemembered {
      let source = try format.value("source:" + table, connection)
      try log.keep(try log.nextNumber(), known, load, outcome, source: source, differs: loading.differs)
    }
    try loading.finish()
    if let source = load.source { try format.set("source:" + table, to: source, connection) }
    if isRemembered {
      let images = TableRevisions(
        schema: known ?? load.schema, loaded: outcome.added + outcome.changed + outcome.removed)
      try log.remember(
        HistoryEntry(id: "", time: load.time, title: load.title, tables: [images], command: load.command))
    }
    try commit(connection)
    keep(connection)
    return outcome
  }

  private func creating() throws(Problem) -> PostgresConnection {
    let connection = try connection(.writing)
    if try format.isStore(connection) { return connection }
    try connection.execute("ROLLBACK")
    keep(connection)
    // Two programs that create a store wait for each other only until it is there.
    try changing { _ in ((), true) }
    return try self.connection(.writing)
  }

  private func check(
    _ load: TableLoad, _ schemas: [String: Schema], _ connection: PostgresConnection
  ) throws(Problem) {
    let table = load.schema.name
    try StoreRules.check(table, among: schemas.keys, at: name)
    try StoreRules.check(load, known: schemas[table], from: try format.value("source:" + table, connection))
  }

  /// Takes over a history.
  public func adopt(_ history: [HistoryEntry]) throws(Problem) {
    try changing { (connection) throws(Problem) in
      guard try connection.integer("SELECT count(*) FROM \(format.history)") == 0 else {
        throw StoreRules.hasHistory(name)
      }
      for entry in history { try log(connection).remember(entry) }
      return ((), true)
    }
  }

  /// The rows that a load replaced, or that its undo did.
  public func replaced(by load: String, _ images: TableRevisions) async throws(Problem) -> ReplacedTable? {
    let connection = try connection(.reading), log = log(connection), table = images.schema.name
    var found: (number: Int64, kept: ReplacedLoad)?
    if try format.isStore(connection), let number = try log.number(of: load),
      let kept = try log.load(number, of: table)
    {
      found = (number, kept)
    }
    guard let (number, kept) = found, !kept.isNew else {
      try connection.execute("COMMIT")
      keep(connection)
      return found == nil ? nil : .missing(table, load: load)
    }
    let (schema, isWhole) = kept.content(images.schema)
    let given = isWhole ? schema : ReplacedTable.differences(schema)
    let decoding = PostgresDecoding(
      forms: given.columns.map { PostgresFormat.decoding($0.type) }, schema: given, place: "\(name): \(table)")
    let rows = try await PostgresRows(connection, log.query(number, schema, isWhole: isWhole), decoding) {
      [weak self] in await self?.keep($0)
    }
    return ReplacedTable(
      load: load, name: table, schema: schema, source: kept.source, isWhole: isWhole, rows: rows)
  }

  /// Takes over what another store kept.
  public func keep(_ table: ReplacedTable) async throws(Problem) {
    let connection = try creating(), log = log(connection)
    guard let number = try log.number(of: table.load) else {
      try connection.execute("ROLLBACK")
      return keep(connection)
    }
    let isThere = try format.schemas(connection)[table.name] != nil
    var rows = 0
    if let schema = table.schema { rows = try await log.fill(number, schema, table) }
    try log.note(ReplacedLoad(table, isThere: isThere, rows: rows), number)
    try commit(connection)
    keep(connection)
  }

  /// Reverses changes, in one transaction.
  public func undo(_ undo: StoreUndo) throws(Problem) {
    try changing { (connection) throws(Problem) in
      let log = log(connection)
      let plan = try UndoPlan(undo, try log.entries(), at: name)
      let images = try edit(plan.changes, connection).images
      for load in plan.loads {
        let table = load.images.schema.name
        guard let number = try log.number(of: load.id), let kept = try log.load(number, of: table) else {
          throw plan.notKept(load.images)
        }
        let schemas = try format.schemas(connection), known = schemas[table]
        let schema = try kept.schema(known, load.images, at: name)
        if known == nil { try make(schema, among: schemas, connection) }
        try log.restore(number, kept, schema, isThere: known != nil) { schemas[$0] != nil }
      }
      try log.remember(
        HistoryEntry(
          id: "", time: undo.time, title: undo.title, tables: images + plan.loads.map(\.images), undoes: undo.entries))
      return ((), true)
    }
  }

  // MARK: Checking

  /// Compares the tables with what is written down about them, and reads them and the history to the end.
  public func check() async throws(Problem) -> [Problem] {
    var (found, sound) = try checkStructure()
    for table in sound {
      do throws(Problem) {
        _ = try await rows(of: table, RowRequest()).validate()
      } catch {
        guard error.kind == .badData else { throw error }
        found.append(error)
      }
    }
    return found
  }

  /// The problems of the catalogue, and the tables that can be read.
  private func checkStructure() throws(Problem) -> (found: [Problem], sound: [String]) {
    try reading(otherwise: ([], [])) { (connection) throws(Problem) in
      var found: [Problem] = [], sound: [String] = []
      do throws(Problem) { _ = try log(connection).entries() } catch {
        guard error.kind == .badData else { throw error }
        found.append(error)
      }
      for (dataset, schema) in try format.schemas(connection).sorted(by: { $0.key < $1.key }) {
        let table = try PostgresTable.find(PostgresName(format.schema, dataset), connection)
        let columns = Set((table?.columns ?? []).map { Array($0.name.utf8) })
        if columns.isSuperset(of: schema.columns.map { Array($0.name.utf8) }) {
          sound.append(dataset)
        } else {
          found.append(
            Problem(.badData, "the table “\(dataset)” is missing columns listed in bb_columns", at: name))
        }
      }
      return (found, sound)
    }
  }

  // MARK: Replacing

  /// Gives the schema another name; fails if there is one of that name.
  func rename(to schema: String) throws(Problem) {
    let connection = try connection(.writing)
    try connection.execute("ALTER SCHEMA \(format.schema.quotedForSQL) RENAME TO \(schema.quotedForSQL); COMMIT")
    keep(connection)
  }

  /// Removes the schema if it is a store.
  func removeAll() throws(Problem) {
    let connection = try connection(.writing)
    if try format.isStore(connection) {
      try connection.execute("DROP SCHEMA \(format.schema.quotedForSQL) CASCADE")
    }
    try connection.execute("COMMIT")
    keep(connection)
  }
}
