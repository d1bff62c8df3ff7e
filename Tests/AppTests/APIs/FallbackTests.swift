import AppTestSupport
import Conformance
import Domain
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("the data source is not replaced silently") struct FallbackTests {
  /// The ways a server fails.
  enum Failure: String, CaseIterable {
    case notFound, refused, broken, late
  }

  private static let explicitFlags = ["--api URL", "--source breaking-bad", "--refresh", "--api URL --refresh -q"]
  private static let implicitFlags = ["", "-q", "--max-age 0", "--errors json"]

  /// A console whose network fails while `failure` is set, and otherwise responds with one death.
  private static func console(_ failure: @escaping @Sendable () -> Failure?) -> Console {
    Console(["old.csv": "old\n"]) { (request) throws(Problem) in
      switch failure() {
      case nil: HTTPResponse(200, #"[{"death_id": 1, "character": "Server"}]"#)
      case .notFound: HTTPResponse(404, #"{"message": "no"}"#)
      case .broken: HTTPResponse(503, #"{"message": "no"}"#, headers: [HTTPHeader("Retry-After", "999")])
      case .refused: throw Problem(.unavailable, "connection failed", at: request.url)
      case .late: throw Problem(.unavailable, "no response within 30 s", at: request.url)
      }
    }
  }

  /// The command line for deaths.
  private static func line(_ flags: String, _ outputs: String) -> String {
    "bb-export deaths \(flags.replacing("URL", with: "http://127.0.0.1:9")) \(outputs)"
  }

  @Test("an API that the user named, or a refresh, has no substitute", arguments: explicitFlags, Failure.allCases)
  func explicit(flags: String, failure: Failure) async {
    let console = Self.console { failure }
    for outputs in ["-f csv", "-o new.csv", "-o old.csv"] {
      let done = await console.run(Self.line(flags, outputs))
      #expect(done.status == 69, "\(outputs): \(done.err)")
      #expect(done.out == "")
      #expect(done.err.contains("--source snapshot") && done.err.contains("store"), "\(done.err)")
    }
    #expect(console.files.files == ["old.csv": "old\n"])
  }

  @Test(
    "else the built-in data goes to a pipe or a new file, always with a warning", arguments: implicitFlags,
    Failure.allCases)
  func implicit(flags: String, failure: Failure) async {
    let console = Self.console { failure }
    let piped = await console.run(Self.line(flags, "-f csv"))
    #expect(piped.status == 0)
    #expect(piped.out.hasPrefix("id,"))
    let new = await console.run(Self.line(flags, "-o new.csv"))
    #expect(new.status == 0)
    #expect(console.files.files["new.csv"] == piped.out)
    for err in [piped.err, new.err] {
      #expect(err.contains("snapshot") && isOneMessage(err), "\(err)")
    }
    for outputs in ["-o old.csv", "-o other.csv -o old.csv"] {
      let old = await console.run(Self.line(flags, outputs))
      #expect(old.status == 69 && old.err.contains("--source snapshot"), "\(old.err)")
    }
    #expect(console.files.files == ["old.csv": "old\n", "new.csv": piped.out])
    #expect(await console.run("bb-export deaths --source snapshot -o old.csv").status == 0)
    #expect(console.files.files["old.csv"] == piped.out)
  }

  @Test("the built-in data replaces and extends nothing that exists", arguments: ["append", "replace"])
  func existing(action: String) {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9")
    shell.write("in.csv", "id,season\n1,1\n")
    let made = shell.run(
      """
      mkdir s && bb-export in.csv -o delta:t && bb-export in.csv -o 'out/season={season}/x.csv' && cp in.csv in2.csv
      """)
    #expect(made.status == 0, "\(made.err)")
    for output in ["delta:t", "'out/season={season}/x.csv'", "'in{season}.csv'"] {
      let files = "find . -type f -exec md5sum {} + | sort"
      let before = shell.run(files).out
      let done = shell.run("bb-export episodes -o \(output) --existing \(action)")
      #expect(done.status == 69 && done.err.contains("--source snapshot"), "\(output): \(done.status) \(done.err)")
      #expect(shell.run(files).out == before, "\(output)")
    }
    #expect(shell.run("bb-export episodes -o delta:new --existing \(action)").status == 0)
  }

  @Test(
    "a cached response takes the place of a server that fails or refuses, except for a refresh",
    arguments: implicitFlags + explicitFlags, Failure.allCases)
  func cached(flags: String, failure: Failure) async {
    let isDown = Mutex(false), console = Self.console { isDown.withLock { $0 } ? failure : nil }
    let server = ["BB_API_URL": "http://127.0.0.1:9"]
    #expect(await console.run("bb-export deaths -f csv", variables: server).out.contains("Server"))
    isDown.withLock { $0 = true }
    let done = await console.run(Self.line(flags, "-o old.csv"), variables: server)
    let text = console.files.files["old.csv"] ?? ""
    if flags.contains("--refresh") {
      #expect(done.status == 69 && text == "old\n", "\(done.err)")
    } else {
      #expect(done.status == 0 && text.contains("Server"), "\(done.err)")
    }
  }

  @Test("on a terminal the built-in data is shown with a warning") func terminal() throws {
    let shell = Shell()
    let done = shell.run("BB_API_URL=http://127.0.0.1:9 script -qec 'bb-export deaths -q -f csv' /dev/null")
    guard done.status != 127 else { return }
    #expect(done.out.contains("snapshot") && done.out.contains("id,"), "\(done.out)")
  }

  @Test("--summary json names the source and the time, and its seconds cover the whole command") func summary() throws {
    let server = try LoopbackServer { _ in
      let body = #"[{"death_id": 1, "character": "Server"}]"#
      return .steps([
        .pause(700), .send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)),
      ])
    }
    let shell = Shell()
    let live = shell.run("bb-export deaths --api \(server.url) -f csv --summary json -q").err
    #expect(live.contains(#""source":"breaking-bad","fetched_at":"20"#), "\(live)")
    let seconds = live.split(separator: #""seconds":"#).last.flatMap { Double($0.prefix { $0 != "," }) } ?? 0
    #expect(seconds >= 0.7 && seconds < 60, "\(live)")
    let time = live.split(separator: #""fetched_at":""#).last?.prefix(20)
    let cached = shell.run("sleep 1.1; bb-export deaths --api \(server.url) --max-age 999 -f csv --summary json").err
    #expect(cached.split(separator: #""fetched_at":""#).last?.prefix(20) == time, "\(cached)")
    let down = shell.run("BB_API_URL=http://127.0.0.1:9 bb-export deaths -f csv --summary json").err
    #expect(down.contains(#""source":"snapshot","fetched_at":null"#), "\(down)")
    let asked = shell.run("bb-export deaths --source snapshot -f csv --summary json").err
    #expect(asked.contains(#""source":"snapshot","fetched_at":null"#), "\(asked)")
    let file = shell.run("printf 'a\n1\n' > t.csv; bb-export --from t.csv -f csv --summary json").err
    #expect(file.contains(#""source":"t.csv","fetched_at":null"#), "\(file)")
  }
}
