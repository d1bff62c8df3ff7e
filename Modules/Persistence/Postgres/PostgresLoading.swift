import Codecs
import Domain
import Query
import Rows

/// Replaces the rows of a table with those of a stream, within a transaction: they are first copied into a second
/// table, which the transaction takes with it.
struct PostgresLoading {
  private let schema: Schema
  private let isNew: Bool
  private let connection: PostgresConnection
  private let name: String
  private let sql: TableReplacementSQL
  private let columns: [String]

  /// Rows of `schema` over a table that is kept as `known`; nil when it is new, and there already.
  init(_ schema: Schema, over known: Schema?, in format: PostgresFormat, _ connection: PostgresConnection) {
    self.schema = schema
    isNew = known == nil
    self.connection = connection
    name = format.table(schema.name)
    sql = TableReplacementSQL(schema, in: format)
    columns = schema.columns.map(\.name.quotedForSQL)
  }

  private static let beside = TableReplacementSQL.Dialect.postgres.loaded

  /// Copies the rows of the stream.
  /// - Returns: how many there are.
  func copy(_ rows: any RowStream) async throws(Problem) -> Int {
    if !isNew {
      try connection.execute(
        "CREATE TEMP TABLE bb_loaded(\(PostgresFormat.definition(schema))) ON COMMIT DROP")
    }
    try connection.beginCopyIn(
      "COPY \(isNew ? name : Self.beside)(\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)")
    let writer = PostgresBinary(forms: schema.columns.map { PostgresFormat.form($0.type) })
    let required = schema.columns.indices.filter { !schema.columns[$0].isNullable || schema.key.contains($0) }
    let ahead = PrefetchingRows(rows)
    do throws(Problem) {
      var out = ByteBuffer(), before = 0
      out.append(bytes: PostgresBinary.header)
      while let batch = try await ahead.next() {
        try check(batch, required)
        try writer.append(batch, &out) { (row, column, fault) throws(Problem) in
          do throws(Problem) { return try normalised(batch, row, column, fault) } catch {
            var error = error
            error.record = before + row
            throw error
          }
        }
        before += batch.count
        try out.read { (bytes) throws(Problem) in try connection.put(bytes) }
        out.removeAll()
      }
      out.append(bytes: PostgresBinary.trailer)
      try out.read { (bytes) throws(Problem) in try connection.put(bytes) }
      let count = try connection.endCopyIn()
      // The planner chooses by statistics how the two tables are compared.
      if !isNew, count > 10_000 { try connection.execute("ANALYZE \(Self.beside)") }
      return count
    } catch {
      guard connection.state == "23505", error.kind == .badData else { throw error }
      throw Problem(.badData, "two records have the key \(duplicate)", at: schema.name)
    }
  }

  /// The key that the last error of the server names: `Key (a, b)=(x, 1) already exists.`
  private var duplicate: String {
    let detail = connection.detail
    guard let start = detail.firstRange(of: ")=("), let end = detail.unicodeScalars.lastIndex(of: ")"),
      start.upperBound <= end
    else {
      return ""
    }
    return String(detail[start.upperBound..<end]).replacing(", ", with: "/")
  }

  /// Refuses a null where there must be a value.
  private func check(_ batch: RowBatch, _ required: [Int]) throws(Problem) {
    for row in 0..<batch.count {
      for column in required where batch[row, column].isNull { _ = try values(row, of: batch) }
    }
  }

  private func values(_ row: Int, of batch: RowBatch) throws(Problem) -> [Value] {
    try StoredRow.normalised((0..<batch.width).map { batch.value(row, $0) }, schema)
  }

  /// A value that cannot be written as it is, in the form that is kept.
  /// - Throws: `badData` that names the record and the column.
  private func normalised(
    _ batch: RowBatch, _ row: Int, _ column: Int, _ fault: PostgresBinary.Fault
  ) throws(Problem) -> Value {
    let values = try values(row, of: batch)
    if case .nul = fault {
      let key = schema.key.isEmpty ? nil : StoredKey(of: values, schema)
      throw PostgresEditing.nul(key, schema.columns[column].name, schema)
    }
    return values[column]
  }

  func outcome(of count: Int) throws(Problem) -> TableOutcome {
    var outcome = TableOutcome()
    if isNew {
      outcome.added = count
      return outcome
    }
    let before = Int(try connection.integer("SELECT count(*) FROM \(name)"))
    if schema.key.isEmpty {
      let ordinal = PostgresFormat.ordinal(schema).quotedForSQL
      let same = try connection.integer(
        """
        SELECT count(*) FROM (SELECT *, row_number() OVER (ORDER BY \(ordinal)) AS bb_number FROM \(Self.beside)) b
        JOIN (SELECT *, row_number() OVER (ORDER BY \(ordinal)) AS bb_number FROM \(name)) a USING (bb_number)
        WHERE NOT (\(differs))
        """)
      if before == count, same == count {
        outcome.unchanged = count
      } else {
        (outcome.removed, outcome.added) = (before, count)
      }
      return outcome
    }
    let keys = schema.projected(to: schema.key)
    try outcome.count(schema, "\(Self.beside) b JOIN \(name) a ON \(sql.matches)", differs: differs) {
      (query, count) throws(Problem) in
      let result = try connection.query(query)
      return (0..<count).map { Int(result.integer(0, $0)) }
    } keys: { (query) throws(Problem) in
      let result = try connection.query(query)
      var found: [StoredKey] = []
      for row in 0..<result.rows { found.append(StoredKey(try result.values(row, keys, at: connection.place))) }
      return found
    }
    let known = outcome.changed + outcome.unchanged
    outcome.added = count - known
    outcome.removed = before - known
    return outcome
  }

  /// Makes the table hold what was read.
  func finish() throws(Problem) {
    if isNew { return }
    for statement in sql.load(differs: differs) { try connection.execute(statement) }
  }

  /// Whether a row `a` of the table and a row `b` of the load differ, in SQL.
  var differs: String {
    let others = columns.indices.filter { !schema.key.contains($0) }
    let parts = others.map { "a.\(columns[$0]) IS DISTINCT FROM b.\(columns[$0])" }
    return parts.isEmpty ? "false" : parts.joined(separator: " OR ")
  }
}
