import Domain
import Synchronization
import TestSupport
import Testing

/// An API whose records change: 25 people with an image.
@Suite("an API that changes its records") struct DriftTests {
  private final class Server: Sendable {
    /// The members of a record in addition to its id.
    let members = Mutex<@Sendable (Int) -> String>({ _ in "" })

    func set(_ members: @escaping @Sendable (Int) -> String) { self.members.withLock { $0 = members } }
    func respond(_ request: HTTPRequest) -> HTTPResponse {
      let members = members.withLock { $0 }
      let records = (1...25).map { #"{"id": \#($0)\#(members($0))}"# }
      return HTTPResponse(200, "[\(records.joined(separator: ","))]")
    }
  }

  private static func source(_ columns: String, _ more: String = "") -> String {
    """
    {"bb_source": 2, "name": "people", "base_url": "http://api.test",
     "datasets": [{"name": "people", "path": "/people", "key": ["id"]\(more),
       "columns": [{"name": "id", "type": "integer"}, \(columns)]}]}
    """
  }

  private func synced(_ columns: String, _ members: @escaping @Sendable (Int) -> String) async -> (Console, Server) {
    let server = Server(), console = Console { server.respond($0) }
    console.write(Self.source(columns), to: "people.json")
    server.set(members)
    let first = await sync(console)
    #expect(first.status == 0 && first.err == "", "\(first.err)")
    return (console, server)
  }
  private func sync(_ console: Console, _ more: String = "") async -> Shell.Outcome {
    await console.run(
      "bb-export sync --source \(console.home)/people.json --storage sqlite:\(console.home)/s.db --refresh -f csv \(more)"
    )
  }
  private func stored(_ console: Console, _ selection: String) async -> String {
    await console.run("bb-export people --storage sqlite:\(console.home)/s.db -f csv \(selection)").out
  }

  @Test("sync refuses to replace stored values with null, and names the member that has them now")
  func vanished() async throws {
    // The new name has nothing in common with the old one, but the values have.
    let (console, server) = await synced(#"{"name": "image"}, {"name": "mail"}"#) { id in
      #", "image": "http://x/\#(id)", "mail": "m\#(id)""#
    }
    server.set { id in #", "portrait": "http://x/\#(id)", "mail": "m\#(id)", "rank": \#(id)"# }
    let refused = await sync(console)
    #expect(
      refused.status == 65
        && refused.err.contains("people: refusing to replace 25 stored values of image with null: no record has /image")
        && refused.err.contains("renamed it to /portrait") && refused.err.contains("--accept-drift"), "\(refused.err)")
    #expect(await stored(console, "--where 'image is not null' --count").hasSuffix("25\n"))
    let accepted = await sync(console, "--accept-drift")
    #expect(accepted.status == 0, "\(accepted.err)")
    #expect(await stored(console, "--where 'image is not null' --count").hasSuffix("\n0\n"))
  }

  @Test("a member that was never filled, or is optional, may be absent") func absent() async throws {
    let (console, server) = await synced(#"{"name": "image"}, {"name": "note", "optional": true}"#) { _ in
      #", "image": null, "note": "n""#
    }
    server.set { _ in "" }
    let done = await sync(console)
    #expect(done.status == 0 && done.err.contains("no record has /image"), "\(done.err)")
  }

  @Test("sync refuses to replace a fifth of a column with null, with the count and the first keys")
  func nulled() async throws {
    let (console, server) = await synced(
      #"{"name": "status"}, {"name": "few"}, {"name": "note", "optional": true}"#
    ) { id in #", "status": "s", "few": "f", "note": "n""# }
    server.set { id in
      #", "status": \#(id <= 5 ? "null" : #""s""#), "few": \#(id <= 4 ? "null" : #""f""#), "note": null"#
    }
    let refused = await sync(console)
    #expect(
      refused.status == 65
        && refused.err.contains(
          "people: refusing to replace 5 of 25 stored values of status with null, for example of 1; 2; 3")
        && refused.err.contains("--accept-drift") && !refused.err.contains("of few"), "\(refused.err)")
    #expect(await stored(console, "--where 'note is not null' --count").hasSuffix("25\n"))
    #expect(await sync(console, "--accept-drift").status == 0)
    #expect(await stored(console, "--where 'status is null' --count").hasSuffix("\n5\n"))
    // Few cleared values are a normal change.
    server.set { id in
      #", "status": \#(id <= 8 ? "null" : #""s""#), "few": \#(id <= 8 ? "null" : #""f""#)"#
    }
    let done = await sync(console)
    #expect(done.status == 0, "\(done.err)")
  }

