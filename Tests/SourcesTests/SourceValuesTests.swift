import Rows
import Testing

@Suite("values of version 2") struct SourceValuesTests {
  private static func value(_ json: String, _ column: String) async throws -> String {
    try await outcome("", #"{"name": "v", \#(column)}"#, ["/t": #"[{"v": \#(json)}]"#]).rows.joined()
  }

  @Test(
    "dates and times in patterns",
    arguments: [
      (#""31.12.2024 23:05""#, #""formats": ["dd.MM.yyyy HH:mm"], "zone": "UTC""#, "2024-12-31T23:05:00Z"),
      (
        #""1. März 2024, 9:05""#, #""formats": ["d. MMMM yyyy, H:mm"], "zone": "+01:00", "language": "de""#,
        "2024-03-01T08:05:00Z"
      ),
      (#""Fri, 05 Jan 2024 10:20:30 +0200""#, #""formats": ["EEE, dd MMM yyyy HH:mm:ss XXX"]"#, "2024-01-05T08:20:30Z"),
      (#""2024-07-01 12:00""#, #""formats": ["yyyy-MM-dd HH:mm"], "zone": "+02:00""#, "2024-07-01T10:00:00Z"),
      (#""5/6/24 12:30 AM""#, #""formats": ["M/d/yy hh:mm a"], "zone": "UTC""#, "2024-05-06T00:30:00Z"),
      (
        #""2024-05-01T10:20:30.125""#, #""formats": ["yyyy-MM-dd'T'HH:mm:ss.SSS"], "zone": "UTC""#,
        "2024-05-01T10:20:30.125Z"
      ),
      ("1714557600125", #""formats": ["epoch-ms"]"#, "2024-05-01T10:00:00.125Z"),
      ("1714557600000", #""formats": ["epoch-ms"]"#, "2024-05-01T10:00:00Z"),
      ("1714557600000001", #""formats": ["epoch-us"]"#, "2024-05-01T10:00:00.000001Z"),
      ("[2024, 5, 1, 7]", #""formats": ["parts"]"#, "2024-05-01T07:00:00Z"),
    ])
  func times(json: String, column: String, time: String) async throws {
    #expect(try await Self.value(json, #""type": "timestamp", \#(column)"#) == time)
  }
  @Test("dates as far as they are known") func dates() async throws {
    #expect(try await Self.value("[[2024, 5]]", #""type": "date", "formats": ["parts"]"#) == "2024-05")
    #expect(try await Self.value(#""05/2024""#, #""type": "date", "formats": ["MM/yyyy"]"#) == "2024-05")
    #expect(
      try await Self.value(#""2024/05/01""#, #""type": "date", "formats": ["yyyy", "yyyy/MM/dd"]"#) == "2024-05-01")
  }
  @Test("numbers and Booleans in other spellings, and what does not fit") func spellings() async throws {
    #expect(try await Self.value(#""1,358""#, #""type": "integer", "formats": ["1,234.5"]"#) == "1358")
    #expect(try await Self.value(#""-1.234.567,80""#, #""type": "decimal", "formats": ["1.234,5"]"#) == "-1234567.80")
    #expect(try await Self.value(#""1 234,5""#, #""type": "real", "formats": ["1 234,5"]"#) == "1234.5")
    #expect(try await Self.value(#""Y""#, #""type": "boolean", "formats": ["Y/N"]"#) == "true")
    #expect(try await Self.value("0", #""type": "boolean", "formats": ["1/0"]"#) == "false")
    #expect(
      try await Self.value("false", #""type": "timestamp", "formats": ["epoch-seconds"], "null": [false]"#) == "null")
    #expect(try await Self.value("-1.0", #""type": "integer", "null": [-1]"#) == "null")
    for text in [#""12,34""#, #""1,2345""#, #"",1""#] {
      await #expect(throws: Problem.self) { try await Self.value(text, #""type": "decimal", "formats": ["1,234.5"]"#) }
    }
  }
  @Test("misfits become null or skip the record, with a warning") func misfits() async throws {
    let records = ["/t": #"[{"v": "1"}, {"v": "x"}, {"v": "3"}]"#]
    let null = try await outcome("", #"{"name": "v", "type": "integer", "on_error": "null"}"#, records)
    #expect(null.rows == ["1", "null", "3"] && null.warnings == ["t: replaced 1 invalid value of v with null: “x”"])
    let skip = try await outcome("", #"{"name": "v", "type": "integer", "on_error": "skip"}"#, records)
    #expect(skip.rows == ["1", "3"] && skip.warnings == ["t: skipped 1 record with an invalid value of v: “x”"])
  }
  @Test("steps") func steps() async throws {
    #expect(
      try await Self.value(
        #"[{"n": "a"}, {"n": null}, {"n": "b"}]"#, #""type": "list-of-text", "steps": [{"each": "/n"}]"#)
        == #"["a","b"]"#)
    #expect(try await Self.value(#"[{"n": "a"}, {"n": 2}]"#, #""steps": [{"each": "/n"}, {"join": "; "}]"#) == "a; 2")
    #expect(
      try await Self.value(
        #""<p>A <b>bold</b>\n &amp; caf&eacute; <br/>line</p><!-- x -->""#, #""steps": ["strip-html"]"#)
        == "A bold & café\nline")
    #expect(try await Self.value("1050", #""type": "decimal", "steps": [{"scale": -2}]"#) == "10.50")
    #expect(try await Self.value(#""5""#, #""type": "decimal", "steps": [{"scale": -3}]"#) == "0.005")
    #expect(try await Self.value(#""a""#, #""steps": [{"suffix": "!"}]"#) == "a!")
  }
}
