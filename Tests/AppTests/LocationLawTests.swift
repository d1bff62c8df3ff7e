import CommandLineKit
import Domain
import Glibc
import LiveServices
import Query
import Rows
import Synchronization
import TestSupport
import Testing

@testable import bb_export
@testable import bb_notes

/// Laws of every command and option, as the parser knows them, that may be given a location.
@Suite("Laws of locations") struct LocationLawTests {
  /// A place for a location on a command line.
  struct Spot: Sendable {
    let words: [String]
    let options: [Option]
    /// The line with a location in the place.
    let line: @Sendable (_ location: String) -> [String]
  }

  /// The places of both programs: each value of an option, and each argument.
  static let places: [Spot] = [BBExport.program, BBNotes.program].flatMap { program in
    program.commands.flatMap { leaves($0, [program.name]) }.flatMap { command, words in
      let options = program.options(of: command), arguments = command.arguments.map(example)
      let values = options.filter { $0.placeholder != nil && $0.words == nil }.map { option in
        Spot(words: words + ["--\(option.name)"], options: options) { words + arguments + ["--\(option.name)", $0] }
      }
      let named = command.arguments.indices.map { position in
        Spot(words: words + [command.arguments[position].placeholder], options: options) { location in
          words + arguments.prefix(position) + [location] + arguments.dropFirst(position + 1)
        }
      }
      let needsOutput = options.contains { $0.name == "output" }
      let both =
        !needsOutput
        ? []
        : command.arguments.indices.map { position in
          Spot(words: words + [command.arguments[position].placeholder, "-o"], options: options) { location in
            words + arguments.prefix(position) + [location, "-o", location]
          }
        }
      return values + named + both
    }
  }

  private static func leaves(_ command: Command, _ words: [String]) -> [(Command, [String])] {
    let words = words + [command.name]
    return command.subcommands.isEmpty ? [(command, words)] : command.subcommands.flatMap { leaves($0, words) }
  }
  private static func example(_ argument: Argument) -> String {
    argument.placeholder == "ACTION" ? "check" : argument.placeholder.hasPrefix("DATASET") ? "quotes" : "x"
  }

  /// Locations of every kind with a secret in each of their parts.
  static func locations(_ secret: String) -> [String] {
    let server = "127.0.0.1:1"
    return [
      "https://u:\(secret)@\(server)/a.csv", "HTTPS://\(secret)@\(server)/a.csv",
      "Http://\(server)/a.csv?sig=\(secret)",
      "https://\(server)/\(secret)/a.csv", "https://\(server)/a.csv#access_token=\(secret)",
      "POSTGRES://u:\(secret)@\(server)/d?table=t", "Postgresql://u:\(secret)@\(server)/d",
      "postgres://\(server)/d?password=\(secret)", "postgres:host=127.0.0.1 port=1 password='\(secret)' table=t",
      "S3://k:\(secret)@bucket/a.csv", "delta:https://u:\(secret)@\(server)/t", "DELTA:s3://k:\(secret)@bucket/t",
      "https://\(server)/a.csv?view=\(secret)", "ftp://u:\(secret)@\(server)/a.csv",
      "postgres://\(server)/d?sslpassword=\(secret)&table=t", "FILE:///nowhere/a.csv?token=\(secret)",
    ]
  }

  @Test("a secret is in no output and in no file") func secrets() async throws {
    let secret = "Kq7xW2mZp9Rt4Vb8Nc3L", base64 = "S3E3eFcybVpwOVJ0NFZiOE5jM0w"
    var console = Console { (request) throws(Problem) in
      HTTPResponse(
        401, "{\"error\": \"refused \(request.url)\"}", headers: [HTTPHeader("Content-Type", "application/json")])
    }
    console.writesFiles = true
    // Each place gets some of the locations, and each location goes to places of every kind.
    let locations = Self.locations(secret)
    var lines = Self.places.enumerated().flatMap { number, place in
      (0..<4).map { place.line(locations[(number * 5 + $0 * 3) % locations.count]) }
    }
    lines += Self.places.map { $0.line("\(console.home)/x") }
    lines += ["--set", "--option"].map { ["bb-export", "quotes", "--source", "nowhere", $0, "token=\(secret)"] }
    lines += ["s3.endpoint=http://u:\(secret)@127.0.0.1:1", "s3.secret=\(secret)"].map {
      ["bb-export", "s3://bucket/a.csv", "--option", $0]
    }
    lines += [["bb-export", "quotes", "--proxy=ftp://u:\(secret)@127.0.0.1:1"]]
    let given = [
      "BB_STORAGE": "Postgres://u:\(secret)@127.0.0.1:1/d", "BB_API_URL": "https://u:\(secret)@127.0.0.1:1",
      "https_proxy": "http://u:\(secret)@127.0.0.1:1",
    ]
    // The value of --fill is written.
    for (number, line) in lines.enumerated() where line[1] != "config" && !line.contains("--fill") {
      let outcome = await console.run(
        line + (number % 2 == 0 ? ["--verbose"] : ["--errors", "json"]),
        variables: line.contains { $0.contains(secret) } ? [:] : given)
      for text in [outcome.out, outcome.err] where text.contains(secret) || text.contains(base64) {
        Issue.record("\(line.joined(separator: " ")): \(text)")
      }
    }
    for path in Self.files(below: console.home) {
      let text = Shell.read(path)
      #expect(!text.contains(secret) && !path.contains(secret), "\(path): \(text.prefix(500))")
    }
  }

