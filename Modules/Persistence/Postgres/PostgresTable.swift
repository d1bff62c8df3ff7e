import Codecs
import Rows

/// A table or view of a database, as the catalogue describes it.
struct PostgresTable: Sendable {
  struct Column: Sendable {
    let name: String
    /// The type as SQL writes it: `numeric(12,2)`; of a domain its base.
    let declared: String
    /// The identifier of the type, of a domain that of its base.
    let type: UInt32
    /// The identifier of the type of an array's elements; 0 for others.
    let element: UInt32
    let isRequired: Bool
    /// The metadata that bb stored.
    let comment: String
  }

  let name: PostgresName
  /// `r` for a table, `p` for a partitioned one, `v`, `m` and `f` for views and foreign tables.
  let kind: String
  let columns: [Column]
  /// The positions of the primary key's columns, in its order.
  let key: [Int]
  /// The pages of a table that can be read in ranges of them; 0 for others.
  let pages: Int

  private static let isReadable = """
    c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
    """
  private static let order = "n.nspname <> 'public', n.nspname::text COLLATE \"C\", c.relname::text COLLATE \"C\""

  /// The names of all tables and views that the user can read, `public` first.
  static func names(_ connection: PostgresConnection) throws(Problem) -> [PostgresName] {
    let result = try connection.query(
      """
      SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE \(isReadable) ORDER BY \(order)
      """)
    return (0..<result.rows).map { name(result, $0) }
  }

  private static func name(_ rows: PostgresResult, _ row: Int) -> PostgresName {
    let schema = rows.text(row, 0)
    return PostgresName(schema == "public" ? nil : schema, rows.text(row, 1))
  }

  /// All tables and views that the user can read, `public` first, without their sizes.
  static func all(_ connection: PostgresConnection) throws(Problem) -> [PostgresTable] {
    try load(isReadable, PostgresParameters(), pages: "0::bigint", connection)
  }

  /// A table by its name; nil if there is none.
  static func find(_ name: PostgresName, _ connection: PostgresConnection) throws(Problem) -> PostgresTable? {
    var parameters = PostgresParameters()
    parameters.append(text: name.schema ?? "public")
    parameters.append(text: name.table)
    let pages = """
      CASE WHEN c.relkind IN ('r', 'm') AND NOT c.relhassubclass AND EXISTS (
          SELECT 1 FROM pg_catalog.pg_am m WHERE m.oid = c.relam AND m.amname = 'heap')
        THEN pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::bigint ELSE 0 END
      """
    return try load(
      "n.nspname::text = $1 AND c.relname::text = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')", parameters,
      pages: pages, connection
    ).first
  }

  /// The tables that meet a condition, with one query for all of them.
  private static func load(
    _ condition: String, _ parameters: PostgresParameters, pages: String, _ connection: PostgresConnection
  ) throws(Problem) -> [PostgresTable] {
    let rows = try connection.query(
      """
      SELECT n.nspname::text, c.relname::text, c.oid::bigint, c.relkind::text, \(pages),
        a.attname::text,
        pg_catalog.format_type(coalesce(d.type, a.atttypid), coalesce(d.modifier, a.atttypmod)),
        coalesce(d.type, t.oid)::bigint,
        (CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END)::bigint,
        a.attnotnull, coalesce(pg_catalog.col_description(a.attrelid, a.attnum::integer), ''),
        coalesce(pg_catalog.array_position(i.indkey::smallint[], a.attnum), -1)::bigint
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      LEFT JOIN LATERAL (
        WITH RECURSIVE base AS (
          SELECT t.typbasetype AS type, t.typtypmod AS modifier WHERE t.typtype = 'd'
          UNION ALL
          SELECT u.typbasetype, CASE WHEN base.modifier < 0 THEN u.typtypmod ELSE base.modifier END
          FROM base JOIN pg_catalog.pg_type u ON u.oid = base.type WHERE u.typtype = 'd')
        SELECT base.type, base.modifier FROM base
        JOIN pg_catalog.pg_type u ON u.oid = base.type WHERE u.typtype <> 'd') d ON true
      LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE \(condition) ORDER BY \(order), c.oid, a.attnum
      """, parameters)
    var tables: [PostgresTable] = [], start = 0
    while start < rows.rows {
      let end = (start..<rows.rows).first { rows.integer($0, 2) != rows.integer(start, 2) } ?? rows.rows
      // A table without columns has a row of nulls.
      let all = rows.bytes(start, 5) == nil ? start..<start : start..<end
      let columns = all.map { row in
        Column(
          name: rows.text(row, 5), declared: rows.text(row, 6), type: UInt32(rows.integer(row, 7)),
          element: UInt32(rows.integer(row, 8)), isRequired: rows.isTrue(row, 9), comment: rows.text(row, 10))
      }
      let key = all.filter { rows.integer($0, 11) >= 0 }.sorted { rows.integer($0, 11) < rows.integer($1, 11) }
      tables.append(
        PostgresTable(
          name: name(rows, start), kind: rows.text(start, 3), columns: columns, key: key.map { $0 - start },
          pages: Int(rows.integer(start, 4))))
      start = end
    }
    return tables
  }

