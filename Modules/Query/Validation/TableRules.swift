import Codecs
public import Rows

/// The rules of a description of a table: JSON Schema of a row, Table Schema (Frictionless) or metadata of CSV on the
/// Web.
public struct TableRules: Sendable {
  /// The rules of each row.
  let schema: JSONSchema
  /// The columns whose values are together different in all rows, and the name of the rule.
  let keys: [(rule: String, columns: [String])]

  /// Reads a description, whichever it is.
  /// - Parameter name: the name of the file in messages.
  /// - Throws: `badData` for a rule that is not supported.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    let document = try JSON.parse(bytes, name: name)
    var translation = Translation(name: name)
    let table = document["resources"]?.arrayValue?.first?["schema"] ?? document["schema"] ?? document
    if let fields = table["fields"]?.arrayValue {
      try translation.fields(fields, table)
    } else if let schema = (document["tables"]?.arrayValue?.first ?? document)["tableSchema"] {
      try translation.columns(schema)
    } else {
      schema = try JSONSchema(document, name: name)
      keys = []
      return
    }
    schema = try JSONSchema(
      .object(["properties": .object(translation.properties), "required": .array(translation.required)]), name: name)
    keys = translation.keys
  }

  /// Table Schema and CSV on the Web as JSON Schema.
  private struct Translation {
    let name: String
    var properties: [JSON.Member] = [], required: [JSON] = []
    var keys: [(rule: String, columns: [String])] = []

    init(name: String) { self.name = name }

    private func fault(_ what: String) -> Problem {
      Problem(.badData, "\(what) is not supported", at: name, hint: "remove it, or use another validator")
    }

    private mutating func add(_ column: String, _ members: [(String, JSON)], isRequired: Bool) {
      properties.append(
        JSON.Member(Array(column.utf8), .object(members.map { JSON.Member(Array($0.0.utf8), $0.1) })))
      if isRequired { required.append(.string(column)) }
    }

    private static func names(_ value: JSON?) -> [String] {
      value?.stringValue.map { [$0] } ?? value?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    mutating func fields(_ fields: [JSON], _ table: JSON) throws(Problem) {
      for field in fields {
        guard let column = field["name"]?.stringValue else { throw Problem(.badData, "a field has no name", at: name) }
        let type = field["type"]?.stringValue ?? "any", format = field["format"]?.stringValue ?? "default"
        var members: [(String, JSON)] = []
        switch type {
        case "integer", "number", "boolean", "object", "array": members.append(("type", .string(type)))
        case "year": members += [("type", .string("integer"))]
        case "string", "duration", "geopoint", "geojson", "yearmonth": members.append(("type", .string("string")))
        case "date", "time", "datetime":
          members += [("type", .string("string"))]
          if format == "default" { members.append(("format", .string(type == "datetime" ? "date-time" : type))) }
        case "any", "list": break
        default: throw fault("the type \(type)")
        }
        if ["email", "uri", "uuid"].contains(format) { members.append(("format", .string(format))) }
        if !["default", "any", "email", "uri", "uuid", "binary", "object", "array"].contains(format) {
          throw fault("the format \(format) of \(column)")
        }
        for key in ["trueValues", "falseValues", "decimalChar", "groupChar", "bareNumber"] where field[key] != nil {
          throw fault("\(key) of \(column)")
        }
        var isRequired = false
        for member in field["constraints"]?.objectMembers ?? [] {
          switch member.name {
          case "required": isRequired = member.value.booleanValue == true
          case "unique": if member.value.booleanValue == true { keys.append(("unique", [column])) }
          case "pattern": members.append(("pattern", .string("^(\(member.value.stringValue ?? ""))$")))
          case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
            members.append((Self.bound(member.name, member.value), member.value))
          case "enum", "minLength", "maxLength": members.append((member.name, member.value))
          default: throw fault("the constraint \(member.name) of \(column)")
          }
        }
        add(column, members, isRequired: isRequired)
      }
      try addKeys(table["primaryKey"])
      for key in table["uniqueKeys"]?.arrayValue ?? [] { keys.append(("uniqueKeys", Self.names(key))) }
      if table["foreignKeys"] != nil { throw fault("foreignKeys") }
    }

    private mutating func addKeys(_ key: JSON?) throws(Problem) {
      let primary = Self.names(key)
      if primary.isEmpty { return }
      keys.append(("primaryKey", primary))
      required += primary.filter { name in !required.contains(.string(name)) }.map { .string($0) }
    }

    /// A limit of text, such as a date, is one of its bytes.
    private static func bound(_ keyword: String, _ value: JSON) -> String {
      value.stringValue == nil ? keyword : JSONSchema.textMark + keyword
    }

    /// The least and the greatest value of the integers of XML Schema.
    private static let ranges: [String: (least: String?, greatest: String?)] = [
      "integer": (nil, nil), "long": ("-9223372036854775808", "9223372036854775807"),
      "int": ("-2147483648", "2147483647"), "short": ("-32768", "32767"), "byte": ("-128", "127"),
      "nonNegativeInteger": ("0", nil), "positiveInteger": ("1", nil), "nonPositiveInteger": (nil, "0"),
      "negativeInteger": (nil, "-1"), "unsignedLong": ("0", "18446744073709551615"),
      "unsignedInt": ("0", "4294967295"), "unsignedShort": ("0", "65535"), "unsignedByte": ("0", "255"),
    ]

    mutating func columns(_ schema: JSON) throws(Problem) {
      var titles: [String: String] = [:]
      for column in schema["columns"]?.arrayValue ?? [] where column["virtual"]?.booleanValue != true {
        let title = Self.names(column["titles"]).first ?? column["name"]?.stringValue ?? ""
        if let name = column["name"]?.stringValue { titles[name] = title }
        let datatype = column["datatype"] ?? schema["datatype"] ?? .string("string")
        let base = datatype.stringValue ?? datatype["base"]?.stringValue ?? "string"
        var members: [(String, JSON)] = []
        if let range = Self.ranges[base] {
          members.append(("type", .string("integer")))
          if let least = range.least { members.append(("minimum", .number(Array(least.utf8)))) }
          if let most = range.greatest { members.append(("maximum", .number(Array(most.utf8)))) }
        } else {
          switch base {
          case "number", "decimal", "double", "float": members.append(("type", .string("number")))
          case "boolean": members.append(("type", .string("boolean")))
          case "json", "any", "anyAtomicType": break
          default: members.append(("type", .string("string")))
          }
          let formats = ["date": "date", "dateTime": "date-time", "datetime": "date-time", "time": "time"]
          if let format = formats[base] { members.append(("format", .string(format))) }
        }
        var more: [(String, JSON)] = []
        for member in datatype.objectMembers ?? [] {
          let value =
            member.value.stringValue.flatMap { text in
              Self.ranges[base] != nil || ["number", "decimal", "double", "float"].contains(base)
                ? JSON.number(Array(text.utf8)) : nil
            } ?? member.value
          switch member.name {
          case "minimum", "minInclusive": more.append((Self.bound("minimum", value), value))
          case "maximum", "maxInclusive": more.append((Self.bound("maximum", value), value))
          case "minExclusive": more.append((Self.bound("exclusiveMinimum", value), value))
          case "maxExclusive": more.append((Self.bound("exclusiveMaximum", value), value))
          case "length": more += [("minLength", value), ("maxLength", value)]
          case "minLength", "maxLength": more.append((member.name, value))
          case "format" where members.first?.1 == .string("string") && members.count == 1:
            more.append(("pattern", .string("^(\(member.value.stringValue ?? ""))$")))
          case "format": throw fault("the format of \(title)")
          default: break
          }
        }
        // A second limit of one kind does not take the place of that of the type.
        if more.isEmpty {
          add(title, members, isRequired: column["required"]?.booleanValue == true)
        } else {
          let parts = [members, more].map { part in
            JSON.object(part.map { JSON.Member(Array($0.0.utf8), $0.1) })
          }
          add(title, [("allOf", .array(parts))], isRequired: column["required"]?.booleanValue == true)
        }
      }
      let key = Self.names(schema["primaryKey"]).map { titles[$0] ?? $0 }
      try addKeys(key.isEmpty ? nil : .array(key.map { .string($0) }))
      if schema["foreignKeys"] != nil { throw fault("foreignKeys") }
    }
  }
}
