import Domain
import Networking
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

  private static func read(_ text: String) throws(Problem) -> SourceDescription {
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
        == SourceDescription(
          name: "x", summary: "s", baseURL: "https://h/api", authorization: .bearer(variable: "X_TOKEN"),
          requestsPerSecond: 5,
          datasets: [
            SourceDataset(
              Schema("t", key: ["id"], columns: [ColumnDescription("id", .integer, nullable: false), born]), path: "/t",
              parameters: [SourceParameter("lang", "en"), SourceParameter("size", "10")],
              filters: [SourceParameter("name", "q")], records: "/results",
              paging: SourcePaging(.page(parameter: "page", first: 1), stop: .short, maximumPages: 7),
              columns: [
                SourceColumn("id", from: "/n/id", steps: [.divide(by: 100)]),
                SourceColumn("born", from: "/birthday", formats: [.monthDayYear, .year], nulls: ["", "?"]),
              ]),
            SourceDataset(
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

  @Test(
    "what is wrong is named with its place and the nearest right word",
    arguments: [
      (file(top: #""bas_url": "","#), "x.json: the document: no key “bas_url”; did you mean base_url?"),
      (file(dataset: #""page": 1,"#), "x.json: /datasets/0: no key “page”"),
      (file(column: #", {"name": "a", "typ": "text"}"#), "/datasets/0/columns/1: no key “typ”; did you mean type?"),
      (
        file(column: #", {"name": "a", "type": "intger"}"#),
        "/columns/1/type: no such thing as “intger”; did you mean integer?"
      ),
      (file(column: #", {"name": "a", "from": "a"}"#), "/columns/1/from: “a” is not a JSON Pointer"),
      (file(column: #", {"name": "a", "formats": ["YYYY"]}"#), "formats are for dates"),
      (file(column: #", {"name": "id"}"#), "/columns/1/name: a second column “id”"),
      (file(columns: #"{"name": "ids"}"#), "/datasets/0/key: no column “id”; did you mean ids?"),
      (file(dataset: #""paging": {"type": "pages"},"#), "/paging/type: no such thing as “pages”; did you mean page?"),
      (file(dataset: #""paging": {"type": "page"},"#), "/paging: “param” is missing"),
      (
        file(dataset: #""parent": {"dataset": "t", "param": "a", "column": "id"},"#),
        "/parent/dataset: no dataset before this one “t”"
      ),
      (file(top: #""rate": {"per_second": 0},"#), "/rate/per_second: not a number above 0"),
      (file(top: #""auth": {"type": "bearer"},"#), "/auth: “env” is missing"),
      (#"{"name": "x"}"#, "“bb_source” is missing"), (#"{"bb_source": 2}"#, "/bb_source: only version 1"),
      ("[", "x.json:1:2"),
    ])
  func wrong(text: String, complaint: String) {
    let problem = #expect(throws: Problem.self) { try Self.read(text) }
    #expect(
      problem?.kind == .configuration && problem?.description.contains(complaint) == true,
      "\(problem?.description ?? "")")
  }
}
