import Conformance
import Synchronization
import TestSupport
import Testing

@Suite("members that an API renames or adds") struct MemberTests {
  private static func characters(_ image: String, more: String = "") -> String {
    """
    [{"character_id": 5, "name": "A", "birthday": "March 1966", "occupations": ["x"], "\(image)": [], "full_name": "A", "aliases": [], "status": "Alive",
      "appearance": {"breaking_bad": [1], "better_call_saul": [], "el_camino": [1]}, "portrayed_by": "P", "productions": ["El Camino"]\(more)}]
    """
  }

  @Test("a member that disappears is reported in one line, with the one that took its place")
  func renamed() throws {
    let server = try LoopbackServer { _ in .json(Self.characters("img")) }, shell = Shell()
    let done = shell.run("bb-export characters --api \(server.url) -f csv")
    #expect(
      done.status == 0 && done.err == "bb-export: warning: characters: no record has /images; did you mean /img?\n",
      "\(done.err)")
    #expect(shell.run("bb-export characters --api \(server.url) -f csv -q").err == "")
    let check = shell.run(
      "bb-export check characters --api \(server.url) --where 'check ~ member' --columns check,value,count,what -f csv"
    )
    #expect(
      check.out == """
        check,value,count,what
        member-vanished,/images,1,no record has the member that the column reads; did you mean /img?
        member-unmapped,/img,1,no column reads the member; did you mean /images?

        """, "\(check.err)")
  }

  @Test("both kinds of findings are reported apart in one line") func both() throws {
    let server = try LoopbackServer { _ in .json(#"[{"id": 1, "far_away": 1, "and_so_on": 2}]"#) }
    let shell = Shell()
    shell.write(
      "s.json",
      """
      {"bb_source": 1, "name": "s", "base_url": "\(server.url)", "datasets": [{"name": "list", "path": "/", "key": ["id"],
        "columns": [{"name": "id", "type": "integer"}, {"name": "title"}]}]}
      """)
    #expect(
      shell.run("bb-export list --source ./s.json -f csv").err
        == "bb-export: warning: list: no record has /title; no column reads /and_so_on or /far_away\n")
  }

  @Test("members that no column reads are named if they are new since the last sync, at most five, in objects too")
  func unmapped() throws {
    let more = (1...7).map { #", "n\#($0)": {"a": \#($0)}"# }.joined(), hasMore = Mutex(false)
    let server = try LoopbackServer { request in
      guard request.path == "/list" else {
        return .json(Self.characters("images", more: #", "old": 1"# + (hasMore.withLock { $0 } ? more : "")))
      }
      return .json(
        #"[{"id": 1, "deep": {"kept": 1, "new": 2}, "links": {"self": "x"}, "tags": [{"name": "t"}]}, {"id": 2}]"#)
    }
    let shell = Shell()
    let read = "bb-export characters --api \(server.url) -f csv"
    let sync = "bb-export sync characters --api \(server.url) --storage csv:s"
    #expect(shell.run("\(read); \(sync)").err == "" && shell.run("\(read); \(sync)").err == "")
    hasMore.withLock { $0 = true }
    let line = "bb-export: warning: characters: no column reads /n1, /n2, /n3, /n4, /n5 and 2 more\n"
    for command in [read, "\(sync) --dry-run", sync] {
      let done = shell.run(command)
      #expect(done.err == line && done.status == 0, "\(command): \(done.err)")
    }
    #expect(shell.run("\(read); \(sync)").err == "")
    func source(_ more: String) -> String {
      """
      {"bb_source": 1, "name": "s", "base_url": "\(server.url)", "datasets": [
        {"name": "list", "path": "/list", "key": ["id"]\(more), "columns": [{"name": "id", "type": "integer"},
         {"name": "kept", "from": "/deep/kept"}, {"name": "tag", "from": "/tags/0/name"}, {"name": "gone", "optional": true}]}]}
      """
    }
    shell.write("s.json", source(""))
    let check = shell.run("bb-export check list --source ./s.json -f csv --columns check,value")
    #expect(check.out == "check,value\nmember-unmapped,/links\nmember-unmapped,/deep/new\n", "\(check.err)")
    shell.write("s.json", source(#", "ignored": ["/links", "/deep/new"]"#))
    let quiet = shell.run("bb-export list --source ./s.json -f csv")
    #expect(quiet.err == "" && quiet.out == "id,kept,tag,gone\n1,1,t,\n2,,,\n", "\(quiet.err)")
  }

  @Test("a column that is optional by nature is not missed: some records lack what others have") func someHaveIt()
    throws
  {
    let server = try LoopbackServer { _ in
      .json(
        #"[{"death_id": 1, "character": "a"}, {"death_id": 2, "character": "b", "cause": "c", "details": null, "responsible": [], "connected": [], "last_words": "w", "production": "El Camino", "episode": 101, "image": "i"}]"#
      )
    }
    let done = Shell().run("bb-export deaths --api \(server.url) -f csv")
    #expect(done.status == 0 && done.err == "", "\(done.err)")
  }

  @Test("real responses have no such findings", .enabled(if: Shell.variable("BB_TEST_DATA") != nil)) func real() throws
  {
    let data = try #require(Shell.variable("BB_TEST_DATA")) + "/data/"
    for (source, directory) in [("breaking-bad", "six-api"), ("breaking-bad-classic", "old-bbapi")] {
      let server = try LoopbackServer { request in
        .whole(200, [], Shell.bytes("\(data)\(directory)\(request.path).json"))
      }
      for name in ["characters", "episodes", "quotes", "deaths"] {
        expectNothing(Shell().run("bb-export \(name) --source \(source) --api \(server.url) -f csv"))
      }
    }
    let films = try LoopbackServer { request in
      switch request.path {
      case "/movies": .whole(200, [], Shell.bytes("\(data)boxoffice/movies.order_type_0.json"))
      case "/comments": .whole(200, [], Shell.bytes("\(data)boxoffice/comments_0.json"))
      default: .whole(200, [], Shell.bytes("\(data)boxoffice/movie_0.json"))
      }
    }
    for name in ["movies", "comments"] { expectNothing(Shell().run("bb-export \(name) --api \(films.url) -f csv")) }
  }

  private func expectNothing(_ done: Shell.Outcome) {
    #expect(
      done.status == 0 && !done.err.contains("no record has") && !done.err.contains("no column reads"), "\(done.err)")
  }
}
