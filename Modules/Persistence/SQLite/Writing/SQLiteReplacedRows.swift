import Codecs
public import Domain
public import Rows

/// Rows that a load replaced, in tables of their own, `bb_replaced_N`, where `N` is the row of the history: what undo
/// of a load puts back, and after it what redo puts back.
///
/// `kind` is 0 for rows as they were, 1 for keys of rows that the load added.
enum SQLiteReplacedRows {
  private static func table(_ number: Int64) -> String { ReplacedLoad.table(number) }

  /// The number that the next entry of the history gets.
  static func nextNumber(_ connection: borrowing SQLiteConnection) throws(Problem) -> Int64 {
    try connection.integer("SELECT coalesce(max(number), 0) + 1 FROM bb_history")
  }

  private static func create(
    _ number: Int64, _ schema: Schema, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let places = schema.columns.indices.map { "c\($0)" }
    try connection.execute("CREATE TABLE \(table(number))(kind DEFAULT 0, \(places.joined(separator: ", ")))")
  }

  /// Keeps the rows that a load will replace, while its rows are still in the second table.
  /// - Parameters:
  ///   - known: the table as it is; nil for a new one.
  ///   - differs: when a row `a` of the table and a row `b` of the load with its key differ, in SQL.
  static func keep(
    _ number: Int64, _ known: Schema?, _ load: TableLoad, _ outcome: TableOutcome, source: String?, differs: String,
    _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let count = outcome.added + outcome.changed + outcome.removed
    var kept = ReplacedLoad(isNew: known == nil, source: source)
    if let known {
      guard count <= ReplacedLoad.keptRows else { return }
      kept.rows = count
      try create(number, known, connection)
      for statement in TableReplacementSQL(sqlite: known).keep(in: table(number), differs: differs) {
        try connection.execute(statement)
      }
    }
    try remember(kept, number, connection)
  }

  /// Keeps the rows of a change that are too many for an entry of the history, which is the next one.
  /// - Returns: the images for the entry, without rows.
  /// - Throws: `badData` if the change is one of several tables.
  static func keep(
    _ images: [TableRevisions], _ connection: borrowing SQLiteConnection, at place: String
  ) throws(Problem) -> [TableRevisions] {
    guard images.count == 1, let table = images.first else {
      throw Problem(
        .badData, "the change is too large for the history", at: place, hint: "change one table at a time")
    }
    let number = try nextNumber(connection), schema = table.schema
    try create(number, schema, connection)
    let values = schema.columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    let insert = try connection.prepare("INSERT INTO \(Self.table(number)) VALUES(?1, \(values))")
    for row in table.rows {
      try insert.bind(1, integer: row.before == nil ? 1 : 0)
      for (position, value) in (row.before ?? row.after ?? []).enumerated() {
        let isKey = schema.key.contains(position)
        if row.before == nil, !isKey {
          try insert.bindNull(position + 2)
        } else {
          try insert.bind(position + 2, value, typedAs: isKey ? nil : schema.columns[position].type)
        }
      }
      try insert.run()
    }
    let source = try SQLiteFormat.source(of: schema.name, connection)
    try remember(ReplacedLoad(source: source, rows: table.rows.count), number, connection)
    return [TableRevisions(schema: schema, loaded: table.rows.count + table.loaded)]
  }

  static func remember(
    _ kept: ReplacedLoad, _ number: Int64, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO bb_meta VALUES(?1, ?2)")
    try insert.bind(1, text: ReplacedLoad.name(number))
    try insert.bind(2, text: kept.json)
    try insert.run()
    try trim(connection)
  }

