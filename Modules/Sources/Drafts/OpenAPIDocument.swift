import Codecs
import Domain
public import Rows

/// A description of an API in OpenAPI 3.0 or 3.1, as evidence for a draft: what it does not say or says otherwise, the
/// responses decide.
public struct OpenAPIDocument: Sendable {
  private let root: JSON
  /// The URL of the document; nil for a file.
  private let url: String?

  /// A parameter of an operation.
  private struct Parameter {
    var name: String, place: String, description: String, isRequired: Bool
    var schema: JSON
    /// The usual or any value, as text.
    var value: String? {
      (schema["default"] ?? schema["example"] ?? schema["examples"]?[0] ?? schema["enum"]?[0])?.parameterText
    }
  }

  /// Nil for bytes that are not such a document.
  public init?(_ bytes: [UInt8], url: String? = nil) {
    guard bytes.first(where: { $0 > 32 }) == UInt8(ascii: "{"), let root = try? JSON.parse(bytes, name: ""),
      root["openapi"]?.stringValue?.hasPrefix("3.") == true, root["paths"]?.objectMembers != nil
    else { return nil }
    (self.root, self.url) = (root, url)
  }

  /// The base URL; nil if the document names none.
  public var server: String? {
    guard let first = root["servers"]?[0], var text = first["url"]?.stringValue else { return nil }
    for variable in first["variables"]?.objectMembers ?? [] {
      text = text.replacing("{\(variable.name)}", with: variable.value["default"]?.stringValue ?? "")
    }
    if let url { text = RESTOrigin.resolved(text, against: url) }
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
      let text = PercentCoding.bytes(of: reference.dropFirst(), spaces: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard reference.hasPrefix("#"), let text, let found = root.value(at: text) else { return .null }
      node = found
    }
    return node
  }

  /// A schema without references, `allOf` and alternatives at its top.
  private func schema(_ node: JSON, depth: Int = 0) -> JSON {
    let found = resolved(node)
    guard depth < 8 else { return found }
    if let parts = found["allOf"]?.arrayValue {
      var members = found.objectMembers?.filter { $0.name != "allOf" && $0.name != "properties" } ?? []
      var properties = found["properties"]?.objectMembers ?? []
      for part in parts.map({ schema($0, depth: depth + 1) }) {
        properties += part["properties"]?.objectMembers ?? []
        members += (part.objectMembers ?? []).filter { new in
          new.name != "properties" && !members.contains { $0.name == new.name }
        }
      }
      return .object(members + (properties.isEmpty ? [] : [JSON.Member("properties", .object(properties))]))
    }
    let alternatives = (found["oneOf"] ?? found["anyOf"])?.arrayValue ?? []
    let choice = alternatives.map { schema($0, depth: depth + 1) }.first { type(of: $0) != "null" }
    return choice ?? found
  }

  /// The type of a schema, other than null where there is another.
  private func type(of schema: JSON) -> String {
    let names =
      schema["type"]?.arrayValue?.compactMap(\.stringValue) ?? [schema["type"]?.stringValue].compactMap(\.self)
    return names.first { $0 != "null" } ?? names.first ?? (schema["properties"] == nil ? "" : "object")
  }

  /// The place of the list in the response of an operation, and the schema of its records.
  private func list(of operation: JSON) -> (pointer: String, record: JSON)? {
    let responses = operation["responses"]
    let response = resolved(responses?["200"] ?? responses?["2XX"] ?? responses?["default"] ?? .null)
    let contents = response["content"]?.objectMembers ?? []
    guard let content = contents.first(where: { $0.name.contains("json") }), let root = content.value["schema"] else {
      return nil
    }
    func search(_ node: JSON, _ steps: [String]) -> (String, JSON)? {
      let found = schema(node)
      if let items = found["items"] { return (JSONPointer(steps: steps).description, schema(items)) }
      guard steps.count < 3 else { return nil }
      for member in found["properties"]?.objectMembers ?? [] {
        let steps = steps + [member.name], property = schema(member.value)
        let isList = property["items"].map { type(of: schema($0)) == "object" } ?? (type(of: property) == "object")
        // Links and lists of errors are not what is listed.
        guard isList, !["links", "_links", "errors", "included"].contains(member.name) else { continue }
        if let list = search(property, steps) { return list }
      }
      return nil
    }
    return search(root, [])
  }

  private func parameters(_ item: JSON, _ operation: JSON) -> [Parameter] {
    ((operation["parameters"]?.arrayValue ?? []) + (item["parameters"]?.arrayValue ?? [])).map(resolved).compactMap {
      guard let name = $0["name"]?.stringValue, let place = $0["in"]?.stringValue else { return nil }
      var schema = schema($0["schema"] ?? .null)
      if let example = $0["example"] {
        schema = .object((schema.objectMembers ?? []) + [JSON.Member("example", example)])
      }
      return Parameter(
        name: name, place: place, description: $0["description"]?.stringValue ?? "",
        isRequired: $0["required"]?.booleanValue ?? false, schema: schema)
    }
  }

