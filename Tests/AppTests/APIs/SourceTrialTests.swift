import Domain
import Synchronization
import TestSupport
import Testing

/// An API of orders: three pages of two, details by id, and a key in each request.
@Suite("trials and recordings of a source definition") struct SourceTrialTests {
  /// The requests, and whether the API has renamed a member.
  private final class Server: Sendable {
    let requests = Mutex<[String]>([])
    let status = Mutex(200)

    func respond(_ request: HTTPRequest) -> HTTPResponse {
      requests.withLock { $0.append(request.url) }
      let path = request.url.dropFirst("http://api.test/v1".count)
      if status.withLock({ $0 }) != 200 { return HTTPResponse(status.withLock { $0 }, "{}") }
      if path.hasPrefix("/orders/") {
        let id = path.dropFirst("/orders/".count).prefix { $0 != "?" }
        return HTTPResponse(200, #"{"note": "n\#(id)", "echo": "my-secret"}"#)
      }
      let page = path.contains("page=3") ? 3 : path.contains("page=2") ? 2 : 1
      let records = [page * 2 - 1, page * 2].map { id in
        #"{"id": \#(id), "price": "\#(id == 2 ? "free" : "1.50")", "placed": "2024/05/0\#(id)", "token": "my-secret"}"#
      }
      return HTTPResponse(
        200, #"{"results": [\#(records.joined(separator: ","))], "next_cursor": "abc"}"#,
        headers: [HTTPHeader("X-RateLimit-Limit", "60"), HTTPHeader("Content-Type", "application/json")])
    }
  }

  private static func source(price: String = "decimal", key: String = "id", placed: String = "yyyy/MM/dd") -> String {
    """
    {"bb_source": 2, "name": "shop", "base_url": "http://api.test/{version}", "auth": {"type": "query", "param": "key", "env": "SHOP_KEY"},
     "variables": {"version": {"env": "SHOP_VERSION", "default": "v1"}},
     "datasets": [{"name": "orders", "path": "/orders", "records": "/results", "key": ["\(key)"],
       "paging": {"type": "page", "param": "page"},
       "supplements": [{"path": "/orders/{id}", "for": "each", "param": "id", "columns": [{"name": "note"}]}],
       "columns": [{"name": "id", "type": "integer"}, {"name": "price", "type": "\(price)"},
         {"name": "placed", "type": "date", "formats": ["\(placed)"]}, {"name": "note"}, {"name": "gone"}]}]}
    """
  }

  private func console(_ server: Server, _ text: String = source()) throws -> (Console, String) {
    let console = Console { server.respond($0) }
    return (console, console.write(text, to: "shop.json"))
  }
  private let variables = ["SHOP_KEY": "my-secret"]

  @Test("check without --try sends no request; with it, two pages and three details") func requests() async throws {
    let server = Server(), (console, path) = try console(server)
    let checked = await console.run("bb-export sources check \(path)", variables: variables)
    #expect(checked.status == 0 && server.requests.withLock { $0 }.isEmpty, "\(checked.err)")
    _ = await console.run("bb-export sources check \(path) --try", variables: variables)
    let sent = server.requests.withLock { $0 }
    #expect(sent.filter { !$0.contains("/orders/") }.count == 2 && sent.filter { $0.contains("/orders/") }.count == 3)
  }

  @Test("a trial shows how full columns are, what does not fit, and what no column reads") func table() async throws {
    let server = Server(), (console, path) = try console(server)
    let done = await console.run("bb-export sources check \(path) --try -f csv", variables: variables)
    #expect(done.status == 65 && done.err.contains("orders: 1 column has values that do not fit"), "\(done.err)")
    let lines = done.out.split(separator: "\n").map(String.init)
    #expect(lines.first == "dataset,column,filled,distinct,example,note")
    #expect(lines.contains("orders,id,100,4,1,"), "\(done.out)")
    #expect(lines.contains { $0.hasPrefix("orders,price,75,1,1.50,1 of 4: invalid value") }, "\(done.out)")
    #expect(lines.contains("orders,gone,0,0,,no record has a value"))
    #expect(lines.contains { $0.hasPrefix("orders,note,100,3,n1") })
    #expect(lines.contains { $0.hasPrefix("orders,/token,,,…,\"no column reads it") }, "\(done.out)")
    #expect(lines.contains { $0.contains("the API has a cursor") })
    #expect(lines.contains { $0.contains("the server announces limits: X-RateLimit-Limit: 60") })
    #expect(!done.out.contains("my-secret"))
  }

