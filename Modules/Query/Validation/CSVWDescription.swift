import Codecs
import Rows

/// Metadata of CSV on the Web, whose structure is checked by the rules of the standard.
struct CSVWDescription {
  /// The columns of the table, without those that are virtual.
  private(set) var cells: [CSVWCell] = []
  /// The columns of the primary key by their positions.
  private(set) var key: [Int] = []
  /// The foreign keys, whose columns may have any of their titles.
  private(set) var references: [TableRules.Reference] = []
  /// Whether the file has a header.
  private(set) var hasHeader = true
  /// Members that the standard ignores: unknown properties, and values of another kind than that of their property.
  private(set) var warnings: [String] = []

  private let name: String

  /// The kind of a property's value.
  private enum Kind { case text, boolean, count, object, list, textOrList, textOrObject, any, direction }

  private static let inherited: [String: Kind] = [
    "aboutUrl": .text, "datatype": .textOrObject, "default": .text, "lang": .text, "null": .textOrList,
    "ordered": .boolean, "propertyUrl": .text, "required": .boolean, "separator": .any, "textDirection": .direction,
    "valueUrl": .text,
  ]
  private static let shared: [String: Kind] = [
    "@id": .text, "@type": .text, "dialect": .textOrObject, "notes": .list, "tableDirection": .direction,
    "tableSchema": .textOrObject, "transformations": .list,
  ]
  private static let properties: [String: [String: Kind]] = [
    "TableGroup": ["@context": .any, "tables": .list].merging(shared) { a, _ in a },
    "Table": ["@context": .any, "url": .text, "suppressOutput": .boolean].merging(shared) { a, _ in a },
    "Schema": [
      "@id": .text, "@type": .text, "@context": .any, "columns": .list, "foreignKeys": .list,
      "primaryKey": .textOrList, "rowTitles": .textOrList,
    ],
    "Column": [
      "@id": .text, "@type": .text, "name": .text, "suppressOutput": .boolean, "titles": .any, "virtual": .boolean,
    ],
    "Dialect": [
      "@id": .text, "@type": .text, "commentPrefix": .any, "delimiter": .text, "doubleQuote": .boolean,
      "encoding": .text, "header": .boolean, "headerRowCount": .count, "lineTerminators": .textOrList,
      "quoteChar": .any, "skipBlankRows": .boolean, "skipColumns": .count, "skipInitialSpace": .boolean,
      "skipRows": .count, "trim": .any,
    ],
    "Template": [
      "@id": .text, "@type": .text, "url": .text, "scriptFormat": .text, "targetFormat": .text, "source": .any,
      "titles": .any,
    ],
  ]

  /// - Throws: `badData` for what the standard calls an error.
  init(_ document: JSON, name: String, of file: String = "") throws(Problem) {
    self.name = name
    try checkContext(document["@context"])
    let isGroup = document["tables"] != nil
    try check(document, isGroup ? "TableGroup" : "Table")
    let tables = isGroup ? document["tables"]?.arrayValue ?? [] : [document]
    let own = tables.first { $0["url"]?.stringValue?.split(at: "/").last.map(String.init) == file }
    guard let table = own ?? tables.first else { throw fault("tables is empty") }
    for table in tables {
      guard table["url"]?.stringValue != nil else { throw fault("a table has no url") }
      if isGroup { try check(table, "Table") }
    }
    hasHeader =
      (table["dialect"] ?? document["dialect"]).map {
        $0["header"]?.booleanValue != false && $0["headerRowCount"]?.integerValue != 0
      } ?? true
    for owner in isGroup ? [document, table] : [document] {
      if let dialect = owner["dialect"], dialect.objectMembers != nil { try check(dialect, "Dialect") }
      for one in owner["transformations"]?.arrayValue ?? [] {
        try check(one, "Template", isClosed: true)
        for property in ["url", "scriptFormat", "targetFormat"] where one[property]?.stringValue == nil {
          throw fault("a transformation has no \(property)")
        }
      }
    }
    guard let schema = table["tableSchema"] ?? document["tableSchema"] else { return }
    try check(schema, "Schema")
    try read(schema, of: table, under: isGroup ? [document, table] : [document], tables)
  }

  private func fault(_ what: String) -> Problem { Problem(.badData, what, at: name) }

