import Codecs
import Rows

/// A table or view of a database, as the database describes it.
struct SQLiteTable: Sendable {
  struct Column: Sendable {
    let name: String
    /// The declared type, in capitals; empty when there is none.
    let declared: String
    /// The place in the primary key, from 1; 0 for others.
    let keyPosition: Int
    /// Whether it is declared NOT NULL.
    var isRequired = false
    /// bb's type, when the database says it.
    var type: ColumnType?
    /// The type that the comment of an exported table names: other programs may have written other values since.
    var hint: ColumnType?
    /// The digits after the point that the comment names for decimals.
    var scale: Int?
    /// The spelling that all dates and times were found to have.
    var spelling = ValueSpelling.usual
    /// The metadata that bb stored.
    var description: ColumnDescription?

    /// The column as one of a table in which it has `type`.
    func described(as type: ColumnType, mixed isMixed: Bool = false) -> ColumnDescription {
      guard let description else { return ColumnDescription(name, type, mixed: isMixed).spelled(spelling) }
      return ColumnDescription(
        name, type, nullable: description.isNullable, description.summary, unit: description.unit,
        extra: description.isExtra, role: description.role)
    }
  }

  let name: String
  /// Whether bb made it.
  var isOwn = false
  /// Whether rows have an integer that orders them and is found at once.
  let hasRowID: Bool
  let isStrict: Bool
  /// Whether reading it runs SQL of the database: a view, a virtual table, or a table with generated columns.
  var isComputed = false
  var columns: [Column]
  /// The reason why its columns are unknown, for example for a view of a deleted table.
  var fault: Problem?

  /// A name for the row id that is not the name of a column; nil if all three are.
  var rowIDName: String? {
    guard hasRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { word in !columns.contains { $0.name.lowercased() == word } }
  }

