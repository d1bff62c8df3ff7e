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
  package init(_ schema: Schema, untypedReals untyped: Set<Int> = [], hasKey: Bool = true) {
    let key = hasKey ? schema.key : []
    var needsComment = false
    var lines = schema.columns.enumerated().map { position, column in
      let name = column.name.quotedForSQL
      let isUntyped = untyped.contains(position)
      if !Self.isEvident(column, isUntyped) { needsComment = true }
      if key == [position], column.type == .integer { return "  \(name) INTEGER PRIMARY KEY" }
      let required = column.isNullable && !key.contains(position) ? "" : " NOT NULL"
      return "  \(name) \(Self.declared(column.type, isUntyped))\(required)\(Self.check(column, isUntyped, name))"
    }
    if !key.isEmpty, key.count > 1 || schema.columns[key[0]].type != .integer {
      lines.append("  PRIMARY KEY(\(key.map { schema.columns[$0].name.quotedForSQL }.joined(separator: ", ")))")
    }
    let types = schema.columns.map { $0.isMixed ? Self.mixed : $0.type.name }.joined(separator: ", ")
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
    case .decimal, .boolean, .date, .timestamp, .url, .list: false
    }
  }

  private static func declared(_ type: ColumnType, _ isUntyped: Bool) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    case .real: isUntyped ? "ANY" : "REAL"
    case .decimal, .json: "ANY"
    case .bytes: "BLOB"
    case .text, .date, .timestamp, .url, .list: "TEXT"
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

  /// The types that the comment of a statement names, in order of the columns, nil for a column of mixed values; nil if
  /// there is no such comment. Whether the statement is one of ours is for the caller to compare.
  package static func types(in text: String, table: String) -> [ColumnType?]? {
    let start = "CREATE TABLE \(table.quotedForSQL)(" + opening
    guard text.utf8.starts(with: start.utf8), let line = text.dropFirst(start.count).split(separator: "\n").first,
      line.hasSuffix(closing)
    else { return nil }
    var types: [ColumnType?] = []
    for word in line.dropLast(closing.count).split(separator: ", ") {
      if word == mixed {
        types.append(nil)
      } else {
        guard let type = ColumnType(name: String(word)) else { return nil }
        types.append(type)
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