  /// The columns and keys of a schema.
  private mutating func read(
    _ schema: JSON, of table: JSON, under owners: [JSON], _ tables: [JSON]
  ) throws(Problem) {
    var names: [String] = [], isVirtual = false
    for (place, column) in (schema["columns"]?.arrayValue ?? []).enumerated() {
      guard column.objectMembers != nil else { continue }
      try check(column, "Column")
      let titles = Self.texts(column["titles"])
      var own = column["name"]?.stringValue
      if let text = own {
        guard Self.isName(text) else { throw fault("invalid column name “\(text)”") }
        if names.contains(text) { throw fault("two columns have the name \(text)") }
      } else {
        own = titles.first ?? "_col.\(place + 1)"
      }
      names.append(own ?? "")
      if column["virtual"]?.booleanValue == true {
        isVirtual = true
        continue
      }
      if isVirtual { throw fault("a virtual column comes before others") }
      var inherited: [String: JSON] = [:]
      for level in owners + [schema, column] {
        for (property, kind) in Self.inherited {
          if let value = level[property], Self.isOf(kind, value) { inherited[property] = value }
        }
      }
      var found: [String] = []
      cells.append(
        try CSVWCell(
          column, names: titles.isEmpty ? [own ?? ""] : titles, inherited: inherited, warn: { found.append($0) },
          at: name))
      warnings += found
    }
    for property in ["primaryKey", "rowTitles"] {
      for reference in Self.texts(schema[property]) where !names.contains(reference) {
        throw fault("\(property) names an unknown column: \(reference)")
      }
    }
    let own = Self.texts(schema["primaryKey"])
    key = own.compactMap { name in names.firstIndex(of: name) }.filter(cells.indices.contains)
    for one in schema["foreignKeys"]?.arrayValue ?? [] {
      let reference = one["reference"]
      let members = one.objectMembers ?? []
      if members.contains(where: { !["columnReference", "reference"].contains($0.name) }) {
        throw fault("a foreign key has an unknown property")
      }
      let columns = Self.texts(one["columnReference"]), others = Self.texts(reference?["columnReference"])
      if let unknown = columns.first(where: { !names.contains($0) }) {
        throw fault("a foreign key names an unknown column: \(unknown)")
      }
      let target = tables.first { table in
        if let resource = reference?["resource"]?.stringValue { return table["url"]?.stringValue == resource }
        return reference?["schemaReference"] != nil && table["tableSchema"]?["@id"] == reference?["schemaReference"]
      }
      guard let target, !columns.isEmpty, columns.count == others.count else {
        throw fault("a foreign key references no table of the metadata")
      }
      let known = target["tableSchema"]?["columns"]?.arrayValue.map { $0.map(Self.names) }
      if let unknown = others.first(where: { name in known?.contains { $0.contains(name) } == false }) {
        throw fault("a foreign key references an unknown column: \(unknown)")
      }
      let path = target["url"]?.stringValue ?? ""
      references.append(
        TableRules.Reference(
          columns: columns.map { name in
            names.firstIndex(of: name).flatMap { cells.indices.contains($0) ? cells[$0].names + [name] : nil } ?? [name]
          },
          others: others.map { name in known?.first { $0.contains(name) } ?? [name] },
          resource: target == table ? "" : path, path: target == table ? "" : path))
    }
  }

  /// The titles and the name of a column.
  private static func names(_ column: JSON) -> [String] { texts(column["titles"]) + texts(column["name"]) }

