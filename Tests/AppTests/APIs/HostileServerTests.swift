import Conformance
import Domain
import TestSupport
import Testing

@Suite("bb-export and what a server or an environment wants") struct HostileServerTests {
  @Test("SSLKEYLOGFILE is ignored") func keyLog() throws {
    let shell = Shell()
    let done = shell.run("SSLKEYLOGFILE=$PWD/keys bb-export quotes --api https://127.0.0.1:9; echo $?; ls")
    #expect(done.out == "69\n", "\(done.out)")
  }

  @Test("the responses of a command are bounded in total") func total() throws {
    let server = try LoopbackServer { request in
      let page = Int(request.query["page"] ?? "1") ?? 1
      return .json(#"{"rows": [{"id": \#(page), "title": "\#(String(repeating: "a", count: 100_000))"}]}"#)
    }
    let shell = Shell()
    shell.write(
      "endless.json",
      """
      {"bb_source": 1, "name": "endless", "base_url": "\(server.url)", "datasets": [
        {"name": "list", "path": "/list", "records": "/rows", "key": ["id"], "paging": {"type": "page", "param": "page"},
         "columns": [{"name": "id", "type": "integer"}, {"name": "title"}]}]}
      """)
    let done = shell.run("bb-export list --source endless.json --max-bytes 1M -o out.csv; echo $?; ls")
    #expect(done.out == "65\nendless.json\n", "\(done.out)")
    #expect(done.err.contains("the responses exceed 1 MiB in total") && done.err.contains("--max-bytes"), "\(done.err)")
    #expect(server.requests.count == 11)
    #expect(shell.run("bb-export list --source endless.json --max-bytes lots").status == 64)
    #expect(shell.run("bb-export table --help all").out.contains("--max-bytes"))
  }

  @Test("a message is one line of bounded length, whatever it quotes") func longValues() throws {
    let long = String(repeating: "é\u{1B}[31m ", count: 20_000)
    let word = String(repeating: "x", count: 100_000)
    let text = #""\#(long.replacing("\u{1B}", with: "\\u001b"))""#
    let bodies = [
      #"{"message": \#(text)}"#, #"[{"death_id": \#(text), "character": "c"}]"#, text, "[\(text)]",
      #"{"\#(word)": 1}"#, #"[{"death_id": 1, "character": {"\#(word)": 2}}]"#,
      #"[{"death_id": 1, "character": "c", "responsible": [{"\#(word)": 2}]}]"#, "<html>" + word, "[" + word,
    ]
    let shell = Shell()
    for body in bodies {
      // A request that fails with 500 is sent again after a while: once is enough.
      for status in body == bodies[0] ? [200, 404, 500] : [200, 404] {
        let server = try LoopbackServer { _ in .json(body, status: status, headers: [HTTPHeader("Retry-After", "999")])
        }
        check(shell.run("bb-export deaths --api \(server.url)"), "\(body.prefix(60)) \(status)")
      }
    }
    for location in ["http://127.0.0.1:9/\(word)", "ftp://\(word)", "http://[\(word)", "http:// \(word)"] {
      let server = try LoopbackServer { _ in .whole(302, [HTTPHeader("Location", location)], []) }
      check(shell.run("bb-export deaths --api \(server.url)"), "\(location.prefix(30))")
    }
    shell.write("long.csv", "a,\(word)\n1,\(word)\n1,2,3\n")
    shell.write("long.json", #"[{"\#(word)": 1}, {"\#(word)": "\#(word)"} x]"#)
    shell.write("word", word)
    for line in [
      "--from long.csv --types a=integer --where \"$(cat word) = 1\"", "--from long.csv",
      "--from long.csv --columns $(cat word)x",
      "--from long.csv --types $(cat word)=integer", "--from long.json", "\"$(cat word)\"", "--\"$(cat word)\"",
      "deaths -f \"$(cat word)\"", "deaths --source \"$(cat word)\"", "deaths --api \"http://127.0.0.1:9/$(cat word)\"",
      "deaths --storage \"$(cat word)\"", "deaths -o \"$(cat word).csv\" --source snapshot", "--from \"$(cat word)\"",
      "deaths --source snapshot --option \"$(cat word)=1\" -f csv", "sync --storage \"sqlite:$(cat word)\"",
    ] {
      check(shell.run("bb-export \(line) >/dev/null"), String(line.prefix(60)))
      check(shell.run("bb-export \(line) --errors json >/dev/null"), String(line.prefix(60)))
    }
    for line in ["add \"$(cat word)\" x", "list \"$(cat word)\"", "show \"$(cat word)\" --storage \"csv:$(cat word)\""]
    {
      check(shell.run("bb-notes \(line)"), String(line.prefix(60)))
    }
  }

  private func check(_ done: Shell.Outcome, _ what: String) {
    // The use of the built-in data is reported.
    #expect(done.status != 0 || !done.err.isEmpty, "\(what)")
    for line in done.err.split(separator: "\n") {
      #expect(line.utf8.count <= 1700, "\(what): \(line.utf8.count) bytes")
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 32 }, "\(what)")
    }
  }
}
