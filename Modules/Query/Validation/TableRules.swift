import Codecs
public import Rows

/// The rules of a description of a table: JSON Schema of a row, Table Schema (Frictionless) or metadata of CSV on the
/// Web.
public struct TableRules: Sendable {
  let schema: JSONSchema
  /// The columns whose values are together different in all rows, and the name of the rule.
  let keys: [(rule: String, columns: [String])]
  /// The rules of fields, by position; nil unless the description is one of CSV on the Web.
  let fields: CSVWDescription?
  /// The forms of texts by column, and how the columns of a file may differ from those of the description; none unless
  /// the description is a Table Schema.
  let forms: [String: TextForm]
  /// The columns whose values are values of another table. There are none in a description of another kind.
  public private(set) var references: [Reference] = []
  private let listed: (names: [String], match: String)?
  private let name: String
  /// Members of the description that the standard ignores.
  public var warnings: [String] { fields?.warnings ?? [] }

  /// Columns whose values together are those of other columns.
  public struct Reference: Sendable, Hashable {
    /// The columns of this table, each with its possible names.
    public let columns: [[String]]
    /// The columns of the other table.
    let others: [[String]]
    /// The name of the other table, and its path from the description; empty for the table itself, no path if it is not
    /// known.
    public let resource: String, path: String?

    /// The positions of columns by the first of their names that the table has.
    static func positions(_ columns: [[String]], in schema: Schema) throws(Problem) -> [Int] {
      try columns.map { (names) throws(Problem) in
        try schema.column(named: names.first(where: schema.columns.has) ?? names.joined(separator: ", "))
      }
    }
  }

  /// Reads a description, whichever it is.
  /// - Parameters:
  ///   - bytes: the description.
  ///   - name: the name of the file in messages.
  ///   - file: the name of the file that is checked, of several in the description.
  /// - Throws: `badData` for a rule that is not supported.
  public init(_ bytes: [UInt8], name: String, of file: String = "") throws(Problem) {
    let document: JSON
    do throws(Problem) { document = try JSON.parse(bytes, name: name) } catch {
      var problem = error
      problem.hint = "name a JSON Schema, a Frictionless table schema or metadata of CSV on the Web"
      throw problem
    }
    self.name = name
    var translation = Translation(name: name)
    let resources = document["resources"]?.arrayValue ?? []
    let own = resources.first { $0["path"]?.stringValue == file } ?? resources.first
    let table = own?["schema"] ?? document["schema"] ?? document
    if let fields = table["fields"]?.arrayValue {
      try translation.fields(fields, table)
      references = try translation.references(table, resources)
    } else if document["@context"] != nil || document["tables"] != nil || document["tableSchema"] != nil {
      fields = try CSVWDescription(document, name: name, of: file)
      references = fields?.references ?? []
      schema = try JSONSchema(.boolean(true), name: name)
      (keys, forms, listed) = ([], [:], nil)
      return
    } else {
      schema = try JSONSchema(document, name: name)
      (keys, forms, listed, fields) = ([], [:], nil, nil)
      return
    }
    fields = nil
    schema = try JSONSchema(
      .object(["properties": .object(translation.properties), "required": .array(translation.required)]), name: name)
    (keys, forms) = (translation.keys, translation.forms)
    listed = (translation.properties.map(\.name), table["fieldsMatch"]?.stringValue ?? "exact")
  }

  /// - Throws: `badData` for a file whose columns are not those of the description.
  func check(header: [String], inOrder: Bool) throws(Problem) {
    guard let (names, match) = listed else { return }
    func fault(_ what: String) -> Problem { Problem(.badData, what, at: name) }
    if match != "superset", match != "partial", let missing = names.first(where: { !header.contains($0) }) {
      throw fault("the file has no column “\(missing)” of the description")
    }
    if match != "subset", match != "partial", let other = header.first(where: { !names.contains($0) }) {
      throw fault("the description has no field “\(other)”, a column of the file")
    }
    if match == "partial", !names.contains(where: header.contains) {
      throw fault("the file has no column of the description")
    }
    if match == "exact", inOrder, header != names { throw fault("the file has the columns in another order") }
  }

  /// Table Schema as JSON Schema.
  private struct Translation {
    let name: String
    var properties: [JSON.Member] = [], required: [JSON] = []
    var keys: [(rule: String, columns: [String])] = []
    var forms: [String: TextForm] = [:]

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
        if ["string", "any"].contains(type), !["default", "any", "email", "uri", "uuid", "binary"].contains(format) {
          throw fault("the format \(format) of \(column)")
        }
        let form = try TextForm(field, type: type, missing: table["missingValues"], at: name)
        forms[column] = form
        var isRequired = false
        for member in field["constraints"]?.objectMembers ?? [] {
          switch member.name {
          case "required": isRequired = member.value.booleanValue == true
          case "unique": if member.value.booleanValue == true { keys.append(("unique", [column])) }
          case "pattern": members.append(("pattern", .string("^(\(member.value.stringValue ?? ""))$")))
          case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
            // A date is compared in the usual form.
            let limit = member.value.stringBytes.flatMap { form.value($0) } ?? member.value
            members.append((Self.bound(member.name, limit), limit))
          case "enum":
            let values = (member.value.arrayValue ?? []).map { value in
              value.stringBytes.flatMap { form.value($0) } ?? value
            }
            members.append((member.name, .array(values)))
          case "minLength", "maxLength": members.append((member.name, member.value))
          default: throw fault("the constraint \(member.name) of \(column)")
          }
        }
        add(column, members, isRequired: isRequired)
      }
      try addKeys(table["primaryKey"])
      for key in table["uniqueKeys"]?.arrayValue ?? [] { keys.append(("uniqueKeys", Self.names(key))) }
    }

    func references(_ table: JSON, _ resources: [JSON]) throws(Problem) -> [Reference] {
      try (table["foreignKeys"]?.arrayValue ?? []).map { (key) throws(Problem) in
        let columns = Self.names(key["fields"]), others = Self.names(key["reference"]?["fields"])
        let resource = key["reference"]?["resource"]?.stringValue ?? ""
        guard !columns.isEmpty, columns.count == others.count else {
          throw Problem(.badData, "a foreign key has not as many fields as its reference", at: name)
        }
        let path = resources.first { $0["name"]?.stringValue == resource }?["path"]?.stringValue
        return Reference(
          columns: columns.map { [$0] }, others: others.map { [$0] }, resource: resource,
          path: resource.isEmpty ? "" : path)
      }
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
  }
}