  // MARK: - A request

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter } }
  private static let sizes = [
    "limit", "perpage", "pagesize", "size", "count", "maxresults", "top", "rows", "first", "take",
  ]
  private static let numbers: [(SourcePaging.Kind, [String])] = [
    (.page, ["page", "pagenumber", "pageno", "pageindex", "p"]),
    (.offset, ["offset", "skip", "start", "startindex", "startat", "from"]),
  ]

  /// The request for an operation, and what the document says about its records.
  /// - Throws: `usage` for an unknown operation, `badData` for one without a value that it needs.
  public func request(
    _ original: SourceDraftRequest, server given: String?, variables: [String: String]
  ) throws(Problem) -> (SourceDraftRequest, DraftEvidence) {
    let paths = operations.map { $0[0] }, path = original.path ?? paths.first ?? ""
    guard let item = root["paths"]?[path].map(resolved), let operation = item["get"].map(resolved) else {
      throw Problem(
        .usage, "the document has no list at “\(path)”", at: URLText.redacted(original.url),
        hint: .choose(path, from: paths, "available paths"))
    }
    guard let base = given ?? server else {
      throw Problem(
        .badData, "the document names no server", at: URLText.redacted(original.url),
        hint: .set(.server, for: "name it"))
    }
    var evidence = DraftEvidence(base: base, path: path), filled = path, sent: [SourceParameter] = []
    for parameter in parameters(item, operation) {
      let name = Self.plain(parameter.name), kind = Self.numbers.first { $0.1.contains(name) }?.0
      let first = (parameter.schema["minimum"] ?? parameter.schema["default"])?.countValue
      if parameter.place == "query", let kind {
        evidence.paging.append(SourcePaging(kind, parameter.name, first: first))
      } else if parameter.place == "query", Self.sizes.contains(where: name.hasSuffix) {
        let most = (parameter.schema["maximum"] ?? parameter.schema["default"])?.countValue ?? 100
        sent.append(SourceParameter(parameter.name, variables[parameter.name] ?? String(max(1, min(most, 100)))))
      } else if parameter.place == "query",
        ["cursor", "after", "token"].contains(where: { name.contains($0) })
          || parameter.description.lowercased().contains("cursor")
      {
        evidence.cursors.append(parameter.name)
      } else if parameter.place == "path" || parameter.place == "query" && parameter.isRequired
        || variables[parameter.name] != nil
      {
        let known = parameter.place == "path" ? nil : parameter.value
        guard let value = variables[parameter.name] ?? known else {
          throw Problem(
            .badData, "\(path) requires a value for “\(parameter.name)”", at: URLText.redacted(original.url),
            hint: .set(.sourceVariable, to: "\(parameter.name)=…"))
        }
        if parameter.place == "path" {
          evidence.variables.append(SourceVariable(parameter.name, usual: value))
          filled = filled.replacing("{\(parameter.name)}", with: RESTQuery.encoded(value))
        } else {
          sent.append(SourceParameter(parameter.name, value))
        }
      }
    }
    if let list = list(of: operation) { members(of: list.record, [], &evidence.members) }
    var request = original
    request.url = base + filled + (sent.isEmpty ? "" : "?" + RESTQuery.form(sent))
    if request.authorization.isEmpty {
      request.authorization = authorization(operation, request.name ?? DraftURL(request.url).name)
    }
    if request.dataset == nil {
      request.dataset = DraftURL("https://h" + path.filter { $0 != "{" && $0 != "}" }).dataset
    }
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
      let schema = schema(property.value), steps = steps + [property.name],
        pointer = JSONPointer(steps: steps).description
      if schema["properties"] != nil, steps.count < 5 {
        self.members(of: schema, steps, &members)
      } else if members.count < 200 {
        members.append(DraftEvidence.Member(pointer: pointer, type: columnType(of: schema)))
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

/// The statements of a document about the requests and records of a draft.
public struct DraftEvidence: Sendable {
  /// A member of the records, and the type of its column.
  struct Member: Sendable {
    var pointer: String, type: ColumnType
  }
  /// The base URL, and the path with places for variables.
  var base: String, path: String
  var variables: [SourceVariable] = []
  /// The ways of paging that count, and the names of parameters for cursors.
  var paging: [SourcePaging] = []
  var cursors: [String] = []
  var members: [Member] = []

  init(base: String, path: String) { (self.base, self.path) = (base, path) }

  /// The ways of paging, with those that the response suggests.
  func guesses(_ known: DraftPaging, _ parameters: [SourceParameter], _ count: Int) -> [DraftPaging.Guess] {
    var guesses: [DraftPaging.Guess] = []
    for name in cursors {
      for guess in known.guesses where guess.paging.type == .cursor && guess.paging.parameter != nil {
        var guess = guess
        guess.paging.parameter = name
        guess.reason = "the document names \(name)"
        guesses.append(guess)
      }
    }
    let size = parameters.first { Int($0.value) ?? 0 > 0 }
    for paging in paging {
      var paging = paging
      (paging.limit, paging.limitParameter) = (size.flatMap { Int($0.value) }, size?.name)
      if paging.type == .offset, paging.limit == nil { paging.limit = max(count, 1) }
      guesses.append(
        DraftPaging.Guess(paging: paging, reason: "the document names \(paging.parameter ?? "")", isUncertain: true))
    }
    return guesses
  }

  /// Adds the columns that no record had, and gives types to those that had no value.
  func complete(_ columns: inout DraftColumns) {
    var further: [DraftColumns.Column] = []
    for member in members {
      if let place = columns.columns.firstIndex(where: { $0.pointer == member.pointer }) {
        guard columns.columns[place].values.isEmpty else { continue }
        columns.columns[place].type = member.type
      } else if !columns.columns.contains(where: { $0.pointer.hasPrefix(member.pointer + "/") }),
        !columns.skipped.contains(member.pointer)
      {
        var column = DraftColumns.Column(pointer: member.pointer, source: SourceColumn("", from: member.pointer))
        (column.type, column.source.isOptional, column.remark) = (member.type, true, "from the document")
        further.append(column)
      }
    }
    columns.complete(further, order: members.map(\.pointer))
  }
}