  /// The kept rows of a load; nil if there are none.
  /// - Parameter table: the table of the load.
  static func load(
    _ number: Int64, of table: String = "", _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> ReplacedLoad? {
    let rows = try connection.prepare("SELECT value FROM bb_meta WHERE name = ?1")
    try rows.bind(1, text: ReplacedLoad.name(number))
    return try rows.step() ? ReplacedLoad(rows.bytes(0), of: table) : nil
  }

  /// The numbers of the loads of which something is kept, the latest first.
  static func numbers(_ connection: borrowing SQLiteConnection) throws(Problem) -> [Int64] {
    let rows = try connection.prepare(
      "SELECT CAST(substr(name, 10) AS INTEGER) FROM bb_meta WHERE name GLOB 'replaced:*' ORDER BY 1 DESC")
    var numbers: [Int64] = []
    while try rows.step() { numbers.append(rows.integer(0)) }
    return numbers
  }

  /// The number of an entry; nil if there is none.
  static func number(of id: String, _ connection: borrowing SQLiteConnection) throws(Problem) -> Int64? {
    let find = try connection.prepare("SELECT number FROM bb_history WHERE id = ?1")
    try find.bind(1, text: id)
    return try find.step() ? find.integer(0) : nil
  }

  /// The kept rows of a table of `schema`, as a table.
  static func kept(_ number: Int64, _ schema: Schema) -> SQLiteTable {
    let columns = ReplacedTable.differences(schema).columns.enumerated().map { position, column in
      SQLiteTable.Column(
        name: position == 0 ? "kind" : "c\(position - 1)", declared: "", keyPosition: 0, type: column.type,
        description: column)
    }
    return SQLiteTable(name: table(number), isOwn: true, hasRowID: true, isStrict: false, columns: columns)
  }

  /// Keeps rows that another store kept.
  /// - Returns: how many there are.
  static func fill(
    _ number: Int64, _ schema: Schema, _ given: ReplacedTable, _ connection: borrowing SQLiteConnection
  ) async throws(Problem) -> Int {
    try create(number, schema, connection)
    let places = kept(number, schema).columns.dropFirst(given.isWhole ? 1 : 0).map { column in
      ColumnDescription(column.name, column.type ?? .json)
    }
    let into = Schema("", key: schema.key.map { "c\($0)" }, columns: places)
    let insertion = try SQLiteInsertion(into, into: table(number), connection)
    var count = 0
    while let batch = try await given.rows.next()?.batch() {
      try insertion.insert(batch)
      count += batch.count
    }
    return count
  }

  /// Makes a table what it was before a load, or until the load was undone, and keeps what it takes to reverse that.
  /// - Parameter isThere: whether the table existed.
  static func restore(
    _ number: Int64, _ load: ReplacedLoad, _ schema: Schema, isThere: Bool, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let sql = TableReplacementSQL(sqlite: schema)
    let index = SQLiteSearchIndex(schema)
    if load.isNew { try index?.remove(connection) }
    if !load.isNew {
      try connection.execute("CREATE TABLE \(sql.dialect.before) AS SELECT * FROM \(table(number)) ORDER BY rowid")
    }
    try forget(number, connection)
    let isWhole = load.isWhole || schema.key.isEmpty
    var opposite = ReplacedLoad(isNew: !isThere, isWhole: load.isWhole)
    if isThere {
      opposite.source = try SQLiteFormat.source(of: schema.name, connection)
      if load.isNew { opposite.removed = schema }
      try create(number, schema, connection)
      for statement in sql.keepCurrent(in: table(number), isWhole: isWhole || load.isNew) {
        try connection.execute(statement)
      }
      opposite.rows = Int(try connection.integer("SELECT count(*) FROM \(table(number))"))
    }
    if load.isNew {
      try connection.execute("DROP TABLE \(sql.table)")
      try run("DELETE FROM bb_columns WHERE dataset = ?1", schema.name, connection)
      let roles = "substr(name, 1, length(?1) + 6) = 'role:' || ?1 || ':'"
      try run("DELETE FROM bb_meta WHERE \(roles)", schema.name, connection)
    } else {
      for statement in sql.restore(isWhole: isWhole) { try connection.execute(statement) }
      if let index, try index.exists(connection) { try index.update(connection) }
    }
    try run("DELETE FROM bb_meta WHERE name = ?1", "source:" + schema.name, connection)
    try SQLiteFormat.remember(source: load.isNew ? nil : load.source, of: schema.name, connection)
    try remember(opposite, number, connection)
  }

  /// Removes what is kept of a load.
  private static func forget(_ number: Int64, _ connection: borrowing SQLiteConnection) throws(Problem) {
    try connection.execute("DROP TABLE IF EXISTS \(table(number))")
    try run("DELETE FROM bb_meta WHERE name = ?1", ReplacedLoad.name(number), connection)
  }

  private static func trim(_ connection: borrowing SQLiteConnection) throws(Problem) {
    var count = 0
    for (place, number) in try numbers(connection).enumerated() {
      count += try load(number, connection)?.rows ?? 0
      if place >= StoreRules.keptLoads || count > ReplacedLoad.keptRows { try forget(number, connection) }
    }
  }

  private static func run(
    _ statement: String, _ text: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let prepared = try connection.prepare(statement)
    try prepared.bind(1, text: text)
    try prepared.run()
  }
}

extension TableReplacementSQL.Dialect {
  static let sqlite = Self(
    loaded: "temp.bb_loaded", before: "temp.bb_before", kind: "kind", keptOrder: "rowid", join: "CROSS JOIN")
}

extension TableReplacementSQL {
  /// The statements for a table of SQLite.
  init(sqlite schema: Schema) {
    self.init(dialect: .sqlite, schema: schema, table: schema.name.quotedForSQL, order: "rowid")
  }
}

extension SQLiteStore {
  /// The loads of which what they replaced is kept.
  public func undoableLoads() throws(Problem) -> Set<String> {
    guard let connection = try reading(), try SQLiteFormat.owner(connection) == .bb,
      try SQLiteHistory.hasIdentifiers(connection)
    else { return [] }
    let kept = Set(try SQLiteReplacedRows.numbers(connection))
    let rows = try connection.prepare("SELECT number, id FROM bb_history WHERE id IS NOT NULL")
    var identifiers: Set<String> = []
    while !kept.isEmpty, try rows.step() { if kept.contains(rows.integer(0)) { identifiers.insert(rows.text(1)) } }
    return identifiers
  }

