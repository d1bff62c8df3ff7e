import Conformance
import Fakes
import TestSupport
import Testing

@Suite("bb-notes and new episodes") struct NotesEpisodesTests {
  /// A season that is not built in.
  private static let news: [String: [UInt8]] = [
    "episodes": Array(
      #"""
      [{"episode_id": 901, "production": "Better Call Saul", "episode": 701, "title": "Zeta", "air_date": "01-02-2030", "synopsis": "", "written_by": "?",
        "directed_by": "D", "characters": [], "image": ""},
       {"episode_id": 902, "production": "Better Call Saul", "episode": 702, "title": "Eta", "air_date": "01-09-2030", "synopsis": "", "written_by": "?",
        "directed_by": "D", "characters": [], "image": ""}]
      """#.utf8)
  ]

  @Test("an unknown season comes from the API, with one request a day")
  func onceADay() throws {
    let api = try SixAPI(answers: Self.news)
    let server = try LoopbackServer { api.answer($0) }
    let shell = Shell("BB_API_URL=\(server.url)/api BB_NOW=1384000000")
    #expect(shell.run("bb-notes add 5x14 known; bb-notes list; bb-notes show 5x14; bb-notes search known").status == 0)
    #expect(server.requests.isEmpty)
    #expect(shell.run("bb-notes add bcs:7x1 new").err == "added Better Call Saul S07E01\n")
    #expect(server.requests.count == 1)
    #expect(shell.run("bb-notes add bcs:7x2 new").status == 0)
    #expect(shell.run("bb-notes list --season 7").out.contains("bcs:S07E01,Better Call Saul,7,1,Zeta,new,"))
    #expect(shell.run("bb-notes show bcs:7x1").out.hasPrefix("Better Call Saul S07E01 “Zeta”\n"))
    #expect(
      shell.run("bb-notes add bcs:7x3 new").err.contains(
        "nearest episodes: S06E03 “Rock and Hard Place”, S07E01 “Zeta”, S07E02 “Eta”"))
    #expect(shell.run("bb-notes episodes --season 7 --plain").out.contains("\tZeta\t2030-01-02\ttrue\n"))
    #expect(server.requests.count == 1)
    #expect(shell.run("bb-notes episodes --season 7 --refresh --plain | wc -l").out == "2\n")
    #expect(server.requests.count == 2)
    // The next day.
    #expect(shell.run("touch -d '2 days ago' ~/.cache/bb/asked-*; bb-notes episodes --plain >/dev/null").status == 0)
    #expect(server.requests.count == 3)
  }
  @Test("a server that does not respond gets one request, and is named where an episode is unknown") func silence()
    throws
  {
    let server = try LoopbackServer { _ in .raw([], then: .silence(8000)) }
    let shell = Shell("BB_API_URL=\(server.url)/api BB_NOW=1384000000")
    let refused = Shell("BB_API_URL=http://127.0.0.1:9 BB_NOW=1384000000")
    for (shell, place) in [(shell, "\(server.url)/api/episodes"), (refused, "http://127.0.0.1:9/episodes")] {
      let first = shell.run("bb-notes add bcs:7x1 new"), second = shell.run("bb-notes add bcs:7x1 new")
      let lines = first.err.split(separator: "\n")
      #expect(
        lines.count == 3 && lines[0].hasPrefix("bb-notes: warning: cannot look for new episodes: \(place): ")
          && lines[1] == "bb-notes: unknown episode Better Call Saul S07E01", "\(first.err)")
      // Within a minute no other request is sent; the reason is the same.
      #expect(second.err == first.err && second.status == 64 && first.status == 64, "\(second.err)")
      // Lists show the known episodes.
      let list = shell.run("bb-notes episodes")
      #expect(list.status == 0 && list.err == "" && list.out.contains("Felina"), "\(list.err)")
    }
    #expect(server.requests.count == 1)
  }
  @Test(
    "offline, no request is sent",
    arguments: [
      "BB_OFFLINE=yes bb-notes add S09E01 x", "bb-notes add S09E01 x --offline", "BB_OFFLINE=yes bb-notes episodes",
      "bb-notes episodes --offline", "bb-notes config set offline yes; bb-notes add S09E01 x",
      "bb-notes add 5x14 x -q; BB_OFFLINE=yes bb-notes check",
    ]) func offline(line: String) throws
  {
    let api = try SixAPI(answers: Self.news)
    let server = try LoopbackServer { api.answer($0) }
    let done = Shell("BB_API_URL=\(server.url)/api BB_NOW=1384000000").run(line)
    #expect(!done.err.contains("option") && !done.err.contains("warning"), "\(done.err)")
    #expect(server.requests.isEmpty)
    // An option has precedence over the configuration.
    let shell = Shell("BB_API_URL=\(server.url)/api BB_OFFLINE=yes BB_NOW=1384000000")
    #expect(shell.run("bb-notes add bcs:7x1 new --refresh").err == "added Better Call Saul S07E01\n")
  }
  @Test("a program that needs no new episode loads no libcurl") func noNetwork() {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9")
    let done = shell.run(
      "LD_DEBUG=libs LD_DEBUG_OUTPUT=loaded sh -c 'bb-notes add 5x14 a; bb-notes list; bb-notes show 5x14; bb-notes search a' >/dev/null; grep -l libcurl loaded.* | wc -l; ls loaded.* | wc -l"
    )
    let counts = done.out.split(separator: "\n").compactMap { Int($0) }
    #expect(counts.count == 2 && counts.first == 0 && (counts.last ?? 0) >= 4, "\(done.out)")
  }
}
