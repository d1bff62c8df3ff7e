import Codecs
import Domain
import Query
import Rows
import Sources
import Synchronization
import Testing

/// A server that answers by the text of a request: method, path, header fields that begin with `X-`, and body.
final class TextServer: HTTPTransport {
  let requests = Mutex<[String]>([])
  private let response: @Sendable (String) -> String?

  init(_ response: @escaping @Sendable (String) -> String?) { self.response = response }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let headers = request.headers.filter { $0.name.hasPrefix("X-") }.map { "\($0.name)=\($0.value)" }
    let text =
      ([request.method.rawValue, String(request.url.dropFirst("https://h".count))] + headers
      + [String(decoding: request.body, as: UTF8.self)]).filter { !$0.isEmpty }.joined(separator: " ")
    requests.withLock { $0.append(text) }
    let body = response(text)
    return try await CannedServer(["/x": (body == nil ? 404 : 200, [], body ?? "{}")]).send(
      HTTPRequest(.get, "https://h/x"))
  }

  /// The first column of the rows of dataset `t`, and the texts of the requests.
  func rows(_ dataset: String, _ columns: String = #"{"name": "id", "type": "integer"}"#) async throws -> [String] {
    let text = """
      {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [
        {"name": "t", "path": "/t", "key": ["id"], \(dataset) "columns": [\(columns)]}]}
      """
    let source = try RESTSource(
      try SourceFile.read(Array(text.utf8), name: "x.json"), server: "https://h", transport: self
    ) { _ in }
    return try await source.rows(of: "t", RowRequest()).collect().flatMap { batch in
      (0..<batch.count).map { row in
        (0..<batch.width).map { String(decoding: batch.value(row, $0).plainText, as: UTF8.self) }.joined(separator: "|")
      }
    }
  }
  var asked: [String] { requests.withLock { $0 } }
}

@Suite("values that are sent") struct SentValuesTests {
  /// Two pages of one record.
  private static func pages(_ first: String, _ second: String) -> TextServer {
    TextServer {
      $0 == first ? #"{"r": [{"id": 1}], "n": "b"}"# : $0 == second ? #"{"r": [{"id": 2}]}"# : #"{"r": []}"#
    }
  }
  private static func post(_ body: String, _ more: String = "") -> String {
    #""request": {"method": "POST", "body": \#(body)\#(more)}, "records": "/r","#
  }

