import CSQLite
import Codecs
import Files
import Glibc
import Query
import Rows

struct SQLiteDatabase: Sendable {
  let path: String
  /// The place that the file was fetched from; nil for a file of the user.
  var place: String?
  var name: String { place ?? path }
  /// Resources that the database may use if bb did not create it.
  var limits = SQLiteLimits()
  /// Whether its views add exactly, and then whether strictly; see `registerExactSums`.
  var exactSums: Bool?
  /// Whether it holds a statement of the user, which may call all functions: bb made it for the statement.
  var isQuery = false
  /// Whether its timestamps are compared as times; see `registerTimeOrder`.
  var hasTimeOrder = false

  /// A connection for reading, which modifies no file.
  ///
  /// If the last transaction was interrupted, SQLite rolls it back in a private copy.
  /// - Throws: `badData` for a journal that names another file.
  func open() throws(Problem) -> SQLiteConnection {
    let connection: SQLiteConnection
    do throws(Problem) {
      connection = try looked(into: try SQLiteConnection.open(path: path, .reading, as: name))
    } catch {
      guard error.kind == .permission, error.message == SQLiteProblem.interrupted else { throw error }
      connection = try rolledBack()
    }
    if let exactSums { try connection.registerExactSums(isStrict: exactSums) }
    if hasTimeOrder { try connection.registerTimeOrder() }
    if isQuery { try connection.trustSchema() }
    if try connection.integer("PRAGMA application_id") == SQLiteFormat.applicationID { return connection }
    connection.limit(field: limits.field)
    sqlite3_hard_heap_limit64(Int64(limits.heap))
    return connection
  }

  func open(_ table: SQLiteTable) throws(Problem) -> SQLiteConnection {
    let connection = try open()
    limit(connection, to: table)
    return connection
  }

  /// Any file can claim to be bb's: what it computes has limits all the same.
  private func limit(_ connection: borrowing SQLiteConnection, to table: SQLiteTable) {
    if table.isOwn, !table.isComputed { return }
    connection.limit(field: limits.field)
    sqlite3_hard_heap_limit64(Int64(limits.heap))
    if table.isComputed { connection.watch.limit(seconds: limits.seconds) }
  }

  /// A connection to a private copy in which the interrupted transaction is rolled back. The copy has no name any
  /// more, and goes with the connection.
  private func rolledBack() throws(Problem) -> SQLiteConnection {
    let copy = try SQLiteCopy()
    defer { copy.remove() }
    try copy.fill(from: path)
    _ = try looked(into: try SQLiteConnection.open(path: copy.path, .writing, as: name))
    return try looked(into: try SQLiteConnection.open(path: copy.path, .reading, as: name))
  }

  /// A connection after its first look into the file, which tells whether it can be read.
  private func looked(into connection: consuming SQLiteConnection) throws(Problem) -> SQLiteConnection {
    try connection.execute("SELECT count(*) FROM sqlite_schema")
    return connection
  }

