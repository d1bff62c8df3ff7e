import Codecs
import Query
import Rows

/// A table or view of a database, as the catalogue describes it.
struct PostgresTable: Sendable {
  /// One of its columns.
  struct Column: Sendable {
    let name: String
    /// The type as SQL writes it: `numeric(12,2)`.
    let declared: String
    /// The identifier of the type, of a domain that of its base.
    let type: UInt32
    /// The identifier of the type of an array's elements; 0 for others.
    let element: UInt32
    let isRequired: Bool
    /// What bb wrote down about it.
    let comment: String
  }

  let name: PostgresName
  /// `r` for a table, `p` for a partitioned one, `v`, `m` and `f` for views and foreign tables.
  let kind: String
  let columns: [Column]
  /// The positions of the primary key's columns, in its order.
  let key: [Int]
  /// Bytes on disk; 0 for views.
  let bytes: Int64

  /// The names of all tables and views that the user can read, `public` first.
  static func names(_ connection: PostgresConnection) throws(Problem) -> [PostgresName] {
    let result = try connection.query(
      """
      SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
      ORDER BY n.nspname <> 'public', n.nspname::text COLLATE "C", c.relname::text COLLATE "C"
      """)
    return (0..<result.rows).map { row in
      let schema = result.text(row, 0)
      return PostgresName(schema == "public" ? nil : schema, result.text(row, 1))
    }
  }

  /// A table by its name; nil if there is none.
  static func find(_ name: PostgresName, _ connection: PostgresConnection) throws(Problem) -> PostgresTable? {
    var parameters = PostgresParameters()
    parameters.append(text: name.schema ?? "public")
    parameters.append(text: name.table)
    let found = try connection.query(
      """
      SELECT c.oid::bigint, c.relkind::text,
        CASE WHEN c.relkind IN ('r', 'm') THEN pg_catalog.pg_relation_size(c.oid) ELSE 0 END
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname::text = $1 AND c.relname::text = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      """, parameters)
    guard found.rows > 0 else { return nil }
    var table = PostgresParameters()
    table.append(integer: found.integer(0, 0))
    let rows = try connection.query(
      """
      SELECT a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
        (CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END)::bigint,
        (CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END)::bigint,
        a.attnotnull, coalesce(pg_catalog.col_description(a.attrelid, a.attnum::integer), ''),
        coalesce(pg_catalog.array_position(i.indkey::smallint[], a.attnum), -1)::bigint
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_catalog.pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
      WHERE a.attrelid = $1::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
      """, table)
    var columns: [Column] = [], key: [(Int64, Int)] = []
    for row in 0..<rows.rows {
      columns.append(
        Column(
          name: rows.text(row, 0), declared: rows.text(row, 1), type: UInt32(rows.integer(row, 2)),
          element: UInt32(rows.integer(row, 3)), isRequired: rows.isTrue(row, 4), comment: rows.text(row, 5)))
      if rows.integer(row, 6) >= 0 { key.append((rows.integer(row, 6), row)) }
    }
    return PostgresTable(
      name: name, kind: found.text(0, 1), columns: columns, key: key.sorted { $0.0 < $1.0 }.map(\.1),
      bytes: found.integer(0, 2))
  }

  /// The start of a comment that bb gives to a column whose type PostgreSQL does not have.
  static let mark = "bb: "
}

extension PostgresTable.Column {
  /// The type of the values, unless another is wanted.
  private var usualType: ColumnType {
    if comment.hasPrefix(PostgresTable.mark), type == PostgresType.text.rawValue,
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
    case .json, .jsonb: return .json
    default: break
    }
    switch PostgresType(rawValue: element) {
    case .text?, .varchar?: return .list(.text)
    case .int2?, .int4?, .int8?: return .list(.integer)
    default: return .text
    }
  }

  /// The expression that selects the values, their type, and their form.
  /// - Parameter wanted: the type that the user chose; nil for the usual one.
  func reading(as wanted: ColumnType?) -> (sql: String, type: ColumnType, form: PostgresDecoding.Form) {
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
    case (.json, _) where element != 0 && !isPlain: return ("pg_catalog.to_json(\(name))::text", type, .json)
    case (.json, _): return (text, type, .json)
    case (.list(let element), _):
      return (isPlain ? name : "pg_catalog.to_json(\(name))::text", type, .list(element))
    case (.text, _), (.url, _): return (text, type, .text)
    }
  }
}