  private func checkContext(_ context: JSON?) throws(Problem) {
    let standard = JSON.string("http://www.w3.org/ns/csvw")
    if context == standard { return }
    guard let list = context?.arrayValue, list.first == standard, list.count <= 2 else {
      throw Problem(
        .badData, "missing @context", at: name, hint: #"add "@context": "http://www.w3.org/ns/csvw""#)
    }
    for member in list.dropFirst().first?.objectMembers ?? [] where !["@base", "@language"].contains(member.name) {
      throw fault("unknown property \(member.name) in @context")
    }
  }

  /// Checks the properties of an object.
  /// - Parameter isClosed: whether unknown properties are errors.
  private mutating func check(_ object: JSON, _ type: String, isClosed: Bool = false) throws(Problem) {
    let hasInherited = ["TableGroup", "Table", "Schema", "Column"].contains(type)
    for member in object.objectMembers ?? [] {
      let property = member.name, value = member.value
      if property == "@type" {
        let names = type == "TableGroup" ? ["TableGroup"] : type == "Table" ? ["Table"] : [type]
        if !names.contains(value.stringValue ?? "") {
          throw fault("invalid @type of \(type): \(value.stringValue ?? "")")
        }
      } else if property == "@id", value.stringValue?.hasPrefix("_:") != false {
        throw fault("invalid @id of \(type)")
      } else if property.contains(":") {
        if property.hasPrefix("_:") { throw fault("invalid property \(property)") }
        try checkCommon(value)
      } else if let kind = Self.properties[type]?[property] ?? (hasInherited ? Self.inherited[property] : nil) {
        if !Self.isOf(kind, value) { warnings.append("invalid value of \(property)") }
        if property == "notes" { for note in value.arrayValue ?? [] { try checkCommon(note) } }
        if property == "datatype", let kind = value["@type"], kind.stringValue != "Datatype" {
          throw fault("invalid @type of Datatype")
        }
      } else if isClosed || property.hasPrefix("@") {
        throw fault("unknown property \(property) of \(type)")
      } else {
        warnings.append("unknown property \(property)")
      }
    }
  }

  /// Checks the value of a common property, by the rules of JSON-LD that the standard takes over.
  private func checkCommon(_ value: JSON) throws(Problem) {
    for one in value.arrayValue ?? [] { try checkCommon(one) }
    guard let members = value.objectMembers else { return }
    let keys = Set(members.map(\.name))
    if keys.contains("@value") {
      guard keys.subtracting(["@value", "@type", "@language"]).isEmpty,
        !(keys.contains("@type") && keys.contains("@language")), value["@value"]?.objectMembers == nil,
        value["@value"]?.arrayValue == nil
      else { throw fault("invalid @value") }
    } else if keys.contains("@language") {
      throw fault("@language without @value")
    }
    for member in members {
      switch member.name {
      case "@value": continue
      case "@language":
        let isTag = member.value.stringValue?.wholeMatch(of: #/[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*/#) != nil
        if !isTag { throw fault("invalid @language") }
      case "@id": if member.value.stringValue?.hasPrefix("_:") != false { throw fault("invalid @id") }
      case "@type":
        for text in Self.texts(member.value) where text.hasPrefix("_:") || !Self.isTypeName(text) {
          throw fault("invalid @type “\(text)”")
        }
      default:
        if member.name.hasPrefix("@") { throw fault("invalid property \(member.name)") }
        try checkCommon(member.value)
      }
    }
  }

  /// A type is a URL, a name with a prefix, or a term of the standard.
  private static func isTypeName(_ text: String) -> Bool {
    text.contains(":") && !text.contains(" ") || CSVWFormat.kinds[text] != nil || properties[text] != nil
      || text == "Datatype"
  }

  /// A name as in URI templates, which does not begin with an underscore.
  private static func isName(_ text: String) -> Bool {
    !text.hasPrefix("_")
      && text.wholeMatch(of: #/([\p{L}\p{N}_]|%[0-9A-Fa-f]{2})(\.?([\p{L}\p{N}_]|%[0-9A-Fa-f]{2}))*/#) != nil
  }

  private static func isOf(_ kind: Kind, _ value: JSON) -> Bool {
    switch kind {
    case .text: value.stringValue != nil
    case .boolean: value.booleanValue != nil
    case .count: value.integerValue.map { $0 >= 0 } ?? false
    case .object: value.objectMembers != nil
    case .list: value.arrayValue != nil
    case .textOrList: value.stringValue != nil || value.arrayValue != nil
    case .textOrObject: value.stringValue != nil || value.objectMembers != nil
    case .direction: ["ltr", "rtl", "auto", "inherit"].contains(value.stringValue ?? "")
    case .any: true
    }
  }

  /// The texts of a property that is a text, a list of them, or either by language.
  private static func texts(_ value: JSON?) -> [String] {
    guard let value else { return [] }
    if let text = value.stringValue { return [text] }
    return (value.arrayValue ?? value.objectMembers?.map(\.value) ?? []).flatMap { texts($0) }
  }

  /// - Throws: `badData` for a header whose columns are not those of the description.
  func check(header: [String]) throws(Problem) {
    if cells.isEmpty { return }
    guard header.count == cells.count else {
      throw fault("the file has \(header.count) columns, the description \(cells.count)")
    }
    guard hasHeader else { return }
    for (title, cell) in zip(header, cells) {
      let isKnown = cell.names.contains { $0 == title || PercentCoding.decoded($0[...]) == title }
      if !isKnown { throw fault("column “\(title)” is “\(cell.names.first ?? "")” in the description") }
    }
  }
}
