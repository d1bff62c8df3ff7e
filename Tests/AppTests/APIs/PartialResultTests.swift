import AppTestSupport
import Domain
import Synchronization
import TestSupport
import Testing

/// An API of movies with details and comments, some of whose requests fail.
@Suite("partial results") struct PartialResultTests {
  private final class Server: Sendable {
    /// The response to a path instead of the usual one.
    let faults = Mutex<[String: (status: Int, body: String)]>([:])
    let count: Int
    init(_ count: Int) { self.count = count }

    func fail(_ faults: [String: (status: Int, body: String)]) { self.faults.withLock { $0 = faults } }
    func respond(_ request: HTTPRequest) -> HTTPResponse {
      let path = String(request.url.dropFirst("http://api.test".count))
      if let fault = faults.withLock({ $0[path] }) { return HTTPResponse(fault.status, fault.body) }
      if path.hasPrefix("/movies/") {
        return HTTPResponse(200, #"{"minutes": \#(path.dropFirst("/movies/".count))0}"#)
      }
      if path.hasPrefix("/comments?movie=") {
        let movie = path.dropFirst("/comments?movie=".count)
        return HTTPResponse(200, #"[{"id": 1, "text": "t\#(movie)"}]"#)
      }
      let records = (1...count).map { #"{"id": \#($0), "title": "m\#($0)"}"# }
      return HTTPResponse(200, "[\(records.joined(separator: ","))]")
    }
  }

  private static let source = """
    {"bb_source": 2, "name": "movies", "base_url": "http://api.test", "datasets": [
      {"name": "movies", "path": "/movies", "key": ["id"],
       "supplements": [{"for": "each", "path": "/movies/{id}", "param": "id",
         "columns": [{"name": "minutes"}]}],
       "columns": [{"name": "id", "type": "integer"}, {"name": "title"}, {"name": "minutes", "type": "integer"}]},
      {"name": "reviews", "path": "/comments", "key": ["movie", "id"],
       "parent": {"dataset": "movies", "param": "movie", "column": "id"},
       "columns": [{"name": "movie", "type": "integer", "from": "#parent"}, {"name": "id", "type": "integer"},
         {"name": "text"}]}]}
    """

  private func console(_ count: Int = 12) -> (Console, Server) {
    let server = Server(count), console = Console(["out.csv": "old\n"]) { server.respond($0) }
    console.write(Self.source, to: "movies.json")
    return (console, server)
  }
  private func movies(_ console: Console, _ more: String = "-f csv") async -> Shell.Outcome {
    await console.run("bb-export movies --source \(console.home)/movies.json --refresh \(more)")
  }

  @Test(
    "details that do not exist are null, with one warning",
    arguments: [404, 410], ["{}", #"{"message": "not here"}"#, "gone"])
  func absent(status: Int, body: String) async throws {
    let (console, server) = console()
    server.fail(["/movies/3": (status, body)])
    let done = await movies(console)
    #expect(done.status == 0 && done.out.contains("\n3,m3,\n4,m4,40\n"), "\(done.out)")
    #expect(done.err == "bb-export: warning: movies: no details available for 3; those columns are null\n")
  }

  @Test(
    "a failed detail request leaves its row, and the status says that running again helps",
    arguments: [
      (500, "{}", "500"), (200, "<html>oops", "expected JSON"), (200, #"{"minutes": "long"}"#, "3, minutes: invalid"),
      (200, "", "empty response"), (400, "{}", "400"), (200, #"{"minutes": 30"#, "expected"),
    ])
  func failed(status: Int, body: String, reason: String) async throws {
    let (console, server) = console()
    server.fail(["/movies/3": (status, body)])
    let done = await movies(console)
    #expect(done.status == 75 && done.out.contains("\n3,m3,\n4,m4,40\n"), "\(done.err)\(done.out)")
    #expect(
      done.err.contains("warning: movies: 1 of 12 details failed (") && done.err.contains(": 3;")
        && done.err.contains(reason), "\(done.err)")
    let strict = await movies(console, "-f csv --strict")
    #expect([65, 69].contains(strict.status) && strict.out == "" && strict.err.contains("/movies/3"), "\(strict.err)")
    let summary = await movies(console, "-f csv -o new.csv --summary json")
    #expect(summary.err.contains(#""complete":false"#) && summary.err.contains(#""key":"3""#), "\(summary.err)")
  }

  @Test("a partial file does not replace a complete one, and is written next to it") func file() async throws {
    let (console, server) = console()
    server.fail(["/movies/3": (503, "{}")])
    let kept = await movies(console, "-o out.csv")
    #expect(kept.status == 75 && kept.err.contains("out.csv.partial"), "\(kept.err)")
    #expect(console.files.files["out.csv"] == "old\n")
    #expect(console.files.files["out.csv.partial"]?.contains("\n3,m3,\n") == true)
    let allowed = await movies(console, "-o out.csv --allow-partial")
    #expect(allowed.status == 75 && console.files.files["out.csv"]?.contains("\n3,m3,\n") == true, "\(allowed.err)")
    let fresh = await movies(console, "-o fresh.csv")
    #expect(fresh.status == 75 && console.files.files["fresh.csv"]?.contains("\n3,m3,\n") == true)
  }

  @Test("most details failed: nothing is written") func most() async throws {
    let (console, server) = console()
    server.fail(Dictionary(uniqueKeysWithValues: (1...10).map { ("/movies/\($0)", (500, "{}")) }))
    let done = await movies(console, "-o out.csv")
    #expect(done.status == 69 && console.files.files["out.csv"] == "old\n", "\(done.err)")
    #expect(console.files.files["out.csv.partial"] == nil)
  }

  @Test("a refused key stops at once", arguments: [401, 403]) func refused(status: Int) async throws {
    let (console, server) = console()
    server.fail(["/movies/3": (status, "{}")])
    let done = await movies(console)
    #expect(done.status == 69 && done.out == "" && done.err.contains("HTTP status \(status)"), "\(done.err)")
  }

  @Test("sync keeps stored details and stored lists of requests that fail") func sync() async throws {
    let (console, server) = console()
    func sync(_ more: String = "") async -> Shell.Outcome {
      await console.run(
        "bb-export sync --source \(console.home)/movies.json --storage sqlite:\(console.home)/s.db --refresh -f csv \(more)"
      )
    }
    func stored(_ words: String) async -> String {
      await console.run("bb-export \(words) --storage sqlite:\(console.home)/s.db -f csv").out
    }
    let first = await sync()
    #expect(first.status == 0, "\(first.err)")
    server.fail(["/movies/3": (500, "{}"), "/comments?movie=4": (500, "{}")])
    let second = await sync()
    #expect(second.status == 75 && second.err.contains("keeping the stored values"), "\(second.err)")
    #expect(second.err.contains("1 of 12 lists failed (500): 4"), "\(second.err)")
    #expect(await stored("movies --where 'id = 3'") == "id,title,minutes\n3,m3,30\n")
    #expect(await stored("reviews --where 'movie = 4'") == "movie,id,text\n4,1,t4\n")
    let strict = await sync("--strict")
    #expect([69, 75].contains(strict.status), "\(strict.err)")
    #expect(await stored("reviews --count").hasSuffix("\n12\n"))
  }
}
