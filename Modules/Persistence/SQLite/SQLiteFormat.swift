import Codecs
import Rows

/// The layout of tables in a database.
enum SQLiteFormat {
  /// Says that a database is bb's: `bbst` in ASCII.
  static let applicationID: Int64 = 0x6262_7374
  /// The version of the format that this program writes; it reads older ones, and none that is newer. Version 2 keeps
  /// decimals as numbers.
  static let version: Int64 = 2

  static let ownTables = """
    CREATE TABLE IF NOT EXISTS bb_meta(name TEXT PRIMARY KEY, value TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS bb_columns(
      dataset TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, nullable INTEGER NOT \
      NULL,
      summary TEXT NOT NULL, unit TEXT NOT NULL, key INTEGER NOT NULL,
      extra INTEGER NOT NULL, PRIMARY KEY(dataset, position)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS bb_history(
      number INTEGER PRIMARY KEY, time TEXT NOT NULL, title TEXT NOT NULL, tables TEXT NOT NULL) STRICT;
    """

  /// Whether the database is a store of bb, empty, or of another program.
  enum Owner {
    case bb, none, other
  }

  /// Whose database it is.
  /// - Throws: `configuration` when it is bb's, of a newer format.
  static func owner(_ connection: borrowing SQLiteConnection) throws(Problem) -> Owner {
    let application = try connection.integer("PRAGMA application_id")
    guard application == applicationID else {
      let entries = try connection.integer("SELECT count(*) FROM sqlite_schema")
      return application == 0 && entries == 0 ? .none : .other
    }
    let format = try connection.integer("PRAGMA user_version")
    guard format <= version else {
      throw Problem(
        .configuration, "unsupported store format \(format); this program supports up to \(version)",
        at: connection.place, hint: "use a newer version of bb")
    }
    return .bb
  }

