import Codecs
import Glibc
import Rows
import Sources
import Testing

@Suite("source definitions of version 2") struct SourceGrammarTests {
  private static func file(top: String = "", dataset: String = "", columns: String = #"{"name": "id"}"#) -> String {
    """
    {"bb_source": 2, "name": "x", "base_url": "https://h", \(top)
     "datasets": [{"name": "t", "path": "/t", \(dataset) "key": ["id"], "columns": [\(columns)]}]}
    """
  }
  private static func read(_ text: String) throws(Problem) -> APIDescription {
    try SourceFile.read(Array(text.utf8), name: "x.json")
  }

  /// The key of the response format.
  private static let response = "answer"  // prose-lint: ignore

  /// Definitions that use every part of version 2.
  static let rich = [
    file(
      top: """
        "variables": {"a": {"env": "A", "default": "1"}, "b": {}}, "auth": [{"type": "bearer", "env": ["K1", "K2"], "prefix": "Bot "},
          {"type": "basic", "file": "/run/secrets/x"}, {"type": "query", "param": "k", "env": ["Q1", "Q2"]},
          {"type": "header", "header": "X-K", "env": "K", "prefix": "p"}],
        "rate": {"at_a_time": 3, "remaining": "X-Left", "reset": "X-Reset"},
        "error": {"when": {"at": "/ok", "is": false}, "message": "/error", "retry": true},
        """,
      dataset: """
        "request": {"method": "POST", "body": {"a": [1, null, "{a}"]}, "encoding": "form", "headers": {"X-A": "b"}},
        "\(response)": {"as": "csv", "delimiter": ";", "encoding": "windows-1252"}, "records": {"at": "/r", "as": "rows", "header": true},
        "explode": ["/a", "/b"], "for_each": {"values": {"y": [2024, "x"], "c": [true]}},
        "paging": {"type": "cursor", "body": "/after", "start": ["a", 1], "from": {"last": "/sort"}, "limit": 5, "limit_param": "n",
                   "stop": "not-found", "until": {"at": "/more", "is": null}, "total": {"header": "X-T"}, "pages": "/pages"},
        """,
      columns: """
        {"name": "id", "from": ["/a", "#outer/#outer/b", "#\(response)/c", "#page", "#parent/y"]}, {"name": "source", "value": {"a": 1}},
        {"name": "n", "type": "decimal", "formats": ["1.234,5", "1'234.5"], "null": ["?", -1, false], "invalid": [0, "-"], "on_error": "skip"},
        {"name": "at", "type": "timestamp", "formats": ["dd. MMMM yyyy HH:mm", "epoch-us", "parts"], "zone": "+02:00", "language": "de"},
        {"name": "yes", "type": "boolean", "formats": ["Y/N"], "on_error": "null"},
        {"name": "l", "steps": [{"each": "/a"}, {"join": ", "}, "strip-html", {"suffix": "!"}]},
        {"name": "m", "type": "decimal", "steps": [{"scale": -2}]}
        """),
    file(
      top: """
        "auth": {"type": "oauth2", "grant": "refresh_token", "token_url": "https://h/token", "client_id": {"env": "I"},
                 "client_secret": {"file": "/s"}, "refresh_token": {"env": "R"}, "scope": "read", "send": "body"},
        """,
      dataset: """
        "records": {"as": "map"}, "for_each": {"range": {"y": ["2020", "now"]}},
        "paging": {"type": "offset", "param": "o", "limit": 50, "first": 1, "overlap": 10, "total": "/n"},
        "supplements": [{"for": "each", "url": "/url", "explode": "/parts", "absent": [404], "columns": [{"name": "d"}]}],
        """, columns: ##"{"name": "id", "from": "#key"}, {"name": "d", "type": "date"}"##),
    file(
      dataset: """
        "incremental": {"column": "at", "param": "since", "format": "epoch-ms", "start": "2024-01-01", "end_param": "until", "window": "30d",
                        "lookback": "1h", "inclusive": false, "order": "ascending", "deletes": {"at": "/gone"}},
        """, columns: #"{"name": "id"}, {"name": "at", "type": "timestamp"}"#),
    file(
      dataset: """
        "incremental": {"column": "id", "order": "descending", "deletes": {"full_every": "7d"}},
        """),
    file(
      dataset: """
        "request": {"headers": {"X-A": "b"}}, "\(response)": {"as": "xml"}, "for_each": {"lines": "ids.txt", "param": "p"},
        "paging": {"type": "params", "pointer": "/continue", "max_pages": 9},
        """),
    """
    {"bb_source": 2, "name": "x", "base_url": "{base}/x", "variables": {"base": {}}, "datasets": [
      {"name": "t", "path": "/t", "key": ["id"], "columns": [{"name": "id"}, {"name": "of"}]},
      {"name": "c", "path": "/{o}/{r}", "parent": {"dataset": "t", "params": {"o": "id", "r": "of"}}, "records": {"at": "/v", "as": "lists"},
       "paging": {"type": "cursor", "param": "c", "start": "*", "pointer": "/next"}, "columns": [{"name": "of", "from": "#parent/of"}]},
      {"name": "d", "path": "/d", "paging": {"type": "cursor", "param": "page", "from": {"header": "X-Next-Page"}}, "columns": [{"name": "a"}]},
      {"name": "s", "path": "/s", "records": {"as": "json-stat"}, "columns": [{"name": "a"}]},
      {"name": "o", "path": "/o", "records": {"at": "/x", "as": "object"}, "paging": {"type": "none"}, "columns": [{"name": "a"}]},
      {"name": "v", "path": "/v", "records": {"as": "values"}, "columns": [{"name": "a", "from": ""}]}]}
    """,
  ]

  @Test("a definition, written as a file, is read as the same definition", arguments: rich)
  func roundTrip(text: String) throws {
    let source = try Self.read(text), written = SourceFile.text(of: source)
    #expect(try SourceFile.read(written, name: "x.json") == source)
    let schema = try JSON.parse(SourceFile.schema(), name: "schema"), validator = SchemaValidator()
    for bytes in [Array(text.utf8), written] {
      #expect(validator.fault(try JSON.parse(bytes, name: "x"), schema) == nil)
    }
    let first = try JSON.parse(SourceFile.schema(grammar: 1), name: "schema")
    #expect(validator.fault(try JSON.parse(written, name: "x"), first) != nil)
  }
  @Test("a built-in source is written in the lowest version that suffices") func lowest() {
    for source in APIDescription.builtIn {
      #expect(String(decoding: SourceFile.text(of: source), as: UTF8.self).contains("\"bb_source\": \(source.grammar)"))
    }
  }
  @Test(
    "what belongs to version 2 is named as such in a file of version 1",
    arguments: [
      (#""request": {"method": "POST"},"#, "/datasets/0/request"), (#""explode": "/a","#, "/datasets/0/explode"),
      (#""records": {"as": "map"},"#, "/datasets/0/records"),
      (#""paging": {"type": "params", "pointer": "/c"},"#, "/datasets/0/paging/type"),
      (
        #""paging": {"type": "next_url", "pointer": "/c", "until": {"at": "/a", "is": 1}},"#, "/datasets/0/paging/until"
      ),
    ])
  func later(dataset: String, place: String) {
    let text = Self.file(dataset: dataset).replacing("\"bb_source\": 2", with: "\"bb_source\": 1")
    let problem = #expect(throws: Problem.self) { try Self.read(text) }
    #expect(problem?.kind == .configuration && problem?.place == "x.json: \(place)", "\(problem?.description ?? "")")
    #expect(problem?.message == "belongs to version 2" && problem?.hint.description == #"write "bb_source": 2"#)
  }
  @Test("all errors of a file are reported together, each with its place and the nearest word") func several() {
    let text = Self.file(
      dataset: #""requst": 1, "paging": {"type": "pages"}, "records": {"as": "mpa"},"#,
      columns: #"{"name": "id", "tpye": "integer"}, {"name": "b", "on_error": "nul"}"#)
    let problem = #expect(throws: Problem.self) { try Self.read(text) }
    let all = problem.map { [$0] + $0.others } ?? []
    #expect(
      all.map { String($0.place.dropFirst("x.json: ".count)) } == [
        "/datasets/0", "/datasets/0/records/as", "/datasets/0/paging/type", "/datasets/0/columns/0",
        "/datasets/0/columns/1/on_error",
      ])
    #expect(all.map(\.hint.description).allSatisfy { $0.hasPrefix("did you mean") }, "\(all.map(\.hint))")
    let many = (0..<40).map { #"{"name": "c\#($0)", "x": 1}"# }.joined(separator: ",")
    #expect((#expect(throws: Problem.self) { try Self.read(Self.file(columns: many)) })?.others.count == 19)
  }
  @Test(
    "contradictions",
    arguments: [
      (file(dataset: #""request": {"body": {}},"#), "“body” requires the method POST"),
      (
        file(dataset: #""for_each": {"values": {"a": [1]}, "lines": "x", "param": "b"},"#),
        "expected exactly one of values"
      ),
      (file(dataset: #""paging": {"type": "cursor", "param": "a"},"#), "missing “pointer” or “from”"),
      (file(dataset: #""paging": {"type": "cursor", "pointer": "/a"},"#), "missing “param” or “body”"),
      (file(dataset: #""paging": {"type": "cursor", "body": "/a", "pointer": "/a"},"#), "requires the method POST"),
      (file(dataset: #""paging": {"type": "page", "param": "a", "limit_param": "n"},"#), "requires “limit”"),
      (file(columns: #"{"name": "id", "from": "/a", "value": 1}"#), "“value” and “from” cannot be used together"),
      (file(columns: ##"{"name": "id", "from": "#key"}"##), "only the records of a map"),
      (file(columns: ##"{"name": "id", "from": "#outer/a"}"##), "only exploded records"),
      (file(columns: ##"{"name": "id", "from": "#parent/a"}"##), "the dataset has no parent"),
      (
        file(columns: #"{"name": "id", "type": "timestamp", "formats": ["yyyy-MM-dd HH:mm"]}"#),
        "the format has no offset"
      ),
      (file(columns: #"{"name": "id", "type": "date", "formats": ["yyy"]}"#), "unknown format “yyy”"),
      (file(columns: #"{"name": "id", "type": "real", "formats": ["1,2"]}"#), "unknown number format “1,2”"),
      (file(columns: #"{"name": "id", "type": "boolean", "formats": ["yes"]}"#), "/formats/0: invalid format"),
      (
        file(columns: #"{"name": "id", "type": "timestamp", "formats": ["yyyy-MM-dd"], "zone": "Mars/Olympus"}"#),
        "/zone: unknown time zone “Mars/Olympus”"
      ),
      (file(top: #""auth": {"type": "bearer"},"#), "/auth: missing “env”"),
      (
        file(
          top:
            #""auth": {"type": "oauth2", "grant": "client_credentials", "token_url": "http://h/t", "client_id": {"env": "A"}, "client_secret": {"env": "B"}},"#
        ), "/auth/token_url: expected an https URL"
      ),
    ])
  func contradictory(text: String, complaint: String) {
    let problem = #expect(throws: Problem.self) { try Self.read(text) }
    #expect(
      problem?.kind == .configuration && problem?.description.contains(complaint) == true,
      "\(problem?.description ?? "")")
  }

  @Test("definitions of 26 well-known services are valid", arguments: ServiceFile.all) func services(file: ServiceFile)
    throws
  {
    let bytes = Array(file.text(server: "https://h").utf8)
    let source = try SourceFile.read(bytes, name: file.name)
    #expect(try SourceFile.read(SourceFile.text(of: source), name: file.name) == source)
    let schema = try JSON.parse(SourceFile.schema(), name: "schema")
    #expect(SchemaValidator().fault(try JSON.parse(bytes, name: file.name), schema) == nil)
  }
}

/// A definition of a service in `Tests/Fixtures/sources`.
struct ServiceFile: Sendable {
  let name: String
  private static let more = ["anilist", "hacker_news", "igdb", "open_meteo", "youtube"]
  static let all =
    (more + [
      "discord_messages", "ecb_csv", "elasticsearch", "eurostat_jsonstat", "github_issues", "hubspot_contacts",
      "jsonapi_articles", "nager_holidays", "nasa_neo", "notion_query", "openlibrary_search", "pokeapi",
      "reddit_listing", "rickandmorty", "servicenow_table", "socrata", "spotify_playlist", "stripe_charges",
      "tmdb_discover", "wikidata_sparql", "zendesk_export",
    ]).map { ServiceFile(name: $0) }

  /// The definition, for a server.
  func text(server: String) -> String {
    let path = #filePath.replacing(
      "SourcesTests/SourceGrammarTests.swift",
      with: "Fixtures/sources/\(Self.more.contains(name) ? "more/" : "")\(name).json")
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self).replacing("\"BASE\"", with: "\"\(server)\"")
  }
}
