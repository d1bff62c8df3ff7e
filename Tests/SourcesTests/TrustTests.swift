import Domain
import Query
import Rows
import Sources
import Synchronization
import Testing

@Suite("responses that do not hold what was requested") struct TrustTests {
  /// Bodies with status 200 that hold none of the details.
  private static let wrong = [
    "null", "{}", "[]", #"[{"minutes": 1}]"#, "17", #""text""#, "true", #"{"error": "maintenance"}"#, #"{"id": 3}"#,
    "<html>", #"{"minutes": "#, #"{"data": {"minutes": 1}}"#,
  ]
  private static func source(_ more: String = "", explode: Bool = false) throws -> APIDescription {
    let place = explode ? #""from": """# : #""from": "/minutes""#
    let text = """
      {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [
        {"name": "t", "path": "/t", "key": ["id"\(explode ? #", "part""# : "")],
         "supplements": [{"for": "each", "path": "/d/{id}", "param": "id", \(explode ? #""explode": "/parts","# : "") \(more)
                          "columns": [{"name": "part", \(place)}]}],
         "columns": [{"name": "id", "type": "integer"}, {"name": "part", "type": "integer"}]}]}
      """
    return try SourceFile.read(Array(text.utf8), name: "x.json")
  }
  private static func stored(_ source: APIDescription) throws -> StoredTable {
    var builder = RowBatchBuilder(width: 2)
    for id in 1...12 {
      builder.append(integer: Int64(id))
      builder.append(integer: Int64(id * 10))
    }
    return StoredTable(schema: source.datasets[0].schema, batch: builder.finish())
  }
  private static func server(_ detail: (Int) -> String) -> CannedServer {
    let list = "[\((1...12).map { #"{"id": \#($0)}"# }.joined(separator: ","))]"
    return CannedServer(
      Dictionary(uniqueKeysWithValues: [("/t", list)] + (1...12).map { ("/d/\($0)", detail($0)) }))
  }

  @Test("wrong details leave the stored values", arguments: wrong) func details(body: String) async throws {
    let source = try Self.source(), server = Self.server { $0 == 3 ? body : #"{"minutes": \#($0)}"# }
    let got = try await Outcome(source, "t", server, stored: try Self.stored(source))
    #expect(got.rows == (1...12).map { "\($0)|\($0 == 3 ? 30 : $0)" }, "\(got.rows)")
    #expect(got.warnings.count { $0.contains("1 of 12 details failed") } == 1, "\(got.warnings)")
  }
  @Test(
    "wrong lists within details leave the stored rows", arguments: wrong + [#"{"parts": null}"#, #"{"parts": {}}"#])
  func exploded(body: String) async throws {
    let source = try Self.source(explode: true), server = Self.server { $0 == 3 ? body : #"{"parts": [\#($0)]}"# }
    let got = try await Outcome(source, "t", server, stored: try Self.stored(source))
    #expect(got.rows.sorted() == (1...12).map { "\($0)|\($0 == 3 ? 30 : $0)" }.sorted(), "\(got.rows)")
  }
  @Test("null and an empty list are values; null is absence if the file declares it") func values() async throws {
    let source = try Self.source(), server = Self.server { $0 == 3 ? #"{"minutes": null}"# : #"{"minutes": \#($0)}"# }
    #expect(try await Outcome(source, "t", server, stored: try Self.stored(source)).rows[2] == "3|null")
    let lists = try Self.source(explode: true),
      none = Self.server { $0 == 3 ? #"{"parts": []}"# : #"{"parts": [\#($0)]}"# }
    #expect(try await Outcome(lists, "t", none, stored: try Self.stored(lists)).rows.count == 11)
    let declared = try Self.source(#""absent": [404, null],"#),
      nulls = Self.server { $0 == 3 ? "null" : #"{"minutes": \#($0)}"# }
    let got = try await Outcome(declared, "t", nulls)
    #expect(got.rows[2] == "3|null" && got.warnings.allSatisfy { !$0.contains("failed") }, "\(got.warnings)")
  }
  @Test("a wrong list of a value keeps its stored rows, and an absent one is empty") func lists() async throws {
    func source(_ more: String) throws -> APIDescription {
      let text = """
        {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [
          {"name": "t", "path": "/t/{y}", \(more) "key": ["id"], "for_each": {"values": {"y": [1, 2, 3]}},
           "columns": [{"name": "id", "type": "integer"}, {"name": "part", "type": "integer", "from": "#parent/y"}]}]}
        """
      return try SourceFile.read(Array(text.utf8), name: "x.json")
    }
    for body in ["null", "{}", #"{"error": "x"}"#, "7"] {
      let server = CannedServer(["/t/1": #"[{"id": 1}]"#, "/t/2": body, "/t/3": #"[{"id": 3}]"#])
      let plain = try source("")
      var builder = RowBatchBuilder(width: 2)
      for value in [8, 2] as [Int64] { builder.append(integer: value) }
      let stored = StoredTable(schema: plain.datasets[0].schema, batch: builder.finish())
      #expect(try await Outcome(plain, "t", server, stored: stored).rows == ["1|1", "3|3", "8|2"], "\(body)")
    }
    let server = CannedServer(["/t/1": #"[{"id": 1}]"#, "/t/2": "null"])
    #expect(try await Outcome(try source(#""absent": [404, null],"#), "t", server).rows == ["1|1"])
  }

  /// A list of records that is requested by offset.
  private final class Offsets: HTTPTransport {
    let count: Int, limit: Int, first: Int
    let asked = Mutex<[Int]>([])
    init(_ count: Int, _ limit: Int, _ first: Int) { (self.count, self.limit, self.first) = (count, limit, first) }

    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      let offset = request.url.split(separator: "=").last.flatMap { Int($0) } ?? 0
      asked.withLock { $0.append(offset) }
      let start = max(0, offset - first)
      let records = (start..<max(start, min(count, start + limit))).map { #"{"id": \#($0)}"# }
      return try await CannedServer(["/t": "[\(records.joined(separator: ","))]"]).send(
        HTTPRequest(.get, "https://h/t"))
    }
  }
  @Test("lists by offset with an overlap are complete, and no offset is below the first") func overlaps() async throws {
    for limit in 1...4 {
      for overlap in 0..<limit {
        for first in [0, 1, 7] {
          for count in 0...(3 * limit) {
            let text = """
              {"bb_source": 2, "name": "x", "base_url": "https://h", "datasets": [
                {"name": "t", "path": "/t", "key": ["id"], "columns": [{"name": "id", "type": "integer"}],
                 "paging": {"type": "offset", "param": "o", "limit": \(limit), "first": \(first), "overlap": \(overlap)}}]}
              """
            let server = Offsets(count, limit, first)
            let source = try RESTSource(
              try SourceFile.read(Array(text.utf8), name: "x.json"), server: "https://h", transport: server
            ) { _ in }
            let rows = try await source.rows(of: "t", RowRequest()).collect().reduce(0) { $0 + $1.count }
            let asked = server.asked.withLock { $0 }
            #expect(
              rows == count && asked.allSatisfy { $0 >= first }, "\(limit) \(overlap) \(first) \(count): \(asked)")
          }
        }
      }
    }
  }
}
