import Codecs
import Domain
public import Rows

/// A description of an API in OpenAPI 3.0 or 3.1, as evidence for a draft: what it does not say or says otherwise, the
/// responses decide.
public struct OpenAPIDocument: Sendable {
  private let root: JSON
  /// The URL or the path of the document.
  private let place: String

  /// Nil for bytes of something else.
  /// - Throws: `badData` for descriptions in other formats, which a draft would take for records.
  public init?(_ bytes: [UInt8], at place: String) throws(Problem) {
    func refused(_ what: String, _ hint: String) -> Problem {
      Problem(.badData, "\(what) not read", at: URLText.redacted(place), hint: .advice(hint))
    }
    guard bytes.first(where: { $0 > 32 }) == UInt8(ascii: "{") else {
      let lines = String(decoding: bytes.prefix(4096), as: UTF8.self).split(whereSeparator: \.isNewline)
      guard !lines.contains(where: { $0.hasPrefix("openapi:") || $0.hasPrefix("swagger:") }) else {
        throw refused("OpenAPI in YAML is", "convert it to JSON")
      }
      return nil
    }
    guard let root = try? JSON.parse(bytes, name: "") else { return nil }
    if root["log"]?["entries"]?.arrayValue != nil {
      throw refused("HAR files, which hold cookies and tokens, are", "use the URL of a response: sources draft URL")
    }
    let version = (root["openapi"] ?? root["swagger"])?.parameterText
    guard let version, root["paths"]?.objectMembers != nil else { return nil }
    guard root["openapi"] != nil, version.hasPrefix("3.") else {
      throw refused("\(root["openapi"] == nil ? "Swagger" : "OpenAPI") \(version) is", "convert it to OpenAPI 3")
    }
    (self.root, self.place) = (root, place)
  }

  /// The base URL; nil if the document names none.
  public var server: String? {
    guard let first = root["servers"]?[0], var text = first["url"]?.stringValue else { return nil }
    for variable in first["variables"]?.objectMembers ?? [] {
      text = text.replacing("{\(variable.name)}", with: variable.value["default"]?.stringValue ?? "")
    }
    if URLText.isWeb(place) { text = RESTOrigin.resolved(text, against: place) }
    while text.hasSuffix("/") { text.removeLast() }
    return URLText.isWeb(text) ? text : nil
  }

  /// The operations that return lists: path, summary and parameters.
  public var operations: [[String]] {
    (root["paths"]?.objectMembers ?? []).compactMap { path in
      let item = resolved(path.value), operation = resolved(item["get"] ?? .null)
      guard list(of: operation) != nil else { return nil }
      let summary = (operation["summary"] ?? operation["description"])?.stringBytes ?? []
      return [path.name, RESTText.plain(summary), parameters(item, operation).map(\.name).joined(separator: ", ")]
    }
  }

  // MARK: - References and schemas

  /// A node, or the one that it refers to within the document.
  private func resolved(_ node: JSON) -> JSON {
    var node = node
    for _ in 0..<32 {
      guard let reference = node["$ref"]?.stringValue else { break }
      guard reference.hasPrefix("#"), let text = PercentCoding.bytes(of: reference.dropFirst(), spaces: false),
        let found = root.value(at: String(decoding: text, as: UTF8.self))
      else { return .null }
      node = found
    }
    return node
  }

  /// A schema without references, `allOf` and alternatives at its top.
  private func schema(_ node: JSON, depth: Int = 0) -> JSON {
    let found = resolved(node)
    guard depth < 8 else { return found }
    func parts(_ name: String) -> [JSON] { (found[name]?.arrayValue ?? []).map { schema($0, depth: depth + 1) } }
    if found["allOf"] != nil {
      let members = ([found] + parts("allOf")).flatMap { $0.objectMembers ?? [] }.filter { $0.name != "allOf" }
      let properties = members.filter { $0.name == "properties" }.flatMap { $0.value.objectMembers ?? [] }
      return .object((properties.isEmpty ? [] : [JSON.Member("properties", .object(properties))]) + members)
    }
    return (parts("oneOf") + parts("anyOf")).first { type(of: $0) != "null" } ?? found
  }

  /// The type of a schema, other than null where there is another.
  private func type(of schema: JSON) -> String {
    let names = (schema["type"]?.arrayValue ?? [schema["type"] ?? .null]).compactMap(\.stringValue)
    return names.first { $0 != "null" } ?? names.first ?? (schema["properties"] == nil ? "" : "object")
  }

  /// The schema of the records in the response of an operation; nil for other responses.
  private func list(of operation: JSON) -> JSON? {
    let responses = operation["responses"]
    let response = resolved(responses?["200"] ?? responses?["2XX"] ?? responses?["default"] ?? .null)
    func search(_ node: JSON, _ depth: Int) -> JSON? {
      let found = schema(node)
      if let items = found["items"] { return schema(items) }
      // Links and lists of errors are not what is listed.
      let other = ["links", "_links", "errors", "included"]
      return (depth < 3 ? found["properties"]?.objectMembers ?? [] : []).lazy.compactMap { member in
        let property = schema(member.value), kind = type(of: property["items"].map { schema($0) } ?? property)
        return kind == "object" && !other.contains(member.name) ? search(property, depth + 1) : nil
      }.first
    }
    let content = response["content"]?.objectMembers?.first { $0.name.contains("json") }
    return content?.value["schema"].flatMap { search($0, 0) }
  }

