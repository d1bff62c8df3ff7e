import Domain
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("incremental sync") struct IncrementalSyncTests {
  private static let offset =
    #""paging": {"type": "offset", "param": "offset", "limit": 3, "until": {"at": "/more", "is": false}},"#

  /// A definition with a dataset, and the parents if it has one.
  private static func file(_ increment: String, paging: String = offset, parent: String = "", path: String = "/items")
    -> String
  {
    let parents =
      parent.isEmpty
      ? ""
      : #"{"name": "parents", "path": "/parents", "records": "/data", "key": ["name"], "columns": [{"name": "name"}, {"name": "changed"}]},"#
    return """
      {"bb_source": 2, "name": "x", "base_url": "http://h", "datasets": [\(parents)
       {"name": "items", "path": "\(path)", "records": "/data", "key": ["id"], "ignored": ["/gone"], \(paging) \(parent)
        "incremental": {"column": "at", \(increment)},
        "columns": [{"name": "id", "type": "integer"}, {"name": "at", "type": "timestamp"}]}]}
      """
  }
  private static let ascending = #""param": "since", "order": "ascending""#

  private static func console(_ api: ChangingAPI, _ file: String) -> Console {
    let console = Console { (request) throws(Problem) in try api.respond(request) }
    console.write(file, to: "x.json")
    return console
  }
  private static func sync(_ console: Console, _ more: String = "", store: String = "sqlite:s.db") async
    -> Shell.Outcome
  {
    await console.run(
      "bb-export sync items --source \(console.home)/x.json --storage \(place(store, console)) -f csv \(more)")
  }
  /// Continues a sync until it is complete.
  private static func syncInRuns(_ console: Console, _ limit: String) async {
    for _ in 1...9 {
      let status = await sync(console, limit).status
      if status == 0 { return }
    }
    Issue.record("the sync does not come to an end")
  }
  private static func place(_ store: String, _ console: Console) -> String {
    store.replacing(":", with: ":\(console.home)/")
  }
  private static func ids(_ console: Console, store: String = "sqlite:s.db") async -> String {
    await console.run("bb-export items --storage \(place(store, console)) --columns id -f csv").out
      .split(separator: "\n").dropFirst().joined(separator: " ")
  }

  @Test("only what changed is fetched, in every store", arguments: ["sqlite:s.db", "csv:s", "json:s"])
  func changes(store: String) async throws {
    let api = ChangingAPI((1...7).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending))
    let first = await Self.sync(console, store: store)
    #expect(
      first.status == 0 && first.out == "dataset,added,changed,removed,unchanged\nitems,7,0,0,0\n", "\(first.err)")
    #expect(first.err.contains("does not report deleted records"))
    #expect(api.requests() == ["items?offset=0", "items?offset=3", "items?offset=6"])
    api.put(2, day(9))
    api.put(8, day(10))
    let second = await Self.sync(console, store: store)
    #expect(second.out.hasSuffix("items,1,1,0,1\n") && second.err.isEmpty, "\(second.err)")
    #expect(api.requests() == ["items?since=\(day(7))&offset=0"])
    #expect(await Self.ids(console, store: store) == "1 2 3 4 5 6 7 8")
    let status = await console.run("bb-export sync --status --storage \(Self.place(store, console)) -f csv")
    #expect(status.out.contains("items,,\(day(10)),10,4,"), "\(status.out)\(status.err)")
    // The history has the change of records as one step, and the cursor goes back with it.
    let undo = await console.run("bb-notes undo --storage \(Self.place(store, console))")
    #expect(undo.status == 0, "\(undo.err)")
    #expect(await Self.ids(console, store: store) == "1 2 3 4 5 6 7")
    _ = await Self.sync(console, store: store)
    #expect(api.requests() == ["items?since=\(day(7))&offset=0"])
  }

  @Test("a sync of several steps is undone in one") func undo() async throws {
    let api = ChangingAPI((1...20).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending))
    _ = await Self.sync(console)
    let undo = await console.run("bb-notes undo --storage \(Self.place("sqlite:s.db", console))")
    #expect(undo.status == 0, "\(undo.err)")
    #expect(await Self.ids(console) == "")
  }

  @Test("an interrupted run is continued after its last step") func interrupted() async throws {
    let api = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending))
    api.fail(["offset=6"])
    let failed = await Self.sync(console)
    #expect(failed.status == 75 && failed.err.contains("run the command again"), "\(failed.err)")
    api.fail([])
    _ = api.requests()
    let second = await Self.sync(console, "--max-requests 1")
    #expect(second.status == 75 && second.err.contains("stopped after 1 request"), "\(second.err)")
    #expect(api.requests() == ["items?since=\(day(6))&offset=0"])
    #expect(await Self.sync(console).status == 0)
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7 8 9")
  }

  @Test("without paging, an interrupted first run keeps what it stored, and is continued there")
  func interruptedKeyset()
    async throws
  {
    let api = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending, paging: ""))
    api.fail(["since=2024-01-07"])
    let failed = await Self.sync(console)
    #expect(failed.status == 75 && failed.err.contains("run the command again"), "\(failed.err)")
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7")
    api.fail([])
    _ = api.requests()
    #expect(await Self.sync(console).status == 0)
    #expect(api.requests().first == "items?since=\(day(5))")
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7 8 9")
    // More records of one time than a response holds are refused by each run.
    let ties = Self.console(
      ChangingAPI((1...30).map { ChangingAPI.Record(id: $0, at: day(1)) }), Self.file(Self.ascending, paging: ""))
    for _ in 1...3 { #expect(await Self.sync(ties).status == 65) }
  }

  @Test("records that share a time are all fetched, more of them than a page holds") func ties() async throws {
    let api = ChangingAPI((1...11).map { ChangingAPI.Record(id: $0, at: $0 < 10 ? day(1) : day(2)) })
    let console = Self.console(api, Self.file(Self.ascending))
    await Self.syncInRuns(console, "--max-requests 1")
    // Each run continues after the records it knows.
    #expect(api.requests().count <= 7)
    #expect(await Self.ids(console) == (1...11).map(String.init).joined(separator: " "))
    // Known records that are not what they were are fetched again.
    let other = ChangingAPI((1...11).map { ChangingAPI.Record(id: $0, at: day(1)) })
    let second = Self.console(other, Self.file(Self.ascending))
    _ = await Self.sync(second, "--max-requests 2")
    for id in 1...3 { other.put(id, day(3)) }
    await Self.syncInRuns(second, "--max-requests 2")
    #expect(await Self.ids(second) == (1...11).map(String.init).joined(separator: " "))
  }

  @Test("without another paging the cursor is the paging; too many of one time are an error") func keyset() async throws
  {
    let api = ChangingAPI((1...7).map { ChangingAPI.Record(id: $0, at: day(($0 + 1) / 2)) })
    let console = Self.console(api, Self.file(Self.ascending, paging: ""))
    let done = await Self.sync(console)
    #expect(done.status == 0, "\(done.err)")
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7")
    let same = await Self.sync(console)
    #expect(same.status == 0 && same.out.hasSuffix("items,0,0,0,1\n"), "\(same.out)\(same.err)")
    for id in 8...12 { api.put(id, day(9)) }
    let stuck = await Self.sync(console)
    #expect(stuck.status == 65 && stuck.err.contains("more records share at \(day(9))"), "\(stuck.err)")
  }

  @Test("a first run that gets a page of one time alone is an error, and a list that always changes has an end")
  func changing() async throws {
    let ties = ChangingAPI((1...30).map { ChangingAPI.Record(id: $0, at: day(1)) })
    let stuck = await Self.sync(Self.console(ties, Self.file(Self.ascending, paging: "")))
    #expect(
      stuck.status == 65 && stuck.err.contains("more records share at \(day(1))")
        && stuck.err.contains("“paging”: {“type”: “none”}"), "\(stuck.err)")
    let whole = await Self.sync(
      Self.console(ties, Self.file(Self.ascending, paging: #""paging": {"type": "none"},"#)))
    #expect(whole.status == 0, "\(whole.err)")
    // Each request changes the oldest records.
    let api = ChangingAPI((1...7).map { ChangingAPI.Record(id: $0, at: day($0)) }), time = Mutex(10)
    let console = Console { (request) throws(Problem) in
      let response = try api.respond(request)
      time.withLock { time in
        for id in 1...2 { api.put((time + id) % 7 + 1, day(time, id)) }
        time += 1
      }
      return response
    }
    console.write(Self.file(Self.ascending, paging: ""), to: "x.json")
    let done = await Self.sync(console)
    #expect(done.status == 0 && api.requests().count < 12, "\(done.err)")
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7")
  }

  @Test("a cursor that is exclusive does not lose records of the last time") func exclusive() async throws {
    let api = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day(($0 + 1) / 2)) })
    let console = Self.console(api, Self.file(#""param": "after", "inclusive": false, "order": "ascending""#))
    await Self.syncInRuns(console, "--max-requests 1")
    #expect(await Self.ids(console) == "1 2 3 4 5 6 7 8 9")
  }

  @Test("a list that is not in the order it should be in is refused") func order() async throws {
    let api = ChangingAPI((1...4).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending, path: "/items?newest=1"))
    let done = await Self.sync(console)
    #expect(done.status == 65 && done.err.contains("comes after"), "\(done.err)")
  }

  @Test("a list in descending order is read down to the cursor") func descending() async throws {
    let api = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(#""order": "descending""#, path: "/items?newest=1"))
    #expect(await Self.sync(console).status == 0)
    _ = api.requests()
    api.put(3, day(12))
    let done = await Self.sync(console)
    #expect(done.status == 0 && done.out.hasSuffix("items,0,1,0,2\n"), "\(done.out)\(done.err)")
    #expect(api.requests().count == 1)
  }

  @Test("windows are stored one after the other, and halved when they are full") func windows() async throws {
    let api = ChangingAPI((1...12).map { ChangingAPI.Record(id: $0, at: day(1 + $0 / 6, $0)) })
    let increment = #""param": "since", "end_param": "until", "start": "2024-01-01", "window": "1000w""#
    let console = Self.console(
      api,
      Self.file(
        increment,
        paging:
          #""paging": {"type": "offset", "param": "offset", "limit": 3, "max_pages": 2, "until": {"at": "/more", "is": false}},"#
      ))
    let done = await Self.sync(console)
    #expect(done.status == 0 && done.out.hasSuffix("items,12,0,0,0\n"), "\(done.err)")
    #expect(await Self.ids(console) == (1...12).map(String.init).joined(separator: " "))
    // The next run begins at the greatest time of a record, not at the time of the last run.
    _ = api.requests()
    _ = await Self.sync(console)
    #expect(api.requests().first?.contains("since=\(day(3, 12))") == true)
  }

  @Test("fewer requests than a window has pages still make progress") func smallLimit() async throws {
    let api = ChangingAPI((1...12).map { ChangingAPI.Record(id: $0, at: day(1 + $0 / 6, $0)) })
    let increment = #""param": "since", "end_param": "until", "start": "2024-01-01", "window": "1000w""#
    let console = Self.console(
      api,
      Self.file(
        increment,
        paging: #""paging": {"type": "offset", "param": "offset", "limit": 3, "until": {"at": "/more", "is": false}},"#)
    )
    await Self.syncInRuns(console, "--max-requests 1")
    #expect(await Self.ids(console) == (1...12).map(String.init).joined(separator: " "))
    // As many records of one time as a page holds, and more, with an exclusive cursor.
    let tied = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day($0 < 8 ? 1 : 2)) })
    let second = Self.console(tied, Self.file(#""param": "after", "inclusive": false, "order": "ascending""#))
    await Self.syncInRuns(second, "--max-requests 1")
    #expect(await Self.ids(second) == "1 2 3 4 5 6 7 8 9")
  }

  @Test("a limit that is too small for a list without order is reported") func unordered() async throws {
    let api = ChangingAPI((1...9).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(#""param": "since""#))
    let done = await Self.sync(console, "--max-requests 1")
    #expect(
      done.status == 75 && done.err.contains("only at its end") && done.err.contains("--max-requests"), "\(done.err)")
  }

  @Test("a response that has not changed is not sent again, and is not used if the server is down")
  func unchanged() async throws {
    let asked = Mutex<[String]>([]), isDown = Mutex(false)
    let console = Console { request in
      if isDown.withLock({ $0 }) { return HTTPResponse(503, "") }
      let tag = request.headers.first { $0.isCalled("If-None-Match") }?.value
      asked.withLock { $0.append("\(request.url.split(separator: "?").last ?? "") \(tag ?? "-")") }
      let known = request.url.contains("since=") ? "\"b\"" : "\"a\""
      if tag == known { return HTTPResponse(304, "", headers: [HTTPHeader("ETag", known)]) }
      return HTTPResponse(
        200, #"{"data": [{"id": 1, "at": "2024-05-01T00:00:00Z"}], "more": false}"#,
        headers: [HTTPHeader("ETag", known)])
    }
    console.write(Self.file(Self.ascending), to: "x.json")
    for _ in 1...3 { #expect(await Self.sync(console).status == 0) }
    let last = asked.withLock { $0.last ?? "" }
    #expect(last.hasSuffix(" \"b\""), "\(asked.withLock { $0 })")
    #expect(await Self.ids(console) == "1")
    isDown.withLock { $0 = true }
    #expect(await Self.sync(console).status == 69)
  }

  @Test("lookback requests again what is a little older") func lookback() async throws {
    let api = ChangingAPI((1...3).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending + #", "lookback": "1d""#))
    _ = await Self.sync(console)
    _ = api.requests()
    api.put(4, day(2, 5))
    _ = await Self.sync(console)
    #expect(api.requests() == ["items?since=\(day(2))&offset=0"])
    #expect(await Self.ids(console) == "1 2 3 4")
  }

  @Test("each parent has its cursor; one that fails keeps it") func parents() async throws {
    let api = ChangingAPI((1...6).map { ChangingAPI.Record(id: $0, at: day($0), parent: $0 % 2 == 0 ? "a" : "b") })
    let parent = #""parent": {"dataset": "parents", "column": "name", "param": "parent"},"#
    let console = Self.console(api, Self.file(Self.ascending, parent: parent))
    api.fail(["parent=b"])
    let failed = await Self.sync(console)
    #expect(failed.status == 75 && failed.err.contains("1 of the lists failed"), "\(failed.err)")
    #expect(await Self.ids(console) == "2 4 6")
    api.fail([])
    _ = api.requests()
    #expect(await Self.sync(console).status == 0)
    #expect(api.requests() == ["parents", "items?parent=a&since=\(day(6))&offset=0", "items?parent=b&offset=0"])
    #expect(await Self.ids(console) == "1 2 3 4 5 6")
  }

  @Test("only_changed requests the parents that changed") func onlyChanged() async throws {
    let api = ChangingAPI((1...6).map { ChangingAPI.Record(id: $0, at: day($0), parent: $0 % 2 == 0 ? "a" : "b") })
    let parent = #""parent": {"dataset": "parents", "column": "name", "param": "parent"},"#
    let console = Self.console(api, Self.file(Self.ascending + #", "only_changed": true"#, parent: parent))
    let line = "bb-export sync parents items --source \(console.home)/x.json --storage sqlite:\(console.home)/s.db"
    for _ in 1...2 { #expect(await console.run(line).status == 0) }
    api.put(2, day(9), parent: "a")
    _ = api.requests()
    #expect(await console.run(line).status == 0)
    #expect(api.requests() == ["parents", "items?parent=a&since=\(day(6))&offset=0"])
  }

  @Test("deleted records go, by their own word or by comparison") func deletes() async throws {
    let api = ChangingAPI((1...4).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending + #", "deletes": {"at": "/gone"}"#))
    #expect(await Self.sync(console).err.isEmpty)
    api.put(2, day(7), deleted: true)
    #expect(await Self.sync(console).out.hasSuffix("items,0,0,1,1\n"))
    #expect(await Self.ids(console) == "1 3 4")
    let other = Self.console(api, Self.file(Self.ascending + #", "deletes": {"full_every": "7d"}"#))
    _ = await Self.sync(other)
    api.remove(3)
    _ = await Self.sync(other)
    #expect(await Self.ids(other) == "1 2 3 4")
    #expect(await Self.sync(other, "--full").out.hasSuffix("items,0,0,1,3\n"))
  }

  @Test("a changed description is noticed; a range does not move the cursor") func options() async throws {
    let api = ChangingAPI((1...4).map { ChangingAPI.Record(id: $0, at: day($0)) })
    let console = Self.console(api, Self.file(Self.ascending))
    _ = await Self.sync(console, "--until \(day(2))")
    #expect(await Self.ids(console) == "1 2")
    let dry = await Self.sync(console, "--dry-run")
    #expect(dry.out.hasSuffix("items,2,0,0,2\n"), "\(dry.out)\(dry.err)")
    #expect(await Self.ids(console) == "1 2")
    _ = await Self.sync(console)
    _ = api.requests()
    _ = await Self.sync(console, "--since \(day(2))")
    _ = await Self.sync(console)
    #expect(api.requests() == ["items?since=\(day(2))&offset=0", "items?since=\(day(4))&offset=0"])
    console.write(Self.file(Self.ascending, path: "/items?x=1"), to: "x.json")
    let changed = await Self.sync(console)
    #expect(changed.status == 78 && changed.err.contains("--full") && changed.err.contains("--keep-cursor"))
    #expect(await Self.sync(console, "--keep-cursor").status == 0)
    #expect(await Self.sync(console, "--full").out.hasSuffix("items,0,0,0,4\n"))
    let mixed = await Self.sync(console, "--full --since \(day(1))")
    #expect(mixed.status == 64)
  }
}
