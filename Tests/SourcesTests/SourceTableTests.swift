import Codecs
import Glibc
import Sources
import Testing

/// The keys of source definitions: what the schema accepts is read, written, and documented.
@Suite("every key of a source definition") struct SourceTableTests {
  /// A place of a document where a key may occur.
  private struct Place {
    /// The keys and positions that lead to the object, and the key.
    var path: [String]
    /// The place in the schema: `datasets/paging[page]/param`.
    var name: String
    var schema: JSON
  }

  /// The places in a document for keys of its schema, with those that it has.
  private static func places(_ value: JSON, _ schema: JSON, _ path: [String], _ name: String) -> [Place] {
    if let forms = schema["oneOf"]?.arrayValue {
      guard let form = forms.first(where: { isOf($0, value) }) else { return [] }
      let tag = (form["properties"]?.objectMembers ?? []).compactMap { $0.value["const"]?.stringValue }.first
      return places(value, form, path, tag.map { "\(name)[\($0)]" } ?? name)
    }
    if let items = schema["items"], let elements = value.arrayValue {
      return elements.enumerated().flatMap { places($1, items, path + [String($0)], name) }
    }
    guard let members = value.objectMembers else { return [] }
    if let other = schema["additionalProperties"], other.objectMembers != nil {
      return members.flatMap { places($0.value, other, path + [$0.name], "\(name)/*") }
    }
    return (schema["properties"]?.objectMembers ?? []).filter { $0.value["const"] == nil }.flatMap { property in
      let key = property.name, place = Place(path: path + [key], name: "\(name)/\(key)", schema: property.value)
      return [place] + (value[key].map { places($0, property.value, path + [key], "\(name)/\(key)") } ?? [])
    }
  }

  /// Whether a value is of one of several forms, if it is of any.
  private static func isOf(_ form: JSON, _ value: JSON) -> Bool {
    if let choice = form["enum"]?.arrayValue { return choice.contains(value) }
    guard let properties = form["properties"]?.objectMembers else {
      return value.objectMembers == nil && (value.arrayValue == nil) == (form["items"] == nil)
    }
    guard let members = value.objectMembers else { return false }
    if let tag = properties.first(where: { $0.value["const"] != nil }) { return value[tag.name] == tag.value["const"] }
    return members.allSatisfy { member in properties.contains { $0.key == member.key } }
  }

  /// Every key of a schema.
  private static func keys(_ schema: JSON, _ name: String) -> Set<String> {
    if let forms = schema["oneOf"]?.arrayValue {
      return forms.reduce(into: []) { all, form in
        let tag = (form["properties"]?.objectMembers ?? []).compactMap { $0.value["const"]?.stringValue }.first
        all.formUnion(keys(form, tag.map { "\(name)[\($0)]" } ?? name))
      }
    }
    if let items = schema["items"] { return keys(items, name) }
    if let other = schema["additionalProperties"], other.objectMembers != nil { return keys(other, "\(name)/*") }
    return (schema["properties"]?.objectMembers ?? []).filter { $0.value["const"] == nil }.reduce(into: []) {
      $0.insert("\(name)/\($1.name)")
      $0.formUnion(keys($1.value, "\(name)/\($1.name)"))
    }
  }