  /// Whether a second connection is worth its opening.
  var isLarge: Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_size >= 4 << 20
  }

  /// Moves the contents of the write-ahead log into the file, so that it is complete under another name as well.
  ///
  /// SQLite does this when the last connection closes, and does not report a failure. A path without a log is
  /// unchanged.
  /// - Throws: `io` if the disk is full or fails.
  func settle() throws(Problem) {
    let log = path + "-wal"
    guard try FileStamp.now(at: log) != nil else { return }
    do {
      let connection = try SQLiteConnection.open(path: path, .writing)
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    if let left = try FileStamp.now(at: log), left.size > 0 {
      throw Problem(.io, "cannot checkpoint the write-ahead log", at: path, hint: "run the command again")
    }
  }

  func tables() throws(Problem) -> [SQLiteTable] {
    let connection = try open()
    return try SQLiteTable.all(connection)
  }

  private func table(_ name: String, _ connection: borrowing SQLiteConnection) throws(Problem) -> SQLiteTable {
    if let table = try SQLiteTable.unchanged(name, connection) { return table }
    let names = try SQLiteTable.names(connection)
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }),
      let table = try SQLiteTable.all(connection).first(where: { $0.name.utf8.elementsEqual(name.utf8) })
    else {
      throw Problem(
        .noInput, "table not found: “\(name)”", at: self.name, hint: .choose(name, from: names, "available tables"))
    }
    if let fault = table.fault { throw fault }
    return table
  }

  /// Reads a table to the end.
  /// - Throws: `badData` for the first value that does not fit its column.
  func readAll(_ table: String) async throws(Problem) {
    _ = try await rows(of: table, as: nil, [:], RowRequest()).validate()
  }

  /// The rows of a table or view.
  ///
  /// - Parameters:
  ///   - alias: what the rows are called; nil for the table's name.
  ///   - types: types of columns that are not to be inferred, by name.
  ///   - index: a search index of the table that is up to date.
  /// - Throws: `noInput` for a missing table, `usage` for an unknown column in `types`.
  func rows(
    of name: String, as alias: String?, _ types: ColumnTypes, _ request: RowRequest,
    _ index: SQLiteSearchIndex? = nil
  ) async throws(Problem) -> any RowStream {
    try await rows(of: name, as: alias, types, request, index, shard: nil)
      ?? BufferedRows(schema: Schema(name, columns: []), batches: [])
  }

  /// The same, or the rows in a part of the row ids; nil for a view, a table without them, and one with a column of
  /// JSON, whose values are of any type.
  func rows(
    of name: String, as alias: String?, _ types: ColumnTypes, _ request: RowRequest,
    _ index: SQLiteSearchIndex? = nil, shard: Shard?
  ) async throws(Problem) -> (any RowStream)? {
    let connection = try open()
    var table = try self.table(name, connection)
    for column in types.names {
      guard let position = table.columns.firstIndex(where: { $0.name.utf8.elementsEqual(column.utf8) }) else {
        let near =
          Remedy.choose(column, from: table.columns.map(\.name))
        throw Problem(.usage, "“\(name)” has no column “\(column)”", hint: near)
      }
      // The definition of one of our tables tells the same type, and how its values are written.
      if let hint = table.columns[position].hint, hint == types[column] { continue }
      table.columns[position].type = types[column]
    }
    var wanted = table.columns.indices.filter { request.someColumns?.contains(table.columns[$0].name) ?? true }
    limit(connection, to: table)
    // SQL cannot select nothing.
    if wanted.isEmpty { wanted = Array(table.columns.indices) }
    var filter = SQLFilter(request.selection, on: table, index)
    if let shard {
      guard !table.isComputed, let rowID = table.rowIDName else { return nil }
      let whole = try await SQLiteRows.open(self, try open(), table, wanted, SQLFilter(), named: alias ?? name)
      guard let settled = whole.settled else { return nil }
      let ends = try connection.prepare("SELECT min(\(rowID)), max(\(rowID)) FROM \(table.name.quotedForSQL)")
      if try ends.step(), !ends.isNull(0) {
        filter.restrict(to: shard.condition(on: rowID, from: ends.integer(0), to: ends.integer(1)))
      }
      ends.reset()
      return try await SQLiteRows.open(
        self, connection, settled, wanted, filter, named: alias ?? name, isPart: true)
    }
    return try await SQLiteRows.open(
      self, connection, table, wanted, filter, cores: request.cores, named: alias ?? name)
  }

  /// The rows of the view of an `SQLQuery`, whose columns are declared with bb's types.
  func rows(ofQuery view: String, named name: String) async throws(Problem) -> any RowStream {
    let connection = try open()
    var table = try table(view, connection)
    for index in table.columns.indices {
      table.columns[index].hint = SQLQuery.type(declaredAs: table.columns[index].declared)
    }
    connection.limit(field: limits.field)
    return try await SQLiteRows.open(
      self, connection, table, Array(table.columns.indices), SQLFilter(), named: name)
  }
}

extension Shard {
  /// The condition for the row ids of this part of those from `least` to `greatest`.
  fileprivate func condition(on rowID: String, from least: Int64, to greatest: Int64) -> String {
    let (first, last) = bounds(from: Int128(least), to: Int128(greatest))
    // In 64 bits: a range without ids has none that fit.
    return first > last ? "0" : "\(rowID) BETWEEN \(first) AND \(last)"
  }
}