  private typealias Parameter = (name: String, place: String, node: JSON)
  private func parameters(_ item: JSON, _ operation: JSON) -> [Parameter] {
    ((operation["parameters"]?.arrayValue ?? []) + (item["parameters"]?.arrayValue ?? [])).compactMap {
      let node = resolved($0)
      return node["name"]?.stringValue.map { ($0, node["in"]?.stringValue ?? "", node) }
    }
  }

  // MARK: - A request

  private static let counts: [String: SourcePaging.Kind] = [
    "page": .page, "pagenumber": .page, "pageno": .page, "pageindex": .page, "p": .page, "offset": .offset,
    "skip": .offset, "start": .offset, "startindex": .offset, "startat": .offset, "from": .offset,
  ]

  /// The request for an operation, and what the document says about its records.
  /// - Throws: `usage` for an unknown operation, `badData` for one without a value that it needs.
  public func request(
    _ original: SourceDraftRequest, server given: String?, variables: [String: String]
  ) throws(Problem) -> (SourceDraftRequest, DraftEvidence) {
    let paths = operations.map { $0[0] }, path = original.path ?? paths.first ?? "", place = URLText.redacted(place)
    guard let item = root["paths"]?[path].map(resolved), let operation = item["get"].map(resolved) else {
      throw Problem(
        .usage, "the document has no list at “\(path)”", at: place,
        hint: .choose(path, from: paths, "available paths"))
    }
    guard let base = given ?? server else {
      throw Problem(.badData, "the document names no server", at: place, hint: .set(.server, for: "name it"))
    }
    var evidence = DraftEvidence(base: base, path: path), filled = path, sent: [SourceParameter] = []
    for (name, position, node) in parameters(item, operation) {
      let schema = schema(node["schema"] ?? .null), plain = name.lowercased().filter(\.isLetter)
      func count(_ key: String) -> Int? { (schema[key] ?? schema["default"])?.countValue }
      let example = node["example"] ?? schema["example"] ?? schema["examples"]?[0] ?? schema["enum"]?[0]
      var value = variables[name]
      if position == "query", let kind = Self.counts[plain] {
        evidence.paging.append(SourcePaging(kind, name, first: count("minimum")))
      } else if position == "query", RESTMoreRecords.isSize(name) {
        sent.append(SourceParameter(name, value ?? String(max(1, min(count("maximum") ?? 100, 100)))))
      } else if position == "query",
        ["cursor", "after", "token"].contains(where: plain.contains)
          || node["description"]?.stringValue?.lowercased().contains("cursor") == true
      {
        evidence.cursors.append(name)
      } else if position == "path" || position == "query" && (node["required"]?.booleanValue == true || value != nil) {
        if position == "query" { value = value ?? (schema["default"] ?? example)?.parameterText }
        guard let value else {
          throw Problem(
            .badData, "\(path) requires a value for “\(name)”", at: place,
            hint: .set(.sourceVariable, to: "\(name)=…"))
        }
        if position == "path" {
          evidence.variables.append(SourceVariable(name, usual: value))
          filled = filled.replacing("{\(name)}", with: RESTQuery.encoded(value))
        } else {
          sent.append(SourceParameter(name, value))
        }
      }
    }
    if let record = list(of: operation) { members(of: record, [], &evidence.members) }
    var request = original
    request.url = base + filled + (sent.isEmpty ? "" : "?" + RESTQuery.form(sent))
    if request.authorization.isEmpty {
      request.authorization = authorization(operation, request.name ?? DraftURL(request.url).name)
    }
    request.dataset = request.dataset ?? DraftURL("https://h" + path.filter { $0 != "{" && $0 != "}" }).dataset
    return (request, evidence)
  }

  private func authorization(_ operation: JSON, _ source: String) -> [SourceAuthorization] {
    let needed = (operation["security"] ?? root["security"])?.arrayValue?.first { $0.objectMembers?.isEmpty == false }
    return (needed?.objectMembers ?? []).compactMap { member in
      let scheme = resolved(root["components"]?["securitySchemes"]?[member.name] ?? .null)
      let kind = (scheme["in"] ?? scheme["scheme"])?.stringValue?.lowercased() ?? "bearer"
      guard let type = SourceAuthorization.Kind(rawValue: kind), type != .oauth2 else { return nil }
      let variable = DraftURL.variable(for: "\(source)_\(type == .bearer ? "token" : type == .basic ? "login" : "key")")
      return SourceAuthorization(type, scheme["name"]?.stringValue ?? "", variable: variable)
    }
  }

  /// Collects the members of a record's schema with their types.
  private func members(of record: JSON, _ steps: [String], _ members: inout [DraftEvidence.Member]) {
    for property in record["properties"]?.objectMembers ?? [] {
      let schema = schema(property.value), steps = steps + [property.name]
      if schema["properties"] != nil, steps.count < 5 {
        self.members(of: schema, steps, &members)
      } else if members.count < 200 {
        members.append((JSONPointer(steps: steps).description, columnType(of: schema)))
      }
    }
  }

  private static let types: [String: ColumnType] = [
    "integer": .integer, "number": .real, "boolean": .boolean, "string": .text, "decimal": .decimal, "date": .date,
    "date-time": .timestamp, "uri": .url, "url": .url, "string array": .list(.text), "integer array": .list(.integer),
  ]
  private func columnType(of schema: JSON) -> ColumnType {
    let name = type(of: schema)
    if name == "array" { return Self.types["\(type(of: self.schema(schema["items"] ?? .null))) array"] ?? .json }
    let format = ["string", "number"].contains(name) ? schema["format"]?.stringValue : nil
    return format.flatMap { Self.types[$0] } ?? Self.types[name] ?? .json
  }
}
