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
      let server = CannedServer(["/t\(query.isEmpty ? "" : "?")\(query)": (200, headers, body)])
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

  @Test("of 34 short lists at least 32 warn, and of 42 complete ones at most one") func counts() async throws {
    var quiet: [String] = [], loud: [String] = []
    for server in Self.short where try await !server.warns() { quiet.append("\(server.body) \(server.headers)") }
    for server in Self.whole where try await server.warns() { loud.append("\(server.body) \(server.headers)") }
    #expect(Self.short.count == 34 && Self.whole.count == 42)
    #expect(quiet.count <= 2, "\(quiet)")
    #expect(loud.count <= 1, "\(loud)")
  }
}
