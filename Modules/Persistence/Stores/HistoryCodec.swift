import Codecs
import Domain
import Rows

/// Entries of the history as JSON: one line each, readable, and exact.
enum HistoryCodec {
  static func encoded(_ tables: [TableRevisions]) -> [UInt8] { json(tables).canonicalBytes }

  /// The tables of an entry as a value.
  static func json(_ tables: [TableRevisions]) -> JSON {
    let list = tables.map { table in
      let loaded = JSON.Member(Array("loaded".utf8), .number(Int64(table.loaded)))
      return JSON.object(
        [
          JSON.Member(Array("table".utf8), .string(table.schema.name)),
          JSON.Member(
            Array("key".utf8), .array(table.schema.key.map { .string(table.schema.columns[$0].name) })),
          JSON.Member(Array("columns".utf8), .array(table.schema.columns.map(json))),
          JSON.Member(
            Array("rows".utf8),
            .array(
              table.rows.map { row in
                .array(
                  [row.before, row.after].map { values in
                    values.map { .array($0.map(JSON.init(stored:))) } ?? .null
                  })
              })),
        ] + (table.loaded > 0 ? [loaded] : []))
    }
    return .array(list)
  }

  /// The tables that `bytes` describe.
  /// - Throws: `badData` for anything that `encoded` does not write.
  static func decoded(_ bytes: [UInt8], at place: String) throws(Problem) -> [TableRevisions] {
    try tables(try JSON.parse(bytes, name: place, maximumText: .max), at: place)
  }

  static func tables(_ document: JSON, at place: String) throws(Problem) -> [TableRevisions] {
    let damage = Problem(.badData, "damaged history entry", at: place)
    guard let list = document.arrayValue else { throw damage }
    var tables: [TableRevisions] = []
    for item in list {
      guard let name = item["table"]?.stringValue, let key = item["key"]?.arrayValue?.compactMap(\.stringValue),
        let described = item["columns"]?.arrayValue, let rows = item["rows"]?.arrayValue
      else { throw damage }
      var columns: [ColumnDescription] = []
      for column in described {
        guard let name = column[0]?.stringValue, let type = column[1]?.stringValue.flatMap(ColumnType.init(name:)),
          !columns.has(name)
        else { throw damage }
        let marks = column.arrayValue?.dropFirst(2).compactMap(\.stringValue) ?? []
        columns.append(
          ColumnDescription(name, type, nullable: !marks.contains("required"), extra: marks.contains("extra")))
      }
      guard key.allSatisfy(columns.has) else { throw damage }
      var images = TableRevisions(schema: Schema(name, key: key, columns: columns))
      images.loaded = item["loaded"]?.countValue ?? 0
      for row in rows {
        guard let before = row[0], let after = row[1] else { throw damage }
        images.rows.append(
          TableRevisions.Row(
            before: try values(before, columns, damage), after: try values(after, columns, damage)))
      }
      tables.append(images)
    }
    return tables
  }

  private static func json(_ column: ColumnDescription) -> JSON {
    let marks = (column.isNullable ? [] : ["required"]) + (column.isExtra ? ["extra"] : [])
    return .array(([column.name, column.type.name] + marks).map { .string($0) })
  }

  private static func values(_ json: JSON, _ columns: [ColumnDescription], _ damage: Problem) throws(Problem)
    -> [Value]?
  {
    if json.isNull { return nil }
    guard let list = json.arrayValue, list.count == columns.count else { throw damage }
    var values: [Value] = []
    for (item, column) in zip(list, columns) {
      let value: Value?
      switch (item, column.type) {
      case (.null, _): value = .null
      case (.boolean(let truth), .boolean): value = .boolean(truth)
      case (.number(let literal), .integer):
        value = Int64(String(decoding: literal, as: UTF8.self)).map { .integer($0) }
      case (.number(let literal), .real):
        let number = Double(String(decoding: literal, as: UTF8.self))
        value = number.map { $0.isFinite && $0.canonicalText == literal ? .real($0) : .number(literal) }
      case (.number(let literal), .decimal): value = .number(literal)
      case (.string(let text), .list), (.string(let text), .json): value = .json(text)
      case (.string(let text), .bytes): value = Base64.decode(text).map { .bytes($0) }
      case (.string(let text), .text), (.string(let text), .url), (.string(let text), .date),
        (.string(let text), .timestamp), (.string(let text), .datetime):
        value = .text(text)
      default: value = nil
      }
      guard let value else { throw damage }
      values.append(value)
    }
    return values
  }
}