  @Test(
    "an unknown scheme is a usage error that lists the known ones",
    arguments: [
      "bb-export gs://bucket/a.csv", "bb-export quotes --source snapshot -o gs://bucket/a.csv",
      "bb-export --from FTP://host/a.csv", "bb-export diff gs://b/a.csv gs://b/c.csv",
      "bb-export quotes --source snapshot --join gs://b/a.csv --on id", "bb-export sync --from gs://b/a.csv",
      "bb-export images --from gs://b/a.csv -o i", "bb-export site -o gs://b/site",
      "bb-notes export places -o gs://b/a.csv",
      "bb-notes import gs://b/a.csv", "bb-export check --source snapshot -o gs://b/x.csv",
    ])
  func unknown(line: String) async {
    let outcome = await Console().run(line)
    #expect(outcome.status == 64 && outcome.err.contains("unknown scheme"), "\(outcome)")
    #expect(outcome.err.contains("s3") && outcome.err.contains("postgres"), "\(outcome)")
  }

  @Test("a scheme is written in any case, and a path with a colon is a path") func cases() async {
    var console = Console()
    console.writesFiles = true
    let path = console.write("k\n1\n", to: "a:b.csv"), lake = "\(console.home)/lake"
    #expect(await console.run("bb-export \(path) -f csv").out == "k\n1\n")
    #expect(await console.run("bb-export FILE://\(path) -f csv").out == "k\n1\n")
    #expect(await console.run("bb-export \(path) -o Delta:\(lake)").status == 0)
    #expect(await console.run("bb-export DELTA:\(lake) -f csv").out == "k\n1\n")
  }

  @Test("a text that two kinds claim is refused with both") func ambiguous() async throws {
    let place = NoPlace(shown: "x")
    let kinds = LocationKinds([
      LocationKind { _ in place }, LocationKind("x:") { _ in place }, LocationKind("x:y") { _ in place },
    ])
    #expect(try kinds.location("x:z").text == "x:z")
    #expect {
      try kinds.location("X:Y")
    } throws: {
      let problem = $0 as? Problem
      return problem?.kind == .usage && problem?.message.contains("x: or x:y") == true
    }
  }

  private struct NoPlace: Place {
    let shown: String
    func source(_ options: FileInputOptions, isPartitioned: Bool) throws(Problem) -> any RecordSource {
      throw Problem(.noInput, "nothing", at: shown)
    }
  }

  @Test("offline, no command sends a request") func offline() async throws {
    let sent = Mutex<[String]>([])
    var console = Console { (request) throws(Problem) in
      sent.withLock { $0.append(request.url) }
      throw Problem(.unavailable, "not to be reached")
    }
    console.writesFiles = true
    try await check(console, ["https://192.0.2.1/a.csv", "s3://bucket/a.csv", "s3://bucket/d/", "delta:s3://bucket/t"])
    {
      (place) in
      let found = sent.withLock { $0 }
      sent.withLock { $0 = [] }
      #expect(found.isEmpty, "\(place)")
    }
  }

  @Test("offline, no command connects to a server of tables") func offlineTables() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let port =
      unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          guard unsafe bind(listener, place, length) == 0, listen(listener, 16) == 0,
            unsafe getsockname(listener, place, &length) == 0
          else { return false }
          return true
        }
      } ? UInt16(bigEndian: address.sin_port) : 0
    try #require(port > 0)
    var console = Console()
    console.writesFiles = true
    try await check(
      console, ["postgres://127.0.0.1:\(port)/d?connect_timeout=2&table=t", "Postgres:host=127.0.0.1 port=\(port)"]
    ) { (place) in
      let connection = accept(listener, nil, nil)
      #expect(connection < 0, "\(place)")
      if connection >= 0 { close(connection) }
    }
  }

  @Test("every request for an object goes to the endpoint") func endpoint() async throws {
    let sent = Mutex<[String]>([])
    var console = Console { (request) throws(Problem) in
      sent.withLock { $0.append(request.url) }
      return HTTPResponse(404, "")
    }
    console.writesFiles = true
    let all = Mutex(0)
    try await check(
      console, ["s3://bucket/a.csv", "S3://bucket/d/", "delta:s3://bucket/t"],
      and: ["--option", "s3.endpoint=http://127.0.0.1:9"]
    ) { (place) in
      let found = sent.withLock { $0 }.filter { !$0.contains("goorm.io") && !$0.contains("vercel.app") }
      sent.withLock { $0 = [] }
      all.withLock { $0 += found.count }
      #expect(found.allSatisfy { $0.hasPrefix("http://127.0.0.1:9/") }, "\(place): \(found)")
    }
    #expect(all.withLock { $0 } > 40)
  }

  /// Runs every command that may be given one of the locations, with options if it has them.
  private func check(
    _ console: Console, _ locations: [String], and extra: [String] = ["--offline"], _ judge: (_ place: String) -> Void
  ) async throws {
    let variables = ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-1"]
    let isOffline = extra == ["--offline"]
    for place in Self.places {
      let takes = place.options.contains { "--\($0.name)" == extra[0] }
      guard takes || isOffline else { continue }
      for location in locations {
        _ = await console.run(
          place.line(location) + (takes ? extra : []),
          variables: variables.merging(isOffline ? ["BB_OFFLINE": "yes"] : [:]) { $1 })
        judge((place.words + [location]).joined(separator: " "))
      }
    }
  }

  private static func files(below path: String) -> [String] {
    TemporaryDirectory.names(path).flatMap { name -> [String] in
      let path = "\(path)/\(name)", inner = TemporaryDirectory.names(path)
      return inner.isEmpty ? [path] : files(below: path)
    }
  }
}