  @Test("an incremental sync refuses 20 nulls that are half of the values it compares", arguments: [19, 20])
  func nulledStep(count: Int) async throws {
    let server = Server(), console = Console { server.respond($0) }
    console.write(
      Self.source(
        #"{"name": "image"}, {"name": "at", "type": "integer"}"#,
        #", "incremental": {"column": "at", "param": "since", "order": "ascending"}"#),
      to: "people.json")
    server.set { id in #", "image": "i\#(id)", "at": \#(id)"# }
    #expect(await sync(console).status == 0)
    server.set { id in #", "image": \#(id <= count ? "null" : #""x""#), "at": \#(id + 100)"# }
    let done = await sync(console)
    #expect(
      count == 19
        ? done.status == 0 : done.status == 65 && done.err.contains("replace 20 of 25 stored values of image"),
      "\(done.err)")
  }

  @Test("values of another kind than those stored are reported") func retyped() async throws {
    let (console, server) = await synced(#"{"name": "code"}, {"name": "more", "type": "json"}"#) { id in
      #", "code": "c\#(id)", "more": {"a": 1}"#
    }
    server.set { id in #", "code": \#(id), "more": [1]"# }
    let done = await sync(console)
    #expect(
      done.status == 0 && done.err.contains("values of /code are number, stored as text")
        && done.err.contains("values of /more are array, stored as object"), "\(done.err)")
    #expect(await sync(console).err == "")
  }

  @Test("check lists values that do not fit, and the known format that they have") func check() async throws {
    let server = Server(), console = Console { server.respond($0) }
    console.write(
      Self.source(#"{"name": "born", "type": "date", "formats": ["dd.MM.yyyy"], "on_error": "null"}"#),
      to: "people.json")
    server.set { id in
      let date = id < 5 ? "2024/05/0\(id)" : "01.05.2024"
      return ", \"born\": \"\(date)\""
    }
    let path = console.home + "/people.json"
    let read = await console.run("bb-export people --source \(path) -f csv")
    #expect(
      read.status == 0 && read.err.contains("values of born are in the format yyyy/MM/dd, for example "), "\(read.err)")
    let done = await console.run(
      "bb-export check people --source \(path) --where 'check ~ format OR check ~ retyped' --columns check,column,value,count -f csv"
    )
    #expect(
      done.out == """
        check,column,value,count
        member-retyped,born,/born,4
        format-new,born,/born,4

        """, "\(done.out)\(done.err)")
    #expect(await console.run("bb-export people --source \(path) --strict").status == 65)
  }

  @Test("check lists a list that ends too early") func short() async throws {
    let console = Console { _ in HTTPResponse(200, #"{"data": [{"id": 1, "a": 2}], "has_more": true}"#) }
    let path = console.write(Self.source(#"{"name": "a"}"#, #", "records": "/data""#), to: "people.json")
    let done = await console.run("bb-export check people --source \(path) --columns check,value,count -f csv")
    #expect(done.out.contains("count-short,/has_more is true,1"), "\(done.out)\(done.err)")
  }

  @Test("an incremental sync refuses the same, before it writes") func incremental() async throws {
    let server = Server(), console = Console { server.respond($0) }
    console.write(
      Self.source(
        #"{"name": "image"}, {"name": "at", "type": "integer"}"#,
        #", "incremental": {"column": "at", "param": "since", "order": "ascending", "deletes": {"full_every": "52w"}}"#),
      to: "people.json")
    server.set { id in #", "image": "i\#(id)", "at": \#(id)"# }
    #expect(await sync(console, "--full").status == 0)
    server.set { id in #", "photo": "i\#(id)", "at": \#(id + 100)"# }
    let refused = await sync(console)
    #expect(
      refused.status == 65 && refused.err.contains("refusing to replace 25 stored values of image"), "\(refused.err)")
    #expect(await stored(console, "--where 'image is not null' --count").hasSuffix("25\n"))
    #expect(await sync(console, "--accept-drift").status == 0)
    #expect(await stored(console, "--where 'image is not null' --count").hasSuffix("\n0\n"))
  }
}
