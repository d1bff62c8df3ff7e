import Codecs
import Rows

/// Makes a store of an older format one of the current format, within the transaction of the first change.
///
/// Version 1 kept decimals as text. Their columns become ANY, and canonical literals numbers; all else, also what the
/// user added to the tables, stays.
enum SQLiteUpgrade {
  /// Prepares a connection for the upgrade, before its transaction: dropping a table must not delete rows of tables
  /// that refer to it.
  static func prepare(_ connection: borrowing SQLiteConnection) throws(Problem) {
    guard try isNeeded(connection) else { return }
    try connection.execute("PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON")
  }

  /// Upgrades the store, within a transaction; does nothing if its format is current.
  static func run(_ connection: borrowing SQLiteConnection) throws(Problem) {
    guard try isNeeded(connection) else { return }
    try connection.registerTypedNumber()
    for (_, schema) in try SQLiteFormat.schemas(connection).sorted(by: { $0.key < $1.key }) {
      let isDecimal = schema.columns.indices.map { schema.columns[$0].type == .decimal && !schema.key.contains($0) }
      if isDecimal.contains(true) { try rebuild(schema, isDecimal, connection) }
    }
    try connection.execute("PRAGMA user_version=\(SQLiteFormat.version)")
  }

  private static func isNeeded(_ connection: borrowing SQLiteConnection) throws(Problem) -> Bool {
    guard try connection.integer("PRAGMA application_id") == SQLiteFormat.applicationID else { return false }
    return try connection.integer("PRAGMA user_version") < SQLiteFormat.version
  }

  /// Copies a table into one with other types, under its name.
  private static func rebuild(
    _ schema: Schema, _ isDecimal: [Bool], _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let name = schema.name.quotedForSQL, temporary = "bb_upgraded".quotedForSQL
    let tables = try SQLiteTable.all(connection)
    guard let table = tables.first(where: { $0.name.utf8.elementsEqual(schema.name.utf8) }) else { return }
    let attached = try attachments(of: schema.name, connection)
    try connection.execute(try definition(of: table, schema, named: temporary, connection))
    let columns = table.columns.map(\.name.quotedForSQL)
    let values = table.columns.map { column in
      let isTyped = schema.position(of: column.name).map { isDecimal[$0] } ?? false
      return isTyped ? "bb_typed_number(\(column.name.quotedForSQL))" : column.name.quotedForSQL
    }
    let order = table.rowIDName.map { " ORDER BY \($0)" } ?? ""
    try connection.execute(
      """
      INSERT INTO \(temporary)(\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) FROM \(name)\(order);
      DROP TABLE \(name);
      ALTER TABLE \(temporary) RENAME TO \(name);
      """)
    for statement in attached { try connection.execute(statement) }
  }

  /// The statements of a table's indexes and triggers, which go with it when it is dropped.
  private static func attachments(
    of table: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> [String] {
    let rows = try connection.prepare(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid"
    )
    try rows.bind(1, text: table)
    var statements: [String] = []
    while try rows.step() { statements.append(rows.text(0)) }
    return statements
  }

  /// The definition of the table in the current format; columns that the user added stay as they are defined.
  private static func definition(
    of table: SQLiteTable, _ schema: Schema, named name: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> String {
    let start = "CREATE TABLE \(name)("
    let known = SQLiteFormat.columnDefinitions(schema).joined(separator: ", ")
    let before =
      "CREATE TABLE \(schema.name.quotedForSQL)("
      + SQLiteFormat.columnDefinitions(schema, version: 1).joined(separator: ", ")
    let rows = try connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")
    try rows.bind(1, text: schema.name)
    let text = try rows.step() ? rows.text(0) : ""
    if text.utf8.starts(with: before.utf8) {
      return start + known + String(decoding: text.utf8.dropFirst(before.utf8.count), as: UTF8.self)
    }
    // Redefined by a user: by its columns, in their order.
    let definitions = SQLiteFormat.columnDefinitions(schema)
    let all = table.columns.map { column in
      schema.position(of: column.name).map { definitions[$0] } ?? "\(column.name.quotedForSQL) \(column.declared)"
    }
    return start + all.joined(separator: ", ") + SQLiteFormat.rest(schema)
  }
}