  @Test(
    "the status of a trial",
    arguments: [
      (source(price: "text"), 200, 0, ""), (source(price: "text", key: "price"), 200, 65, "the key is not unique"),
      (source(price: "text", placed: "dd.MM.yyyy"), 200, 65, "do not fit"), (source(), 503, 69, "HTTP status 503"),
      (source(price: "txt"), 200, 78, "unknown value “txt”"),
    ])
  func status(text: String, status: Int, exit: Int32, message: String) async throws {
    let server = Server(), (console, path) = try console(server, text)
    server.status.withLock { $0 = status }
    let done = await console.run("bb-export sources check \(path) --try", variables: variables)
    #expect(done.status == exit && (message.isEmpty || done.err.contains(message)), "\(done.err)\(done.out)")
  }

  @Test("a recording has no secrets, and is tested without a network") func recording() async throws {
    let server = Server(), (console, path) = try console(server, Self.source(price: "text"))
    let directory = console.home + "/recorded"
    let recorded = await console.run("bb-export sources record \(path) \(directory)", variables: variables)
    #expect(recorded.status == 0 && recorded.err.contains("recorded 5 responses: 4 orders"), "\(recorded.err)")
    let text = Shell.read(directory + "/recording.json")
    #expect(!text.contains("my-secret") && text.contains(#""token": "…""#), "\(text)")
    let sent = server.requests.withLock { $0.count }
    let first = await console.run("bb-export sources test \(path) \(directory)")
    #expect(first.status == 66 && first.err.contains("--accept"), "\(first.err)")
    let accepted = await console.run("bb-export sources test \(path) \(directory) --accept")
    #expect(accepted.status == 0, "\(accepted.err)")
    let tested = await console.run("bb-export sources test \(path) \(directory)")
    #expect(tested.status == 0 && tested.err.contains("as expected: 4 orders"), "\(tested.err)")
    #expect(server.requests.withLock { $0.count } == sent)

    console.write(Self.source(price: "text", placed: "yyyy/dd/MM"), to: "shop.json")
    let changed = await console.run("bb-export sources test \(path) \(directory)")
    #expect(
      changed.status == 65 && changed.err.contains("orders 2, placed: expected “2024-05-02”, found “2024-02-05”")
        && changed.err.contains("4 differences"), "\(changed.err)")
    console.write(Self.source(price: "text").replacing("/orders\"", with: "/sales\""), to: "shop.json")
    let other = await console.run("bb-export sources test \(path) \(directory)")
    #expect(other.status == 65 && other.err.contains("no recording of this request"), "\(other.err)")
  }

  @Test("options of one action are refused with others") func refusals() async throws {
    let (console, path) = try console(Server())
    for (words, message) in [
      ("check \(path) --accept", "--accept applies only to sources test"),
      ("check \(path) --pages 2", "--pages requires --try"), ("check \(path) orders", "unexpected argument “orders”"),
      ("record \(path)", "missing argument DIR"), ("test \(path)", "missing argument DIR"),
      ("schema --try", "--try applies only to sources check"),
    ] {
      let done = await console.run("bb-export sources \(words)")
      #expect(done.status == 64 && done.err.contains(message), "\(done.err)")
    }
    let missing = await console.run("bb-export sources check \(path) --try nothing", variables: variables)
    #expect(missing.status == 66 && missing.err.contains("no dataset nothing"), "\(missing.err)")
    let none = await console.run("bb-export sources test \(path) \(console.home)/none")
    #expect(none.status == 66 && none.err.contains("recording not found"), "\(none.err)")
  }
}