/// Deviations that a reader accepts are reported wherever the rows go.
@Suite("Warnings of inputs") struct InputWarningTests {
  @Test(
    "an odd field gives one warning",
    arguments: [
      "Q", "Q --sort k", "Q --where 'k > 0'", "Q --columns v", "Q --sample 1 --seed 1", "Q --count", "Q --count-by v",
      "Q --group k --agg 'distinct(v)'", "Q --limit 5", "Q --shard 1/1", "Q -f json", "Q -f html",
      "Q -f xlsx -o OUT.xlsx",
      "Q M", "Q --sql 'SELECT * FROM q'", "profile Q", "profile Q --sort k --limit 1", "diff Q M --key k",
      "diff M Q --key k", "Q --join M --on k", "M --join Q --on k", "M --join Q --on k --nest",
      "profile M --join Q --on k", "M --sql 'SELECT * FROM m' --join Q --on k", "M N --join Q --on k",
      "check --from Q q", "sync --from Q --storage csv:OUT",
    ])
  func notes(line: String) async {
    let console = Console()
    var words = "bb-export \(line)".replacing("OUT", with: "\(console.home)/out")
    for (mark, text) in [("Q", "k,v\n1,x\"y\n"), ("M", "k,w\n1,z\n"), ("N", "k,w\n2,z\n")] {
      let path = console.write(text, to: "\(mark.lowercased()).csv")
      words = words.split(separator: " ", omittingEmptySubsequences: false).map { $0 == mark ? path : String($0) }
        .joined(separator: " ")
    }
    let outcome = await console.run(words)
    #expect(outcome.err.split(separator: "\n").count { $0.contains("quote") } == 1, "\(words): \(outcome)")
  }

  @Test("the options of the input are those of the file of --join") func joined() async {
    let console = Console()
    let q = console.write("k,v\n1,x\"y\n", to: "q.csv"), m = console.write("k,w\n1,7\n", to: "m.csv")
    let strict = await console.run("bb-export \(m) --join \(q) --on k --strict-csv")
    #expect(strict.status == 65 && strict.err.contains("q.csv"))
    let n = console.write("k,p\n1,007\n", to: "n.csv")
    let typed = await console.run("bb-export \(m) --join \(n) --on k --types p=text,w=text -f json")
    #expect(typed.status == 0 && typed.out.contains("\"007\"") && typed.out.contains("\"7\""))
    let unknown = await console.run("bb-export \(m) --join \(n) --on k --types z=text")
    #expect(unknown.status == 64 && unknown.err.contains("“z”"))
  }
}
