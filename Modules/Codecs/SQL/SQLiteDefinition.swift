package import Rows

/// The statement that creates a plain table in SQLite: no other table, trigger or index is needed to read it.
///
/// Types that SQLite does not have are named in a comment within the statement, which SQLite keeps with the table.
package struct SQLiteDefinition {
  /// The statement, without a semicolon.
  package let text: String

  /// - Parameters:
  ///   - untyped: positions of real columns that hold `-0.0` or literals that SQLite would change; a REAL column cannot
  ///     keep them.
  ///   - hasKey: whether the key of the schema becomes the primary key; false if a key has a null.
  ///   - decimals: the shapes of columns of decimals, by position. A REAL column keeps those that Doubles hold; the
  ///     comment names the digits that all numbers have after the point.
  package init(
    _ schema: Schema, untypedReals untyped: Set<Int> = [], decimals: [Int: DecimalShape] = [:], hasKey: Bool = true
  ) {
    let doubles = decimals.filter { $0.value.storage == .double }, scales = doubles.compactMapValues(\.scale)
    let schema = schema.retyped { doubles[$0] != nil && scales[$0] == nil ? .real : nil }
    let key = hasKey ? schema.key : []
    var needsComment = false
    var lines = schema.columns.enumerated().map { position, column in
      let name = column.name.quotedForSQL
      let isUntyped = untyped.contains(position)
      if !Self.isEvident(column, isUntyped) { needsComment = true }
      if key == [position], column.type == .integer { return "  \(name) INTEGER PRIMARY KEY" }
      let required = column.isNullable && !key.contains(position) ? "" : " NOT NULL"
      if scales[position] != nil { return "  \(name) REAL\(required)" }
      return "  \(name) \(Self.declared(column.type, isUntyped))\(required)\(Self.check(column, isUntyped, name))"
    }
    if !key.isEmpty, key.count > 1 || schema.columns[key[0]].type != .integer {
      lines.append("  PRIMARY KEY(\(key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")))")
    }
    let types = schema.columns.enumerated().map { position, column in
      column.isMixed ? Self.mixed : column.type.name + (scales[position].map { ":\($0)" } ?? "")
    }.joined(separator: ", ")
    let comment = needsComment ? Self.opening + types + Self.closing : ""
    let options = key.count > 1 ? "STRICT, WITHOUT ROWID" : "STRICT"
    text = "CREATE TABLE \(schema.name.quotedForSQL)(\(comment)\n\(lines.joined(separator: ",\n"))\n) \(options)"
  }

  private static let mixed = "any"
  private static let opening = " /* types: ", closing = " */"

  /// Whether the declared type, or the values, tell the type of a column.
  private static func isEvident(_ column: ColumnDescription, _ isUntyped: Bool) -> Bool {
    switch column.type {
    case .integer, .text, .bytes: true
    case .real: !isUntyped
    case .json: column.isMixed
    case .decimal, .boolean, .date, .timestamp, .datetime, .url, .list: false
    }
  }

  private static func declared(_ type: ColumnType, _ isUntyped: Bool) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    case .real: isUntyped ? "ANY" : "REAL"
    case .decimal, .json: "ANY"
    case .bytes: "BLOB"
    case .text, .date, .timestamp, .datetime, .url, .list: "TEXT"
    }
  }

  private static func check(_ column: ColumnDescription, _ isUntyped: Bool, _ name: String) -> String {
    switch column.type {
    case .boolean: " CHECK(\(name) IN (0, 1))"
    case .decimal: " CHECK(typeof(\(name)) <> 'blob')"
    case .real where isUntyped: " CHECK(typeof(\(name)) <> 'integer' AND typeof(\(name)) <> 'blob')"
    default: ""
    }
  }

  /// The types that the comment of a statement names, in order of the columns, nil for a column of mixed values, and
  /// the digits after the point of decimals that are Doubles; nil if there is no such comment. The caller checks
  /// whether bb wrote the statement.
  package static func types(in text: String, table: String) -> [(type: ColumnType?, scale: Int?)]? {
    let start = "CREATE TABLE \(table.quotedForSQL)(" + opening
    guard text.utf8.starts(with: start.utf8), let line = text.dropFirst(start.count).split(at: "\n").first,
      line.hasSuffix(closing)
    else { return nil }
    var types: [(type: ColumnType?, scale: Int?)] = []
    for word in line.dropLast(closing.count).split(separator: ", ") {
      if word == mixed {
        types.append((nil, nil))
      } else {
        let parts = word.split(at: ":")
        guard let type = parts.first.flatMap({ ColumnType(name: String($0)) }) else { return nil }
        types.append((type, parts.count == 2 ? Int(parts[1]) : nil))
      }
    }
    return types
  }
}

extension String {
  /// A name as SQL writes it, whatever characters it has.
  package var quotedForSQL: String {
    // By bytes: a quotation mark followed by a combining character is another Character, but the same byte.
    let quote = UInt8(ascii: "\"")
    var name = [quote]
    for byte in utf8 { name += byte == quote ? [quote, quote] : [byte] }
    return String(decoding: name + [quote], as: UTF8.self)
  }
}
