import Codecs
import Query
import Rows

/// One table of a store, within a transaction.
struct SQLiteEditing: EditableTable, ~Copyable {
  private let schema: Schema
  private let find: SQLiteStatement
  private let replace: SQLiteStatement
  private let delete: SQLiteStatement
  private let list: SQLiteStatement

  /// The table of `schema`, which is there.
  static func prepare(_ schema: Schema, _ connection: borrowing SQLiteConnection) throws(Problem) -> SQLiteEditing {
    let table = schema.name.quotedForSQL
    let columns = schema.columns.map(\.name.quotedForSQL)
    let isKey = schema.key.enumerated().map { "\(columns[$1]) = ?\($0 + 1)" }.joined(separator: " AND ")
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let find = try connection.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(isKey)")
    let others = columns.indices.filter { !schema.key.contains($0) }
    let sets = others.map { "\(columns[$0]) = excluded.\(columns[$0])" }.joined(separator: ", ")
    let clash = others.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(sets)"
    let key = schema.key.map { columns[$0] }.joined(separator: ", ")
    let replace = try connection.prepare(
      "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES(\(places)) ON CONFLICT(\(key)) \(clash)")
    let delete = try connection.prepare("DELETE FROM \(table) WHERE \(isKey)")
    let list = try connection.prepare("SELECT \(schema.key.map { columns[$0] }.joined(separator: ", ")) FROM \(table)")
    return SQLiteEditing(schema: schema, find: find, replace: replace, delete: delete, list: list)
  }

  private init(
    schema: Schema, find: consuming SQLiteStatement, replace: consuming SQLiteStatement,
    delete: consuming SQLiteStatement, list: consuming SQLiteStatement
  ) {
    self.schema = schema
    self.find = find
    self.replace = replace
    self.delete = delete
    self.list = list
  }

  func row(_ key: StoredKey) throws(Problem) -> [Value]? {
    defer { find.reset() }
    for (index, value) in key.values.enumerated() { try find.bind(index + 1, value) }
    guard try find.step() else { return nil }
    return schema.columns.indices.map { find.value($0, schema.columns[$0].type) }
  }

  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem) {
    for (index, value) in row.enumerated() {
      try replace.bind(index + 1, value, typedAs: schema.key.contains(index) ? nil : schema.columns[index].type)
    }
    try replace.run()
  }

  mutating func remove(_ key: StoredKey) throws(Problem) {
    for (index, value) in key.values.enumerated() { try delete.bind(index + 1, value) }
    try delete.run()
  }

  func keys() throws(Problem) -> [StoredKey] {
    defer { list.reset() }
    var keys: [StoredKey] = []
    while try list.step() {
      keys.append(StoredKey(schema.key.enumerated().map { list.value($0, schema.columns[$1].type) }))
    }
    return keys
  }
}

extension SQLiteStatement {
  /// Binds a value in the form in which tables keep it.
  /// - Parameter type: the type of the column, in which the literal of a number is kept as a number where that does not
  ///   change it; nil to keep it as text.
  borrowing func bind(_ index: Int, _ value: Value, typedAs type: ColumnType? = nil) throws(Problem) {
    if let type, case .number(let literal) = value {
      switch StoredNumber(literal) {
      // Among reals, 5 would become 5.0.
      case .integer where type == .real: return try bind(index, text: literal)
      case .integer(let number): return try bind(index, integer: number)
      case .real(let number): return try bind(index, real: number)
      case .literal: return try bind(index, text: literal)
      }
    }
    switch value {
    case .null: try bindNull(index)
    case .boolean(let value): try bind(index, integer: value ? 1 : 0)
    case .integer(let value): try bind(index, integer: value)
    case .real(let value): try bind(index, real: value)
    case .number(let text), .text(let text), .json(let text): try bind(index, text: text)
    case .bytes(let bytes): try bind(index, bytes: bytes)
    }
  }

  /// A column of the current row as a value of `type`.
  borrowing func value(_ column: Int, _ type: ColumnType) -> Value {
    if isNull(column) { return .null }
    switch type {
    case .integer: return .integer(integer(column))
    case .boolean: return .boolean(integer(column) != 0)
    case .real: return isText(column) ? .number(bytes(column)) : .real(real(column))
    case .decimal: return .number(isReal(column) ? real(column).canonicalText : bytes(column))
    case .bytes: return .bytes(blob(column))
    case .list, .json: return .json(bytes(column))
    case .text, .date, .timestamp, .datetime, .url: return .text(bytes(column))
    }
  }
}