  /// The declared type of a column in bb's tables.
  ///
  /// Reals and decimals are ANY with a check: other types would lose the sign of zero and the spelling of literals. A
  /// decimal of a key is text, so that `1` and `1.0` are two keys, as in every store.
  static func declared(_ type: ColumnType, isKey: Bool, version: Int64 = Self.version) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    case .real: "ANY"
    case .decimal: isKey || version < 2 ? "TEXT" : "ANY"
    case .bytes: "BLOB"
    case .text, .date, .timestamp, .datetime, .url, .list, .json: "TEXT"
    }
  }

  /// The definitions of a table's columns, without those of its constraints.
  static func columnDefinitions(_ schema: Schema, version: Int64 = Self.version) -> [String] {
    schema.columns.enumerated().map { position, column in
      let name = column.name.quotedForSQL
      let isKey = schema.key.contains(position)
      let rest = column.isNullable && !isKey ? "" : " NOT NULL"
      let type = Self.declared(column.type, isKey: isKey, version: version)
      let declared = "\(name) \(type)"
      switch column.type {
      case .integer where schema.key == [position]: return "\(declared) PRIMARY KEY"
      case .boolean: return "\(declared)\(rest) CHECK(\(name) IN (0, 1))"
      // SQLite would create a temporary table of three values for every row.
      case .real: return "\(declared)\(rest) CHECK(typeof(\(name)) <> 'integer' AND typeof(\(name)) <> 'blob')"
      case .decimal where type == "ANY": return "\(declared)\(rest) CHECK(typeof(\(name)) <> 'blob')"
      default: return "\(declared)\(rest)"
      }
    }
  }

  static func createTable(_ schema: Schema, version: Int64 = Self.version) -> String {
    "CREATE TABLE \(schema.name.quotedForSQL)(\(columnDefinitions(schema, version: version).joined(separator: ", "))"
      + rest(schema)
  }

  /// The end of a table's definition, after its last column.
  static func rest(_ schema: Schema) -> String {
    let hasRowIDKey = schema.key.count == 1 && schema.columns[schema.key[0]].type == .integer
    let key = schema.key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")
    let constraint = hasRowIDKey || schema.key.isEmpty ? "" : ", PRIMARY KEY(\(key))"
    return constraint + (schema.key.count > 1 ? ") STRICT, WITHOUT ROWID" : ") STRICT")
  }

  /// Adds the columns of `schema` that are not in a table, after its own.
  static func widen(
    _ known: Schema, to schema: Schema, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    guard known.width < schema.width else { return }
    for definition in columnDefinitions(schema).dropFirst(known.width) {
      try connection.execute("ALTER TABLE \(schema.name.quotedForSQL) ADD COLUMN \(definition)")
    }
    try describe(schema, from: known.width, connection)
  }

  /// Writes down what a table's columns mean, those from the position `first` on.
  static func describe(
    _ schema: Schema, from first: Int = 0, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let insert = try connection.prepare("INSERT INTO bb_columns VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    for (position, column) in schema.columns.enumerated().dropFirst(first) {
      try insert.bind(1, text: schema.name)
      try insert.bind(2, integer: Int64(position))
      try insert.bind(3, text: column.name)
      try insert.bind(4, text: column.type.name)
      try insert.bind(5, integer: column.isNullable ? 1 : 0)
      try insert.bind(6, text: column.summary)
      try insert.bind(7, text: column.unit)
      try insert.bind(8, integer: Int64((schema.key.firstIndex(of: position) ?? -1) + 1))
      try insert.bind(9, integer: column.isExtra ? 1 : 0)
      try insert.run()
    }
    let role = try connection.prepare("INSERT OR REPLACE INTO bb_meta VALUES('role:' || ?1 || ':' || ?2, ?3)")
    for column in schema.columns.dropFirst(first) {
      guard let word = column.role?.rawValue else { continue }
      try role.bind(1, text: schema.name)
      try role.bind(2, text: column.name)
      try role.bind(3, text: word)
      try role.run()
    }
  }

  /// Where a table was loaded from; nil when it was not.
  static func source(of table: String, _ connection: borrowing SQLiteConnection) throws(Problem) -> String? {
    let rows = try connection.prepare("SELECT value FROM bb_meta WHERE name = ?1")
    try rows.bind(1, text: "source:" + table)
    return try rows.step() ? rows.text(0) : nil
  }

  /// Writes down where a table was loaded from.
  static func remember(
    source: String?, of table: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let insert = try connection.prepare("INSERT OR REPLACE INTO bb_meta SELECT ?1, ?2 WHERE ?2 IS NOT NULL")
    try insert.bind(1, text: "source:" + table)
    if let source { try insert.bind(2, text: source) } else { try insert.bindNull(2) }
    try insert.run()
  }

  /// The schemas of bb's tables, by name.
  /// - Parameter withExtras: whether to include undescribed columns, which users added.
  static func schemas(
    _ connection: borrowing SQLiteConnection, withExtras: Bool = false
  ) throws(Problem) -> [String: Schema] {
    var schemas = try described(connection)
    guard withExtras else { return schemas }
    for table in try SQLiteTable.all(connection) {
      guard let schema = schemas[table.name] else { continue }
      // Columns with values of several types are not changed.
      let extras = table.columns.filter {
        schema.position(of: $0.name) == nil && ($0.declared != "ANY" || $0.type != nil)
      }.compactMap(\.description)
      if extras.isEmpty { continue }
      schemas[table.name] = Schema(
        table.name, key: schema.key.map { schema.columns[$0].name }, columns: schema.columns + extras)
    }
    return schemas
  }

  private static func described(_ connection: borrowing SQLiteConnection) throws(Problem) -> [String: Schema] {
    let rows = try connection.prepare(
      """
      SELECT dataset, c.name, type, nullable, summary, unit, key, extra, value
      FROM bb_columns c LEFT JOIN bb_meta m ON m.name = 'role:' || dataset || ':' || c.name ORDER BY dataset, position
      """)
    var columns: [String: [ColumnDescription]] = [:], keys: [String: [(Int64, String)]] = [:]
    while try rows.step() {
      let dataset = rows.text(0), name = rows.text(1)
      guard let type = ColumnType(name: rows.text(2)), !(columns[dataset] ?? []).has(name) else {
        throw Problem(.badData, "invalid bb_columns entry “\(rows.text(2))” for “\(dataset)”", at: connection.place)
      }
      columns[dataset, default: []].append(
        ColumnDescription(
          name, type, nullable: rows.integer(3) == 1, rows.text(4), unit: rows.text(5), extra: rows.integer(7) == 1,
          role: ColumnRole(rawValue: rows.text(8))))
      if rows.integer(6) > 0 { keys[dataset, default: []].append((rows.integer(6), name)) }
    }
    var schemas: [String: Schema] = [:]
    for (dataset, columns) in columns {
      let key = (keys[dataset] ?? []).sorted { $0.0 < $1.0 }.map(\.1)
      schemas[dataset] = Schema(dataset, key: key, columns: columns)
    }
    return schemas
  }
}