  private static let words = [
    "id", "n", "x", "/a", "/a/b~1c", "https://h/x", "{base}/x", "A_1", "X-A", "30d", "2", ";", "#place", "#key",
    "#page",
    "epoch-ms", "dd.MM.yyyy", "UTC", "of", "at", "d",
  ]
  /// The words of each pattern of the schemas.
  private static let fitting: [String: [JSON]] = {
    func patterns(_ value: JSON) -> Set<String> {
      let own = Set([value["pattern"]?.stringValue].compactMap(\.self))
      return ((value.objectMembers ?? []).map(\.value) + (value.arrayValue ?? [])).reduce(own) {
        $0.union(patterns($1))
      }
    }
    var all: [String: [JSON]] = ["": words.map { .string($0) }]
    for grammar in [1, 2] {
      for pattern in patterns((try? JSON.parse(SourceFile.schema(grammar: grammar), name: "schema")) ?? .null) {
        all[pattern] = all[""]?.filter {
          SchemaValidator().fault($0, .object(["pattern": .string(pattern)])) == nil
        }
      }
    }
    return all
  }()
  /// A value that a schema accepts.
  private static func value(_ schema: JSON, _ random: inout some RandomNumberGenerator) -> JSON {
    if let constant = schema["const"] { return constant }
    if let choice = schema["enum"]?.arrayValue { return choice.randomElement(using: &random) ?? .null }
    if let forms = schema["oneOf"]?.arrayValue, let form = forms.randomElement(using: &random) {
      return value(form, &random)
    }
    let type = schema["type"]?.arrayValue?.randomElement(using: &random) ?? schema["type"]
    switch type?.stringValue {
    case "string":
      return (fitting[schema["pattern"]?.stringValue ?? ""] ?? []).randomElement(using: &random) ?? .string("x")
    case "integer":
      let least = schema["minimum"]?.integerValue ?? 0
      return .number(Int64.random(in: least...least + 90, using: &random))
    case "number": return .number(Array("0.5".utf8))
    case "boolean": return .boolean(Bool.random(using: &random))
    case "array":
      let least = Int(schema["minItems"]?.integerValue ?? 0), items = schema["items"] ?? .null
      return .array((0..<max(least, Int.random(in: 0...2, using: &random))).map { _ in value(items, &random) })
    case "object":
      let required = Set((schema["required"]?.arrayValue ?? []).compactMap(\.stringValue))
      if let other = schema["additionalProperties"], other.objectMembers != nil {
        let names = fitting[schema["propertyNames"]?["pattern"]?.stringValue ?? ""] ?? []
        return .object([
          JSON.Member(names.randomElement(using: &random)?.stringBytes ?? [120], value(other, &random))
        ])
      }
      return .object(
        (schema["properties"]?.objectMembers ?? []).filter {
          required.contains($0.name) || Int.random(in: 0..<3, using: &random) == 0
        }.map { JSON.Member($0.key, value($0.value, &random)) })
    default:
      return [.null, .number(7), .string("x"), .object(["a": .array([])])].randomElement(using: &random) ?? .null
    }
  }

  private static func setting(_ new: JSON, at path: ArraySlice<String>, in value: JSON) -> JSON {
    guard let step = path.first else { return new }
    if var elements = value.arrayValue, let position = Int(step) {
      elements[position] = setting(new, at: path.dropFirst(), in: elements[position])
      return .array(elements)
    }
    var members = value.objectMembers ?? []
    let member = JSON.Member(Array(step.utf8), setting(new, at: path.dropFirst(), in: value[step] ?? .object([])))
    if let position = members.firstIndex(where: { $0.name == step }) {
      members[position] = member
    } else {
      members.append(member)
    }
    return .object(members)
  }
  private static func value(at path: [String], in value: JSON) -> JSON? {
    path.reduce(value) { found, step in found.flatMap { $0[step] ?? Int(step).flatMap { found?[$0] ?? nil } } }
  }

  private static func read(_ document: JSON) -> APIDescription? {
    try? SourceFile.read(document.canonicalBytes, name: "x.json")
  }
  private static func written(_ source: APIDescription) throws -> JSON {
    try JSON.parse(SourceFile.text(of: source), name: "written")
  }

  @Test("a generated value of every key is read, written, and read as the same", arguments: [1, 2])
  func roundTrip(grammar: Int) throws {
    let schema = try JSON.parse(SourceFile.schema(grammar: grammar), name: "schema")
    var hosts = try SourceTableHosts.all.map { try JSON.parse(Array($0.utf8), name: "host") }
    if grammar == 1 { hosts = try (try SourceFileTests.rich()).map { try Self.written($0) } }
    var random = Sequence(state: 7), missing = Self.keys(schema, ""), position = 0, tries: [String: Int] = [:]
    // A definition with a new key is changed as well.
    while position < hosts.count, position < 80, !missing.isEmpty {
      let host = hosts[position], original = try #require(Self.read(host))
      position += 1
      let wanted = Set(missing.flatMap(Self.heads))
      for place in Self.places(host, schema, [], "") {
        let isNew = wanted.contains(place.name)
        guard isNew || Int.random(in: 0..<40, using: &random) == 0 else { continue }
        for _ in 0..<(isNew ? 6 : 1) {
          tries[place.name, default: 0] += 1
          guard tries[place.name, default: 0] < 30 else { break }
          let new = Self.value(place.schema, &random)
          let document = Self.setting(new, at: place.path[...], in: host)
          // A key without an effect on the description is not read.
          guard let source = Self.read(document), source != original else { continue }
          let text = try Self.written(source)
          #expect(Self.read(text) == source, "\(place.name): \(String(decoding: new.canonicalBytes, as: UTF8.self))")
          let present =
            [place.name]
            + Self.places(new, place.schema, [], place.name).filter {
              Self.value(at: $0.path, in: new) != nil
            }.map(\.name)
          if !missing.isDisjoint(with: present) { hosts.append(document) }
          missing.subtract(present)
        }
      }
    }
    // Combinations of keys that chance does not find are in the definitions of the other suites.
    #expect(missing.count * 4 < Self.keys(schema, "").count, "without an effect: \(missing.sorted())")
  }

