import Codecs
import Domain
import Rows

/// A table that gets rows, in one transaction.
final class PostgresOutput: @unchecked Sendable {
  let connection: PostgresConnection
  private let name: PostgresName
  private let schema: Schema
  private let forms: [PostgresBinary.Form]
  private let existing: ExistingOutput
  private var isNew = false
  /// Whether the table is as it will be.
  private var isComplete = false
  private var key: [String] = []
  /// The table that is replaced under another name until all rows are there.
  private let temporary: PostgresName

  /// - Parameter forms: the forms of the columns of a new table.
  init(
    _ connection: PostgresConnection, _ name: PostgresName, _ schema: Schema, _ forms: [PostgresBinary.Form],
    _ existing: ExistingOutput
  ) {
    self.connection = connection
    self.name = name
    self.schema = schema
    self.forms = forms
    self.existing = existing
    temporary = PostgresName(name.schema, "bb_new_" + String(UInt64.random(in: 0 ... .max), radix: 36))
  }

  private var columns: String { PostgresFormat.names(schema) }

  /// The form in which rows are copied.
  enum Copying: Sendable {
    /// For a table that bb makes.
    case binary
    /// For one with types of its own; the positions of the columns that are arrays, and their types and limits.
    case text(arrays: Set<Int>, limits: [Int: (type: String, limit: PostgresLimit)])

    var isBinary: Bool { if case .binary = self { true } else { false } }
  }

  /// Makes or checks the table, and begins to copy.
  func begin() throws(Problem) -> Copying {
    do throws(Problem) { return try start() } catch {
      // Another process has created the table since the check.
      guard isNew, ["23505", "42P07"].contains(connection.state) else { throw error }
      try connection.execute("ROLLBACK")
      return try start()
    }
  }

  private func start() throws(Problem) -> Copying {
    try connection.begin(.writing, search: true)
    var found = try PostgresTable.find(name, connection)
    if found == nil, existing != .refuse {
      // Of several processes that would create the table, one does, and the others wait for it. Another transaction
      // sees the result.
      let lock =
        "SELECT pg_advisory_xact_lock(hashtextextended(\(PostgresText.literal("bb:" + name.sql) ?? "''"), 0))"
      try connection.execute("ROLLBACK")
      try connection.begin(.writing, search: true)
      try connection.execute("SET LOCAL lock_timeout = 0; \(lock)")
      found = try PostgresTable.find(name, connection)
    }
    isNew = found == nil
    if let found { try check(found) }
    let target: String
    switch existing {
    case .replace where !isNew:
      try create(temporary)
      target = temporary.sql
    case .upsert where !isNew:
      try connection.execute(
        "CREATE TEMP TABLE bb_rows ON COMMIT DROP AS SELECT \(columns) FROM \(name.sql) WITH NO DATA")
      target = "pg_temp.bb_rows"
    default:
      if isNew {
        // While another process creates the table, this waits until it has its rows.
        try connection.execute("SET LOCAL lock_timeout = 0")
        try create(name)
      } else if existing == .truncate {
        try connection.execute("TRUNCATE \(name.sql)")
      }
      target = name.sql
    }
    var copying = Copying.binary
    if let found, existing != .replace {
      let arrays = schema.columns.indices.filter { position in
        found.columns.contains { $0.element != 0 && $0.name.utf8.elementsEqual(schema.columns[position].name.utf8) }
      }
      var limits: [Int: (type: String, limit: PostgresLimit)] = [:]
      for (position, column) in schema.columns.enumerated() {
        guard let type = found.columns.first(where: { $0.name.utf8.elementsEqual(column.name.utf8) })?.declared else {
          continue
        }
        // A double of bb is one of the server.
        if column.type == .real, type == "double precision" { continue }
        limits[position] = PostgresLimit(type).map { (type, $0) }
      }
      copying = .text(arrays: Set(arrays), limits: limits)
    }
    try connection.beginCopyIn(
      "COPY \(target)(\(columns)) FROM STDIN (FORMAT \(copying.isBinary ? "binary" : "text"))")
    return copying
  }

  private func check(_ found: PostgresTable) throws(Problem) {
    let place = connection.place
    if existing == .refuse {
      throw Problem(
        .cannotCreate, "the table \(name) already exists", at: place, hint: Self.alternatives(to: found))
    }
    if existing == .replace, found.kind != "r" {
      throw Problem(
        .cannotCreate, "refusing to replace \(name): it is not a plain table", at: place,
        hint: Self.alternatives(to: found))
    }
    if existing == .replace { return }
    for column in schema.columns where !found.columns.contains(where: { $0.name.utf8.elementsEqual(column.name.utf8) })
    {
      throw Problem(
        .badData, "the table \(name) has no column “\(column.name)”", at: place,
        hint: .choose(column.name, from: found.columns.map(\.name), "available columns"))
    }
    guard existing == .upsert else { return }
    key = found.key.isEmpty ? schema.key.map { schema.columns[$0].name } : found.key.map { found.columns[$0].name }
    guard !key.isEmpty else {
      throw Problem(
        .usage, "the table \(name) has no primary key, by which rows could be updated", at: place,
        hint: found.kind == "r" ? .set(.existingOutput, to: "append", "replace", "truncate") : "choose another table")
    }
    if let missing = key.first(where: { schema.position(of: $0) == nil }) {
      throw Problem(.badData, "the records have no column “\(missing)”, which is part of the key of \(name)", at: place)
    }
  }

