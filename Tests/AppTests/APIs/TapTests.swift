import Codecs
import Conformance
import TestSupport
import Testing

@Suite("bb-export tap") struct TapTests {
  private static func messages(_ text: String) throws -> [JSON] {
    try text.split(separator: "\n").map { try JSON.parse(Array($0.utf8), name: "message") }
  }

  @Test("every stream: its schema, its records, a state that counts all so far") func streams() throws {
    let server = try LiveTests.server(), shell = Shell()
    let done = shell.run("bb-export tap --api \(server.url)/api -q")
    let messages = try Self.messages(done.out)
    #expect(done.status == 0 && done.err == "")
    let kinds = messages.map { "\($0["type"]?.stringValue ?? "") \($0["stream"]?.stringValue ?? "")" }
    #expect(
      kinds == [
        "SCHEMA characters", "RECORD characters", "STATE ", "SCHEMA episodes", "RECORD episodes", "RECORD episodes",
        "STATE ", "SCHEMA quotes", "RECORD quotes", "RECORD quotes", "RECORD quotes", "STATE ", "SCHEMA deaths",
        "STATE ",
      ])
    #expect(
      messages.last?["value"]?["bb_export"]
        == .object([
          "records": .object([
            "characters": .number(1), "episodes": .number(2), "quotes": .number(3), "deaths": .number(0),
          ])
        ]))
    for record in messages where record["type"] == .string("RECORD") {
      let schema = try #require(messages.first { $0["type"] == .string("SCHEMA") && $0["stream"] == record["stream"] })
      let known = schema["schema"]?["properties"]?.objectMembers?.map(\.name)
      #expect(record["record"]?.objectMembers?.map(\.name) == known)
    }
  }
  @Test("its own catalogue chooses everything; a runner's choice of streams and columns is kept, keys stay")
  func catalogue() throws {
    let server = try LiveTests.server(), shell = Shell()
    let discovered = shell.run("bb-export tap --discover --api \(server.url)/api")
    #expect(discovered.status == 0 && server.requests.isEmpty)
    shell.write("all.json", discovered.out)
    let line = "bb-export tap -q --api \(server.url)/api --max-age 1000"
    #expect(shell.run("\(line) --catalog all.json").out == shell.run(line).out)
    shell.write(
      "some.json",
      #"""
      {"streams": [
        {"tap_stream_id": "episodes", "metadata": [
          {"breadcrumb": [], "metadata": {"selected": true}},
          {"breadcrumb": ["properties", "season"], "metadata": {"selected": false, "inclusion": "automatic"}},
          {"breadcrumb": ["properties", "episode"], "metadata": {"selected": false}},
          {"breadcrumb": ["properties", "synopsis"], "metadata": {"selected-by-default": false}}]},
        {"tap_stream_id": "quotes", "metadata": [{"breadcrumb": [], "metadata": {"selected": false, "selected-by-default": true}}]},
        {"stream": "deaths", "schema": {}}]}
      """#)
    let some = try Self.messages(shell.run("\(line) --catalog some.json").out)
    #expect(some.count == 4 && some[0]["stream"] == .string("episodes"))
    let columns = try #require(some[1]["record"]?.objectMembers?.map(\.name))
    #expect(columns.prefix(3) == ["production", "season", "episode"] && !columns.contains("synopsis"))
  }
  @Test("settings come from a file; a state is accepted") func settings() throws {
    let server = try LiveTests.server(), shell = Shell()
    shell.write(
      "c.json",
      #"{"source": "breaking-bad", "api_url": "\#(server.url)/api", "datasets": ["deaths"], "start_date": "x"}"#)
    shell.write("s.json", #"{"bookmarks": {}}"#)
    let done = shell.run("bb-export tap --config c.json --state s.json")
    #expect(try Self.messages(done.out).count == 2 && done.err == "")
  }
  @Test(
    "a problem of a file is reported with its name",
    arguments: [
      ("--config x.json", #"{"sorce": "x"}"#, 78, "unknown setting “sorce”\nhint: did you mean source?"),
      ("--config x.json", #"{"datasets": [1]}"#, 78, "x.json: /datasets: expected an array of strings, found an array"),
      ("--config x.json", "{", 78, "x.json:1:2"), ("--config x.json", "[]", 78, "expected an object"),
      ("--config x.json", #"{"source": "snapshot", "datasets": ["quots"]}"#, 66, "has no dataset quots"),
      ("--catalog x.json", "{}", 78, "not a Singer catalog"), ("--state x.json", "7", 78, "not a Singer state"),
      ("--config x.json --source snapshot", "{}", 64, "conflicts with --config"), ("--config y.json", "", 66, "y.json"),
    ])
  func wrong(options: String, file: String, status: Int32, complaint: String) throws {
    let shell = Shell()
    shell.write("x.json", file)
    let done = shell.run("bb-export tap \(options)")
    #expect(done.status == status && done.err.contains(complaint) && done.out == "", "\(done.err)")
  }
}
