import Domain
import Rows
import TestSupport
import Testing

/// Every message about source definitions and APIs: its condition, exit code, and the words that matter.
@Suite("messages about APIs") struct SourceMessageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var command = "bb-export t --source FILE -f csv --refresh"
    /// Members of the source, of its dataset, and of its only column besides the key.
    var source = "", dataset = "", column = #"{"name": "a", "optional": true}"#
    var version = 2
    /// Responses by path; `*` answers the others.
    var responses: [String: (status: Int, body: String)] = ["*": (200, #"[{"id": 1, "a": "x"}]"#)]
    var variables: [String: String] = [:]
    let status: Int32
    let words: [String]
  }

  private static let more = (200, #"{"data": [{"id": 1}, {"id": 2}], "has_more": true}"#)

  private static let cases: [Case] = [
    Case(
      testDescription: "a key of version 2 in a file of version 1", dataset: #", "request": {"method": "POST"}"#,
      version: 1, status: 78,
      words: ["/datasets/0/request: belongs to version 2", #"write "bb_source": 2"#]),
    Case(
      testDescription: "more records than were read", dataset: #", "records": "/data""#, responses: ["*": more],
      status: 0, words: ["warning: t: the API has more records (/has_more is true); ", "has no “paging”"]),
    Case(
      testDescription: "the same with --strict", command: "bb-export t --source FILE -f csv --strict",
      dataset: #", "records": "/data""#, responses: ["*": more], status: 65, words: ["the API has more records"]),
    Case(
      testDescription: "the same in a sync", command: "bb-export sync --source FILE --storage sqlite:DIR/s.db",
      dataset: #", "records": "/data""#, responses: ["*": more], status: 65,
      words: ["the API has more records", "“paging”: {“type”: “none”}"]),
    Case(
      testDescription: "fewer records than the total",
      dataset: #", "records": "/data", "paging": {"type": "page", "param": "p", "total": "/n"}"#,
      responses: [
        "/t?p=1": (200, #"{"data": [{"id": 1}], "n": 3}"#), "/t?p=2": (200, #"{"data": [], "n": 3}"#),
      ], status: 0, words: ["the API has more records (it announced 3, but returned 1)"]),
    Case(
      testDescription: "more records than the total",
      dataset: #", "records": "/data", "paging": {"type": "page", "param": "p", "total": "/n"}"#,
      responses: ["/t?p=1": (200, #"{"data": [{"id": 1}, {"id": 2}], "n": 1}"#)], status: 0,
      words: ["the API announced 1 records, but returned 2"]),
    Case(
      testDescription: "XML in place of JSON", version: 1,
      responses: ["*": (200, #"<?xml version="1.0"?><feed><entry/></feed>"#)], status: 65,
      words: ["expected JSON, found XML", "“as”: “xml”"]),
    Case(
      testDescription: "a document type in XML",
      dataset: #", "answer": {"as": "xml"}, "records": "/e""#,  // prose-lint: ignore
      responses: ["*": (200, #"<!DOCTYPE a [<!ENTITY x "y">]><a><e><id>1</id></e></a>"#)], status: 65,
      words: ["document type declarations are not supported"]),
    Case(
      testDescription: "a request that the server refuses",
      responses: ["*": (422, #"{"message": "limit is too large"}"#)],
      status: 69, words: ["HTTP status 422: “limit is too large”", "correct path or params in"]),
    Case(
      testDescription: "a variable without a value", source: #", "variables": {"account": {"env": "CRM_ACCOUNT"}}"#,
      dataset: #", "params": {"a": "{account}"}"#, status: 78,
      words: ["requires a value for “account”", "set CRM_ACCOUNT", "--set account=…"]),
    Case(
      testDescription: "a variable that does not exist", command: "bb-export t --source FILE --set acount=1 -f csv",
      source: #", "variables": {"account": {"default": "x"}}"#, status: 64,
      words: ["no variable “acount”", "did you mean account?"]),
    Case(
      testDescription: "a secret that is not set", source: #", "auth": {"type": "bearer", "env": "CRM_TOKEN"}"#,
      status: 78, words: ["environment variable CRM_TOKEN is not set"]),
    Case(
      testDescription: "a token endpoint without TLS",
      source:
        #", "auth": {"type": "oauth2", "grant": "client_credentials", "token_url": "http://other.test/token", "client_id": {"env": "A"}}"#,
      status: 78, words: ["/auth/token_url", "https"]),
    Case(
      testDescription: "an error with status 200",
      source: #", "error": {"when": {"at": "/ok", "is": false}, "message": "/error"}"#,
      responses: ["*": (200, #"{"ok": false, "error": "channel_not_found"}"#)], status: 69,
      words: ["the server reports an error: “channel_not_found”"]),
    Case(
      testDescription: "a GraphQL error", dataset: #", "records": "/data/x""#,
      responses: ["*": (200, #"{"errors": [{"message": "no such field"}]}"#)], status: 69, words: ["no such field"]),
    Case(
      testDescription: "a pattern without an offset",
      column: #"{"name": "a", "type": "timestamp", "formats": ["dd.MM.yyyy HH:mm"]}"#,
      status: 78, words: ["/columns/1/formats/0: the format has no offset", "add “zone”"]),
    Case(
      testDescription: "an unknown time zone",
      column: #"{"name": "a", "type": "timestamp", "formats": ["dd.MM.yyyy HH:mm"], "zone": "Europe/Wien"}"#,
      status: 78, words: ["/columns/1/zone", "Europe/Wien"]),
    Case(
      testDescription: "an ambiguous local time",
      column:
        #"{"name": "a", "type": "timestamp", "formats": ["yyyy-MM-dd HH:mm"], "zone": "Europe/Vienna"}"#,
      responses: ["*": (200, #"[{"id": 1, "a": "2024-10-27 02:30"}]"#)], status: 0,
      words: ["1 local time of a occurred twice, using the first"]),
    Case(
      testDescription: "a local time that does not exist",
      column:
        #"{"name": "a", "type": "timestamp", "formats": ["yyyy-MM-dd HH:mm"], "zone": "Europe/Vienna"}"#,
      responses: ["*": (200, #"[{"id": 1, "a": "2024-03-31 02:30"}]"#)], status: 65,
      words: ["record 1 (id 1), a: invalid value “2024-03-31 02:30”"]),
    Case(
      testDescription: "a value that does not fit", column: #"{"name": "a", "type": "integer"}"#, status: 65,
      words: ["record 1 (id 1), a: invalid value “x”: expected integer"]),
    Case(
      testDescription: "a date in another format", column: #"{"name": "a", "type": "date"}"#,
      responses: ["*": (200, #"[{"id": 1, "a": "2024/05/01"}]"#)], status: 65,
      words: [#"add "yyyy/MM/dd" to “formats” of a"#]),
    Case(
      testDescription: "a value that becomes null",
      column: #"{"name": "a", "type": "integer", "on_error": "null"}"#, status: 0,
      words: ["replaced 1 invalid value of a with null: “x”"]),
    Case(
      testDescription: "a record that is skipped", column: #"{"name": "a", "type": "integer", "on_error": "skip"}"#,
      status: 0, words: ["skipped 1 record with an invalid value of a: “x”"]),
    Case(
      testDescription: "a member that was renamed", column: #"{"name": "image"}"#,
      responses: ["*": (200, #"[{"id": 1, "images": "x"}]"#)], status: 0,
      words: ["no record has /image; did you mean /images?"]),
    Case(
      testDescription: "a page that repeats itself", dataset: #", "paging": {"type": "page", "param": "p"}"#,
      status: 65,
      words: ["page 2 is identical to the previous page"]),
    Case(
      testDescription: "a link to another server",
      dataset: #", "records": "/data", "paging": {"type": "next_url", "pointer": "/next"}"#,
      responses: ["*": (200, #"{"data": [{"id": 1}], "next": "http://evil.test/t"}"#)], status: 65,
      words: ["the next page is on another server: http://evil.test/t"]),
    Case(
      testDescription: "a list without an end",
      dataset: #", "records": "/data", "paging": {"type": "next_url", "pointer": "/next", "max_pages": 1}"#,
      responses: ["*": (200, #"{"data": [{"id": 1}], "next": "/t?2"}"#)], status: 65,
      words: ["more than 1 pages", "raise max_pages"]),
    Case(
      testDescription: "draft without records", command: "bb-export sources draft http://api.test/t",
      responses: ["*": (200, "[]")], status: 65, words: ["no records"]),
    Case(
      testDescription: "a cursor in the body of GET",
      dataset: #", "paging": {"type": "cursor", "body": "/after", "pointer": "/next"}"#,
      status: 78, words: ["requires the method POST"]),
    Case(
      testDescription: "a window without its parts",
      dataset: #", "incremental": {"column": "id", "param": "s", "window": "1d"}"#,
      status: 78, words: ["/incremental/window", "“window” requires"]),
    Case(
      testDescription: "an option of incremental syncs for another dataset",
      command: "bb-export sync --source FILE --storage sqlite:DIR/s.db --max-requests 1", status: 64,
      words: ["--max-requests requires a dataset with “incremental”"]),
  ]

  private func outcome(_ test: Case) async -> Shell.Outcome {
    let responses = test.responses
    let console = Console { (request) throws(Problem) in
      let path = String(request.url.dropFirst("http://api.test".count))
      let (status, body) = responses[path] ?? responses["*"] ?? (404, "{}")
      let isXML = body.hasPrefix("<")
      return HTTPResponse(
        status, body, headers: test.version == 1 || !isXML ? [] : [HTTPHeader("Content-Type", "application/xml")])
    }
    let path = console.write(
      """
      {"bb_source": \(test.version), "name": "x", "base_url": "http://api.test"\(test.source), "datasets": [
        {"name": "t", "path": "/t", "key": ["id"]\(test.dataset),
         "columns": [{"name": "id", "type": "integer"}, \(test.column)]}]}
      """, to: "x.json")
    let line = test.command.replacing("FILE", with: path).replacing("DIR", with: console.home)
    return await console.run(line, variables: test.variables)
  }

  @Test("the message, its exit code, and what to do", arguments: cases) func message(_ test: Case) async {
    let done = await outcome(test)
    #expect(done.status == test.status, "\(done.err)")
    for words in test.words { #expect(done.err.contains(words), "\(done.err)") }
  }

  @Test("all errors of a file are reported in one run, at most 20, each with its place and the nearest key")
  func several() async {
    let columns = (1...30).map { #"{"name": "c\#($0)", "typ": "text"}"# }.joined(separator: ", ")
    let test = Case(
      testDescription: "", command: "bb-export sources check FILE", source: #", "heders": {}"#,
      dataset: #", "pagin": {"type": "page"}"#, column: columns, status: 78, words: [])
    let done = await outcome(test)
    let lines = done.err.split(separator: "\n")
    #expect(done.status == 78 && lines.filter { $0.hasPrefix("bb-export: ") }.count == 20, "\(done.err)")
    #expect(done.err.contains("/datasets/0: unknown key “pagin”\nhint: did you mean paging?"), "\(done.err)")
    #expect(done.err.contains("the document: unknown key “heders”\nhint: did you mean headers?"), "\(done.err)")
    #expect(done.err.contains("/datasets/0/columns/1: unknown key “typ”\nhint: did you mean type?"), "\(done.err)")
  }

  @Test("all errors of the data are reported in one run, as many as --errors-limit says", arguments: [3, 20, 30])
  func data(limit: Int) async {
    let records = (1...25).map { #"{"id": \#($0), "a": "x"}"# }.joined(separator: ",")
    let test = Case(
      testDescription: "", command: "bb-export t --source FILE --errors-limit \(limit)",
      column: #"{"name": "a", "type": "integer"}"#, responses: ["*": (200, "[\(records)]")], status: 65, words: [])
    let done = await outcome(test)
    #expect(done.status == 65)
    #expect(
      done.err.split(separator: "\n").filter { $0.contains("invalid value") }.count == min(limit, 25), "\(done.err)")
  }
}
