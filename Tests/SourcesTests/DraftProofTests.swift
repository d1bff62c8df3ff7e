import Codecs
import Domain
import Query
import Rows
import Sources
import Testing

/// Drafts are tried: a definition that is written reads the whole list.
@Suite("drafts that prove themselves") struct DraftProofTests {
  /// The number in a parameter of a request.
  private static func number(_ name: String, in text: String, usual: Int) -> Int {
    let query = text.split(separator: " ").dropFirst().first?.split(separator: "?").dropFirst().first ?? ""
    return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
      ?? usual
  }
  private static func records(_ numbers: some Sequence<Int>) -> String {
    numbers.filter { $0 < 7 }.map { #"{"id": "k\#($0)", "n": \#($0), "null": null}"# }.joined(separator: ",")
  }

  /// Servers with seven records in pages of three.
  private static let servers: [(String, String, @Sendable (String) -> String?)] = [
    (
      "pages from 1", "?limit=3",
      { text in
        let page = number("page", in: text, usual: 1)
        return "[\(records((page - 1) * 3..<page * 3))]"
      }
    ),
    (
      "pages from 0", "",
      { text in
        let page = number("page", in: text, usual: 0)
        return page > 2 ? nil : "[\(records(page * 3..<page * 3 + 3))]"
      }
    ),
    (
      "offset from 1", "?limit=3",
      { text in
        let offset = number("offset", in: text, usual: 1)
        return #"{"r": [\#(records(offset - 1..<offset + 2))], "has_more": \#(offset < 5)}"#
      }
    ),
    (
      "skip of OData", "?$top=3",
      { text in
        let skip = number("%24skip", in: text, usual: 0)
        return #"{"value": [\#(records(skip..<skip + 3))]}"#
      }
    ),
    (
      "a token under an unusual name", "",
      { text in
        let start = number("next_token", in: text, usual: 0)
        return
          #"{"r": [\#(records(start..<start + 3))], "meta": {\#(start < 4 ? #""next_token": "\#(start + 3)""# : "")}}"#
      }
    ),
    (
      "parameters", "?a=b",
      { text in
        let start = number("at", in: text, usual: 0)
        return #"{"r": [\#(records(start..<start + 3))]\#(start < 4 ? #", "continue": {"at": "\#(start + 3)"}"# : "")}"#
      }
    ),
    (
      "an array around the records", "?per_page=3",
      { text in
        let page = number("page", in: text, usual: 1)
        return #"[{"page": \#(page), "pages": 3, "total": "7"}, [\#(records((page - 1) * 3..<page * 3))]]"#
      }
    ),
    (
      "a relative link", "",
      { text in
        let page = number("page", in: text, usual: 1)
        return
          #"{"r": [\#(records((page - 1) * 3..<page * 3))], "next": \#(page < 3 ? #""t?page=\#(page + 1)""# : "null")}"#
      }
    ),
    ("the whole list", "", { text in text == "GET /t" ? "[\(records(0..<7))]" : nil }),
  ]

  private static func outcome(_ query: String, pages: Int = 2, _ server: TextServer) async throws -> DraftOutcome {
    var request = SourceDraftRequest("https://h/t\(query)")
    request.pages = pages
    return try await SourceDraft.made(request, by: server, first: server, environment: [:], secrets: Secrets())
  }

  @Test("a draft runs unchanged and reads all records", arguments: servers.indices) func unchanged(index: Int)
    async throws
  {
    let (name, query, response) = Self.servers[index], server = TextServer(response)
    let outcome = try await Self.outcome(query, server)
    let draft = try #require(outcome.draft)
    #expect(outcome.problem == nil && server.asked.count <= 20, "\(name): \(draft.lines) \(server.asked)")
    #expect(draft.lines.last?.hasSuffix("every value fits") == true)
    let file = try SourceFile.read(SourceFile.text(of: draft.description), name: "x.json")
    let source = try RESTSource(file, server: "https://h", transport: server, complete: true) { _ in }
    let rows = try await source.rows(of: file.datasets[0].schema.name, RowRequest()).collect().reduce(0) {
      $0 + $1.count
    }
    #expect(rows == 7, "\(name): \(draft.lines)")
    #expect(file.datasets[0].schema.columns.contains { $0.name == "null" && $0.type == .json })
  }

  @Test("a list that cannot be paged is refused, and nothing is sent after 429") func refused() async throws {
    let deaf = TextServer { _ in #"{"r": [\#(Self.records(0..<3))], "total": 7}"# }
    let outcome = try await Self.outcome("?limit=3", deaf)
    #expect(outcome.problem?.kind == .badData && deaf.asked.count <= 11, "\(deaf.asked)")
    #expect(outcome.draft?.lines.contains { $0.hasPrefix("tried    none: the API has more records") } == true)
    let untried = TextServer { _ in "[\(Self.records(0..<3))]" }
    let plain = try await Self.outcome("", pages: 1, untried)
    #expect(plain.problem == nil && untried.asked.count == 1 && plain.draft?.lines.last?.hasPrefix("not tried") == true)
  }

  @Test(
    "types of dates and times",
    arguments: [
      (#""d": "20250301""#, "date"), (#""d": 20250301"#, "date"),
      (#""pubDate": "Wed, 01 May 2024 08:20:00 GMT""#, "timestamp"),
      (#""t": "2024-05-01T10:20:30+0200""#, "timestamp"), (#""dt": 1714557600"#, "timestamp"),
      (#""ts": 1714557600000"#, "timestamp"),
      (#""n": 1714557600"#, "integer"), (#""code": "20250301""#, "text"), (#""d": null"#, "json"),
    ])
  func types(member: String, type: String) async throws {
    let day = member.replacing("\"d\":", with: "\"day\":")
    let draft = try await SourceDraft(
      SourceDraftRequest("https://h/t"), Array("[{\"id\": 1, \(day)}, {\"id\": 2, \(day)}]".utf8),
      headers: HTTPFields([]))
    #expect(draft.description.datasets[0].schema.columns[1].type.name == type, "\(draft.lines)")
  }

  private static let document = #"""
    {"openapi": "3.1.0", "servers": [{"url": "https://h"}], "security": [{"k": []}],
     "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}},
       "schemas": {"Pet": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {
         "owner": {"oneOf": [{"type": "null"}, {"type": "string", "format": "uri"}]}, "born": {"type": ["string", "null"], "format": "date"},
         "weight": {"type": "number"}}}]}, "Base": {"type": "object", "properties": {"n": {"type": "integer"}, "id": {"type": "string"}}}}},
     "paths": {
       "/owners/{owner}/pets": {"parameters": [{"name": "owner", "in": "path", "required": true, "schema": {"type": "string"}}],
         "get": {"summary": "List pets", "parameters": [{"name": "start", "in": "query", "schema": {"type": "integer", "default": 0}},
           {"name": "max_results", "in": "query", "schema": {"type": "integer", "maximum": 3}}],
         "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {
           "r": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}}}},
       "/pets": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}},
       "/pets/{id}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}}}}
    """#

  @Test(
    "descriptions in other formats are refused by name",
    arguments: [
      ("# pets\nopenapi: 3.1.0\npaths: {}\n", "OpenAPI in YAML is not read", "convert it to JSON"),
      ("swagger: '2.0'\n", "OpenAPI in YAML is not read", "convert it to JSON"),
      (#"{"swagger": "2.0", "paths": {"/pets": {}}}"#, "Swagger 2.0 is not read", "convert it to OpenAPI 3"),
      (#"{"openapi": "4.0.0", "paths": {}}"#, "OpenAPI 4.0.0 is not read", "convert it to OpenAPI 3"),
      (#"{"log": {"version": "1.2", "entries": []}}"#, "HAR files, which hold cookies and tokens, are not read", "use"),
    ])
  func others(text: String, message: String, hint: String) throws {
    let problem = #expect(throws: Problem.self) { _ = try OpenAPIDocument(Array(text.utf8), at: "api.x") }
    #expect(problem?.kind == .badData && problem?.message == message && problem?.place == "api.x")
    #expect(problem?.hint.description.hasPrefix(hint) == true)
    for records in [#"{"log": [{"id": 1}]}"#, #"[{"openapi": "3.0"}]"#, "openapi\n1\n", #"{"swagger": 1}"#] {
      #expect(try OpenAPIDocument(Array(records.utf8), at: "x") == nil)
    }
  }

  @Test("OpenAPI gives the paging, the columns and the authentication") func openAPI() async throws {
    let document = try #require(try OpenAPIDocument(Array(Self.document.utf8), at: "api.json"))
    #expect(document.operations.map { $0[0] } == ["/owners/{owner}/pets", "/pets"])
    let server = TextServer { text in
      let start = Self.number("start", in: text, usual: 0)
      return text.contains("/owners/o%201/pets") ? #"{"r": [\#(Self.records(start..<start + 3))]}"# : nil
    }
    var request = SourceDraftRequest("api.json")
    func made(_ variables: [String: String]) async throws -> DraftOutcome {
      try await SourceDraft.made(
        request, of: document, variables: variables, by: server, first: server, environment: ["H_KEY": "secret"],
        secrets: Secrets())
    }
    request.pages = 2
    #expect(try await made([:]).operations != nil && server.asked.isEmpty)
    request.path = "/owners/{owner}/pets"
    let missing = await #expect(throws: Problem.self) { _ = try await made([:]) }
    #expect(missing?.kind == .badData && missing?.message.contains("owner") == true)
    let outcome = try await made(["owner": "o 1"])
    let draft = try #require(outcome.draft), dataset = draft.description.datasets[0]
    #expect(outcome.problem == nil, "\(draft.lines)")
    #expect(
      dataset.path == "/owners/{owner}/pets" && dataset.paging.type == .offset && dataset.paging.parameter == "start")
    #expect(dataset.schema.columns.map(\.name) == ["n", "id", "owner", "born", "weight", "null"])
    #expect(dataset.schema.columns.map(\.type) == [.integer, .text, .url, .date, .real, .json])
    #expect(draft.description.authorization == [SourceAuthorization(.header, "X-Key", variable: "H_KEY")])
    let text = SourceFile.text(of: draft.description)
    #expect(try SourceFile.read(text, name: "x.json") == draft.description)
  }
}
