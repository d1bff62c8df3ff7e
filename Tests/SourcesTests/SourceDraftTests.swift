import Codecs
import Domain
import Rows
import Sources
import Testing

@Suite("drafts of source definitions") struct SourceDraftTests {
  private static func draft(
    _ url: String, _ body: String, type: String = "application/json", links: String? = nil,
    change: (inout SourceDraftRequest) -> Void = { _ in }
  ) async throws -> SourceDraft {
    var request = SourceDraftRequest(url)
    change(&request)
    var headers = [HTTPHeader("Content-Type", type)]
    if let links { headers.append(HTTPHeader("Link", links)) }
    return try await SourceDraft(request, Array(body.utf8), headers: HTTPFields(headers))
  }

  /// Each draft is a valid definition, and says what else it could have been.
  private static func dataset(_ draft: SourceDraft) throws -> APIDataset {
    let text = SourceFile.text(of: draft.description)
    let read = try SourceFile.read(text, name: "x.json")
    #expect(read == draft.description)
    #expect(draft.lines.filter { $0.contains("also: ") }.count == 3)
    return try #require(read.datasets.first)
  }

  @Test("records, key, types and a cursor from the last record") func charges() async throws {
    let draft = try await Self.draft(
      "https://api.shop.example/v1/charges?limit=2",
      #"""
      {"object": "list", "has_more": true, "data": [
       {"id": "c2", "object": "charge", "amount": 1000, "created": 1714557600, "paid": true, "fee": "1.50", "customer": null,
        "billing": {"email": "a@b"}, "zip": "0123", "tags": ["a"], "labels": [{"name": "x"}]},
       {"id": "c1", "object": "charge", "amount": 1001, "created": 1714557500, "paid": false, "fee": "12", "customer": null,
        "billing": {"email": null}, "zip": "4567", "tags": [], "labels": []}]}
      """#)
    let dataset = try Self.dataset(draft)
    #expect(dataset.path == "/v1/charges" && dataset.records == "/data" && dataset.schema.name == "charges")
    #expect(dataset.schema.key.map { dataset.schema.columns[$0].name } == ["id"])
    let types = Dictionary(uniqueKeysWithValues: dataset.schema.columns.map { ($0.name, $0.type) })
    #expect(
      types == [
        "id": .text, "amount": .integer, "created": .timestamp, "paid": .boolean, "fee": .decimal, "customer": .json,
        "email": .text, "zip": .text, "tags": .list(.text), "labels": .list(.text),
      ])
    #expect(dataset.ignored == ["/object"])
    #expect(dataset.paging.type == .cursor && dataset.paging.parameter == "starting_after", "\(dataset.paging)")
    #expect(dataset.paging.from == SourcePlace(last: "/id"))
    #expect(dataset.paging.until?.pointer == "/has_more")
    #expect(draft.lines.contains { $0.hasPrefix("paging") && $0.contains("please confirm") })
  }

  @Test(
    "the ways of paging",
    arguments: [
      (#"{"results": [{"id": 1}], "info": {"next": "https://h/x?page=2"}}"#, "", "next_url"),
      (#"{"results": [{"id": 1}], "paging": {"next": {"after": "abc"}}}"#, "", "params"),
      (#"{"items": [{"id": 1}], "nextPageToken": "abc"}"#, "", "cursor"),
      (#"{"results": [{"id": 1}], "page": 1, "total_pages": 9}"#, "", "page"),
      (#"{"items": [{"id": 1}, {"id": 2}], "offset": 0, "total": 9}"#, "?limit=2", "offset"),
      (#"[{"id": 1}, {"id": 2}]"#, "?$limit=2", "offset"), (#"[{"id": 1}, {"id": 2}]"#, "", "none"),
      (#"{"data": {"2024-05-01": [{"id": 1}]}, "links": {"next": "http://h/y"}}"#, "?start_date=a&end_date=b", "none"),
    ])
  func paging(body: String, query: String, type: String) async throws {
    let dataset = try Self.dataset(try await Self.draft("https://h/x\(query)", body))
    let written = String(
      decoding: SourceFile.text(of: APIDescription(name: "x", baseURL: "https://h", datasets: [dataset])), as: UTF8.self
    )
    let isNone = dataset.paging.type == .none
    #expect(isNone ? type == "none" : written.contains("\"type\": \"\(type)\""), "\(written)")
  }

  @Test("other forms of records") func forms() async throws {
    let lists = try Self.dataset(
      try await Self.draft("https://h/x", #"{"days": {"2024-05-01": [{"id": 1}], "2024-05-02": [{"id": 2}]}}"#))
    #expect(lists.recordForm == .lists && lists.records == "/days")
    let map = try Self.dataset(
      try await Self.draft("https://h/x", #"{"a1": {"n": 1, "m": 2}, "b2": {"n": 3, "m": 4}}"#))
    #expect(map.recordForm == .map && map.schema.key == [0])
    let single = try Self.dataset(
      try await Self.draft("https://h/x", #"{"product": {"id": 7, "title": "a", "variants": [{"id": 1}]}}"#))
    #expect(single.recordForm == .object && single.records == "/product")
    let table = try Self.dataset(
      try await Self.draft(
        "https://h/x", "day;rate\n2024-05-01;1,5\n".replacing(";", with: ",").replacing("1,5", with: "1.5"),
        type: "text/csv"))
    #expect(table.schema.columns.map(\.type) == [.date, .decimal])
    let links = try Self.dataset(
      try await Self.draft("https://h/x", #"[{"id": 1}]"#, links: "<https://h/x?page=2>; rel=\"next\""))
    #expect(links.paging.type == .linkHeader)
  }

  @Test("a key in the URL does not get into the file") func secret() async throws {
    let draft = try await Self.draft(
      "https://api.movies.example/m?api_key=S3CR3T", #"{"results": [{"id": 1}], "page": 1, "total_pages": 2}"#)
    let text = String(decoding: SourceFile.text(of: draft.description), as: UTF8.self)
    #expect(!text.contains("S3CR3T") && text.contains("\"param\": \"api_key\""), "\(text)")
    #expect(
      draft.lines.contains { $0.contains("set the environment variable") } && !draft.lines.joined().contains("S3CR3T"))
  }

  @Test("each secret of a URL becomes a variable") func secrets() async throws {
    let draft = try await Self.draft(
      "https://me:S3CR3T1@api.movies.example/m?api_key=S3CR3T2&sig=S3CR3T3&jwt=S3CR3T4&access_token=S3CR3T5&limit=2",
      #"{"results": [{"id": 1}, {"id": 2}]}"#)
    let text = String(decoding: SourceFile.text(of: draft.description), as: UTF8.self)
    #expect(!text.contains("S3CR3T") && !draft.lines.contains { $0.contains("S3CR3T") }, "\(text)")
    for variable in ["API_KEY", "SIG", "JWT", "ACCESS_TOKEN", "LOGIN"] {
      #expect(text.contains("EXAMPLE_\(variable)\""))
    }
    let read = try SourceFile.read(Array(text.utf8), name: "x.json")
    #expect(read == draft.description && read.datasets.first?.parameters.isEmpty == true)
  }

  @Test("a response without records is refused") func nothing() async throws {
    for body in ["{}", #"{"data": []}"#, "[]"] {
      let problem = await #expect(throws: Problem.self) { _ = try await Self.draft("https://h/x", body) }
      #expect(
        problem?.kind == .badData
          && problem?.hint.steps.contains { if case .set(.recordsPointer, _, _) = $0 { true } else { false } } == true)
    }
  }
}
