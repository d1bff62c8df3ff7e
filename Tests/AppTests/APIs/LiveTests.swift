import Codecs
import Conformance
import Domain
import Fakes
import Synchronization
import TestSupport
import Testing

/// A small API of our own, with the oddities of the real one.
private let sample: [String: [UInt8]] = [
  "quotes": #"""
  [{"quote_id": 7, "quote": "One \"two\"\nthree | four", "character": "A. Person", "production": "Breaking Bad", "episode": 101},
   {"quote_id": 8, "quote": "Later", "character": "Unknown", "production": "Better Call Saul", "episode": 213},
   {"quote_id": 7, "quote": "Again — ¿qué?", "character": "B. Person", "production": "El Camino", "episode": 101}]
  """#,
  "episodes": #"""
  [{"episode_id": 2, "production": "Better Call Saul", "episode": 213, "title": "Z", "air_date": "04-18-2022", "synopsis": "", "written_by": "?",
    "directed_by": "D", "characters": ["A. Person"], "image": "https://h/i.png", "more": 1},
   {"episode_id": 1, "production": "Better Call Saul", "episode": 109, "title": "Más", "air_date": "03-01-2015", "synopsis": "S", "written_by": "W & W",
    "directed_by": "D", "characters": [], "image": "https://h/j.png"}]
  """#,
  "characters": #"""
  [{"character_id": 5, "name": "A. Person", "birthday": "March 1966", "occupations": ["x"], "images": [], "full_name": "Unknown", "aliases": [],
    "status": "Deceased", "appearance": {"breaking_bad": [1, 2], "better_call_saul": [], "el_camino": [1]}, "portrayed_by": "P", "productions": ["El Camino"]}]
  """#,
  "deaths": "[]",
].mapValues { Array($0.utf8) }

@Suite("bb-export and a live API") struct LiveTests {
  static func server(_ answers: [String: [UInt8]] = sample) throws -> LoopbackServer {
    let api = try SixAPI(answers: answers)
    return try LoopbackServer { api.answer($0) }
  }

  @Test("every record is kept; duplicate ids are numbered and reported") func quotes() throws {
    let server = try Self.server(), shell = Shell()
    let done = shell.run("bb-export quotes --api \(server.url)/api -f csv")
    #expect(
      done.out == """
        id,occurrence,quote,character,production,season,episode
        7,1,"One ""two""
        three | four",A. Person,Breaking Bad,1,1
        7,2,Again — ¿qué?,B. Person,El Camino,1,1
        8,1,Later,,Better Call Saul,2,13

        """)
    #expect(
      done.err
        == "bb-export: warning: quotes: id 7 occurs more than once; all records were kept, distinguished by occurrence\n"
    )
    #expect(done.status == 0)
  }
  @Test("episodes are in order of production, season and number; placeholders are null") func episodes() throws {
    let done = Shell().run("bb-export episodes --api \(try Self.server().url)/api -f json")
    #expect(
      done.out == """
        [
        {"production":"Better Call Saul","season":1,"episode":9,"id":1,"title":"Más","air_date":"2015-03-01","synopsis":"S","written_by":"W & W","directed_by":"D","characters":[],"image":"https://h/j.png"},
        {"production":"Better Call Saul","season":2,"episode":13,"id":2,"title":"Z","air_date":"2022-04-18","synopsis":null,"written_by":null,"directed_by":"D","characters":["A. Person"],"image":"https://h/i.png"}
        ]

        """)
    #expect(done.err == "" && done.status == 0)
  }
  @Test("birthdays in part, seasons, status") func characters() throws {
    let done = Shell().run("bb-export characters --api \(try Self.server().url)/api -f ndjson")
    #expect(
      done.out == """
        {"id":5,"name":"A. Person","full_name":null,"nickname":null,"aliases":[],"birthday":"1966-03","occupations":["x"],"images":[],"status":"dead","portrayed_by":"P","productions":["El Camino"],"breaking_bad_seasons":[1,2],"better_call_saul_seasons":[],"el_camino":true}

        """)
  }
  @Test("the second run revalidates, --offline and a dead server answer from the cache, --max-age does not ask")
  func cache() throws {
    let server = try Self.server(), shell = Shell()
    let first = shell.run("bb-export episodes --api \(server.url)/api -f csv")
    let second = shell.run("bb-export episodes --api \(server.url)/api -f csv")
    #expect(first.out == second.out && server.requests.count == 2)
    #expect(server.requests[0].headers["if-none-match"] == nil && server.requests[1].headers["if-none-match"] != nil)
    for flags in ["--offline", "--max-age 1000"] {
      let done = shell.run("bb-export episodes --api \(server.url)/api -f csv \(flags)")
      #expect(done.out == first.out && done.status == 0)
    }
    #expect(server.requests.count == 2)
    _ = shell.run("bb-export episodes --api \(server.url)/api --refresh")
    #expect(server.requests.count == 3 && server.requests[2].headers["if-none-match"] == nil)
  }
  @Test("the progress of many requests is shown") func progress() throws {
    let server = try LoopbackServer { request in
      guard request.path != "/list" else { return .json(#"[{"id":1},{"id":2}]"#) }
      // Longer than quick work takes, of which nothing is shown.
      let body = #"[{"item":\#(request.path.dropFirst(7))}]"#
      return .steps([
        .pause(request.path == "/items/1" ? 1000 : 3000),
        .send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)),
      ])
    }
    let shell = Shell()
    shell.write(
      "s.json",
      """
      {"bb_source": 1, "name": "s", "base_url": "\(server.url)", "datasets": [
        {"name": "list", "path": "/list", "key": ["id"], "columns": [{"name": "id", "type": "integer"}]},
        {"name": "items", "path": "/items/{item}", "key": ["item"], "columns": [{"name": "item", "type": "integer"}],
         "parent": {"dataset": "list", "param": "item", "column": "id"}}]}
      """)
    let shown = shell.run("bb-export items --source ./s.json -f csv --progress always")
    #expect(shown.out == "item\n1\n2\n" && shown.status == 0)
    #expect(
      shown.err.contains("items: 1 of 2 requests, ") && shown.err.hasSuffix(" left\n"), "\(shown.err)")
    #expect(shell.run("bb-export items --source ./s.json -f csv --refresh").err == "")
  }
  @Test("an unexpected page does not replace the cached response") func portal() throws {
    let api = try SixAPI(answers: sample), count = Counter()
    let server = try LoopbackServer { request in
      count.next() == 2
        ? .whole(200, [HTTPHeader("Content-Type", "text/html")], Array("<html>log in</html>".utf8))
        : api.answer(request)
    }
    let shell = Shell()
    let first = shell.run("bb-export episodes --api \(server.url)/api -f csv")
    #expect(first.status == 0)
    #expect(shell.run("bb-export episodes --api \(server.url)/api -f csv").status == 65)
    #expect(shell.run("bb-export episodes --api \(server.url)/api -f csv --offline").out == first.out)
  }
  @Test("nothing of bb's is sent but what must be") func headers() throws {
    let server = try Self.server()
    _ = Shell().run("bb-export deaths --api \(server.url)/api")
    let sent = try #require(server.requests.first).headers
    #expect(Set(sent.keys).isSubset(of: ["host", "user-agent", "accept", "accept-encoding"]))
    #expect(sent["user-agent"]?.hasPrefix("bb-export/") == true)
  }
  @Test(
    "a file that cannot be made is left as it was",
    arguments: [
      (#"[{"death_id": 1}]"#, "record 1 (id 1), character: missing value"),
      (#"[{"death_id": "x", "character": "c"}]"#, "record 1, id: invalid value “x”: expected integer"),
      ("[1]", "record 1: expected an object, got a number"), ("{}", "expected an array"),
      ("<html>", "expected JSON, got a web page"), ("", "empty response"),
      ("[{\"death_id\": 1", "deaths:1:"),
    ])
  func badData(answer: String, complaint: String) throws {
    let server = try LoopbackServer { _ in .json(answer) }, shell = Shell()
    let done = shell.run(
      "echo old > d.csv; bb-export deaths --api \(server.url)/api -o d.csv; echo $?; cat d.csv; ls -A")
    #expect(done.out == "65\nold\nd.csv\n")
    #expect(done.err.contains(complaint) && isOneMessage(done.err), "\(done.err)")
  }
  @Test("what a server says cannot drive a terminal") func escapes() throws {
    let server = try LoopbackServer { _ in .json(#"{"message":"\u001b]0;owned\u0007 no"}"#, status: 403) }
    let done = Shell().run("bb-export quotes --api \(server.url)/api")
    #expect(done.status == 69 && done.err.contains("HTTP status 403") && !done.err.contains("\u{1B}"))
  }
  @Test("secrets in a URL are in no message") func secrets() throws {
    let done = Shell().run(
      "bb-export quotes --api http://user:S3CR3T@127.0.0.1:9/api --offline; bb-export quotes --api 'ftp://x/?key=S3CR3T'"
    )
    #expect(!(done.err + done.out).contains("S3CR3T") && done.err.contains("127.0.0.1:9"))
  }
  @Test("a flapping server gets at most four requests") func flapping() throws {
    let api = try SixAPI(answers: sample)
    let count = Counter()
    let flapping = try LoopbackServer { request in
      count.next() < 3 ? .json("{}", status: 503, headers: [HTTPHeader("Retry-After", "0")]) : api.answer(request)
    }
    #expect(Shell().run("bb-export quotes --api \(flapping.url)/api -f csv").status == 0)
    #expect(flapping.requests.count == 3)
    let broken = try LoopbackServer { _ in .json("{}", status: 503, headers: [HTTPHeader("Retry-After", "0")]) }
    #expect(Shell().run("bb-export quotes --api \(broken.url)/api").status == 69)
    #expect(broken.requests.count == 4)
  }
}

/// Counts calls from any thread.
final class Counter: Sendable {
  private let value = Mutex(0)
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}

@Suite("real responses", .enabled(if: Shell.variable("BB_TEST_DATA") != nil)) struct RealAnswerTests {
  static func answers() throws -> [String: [UInt8]] {
    let directory = try #require(Shell.variable("BB_TEST_DATA"))
    return Dictionary(
      uniqueKeysWithValues: ["characters", "episodes", "quotes", "deaths"].map {
        ($0, Shell.bytes("\(directory)/data/six-api/\($0).json"))
      })
  }

  @Test("as many records as there are, each with its values") func values() throws {
    let answers = try Self.answers()
    let server = try LiveTests.server(answers), shell = Shell()
    for (name, count) in [("characters", 29), ("episodes", 126), ("quotes", 203), ("deaths", 8)] {
      let done = shell.run("bb-export \(name) --api \(server.url)/api -f json")
      let records = try #require(try JSON.parse(Array(done.out.utf8), name: name).arrayValue)
      let source = try #require(try JSON.parse(answers[name] ?? [], name: name).arrayValue)
      #expect(records.count == count && source.count == count && done.status == 0)
      #expect(done.err.contains("ids 70 and 71") == (name == "quotes"))
      let id =
        ["characters": "character_id", "episodes": "episode_id", "quotes": "quote_id", "deaths": "death_id"][name] ?? ""
      for record in records {
        let twins = source.filter { $0[id] == record["id"] }
        let original = try #require(twins.first { name != "quotes" || $0["quote"] == record["quote"] })
        for same in [
          "name", "quote", "title", "synopsis", "production", "characters", "cause", "details", "aliases", "images",
          "occupations", "last_words",
        ] {
          guard let value = original[same] else { continue }
          let isNothing = value == .string("") || value == .string("Unknown")
          #expect(record[same] == (isNothing ? .null : value), "\(name) \(same)")
        }
        if let number = original["episode"]?.integerValue {
          #expect(record["season"]?.integerValue == number / 100 && record["episode"]?.integerValue == number % 100)
        }
      }
    }
  }
  @Test("the built-in snapshot says the same, where it says anything") func snapshot() throws {
    let server = try LiveTests.server(try Self.answers()), shell = Shell()
    for name in ["characters", "episodes", "deaths"] {
      let live = try #require(
        try JSON.parse(Array(shell.run("bb-export \(name) --api \(server.url)/api -f json").out.utf8), name: name)
          .arrayValue)
      let built = try #require(
        try JSON.parse(Array(shell.run("bb-export \(name) --source snapshot -f json").out.utf8), name: name).arrayValue)
      #expect(live.count == built.count)
      for (a, b) in zip(live, built) {
        for member in try #require(b.objectMembers) where !member.value.isNull {
          #expect(a[member.name] == member.value, "\(name) \(member.name)")
        }
      }
    }
  }
}