  @Test(
    "a value takes its place in path, header fields and body, or is a parameter",
    arguments: [
      (
        post(#"{"v": {"page": "{page}", "text": "p {page}"}}"#) + #""paging": {"type": "page", "param": "page"},"#,
        #"POST /t {"v":{"page":1,"text":"p 1"}}"#, #"POST /t {"v":{"page":2,"text":"p 2"}}"#
      ),
      (
        post(#""limit {n}; offset {o};""#, #", "encoding": "text""#)
          + #""paging": {"type": "offset", "param": "o", "limit": 1, "limit_param": "n"},"#,
        "POST /t limit 1; offset 0;", "POST /t limit 1; offset 1;"
      ),
      (
        #""records": "/r", "request": {"headers": {"X-Page": "p{page}"}}, "paging": {"type": "page", "param": "page"},"#,
        "GET /t X-Page=p1", "GET /t X-Page=p2"
      ),
      (
        post(#"{"after": "{c}", "all": ["{c}", 1]}"#)
          + #""paging": {"type": "cursor", "param": "c", "pointer": "/n"},"#,
        #"POST /t {"all":[1]}"#, #"POST /t {"after":"b","all":["b",1]}"#
      ),
      (
        post(#"{"page": 1}"#) + #""paging": {"type": "page", "param": "page"},"#, #"POST /t?page=1 {"page":1}"#,
        #"POST /t?page=2 {"page":1}"#
      ),
      (
        post(#"{"y": "{y}", "since": "{s}"}"#)
          + #""for_each": {"values": {"y": [1, 2]}}, "incremental": {"column": "id", "param": "s"},"#,
        #"POST /t {"y":"1"}"#, #"POST /t {"y":"2"}"#
      ),
    ])
  func places(dataset: String, first: String, second: String) async throws {
    let server = Self.pages(first, second)
    #expect(try await server.rows(dataset) == ["1", "2"], "\(server.asked)")
    #expect(server.asked.prefix(2) == [first, second])
  }

  @Test("arrays of one length are columns; other lengths are refused with the name") func columns() async throws {
    let dataset = #""records": {"at": "/h", "as": "columns"},"#
    let outside = ##""from": "#answer/e""##  // prose-lint: ignore
    let columns = #"{"name": "id", "type": "integer"}, {"name": "v"}, {"name": "e", \#(outside)}"#
    let good = TextServer { _ in #"{"e": 7, "h": {"unit": "m", "id": [2, 1], "v": ["b", null]}}"# }
    #expect(try await good.rows(dataset, columns) == ["1||7", "2|b|7"])
    let bad = TextServer { _ in #"{"e": 7, "h": {"id": [2, 1], "v": ["b"]}}"# }
    let problem = await #expect(throws: Problem.self) { _ = try await bad.rows(dataset, columns) }
    #expect(problem?.kind == .badData && problem?.message.contains("“v” has 1") == true, "\(problem?.message ?? "")")
    for body in ["{}", #"{"h": null}"#, #"{"h": {"unit": "m"}}"#] {
      await #expect(throws: Problem.self) { _ = try await TextServer { _ in body }.rows(dataset, columns) }
    }
  }

  @Test("short rows are refused with their number") func rows() async throws {
    let columns = #"{"name": "id", "type": "integer", "from": "/0"}, {"name": "v", "from": "/2""#
    let server = TextServer { _ in "[[1, 2, 3], [2, 3]]" }, dataset = #""records": {"as": "rows"},"#
    let problem = await #expect(throws: Problem.self) { _ = try await server.rows(dataset, columns + "}") }
    #expect(problem?.message == "row 2: expected 3 values, found 2")
    #expect(try await server.rows(dataset, columns + #", "optional": true}"#) == ["1|3", "2|"])
    #expect(try await server.rows(dataset, columns + #", "on_error": "null"}"#) == ["1|3", "2|"])
    #expect(try await server.rows(dataset, columns + #", "on_error": "skip"}"#) == ["1|3"])
  }

  @Test("details in batches: 123 records need 3 requests") func batches() async throws {
    let server = TextServer { text in
      guard text.contains("/d?") else { return "[\((1...123).map { #"{"id": \#($0)}"# }.joined(separator: ","))]" }
      let keys = text.split(separator: "=").last?.split(separator: "%3B") ?? []
      return
        #"{"i": [\#(keys.filter { $0 != "7" }.map { #"{"id": "\#($0)", "v": "x\#($0)"}"# }.joined(separator: ","))]}"#
    }
    let rows = try await server.rows(
      #""supplements": [{"for": "all", "path": "/d", "param": "k", "batch": 50, "separator": ";", "records": "/i","#
        + #" "id": "/id", "columns": [{"name": "v"}]}],"#, #"{"name": "id", "type": "integer"}, {"name": "v"}"#)
    #expect(rows.count == 123 && rows[6] == "7|" && rows[122] == "123|x123", "\(rows)")
    #expect(server.asked.count { $0.contains("/d?k=") } == 3)
  }

  @Test("an export job is created once, polled, and read") func job() async throws {
    let polls = Mutex(0)
    let dataset = """
      "path2": 0, "records": "/r", "job": {"path": "/jobs", "request": {"method": "POST", "body": {"of": "t"}}, "id": "/job/id",
       "status": "/jobs/{job}", "done": {"at": "/s", "is": "ok"}, "failed": {"at": "/s", "is": "bad"}, "every": 1},
      """.replacing("\"path2\": 0, ", with: "")
    func server(_ end: String, link: Bool = false) -> TextServer {
      TextServer { text in
        if text.hasPrefix("POST /jobs") { return #"{"job": {"id": "a b"}}"# }
        if text == "GET /jobs/a%20b" {
          return polls.withLock { count in
            count += 1
            return #"{"s": "\#(count % 2 == 0 ? end : "work")"}"#
          }
        }
        return text == "GET /t" ? #"{"r": [{"id": 1}]}"# : nil
      }
    }
    let good = server("ok")
    #expect(try await good.rows(dataset) == ["1"])
    #expect(good.asked == [#"POST /jobs {"of":"t"}"#, "GET /jobs/a%20b", "GET /jobs/a%20b", "GET /t"])
    let bad = server("bad")
    let problem = await #expect(throws: Problem.self) { _ = try await bad.rows(dataset) }
    #expect(problem?.kind == .unavailable && problem?.message.contains("failed") == true, "\(problem?.message ?? "")")
  }

  @Test("CSV with another delimiter or a byte-order mark is read") func csv() async throws {
    for body in ["id;n\n1;a\n2;b\n", "\u{FEFF}id\tn\n1\ta\n2\tb\n", "id|n\n1|a\n2|b\n", "\u{FEFF}id,n\n1,a\n2,b\n"] {
      let rows = try await TextServer { _ in body }.rows(
        #""answer": {"as": "csv"},"#, #"{"name": "id", "type": "integer"}, {"name": "n"}"#)  // prose-lint: ignore
      #expect(rows == ["1|a", "2|b"], "\(body)")
    }
  }
}
