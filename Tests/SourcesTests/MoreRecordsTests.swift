import Domain
import Sources
import Testing

/// Made-up servers, each with two records: lists that have more of them, and lists that are complete.
@Suite("signs of more records") struct MoreRecordsTests {
  private struct Server: Sendable {
    var body: String, headers: [HTTPHeader] = [], query = "", records = "/r"

    init(_ around: String, query: String = "") {
      body = #"{"r": [{"id": 1, "total": 9}, {"id": 2, "next": "x"}]\#(around.isEmpty ? "" : ", ")\#(around)}"#
      self.query = query
    }
    init(_ header: String, _ value: String) {
      (body, records) = (#"[{"id": 1}, {"id": 2}]"#, "")
      headers = [HTTPHeader(header, value)]
    }
    init(body: String, records: String, query: String = "") {
      (self.body, self.records, self.query) = (body, records, query)
    }

    /// Whether reading the list warns.
    func warns() async throws -> Bool {
      let text = """
        {"bb_source": 2, "name": "x", "base_url": "https://h",
         "datasets": [{"name": "t", "path": "/t", "records": "\(records)", \(query) "key": ["id"],
                       "columns": [{"name": "id", "type": "integer"}]}]}
        """
      let source = try SourceFile.read(Array(text.utf8), name: "x.json"), parameters = source.datasets[0].parameters
      let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
      let server = CannedServer([
        "/t\(query.isEmpty ? "" : "?")\(query.replacing("$", with: "%24"))": (200, headers, body)
      ])
      let got = try await Outcome(source, "t", server)
      #expect(got.rows == ["1", "2"])
      return got.warnings.contains { $0.contains("the API has more records") }
    }
  }
  private static func param(_ name: String, _ value: Int = 2) -> String { #""params": {"\#(name)": \#(value)},"# }

  private static let short = [
    Server(#""has_more": true"#), Server(#""meta": {"hasNextPage": true}"#), Server(#""isLast": false"#),
    Server(#""exceededTransferLimit": false, "moreResults": true"#), Server(#""complete": {"done": "false"}"#),
    Server(#""total": 3"#), Server(#""meta": {"page": {"totalElements": 40}}"#), Server(#""total_count": "3""#),
    Server(#""hits": {"total": {"value": 5, "relation": "eq"}}"#), Server(#""nbHits": 12, "nbPages": 6"#),
    Server(#""response": {"numFound": 3}"#), Server(#""TotalResults": 12"#), Server(#""paging": {"pages": 2}"#),
    Server(#""page": {"number": 1, "totalPages": 9}"#), Server(#""last_page": 4"#),
    Server(#""nextPageToken": "CAI""#), Server(#""paging": {"next": {"after": "2"}}"#),
    Server(#""data": {"after": "t3_x", "before": null}"#), Server(#""pageInfo": {"endCursor": "Y3"}"#),
    Server(#""response_metadata": {"next_cursor": "dX"}"#), Server(#""continue": {"sroffset": 2, "continue": "-||"}"#),
    Server(#""scroll_id": "DnF1""#), Server(#""offset": "itr/rec""#),
    Server(#""next": "https://h/t?page=2""#), Server(#""_links": {"next": {"href": "/t?page=2"}}"#),
    Server(#""links": [{"rel": "self", "href": "/t"}, {"rel": "next", "href": "/t?2"}]"#),
    Server(#""@odata.nextLink": "https://h/t?$skip=2""#),
    Server("Link", #"</t?page=2>; rel="next""#), Server("X-Total-Count", "250"), Server("X-Next-Page", "2"),
    Server("Content-Range", "items 0-1/250"), Server("X-Pagination", #"{"TotalCount":9,"HasNext":true}"#),
    Server(body: #"[{"page": 1, "total": 5}, [{"id": 1}, {"id": 2}]]"#, records: "/1"),
    Server("", query: param("per_page")),
  ]
  private static let whole = [
    Server(""), Server(#""has_more": false"#), Server(#""meta": {"hasNextPage": false}"#), Server(#""isLast": true"#),
    Server(#""done": true"#), Server(#""total": 2"#), Server(#""total": "2""#), Server(#""count": 2, "pages": 1"#),
    Server(#""hits": {"total": {"value": 2}}"#), Server(#""numFound": 2"#), Server(#""last_page": 1"#),
    Server(#""page": {"number": 1, "totalPages": 1}"#), Server(#""nextPageToken": """#), Server(#""next": null"#),
    Server(#""next": {}"#), Server(#""next": {"href": null}"#), Server(#""_links": {"self": {"href": "/t"}}"#),
    Server(#""links": [{"rel": "self", "href": "/t"}, {"rel": "prev", "href": "/t"}]"#),
    Server(#""links": []"#), Server(#""previous": "https://h/t", "before": "x""#), Server(#""retry_after": 30"#),
    Server(#""data": {"after": null}"#), Server(#""pageInfo": {"endCursor": null, "hasNextPage": false}"#),
    Server(#""response_metadata": {"next_cursor": ""}"#), Server(#""offset": 0, "limit": 100"#),
    Server(#""took": 30, "timed_out": false"#), Server(#""copyright": "more", "version": 7"#),
    Server(#""facets": [{"count": 90}, {"count": 12}]"#), Server(#""next_page": 0"#), Server(#""next_page": false"#),
    Server("X-Total-Count", "2"), Server("X-Next-Page", ""), Server("X-Total-Pages", "1"),
    Server("Content-Range", "items 0-1/2"), Server("Content-Range", "items 0-1/*"),
    Server("Link", #"</t?page=1>; rel="first", </t?page=1>; rel="last""#), Server("X-Has-More", "false"),
    Server("X-Pagination", #"{"TotalCount":2,"HasNext":false}"#),
    Server("", query: param("per_page", 100)), Server(#""total": 2"#, query: param("limit")),
    Server("", query: param("limit") + #""paging": {"type": "none"},"#),
    Server(body: #"[{"page": 1, "total": 2}, [{"id": 1}, {"id": 2}]]"#, records: "/1"),
  ]

  private static func body(_ body: String) -> String { #""request": {"method": "POST", "body": \#(body)},"# }
  private static func xml(_ around: String) -> Server {
    Server(
      body: "<feed>\(around)<r><id>1</id></r><r><id>2</id></r></feed>", records: "/feed/r",
      query: #""answer": {"as": "xml"},"#)  // prose-lint: ignore
  }

  @Test("further signs that are usual, one each")
  func further() async throws {
    let short = [
      Self.xml(#"<link rel="self" href="/t"/><link rel="next" href="/t?2"/>"#),
      Self.xml(#"<link rel="next" href="/t?2"/>"#), Self.xml("<opensearch:totalResults>9</opensearch:totalResults>"),
      Self.xml(#"<resumptionToken completeListSize="9">x</resumptionToken>"#),
      Self.xml("<numberOfRecords>3</numberOfRecords>"),
      Server("", query: Self.body(#"{"query": "query($first: Int) { t }", "variables": {"first": 2}}"#)),
      Server("", query: Self.body(#"{"query": "{ t(first: 2) { id } }"}"#)),
      Server("", query: Self.body(#"{"paging": {"pageSize": 2}}"#)), Server("", query: Self.param("$top")),
      Server(#""last": false, "number": 0"#), Server(#""link": [{"relation": "next", "url": "https://h/t?2"}]"#),
      Server(#""draw": 1, "recordsTotal": 57"#), Server(#""recordsFiltered": 57"#), Server(#""totalElements": 3"#),
      Server(#""totalPages": 2"#), Server(#""@odata.count": 3"#), Server(#""d": {"__next": "https://h/t?2"}"#),
      Server(#""links": {"self": "/t", "next": "/t?2"}"#), Server(#""links": [{"rel": ["next"], "href": "/t?2"}]"#),
      Server(#""links": [{"url": null, "label": "1"}, {"url": "/t?2", "label": "Next &raquo;"}]"#),
      Server(#""isLastPage": false, "nextPageStart": 2"#), Server(#""nextPageToken": "x""#),
      Server(#""hydra:view": {"hydra:next": "/t?2"}"#), Server(#""hydra:totalItems": 3"#),
      Server(#""more_records": true"#),
      Server(#""has_more_items": "true""#), Server(#""exceededTransferLimit": true"#), Server(#""numberMatched": 3"#),
      Server(#""nhits": 3"#), Server(#""hitCount": 3"#), Server(#""estimatedTotalHits": 3"#),
      Server(#""itemCount": 3"#),
      Server(#""LastEvaluatedKey": {"id": {"S": "2"}}"#), Server(#""paginationToken": "x""#),
      Server("X-Has-Next-Page", "true"), Server("X-Total-Records", "3"), Server("X-Paging-PageCount", "2"),
    ]
    let whole = [
      Self.xml(#"<link rel="self" href="/t"/><link rel="prev" href="/t?2"/>"#), Self.xml("<link>https://h</link>"),
      Self.xml("<opensearch:totalResults>2</opensearch:totalResults>"),
      Self.xml(#"<resumptionToken completeListSize="2"/>"#), Self.xml("<numberOfRecords>2</numberOfRecords>"),
      Server("", query: Self.body(#"{"query": "{ t }", "variables": {"first": 20}}"#)),
      Server("", query: Self.body(#"{"query": "{ t(first: 20) { id } }"}"#)), Server("", query: Self.param("discount")),
      Server("", query: Self.param("account")), Server(#""last": true, "first": true, "number": 0"#),
      Server(#""link": [{"relation": "self", "url": "https://h/t"}]"#),
      Server(#""recordsTotal": 2, "recordsFiltered": 2"#),
      Server(#""totalElements": 2, "totalPages": 1, "numberOfElements": 2"#), Server(#""@odata.count": 2"#),
      Server(#""pageInfo": {"hasNextPage": false, "endCursor": "Y2"}"#), Server(#""has_more": false, "cursor": "x""#),
      Server(#""has_more": false, "response_metadata": {"next_cursor": "x"}"#), Server(#""isLastPage": true"#),
      Server(#""_shards": {"total": 5, "successful": 5}, "hits": {"total": {"value": 2}}"#),
      Server(#""usage": {"total_tokens": 90}"#), Server(#""summary": {"total_amount": 900, "subtotal": 90}"#),
      Server(#""nextSyncToken": "x""#), Server(#""next_update": "2024-05-01""#), Server(#""rate": {"total": 5000}"#),
      Server(#""params": {"cursor": "x", "total": 8}"#), Server(#""viewCount": 80, "retry_count": 3"#),
      Server(#""exceededTransferLimit": false"#), Server(#""incomplete_results": false"#),
      Server("X-Has-Next-Page", "false"),
    ]
    for server in short { #expect(try await server.warns(), "\(server)") }
    for server in whole { #expect(try await !server.warns(), "\(server)") }
  }

  @Test("of 34 short lists at least 32 warn, and of 42 complete ones at most one") func counts() async throws {
    var quiet: [String] = [], loud: [String] = []
    for server in Self.short where try await !server.warns() { quiet.append("\(server.body) \(server.headers)") }
    for server in Self.whole where try await server.warns() { loud.append("\(server.body) \(server.headers)") }
    #expect(Self.short.count == 34 && Self.whole.count == 42)
    #expect(quiet.count <= 2, "\(quiet)")
    #expect(loud.count <= 1, "\(loud)")
  }
}