  /// Names of the key's columns, most significant first.
  var key: [String] { columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name) }

  /// Whether the only key column is another name of the row id.
  var isKeyedByRowID: Bool {
    hasRowID && key.count == 1 && columns.contains { $0.keyPosition == 1 && $0.declared == "INTEGER" }
  }

  /// The type that values of a column have for certain; nil when only looking tells.
  func certainType(_ column: Int) -> ColumnType? {
    if let type = columns[column].type { return type }
    if isKeyedByRowID, columns[column].keyPosition == 1 { return .integer }
    guard isStrict else { return nil }
    switch columns[column].declared {
    case "INT", "INTEGER": return .integer
    case "REAL": return .real
    case "TEXT": return .text
    case "BLOB": return .bytes
    default: return nil
    }
  }

  /// Whether a column is declared to have dates or times, which SQLite keeps as text.
  func isTemporal(_ column: Int) -> Bool {
    ["DATE", "TIMESTAMP"].contains(where: columns[column].declared.hasPrefix)
  }

  /// The type of a column without a value.
  func likelyType(_ column: Int) -> ColumnType {
    let declared = columns[column].declared
    if isTemporal(column) { return declared == "DATE" ? .date : .datetime }
    if declared.contains("INT") { return .integer }
    if ["REAL", "FLOA", "DOUB"].contains(where: declared.contains) { return .real }
    if declared.hasPrefix("DEC") || declared.hasPrefix("NUMERIC") { return .decimal }
    return declared == "BLOB" ? .bytes : .text
  }

  /// The columns with the types they have for certain or are declared to have.
  var likelySchema: Schema {
    Schema(
      name, key: key,
      columns: columns.indices.map {
        ColumnDescription(columns[$0].name, columns[$0].hint ?? certainType($0) ?? likelyType($0))
      })
  }

  /// The table from bb's own description, if bb created it and it was not changed since; nil for others.
  static func unchanged(_ name: String, _ connection: borrowing SQLiteConnection) throws(Problem) -> SQLiteTable? {
    guard try SQLiteFormat.owner(connection) == .bb, let schema = try SQLiteFormat.schemas(connection)[name] else {
      return nil
    }
    let made = try connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2")
    try made.bind(1, text: name)
    try made.bind(2, text: SQLiteFormat.createTable(schema))
    guard try made.step() else { return nil }
    let columns = schema.columns.enumerated().map { position, column in
      Column(
        name: column.name, declared: SQLiteFormat.declared(column.type, isKey: schema.key.contains(position)),
        keyPosition: (schema.key.firstIndex(of: position) ?? -1) + 1, type: column.type, description: column)
    }
    return SQLiteTable(name: name, isOwn: true, hasRowID: schema.key.count < 2, isStrict: true, columns: columns)
  }

  /// The tables and views, in order of name, without SQLite's and bb's own.
  private static let list = """
    SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
      AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (name NOT LIKE 'bb\\_%' ESCAPE '\\' OR name = 'bb_sync')
    ORDER BY name
    """

  /// The names of the tables and views, in order, without SQLite's and bb's own.
  static func names(_ connection: borrowing SQLiteConnection) throws(Problem) -> [String] {
    let list = try connection.prepare(Self.list)
    var names: [String] = []
    while try list.step() { names.append(list.text(0)) }
    return names
  }

  /// Every table and view, in order of name, without SQLite's and bb's own. Types are those that bb wrote down.
  static func all(_ connection: borrowing SQLiteConnection) throws(Problem) -> [SQLiteTable] {
    let list = try connection.prepare(Self.list)
    var tables: [SQLiteTable] = []
    while try list.step() {
      let name = list.text(0)
      var table = SQLiteTable(
        name: name, hasRowID: list.text(1) == "table" && list.integer(2) == 0, isStrict: list.integer(3) == 1,
        columns: [])
      do throws(Problem) {
        table.columns = try columns(of: name, connection)
        table.isComputed = list.text(1) != "table"
        if !table.isComputed { table.isComputed = try hasGeneratedColumns(name, connection) }
        if table.isStrict { try table.readComment(connection) }
      } catch {
        // The others can still be read.
        guard error.kind != .busy else { throw error }
        table.fault = Problem(.badData, "cannot read “\(name)”: \(error.message)", at: error.place)
      }
      tables.append(table)
    }
    guard try SQLiteFormat.owner(connection) == .bb else { return tables }
    let known = try SQLiteFormat.schemas(connection)
    for index in tables.indices {
      guard let schema = known[tables[index].name] else { continue }
      tables[index].isOwn = true
      for column in tables[index].columns.indices {
        let name = tables[index].columns[column].name
        let description = schema.position(of: name).map { schema.columns[$0] }
        // Columns without a description were added by users.
        var type = description?.type
        if description == nil, tables[index].columns[column].declared == "ANY" {
          type = try onlyType(of: name, in: schema.name, connection)
        }
        tables[index].columns[column].description =
          description ?? ColumnDescription(name, type ?? tables[index].likelyType(column), extra: true)
        tables[index].columns[column].type = type
      }
    }
    return tables
  }

  /// The type that all values of a column of any type have, text when there are none; nil when they have several.
  private static func onlyType(
    of column: String, in table: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> ColumnType? {
    let name = column.quotedForSQL
    let found = try connection.prepare(
      "SELECT DISTINCT typeof(\(name)) FROM \(table.quotedForSQL) WHERE \(name) IS NOT NULL LIMIT 2")
    guard try found.step() else { return .text }
    let type: ColumnType? = ["text": .text, "integer": .integer, "real": .real][found.text(0)]
    return try found.step() ? nil : type
  }

  private static func hasGeneratedColumns(
    _ table: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> Bool {
    let rows = try connection.prepare("SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden IN (2, 3)")
    try rows.bind(1, text: table)
    return try rows.step()
  }

  /// Takes over the types that the comment of an exported table names, if the table is as it was exported.
  private mutating func readComment(_ connection: borrowing SQLiteConnection) throws(Problem) {
    let statement = try connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")
    try statement.bind(1, text: name)
    guard try statement.step() else { return }
    let text = statement.text(0)
    guard let types = SQLiteDefinition.types(in: text, table: name), types.count == columns.count else { return }
    let described = zip(columns, types).map { column, type in
      ColumnDescription(column.name, type.type ?? .json, nullable: !column.isRequired, mixed: type.type == nil)
    }
    let untyped = columns.indices.filter { types[$0].type == .real && columns[$0].declared == "ANY" }
    let schema = Schema(name, key: key, columns: described)
    var decimals: [Int: DecimalShape] = [:]
    for (position, type) in types.enumerated() {
      decimals[position] = type.scale.flatMap { (0...15).contains($0) ? DecimalShape(scale: $0) : nil }
    }
    let definition = SQLiteDefinition(schema, untypedReals: Set(untyped), decimals: decimals)
    guard definition.text.utf8.elementsEqual(text.utf8) else { return }
    for (position, type) in types.enumerated() { (columns[position].hint, columns[position].scale) = type }
  }

  private static func columns(
    of table: String, _ connection: borrowing SQLiteConnection
  ) throws(Problem) -> [Column] {
    let rows = try connection.prepare(
      "SELECT name, type, pk, \"notnull\" FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid")
    try rows.bind(1, text: table)
    var columns: [Column] = []
    while try rows.step() {
      columns.append(
        Column(
          name: rows.text(0), declared: rows.text(1).uppercased(), keyPosition: Int(rows.integer(2)),
          isRequired: rows.integer(3) != 0))
    }
    let names = Set(columns.map { Array($0.name.utf8) })
    guard names.count == columns.count else {
      throw Problem(.badData, "duplicate column name in “\(table)”", at: connection.place)
    }
    return columns
  }
}
