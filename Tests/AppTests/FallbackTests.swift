import Conformance
import Domain
import Synchronization
import Testing

@Suite("the data source is not replaced silently") struct FallbackTests {
  /// The ways a server fails.
  enum Failure: String, CaseIterable {
    case notFound, refused, broken
  }

  /// A server of deaths that can be made to fail.
  private final class Switch: Sendable {
    let status = Mutex(200)
    func answer() -> LoopbackServer.Answer {
      let status = status.withLock { $0 }
      guard status == 200 else {
        return .json(#"{"message": "no"}"#, status: status, headers: [HTTPHeader("Retry-After", "999")])
      }
      return .json(#"[{"death_id": 1, "character": "Server"}]"#)
    }
  }

  private static let explicitFlags = ["--api URL", "--source breaking-bad", "--refresh", "--api URL --refresh -q"]
  private static let implicitFlags = ["", "-q", "--max-age 0", "--errors json"]

  /// Runs bb-export against a server that fails, after it was well once if `isCached`.
  private func run(
    _ failure: Failure, _ flags: String, isCached: Bool, _ outputs: String, _ shell: Shell
  ) throws -> Shell.Outcome {
    let answers = Switch(), server = try LoopbackServer { _ in answers.answer() }
    // Nothing listens on port 9.
    let url = failure == .refused ? "http://127.0.0.1:9" : server.url
    if isCached { _ = shell.run("BB_API_URL=\(url) bb-export deaths -f csv") }
    answers.status.withLock { $0 = failure == .broken ? 503 : 404 }
    let words = flags.replacing("URL", with: url)
    return shell.run("BB_API_URL=\(url) bb-export deaths \(words) \(outputs)")
  }

  @Test("an API that the user named, or a refresh, has no substitute", arguments: explicitFlags, Failure.allCases)
  func explicit(flags: String, failure: Failure) throws {
    let shell = Shell()
    shell.write("old.csv", "old\n")
    for outputs in ["-f csv", "-o new.csv", "-o old.csv"] {
      let done = try run(failure, flags, isCached: false, outputs, shell)
      #expect(done.status == 69 && done.out == "", "\(outputs): \(done.err)")
      #expect(done.err.contains("--source snapshot") && done.err.contains("store"), "\(done.err)")
    }
    #expect(shell.run("ls; cat old.csv").out == "old.csv\nold\n")
  }

  @Test(
    "else the built-in data goes to a pipe or a new file, always with a warning", arguments: implicitFlags,
    Failure.allCases)
  func implicit(flags: String, failure: Failure) throws {
    let shell = Shell()
    shell.write("old.csv", "old\n")
    let piped = try run(failure, flags, isCached: false, "-f csv", shell)
    #expect(piped.status == 0 && piped.out.hasPrefix("id,"))
    let new = try run(failure, flags, isCached: false, "-o new.csv", shell)
    #expect(new.status == 0 && Shell.read(shell.folder + "/work/new.csv") == piped.out)
    for err in [piped.err, new.err] {
      #expect(err.contains("snapshot") && isOneMessage(err), "\(err)")
    }
    for outputs in ["-o old.csv", "-o other.csv -o old.csv"] {
      let old = try run(failure, flags, isCached: false, outputs, shell)
      #expect(old.status == 69 && old.err.contains("--source snapshot"), "\(old.err)")
    }
    #expect(shell.run("ls; cat old.csv").out == "new.csv\nold.csv\nold\n")
    #expect(shell.run("bb-export deaths --source snapshot -o old.csv && head -c 3 old.csv").out == "id,")
  }

  @Test(
    "a cached response takes the place of a server that fails or refuses, except for a refresh",
    arguments: implicitFlags + explicitFlags, [Failure.broken, .notFound])
  func cached(flags: String, failure: Failure) throws {
    let shell = Shell()
    shell.write("old.csv", "old\n")
    let done = try run(failure, flags, isCached: true, "-o old.csv", shell)
    let text = Shell.read(shell.folder + "/work/old.csv")
    if flags.contains("--refresh") {
      #expect(done.status == 69 && text == "old\n", "\(done.err)")
    } else {
      #expect(done.status == 0 && text.contains("Server"), "\(done.err)")
    }
  }

  @Test("a server that does not respond in time is unavailable") func timeout() throws {
    let server = try LoopbackServer { _ in .steps([.pause(50_000)]) }
    let shell = Shell()
    shell.write("old.csv", "old\n")
    let done = shell.run(
      """
      export BB_API_URL=\(server.url)
      (bb-export deaths --api \(server.url) -f csv; echo explicit $?) >1 2>&1 & (bb-export deaths -q -f csv; echo piped $?) >2 2>&1 &
      (bb-export deaths -q -o old.csv; echo old $?) >3 2>&1 & wait; tail -qn1 1 2 3; cat old.csv; grep -c snapshot 1 2 3
      """)
    #expect(done.out == "explicit 69\npiped 0\nold 69\nold\n1:1\n2:1\n3:1\n", "\(done.out)")
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
