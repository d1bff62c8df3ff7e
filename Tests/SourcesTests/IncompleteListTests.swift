import Domain
import Query
import Rows
import Sources
import Testing

@Suite("lists that end too early") struct IncompleteListTests {
  private static func source(_ paging: String = "", records: String = "/r") throws(Problem) -> APIDescription {
    let text = """
      {"bb_source": 1, "name": "x", "base_url": "https://h",
       "datasets": [{"name": "t", "path": "/t", "records": "\(records)", \(paging) "key": ["id"],
                     "columns": [{"name": "id", "type": "integer"}]}]}
      """
    return try SourceFile.read(Array(text.utf8), name: "x.json")
  }

  @Test(
    "a response that announces more records is reported, with its place",
    arguments: [
      (#""has_more": true"#, "/has_more is true"), (#""page": {"hasNextPage": true}"#, "/page/hasNextPage is true"),
      (#""done": false"#, "/done is false"), (#""end_of_stream": false"#, "/end_of_stream is false"),
      (#""next": "/t?page=2""#, "/next is"), (#""nextPageToken": "abc""#, "/nextPageToken is"),
      (#""links": {"next": {"href": "/t?2"}}"#, "/links/next is"), (#""@odata.nextLink": "u""#, "/@odata.nextLink is"),
      (#""next_page": 2"#, "/next_page is 2"), (#""total": 3"#, "/total is 3"), (#""count": 9"#, "/count is 9"),
      (#""info": {"totalResults": 3}"#, "/info/totalResults is 3"), (#""total": "9""#, "/total is 9"),
      (#""total": {"value": 5, "relation": "eq"}"#, "/total is 5"), (#""numFound": 5"#, "/numFound is 5"),
      (#""truncated": true"#, "/truncated is true"), (#""pages": 2"#, "/pages is 2"),
      (#""data": {"after": "abc"}"#, "/data/after is"), (#""paging": {"next": {"after": "x"}}"#, "/paging/next is"),
      (#""continue": {"gsroffset": 10}"#, "/continue is"), (#""offset": "rec9""#, "/offset is"),
      (#""links": [{"rel": "self", "href": "/t"}, {"rel": "next", "href": "/t?2"}]"#, "/links is a list"),
    ])
  func announced(member: String, sign: String) async throws {
    let server = CannedServer(["/t": #"{"r": [{"id": 1}, {"id": 2}], \#(member)}"#])
    let got = try await Outcome(try Self.source(), "t", server)
    #expect(got.rows == ["1", "2"] && got.warnings.count == 1)
    #expect(got.warnings.first?.hasPrefix("t: the API has more records (\(sign)") == true, "\(got.warnings)")
    // A description can state that one response is the whole list.
    #expect(try await Outcome(try Self.source(#""paging": {"type": "none"},"#), "t", server).warnings.isEmpty)
    let strict = try RESTSource(try Self.source(), server: "https://h", transport: server, complete: true) { _ in }
    let problem = await #expect(throws: Problem.self) { try await strict.rows(of: "t", RowRequest()) }
    #expect(problem?.kind == .badData && problem?.message.contains("the API has more records") == true)
  }
  @Test(
    "other members do not count",
    arguments: [
      #""has_more": false, "next": null, "done": true"#, #""next": "", "total": 2, "count": 2"#, #""next": {}"#,
      #""facets": [{"count": 99}]"#, #""next_page": 0"#, #""totals": "2""#,
      #""previous": "/t", "before": "x", "retry_after": 9"#,
      #""pages": 1, "total": {"value": 2}, "offset": 2"#, #""links": [{"rel": "self", "href": "/t"}]"#,
      #""r2": {"more": "yes"}"#,
    ])
  func quiet(member: String) async throws {
    let server = CannedServer(["/t": #"{"r": [{"id": 1}, {"id": 2}], \#(member)}"#])
    #expect(try await Outcome(try Self.source(), "t", server).warnings.isEmpty)
  }
  @Test("the header Link announces more as well") func link() async throws {
    let server = CannedServer(["/t": (200, [HTTPHeader("Link", "</t?page=2>; rel=next")], #"[{"id": 1}]"#)])
    let warnings = try await Outcome(try Self.source(records: ""), "t", server).warnings
    #expect(warnings.count == 1 && warnings[0].contains("the header Link names a next page"))
  }
  @Test(
    "header fields announce more",
    arguments: [
      ("X-Total-Count", "9", true), ("X-Total-Count", "1", false), ("X-Next-Page", "2", true),
      ("X-Next-Page", "", false),
      ("X-Total-Pages", "2", true), ("X-Total-Pages", "1", false), ("Content-Range", "items 0-0/9", true),
      ("Content-Range", "items 0-0/1", false), ("X-Next-Cursor", "abc", true),
    ])
  func headers(name: String, value: String, isMore: Bool) async throws {
    let server = CannedServer(["/t": (200, [HTTPHeader(name, value)], #"[{"id": 1}]"#)])
    let warnings = try await Outcome(try Self.source(records: ""), "t", server).warnings
    #expect(isMore ? warnings.first?.contains("(the header \(name) is “\(value)”)") == true : warnings.isEmpty)
  }
  @Test("a page as long as requested may be one of several, unless a total says otherwise") func full() async throws {
    let params = #""params": {"per_page": 2},"#
    let two = #"{"r": [{"id": 1}, {"id": 2}]}"#, url = "/t?per_page=2"
    let warnings = try await Outcome(try Self.source(params), "t", CannedServer([url: two])).warnings
    #expect(warnings.count == 1 && warnings[0].contains("(per_page=2, and 2 records were received)"), "\(warnings)")
    for body in [#"{"total": 2, "r": [{"id": 1}, {"id": 2}]}"#, #"{"r": [{"id": 1}]}"#] {
      #expect(try await Outcome(try Self.source(params), "t", CannedServer([url: body])).warnings.isEmpty)
    }
    let none = params + #""paging": {"type": "none"},"#
    #expect(try await Outcome(try Self.source(none), "t", CannedServer([url: two])).warnings.isEmpty)
  }
  @Test("totals in an array around the records count") func array() async throws {
    let server = CannedServer(["/t": #"[{"total": 5}, [{"id": 1}]]"#])
    let warnings = try await Outcome(try Self.source(records: "/1"), "t", server).warnings
    #expect(warnings.count == 1 && warnings[0].contains("(/0/total is 5"), "\(warnings)")
  }
  @Test("only members that the paging does not read count") func paged() async throws {
    let next = #""paging": {"type": "next_url", "pointer": "/next"},"#
    let server = CannedServer(["/t": #"{"r": [{"id": 1}], "next": "/u"}"#, "/u": #"{"r": [{"id": 2}], "total": 3}"#])
    let got = try await Outcome(try Self.source(next), "t", server)
    #expect(
      got.rows == ["1", "2"] && got.warnings.count == 1 && got.warnings[0].contains("/total is 3, but 2 records"))
  }
  @Test("404 after the last page ends a counted list, whatever its body") func end() async throws {
    let pages = #""paging": {"type": "page", "param": "p"},"#
    for body in [#"{"error": {"message": "No matches found!"}}"#, "<html>not found</html>", ""] {
      let server = CannedServer([
        "/t?p=1": (200, [], #"{"r": [{"id": 1}]}"#), "/t?p=2": (404, [], body),
      ])
      #expect(try await Outcome(try Self.source(pages), "t", server).rows == ["1"])
    }
    await #expect(throws: Problem.self) {
      try await Outcome(try Self.source(pages), "t", CannedServer(["/t?p=1": (404, [], "{}")]))
    }
  }
  @Test("a parameter is sent once: the paging's value replaces that of params, also in the path") func once()
    async throws
  {
    let params = #""params": {"c": "*", "n": 2}, "paging": {"type": "cursor", "param": "c", "pointer": "/c"},"#
    let server = CannedServer([
      "/t?c=%2A&n=2": #"{"r": [{"id": 1}], "c": "a"}"#, "/t?c=a&n=2": #"{"r": [{"id": 2}]}"#,
    ])
    #expect(try await Outcome(try Self.source(params), "t", server).rows == ["1", "2"])
    var source = try Self.source(#""paging": {"type": "page", "param": "p"},"#)
    source.datasets[0].path = "/t?p=0&x=y"
    let other = CannedServer(["/t?x=y&p=1": #"{"r": [{"id": 1}]}"#, "/t?x=y&p=2": #"{"r": []}"#])
    #expect(try await Outcome(source, "t", other).rows == ["1"])
  }
  @Test("XML is named as such, and what to write for it") func feed() async throws {
    let server = CannedServer(["/t": "\n<?xml version=\"1.0\"?><feed/>"])
    let problem = await #expect(throws: Problem.self) { try await Outcome(try Self.source(), "t", server) }
    #expect(problem?.kind == .badData && problem?.message.contains("found XML") == true)
    #expect(problem?.hint.description.contains("“answer”: {“as”: “xml”}") == true)  // prose-lint: ignore
  }
  @Test("the hint of a refusal is about what can be changed", arguments: [400, 405, 422]) func refused(status: Int)
    async throws
  {
    let server = CannedServer(["/t": (status, [], #"{"message": "bad"}"#)])
    let problem = await #expect(throws: Problem.self) { try await Outcome(try Self.source(), "t", server) }
    #expect(
      problem?.kind == .unavailable && problem?.hint.description == "correct path or params in the source definition")
  }
}

@Suite("values that APIs write in their own ways") struct ValueSpellingTests {
  private static func value(_ json: String, _ type: ColumnType) async throws -> String {
    let source = APIDescription(
      name: "x", baseURL: "https://h",
      datasets: [
        APIDataset(
          Schema("t", columns: [ColumnDescription("v", type)]), path: "/t", columns: [SourceColumn("v", from: "/v")])
      ])
    return try await Outcome(source, "t", CannedServer(["/t": #"[{"v": \#(json)}]"#])).rows.joined()
  }

  @Test(
    "a timestamp with any offset is kept as that instant in UTC",
    arguments: [
      ("2024-05-01T10:20:30-04:00", "2024-05-01T14:20:30Z"),
      ("2024-05-01T10:20:30.120+00:00", "2024-05-01T10:20:30.120Z"),
      ("2024-01-01T00:30:00+05:45", "2023-12-31T18:45:00Z"), ("2024-05-01t10:20:30z", "2024-05-01T10:20:30Z"),
      ("2024-05-01T10:20:30Z", "2024-05-01T10:20:30Z"), ("0000-01-01T00:00:00-01:00", "0000-01-01T01:00:00Z"),
      ("2024-05-01T10:20:30+0400", "2024-05-01T06:20:30Z"), ("2024-05-01 10:20:30+01:00", "2024-05-01T09:20:30Z"),
      ("2024-05-01 10:20:30.5 +02:00", "2024-05-01T08:20:30.5Z"), ("2024-05-01T10:20Z", "2024-05-01T10:20:00Z"),
      ("Wed, 01 May 2024 10:20:30 GMT", "2024-05-01T10:20:30Z"), ("1 May 2024 10:20 +02", "2024-05-01T08:20:00Z"),
      ("Wed, 01 May 2024 10:20:30 -0500", "2024-05-01T15:20:30Z"), ("2024-05-01 10:20:30 UTC", "2024-05-01T10:20:30Z"),
      ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"), ("1969-12-31T23:59:59.5-00:01", "1970-01-01T00:00:59.5Z"),
    ])
  func offsets(text: String, utc: String) async throws {
    #expect(try await Self.value("\"\(text)\"", .timestamp) == utc)
  }
  @Test(
    "no time",
    arguments: [
      "2024-05-01T10:20:30", "2024-05-01 10:20:30", "Wed, 01 May 2024 10:20:30 EST", "01 May 2024",
      "2024-05-01T10:20:30+24:00", "2024-05-01T10:20:30+01:60",
      "2024-02-30T10:20:30+01:00", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
      "2024-05-01T10:20:30.+01:00", "+01:00",
    ]) func noTime(text: String) async throws
  {
    await #expect(throws: Problem.self) { try await Self.value("\"\(text)\"", .timestamp) }
  }
  @Test(
    "the format and the offset in the hint for a named zone fit",
    arguments: [
      ("Wed, 01 May 2024 10:20:30 EST", "2024-05-01T15:20:30Z"), ("2024-05-01 10:20 CEST", "2024-05-01T08:20:00Z"),
      ("1 May 2024 10:20:30 PDT", "2024-05-01T17:20:30Z"), ("2024-05-01T10:20:30 JST", "2024-05-01T01:20:30Z"),
    ]) func namedZone(text: String, utc: String) async throws
  {
    let problem = await #expect(throws: Problem.self) { try await Self.value("\"\(text)\"", .timestamp) }
    let quoted = (problem?.hint.description ?? "").split(separator: "“").map { String($0.prefix { $0 != "”" }) }
    try #require(quoted.count == 5, "\(quoted)")
    let file = """
      {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [{"name": "t", "path": "/t", "columns": [
        {"name": "v", "type": "timestamp", "formats": ["\(quoted[2])"], "zone": "\(quoted[4])"}]}]}
      """
    let source = try SourceFile.read(Array(file.utf8), name: "x.json")
    #expect(try await Outcome(source, "t", CannedServer(["/t": "[{\"v\": \"\(text)\"}]"])).rows == [utc])
  }
  @Test("decimals and Booleans written as text") func asText() async throws {
    #expect(try await Self.value(#"" 1.50 ""#, .decimal) == "1.50")
    #expect(try await Self.value(#""true""#, .boolean) == "true")
    #expect(try await Self.value(#""false""#, .boolean) == "false")
    for text in [#""1,5""#, #""""#, #""NaN""#, #""0x1""#] {
      await #expect(throws: Problem.self) { try await Self.value(text, .decimal) }
    }
    for text in [#""yes""#, #""TRUE""#, "1"] {
      await #expect(throws: Problem.self) { try await Self.value(text, .boolean) }
    }
  }
}