  /// A key and the keys above it.
  private static func heads(_ key: String) -> [String] {
    [key] + key.utf8.indices.filter { [47, 91].contains(key.utf8[$0]) }.map { String(key[..<$0]) }
  }

  /// Random numbers that are the same in every run.
  private struct Sequence: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      let value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      return value ^ value >> 31
    }
  }

  // MARK: - Documentation

  private static let article = #filePath.replacing(
    "Tests/SourcesTests/SourceTableTests.swift", with: "Modules/Domain/Domain.docc/DescribeAnAPI.md")

  /// The value of a key, for a reader.
  private static func shown(_ schema: JSON) -> String {
    func either(_ words: [String]) -> String {
      words.count < 3
        ? words.joined(separator: " or ") : "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
    }
    if let constant = schema["const"] { return String(decoding: constant.canonicalBytes, as: UTF8.self) }
    if let choice = schema["enum"]?.arrayValue { return either(choice.map { "`\($0.stringValue ?? "")`" }) }
    if let forms = schema["oneOf"]?.arrayValue {
      let tag = (forms[0]["properties"]?.objectMembers ?? []).first { $0.value["const"] != nil }
      if let tag { return "object, by `\(tag.name)`" }
      return either(forms.map(shown).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    }
    switch schema["type"]?.stringValue {
    case "string":
      let pattern = schema["pattern"]?.stringValue ?? ""
      return pattern == "^(/([^/~]|~[01])*)*$" ? "pointer" : "text"
    case "boolean": return "`true` or `false`"
    case "array":
      let element = schema["items"] ?? .null, type = element["type"]?.arrayValue?.first ?? element["type"]
      if element["oneOf"] != nil || type == .string("object") { return "list of objects" }
      return
        "list of \(type == .string("integer") ? "integers" : element["pattern"] == nil ? "texts" : "\(shown(element))s")"
    case "object":
      let names = (schema["properties"]?.objectMembers ?? []).map { "`\($0.name)`" }
      return names.isEmpty ? "object" : "object: \(names.joined(separator: ", "))"
    case let other?: return other
    case nil: return schema["type"] == nil ? "any" : "text, number or Boolean"
    }
  }
  /// Placeholders and selectors as code.
  private static func quoted(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      ["{", "#", "/NAME]"].contains { word.hasPrefix($0) } && !word.hasSuffix("]") ? "`\(word)`" : String(word)
    }.joined(separator: " ")
  }
  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows.map { $0.map(Self.quoted) }
    return lines.map { $0[0] == "---" ? "|\($0.joined(separator: "|"))|" : "| \($0.joined(separator: " | ")) |" }
      .joined(separator: "\n")
  }
  private static func keyTable(_ schema: JSON?, without others: [String] = []) -> String {
    let required = (schema?["required"]?.arrayValue ?? []).compactMap(\.stringValue)
    return table(
      ["Key", "Value", "Meaning"],
      (schema?["properties"]?.objectMembers ?? []).filter { !others.contains($0.name) }.map {
        let summary = $0.value["description"]?.stringValue ?? ""
        return ["`\($0.name)`", shown($0.value), summary + (required.contains($0.name) ? "; required" : "")]
      })
  }
  private static func variantTable(_ tag: String, _ schema: JSON?, without others: [String] = []) -> String {
    let forms = schema?["oneOf"]?.arrayValue ?? []
    return table(
      ["`\(tag)`", "Keys", "Meaning"],
      forms.map { form in
        let keys = (form["properties"]?.objectMembers ?? []).filter { $0.name != tag && !others.contains($0.name) }
        return [
          "`\(form["properties"]?[tag]?["const"]?.stringValue ?? "")`",
          keys.map { "`\($0.name)`" }.joined(separator: ", "),
          form["description"]?.stringValue ?? "",
        ]
      })
  }
  /// Every key of some variants once.
  private static func unionTable(_ schema: JSON?) -> String {
    var rows: [[String]] = []
    for property in (schema?["oneOf"]?.arrayValue ?? []).flatMap({ $0["properties"]?.objectMembers ?? [] })
    where property.value["const"] == nil {
      let name = "`\(property.name)`", meaning = property.value["description"]?.stringValue ?? ""
      if let known = rows.firstIndex(where: { $0[0] == name }) {
        if !rows[known][2].contains(meaning) { rows[known][2] += "; \(meaning)" }
      } else {
        rows.append([name, shown(property.value), meaning])
      }
    }
    return table(["Key", "Value", "Meaning"], rows)
  }

  private static func tables() throws -> [(name: String, text: String)] {
    let root = try JSON.parse(SourceFile.schema(), name: "schema"), keys = root["properties"]
    let dataset = keys?["datasets"]?["items"], properties = dataset?["properties"]
    let column = properties?["columns"]?["items"], steps = column?["properties"]?["steps"]?["items"]?["oneOf"]
    let stepRows = (steps?.arrayValue ?? []).flatMap { step in
      (step["enum"]?.arrayValue ?? []).map { ["`\"\($0.stringValue ?? "")\"`", "", ""] }
        + (step["properties"]?.objectMembers ?? []).map {
          ["`\($0.name)`", shown($0.value), $0.value["description"]?.stringValue ?? ""]
        }
    }
    return [
      ("source", keyTable(root)), ("auth", variantTable("type", keys?["auth"]?["oneOf"]?[0])),
      ("auth keys", unionTable(keys?["auth"]?["oneOf"]?[0])), ("dataset", keyTable(dataset)),
      ("request", keyTable(properties?["request"])), ("for_each", keyTable(properties?["for_each"])),
      (
        "paging",
        variantTable(
          "type", properties?["paging"],
          without: ["limit", "limit_param", "until", "total", "pages", "stop", "max_pages"])
      ),
      ("paging keys", unionTable(properties?["paging"])), ("column", keyTable(column)),
      ("steps", table(["Step", "Value", "Effect"], stepRows.filter { !$0[1].isEmpty })),
      ("supplements", variantTable("for", properties?["supplements"]?["items"])),
      ("supplement keys", unionTable(properties?["supplements"]?["items"])),
      ("incremental", keyTable(properties?["incremental"])),
    ]
  }

  private static func contents() throws -> String {
    guard let file = unsafe fopen(article, "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// With `BB_WRITE_TABLES` set, the article is written.
  @Test("the article has the tables of the keys") func documented() throws {
    let text = try Self.contents()
    var expected = text
    for (name, table) in try Self.tables() {
      let start = "<!-- keys: \(name) -->\n", end = "\n<!-- end -->"
      guard let first = expected.firstRange(of: start),
        let last = expected[first.upperBound...].firstRange(of: end)
      else {
        Issue.record("the article has no table of the keys: \(name)")
        continue
      }
      expected.replaceSubrange(first.upperBound..<last.lowerBound, with: table)
    }
    guard expected != text else { return }
    if unsafe getenv("BB_WRITE_TABLES") != nil, let file = unsafe fopen(Self.article, "w") {
      defer { unsafe fclose(file) }
      let bytes = Array(expected.utf8)
      _ = unsafe fwrite(bytes, 1, bytes.count, file)
    }
    Issue.record("DescribeAnAPI.md differs from the keys; write its tables with BB_WRITE_TABLES=1")
  }
}

/// Definitions with the keys that the others do not have.
enum SourceTableHosts {
  private static func file(_ top: String, _ dataset: String, _ columns: String = #"{"name": "id"}"#) -> String {
    """
    {"bb_source": 2, "name": "x", "base_url": "https://h", \(top) "datasets": [
      {"name": "p", "path": "/p", "key": ["id"], "columns": [{"name": "id"}, {"name": "n"}]},
      {"name": "t", "path": "/t", \(dataset) "columns": [\(columns)]}]}
    """
  }
  private static let columns = """
    {"name": "id"}, {"name": "n", "type": "integer"}, {"name": "of"}, {"name": "at", "type": "timestamp"}, {"name": "d", "type": "date"}
    """
  private static let csv = #""answer": {"as": "csv"},"#  // prose-lint: ignore
  static let all = [
    file("", #""key": ["id", "n"], "params": {"x": "1"},"#, columns),
    file("", #""key": ["id"], "records": {"as": "map"},"#),
    file(
      "",
      #""key": ["id"], "job": {"path": "/j", "id": "/id", "status": "/s", "done": {"at": "/d", "is": 1}, "request": {}, "failed": {"at": "/f", "is": 1}, "url": "/u", "every": 2}, "supplements": [{"for": "all", "path": "/d", "param": "x", "batch": 2, "separator": ";", "records": "", "id": "/id", "columns": [{"name": "of"}]}],"#,
      columns),
    file(
      "",
      #""key": ["id"], "parent": {"dataset": "p", "column": "id", "param": "x"}, "incremental": {"column": "at", "param": "since"},"#,
      columns),
    file(
      "",
      """
      "key": ["id"], "incremental": {"column": "at", "param": "since", "end_param": "u", "window": "1d", "start": "2024"},
      "supplements": [{"for": "each", "path": "/d", "param": "x", "columns": [{"name": "d"}]},
                      {"for": "all", "path": "/d", "records": "", "id": "/id", "columns": [{"name": "of"}]}],
      """, columns),
    file(
      "",
      #""key": ["id"], "request": {"method": "POST", "body": {}}, "paging": {"type": "cursor", "body": "/a", "pointer": "/c"},"#
        + csv, columns),
  ]
}