  /// The rows that a load replaced, or that its undo did.
  public func replaced(by load: String, _ images: TableRevisions) async throws(Problem) -> ReplacedTable? {
    guard let connection = try reading(), try SQLiteHistory.hasIdentifiers(connection) else { return nil }
    let table = images.schema.name
    guard let number = try SQLiteReplacedRows.number(of: load, connection),
      let kept = try SQLiteReplacedRows.load(number, of: table, connection)
    else { return nil }
    if kept.isNew { return .missing(table, load: load) }
    let (schema, isWhole) = kept.content(images.schema)
    let rows = try await SQLiteRows.open(
      database, connection, SQLiteReplacedRows.kept(number, schema),
      Array((isWhole ? 1 : 0)...schema.width), SQLFilter(), named: table)
    return ReplacedTable(
      load: load, name: table, schema: schema, source: kept.source, isWhole: isWhole, rows: rows)
  }

  /// Takes over what another store kept.
  public func keep(_ table: ReplacedTable) async throws(Problem) {
    let connection = try begin()
    guard let number = try SQLiteReplacedRows.number(of: table.load, connection) else { return }
    let isThere = try SQLiteFormat.schemas(connection)[table.name] != nil
    var rows = 0
    if let schema = table.schema { rows = try await SQLiteReplacedRows.fill(number, schema, table, connection) }
    try SQLiteReplacedRows.remember(ReplacedLoad(table, isThere: isThere, rows: rows), number, connection)
    try connection.execute("COMMIT")
  }

  /// Reverses changes, in one transaction.
  public func undo(_ undo: StoreUndo) throws(Problem) {
    let connection = try begin()
    let plan = try UndoPlan(undo, try SQLiteHistory.entries(connection, limit: historyLimit, at: name), at: name)
    let images = try edit(plan.changes, connection).images
    for load in plan.loads {
      let table = load.images.schema.name
      guard let number = try SQLiteReplacedRows.number(of: load.id, connection),
        let kept = try SQLiteReplacedRows.load(number, of: table, connection)
      else { throw plan.notKept(load.images) }
      let known = try SQLiteFormat.schemas(connection, withExtras: true)[table]
      let schema = try kept.schema(known, load.images, at: name)
      if known == nil { try make(schema, connection) }
      try SQLiteReplacedRows.restore(number, kept, schema, isThere: known != nil, connection)
    }
    let entry = HistoryEntry(
      id: "", time: undo.time, title: undo.title, tables: images + plan.loads.map(\.images), undoes: undo.entries)
    try SQLiteHistory.remember(entry, limit: historyLimit, connection, at: name)
    try connection.execute("COMMIT")
  }

  /// Edits tables, within a transaction.
  func edit(
    _ changes: [TableChange], _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> (outcomes: [TableOutcome], images: [TableRevisions]) {
    let schemas = try SQLiteFormat.schemas(connection, withExtras: true)
    try TableEditor.check(changes) { (name) throws(Problem) in schemas[name] }
    var outcomes: [TableOutcome] = [], images: [TableRevisions] = []
    for table in changes {
      let known = schemas[table.schema.name]
      if known == nil { try make(table.schema, connection) }
      let kept = TableEditor.kept(known, table.schema)
      if let known { try SQLiteFormat.widen(known, to: kept, connection) }
      let index = SQLiteSearchIndex(kept)
      if known == nil { try index?.makeIfPossible(connection) }
      var editing = try SQLiteEditing.prepare(kept, connection)
      let result = try TableEditor.apply(table, kept: kept, to: &editing)
      outcomes.append(result.outcome)
      if result.images.rows.isEmpty { continue }
      images.append(result.images)
      if let index, try index.exists(connection) { try index.update(connection) }
    }
    return (outcomes, images)
  }
}
