import Codecs
import Dialects
import Files
import Glibc
import Rows

/// The description of a CSV file's columns in a metadata file next to it (W3C CSV on the Web):
/// `NAME.csv-metadata.json`.
struct CSVMetadata {
  /// The columns in the file's order, without those that are virtual; of those without a known type, text.
  private(set) var columns: [ColumnDescription] = []
  /// The deviations of the file from RFC 4180.
  private(set) var dialect = CSVDialect()
  private(set) var encoding = CharacterEncoding.utf8
  private(set) var hasDelimiter = false
  /// The text that means null in every column without rules of its own; nil for none.
  private(set) var nullText: [UInt8]?
  /// Properties that were ignored, in order, each once.
  private(set) var ignored: [String] = []
  private(set) var rules: [Rule] = []
  /// The columns of the key, each with the names that the header may have for it.
  private(set) var key: [[String]] = []

  struct Rule {
    /// The position in `columns` of the column that it reads.
    var position: Int
    /// Names that the header may have for it.
    var titles: [String]
    /// Its type as bb named it, or nil.
    var type: ColumnType?
    var spelling = ValueSpelling.usual
    /// The reader of its fields; nil if `type` is enough.
    var column: CSVWColumn?
  }

  /// The metadata of the file at `path`; nil when there is none.
  /// - Throws: `badData` if it is not valid.
  static func beside(_ path: String) throws(Problem) -> CSVMetadata? {
    let place = path + "-metadata.json"
    guard unsafe access(place, F_OK) == 0 else { return nil }
    let file = path.split(at: "/").last.map(String.init) ?? path
    return try CSVMetadata(try FileByteSource(path: place).bytes(limit: FileLimit.metadata), name: place, file: file)
  }

  /// Parses a metadata document.
  /// - Parameters:
  ///   - name: how messages name the document.
  ///   - file: the name of the CSV file, which chooses one of several tables.
  init(_ bytes: [UInt8], name: String, file: String = "") throws(Problem) {
    let document = try JSON.parse(bytes, name: name)
    let tables = document["tables"]?.arrayValue ?? []
    let table = tables.first { $0["url"]?.stringValue?.split(at: "/").last.map(String.init) == file }
    let owner = table ?? tables.first ?? document
    guard let schema = owner["tableSchema"] ?? document["tableSchema"] else {
      throw Problem(.badData, "missing tableSchema", at: name)
    }
    if schema.stringValue != nil { note("tableSchema (a reference)") }
    try read(owner["dialect"] ?? document["dialect"], name)
    var shared = Inherited()
    for level in [document, owner, schema] { shared.add(level) }
    for property in ["foreignKeys", "transformations"] where (schema[property] ?? owner[property]) != nil {
      note(property)
    }
    let listed = schema["columns"]?.arrayValue ?? []
    // In files of bb only a text without quotes is null; for the standard quotes mean nothing.
    if listed.contains(where: { Self.annotatedType($0) != nil }) { nullText = shared.nulls.first { !$0.isEmpty } }
    for column in listed {
      if column["virtual"]?.booleanValue == true { continue }
      try read(column, shared, name)
    }
    dialect.columns = columns.count
    let names = schema["primaryKey"].map { key in key.arrayValue?.compactMap(\.stringValue) ?? [key.stringValue ?? ""] }
    let found = (names ?? []).compactMap { name in rules.first { $0.titles.contains(name) }?.titles }
    if found.count == names?.count { key = found } else if names != nil { note("primaryKey") }
  }

  private mutating func note(_ property: String) {
    if !ignored.contains(property) { ignored.append(property) }
  }

  // MARK: - Columns

  /// The properties that columns take over from the table and its group.
  private struct Inherited {
    var nulls: [[UInt8]] = [[]]
    var separator: [UInt8]?
    var emptyMeans: [UInt8] = []
    var datatype: JSON?
    var required: Bool?

    mutating func add(_ level: JSON) {
      if let null = level["null"],
        let texts = null.stringBytes.map({ [$0] }) ?? null.arrayValue?.compactMap(\.stringBytes)
      {
        nulls = texts
      }
      if let text = level["separator"]?.stringBytes { separator = text }
      if let text = level["default"]?.stringBytes { emptyMeans = text }
      datatype = level["datatype"] ?? datatype
      required = level["required"]?.booleanValue ?? required
    }
  }

