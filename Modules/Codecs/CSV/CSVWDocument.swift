public import Rows

/// What a CSV file's columns are, for the file beside it (W3C CSV on the Web): `NAME-metadata.json`.
///
/// bb's own type stands in `bb:type`, its unit in `bb:unit`; the datatype is the standard's that comes nearest.
public enum CSVWDocument {
  /// The metadata of a table in the file called `file`, written in `style`.
  public static func text(of schema: Schema, file: String, style: CSVStyle = CSVStyle()) -> [UInt8] {
    var lines: [String] = []
    for column in schema.columns {
      var members: [JSON.Member] = []
      func put(_ key: String, _ value: JSON?) {
        if let value { members.append(JSON.Member(Array(key.utf8), value)) }
      }
      put("name", .string(variable(column.name)))
      put("titles", .string(column.name))
      let type = column.type.written(in: style)
      put("datatype", .string(datatype(of: type)))
      put("required", column.isNullable ? nil : .boolean(true))
      put("dc:description", column.summary.isEmpty ? nil : .string(column.summary))
      put("bb:type", .string(type.name))
      put("bb:unit", column.unit.isEmpty ? nil : .string(column.unit))
      put("bb:extra", column.isExtra ? .boolean(true) : nil)
      lines.append("    " + shown(.object(members)))
    }
    let key = JSON.array(schema.key.map { .string(variable(schema.columns[$0].name)) })
    let primary = schema.key.isEmpty ? "" : ",\n    \"primaryKey\": \(shown(key))"
    let null =
      style.nullText.isEmpty ? "" : ",\n    \"null\": \(shown(.array([.string(style.nullText), .string("")])))"
    return Array(
      """
      {"@context": ["http://www.w3.org/ns/csvw", {"bb": "urn:bb:"}],
        "url": \(shown(.string(file))),\(dialect(style))
        "tableSchema": {"columns": [
      \(lines.joined(separator: ",\n"))]\(primary)\(null)}}

      """.utf8)
  }

  /// What is not as the standard takes for granted; empty when all is.
  private static func dialect(_ style: CSVStyle) -> String {
    var members: [JSON.Member] = []
    if style.delimiter != UInt8(ascii: ",") {
      members.append(JSON.Member(Array("delimiter".utf8), .string([style.delimiter])))
    }
    if !style.hasHeader { members.append(JSON.Member(Array("header".utf8), .boolean(false))) }
    return members.isEmpty ? "" : "\n  \"dialect\": \(shown(.object(members))),"
  }

  private static func shown(_ value: JSON) -> String { String(decoding: value.canonicalBytes, as: UTF8.self) }

  /// A name as the standard wants it for variables: letters, digits and underscores, the rest as percent signs and digits.
  private static func variable(_ name: String) -> String {
    name.utf8.enumerated().map { place, byte in
      let isPlain = byte &- 48 < 10 || byte &- 65 < 26 || byte &- 97 < 26 || byte == UInt8(ascii: "_") && place > 0
      return isPlain
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// The datatype of the standard that comes nearest.
  private static func datatype(of type: ColumnType) -> String {
    switch type {
    case .integer: "long"
    case .real: "double"
    case .decimal: "decimal"
    case .boolean: "boolean"
    // A partial date is no date of the standard, and a timestamp may lack what it asks for.
    case .text, .date, .timestamp: "string"
    case .bytes: "base64Binary"
    case .url: "anyURI"
    case .list, .json: "json"
    }
  }
}
