import Domain
import Query
import Rows
import Sources
import Synchronization
import Testing

@Suite("lists in pages, and requests that follow from others") struct RESTPagesTests {
  private static let items = Schema("items", key: ["id"], columns: [ColumnDescription("id", .integer, nullable: false)])

  private static func source(_ paging: SourcePaging, records: String = "/r") -> APIDescription {
    APIDescription(
      name: "paged", baseURL: "https://h",
      datasets: [
        APIDataset(items, path: "/t", records: records, paging: paging, columns: [SourceColumn("id", from: "/id")])
      ])
  }

  private static func page(_ ids: [Int], _ more: String = "") -> String {
    #"{"r": [\#(ids.map { #"{"id": \#($0)}"# }.joined(separator: ","))]\#(more)}"#
  }

  @Test("counted pages, to the first empty one") func counted() async throws {
    let server = CannedServer([
      "/t?page=1": Self.page([1, 2]), "/t?page=2": Self.page([3]), "/t?page=3": Self.page([]),
    ])
    let got = try await Outcome(Self.source(SourcePaging(.page, "page")), "items", server)
    #expect(got.rows == ["1", "2", "3"] && server.asked == ["/t?page=1", "/t?page=2", "/t?page=3"])
  }
  @Test("counted records, to the first short page") func offsets() async throws {
    let server = CannedServer(["/t?n=2&from=0": Self.page([1, 2]), "/t?n=2&from=2": Self.page([3])])
    let paging = SourcePaging(.offset, "from", limit: 2, limitParameter: "n", stop: .short)
    #expect(try await Outcome(Self.source(paging), "items", server).rows == ["1", "2", "3"])
    #expect(server.asked.count == 2)
  }
  @Test(
    "links in the response, absolute or relative",
    arguments: ["https://h/t?page=2", "/t?page=2", "?page=2", "t?page=2", "//h/t?page=2", "HTTPS://H:443/t?page=2"])
  func links(link: String) async throws {
    let second = link.hasPrefix("HTTPS") ? ":443/t?page=2" : "/t?page=2"
    let server = CannedServer([
      "/t": Self.page([1], #", "next": "\#(link)""#), second: Self.page([2], #", "next": null"#),
    ])
    let paging = SourcePaging(.nextURL, pointer: "/next")
    #expect(try await Outcome(Self.source(paging), "items", server).rows == ["1", "2"])
  }
  @Test("a URL within a link is not a server") func within() async throws {
    let server = CannedServer([
      "/t": Self.page([1], #", "next": "/t?for=http://elsewhere/x""#),
      "/t?for=http://elsewhere/x": Self.page([2], #", "next": null"#),
    ])
    let paging = SourcePaging(.nextURL, pointer: "/next")
    #expect(try await Outcome(Self.source(paging), "items", server).rows == ["1", "2"])
  }
  @Test("links in the header") func header() async throws {
    let links = #"<https://h/t?page=1>; rel="prev", <https://h/t?page=2>; rel="next""#
    let server = CannedServer([
      "/t": (200, [HTTPHeader("Link", links)], #"[{"id": 1}]"#), "/t?page=2": (200, [], #"[{"id": 2}]"#),
    ])
    let source = Self.source(SourcePaging(.linkHeader), records: "")
    #expect(try await Outcome(source, "items", server).rows == ["1", "2"])
  }
  @Test("the next page may be in any of several header fields") func severalFields() async throws {
    let links = ["<https://h/t>; rel=first", #"</t?page=2>; title="a, <b>; rel=prev"; Rel = "last next""#]
    let server = CannedServer([
      "/t": (200, links.map { HTTPHeader("link", $0) }, #"[{"id": 1}]"#),
      "/t?page=2": (200, [HTTPHeader("Link", #"</t>; rel=prev; title="rel=next""#)], #"[{"id": 2}]"#),
    ])
    let source = Self.source(SourcePaging(.linkHeader), records: "")
    #expect(try await Outcome(source, "items", server).rows == ["1", "2"])
  }
  @Test(
    "a list ends at a null next page; an invalid next page is an error",
    arguments: [SourcePaging(.nextURL, pointer: "/c"), SourcePaging(.cursor, "after", pointer: "/c")])
  func ends(paging: SourcePaging) async throws {
    for end in ["null", "false", #""""#] {
      let server = CannedServer(["/t": Self.page([1], #", "c": \#(end)"#)])
      #expect(try await Outcome(Self.source(paging), "items", server).rows == ["1"])
    }
    for odd in [#"{"href": "/t?after=2"}"#, "[1]", "true"] {
      let server = CannedServer(["/t": Self.page([1], #", "c": \#(odd)"#)])
      let problem = await #expect(throws: Problem.self) { try await Outcome(Self.source(paging), "items", server) }
      #expect(problem?.kind == .badData && problem?.message.contains("expected the next page at /c") == true)
    }
  }
  @Test("records that share a value need one request") func shared() async throws {
    var source = Self.source(.none, records: "")
    let team = ColumnDescription("team", .integer)
    source.datasets[0].schema = Schema(
      "items", key: ["id"], columns: [ColumnDescription("id", .integer, nullable: false), team])
    source.datasets[0].columns.append(SourceColumn("team", from: "/team"))
    source.datasets.append(
      APIDataset(
        Schema("players", key: ["id"], columns: [ColumnDescription("id", .integer, nullable: false), team]),
        path: "/team/{team}", parent: SourceParent(dataset: "items", column: "team", parameter: "team"),
        columns: [SourceColumn("id", from: "/id"), SourceColumn("team", from: SourceColumn.parent)]))
    let server = CannedServer([
      "/t": #"[{"id": 1, "team": 7}, {"id": 2, "team": 8}, {"id": 3, "team": 7}, {"id": 4}]"#,
      "/team/7": #"[{"id": 70}, {"id": 71}]"#, "/team/8": #"[{"id": 80}]"#,
    ])
    let got = try await Outcome(source, "players", server)
    #expect(got.rows == ["70|7", "71|7", "80|8"] && got.warnings == [])
  }
  @Test("a key in the query is sent once, also with a link that contains one") func keyInLink() async throws {
    var source = Self.source(SourcePaging(.nextURL, pointer: "/next"))
    source.authorization = [SourceAuthorization(.query, "key", variable: "KEY")]
    let server = CannedServer([
      "/t?key=k1": Self.page([1], #", "next": "/t?key=xxx&p=2""#), "/t?p=2&key=k1": Self.page([2]),
    ])
    #expect(try await Outcome(source, "items", server, environment: ["KEY": "k1"]).rows == ["1", "2"])
  }
  @Test("a server's URL ends before a query", arguments: ["https://h/a?key=1", "https://h/a#b", "ftp://h", "h"])
  func servers(url: String) {
    let problem = #expect(throws: Problem.self) {
      try RESTSource(Self.source(.none), server: url, transport: CannedServer([String: String]())) { _ in }
    }
    #expect(problem?.kind == .usage && problem?.message.contains("key=1") == false)
  }
  @Test("a parameter that is always sent may be in the path") func inPath() async throws {
    var source = Self.source(.none)
    source.datasets[0].path = "/{lang}/t"
    source.datasets[0].parameters = [SourceParameter("lang", "pt/br"), SourceParameter("n", "1")]
    let server = CannedServer(["/pt%2Fbr/t?n=1": Self.page([1])])
    #expect(try await Outcome(source, "items", server).rows == ["1"])
  }
  @Test("cursors") func cursors() async throws {
    let server = CannedServer(["/t": Self.page([1], #", "c": "a b""#), "/t?after=a%20b": Self.page([2], #", "c": """#)])
    let paging = SourcePaging(.cursor, "after", pointer: "/c")
    #expect(try await Outcome(Self.source(paging), "items", server).rows == ["1", "2"])
  }
  @Test("a next page on another server, one that was read, too many, the same again: refused, never cut short")
  func refused() async throws {
    let next = SourcePaging(.nextURL, pointer: "/next")
    let counted = SourcePaging(.page, "page", maximumPages: 1)
    let cases: [(SourcePaging, [String: String], String)] = [
      (next, ["/t": Self.page([1], #", "next": "https://h.evil/t""#)], "another server"),
      (next, ["/t": Self.page([1], #", "next": "http://h/t""#)], "another server"),
      (next, ["/t": Self.page([1], #", "next": "/t""#)], "pagination loop"),
      (next, ["/t": Self.page([1], #", "next": "/t?a b""#)], "white space"),
      (counted, ["/t?page=1": Self.page([1])], "more than 1 pages"),
      (
        SourcePaging(.page, "page"), ["/t?page=1": Self.page([1]), "/t?page=2": Self.page([1])],
        "identical to the previous page"
      ),
    ]
    for (paging, answers, words) in cases {
      let problem = await #expect(throws: Problem.self) {
        try await Outcome(Self.source(paging), "items", CannedServer(answers))
      }
      #expect(problem?.kind == .badData && problem?.message.contains(words) == true, "\(words)")
    }
  }
  @Test("secrets come from the environment and go to the source's own server alone") func secrets() async throws {
    var source = Self.source(.none)
    let server = CannedServer(["/t": Self.page([1]), "/t?key=a%26b": Self.page([2])])
    source.authorization = [SourceAuthorization(.bearer, variable: "TOKEN")]
    let got = try await Outcome(source, "items", server, environment: ["TOKEN": "s3cret"])
    #expect(got.rows == ["1"])
    #expect(server.requests.withLock { $0[0].headers.contains(HTTPHeader("Authorization", "Bearer s3cret")) })
    source.authorization = [SourceAuthorization(.basic, variable: "LOGIN")]
    _ = try await Outcome(source, "items", server, environment: ["LOGIN": "Aladdin:open sesame"])
    let basic = HTTPHeader("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(server.requests.withLock { $0[1].headers.contains(basic) })
    source.authorization = [SourceAuthorization(.query, "key", variable: "KEY")]
    #expect(try await Outcome(source, "items", server, environment: ["KEY": "a&b"]).rows == ["2"])
    let problem = await #expect(throws: Problem.self) { try await Outcome(source, "items", server) }
    #expect(problem?.kind == .configuration && problem?.message.contains("KEY") == true)
  }

  @Test("header fields of the description, on every request") func headers() async throws {
    var source = Self.source(.none)
    source.headers = [SourceParameter("Accept-Language", "de")]
    let server = CannedServer(["/t": Self.page([1])])
    _ = try await Outcome(source, "items", server)
    #expect(
      server.requests.withLock { $0[0].headers }
        == [HTTPHeader("Accept", "application/json"), HTTPHeader("Accept-Language", "de")])
    source.headers = [SourceParameter("accept", "application/vnd.x+json")]
    _ = try await Outcome(source, "items", server)
    #expect(server.requests.withLock { $0[1].headers } == [HTTPHeader("accept", "application/vnd.x+json")])
  }

  // MARK: - The other built-in sources

  @Test("the older API has seasons as text, lists as text, and one image") func classic() async throws {
    let server = CannedServer([
      "/episodes":
        #"[{"episode_id": 7, "title": "t", "season": " 1", "episode": "10", "air_date": "03-09-2008", "characters": ["a", ""], "series": "Breaking Bad"}]"#,
      "/characters": """
      [{"char_id": 1, "name": "n", "birthday": "Unknown", "occupation": "A, B", "img": "http://i", "status": "?", "nickname": "x",
        "appearance": null, "portrayed": "Jesus, Payan, Jr.", "category": "Breaking Bad, Better Call Saul", "better_call_saul_appearance": "1, 2"},
       {"char_id": 2, "name": "m", "birthday": null, "img": "", "status": "Deceased", "appearance": [], "category": null}]
      """,
      "/deaths":
        #"[{"death_id": 2, "death": "d", "responsible": "A and B", "season": 4, "episode": 13, "number_of_deaths": 2}]"#,
    ])
    let classic = APIDescription.breakingBadClassic
    let episodes = try await Outcome(
      classic, "episodes", server, columns: ["season", "episode", "air_date", "characters"])
    #expect(episodes.rows == [#"1|10|2008-03-09|["a"]"#])
    let characters = try await Outcome(
      classic, "characters", server,
      columns: [
        "occupations", "images", "status", "portrayed_by", "productions", "breaking_bad_seasons",
        "better_call_saul_seasons",
      ])
    #expect(
      characters.rows == [
        #"["A","B"]|["http://i"]|unknown|Jesus, Payan, Jr.|["Breaking Bad","Better Call Saul"]|null|[1,2]"#,
        "null|null|dead|null|null|[]|null",
      ])
    let deaths = try await Outcome(
      classic, "deaths", server, columns: ["responsible", "season", "episode", "number_of_deaths"])
    #expect(deaths.rows == [#"["A and B"]|4|13|2"#])
  }
  @Test("the box office combines two lists and a page into one row per movie") func boxOffice()
    async throws
  {
    let server = CannedServer([
      "/movies?order_type=0":
        #"{"order_type": 0, "movies": [{"id": "b", "title": "B", "reservation_rate": 35.5, "user_rating": 7}, {"id": "a", "title": "A"}]}"#,
      "/movies?order_type=1": #"{"movies": [{"id": "a"}, {"id": "b"}]}"#,
      "/movie?id=a": #"{"id": "a", "actor": "X (a, b), Y", "genre": "1,2, 3", "duration": 139, "director": ""}"#,
      "/movie?id=b": (#"{"id": "b", "audience": 11676822}"#),
      "/comments?movie_id=a": #"{"movie_id": "a", "comments": []}"#,
      "/comments?movie_id=b":
        #"{"comments": [{"id": "c", "movie_id": "b", "writer": "typical ", "rating": 9.9162015914917, "timestamp": -4.88758087158203e-06, "contents": "?\n"}]}"#,
    ])
    let movies = try await Outcome(
      .boxOffice, "movies", server,
      columns: [
        "id", "curation_rank", "reservation_rate", "user_rating", "actors", "genres", "duration_minutes", "audience",
        "directors",
      ])
    #expect(
      movies.rows == [
        #"a|1|null|null|["X (a, b)","Y"]|["1","2","3"]|139|null|null"#, "b|2|35.5|7.0|null|null|null|11676822|null",
      ])
    let comments = try await Outcome(
      .boxOffice, "comments", server, columns: ["movie_id", "writer", "rating", "posted_at", "contents"])
    #expect(comments.rows == ["b|typical |9.9162015914917|1969-12-31T23:59:59.99999511241912841797Z|?\n"])
    let titles = try await Outcome(.boxOffice, "movies", server, columns: ["title"])
    #expect(titles.rows == ["A", "B"])
    #expect(server.asked.filter { $0.hasPrefix("/movie?") }.count == 2, "titles alone need no pages of movies")
  }
  @Test("columns that are not selected are not requested") func narrowed() async throws {
    let server = CannedServer([
      "/movies?order_type=0":
        #"{"movies": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {"id": "c", "title": "C"}]}"#,
      "/movies?order_type=1": #"{"movies": []}"#, "/movie?id=a": #"{"audience": 1}"#,
      "/movie?id=b": #"{"audience": 2}"#,
      "/movie?id=c": #"{"audience": 3}"#, "/comments?movie_id=b": #"{"comments": [{"id": "x", "movie_id": "b"}]}"#,
    ])
    var selection = Selection()
    selection.conditions = [Condition("title", .notEqual, "C"), Condition("audience", .greater, "1")]
    selection.alternatives = [[Condition("id", .equal, "b"), Condition("title", .contains, "c")]]
    let films = try await Outcome(.boxOffice, "movies", server, columns: ["id", "audience"], selection: selection)
    #expect(films.rows == ["b|2"] && server.asked.filter { $0.hasPrefix("/movie?") } == ["/movie?id=b"])
    var comments = Selection()
    comments.conditions = [Condition("movie_id", .isIn, "b"), Condition("id", .equal, "x")]
    let got = try await Outcome(.boxOffice, "comments", server, columns: ["id"], selection: comments)
    #expect(got.rows == ["x"] && server.asked.filter { $0.hasPrefix("/comments") }.count == 1)
    // Values of the movie pages cannot be known before.
    selection = Selection()
    selection.conditions = [Condition("audience", .greater, "1"), Condition("character.name", .equal, "x")]
    #expect(try await Outcome(.boxOffice, "movies", server, columns: ["id"], selection: selection).rows.count == 3)
  }
  @Test("a movie whose page was deleted keeps its stored values; a new one has none") func forgotten() async throws {
    let server = CannedServer([
      "/movies?order_type=0": (200, [], #"{"movies": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]}"#),
      "/movies?order_type=1": (200, [], #"{"movies": []}"#), "/movie?id=a": (404, [], #"{"message":"no"}"#),
      "/movie?id=b": (404, [], #"{"message":"no"}"#),
    ])
    // An older table: fewer columns, in another order.
    let old = Schema(
      "movies", key: ["id"],
      columns: [
        ColumnDescription("audience", .integer), ColumnDescription("id", .text, nullable: false),
        ColumnDescription("title", .text),
      ])
    var builder = RowBatchBuilder(width: 3)
    for value: Value in [.integer(7), .text("a"), .text("Old")] { builder.append(value: value) }
    let columns = ["id", "title", "audience", "synopsis"]
    let got = try await Outcome(
      .boxOffice, "movies", server, columns: columns, stored: StoredTable(schema: old, batch: builder.takeBatch()))
    #expect(got.rows == ["a|A|7|null", "b|B|null|null"])
    #expect(
      got.warnings == [
        "movies: no details available for b; those columns are null",
        "movies: no details available for a; keeping the stored values",
      ])
  }
}