  /// The start of a comment that bb gives to a column whose type PostgreSQL does not have.
  static let mark = "bb: "
}

extension PostgresTable.Column {
  /// The selection of values: an expression, their type, and their form.
  typealias Reading = (sql: String, type: ColumnType, form: PostgresDecoding.Form)

  /// The type of the values, unless another is wanted.
  private var usualType: ColumnType {
    if comment.hasPrefix(PostgresTable.mark), type == PostgresType.text.rawValue || element != 0,
      let noted = ColumnType(name: String(comment.dropFirst(PostgresTable.mark.count)))
    {
      return noted
    }
    switch PostgresType(rawValue: type) {
    case .int2, .int4, .int8, .oid: return .integer
    case .float4, .float8: return .real
    case .numeric: return .decimal
    case .bool: return .boolean
    case .bytea: return .bytes
    case .date: return .date
    case .timestamptz: return .timestamp
    case .timestamp: return .datetime
    case .json, .jsonb: return .json
    default: break
    }
    switch PostgresType(rawValue: element) {
    case .text?, .varchar?: return .list(.text)
    case .int2?, .int4?, .int8?: return .list(.integer)
    // An array whose elements have no type of lists.
    default: return element == 0 ? .text : .json
    }
  }

  /// The expression that selects the values, their type, and their form.
  /// - Parameter wanted: the type that the user chose; nil for the usual one.
  func reading(as wanted: ColumnType?) -> Reading {
    let type = wanted ?? usualType, name = name.quotedForSQL
    let isPlain = [.text, .varchar, .bpchar].contains(PostgresType(rawValue: self.type))
    let text = isPlain ? name : "\(name)::text"
    switch (type, PostgresType(rawValue: self.type)) {
    case (.integer, .int2), (.integer, .int4), (.integer, .int8): return (name, type, .integer)
    case (.integer, .oid): return ("\(name)::bigint", type, .integer)
    case (.real, .float8): return (name, type, .real)
    case (.boolean, .bool): return (name, type, .boolean)
    case (.bytes, .bytea): return (name, type, .bytes)
    case (.date, .date): return (name, type, .days)
    case (.timestamp, .timestamptz): return (name, type, .microseconds)
    case (.timestamp, .timestamp): return ("\(name) AT TIME ZONE 'UTC'", type, .microseconds)
    case (.integer, _): return ("\(text)::bigint", type, .integer)
    case (.boolean, _): return ("\(text)::boolean", type, .boolean)
    case (.real, _), (.decimal, _): return (text, type, .literal)
    case (.bytes, _): return (text, .text, .text)
    case (.date, _): return (text, type, .date)
    case (.timestamp, _): return (text, type, .timestamp)
    case (.datetime, .timestamp): return (name, type, .localMicroseconds)
    case (.datetime, _): return (text, type, .datetime)
    case (.json, _) where element != 0 && !isPlain: return ("pg_catalog.to_json(\(name))::text", type, .json)
    case (.json, _): return (text, type, .json)
    case (.list(let element), _):
      return (isPlain ? name : "pg_catalog.to_json(\(name))::text", type, .list(element))
    case (.text, _), (.url, _): return (text, type, .text)
    }
  }
}
