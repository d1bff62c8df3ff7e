import Codecs
import Rows
import Testing

@Suite("JSON rows") struct JSONRowStreamTests {
  @Test("an array and lines give the same rows, keys in any order, absent keys null") func forms() async throws {
    let array = "\u{FEFF} [ {\"a\":1,\"b\":\"x\"} ,\n{\"b\":\"y\",\"a\":2},{\"a\" : 3}, {} , {\"b\":null} ]\n"
    let lines = "{\"a\":1,\"b\":\"x\"}\n\n{\"b\":\"y\",\"a\":2}\r\n{\"a\" : 3}\n  \n{}\n {\"b\":null}"
    let expected: [[Value]] = [
      [.number("1"), .text("x")], [.number("2"), .text("y")], [.number("3"), .null], [.null, .null], [.null, .null],
    ]
    for text in [array, lines] {
      let read = try await ReadRows.inferring(text)
      #expect(read.columns == "a integer, b text")
      #expect(read.rows == expected)
    }
  }

  @Test("values of every type are read, unchanged or in canonical form") func types() async throws {
    let text = """
      [{"i":-7,"r":0.10e1,"d":1.10,"b":true,"t":"a\\u0041\\n\\"","x":"AQI=","day":"1966-03","at":"2013-09-29T20:00:00Z",
      "u":"http:\\/\\/x","l":[ "a" , "\\u00e9" ],"n":[1 ,2],"j":{ "k" : [1.10, null ] }},
      {"j":"te\\/xt","i":9223372036854775807,"r":1e22,"d":1e400,"b":false,"t":"","x":"","day":"1958","l":[],"n":[]}]
      """
    let read = try await ReadRows.known(
      text,
      [
        ("i", .integer), ("r", .real), ("d", .decimal), ("b", .boolean), ("t", .text), ("x", .bytes), ("day", .date),
        ("at", .timestamp), ("u", .url), ("l", .list(.text)), ("n", .list(.integer)), ("j", .json),
      ])
    #expect(
      read.rows == [
        [
          .number("-7"), .real(1), .number("1.10"), .boolean(true), .text("aA\n\""), .bytes([1, 2]), .text("1966-03"),
          .text("2013-09-29T20:00:00Z"), .text("http://x"), .json("[\"a\",\"é\"]"), .json("[1,2]"),
          .json("{\"k\":[1.10,null]}"),
        ],
        [
          .number("9223372036854775807"), .number("1e22"), .number("1e400"), .boolean(false), .text(""), .bytes([]),
          .text("1958"), .null, .null, .json("[]"), .json("[]"), .json("\"te/xt\""),
        ],
      ])
  }

  @Test(
    "strings are dates in another form if all of them are",
    arguments: [
      ("05.01.2024", "31.01.2024", "date", "2024-01-31"), ("01/31/2024", "05/06/2024", "date", "2024-05-06"),
      ("05/06/2024", "07/08/2024", "text", "07/08/2024"), ("31.01.2024", "soon", "text", "soon"),
      ("31.01.2024", "2024-01-05", "text", "2024-01-05"), ("2024-1-5", "2024-12-10", "date", "2024-12-10"),
      ("31.01.2024 10:30:00", "01.02.2024 09:00:05", "datetime", "2024-02-01T09:00:05"),
    ])
  func foreignDates(_ first: String, _ second: String, _ type: String, _ value: String) async throws {
    let read = try await ReadRows.inferring("[{\"a\":\"\(first)\"},{\"a\":null},{\"a\":\"\(second)\"}]")
    #expect(read.columns == "a \(type)")
    #expect(read.rows.last == [.text(value)])
  }

  @Test(
    "types are the narrowest that lose nothing",
    arguments: [
      ("1", "-2", "integer"), ("1", "1.5", "decimal"), ("1.5", "1e22", "real"), ("1.10", "1.5", "decimal"),
      ("1e400", "null", "decimal"), ("-0", "1", "decimal"), ("9223372036854775808", "1", "decimal"),
      ("-0.0", "0.1", "real"),
      ("123456789012345678901234567890", "1", "decimal"), ("0.1000000000000000055", "0.5", "decimal"),
      ("1E5", "1.5", "real"),
      ("true", "false", "boolean"), ("true", "1", "json"), ("\"a\"", "null", "text"), ("\"a\"", "1", "json"),
      ("null", "null", "text"),
      ("[]", "[\"a\"]", "list-of-text"), ("[1]", "[]", "list-of-integer"), ("[]", "null", "list-of-text"),
      ("[1]", "[\"a\"]", "json"), ("[1,\"a\"]", "[]", "json"), ("[null]", "[]", "json"), ("[1.5]", "[]", "json"),
      ("[[]]", "[]", "json"), ("{}", "null", "json"), ("[1]", "1", "json"), ("0.0001", "0.00001", "decimal"),
      ("0.30000000000000004", "0.5", "real"), ("1.0", "10000000000000000.0", "decimal"), ("5e-324", "1.5", "real"),
    ])
  func inference(first: String, second: String, type: String) async throws {
    let read = try await ReadRows.inferring("[{\"v\":\(first)},{\"v\":\(second)}]")
    #expect(read.columns == "v \(type)")
    for (row, literal) in zip(read.rows, [first, second]) where literal != "null" {
      switch row[0] {
      case .number(let bytes), .json(let bytes): #expect(bytes == Array(literal.utf8))
      case .text(let bytes): #expect("\"\(String(decoding: bytes, as: UTF8.self))\"" == literal)
      case .boolean(let value): #expect(String(value) == literal)
      default: Issue.record("\(row[0])")
      }
    }
  }

  @Test("a later value, or a later key, widens what the first MiB said") func widening() async throws {
    let filler = (0..<60_000).map { "{\"a\":\($0),\"b\":\"text of a certain length\"}" }.joined(separator: ",\n")
    let read = try await ReadRows.inferring("[\(filler),{\"c\":1,\"a\":0.5},{\"b\":7}]")
    #expect(read.columns == "a decimal, b json, c integer")
    #expect(read.rows.count == 60_002)
    #expect(read.rows[59_999] == [.number("59999"), .json("\"text of a certain length\""), .null])
    #expect(read.rows[60_000] == [.number("0.5"), .null, .number("1")])
    #expect(read.rows[60_001] == [.null, .json("7"), .null])
    let typed = try await ReadRows.inferring("[\(filler),{\"a\":0.5}]", JSONReading(types: ["a": .decimal]))
    #expect(typed.columns == "a decimal, b text")
  }

  @Test("keys that keep appearing restart the reader four times at most") func lateKeys() async throws {
    let filler = Array(repeating: "{\"a\":\"\(String(repeating: "x", count: 990))\"}", count: 1200)
    let records = (0..<8).flatMap { part in filler + ["{\"k\(part)\":\(part)}"] }
    let source = MemoryByteSource(records.joined(separator: "\n"), name: "x")
    var stream: any RowStream = try JSONRowStream.inferring(source, table: "t")
    var restarts = 0
    var read: ReadRows?
    while read == nil {
      do throws(Problem) {
        read = try await ReadRows(stream)
      } catch {
        stream = try #require(try await stream.widened())
        restarts += 1
      }
    }
    #expect(restarts == 4)
    #expect(read?.columns == "a text, " + (0..<8).map { "k\($0) integer" }.joined(separator: ", "))
    #expect(read?.rows.count == records.count)
    #expect(read?.rows.last?.last == .number("7"))
  }

  @Test("given types are used; an unknown column name is reported") func givenTypes() async throws {
    let text = "[{\"when\":\"1966-03\",\"n\":1}]"
    #expect(try await ReadRows.inferring(text, JSONReading(types: ["when": .date])).columns == "when date, n integer")
    await problem("x:1:10: invalid value \"1966-03\" for “when”: expected boolean (record 1)") {
      _ = try await ReadRows.inferring(text, JSONReading(types: ["when": .boolean]))
    }
    await problem("“t” has no column “wen”; did you mean when?") {
      _ = try await ReadRows.inferring(text, JSONReading(types: ["wen": .date]))
    }
  }

  @Test("only the columns that are needed, the rest checked all the same") func projection() async throws {
    let text = "[{\"a\":1,\"b\":[1, 2],\"c\":\"x\\n\"},{\"c\":\"y\",\"z\":0,\"a\":2}]"
    let read = try await ReadRows.inferring(text, JSONReading(columns: ["c", "a", "no"]))
    #expect(read.columns == "a integer, c text")
    #expect(read.rows == [[.number("1"), .text("x\n")], [.number("2"), .text("y")]])
    await problem("x:1:13: number with a leading zero") {
      _ = try await ReadRows.inferring("[{\"a\":1,\"b\":01}]", JSONReading(columns: ["a"]))
    }
  }

  @Test(
    "mistakes say where: line, column, record",
    arguments: [
      ("[{\"a\":1},\n {\"a\":\"x\"}]", "x:2:7: invalid value \"x\" for “a”: expected integer (record 2)"),
      ("{\"a\":1}\n\n {\"a\":1.5}", "x:3:7: invalid value 1.5 for “a”: expected integer (record 2)"),
      ("[{\"a\":1,\"a\":2}]", "x:1:9: duplicate key in record (record 1)"),
      ("[{\"b\":1}]", "x:1:3: unknown key “b” (record 1)"),
      ("[{\"a\":1}", "x:1:9: unexpected end of input; expected a comma or “]” (record 2)"),
      ("[{\"a\":1},]", "x:1:10: expected an object (one record), found “]” (record 2)"),
      ("[{\"a\":1} {\"a\":2}]", "x:1:10: expected a comma or “]”, found “{” (record 2)"),
      ("[{\"a\":1}] x", "x:1:11: unexpected text after the end of the document"),
      ("[{\"a\":1}}", "x:1:9: expected a comma or “]”, found “}” (record 2)"),
      ("[1]", "x:1:2: expected an object (one record), found “1” (record 1)"),
      ("[{\"a\":1},null]", "x:1:10: expected an object (one record), found “n” (record 2)"),
      ("{\"a\":1} {\"a\":2}\n{}", "x:1:9: unexpected text after the record; expected one record per line (record 2)"),
      (
        "{\"a\":1}\n{\"a\":\n2}\n{}",
        "x:2:6: the record continues on the next line; expected one record per line (record 2)"
      ),
      ("[{\"a\":\"\\ud800\"}]", "x:1:8: unpaired surrogate escape (record 1)"),
      ("[{\"a\":{\"k\":1,\"k\":2}}]", "x:1:14: duplicate key in object (record 1)"),
      ("", "x:1:1: the document is empty"),
      ("  \n", "x:2:1: the document is empty"),
      ("17", "x:1:1: expected an array of objects, or one object per line, found another kind of value"),
      (
        "{\"count\":1,\"results\":[{\"a\":1}]}",
        "x:1:1: expected an array of objects, or one object per line, found a single object; the records appear to be at /results; use json.records /results"
      ),
      (
        "{\n\"a\":1}",
        "x:1:1: expected an array of objects, or one object per line, found a single object"
      ),
    ])
  func mistakes(text: String, message: String) async {
    await problem(message) { _ = try await ReadRows.known(text, [("a", .integer)]) }
  }

  @Test("invalid UTF-8 is reported with its byte offset in the document") func invalidUTF8() async {
    let bytes = Array("[{\"a\":\"é\"},\n{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
    let schema = Schema("t", columns: [ColumnDescription("a", .text)])
    await problem("x:2:7: invalid UTF-8 at byte 19 of the document (record 1)") {
      _ = try await ReadRows(JSONRowStream(MemoryByteSource(bytes, name: "x"), schema: schema))
    }
    await problem("x:2:7: invalid UTF-8 at byte 19 of the document") {
      _ = try JSONRowStream.inferring(MemoryByteSource(bytes, name: "x"), table: "t")
    }
  }

  @Test("records inside a document, and what follows them is checked") func pointer() async throws {
    let reading = JSONReading(records: try JSONPointer("/data/1/rows"))
    let head = "{\"n\":[1,{}],\"data\":[[],{\"x\":\"]\",\"rows\": [{\"a\":1},{\"a\":2}]"
    #expect(
      try await ReadRows.inferring(head + ",\"y\":[2]},3],\"m\":{}} ", reading).rows == [
        [.number("1")], [.number("2")],
      ])
    await problem("x:1:66: expected a comma or “}”, found “]”") {
      _ = try await ReadRows.inferring(head + ",\"y\":[2]],3]}", reading)
    }
    await problem("x:1:64: unexpected end of input; expected a comma or “}”") {
      _ = try await ReadRows.inferring(head + ",\"y\":3", reading)
    }
    await problem("x:1:24: expected an array of records at /data/1") {
      _ = try await ReadRows.inferring(head + "}]}", JSONReading(records: try JSONPointer("/data/1")))
    }
    await problem("x:1:9: no value at /rows in the document") {
      _ = try await ReadRows.inferring("{\"n\":{}}", JSONReading(records: try JSONPointer("/rows")))
    }
  }

  @Test("a document without records has no rows") func empty() async throws {
    #expect(try await ReadRows.known("[]", [("a", .integer)]).rows.isEmpty)
    #expect(try await ReadRows.known(" [ ] ", [("a", .integer)]).rows.isEmpty)
    #expect(try await ReadRows.known("", [("a", .integer)], JSONReading(form: .lines)).rows.isEmpty)
    #expect(try await ReadRows.known("\n\n", [("a", .integer)], JSONReading(form: .lines)).rows.isEmpty)
    #expect(try await ReadRows.known("{\"a\":1}", [("a", .integer)], JSONReading(form: .lines)).rows.count == 1)
  }

  private func problem(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("no problem", sourceLocation: sourceLocation)
    } catch {
      #expect("\(error)".hasPrefix(description), sourceLocation: sourceLocation)
    }
  }
}
