public import Rows

/// The description of rows as JSON Schema (2020-12).
public enum JSONSchemaDocument {
  /// The schema of a row; it demands only what all rows show.
  public static func text(of schema: Schema, facts: ColumnFacts) -> [UInt8] {
    let properties = schema.columns.enumerated().map { position, column in
      "    " + shown(.string(column.name)) + ": " + shown(type(of: column, facts, position))
    }
    let required = schema.columns.indices.filter { !facts.nulls.contains($0) }.map {
      JSON.string(schema.columns[$0].name)
    }
    return Array(
      """
      {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": \(shown(.string(schema.name))),
        "type": "object",
        "properties": {
      \(properties.joined(separator: ",\n"))},
        "required": \(shown(.array(required)))}

      """.utf8)
  }

  private static func type(of column: ColumnDescription, _ facts: ColumnFacts, _ position: Int) -> JSON {
    let hasNulls = facts.nulls.contains(position)
    var name: String?, items: String?
    switch column.type {
    case .integer: name = "integer"
    case .real, .decimal: name = "number"
    case .boolean: name = "boolean"
    case .text, .date, .timestamp, .datetime, .bytes, .url: name = "string"
    case .list(let element): (name, items) = ("array", element == .integer ? "integer" : "string")
    case .json: break
    }
    var members: [JSON.Member] = []
    func put(_ key: String, _ value: JSON) { members.append(JSON.Member(Array(key.utf8), value)) }
    if let name { put("type", hasNulls ? .array([.string(name), .string("null")]) : .string(name)) }
    // The format of a time has an offset.
    if [.date, .timestamp].contains(column.type), column.spelling == .usual, facts.isRegular(position) {
      put("format", .string(column.type == .date ? "date" : "date-time"))
    }
    if let items { put("items", .object(["type": .string(items)])) }
    if !column.summary.isEmpty { put("description", .string(column.summary)) }
    return .object(members)
  }

  private static func shown(_ value: JSON) -> String { String(decoding: value.canonicalBytes, as: UTF8.self) }
}