  private mutating func read(_ column: JSON, _ shared: Inherited, _ name: String) throws(Problem) {
    // The header has the title; the name may be another.
    var titles = Self.texts(column["titles"])
    if let text = column["name"]?.stringValue { titles.append(text) }
    guard let title = titles.first else { throw Problem(.badData, "a column has neither a name nor titles", at: name) }
    var own = shared
    own.add(column)
    var rule = Rule(position: columns.count, titles: titles)
    if let word = Self.annotatedType(column) {
      guard let type = ColumnType(name: word) else {
        throw Problem(.badData, "column “\(title)” has the unknown type “\(word)”", at: name)
      }
      rule.type = type
      switch column[CSVWDocument.Annotation.spelling]?.stringValue ?? own.datatype?["format"]?.stringValue {
      case "True|False" where type == .boolean: rule.spelling = .capitalized
      case "TRUE|FALSE" where type == .boolean: rule.spelling = .uppercase
      case "spaced" where type == .datetime: rule.spelling = .spaced
      default: break
      }
    } else {
      let datatype = own.datatype.flatMap { converter($0, of: title) }
      var reading = CSVWColumn(datatype ?? .text)
      reading.nulls = own.nulls
      reading.separator = own.separator
      reading.emptyMeans = own.emptyMeans
      let isPlain = datatype.map(Self.isPlain) ?? true
      if !isPlain || own.separator != nil || !own.emptyMeans.isEmpty || own.nulls != [[]] {
        rule.column = reading
      } else if datatype != nil {
        rule.type = reading.type
      }
    }
    rules.append(rule)
    let type =
      Self.annotatedType(column).flatMap { ColumnType(name: $0) } ?? own.datatype.flatMap(Self.storedType) ?? .text
    columns.append(
      ColumnDescription(
        title, type, nullable: own.required != true, column["dc:description"]?.stringValue ?? "",
        unit: (column[CSVWDocument.Annotation.unit] ?? column["bb:unit"])?.stringValue ?? "",
        extra: (column[CSVWDocument.Annotation.extra] ?? column["bb:extra"])?.booleanValue ?? false,
        role: column[CSVWDocument.Annotation.role]?.stringValue.flatMap(ColumnRole.init)))
  }

  /// The texts of a property that is a text, a list of them, or either by language.
  private static func texts(_ value: JSON?) -> [String] {
    guard let value else { return [] }
    if let text = value.stringValue { return [text] }
    return (value.arrayValue ?? value.objectMembers?.map(\.value) ?? []).flatMap { texts($0) }
  }

  /// bb's own name for the type of a column; files of earlier versions have it under another name.
  private static func annotatedType(_ column: JSON) -> String? {
    (column[CSVWDocument.Annotation.type] ?? column["bb:type"])?.stringValue
  }

  // MARK: - Datatypes

  private static func base(of datatype: JSON) -> String? {
    datatype.stringValue ?? datatype["base"]?.stringValue ?? (datatype.objectMembers == nil ? nil : "string")
  }

  /// The type of a column of a directory store, whose fields are read as bb writes them.
  private static func storedType(_ datatype: JSON) -> ColumnType? {
    if datatype["format"] != nil { return .text }
    switch base(of: datatype) {
    case "integer", "long", "int", "short", "byte": return .integer
    case "number", "decimal", "double", "float": return .decimal
    case "boolean": return .boolean
    case "date": return .date
    case "anyURI": return .url
    case "base64Binary", "binary": return .bytes
    case "json": return .json
    case "string": return .text
    default: return nil
    }
  }

  /// Whether the fields of this datatype are what bb reads without metadata.
  private static func isPlain(_ datatype: CSVWColumn.Datatype) -> Bool {
    switch datatype {
    case .text, .url, .base64, .json: true
    default: false
    }
  }

