import Domain
import Codecs
import Rows
import Sources
import Testing

@Suite("sources described in files") struct SourceFileTests {
  private static func file(
    top: String = "", dataset: String = "", column: String = "",
    columns: String = #"{"name": "id", "from": "/id", "type": "integer"}"#
  ) -> String {
    """
    {"bb_source": 1, "name": "x", "base_url": "https://h", \(top)
     "datasets": [{"name": "t", "path": "/t", "key": ["id"], \(dataset) "columns": [\(columns)\(column)]}]}
    """
  }

  private static func read(_ text: String) throws(Problem) -> APIDescription {
    try SourceFile.read(Array(text.utf8), name: "x.json")
  }

  @Test("a whole description is what it says") func whole() throws {
    let source = try Self.read(
      """
      {"bb_source": 1, "name": "x", "base_url": "https://h/api", "summary": "s", "auth": {"type": "bearer", "env": "X_TOKEN"},
       "rate": {"per_second": 5},
       "datasets": [
        {"name": "t", "path": "/t", "params": {"lang": "en", "size": 10}, "filters": {"name": "q"}, "records": "/results",
         "paging": {"type": "page", "param": "page", "stop": "short", "max_pages": 7}, "key": ["id"],
         "columns": [
          {"name": "id", "from": "/n/id", "type": "integer", "steps": [{"divide": 100}]},
          {"name": "born", "from": "/birthday", "type": "date", "formats": ["MM-DD-YYYY", "YYYY"], "null": ["", "?"], "summary": "day"}]},
        {"name": "c", "path": "/t/{t}/c", "parent": {"dataset": "t", "param": "t", "column": "id"},
         "columns": [{"name": "a/b"}, {"name": "of", "from": "#parent", "type": "integer"}]}]}
      """)
    let born = ColumnDescription("born", .date, "day")
    #expect(
      source
        == APIDescription(
          name: "x", summary: "s", baseURL: "https://h/api",
          authorization: [SourceAuthorization(.bearer, variable: "X_TOKEN")],
          requestsPerSecond: 5,
          datasets: [
            APIDataset(
              Schema("t", key: ["id"], columns: [ColumnDescription("id", .integer, nullable: false), born]), path: "/t",
              parameters: [SourceParameter("lang", "en"), SourceParameter("size", "10")],
              filters: [SourceParameter("name", "q")], records: "/results",
              paging: SourcePaging(.page, "page", stop: .short, maximumPages: 7),
              columns: [
                SourceColumn("id", from: "/n/id", steps: [.divide(by: 100)]),
                SourceColumn("born", from: "/birthday", formats: [.monthDayYear, .year], nulls: ["", "?"]),
              ]),
            APIDataset(
              Schema("c", columns: [ColumnDescription("a/b", .text), ColumnDescription("of", .integer)]),
              path: "/t/{t}/c", parent: SourceParent(dataset: "t", column: "id", parameter: "t"),
              columns: [SourceColumn("a/b", from: "/a~1b"), SourceColumn("of", from: SourceColumn.parent)]),
          ]))
  }

  @Test("it reads: pages, then a list for every record of them") func reads() async throws {
    let source = try Self.read(
      """
      {"bb_source": 1, "name": "x", "base_url": "https://h",
       "datasets": [
        {"name": "t", "path": "/t", "records": "/r", "paging": {"type": "next_url", "pointer": "/next"}, "key": ["id"],
         "columns": [{"name": "id", "type": "integer"}]},
        {"name": "c", "path": "/t/{t}/c", "parent": {"dataset": "t", "param": "t", "column": "id"},
         "columns": [{"name": "of", "from": "#parent", "type": "integer"}, {"name": "text"}]}]}
      """)
    let server = CannedServer([
      "/t": #"{"r": [{"id": 2}], "next": "/t?p=2"}"#, "/t?p=2": #"{"r": [{"id": 1}]}"#,
      "/t/1/c": #"[{"text": "one"}]"#, "/t/2/c": #"[{"text": "two"}, {"text": null}]"#,
    ])
    #expect(try await Outcome(source, "c", server).rows == ["1|one", "2|two", "2|null"])
  }

  /// Invalid files, and their errors.
  static let malformed: [(text: String, complaint: String)] = [
    (file(top: #""bas_url": "","#), "x.json: the document: unknown key “bas_url”; did you mean base_url?"),
    (file(dataset: #""page": 1,"#), "x.json: /datasets/0: unknown key “page”"),
    (file(column: #", {"name": "a", "typ": "text"}"#), "/datasets/0/columns/1: unknown key “typ”; did you mean type?"),
    (
      file(column: #", {"name": "a", "type": "intger"}"#),
      "/columns/1/type: unknown value “intger”; did you mean integer?"
    ),
    (file(column: #", {"name": "a", "from": "a"}"#), "/columns/1/from: invalid JSON Pointer “a”"),
    (file(column: #", {"name": "a", "from": "/a~2"}"#), "/columns/1/from: invalid JSON Pointer “/a~2”"),
    (file(column: #", {"name": "a", "formats": ["YYYY"]}"#), "“formats” applies only to date"),
    (file(column: #", {"name": "a", "type": "date", "formats": ["YY"]}"#), "/formats/0: unknown value “YY”"),
    (file(column: #", {"name": "a", "type": "date", "missing": "x"}"#), "/missing: applies only to text columns"),
    (file(column: #", {"name": "a", "nullable": "no"}"#), "/nullable: expected true or false"),
    (file(column: #", {"name": ""}"#), "/columns/1/name: invalid name “”"),
    (file(column: #", {"name": "a", "steps": ["trim", "cut"]}"#), "/steps/1: unknown value “cut”"),
    (file(column: #", {"name": "a", "steps": [{"divide": 0}]}"#), "/steps/0/divide: expected an integer of at least 1"),
    (file(column: #", {"name": "a", "steps": [{"divide": 2, "prefix": "x"}]}"#), "/steps/0: expected exactly one of"),
    (file(column: #", {"name": "a", "steps": [{}]}"#), "/steps/0: expected exactly one of"),
    (file(column: #", {"name": "a", "null": "?"}"#), "/null: expected an array, found a string"),
    (file(columns: ""), "/columns: the array is empty"),
    (file(dataset: #""paging": {"type": "pages"},"#), "/paging/type: unknown value “pages”; did you mean page?"),
    (file(dataset: #""paging": {"type": "page"},"#), "/paging: missing “param”"),
    (file(dataset: #""paging": {"param": "p"},"#), "/paging: missing “type”"),
    (file(dataset: #""paging": {"type": "link_header", "param": "p"},"#), "/paging: unknown key “param”"),
    (
      file(dataset: #""paging": {"type": "page", "param": "p", "stop": "never"},"#),
      "/paging/stop: unknown value “never”"
    ),
    (file(dataset: #""params": {"a": [1]},"#), "/params/a: expected a string, found an array"),
    (file(dataset: #""params": {"a/b~c": [1]},"#), "/params/a~1b~0c: expected a string, found an array"),
    (file(dataset: #""random": {"path": "/x#y"},"#), "/random/path: invalid path “/x#y”"),
    (file(dataset: #""supplements": [{"path": "/x"}],"#), "/supplements/0: missing “for”"),
    (file(dataset: #""supplements": [{"for": "each", "path": "/x", "param": "p"}],"#), "missing “columns”"),
    (file(dataset: #""random": {"path": "x y"},"#), "/random/path: invalid path “x y”"),
    (file(top: #""rate": {"per_second": 0},"#), "/rate/per_second: expected a number greater than 0"),
    (file(top: #""auth": {"type": "bearer"},"#), "/auth: missing “env”"),
    (file(top: #""headers": {"X y": "z"},"#), "/headers: invalid header name “X y”"),
    (file(top: #""headers": {"X-Y": "a\r\nB: c"},"#), "/headers/X-Y: invalid header value “a B: c”"),
    (file(top: #""headers": {"X-Y": 1},"#), "/headers/X-Y: expected a string, found a number"),
    (file(top: #""auth": {"type": "bearer", "env": "A B"},"#), "/auth/env: invalid environment variable name “A B”"),
    (file(top: #""auth": {"type": "header", "header": "X: y", "env": "A"},"#), "invalid header name"),
    (#"{"name": "x"}"#, "missing “bb_source”"), (#"{"bb_source": 3}"#, "/bb_source: unsupported version"),
    (#"{"bb_source": 1, "name": "x", "base_url": "ftp://h", "datasets": []}"#, "expected an http or https URL"),
    (#"{"bb_source": 1, "name": "x", "base_url": "https://u:p@h", "datasets": []}"#, "expected an http or https URL"),
    (#"{"bb_source": 1, "name": "x", "base_url": "https://h/a?b=c", "datasets": []}"#, "expected an http or https URL"),
    (#"{"bb_source": 1, "name": "x", "base_url": "https://h", "datasets": []}"#, "/datasets: the array is empty"),
    ("[]", "x.json: the document: expected an object, found an array"),
  ]
  /// Files that are wrong in what one place says of another, which no JSON Schema can know.
  static let contradictory: [(text: String, complaint: String)] = [
    (file(column: #", {"name": "id"}"#), "/columns/1: duplicate column “id”"),
    (file(columns: #"{"name": "ids"}"#), "/datasets/0/key/0: unknown column “id”; did you mean ids?"),
    (
      file(dataset: #""parent": {"dataset": "t", "param": "a", "column": "id"},"#),
      "/parent/dataset: unknown parent dataset “t”"
    ),
    (file(dataset: #""occurrence": "ids","#), "/occurrence: unknown integer key column “ids”; did you mean id?"),
    (
      file(dataset: #""supplements": [{"for": "each", "path": "/x", "param": "p", "columns": [{"name": "b"}]}],"#),
      "/supplements/0/columns/0: unknown column “b”"
    ),
    (
      file(dataset: #""supplements": [{"for": "each", "path": "/x", "param": "p", "columns": [{"name": "id"}]}],"#),
      "/columns/0/from: “id” is already set"
    ),
    (file(dataset: #""submission": {"path": "/x", "members": {"b": "b"}},"#), "/members/b: unknown column “b”"),
    (
      file(dataset: #""params": {"lang": "a"}, "random": {"path": "/{lag}/r"},"#),
      "/datasets/0/random/path: unknown parameter “lag”; did you mean lang?"
    ),
    (
      file(dataset: #""submission": {"path": "/{id}", "members": {"id": "b"}},"#),
      "/submission/path: unknown parameter “id”"
    ),
    (file(column: ##", {"name": "a", "from": "#parent"}"##), "/columns/1/from: the dataset has no parent"),
    (file(columns: ##"{"name": "id", "from": "#nothing"}"##), "/columns/0/from: key column “id” must not be null"),
    (
      #"{"bb_source": 1, "name": "x", "base_url": "https://h", "datasets": [{"name": "t", "path": "/t", "columns": [{"name": "a"}], "#
        + #""supplements": [{"for": "each", "path": "/a", "param": "p", "columns": [{"name": "a"}]}]}]}"#,
      "/datasets/0/supplements/0: the dataset has no key"
    ),
    (
      file(
        dataset: #""supplements": [{"for": "each", "path": "/x/{q}", "param": "p", "columns": [{"name": "a"}]}],"#,
        column: #", {"name": "a"}"#), "/supplements/0/path: unknown parameter “q”"
    ),
    (
      file(
        dataset:
          ##""supplements": [{"for": "each", "path": "/x", "param": "p", "columns": [{"name": "a", "from": "#parent"}]}],"##,
        column: #", {"name": "a"}"#), "/supplements/0/columns/0/from: detail requests have no parent"
    ),
    (
      file(
        dataset: #""supplements": [{"for": "each", "path": "/x", "param": "p", "columns": [{"name": "id"}]}],"#,
        columns: #"{"name": "id"}, {"name": "b"}"#), "/supplements/0/columns/0/name: “id” identifies the record"
    ),
    (
      file(top: #""headers": {"authorization": "x"},"#),
      "/headers/authorization: field not allowed in a source definition"
    ),
  ]

  @Test("an error has a place and the nearest valid word", arguments: malformed + contradictory)
  func wrong(text: String, complaint: String) {
    let problem = #expect(throws: Problem.self) { try Self.read(text) }
    #expect(
      problem?.kind == .configuration && problem?.description.contains(complaint) == true,
      "\(problem?.description ?? "")")
  }
  @Test("no JSON at all") func notJSON() {
    let problem = #expect(throws: Problem.self) { try Self.read("[") }
    #expect(problem?.kind == .configuration && problem?.place == "x.json:1:2")
  }

  // MARK: - The JSON Schema, and sources written as files

  @Test("every built-in source, written as a file, is read as the same source", arguments: APIDescription.builtIn)
  func roundTrip(source: APIDescription) throws {
    #expect(try SourceFile.read(SourceFile.text(of: source), name: "x.json") == source)
  }
  @Test("so is one with everything there is") func everything() throws {
    for source in try Self.rich() {
      #expect(try SourceFile.read(SourceFile.text(of: source), name: "x.json") == source)
    }
  }
  @Test("the schema accepts what the reader reads, and refuses what is malformed") func schema() throws {
    let schema = try JSON.parse(SourceFile.schema(grammar: 1), name: "schema"), validator = SchemaValidator()
    let second = try JSON.parse(SourceFile.schema(), name: "schema")
    for source in APIDescription.builtIn + (try Self.rich()) {
      let document = try JSON.parse(SourceFile.text(of: source), name: "x")
      #expect(validator.fault(document, source.grammar == 1 ? schema : second) == nil)
    }
    for (text, complaint) in Self.malformed {
      #expect(validator.fault(try JSON.parse(Array(text.utf8), name: "x"), schema) != nil, "\(complaint)")
    }
    for (text, complaint) in Self.contradictory {
      #expect(validator.fault(try JSON.parse(Array(text.utf8), name: "x"), schema) == nil, "\(complaint)")
    }
  }
  @Test("files with one thing changed: the schema refuses what the reader calls malformed, and nothing else")
  func mutants()
    throws
  {
    let schema = try JSON.parse(SourceFile.schema(grammar: 1), name: "schema"), validator = SchemaValidator()
    var random = SystemRandomNumberGenerator(), refused = 0
    for source in APIDescription.builtIn.filter({ $0.grammar == 1 }) + (try Self.rich()) {
      let document = try JSON.parse(SourceFile.text(of: source), name: "x")
      for _ in 0..<60 {
        let mutant = Self.mutated(document, &random)
        let fault = validator.fault(mutant, schema)
        do throws(Problem) {
          _ = try SourceFile.read(mutant.canonicalBytes, name: "x.json")
          #expect(fault == nil, "\(String(decoding: mutant.canonicalBytes, as: UTF8.self))")
        } catch {
          refused += 1
          let isOneOfAnother = [
            "duplicate column", "set more than once", "unknown column", "unknown parent dataset", "is already set",
            "unknown integer key column", "field not allowed", "unknown parameter", "no parent", "must not be null",
            "has no key", "identifies the record",
          ].contains {
            error.message.contains($0)
          }
          #expect((fault != nil) != isOneOfAnother, "\(error) \(fault ?? "")")
        }
      }
    }
    #expect(refused > 50)
  }

}
