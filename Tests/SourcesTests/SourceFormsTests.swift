import Domain
import Rows
import Sources
import Synchronization
import Testing

/// The key of the response format.
let response = "answer"  // prose-lint: ignore

/// Reads dataset `t` of a definition of version 2 from a canned server.
func outcome(
  _ dataset: String, _ columns: String, key: String = "", top: String = "", _ answers: [String: String],
  environment: [String: String] = [:]
) async throws -> Outcome {
  try await outcome(dataset, columns, key: key, top: top, CannedServer(answers), environment: environment)
}
func outcome(
  _ dataset: String, _ columns: String, key: String = "", top: String = "", _ server: CannedServer,
  environment: [String: String] = [:]
) async throws -> Outcome {
  let text = """
    {"bb_source": 2, "name": "x", "base_url": "https://h", \(top)
     "datasets": [{"name": "t", "path": "/t", \(dataset) "key": [\(key)], "columns": [\(columns)]}]}
    """
  return try await Outcome(
    try SourceFile.read(Array(text.utf8), name: "x.json"), "t", server, environment: environment)
}

@Suite("forms of records and responses") struct SourceFormsTests {
  @Test(
    "a body of another kind is not an empty list",
    arguments: [
      (
        #""records": "/r/i", "\(response)": {"as": "xml"},"#,
        [
          "<error>m</error>", "<html><body>x</body></html>",
          "<r><error>m</error></r>", "<r>maintenance</r>", "",
        ]
      ),
      (
        #""\(response)": {"as": "csv"},"#, ["", " \n", "<html><body>x</body></html>", "null", #"{"error": "m"}"#, "[]"]
      ),
      (#""records": {"as": "lists"},"#, [#"{"a": [{"n": "x"}], "b": null}"#, #"{"error": null}"#, "null"]),
      (
        #""records": {"as": "json-stat"},"#,
        [#"{"id": ["a"], "size": [1], "dimension": {"a": {"category": {"index": ["x"]}}}, "value": null}"#]
      ),
      (#""explode": "/items","#, [#"[{"o": 1, "items": null}]"#]),
    ])
  func wrongBodies(_ form: String, _ bodies: [String]) async throws {
    for body in bodies {
      let form = form.replacing("\\(response)", with: response)
      let problem = await #expect(throws: Problem.self, "\(form) \(body)") {
        try await outcome(form, #"{"name": "n"}"#, ["/t": body])
      }
      #expect(problem?.kind == .badData, "\(form) \(body)")
    }
  }

  @Test("an empty list is one") func emptyLists() async throws {
    for (form, body) in [
      (#""records": "/r/i", "\#(response)": {"as": "xml"},"#, "<r><title/></r>"),
      (#""\#(response)": {"as": "csv"},"#, "n,m\n"), (#""explode": "/items","#, #"[{"o": 1}, {"items": []}]"#),
    ] {
      #expect(try await outcome(form, #"{"name": "n"}"#, ["/t": body]).rows.isEmpty, "\(form)")
    }
  }

  @Test("a map, lists, rows, values, one object") func forms() async throws {
    let named = ##"{"name": "k", "from": "#key"}, {"name": "v", "type": "integer", "from": "/n"}"##
    #expect(
      try await outcome(
        #""records": {"at": "/m", "as": "map"},"#, named, ["/t": #"{"m": {"a": {"n": 1}, "b": {"n": 2}}}"#]
      ).rows == ["a|1", "b|2"])
    #expect(
      try await outcome(#""records": {"as": "lists"},"#, named, ["/t": #"{"a": [{"n": 1}, {"n": 2}], "b": []}"#]).rows
        == ["a|1", "a|2"])
    let scalar = ##"{"name": "k", "from": "#key"}, {"name": "v", "type": "real", "from": ""}"##
    #expect(
      try await outcome(#""records": {"at": "/rates", "as": "map"},"#, scalar, ["/t": #"{"rates": {"EUR": 1.5}}"#]).rows
        == ["EUR|1.5"])
    let places = #"{"name": "a", "type": "integer", "from": "/0"}, {"name": "b", "from": "/1"}"#
    #expect(
      try await outcome(#""records": {"as": "rows"},"#, places, ["/t": #"[[1, "x"], [2, "y"]]"#]).rows == [
        "1|x", "2|y",
      ])
    #expect(
      try await outcome(
        #""records": {"as": "rows", "header": true},"#, #"{"name": "b"}"#, ["/t": #"[["a", "b"], [1, "x"]]"#]
      ).rows == ["x"])
    #expect(
      try await outcome(#""records": {"as": "values"},"#, #"{"name": "v", "from": ""}"#, ["/t": #"["a", "b"]"#]).rows
        == ["a", "b"])
    let object = #""records": {"at": "/one", "as": "object"},"#
    #expect(try await outcome(object, #"{"name": "n"}"#, ["/t": #"{"one": {"n": "x"}}"#]).rows == ["x"])
    for body in [#"{"one": null}"#, #"{"one": {}}"#, #"{"one": {"error": "maintenance"}}"#, #"{"one": [{"n": "x"}]}"#] {
      let problem = await #expect(throws: Problem.self) { try await outcome(object, #"{"name": "n"}"#, ["/t": body]) }
      #expect(problem?.kind == .badData, "\(body)")
    }
  }
  @Test("elements of arrays become records, with the records around them") func explode() async throws {
    let columns =
      ##"{"name": "c", "from": "#outer/#outer/id"}, {"name": "o", "from": "#outer/id"}, {"name": "l", "from": "/id"}"##
    let got = try await outcome(
      #""explode": ["/orders", "/lines"],"#, columns,
      [
        "/t":
          #"[{"id": "c1", "orders": [{"id": "o1", "lines": [{"id": "l1"}, {"id": "l2"}]}, {"id": "o2"}]}, {"id": "c2"}]"#
      ])
    #expect(got.rows == ["c1|o1|l1", "c1|o1|l2"])
  }
  @Test("values from the response, the page, constants, and the first that is not null") func selectors() async throws {
    let columns = ##"""
      {"name": "city", "from": "#\##(response)/city/name"}, {"name": "p", "type": "integer", "from": "#page"},
      {"name": "n", "from": ["/a", "/b"], "null": ["-"]}, {"name": "s", "value": "x"}
      """##
    let got = try await outcome(
      #""records": "/r", "paging": {"type": "page", "param": "p", "pages": "/pages"},"#, columns,
      [
        "/t?p=1": #"{"city": {"name": "Wien"}, "pages": 2, "r": [{"a": "-", "b": "B"}]}"#,
        "/t?p=2": #"{"city": {"name": "Graz"}, "pages": 2, "r": [{"a": "A"}, {}]}"#,
      ])
    #expect(got.rows == ["Wien|1|B|x", "Graz|2|A|x", "Graz|2|null|x"])
  }
  @Test("CSV, lines of JSON, XML and JSON-stat") func formats() async throws {
    func server(_ type: String, _ body: String) -> CannedServer {
      CannedServer(["/t": (200, [HTTPHeader("Content-Type", type)], body)])
    }
    let ab = #"{"name": "a", "type": "decimal"}, {"name": "b"}"#
    #expect(
      try await outcome("", ab, server("text/csv; charset=utf-8", "a,b\r\n1.10,\"x, y\"\r\n,\r\n")).rows == [
        "1.10|x, y", "null|null",
      ])
    #expect(
      try await outcome(#""\#(response)": {"as": "csv", "delimiter": ";"},"#, ab, server("text/plain", "a;b\n2;z\n"))
        .rows
        == ["2|z"])
    #expect(
      try await outcome("", ab, server("application/x-ndjson", "{\"a\": 1, \"b\": \"x\"}\n\n{\"a\": 2, \"b\": null}\n"))
        .rows
        == ["1|x", "2|null"])
    let feed = """
      <?xml version="1.0"?><feed xmlns="urn:x"><entry><id>1</id><link href="u"/><tag>a</tag><tag>b</tag></entry>
      <entry><id>2</id><title>T &amp; U</title><tag>c</tag></entry></feed>
      """
    let entry =
      #"{"name": "id", "type": "integer"}, {"name": "title"}, {"name": "u", "from": "/link/@href"}, {"name": "tags", "type": "list-of-text", "from": "/tag"}"#
    for pointer in ["/entry", "/feed/entry"] {
      #expect(
        try await outcome(#""records": "\#(pointer)","#, entry, server("application/atom+xml", feed)).rows
          == [#"1|null|u|["a","b"]"#, #"2|T & U|null|["c"]"#])
    }
    let one = "<feed><entry><id>1</id></entry></feed>"
    #expect(try await outcome(#""records": "/entry","#, #"{"name": "id"}"#, server("text/xml", one)).rows == ["1"])
    #expect(try await outcome(#""records": "/entry","#, #"{"name": "id"}"#, server("text/xml", "<feed/>")).rows == [])
    let stat = #"""
      {"id": ["g", "t"], "size": [2, 2], "value": [1, null, 3.5, 4], "status": {"2": "p"},
       "dimension": {"g": {"category": {"index": {"A": 0, "B": 1}}}, "t": {"category": {"index": ["x", "y"]}}}}
      """#
    let columns = #"{"name": "g"}, {"name": "t"}, {"name": "value", "type": "decimal"}, {"name": "status"}"#
    #expect(
      try await outcome(#""records": {"as": "json-stat"},"#, columns, ["/t": stat]).rows
        == ["A|x|1|null", "B|x|3.5|p", "B|y|4|null"])
  }
  @Test("steps that choose, parts of dates, and durations") func steps() async throws {
    let columns = """
      {"name": "d", "from": "/crew", "steps": [{"where": {"at": "/job", "is": "Director"}}, {"each": "/name"}, {"join": ", "}]},
      {"name": "w", "from": "/crew", "steps": [{"where": {"at": "/job", "is": "Writer"}}, {"each": "/name"}, "first"]},
      {"name": "p", "type": "list-of-text", "steps": [{"split": ";"}]}, {"name": "on", "type": "date", "formats": ["parts"]},
      {"name": "s", "type": "decimal", "formats": ["iso-duration"]}
      """
    func rows(_ body: String) async throws -> [String] { try await outcome("", columns, ["/t": "[\(body)]"]).rows }
    let crew = #"[{"job": "Director", "name": "A"}, {"job": "Grip", "name": "B"}, {"job": "Director", "name": "C"}]"#
    #expect(
      try await rows(
        #"{"crew": \#(crew), "p": "a, b; c", "on": {"year": 2024, "month": 5, "day": null}, "s": "PT1H2M3S"}"#)
        == [#"A, C|null|["a, b","c"]|2024-05|3723"#])
    for (text, seconds) in [
      ("P1DT0.5S", "86400.5"), ("-P1W", "-604800"), ("PT0S", "0"), ("P1M", nil), ("PT", nil), ("P", nil),
      ("PT1S1M", nil),
    ] as [(String, String?)] {
      let body = #"{"crew": [], "p": null, "on": {"year": 2024}, "s": "\#(text)"}"#
      if let seconds {
        #expect(try await rows(body).first?.hasSuffix("|2024|\(seconds)") == true, "\(text)")
      } else {
        await #expect(throws: Problem.self, "\(text)") { try await rows(body) }
      }
    }
  }
  @Test("requests for every combination of values") func combinations() async throws {
    let dataset = ##""path": "/{y}/t", "for_each": {"values": {"y": [1, 2], "c": ["a", "b"]}},"##
    let text = """
      {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [{"name": "t", \(dataset)
       "columns": [{"name": "y", "from": "#parent/y"}, {"name": "v"}]}]}
      """
    let server = CannedServer([
      "/1/t?c=a": #"[{"v": "1a"}]"#, "/1/t?c=b": "[]", "/2/t?c=a": #"[{"v": "2a"}]"#, "/2/t?c=b": #"[{"v": "2b"}]"#,
    ])
    let got = try await Outcome(try SourceFile.read(Array(text.utf8), name: "x"), "t", server)
    #expect(got.rows == ["1|1a", "2|2a", "2|2b"])
  }
  @Test("several values of a parent") func parents() async throws {
    let text = """
      {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [
        {"name": "repos", "path": "/repos", "key": ["org", "name"], "columns": [{"name": "org"}, {"name": "name"}, {"name": "stars", "type": "integer"}]},
        {"name": "t", "path": "/{o}/{r}", "parent": {"dataset": "repos", "params": {"o": "org", "r": "name"}},
         "columns": [{"name": "org", "from": "#parent/org"}, {"name": "stars", "type": "integer", "from": "#parent/stars"}, {"name": "v"}]}]}
      """
    let server = CannedServer([
      "/repos": #"[{"org": "a", "name": "x", "stars": 3}, {"org": "b", "name": "x", "stars": 4}]"#,
      "/a/x": #"[{"v": "1"}]"#,
      "/b/x": #"[{"v": "2"}]"#,
    ])
    #expect(
      try await Outcome(try SourceFile.read(Array(text.utf8), name: "x"), "t", server).rows == ["a|3|1", "b|4|2"])
  }
  @Test("variables, from the environment and by default; one without a value is named") func variables() async throws {
    let top = #""variables": {"v": {"env": "V", "default": "d"}},"#, dataset = #""params": {"q": "a{v}"},"#
    let columns = #"{"name": "n"}"#
    #expect(try await outcome(dataset, columns, top: top, ["/t?q=ad": #"[{"n": "1"}]"#]).rows == ["1"])
    #expect(
      try await outcome(dataset, columns, top: top, ["/t?q=ae": #"[{"n": "2"}]"#], environment: ["V": "e"]).rows == [
        "2"
      ])
    let problem = await #expect(throws: Problem.self) {
      try await outcome(dataset, columns, top: #""variables": {"v": {"env": "V"}},"#, [:])
    }
    let refused = await #expect(throws: Problem.self) {
      try await outcome(dataset, columns, top: top, [:], environment: ["V": "hidden1"])
    }
    #expect(refused?.place.contains("/t?q=") == true && refused?.description.contains("hidden1") == false)
    #expect(problem?.kind == .configuration && problem?.hint == ["set V", .set(.sourceVariable, to: "v=…")])
  }
  @Test("a response with status 200 that is an error") func errors() async throws {
    let top = #""error": {"when": {"at": "/ok", "is": false}, "message": "/why"},"#
    let problem = await #expect(throws: Problem.self) {
      try await outcome(
        #""records": "/r","#, #"{"name": "n"}"#, top: top, ["/t": #"{"ok": false, "why": "no", "r": []}"#])
    }
    #expect(problem?.kind == .unavailable && problem?.message.contains("no") == true)
    let graph = await #expect(throws: Problem.self) {
      try await outcome(
        #""records": "/data/r","#, #"{"name": "n"}"#, ["/t": #"{"errors": [{"message": "bad query"}]}"#])
    }
    #expect(graph?.kind == .unavailable && graph?.message.contains("bad query") == true)
  }
  @Test("several invalid records are reported together") func several() async throws {
    let bad = (1...30).map { #"{"n": "x\#($0)"}"# }.joined(separator: ",")
    let problem = await #expect(throws: Problem.self) {
      try await outcome("", #"{"name": "n", "type": "integer"}"#, ["/t": "[\(bad)]"])
    }
    #expect(problem?.kind == .badData && problem?.message.hasPrefix("record 1, n: invalid value “x1”") == true)
    #expect(problem?.others.count == 19)
  }
}

@Suite("pages of version 2") struct SourcePagesTests {
  private static func page(_ ids: [Int], _ more: String = "") -> String {
    #"{"r": [\#(ids.map { #"{"id": \#($0)}"# }.joined(separator: ","))]\#(more)}"#
  }
  private static func rows(_ paging: String, _ server: CannedServer, more: String = "") async throws -> [String] {
    try await outcome(
      #""records": "/r", "paging": \#(paging), \#(more)"#, #"{"name": "id", "type": "integer"}"#, key: #""id""#, server
    ).rows
  }

  @Test("the last record's value, until a flag ends it") func last() async throws {
    let server = CannedServer([
      "/t?limit=2": Self.page([9, 8], #", "more": true"#), "/t?limit=2&after=8": Self.page([7], #", "more": false"#),
    ])
    let paging =
      #"{"type": "cursor", "param": "after", "from": {"last": "/id"}, "until": {"at": "/more", "is": false}, "limit": 2, "limit_param": "limit"}"#
    #expect(try await Self.rows(paging, server) == ["7", "8", "9"])
    #expect(server.asked.count == 2)
  }
  @Test("cursors in the body, the header, and a first one") func places() async throws {
    let posted = CannedServer(["/t": Self.page([1])])
    let body = #""request": {"method": "POST", "body": {"n": {"x": 1}}},"#
    _ = try await Self.rows(
      #"{"type": "cursor", "body": "/n/after", "start": [0, "a"], "pointer": "/c"}"#, posted, more: body)
    let sent = posted.requests.withLock { $0[0] }
    #expect(sent.method == .post && String(decoding: sent.body, as: UTF8.self) == #"{"n":{"x":1,"after":[0,"a"]}}"#)
    let header = CannedServer([
      "/t": (200, [HTTPHeader("X-Next", "2")], Self.page([1])),
      "/t?p=2": (200, [HTTPHeader("X-Next", "")], Self.page([2])),
    ])
    #expect(
      try await Self.rows(#"{"type": "cursor", "param": "p", "from": {"header": "X-Next"}}"#, header) == ["1", "2"])
    let first = CannedServer([
      "/t?c=%2A": Self.page([1], #", "c": "x""#), "/t?c=x": Self.page([2], #", "c": null"#),
    ])
    #expect(
      try await Self.rows(#"{"type": "cursor", "param": "c", "start": "*", "pointer": "/c"}"#, first) == ["1", "2"])
    let object = CannedServer([
      "/t": Self.page([1], #", "continue": {"a": "x", "b": 2}"#), "/t?a=x&b=2": Self.page([2]),
    ])
    #expect(try await Self.rows(#"{"type": "params", "pointer": "/continue"}"#, object) == ["1", "2"])
  }
  @Test("totals, page counts, first offsets") func totals() async throws {
    let offset = CannedServer([
      "/t?n=2&o=1": Self.page([1, 2], #", "all": 3"#), "/t?n=2&o=3": Self.page([3], #", "all": 3"#),
    ])
    let paging = #"{"type": "offset", "param": "o", "limit_param": "n", "limit": 2, "first": 1, "total": "/all"}"#
    #expect(try await Self.rows(paging, offset) == ["1", "2", "3"] && offset.asked.count == 2)
    let short = CannedServer(["/t?p=1": Self.page([1], #", "all": 2"#), "/t?p=2": Self.page([], #", "all": 2"#)])
    let got = try await outcome(
      #""records": "/r", "paging": {"type": "page", "param": "p", "total": "/all"},"#,
      #"{"name": "id", "type": "integer"}"#,
      short)
    #expect(got.rows == ["1"] && got.warnings.first?.contains("the API has more records (it announced 2") == true)
    let ended = CannedServer(["/t?p=1": (200, [], Self.page([1])), "/t?p=2": (404, [], "gone")])
    #expect(try await Self.rows(#"{"type": "page", "param": "p", "stop": "not-found"}"#, ended) == ["1"])
  }
  @Test("pages that overlap find records that moved") func overlap() async throws {
    // Record 1 is deleted after the first page, so that the others move up.
    let server = CannedServer([
      "/t?n=3&o=0": Self.page([1, 2, 3]), "/t?n=3&o=2": Self.page([4, 5, 6]), "/t?n=3&o=4": Self.page([6]),
      "/t?n=3&o=5": Self.page([6]), "/t?n=3&o=6": Self.page([]),
    ])
    let paging = #"{"type": "offset", "param": "o", "limit_param": "n", "limit": 3, "overlap": 1}"#
    #expect(try await Self.rows(paging, server) == ["1", "2", "3", "4", "5", "6"])
  }
  @Test("details at the URL of the record, and elements of them as rows") func details() async throws {
    let dataset = """
      "supplements": [{"for": "each", "url": "/url", "explode": "/parts", "columns": [{"name": "p"}]}],
      """
    let server = CannedServer([
      "/t": #"[{"id": "a", "url": "https://h/d/a"}, {"id": "b", "url": "/d/b"}, {"id": "c", "url": "/d/c"}]"#,
      "/d/a": #"{"parts": [{"p": "1"}, {"p": "2"}]}"#, "/d/b": #"{"parts": []}"#,
    ])
    let got = try await outcome(dataset, #"{"name": "id"}, {"name": "p"}"#, key: #""id""#, server)
    #expect(got.rows == ["a|1", "a|2"])
    let elsewhere = CannedServer(["/t": #"[{"id": "a", "url": "https://other/d"}]"#])
    await #expect(throws: Problem.self) {
      try await outcome(dataset, #"{"name": "id"}, {"name": "p"}"#, key: #""id""#, elsewhere)
    }
  }
}
