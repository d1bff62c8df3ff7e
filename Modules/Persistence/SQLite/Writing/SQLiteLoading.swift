import Codecs
import Domain
import Query
import Rows

/// Replaces the rows of a table with those of a stream, within a transaction: they are first inserted into a second
/// table.
struct SQLiteLoading: ~Copyable {
  private let schema: Schema
  private let isNew: Bool
  let connection: SQLiteConnection
  private let name: String
  private let columns: [String]

  /// Rows of `schema` over a table that is kept as `known`; nil when it is new.
  init(_ schema: Schema, over known: Schema?, _ connection: consuming SQLiteConnection) {
    self.schema = schema
    isNew = known == nil
    self.connection = connection
    name = schema.name.quotedForSQL
    columns = schema.columns.map(\.name.quotedForSQL)
  }

  private static let beside = TableReplacementSQL.Dialect.sqlite.loaded

  /// Reads the stream, and says what would become of the table.
  func run(_ rows: any RowStream) async throws(Problem) -> TableOutcome {
    if !isNew {
      // The same columns in the same order, so that the key detects duplicates.
      let beside = Schema(
        "bb_loaded", key: schema.key.map { schema.columns[$0].name }, columns: schema.columns)
      try connection.execute("DROP TABLE IF EXISTS \(Self.beside)")
      try connection.execute("CREATE TEMP" + SQLiteFormat.createTable(beside).dropFirst("CREATE".count))
    }
    let insertion = try SQLiteInsertion(schema, into: isNew ? name : Self.beside, connection)
    let ahead = PrefetchingRows(rows)
    var count = 0
    while let batch = try await ahead.next() {
      try insertion.insert(batch)
      count += batch.count
    }
    return try outcome(of: count)
  }

  private func outcome(of count: Int) throws(Problem) -> TableOutcome {
    var outcome = TableOutcome()
    if isNew {
      outcome.added = count
    } else if schema.key.isEmpty {
      let before = try number("SELECT count(*) FROM \(name)")
      // Both count their rows from 1.
      let join = "\(Self.beside) AS b JOIN \(name) AS a ON a.rowid = b.rowid"
      let same = try number("SELECT count(*) FROM \(join) WHERE NOT (\(differs))")
      if before == count, same == count {
        outcome.unchanged = count
      } else {
        (outcome.removed, outcome.added) = (before, count)
      }
    } else {
      let join = "\(Self.beside) AS b JOIN \(name) AS a ON \(sql.matches)"
      try outcome.count(schema, join, differs: differs) { (query, count) throws(Problem) in
        let rows = try connection.prepare(query)
        guard try rows.step() else { return Array(repeating: 0, count: count) }
        return (0..<count).map { Int(rows.integer($0)) }
      } keys: { (query) throws(Problem) in
        let rows = try connection.prepare(query)
        var keys: [StoredKey] = []
        while try rows.step() {
          keys.append(StoredKey(schema.key.enumerated().map { rows.value($0, schema.columns[$1].type) }))
        }
        return keys
      }
      let known = outcome.changed + outcome.unchanged
      outcome.added = count - known
      outcome.removed = try number("SELECT count(*) FROM \(name)") - known
    }
    return outcome
  }

  /// Makes the table hold what was read.
  func finish() throws(Problem) {
    if isNew { return }
    for statement in sql.load(differs: differs) { try connection.execute(statement) }
    try connection.execute("DROP TABLE \(Self.beside)")
  }

  private var sql: TableReplacementSQL { TableReplacementSQL(sqlite: schema) }

  /// Whether two rows are not the same to the bit: to `IS NOT`, -0.0 is 0.0, and 1 is 1.0.
  var differs: String {
    let parts = schema.columns.indices.filter { !schema.key.contains($0) }.map { position in
      let (a, b) = ("a.\(columns[position])", "b.\(columns[position])")
      let isOther = "\(a) IS NOT \(b)"
      let isOtherZero = "(\(a) = 0 AND atan2(\(a), -1) IS NOT atan2(\(b), -1))"
      switch schema.columns[position].type {
      case .real: return "\(isOther) OR \(isOtherZero)"
      case .decimal: return "\(isOther) OR typeof(\(a)) <> typeof(\(b)) OR \(isOtherZero)"
      default: return isOther
      }
    }
    return parts.isEmpty ? "0" : parts.joined(separator: " OR ")
  }

  private func number(_ query: String) throws(Problem) -> Int {
    let rows = try connection.prepare(query)
    return try rows.step() ? Int(rows.integer(0)) : 0
  }
}
