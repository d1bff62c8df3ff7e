public import Rows

/// The description of some files (Frictionless Data Package) for the file `datapackage.json`.
public enum DataPackageDocument {
  /// One file of a package.
  public struct Resource: Sendable, Hashable {
    /// Its name within the directory.
    let file: String
    /// The format: `csv`, `json`.
    let format: String
    let mediaType: String
    /// Its CSV style; nil for any other format.
    let style: CSVStyle?

    /// A file of a package.
    public init(file: String, format: String, mediaType: String, style: CSVStyle?) {
      self.file = file
      self.format = format
      self.mediaType = mediaType
      self.style = style
    }
  }

  /// The description of `resources`, each a table of `schema`.
  /// - `facts`: what is known about the values; without rows, nothing.
  public static func text(
    of schema: Schema, resources: [Resource], facts: ColumnFacts = ColumnFacts()
  ) -> [UInt8] {
    let parts = resources.map { "    " + shown(description(of: $0, schema, facts)) }
    return Array(
      """
      {"profile": "data-package",
        "name": \(shown(.string(name(schema.name)))),
        "resources": [
      \(parts.joined(separator: ",\n"))]}

      """.utf8)
  }

  private static func description(of resource: Resource, _ schema: Schema, _ facts: ColumnFacts) -> JSON {
    var members = members([
      "name": .string(name(resource.file)), "path": .string(resource.file), "format": .string(resource.format),
      "mediatype": .string(resource.mediaType), "encoding": .string("utf-8"),
    ])
    if let style = resource.style {
      let lineEnd = style.lineEnding == .lf ? "\n" : "\r\n"
      let dialect = self.members([
        "delimiter": .string([style.delimiter]), "lineTerminator": .string(lineEnd), "quoteChar": .string("\""),
        "doubleQuote": .boolean(true), "header": .boolean(style.hasHeader),
      ])
      members += self.members(["profile": .string("tabular-data-resource"), "dialect": .object(dialect)])
    }
    return .object(members + self.members(["schema": table(schema, facts, resource.style)]))
  }

  private static func table(_ schema: Schema, _ facts: ColumnFacts, _ style: CSVStyle?) -> JSON {
    let fields = schema.columns.enumerated().map { position, column in
      // Where the empty text means a missing value, a required column must have none.
      let isRequired = !column.isNullable && (style == nil || !facts.emptyTexts.contains(position))
      let isDay = column.type == .date && column.spelling == .usual && facts.isRegular(position)
      return field(column, isRequired: isRequired, isDay: isDay, style ?? CSVStyle())
    }
    var table = self.members(["fields": .array(fields)])
    if !schema.key.isEmpty {
      table += self.members(["primaryKey": .array(schema.key.map { .string(schema.columns[$0].name) })])
    }
    if let style {
      table += self.members([
        "missingValues": .array(style.nullText.isEmpty ? [.string("")] : [.string(style.nullText)])
      ])
    }
    return .object(table)
  }

  /// The description of a table alone (Table Schema).
  public static func schemaText(of schema: Schema, facts: ColumnFacts) -> [UInt8] {
    Array((shown(table(schema, facts, CSVStyle())) + "\n").utf8)
  }

  private static func field(_ column: ColumnDescription, isRequired: Bool, isDay: Bool, _ style: CSVStyle) -> JSON {
    let type = column.writtenType(in: style)
    var field = members(["name": .string(column.name), "type": .string(isDay ? "date" : self.type(of: type))])
    if column.type == .bytes { field += members(["format": .string("binary")]) }
    if !column.summary.isEmpty { field += members(["description": .string(column.summary)]) }
    if isRequired { field += members(["constraints": .object(["required": .boolean(true)])]) }
    return .object(field + members([CSVWDocument.Annotation.type: .string(type.name)]))
  }

  /// The type of Table Schema that comes nearest.
  private static func type(of type: ColumnType) -> String {
    switch type {
    case .integer: "integer"
    case .real, .decimal: "number"
    case .boolean: "boolean"
    // A partial date is not a date in the standard.
    case .text, .date, .timestamp, .datetime, .bytes, .url: "string"
    case .list: "array"
    case .json: "any"
    }
  }

  /// A name as packages want it: small letters, digits, points, hyphens and underscores.
  private static func name(_ text: String) -> String {
    let name = String(
      decoding: text.lowercased().utf8.map { byte in
        byte &- 48 < 10 || byte &- 97 < 26 || "._-".utf8.contains(byte) ? byte : UInt8(ascii: "-")
      }, as: UTF8.self)
    return name.isEmpty ? "table" : name
  }

  private static func members(_ pairs: KeyValuePairs<String, JSON>) -> [JSON.Member] {
    pairs.map { JSON.Member(Array($0.key.utf8), $0.value) }
  }

  private static func shown(_ value: JSON) -> String { String(decoding: value.canonicalBytes, as: UTF8.self) }
}
