import Codecs
public import Domain
import Files
import Glibc
public import Query
public import Rows

/// One database file: a STRICT table for each dataset, what their columns mean, and the history of changes.
///
/// The file is made at the first change, for its owner alone. A change is one transaction, on the disk when `apply`
/// returns. A database that another program made is read, and never changed.
public actor SQLiteStore: RecordStore {
  /// `sqlite:FILE`.
  public nonisolated let name: String
  /// Everything.
  public nonisolated let capabilities: StoreCapabilities = [
    .durable, .crashSafe, .shared, .holdsEverything,
  ]
  private let path: String
  private let limits: SQLiteLimits
  /// Bytes of row images that an entry of the history may have.
  let historyLimit: Int
  /// Rows of a table whose words are put into an index while it is loaded, which takes ten times as long as the rows.
  private static let indexedAtOnce = 20_000

  /// Datasets whose words are indexed when they are loaded.
  private let known: [Schema]

  /// Creates a store in the file at `path`. Nothing is opened yet.
  /// - `known`: datasets whose search index is created when they are loaded.
  public init(path: String, known: [Schema] = []) { self.init(path: path, known: known, SQLiteLimits()) }

  /// The same with limits for a database that bb did not create.
  /// - Parameter historyLimit: bytes of row images that an entry of the history may have.
  init(
    path: String, known: [Schema] = [], _ limits: SQLiteLimits = SQLiteLimits(),
    historyLimit: Int = SQLiteHistory.limit
  ) {
    self.path = path
    self.known = known
    self.limits = limits
    self.historyLimit = historyLimit
    name = "sqlite:\(path)"
  }

  var database: SQLiteDatabase { SQLiteDatabase(path: path, limits: limits) }

  /// Every table and view, in order of name; none when the file is missing.
  public func tables() throws(Problem) -> [Schema] {
    guard let connection = try reading() else { return [] }
    let known = try SQLiteFormat.owner(connection) == .bb ? try SQLiteFormat.schemas(connection, withExtras: true) : [:]
    return try SQLiteTable.all(connection).map { known[$0.name] ?? $0.likelySchema }
  }

  /// Whether there is a table or view.
  public func contains(_ table: String) throws(Problem) -> Bool {
    guard let connection = try reading() else { return false }
    return try SQLiteTable.names(connection).contains(table)
  }

  /// The rows of a table or view, as they are now.
  /// - Throws: `noInput` for a missing table.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard exists else { throw StoreRules.noStorage(name) }
    let index = request.selection?.search == nil ? nil : try searchIndex(of: table)
    return try await database.rows(of: table, as: nil, [:], request, index)
  }

  /// Makes a change, in one transaction.
  @discardableResult
  public func apply(_ change: StoreChange) throws(Problem) -> [TableOutcome] {
    let connection = try begin()
    let (outcomes, images) = try edit(change.tables, connection)
    guard try change.accepts(outcomes) else { return outcomes }
    if images.concernRecords {
      let entry = HistoryEntry(
        id: "", time: change.time, title: change.title, tables: images, command: change.command)
      try SQLiteHistory.remember(entry, limit: historyLimit, connection, at: name)
    }
    try connection.execute("COMMIT")
    return outcomes
  }

  /// Replaces the rows of a table with those of a stream: in one transaction, or, if there is no file yet, in a file
  /// that appears when it is complete.
  @discardableResult
  public func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    guard try reading() == nil else { return try await self.load(load, begin()).outcome }
    try makePlace()
    let building = try SQLiteCreation(path)
    let (outcome, isDone) = try await self.load(load, try begin(building: building.temporary))
    guard isDone, try !building.publish() else { return outcome }
    // Another process has created the database since: it gets the rows as well.
    var again = load
    again.rows = try await SQLiteStore(path: building.temporary).rows(of: load.schema.name, RowRequest())
    return try await self.load(again, begin()).outcome
  }

  private func load(
    _ load: TableLoad, _ connection: consuming SQLiteConnection
  ) async throws(Problem) -> (outcome: TableOutcome, isDone: Bool) {
    let name = load.schema.name
    let schemas = try SQLiteFormat.schemas(connection, withExtras: true), known = schemas[name]
    try StoreRules.check(name, among: schemas.keys, at: self.name)
    try StoreRules.check(load, known: known, from: try SQLiteFormat.source(of: name, connection))
    if known == nil { try make(load.schema, connection) }
    let loading = SQLiteLoading(load.schema, over: known, connection)
    let outcome = try await loading.run(load.rows)
    let index = SQLiteSearchIndex(known ?? load.schema)
    if outcome.isDifferent { try index?.remove(loading.connection) }
    guard try load.accepts(outcome) else { return (outcome, false) }
    let number = try SQLiteReplacedRows.nextNumber(loading.connection)
    if outcome.isDifferent, load.isRemembered {
      let source = try SQLiteFormat.source(of: name, loading.connection)
      try SQLiteReplacedRows.keep(
        number, known, load, outcome, source: source, differs: loading.differs, loading.connection)
    }
    try loading.finish()
    // Other tables, and large ones, are indexed at the first search.
    if outcome.isDifferent, let index, self.known.contains(where: { $0.name == name }),
      outcome.added + outcome.changed + outcome.unchanged <= Self.indexedAtOnce
    {
      try index.makeIfPossible(loading.connection)
      if try index.exists(loading.connection) { try index.update(loading.connection) }
    }
    try SQLiteFormat.remember(source: load.source, of: name, loading.connection)
    if outcome.isDifferent, load.isRemembered {
      let images = TableRevisions(
        schema: known ?? load.schema, loaded: outcome.added + outcome.changed + outcome.removed)
      let entry = HistoryEntry(id: "", time: load.time, title: load.title, tables: [images], command: load.command)
      try SQLiteHistory.remember(entry, loading.connection, at: self.name)
    }
    try loading.connection.execute("COMMIT")
    return (outcome, true)
  }

  /// Where a table was loaded from.
  public func source(of table: String) throws(Problem) -> String? {
    guard let connection = try reading(), try SQLiteFormat.owner(connection) == .bb else { return nil }
    return try SQLiteFormat.source(of: table, connection)
  }

  /// The changes made so far, oldest first.
  public func history() throws(Problem) -> [HistoryEntry] {
    guard let connection = try reading(), try SQLiteFormat.owner(connection) == .bb else { return [] }
    return try SQLiteHistory.entries(connection, limit: historyLimit, at: name)
  }

  /// Takes over a history.
  public func adopt(_ history: [HistoryEntry]) throws(Problem) {
    let connection = try begin()
    let rows = try connection.prepare("SELECT count(*) FROM bb_history")
    guard try rows.step(), rows.integer(0) == 0 else { throw StoreRules.hasHistory(name) }
    for entry in history { try SQLiteHistory.remember(entry, connection, at: name) }
    try connection.execute("COMMIT")
  }

  /// Asks SQLite whether the file is sound, compares the tables with what is written down about them, and reads them
  /// and the history to the end.
  public func check() async throws(Problem) -> [Problem] {
    let (found, sound) = try checkStructure()
    var all = found
    for table in sound {
      do throws(Problem) {
        try await database.readAll(table)
      } catch {
        guard error.kind == .badData else { throw error }
        all.append(error)
      }
    }
    return all
  }

  /// The problems of the file and of its tables, and the tables that can be read.
  private func checkStructure() throws(Problem) -> (found: [Problem], sound: [String]) {
    guard let connection = try reading() else { return ([], []) }
    var found: [Problem] = [], sound: [String] = []
    let answers = try connection.prepare("PRAGMA integrity_check")
    while try answers.step() {
      if answers.text(0) == "ok" { continue }
      found.append(Problem(.badData, "the database is damaged: \(answers.text(0))", at: name))
    }
    guard try SQLiteFormat.owner(connection) == .bb else { return (found, []) }
    do throws(Problem) {
      _ = try history()
    } catch {
      guard error.kind == .badData else { throw error }
      found.append(error)
    }
    let tables = try SQLiteTable.all(connection)
    for (dataset, schema) in try SQLiteFormat.schemas(connection).sorted(by: { $0.key < $1.key }) {
      let columns = tables.first { $0.name == dataset }?.columns.map { Array($0.name.utf8) } ?? []
      if !Set(columns).isSuperset(of: schema.columns.map { Array($0.name.utf8) }) {
        found.append(Problem(.badData, "the table “\(dataset)” is missing columns listed in bb_columns", at: name))
        continue
      }
      sound.append(dataset)
      if let index = SQLiteSearchIndex(schema), try index.exists(connection), try !index.isSound(connection) {
        found.append(
          Problem(
            .badData, "the search index of “\(dataset)” is damaged", at: name, hint: "the next sync rebuilds it"
          ))
      }
    }
    return (found, sound)
  }

  /// The search index of a table; nil if there is none. A search does not create or update it, because reading
  /// changes nothing.
  private func searchIndex(of table: String) throws(Problem) -> SQLiteSearchIndex? {
    guard let connection = try reading(), try SQLiteFormat.owner(connection) == .bb,
      let schema = try SQLiteFormat.schemas(connection)[table], var index = SQLiteSearchIndex(schema),
      try index.exists(connection)
    else { return nil }
    index.isBehind = try index.isBehind(connection)
    return index
  }

  /// A connection with a write transaction on a file that bb created. Leaving early closes it, and SQLite rolls back.
  /// - Parameter building: a new private file, which is deleted after an error.
  func begin(building: String? = nil) throws(Problem) -> SQLiteConnection {
    if building == nil {
      try makePlace()
      try refuseForeign()
    }
    let connection = try SQLiteConnection.open(path: building ?? path, .writing)
    if building != nil {
      try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192; BEGIN")
    } else {
      try enableWAL(connection)
      try connection.execute("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
      try SQLiteUpgrade.prepare(connection)
      try connection.execute("BEGIN IMMEDIATE")
    }
    switch try SQLiteFormat.owner(connection) {
    case .bb: try SQLiteUpgrade.run(connection)
    case .none:
      try connection.execute(
        "PRAGMA application_id=\(SQLiteFormat.applicationID); PRAGMA user_version=\(SQLiteFormat.version);")
      try connection.execute(SQLiteFormat.ownTables)
    case .other: throw foreign
    }
    try SQLiteHistory.prepare(connection)
    return connection
  }

  private var foreign: Problem {
    Problem(.permission, "refusing to write: the database was not created by bb", at: name, hint: "use another file")
  }

  /// Refuses the database of another program before it is opened for writing, because SQLite would then complete what
  /// the program left in its journals.
  private func refuseForeign() throws(Problem) {
    let file = SQLiteJournal.resolved(path)
    guard unsafe access(file + "-journal", F_OK) == 0 || access(file + "-wal", F_OK) == 0 else { return }
    if let connection = try reading(), try SQLiteFormat.owner(connection) == .other { throw foreign }
  }

  /// Has a new file keep a log (WAL). The mode is part of the file, and cannot change within a transaction.
  ///
  /// SQLite waits for those who read or write, but not for one who changes the mode as well: it would be waiting for
  /// us.
  private func enableWAL(_ connection: borrowing SQLiteConnection) throws(Problem) {
    let end = ContinuousClock.now + .seconds(StoreRules.patience)
    while try SQLiteFormat.owner(connection) == .none {
      do throws(Problem) { return try connection.execute("PRAGMA journal_mode=WAL") } catch {
        guard error.kind == .busy, ContinuousClock.now < end else { throw error }
        usleep(10_000)
      }
    }
  }

  /// Makes the directory of a new database, on the disk when this returns.
  private func makePlace() throws(Problem) {
    if exists { return }
    try ReplacementGuard.checkPlace(ofStore: path, name: name)
    try DirectoryListing.makeStore(Temporaries.split(path).directory)
  }

  /// Makes an empty table.
  func make(_ schema: Schema, _ connection: borrowing SQLiteConnection) throws(Problem) {
    try StoreRules.checkNotReserved(schema.name, at: name)
    try SQLiteTableLimits.check(schema, in: name)
    do throws(Problem) { try schema.checkForSQL() } catch { throw error.located(at: name) }
    try connection.execute(SQLiteFormat.createTable(schema))
    try SQLiteFormat.describe(schema, connection)
  }

  /// Whether there is a file; what else goes wrong shows when it is opened.
  private var exists: Bool { unsafe access(path, F_OK) == 0 || errno != ENOENT }

  /// A connection for reading; nil when there is no file yet.
  func reading() throws(Problem) -> SQLiteConnection? {
    exists ? try database.open() : nil
  }
}
