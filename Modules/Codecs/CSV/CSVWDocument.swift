public import Rows

/// Metadata that describes the columns of a CSV file as specified by W3C CSV on the Web: `NAME.csv-metadata.json`.
///
/// The datatype is the nearest one of the standard. bb's own type, unit and mark of added columns are annotations whose
/// names are absolute URLs, as the standard requires of annotations that it does not define.
public enum CSVWDocument {
  /// The names of bb's annotations. The host is reserved (RFC 2606), so that no other annotation has these names.
  public enum Annotation {
    /// The name of the column's `ColumnType`.
    public static let type = "https://bb.invalid/csvw#type"
    /// The unit of the column's values.
    public static let unit = "https://bb.invalid/csvw#unit"
    /// `spaced` for dates and times with a space between them.
    public static let spelling = "https://bb.invalid/csvw#spelling"
    /// The digits after the point of each number of a column of decimals.
    public static let scale = "https://bb.invalid/csvw#scale"
    /// `true` for a column that the user added to a store.
    public static let extra = "https://bb.invalid/csvw#extra"
    /// The name of the column's `ColumnRole`.
    public static let role = "https://bb.invalid/csvw#role"
  }

  /// The metadata of a table of `schema` in the file named `file`, written in `style`.
  /// - `facts`: what is known about the values; without rows, nothing.
  /// - `scales`: the digits after the point of decimals, by position.
  public static func text(
    of schema: Schema, file: String, style: CSVStyle = CSVStyle(), facts: ColumnFacts = ColumnFacts(),
    scales: [Int: Int] = [:]
  ) -> [UInt8] {
    let names = names(of: schema)
    var lines: [String] = []
    for (position, column) in schema.columns.enumerated() {
      var members: [JSON.Member] = []
      func put(_ key: String, _ value: JSON?) {
        if let value { members.append(JSON.Member(Array(key.utf8), value)) }
      }
      put("name", .string(names[position]))
      put("titles", .string(column.name))
      let type = column.writtenType(in: style)
      put("datatype", datatype(of: type, column.spelling, facts, position))
      put("required", column.isNullable ? nil : .boolean(true))
      // A required text may be empty: nothing means null there.
      put("null", column.isNullable || type != .text ? nil : .array([]))
      put("dc:description", column.summary.isEmpty ? nil : .string(column.summary))
      put(Annotation.type, .string(type.name))
      put(Annotation.spelling, column.spelling == .spaced ? .string("spaced") : nil)
      put(Annotation.unit, column.unit.isEmpty ? nil : .string(column.unit))
      put(Annotation.scale, scales[position].map { .number(Int64($0)) })
      put(Annotation.extra, column.isExtra ? .boolean(true) : nil)
      put(Annotation.role, column.role.map { .string($0.rawValue) })
      lines.append("    " + shown(.object(members)))
    }
    let key = JSON.array(schema.key.map { .string(names[$0]) })
    let primary = schema.key.isEmpty ? "" : ",\n    \"primaryKey\": \(shown(key))"
    let null = style.nullText.isEmpty ? "" : ",\n    \"null\": \(shown(.string(style.nullText)))"
    return Array(
      """
      {"@context": "http://www.w3.org/ns/csvw",
        "url": \(shown(.string(relativeURL(file)))),\(dialect(style))
        "tableSchema": {"columns": [
      \(lines.joined(separator: ",\n"))]\(primary)\(null)}}

      """.utf8)
  }

  /// The settings that differ from the defaults of the standard; empty if none does.
  private static func dialect(_ style: CSVStyle) -> String {
    var members: [JSON.Member] = []
    if style.delimiter != UInt8(ascii: ",") {
      members.append(JSON.Member(Array("delimiter".utf8), .string([style.delimiter])))
    }
    if !style.hasHeader { members.append(JSON.Member(Array("header".utf8), .boolean(false))) }
    if members.isEmpty { return "" }
    // Wherever there is a dialect, the default would make comments of the rows that begin with "#".
    members.append(JSON.Member(Array("commentPrefix".utf8), .null))
    return "\n  \"dialect\": \(shown(.object(members))),"
  }

  private static func shown(_ value: JSON) -> String { String(decoding: value.canonicalBytes, as: UTF8.self) }

  /// The names of the columns as the standard allows them for variables, each different and not empty.
  private static func names(of schema: Schema) -> [String] {
    var names = schema.columns.map { escaped($0.name) { $0 == UInt8(ascii: "_") } }
    for position in names.indices {
      if names[position].hasPrefix("_") { names[position] = "%5F" + names[position].dropFirst() }
      guard names[position].isEmpty else { continue }
      var name = "column\(position + 1)"
      while names.contains(name) { name += "_" }
      names[position] = name
    }
    return names
  }

  /// The name of a file as a relative URL.
  private static func relativeURL(_ file: String) -> String { escaped(file) { "-._~".utf8.contains($0) } }

  /// `text` with percent escapes for everything but ASCII letters, digits, and what `isPlain` allows.
  private static func escaped(_ text: String, isPlain: (UInt8) -> Bool) -> String {
    text.utf8.map { byte in
      byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || isPlain(byte)
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  private static func datatype(
    of type: ColumnType, _ spelling: ValueSpelling, _ facts: ColumnFacts, _ position: Int
  ) -> JSON {
    if type == .boolean, spelling != .usual {
      return .object(["base": .string("boolean"), "format": .string("\(spelling.word(true))|\(spelling.word(false))")])
    }
    if spelling == .usual, facts.isRegular(position) {
      let names: [ColumnType: String] = [.date: "date", .datetime: "dateTime", .timestamp: "dateTimeStamp"]
      if let name = names[type] { return .string(name) }
    }
    return .string(datatype(of: type, hasExponents: facts.exponents.contains(position)))
  }

  private static func datatype(of type: ColumnType, hasExponents: Bool) -> String {
    switch type {
    case .integer: "long"
    case .real: "double"
    // The standard's decimals have neither exponents nor infinities.
    case .decimal: hasExponents ? "double" : "decimal"
    case .boolean: "boolean"
    // The standard has no partial dates and no second 60.
    case .text, .date, .timestamp, .datetime: "string"
    case .bytes: "base64Binary"
    case .url: "anyURI"
    case .list, .json: "json"
    }
  }
}