  /// The possible actions on an existing table.
  private static func alternatives(to found: PostgresTable) -> Remedy {
    switch found.kind {
    case "r": .set(.existingOutput, to: "append", "replace", "truncate", "upsert")
    case "p": .set(.existingOutput, to: "append", "truncate", "upsert")
    case "f": .set(.existingOutput, to: "append", "truncate")
    default: "choose another table"
    }
  }

  private func create(_ table: PostgresName) throws(Problem) {
    let definitions = zip(schema.columns, forms).map { column, form in
      "\(column.name.quotedForSQL) \(form.declared)\(column.isNullable ? "" : " NOT NULL")"
    }
    try connection.execute("CREATE TABLE \(table.sql) (\(definitions.joined(separator: ", ")))")
    for (column, form) in zip(schema.columns, forms)
    where form == .text && column.type != .text || column.type == .list(.url) {
      try connection.execute(
        "COMMENT ON COLUMN \(table.sql).\(column.name.quotedForSQL) IS '\(PostgresTable.mark)\(column.type.name)'")
    }
  }

  func put(_ bytes: RawSpan) throws(Problem) { try connection.put(bytes) }

  /// Ends the copy: the table is as it will be, in the transaction.
  func complete() throws(Problem) {
    if isComplete { return }
    isComplete = true
    _ = try connection.endCopyIn()
    switch existing {
    case .replace where !isNew:
      try connection.execute(
        "DROP TABLE \(name.sql); ALTER TABLE \(temporary.sql) RENAME TO \(name.table.quotedForSQL)")
      try addKey()
    case .upsert where !isNew: try merge()
    default: if isNew { try addKey() }
    }
  }

  /// Ends the copy, and commits.
  func finish() throws(Problem) {
    try complete()
    do throws(Problem) { try connection.execute("COMMIT") } catch {
      if connection.isConnected { throw error }
      throw Problem(
        .busy, "the connection was lost while the rows were saved", at: connection.place,
        hint: "look at the table \(name) before you repeat the command")
    }
    // The planner's statistics; a server without them is as right, though slower.
    _ = try? connection.execute("ANALYZE \(name.sql)")
  }

  /// Adds the primary key once the rows are there; a table with a null in its key has none.
  private func addKey() throws(Problem) {
    guard !schema.key.isEmpty else { return }
    let names = schema.key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")
    try connection.execute("SAVEPOINT bb_key")
    do throws(Problem) { try connection.execute("ALTER TABLE \(name.sql) ADD PRIMARY KEY (\(names))") } catch {
      guard connection.state == "23502" else { throw error }
      try connection.execute("ROLLBACK TO SAVEPOINT bb_key")
    }
  }

  private func merge() throws(Problem) {
    let others = schema.columns.map(\.name).filter { !key.contains($0) }
    let sets = others.map { "\($0.quotedForSQL) = excluded.\($0.quotedForSQL)" }.joined(separator: ", ")
    // As text: some types have no equality.
    let differs = others.map { name in
      "t.\(name.quotedForSQL)::text IS DISTINCT FROM excluded.\(name.quotedForSQL)::text"
    }.joined(separator: " OR ")
    let action = others.isEmpty ? "NOTHING" : "UPDATE SET \(sets) WHERE \(differs)"
    let names = key.map(\.quotedForSQL).joined(separator: ", ")
    try connection.execute("SAVEPOINT bb_merge")
    do throws(Problem) {
      try connection.execute(
        "INSERT INTO \(name.sql) AS t (\(columns)) SELECT \(columns) FROM pg_temp.bb_rows "
          + "ON CONFLICT (\(names)) DO \(action)")
    } catch {
      switch connection.state {
      case "21000":
        try connection.execute("ROLLBACK TO SAVEPOINT bb_merge")
        let texts = key.map { "\($0.quotedForSQL)::text" }.joined(separator: ", ")
        let key = try connection.query(
          "SELECT concat_ws('/', \(texts)) FROM pg_temp.bb_rows GROUP BY \(names) HAVING count(*) > 1 LIMIT 1")
        throw Problem(.badData, "two records have the key \(key.text(0, 0))", at: connection.place)
      case "42P10":
        throw Problem(
          .usage, "the table \(name) has no unique constraint on \(names), by which rows could be updated",
          at: connection.place, hint: .set(.existingOutput, to: "append", "replace", "truncate"))
      default: throw error
      }
    }
  }
}
