import Domain
import Rows

/// The history of a database: the table `bb_history`.
enum SQLiteHistory {
  /// Bytes of the row images of an entry at most. Of a change that needs more the rows are kept as those that a load
  /// replaces.
  static let limit = DirectoryHistory.limit
  /// Bytes of a row of `bb_history` at most, given the limit of its row images; a larger one is refused.
  private static func rowLimit(_ limit: Int) -> Int { limit + max(limit / 4, 1 << 20) }

  /// Adds the columns that entries of older programs do not have: identifier, what is undone, and what entries of one
  /// command have in common.
  static func prepare(_ connection: borrowing SQLiteConnection) throws(Problem) {
    if try hasIdentifiers(connection) { return }
    for column in ["id", "undoes", "command"] {
      try connection.execute("ALTER TABLE bb_history ADD COLUMN \(column) TEXT")
    }
  }

  /// Whether entries have identifiers; false in a database that the first release wrote and no later one has changed.
  static func hasIdentifiers(_ connection: borrowing SQLiteConnection) throws(Problem) -> Bool {
    try connection.integer("SELECT count(*) FROM pragma_table_info('bb_history') WHERE name = 'id'") > 0
  }

  /// All entries, oldest first. Those of older programs get the identifiers that follow from what they hold.
  static func entries(
    _ connection: borrowing SQLiteConnection, limit: Int, at place: String
  ) throws(Problem) -> [HistoryEntry] {
    let added = try hasIdentifiers(connection) ? "id, undoes, command" : "NULL, NULL, NULL"
    let rows = try connection.prepare("SELECT number, time, title, tables, \(added) FROM bb_history ORDER BY number")
    var entries: [HistoryEntry] = [], identifiers: [Int: String] = [:]
    connection.limit(field: rowLimit(limit))
    defer { connection.limit(field: nil) }
    while try step(rows, at: place) {
      let number = Int(rows.integer(0))
      let tables = try HistoryCodec.decoded(rows.bytes(3), at: "\(place):bb_history:\(number)")
      var entry: HistoryEntry
      if rows.isNull(4) {
        entry = LegacyHistory.entry(
          number: number, time: rows.text(1), title: rows.text(2), tables, after: entries.last?.id, identifiers)
      } else {
        entry = HistoryEntry(id: rows.text(4), time: rows.text(1), title: rows.text(2), tables: tables)
        entry.undoes = rows.isNull(5) ? [] : rows.text(5).split(at: " ").map(String.init)
        entry.command = rows.isNull(6) ? nil : rows.text(6)
      }
      identifiers[number] = entry.id
      entries.append(entry)
    }
    return HistoryEntry.numbered(entries)
  }

  private static func step(_ rows: borrowing SQLiteStatement, at place: String) throws(Problem) -> Bool {
    do throws(Problem) { return try rows.step() } catch {
      var problem = error
      problem.place = place + ":bb_history"
      if problem.kind == .badData { problem.hint = "restore a backup" }
      throw problem
    }
  }

  /// Adds an entry; one without an identifier gets a new one.
  /// - Parameter limit: bytes of row images that the entry may have.
  /// - Returns: the number of its row.
  @discardableResult
  static func remember(
    _ entry: HistoryEntry, limit: Int = limit, _ connection: borrowing SQLiteConnection, at place: String
  ) throws(Problem) -> Int64 {
    var tables = HistoryCodec.encoded(entry.tables)
    if tables.count > limit {
      tables = HistoryCodec.encoded(try SQLiteReplacedRows.keep(entry.tables, connection, at: place))
    }
    var id = entry.id
    if id.isEmpty {
      id = HistoryIdentifier.make(time: entry.time, after: try last(connection, limit: limit, at: place))
    }
    let insert = try connection.prepare(
      "INSERT INTO bb_history(time, title, tables, id, undoes, command) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    try insert.bind(1, text: entry.time)
    try insert.bind(2, text: entry.title)
    try insert.bind(3, text: tables)
    try insert.bind(4, text: id)
    if entry.undoes.isEmpty {
      try insert.bindNull(5)
    } else {
      try insert.bind(5, text: entry.undoes.joined(separator: " "))
    }
    if let command = entry.command { try insert.bind(6, text: command) } else { try insert.bindNull(6) }
    try insert.run()
    return try connection.integer("SELECT last_insert_rowid()")
  }

  /// The identifier of the last entry; nil when there is none.
  private static func last(
    _ connection: borrowing SQLiteConnection, limit: Int, at place: String
  ) throws(Problem) -> String? {
    connection.limit(field: rowLimit(limit))
    defer { connection.limit(field: nil) }
    let rows = try connection.prepare("SELECT id FROM bb_history ORDER BY number DESC LIMIT 1")
    guard try step(rows, at: place) else { return nil }
    return rows.isNull(0) ? try entries(connection, limit: limit, at: place).last?.id : rows.text(0)
  }
}
