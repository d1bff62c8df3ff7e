import Codecs
import Domain
import Query
import Rows

/// One table of a store, within a transaction. Records are fetched together before they are edited, and written
/// together afterwards.
struct PostgresEditing: EditableTable {
  private let schema: Schema
  private let table: String
  private let connection: PostgresConnection
  private var rows: [StoredKey: [Value]] = [:]
  private var puts: [StoredKey: [Value]] = [:]
  /// The keys of the records that are in the table.
  private var found: Set<StoredKey> = []
  private var removals: [StoredKey] = []

  /// Fetches the records that `change` is about from the table of `kept`.
  init(
    _ change: TableChange, kept schema: Schema, in format: PostgresFormat, _ connection: PostgresConnection
  ) throws(Problem) {
    self.schema = schema
    table = format.table(schema.name)
    self.connection = connection
    if change.replacesAll {
      try fetch("", PostgresParameters())
      return
    }
    let plan = try TablePlan(change, kept: schema)
    let keys = Array(Set(plan.expected.map(\.0) + plan.upserts.map(\.0) + plan.deletes))
    let step = max(1, PostgresParameters.most / max(1, schema.key.count))
    for start in stride(from: 0, to: keys.count, by: step) {
      let some = keys[start..<min(keys.count, start + step)]
      var parameters = PostgresParameters()
      let list = values(some, &parameters)
      try fetch(" WHERE (\(keyNames)) IN (\(list))", parameters)
    }
  }

  private var keyNames: String { schema.key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ") }

  /// `VALUES ($1, $2), …`
  private func values(_ keys: ArraySlice<StoredKey>, _ parameters: inout PostgresParameters) -> String {
    var rows: [String] = []
    for key in keys {
      var places: [String] = []
      for (value, position) in zip(key.values, schema.key) {
        parameters.append(value, schema.columns[position].type)
        places.append("$\(parameters.types.count)")
      }
      rows.append("(\(places.joined(separator: ", ")))")
    }
    return "VALUES \(rows.joined(separator: ", "))"
  }

  private mutating func fetch(_ condition: String, _ parameters: PostgresParameters) throws(Problem) {
    let result = try connection.query(
      "SELECT \(PostgresFormat.names(schema)) FROM \(table)\(condition)", parameters)
    for row in 0..<result.rows {
      let values = try result.values(row, schema, at: connection.place)
      let key = StoredKey(of: values, schema)
      rows[key] = values
      found.insert(key)
    }
  }

  func row(_ key: StoredKey) throws(Problem) -> [Value]? { rows[key] }

  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem) {
    for (position, value) in row.enumerated() {
      guard case .text(let text) = value, text.contains(0) else { continue }
      throw Self.nul(key, schema.columns[position].name, schema)
    }
    rows[key] = row
    puts[key] = row
  }

  /// The error for a text that PostgreSQL cannot store.
  static func nul(_ key: StoredKey?, _ column: String, _ schema: Schema) -> Problem {
    let record = key.map { "record \($0.text): " } ?? ""
    return Problem(
      .badData, "\(record)column “\(column)” contains U+0000, which PostgreSQL cannot store", at: schema.name,
      hint: "remove the character, or use a store in files")
  }

  mutating func remove(_ key: StoredKey) throws(Problem) {
    rows[key] = nil
    puts[key] = nil
    removals.append(key)
  }

  func keys() throws(Problem) -> [StoredKey] { Array(rows.keys) }

  func flush() throws(Problem) {
    let keyWidth = max(1, schema.key.count), step = max(1, PostgresParameters.most / keyWidth)
    for start in stride(from: 0, to: removals.count, by: step) {
      var parameters = PostgresParameters()
      let list = values(removals[start..<min(removals.count, start + step)], &parameters)
      try connection.query("DELETE FROM \(table) WHERE (\(keyNames)) IN (\(list))", parameters)
    }
    try write(Array(puts.filter { !found.contains($0.key) }.values)) { list in
      "INSERT INTO \(table)(\(PostgresFormat.names(schema))) \(list)"
    }
    let others = schema.columns.indices.filter { !schema.key.contains($0) }.map { schema.columns[$0].name.quotedForSQL }
    if others.isEmpty { return }
    let matches = schema.key.map { schema.columns[$0].name.quotedForSQL }.map { "a.\($0) = v.\($0)" }
    try write(Array(puts.filter { found.contains($0.key) }.values)) { list in
      "UPDATE \(table) a SET \(others.map { "\($0) = v.\($0)" }.joined(separator: ", ")) "
        + "FROM (\(list)) AS v(\(PostgresFormat.names(schema))) WHERE \(matches.joined(separator: " AND "))"
    }
  }

  /// Executes a statement with a list of rows.
  ///
  /// It needs no unique index: a table that is distributed over servers may have none.
  private func write(_ changed: [[Value]], _ statement: (_ list: String) -> String) throws(Problem) {
    let step = max(1, PostgresParameters.most / max(1, schema.width))
    for start in stride(from: 0, to: changed.count, by: step) {
      var parameters = PostgresParameters(), rows: [String] = []
      for row in changed[start..<min(changed.count, start + step)] {
        var places: [String] = []
        for (value, column) in zip(row, schema.columns) {
          parameters.append(value, column.type)
          places.append("$\(parameters.types.count)")
        }
        rows.append("(\(places.joined(separator: ", ")))")
      }
      try connection.query(statement("VALUES \(rows.joined(separator: ", "))"), parameters)
    }
  }
}

extension PostgresResult {
  /// A row of a table of a store.
  /// - Throws: `badData` for a value that does not fit its column.
  func values(_ row: Int, _ schema: Schema, at place: String) throws(Problem) -> [Value] {
    var values: [Value] = []
    for (position, column) in schema.columns.enumerated() {
      guard let bytes = bytes(row, position) else {
        values.append(.null)
        continue
      }
      switch column.type {
      case .integer: values.append(.integer(integer(row, position)))
      case .boolean: values.append(.boolean(bytes == [1]))
      case .bytes: values.append(.bytes(bytes))
      case .real:
        if case .real(let number) = StoredNumber(bytes) {
          values.append(.real(number))
        } else {
          values.append(.number(bytes))
        }
      case .decimal: values.append(.number(bytes))
      case .list, .json: values.append(.json(bytes))
      case .text, .date, .timestamp, .datetime, .url: values.append(.text(bytes))
      }
    }
    do throws(Problem) { return try StoredRow.normalised(values, schema) } catch { throw error.located(at: place) }
  }
}
