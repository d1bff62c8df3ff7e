import Conformance
import Domain
import Fakes
import TestSupport
import Testing

/// An API of a user's: seven items, handed out in pages of three in each of the ways there are; each item has parts of
/// its own.
private func items(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
  func list(_ ids: some Sequence<Int>) -> String {
    let records = ids.map { #"{"id": \#($0), "name": "n\#($0)", "seen": "0\#($0)-03-2020"}"# }
    return "[\(records.joined(separator: ","))]"
  }
  func page(from start: Int) -> String { list((1...7).dropFirst(start).prefix(3)) }
  let number = { (name: String) in request.query[name].flatMap(Int.init) ?? 0 }
  switch request.path {
  case "/page": return .json(#"{"results": \#(page(from: (number("page") - 1) * 3))}"#)
  case "/offset": return .json(#"{"results": \#(list((1...7).dropFirst(number("skip")).prefix(number("take"))))}"#)
  case "/link":
    let next = number("from") + 3
    let links = next < 7 ? [HTTPHeader("Link", "</link?from=\(next)>; rel=\"next\"")] : []
    return .json(#"{"results": \#(page(from: number("from")))}"#, headers: links)
  case "/next":
    let next = number("from") + 3
    return .json(
      #"{"results": \#(page(from: number("from"))), "info": {"next": \#(next < 7 ? "\"/next?from=\(next)\"" : "null")}}"#
    )
  case "/cursor":
    let next = number("after") + 3
    return .json(#"{"results": \#(page(from: number("after"))), "cursor": \#(next < 7 ? String(next) : "null")}"#)
  case "/secret":
    guard request.headers["authorization"] == "Bearer open sesame" else {
      return .json(#"{"message":"who are you?"}"#, status: 401)
    }
    return .json(#"{"results": \#(list(1...1))}"#)
  default:
    guard request.path.hasPrefix("/items/"), request.path.hasSuffix("/parts") else { return .json("{}", status: 404) }
    return .json(#"[{"part": "p\#(request.path.dropFirst(7).prefix { $0 != "/" })"}]"#)
  }
}

@Suite("an API of the user's, from a file alone") struct UserSourceTests {
  private static func describe(_ path: String, _ paging: String, _ more: String = "", top: String = "") -> String {
    """
    {"bb_source": 1, "name": "mine", "base_url": "http://127.0.0.1:1", \(top)
     "datasets": [
      {"name": "items", "path": "\(path)", "records": "/results", "paging": \(paging), "key": ["id"],
       "columns": [{"name": "id", "type": "integer"}, {"name": "name"},
                   {"name": "seen", "type": "date", "formats": ["MM-DD-YYYY"]}]}\(more)]}
    """
  }
  private static let parts = """
    , {"name": "parts", "path": "/items/{item}/parts", "key": ["item", "part"],
       "parent": {"dataset": "items", "param": "item", "column": "id"},
       "columns": [{"name": "item", "from": "#parent", "type": "integer"}, {"name": "part"}]}
    """

  @Test(
    "every way of handing out pages",
    arguments: [
      ("/page", #"{"type": "page", "param": "page"}"#, 4),
      ("/page", #"{"type": "page", "param": "page", "stop": "short"}"#, 3),
      ("/offset", #"{"type": "offset", "param": "skip", "limit_param": "take", "limit": 3}"#, 4),
      ("/offset", #"{"type": "offset", "param": "skip", "limit_param": "take", "limit": 3, "stop": "short"}"#, 3),
      ("/link", #"{"type": "link_header"}"#, 3), ("/next", #"{"type": "next_url", "pointer": "/info/next"}"#, 3),
      ("/cursor", #"{"type": "cursor", "param": "after", "pointer": "/cursor"}"#, 3),
    ])
  func pages(path: String, paging: String, requests: Int) throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write("mine.json", Self.describe(path, paging))
    let done = shell.run("bb-export items --source mine.json --api \(server.url) --where 'id > 5' -f csv")
    #expect(done.out == "id,name,seen\n6,n6,2020-06-03\n7,n7,2020-07-03\n" && done.err == "" && done.status == 0)
    #expect(server.requests.count == requests)
  }
  @Test("a list for every record of another") func children() throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write("mine.json", Self.describe("/link", #"{"type": "link_header"}"#, Self.parts))
    let done = shell.run("bb-export parts --source ./mine.json --api \(server.url) --sort item:desc --limit 2 -f json")
    #expect(done.out == "[\n{\"item\":7,\"part\":\"p7\"},\n{\"item\":6,\"part\":\"p6\"}\n]\n" && done.err == "")
    #expect(server.requests.count == 3 + 7)
  }
  @Test("a list that has no end is refused, and so is one that never moves") func bounds() throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write("mine.json", Self.describe("/page", #"{"type": "page", "param": "page", "max_pages": 2}"#))
    let long = shell.run("bb-export items --source mine.json --api \(server.url) -o items.csv; echo $?; ls")
    #expect(long.out == "65\nmine.json\n" && long.err.contains("more than 2 pages"))
    shell.write("mine.json", Self.describe("/next", #"{"type": "page", "param": "page"}"#))
    let still = shell.run("bb-export items --source mine.json --api \(server.url)")
    #expect(still.status == 65 && still.err.contains("identical to the previous page"))
  }
  @Test("the key comes from the environment; a missing one is named") func secrets() throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write(
      "mine.json",
      Self.describe("/secret", #"{"type": "none"}"#, top: #""auth": {"type": "bearer", "env": "MINE_TOKEN"},"#))
    let line = "bb-export items --source mine.json --api \(server.url) --columns id -f csv"
    let without = shell.run(line)
    #expect(without.status == 78 && without.err.contains("MINE_TOKEN") && server.requests.isEmpty)
    #expect(shell.run("MINE_TOKEN='open sesame' \(line)").out == "id\n1\n")
    let wrong = shell.run("MINE_TOKEN='S3CR3T' \(line)")
    #expect(wrong.status == 69 && wrong.err.contains("who are you?") && !wrong.err.contains("S3CR3T"))
  }
  @Test(
    "a server that says the key back does not get it into messages",
    arguments: [
      (#"{"type": "bearer", "env": "MINE_TOKEN"}"#, "SECRET+WORD"),
      (#"{"type": "basic", "env": "MINE_TOKEN"}"#, "me:SECRET+WORD"),
      (#"{"type": "query", "param": "key", "env": "MINE_TOKEN"}"#, "SECRET+WORD"),
      (#"{"type": "header", "header": "X-Key", "env": "MINE_TOKEN"}"#, "SECRET+WORD"),
    ])
  func echoes(auth: String, key: String) throws {
    let server = try LoopbackServer { request in
      let sent = [request.headers["authorization"], request.headers["x-key"], request.query["key"]]
      let said = sent.compactMap(\.self).joined()
      return request.path == "/page"
        ? .json(#"{"results": [{"id": "\#(said)", "name": "n"}]}"#)
        : .json(#"{"message": "no such key: \#(said) SECRET%2BWORD"}"#, status: 403)
    }
    let shell = Shell()
    for (path, status) in [("/secret", 69), ("/page", 65)] as [(String, Int32)] {
      shell.write("mine.json", Self.describe(path, #"{"type": "none"}"#, top: #""auth": \#(auth),"#))
      let done = shell.run("MINE_TOKEN='\(key)' bb-export items --source mine.json --api \(server.url) -v")
      #expect(done.status == status && done.err.contains("…"), "\(done.err)")
      #expect(!done.err.contains("SECRET") && !done.err.contains("bWU6U0VDUk"), "\(done.err)")
    }
    #expect(shell.run("grep -r SECRET $HOME/.cache").out == "")
  }
  @Test("no more requests in a second than the file allows") func rate() throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write(
      "mine.json", Self.describe("/link", #"{"type": "link_header"}"#, top: #""rate": {"per_second": 10},"#))
    let started = ContinuousClock.now
    let done = shell.run("bb-export items --source mine.json --api \(server.url) -f csv")
    // Three requests: two waits of a tenth of a second.
    #expect(done.status == 0 && server.requests.count == 3 && started.duration(to: .now) > .milliseconds(200))
  }
  @Test("a very small rate is accepted") func slowRate() throws {
    let server = try LoopbackServer(items), shell = Shell()
    shell.write("mine.json", Self.describe("/link", #"{"type": "none"}"#, top: #""rate": {"per_second": 1e-300},"#))
    let done = shell.run("bb-export items --source mine.json --api \(server.url) -f csv; echo $?")
    #expect(!done.out.hasSuffix("132\n") && done.err.utf8.count < 1000, "\(done.err)")
    #expect(server.requests.count == 1)
  }
  @Test("a check of a file says which variable goes where") func variable() throws {
    let shell = Shell()
    let key = #""auth": {"type": "bearer", "env": "MINE_TOKEN"},"#
    shell.write("mine.json", Self.describe("/page", #"{"type": "none"}"#, top: key))
    #expect(
      shell.run("bb-export sources check mine.json").out
        == "mine.json: valid source definition mine: items; sends the value of $MINE_TOKEN to http://127.0.0.1:1\n")
  }
  @Test("a definition uses its own server: no variable and no built-in data replace it") func own() throws {
    let server = try LoopbackServer(items), shell = Shell()
    let file = Self.describe("/secret", #"{"type": "none"}"#, top: #""auth": {"type": "bearer", "env": "MINE_TOKEN"},"#)
    shell.write("mine.json", file.replacing(#""name": "items""#, with: #""name": "characters""#))
    let done = shell.run(
      "MINE_TOKEN=S3CR3T BB_API_URL=\(server.url) bb-export characters --source mine.json; echo $?; bb-export check --source mine.json"
    )
    #expect(done.out == "69\n" && server.requests.isEmpty && done.status != 0, "\(done.err)")
    #expect(done.err.contains("127.0.0.1:1") && !done.err.contains("snapshot") && !done.err.contains("S3CR3T"))
  }
  @Test("an unknown dataset is reported with the available ones") func absent() throws {
    let shell = Shell()
    shell.write("mine.json", Self.describe("/page", #"{"type": "none"}"#))
    let item = shell.run("bb-export item --source mine.json")
    #expect(item.status == 66 && item.err == "bb-export: source mine has no dataset item\nhint: did you mean items?\n")
    let column = shell.run("bb-export items --source mine.json --where 'nam = x'")
    #expect(column.status == 64 && column.err.contains("did you mean name?"))
    let file = shell.run("bb-export items --source nosuch.json")
    #expect(file.status == 66 && file.err.contains("nosuch.json"))
  }
  @Test("a built-in source, printed as a file, gives the same records from that file") func shown() throws {
    let films =
      #"{"movies": [{"id": "a", "title": "A", "grade": 12, "date": "2020-01-02", "reservation_grade": 1, "reservation_rate": 1.5, "user_rating": 7, "thumb": ""}]}"#
    let api = try BoxOfficeAPI(
      lists: ["0": Array(films.utf8), "1": Array(films.utf8)],
      details: [
        Array(
          #"{"id": "a", "actor": "X (a, b), Y", "audience": 7, "director": "", "duration": 90, "genre": "", "synopsis": "", "image": ""}"#
            .utf8)
      ],
      comments: [
        Array(
          #"{"movie_id": "a", "comments": [{"id": "c", "movie_id": "a", "writer": "", "rating": 9, "timestamp": 0.5, "contents": "x"}]}"#
            .utf8)
      ])
    let server = try LoopbackServer { api.answer($0) }, shell = Shell()
    for dataset in ["movies", "comments"] {
      let line = "bb-export \(dataset) --api \(server.url) -f json"
      let built = shell.run(line)
      let read = shell.run("bb-export sources show box-office > mine.json && \(line) --source mine.json")
      #expect(built.out == read.out && built.out.count > 100 && read.status == 0 && read.err == "")
    }
  }
}