  /// The converter for a datatype; nil for one that the standard does not define.
  private mutating func converter(_ datatype: JSON, of title: String) -> CSVWColumn.Datatype? {
    for member in datatype.objectMembers ?? [] {
      let isKnown = ["base", "format"].contains(member.name) || member.name.contains(":") || member.name.hasPrefix("@")
      if !isKnown, !["dc:title", "dc:description", "id"].contains(member.name) { note(member.name) }
    }
    let format = datatype["format"]
    switch Self.base(of: datatype) {
    case "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger",
      "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte":
      return .integer(Self.numbers(format))
    case "number", "double", "float": return .number(Self.numbers(format), allowsNonfinite: true)
    case "decimal": return .number(Self.numbers(format), allowsNonfinite: false)
    case "boolean":
      let words = (format?.stringValue ?? "").split(at: "|", omittingEmptySubsequences: false)
      guard words.count == 2 else {
        if format != nil { note("format of \(title)") }
        return .boolean(
          yes: [Array("true".utf8), Array("1".utf8)], no: [Array("false".utf8), Array("0".utf8)])
      }
      return .boolean(yes: [Array(words[0].utf8)], no: [Array(words[1].utf8)])
    case "date": return .date(dates(format, title))
    case "dateTime", "datetime", "dateTimeStamp": return .timestamp(dates(format, title))
    case "time", "gYear", "gYearMonth", "gMonthDay", "gDay", "gMonth", "duration", "dayTimeDuration",
      "yearMonthDuration":
      return dates(format, title).map { .isoText($0) } ?? .text
    case "anyURI": return .url
    case "base64Binary", "binary": return .base64
    case "hexBinary": return .hexadecimal
    case "json": return .json
    case "string", "normalizedString", "token", "language", "Name", "NMTOKEN", "QName", "xml", "html", "any",
      "anyAtomicType":
      if format != nil { note("format of \(title)") }
      return .text
    default:
      note("datatype of \(title)")
      return nil
    }
  }

  private static func numbers(_ format: JSON?) -> CSVWNumberFormat {
    var numbers = CSVWNumberFormat()
    let pattern = format?.stringValue ?? format?["pattern"]?.stringValue
    if pattern?.contains(",") == true { numbers.group = [UInt8(ascii: ",")] }
    numbers.groupSizes = pattern.flatMap { CSVWNumberFormat.GroupSizes($0) }
    if let text = format?["groupChar"]?.stringBytes { numbers.group = text }
    if let text = format?["decimalChar"]?.stringBytes, !text.isEmpty { numbers.point = text }
    return numbers
  }

  private mutating func dates(_ format: JSON?, _ title: String) -> CSVWDateFormat? {
    guard let format else { return nil }
    let parsed = format.stringValue.flatMap { CSVWDateFormat($0) }
    if parsed == nil { note("format of \(title)") }
    return parsed
  }

  // MARK: - Dialect

  private mutating func read(_ description: JSON?, _ name: String) throws(Problem) {
    for member in description?.objectMembers ?? [] {
      let value = member.value, text = value.stringBytes, number = value.integerValue.flatMap { Int(exactly: $0) }
      switch member.name {
      case "delimiter":
        guard let text else { continue }
        do throws(Problem) {
          dialect.delimiter = [try CSVStyle.delimiter(named: String(decoding: text, as: UTF8.self))]
        } catch {
          throw Problem(.badData, error.message, at: name, hint: error.hint)
        }
        hasDelimiter = true
      case "header":
        if description?["headerRowCount"] == nil { dialect.headerRows = value.booleanValue == false ? 0 : 1 }
      case "headerRowCount": dialect.headerRows = max(number ?? 1, 0)
      case "skipRows": dialect.skippedRows = max(number ?? 0, 0)
      case "commentPrefix": dialect.comment = text ?? []
      case "quoteChar":
        if let text, text.count > 1 || text.first.map({ $0 >= 0x80 }) == true {
          note(member.name)
        } else {
          dialect.quote = text?.first
        }
      case "doubleQuote": dialect.escape = value.booleanValue ?? true ? .double : .backslash
      case "skipInitialSpace": dialect.skipsInitialSpace = value.booleanValue ?? false
      case "skipColumns": if (number ?? 0) > 0 { note(member.name) }
      case "encoding":
        let name = (value.stringValue ?? "utf-8").lowercased()
        if let known = CharacterEncoding(named: name) {
          encoding = known
        } else if !["us-ascii", "ascii", "utf-8-bom"].contains(name) {
          note("encoding \(name)")
        }
      case "lineTerminators":
        let ends = value.arrayValue?.compactMap(\.stringValue) ?? [value.stringValue].compactMap { $0 }
        if !ends.allSatisfy({ $0 == "\n" || $0 == "\r\n" }) { note(member.name) }
      case "trim": if value != .boolean(false), value.stringValue != "false" { note(member.name) }
      default: break
      }
    }
  }
}
