import Codecs
import Rows
import Testing

@Suite("JSON documents") struct JSONTests {
  @Test(
    "a document that is wrong says where and why",
    arguments: [
      ("", "x:1:1: the document is empty"),
      ("\u{FEFF} \n ", "x:2:2: the document is empty"),
      ("[1,]", "x:1:4: expected a value, found “]”"),
      ("{\"a\":1,}", "x:1:8: expected a double-quoted key, found “}”"),
      ("[1\n 2]", "x:2:2: expected a comma or “]”, found “2”"),
      ("{\"a\" 1}", "x:1:6: expected a colon after the key, found “1”"),
      ("[01]", "x:1:2: number with a leading zero"),
      ("[-]", "x:1:2: invalid number"),
      ("[1.]", "x:1:2: invalid number"),
      ("{'a':1}", "x:1:2: expected a double-quoted key; strings must be in double quotes"),
      ("[\"a\nb\"]", "x:1:4: line break in a string; a closing quote may be missing"),
      ("[\"\\x\"]", "x:1:3: invalid escape sequence"),
      ("[\"\\u12\"]", "x:1:3: expected four hexadecimal digits after \\u"),
      ("[\"\\ud834\"]", "x:1:3: unpaired surrogate escape"),
      ("[\"\\ud834\\u0041\"]", "x:1:3: unpaired surrogate escape"),
      ("[\"\\udd1e\"]", "x:1:3: unpaired surrogate escape"),
      ("{\"a\":1,\n\"\\u0061\":2}", "x:2:1: duplicate key in object"),
      ("[1", "x:1:3: unexpected end of input; expected a comma or “]”"),
      ("\"abc", "x:1:5: unterminated string, or NUL character in a string"),
      ("1 2", "x:1:3: unexpected text after the end of the document"),
      ("nul", "x:1:1: expected a value, found “n”"),
    ])
  func faults(text: String, message: String) {
    #expect(throws: Problem.self) { try JSON.parse(Array(text.utf8), name: "x") }
    #expect(problem(text)?.description == message)
  }

  @Test("invalid UTF-8 is reported with its byte offset") func invalidUTF8() {
    let bytes = Array("[\"é".utf8) + [0xC3, 0x28] + Array("\"]".utf8)
    do {
      _ = try JSON.parse(bytes, name: "x")
      Issue.record("accepted")
    } catch {
      #expect(error.description == "x:1:5: invalid UTF-8 at byte 4 of the document")
      #expect(error.kind == .badData)
    }
  }

  @Test("nesting ends at 128, and a hundred thousand brackets are only a mistake") func depth() throws {
    func nested(_ depth: Int) -> [UInt8] { Array(String(repeating: "[", count: depth).utf8) }
    let deepest = nested(128) + Array(String(repeating: "]", count: 128).utf8)
    #expect(try JSON.parse(deepest, name: "x").canonicalBytes == deepest)
    do {
      _ = try JSON.parse(nested(100_000), name: "x")
      Issue.record("accepted")
    } catch {
      #expect(error.description == "x:1:129: nested more than 128 levels deep")
    }
  }

  @Test(
    "canonical text has no white space and the shortest escapes, and keeps the literal of numbers",
    arguments: [
      (" { \"b\" : [ 1 , 1.10 , -0 , 1E400 ] , \"a\" : null } ", "{\"b\":[1,1.10,-0,1E400],\"a\":null}"),
      ("\"\\u0041\\/\\u000a\\u0000\\u001F\\ud83d\\ude00\\\"\\\\\"", "\"A/\\n\\u0000\\u001f😀\\\"\\\\\""),
      ("[ ]", "[]"), ("{ }", "{}"), ("\u{FEFF}true", "true"), ("[\"\u{2028} \\u2028\"]", "[\"\u{2028} \u{2028}\"]"),
      ("[[],{},\"\",false]", "[[],{},\"\",false]"),
    ])
  func canonical(text: String, expected: String) throws {
    let bytes = try JSON.parse(Array(text.utf8), name: "x").canonicalBytes
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    #expect(try JSON.parse(bytes, name: "x").canonicalBytes == bytes)
  }

  @Test("keys are compared as bytes, and an object of many keys stays fast") func keys() throws {
    let twins = try JSON.parse(Array("{\"é\":1,\"e\u{301}\":2}".utf8), name: "x")
    #expect(twins["é"] == .number(1))
    #expect(twins["e\u{301}"] == .number(2))
    let many = "{" + (0..<50_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try JSON.parse(Array((many + "}").utf8), name: "x").objectMembers?.count == 50_000)
    #expect(problem(many + ",\"k17\":0}")?.message == "duplicate key in object")
    #expect(try JSON.parse(Array("{\"a\":1,\"a\":2}".utf8), name: "x", duplicateKeys: .kept)["a"] == .number(1))
    #expect(try JSON.parse(Array("[{\"a\":1},{\"a\":{\"a\":2}}]".utf8), name: "x")[1]?["a"]?["a"] == .number(2))
  }

  @Test("pointers as in RFC 6901") func pointers() throws {
    let text = "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"m~n\":8,\" \":7}"
    let document = try JSON.parse(Array(text.utf8), name: "x")
    #expect(document.value(at: "") == document)
    #expect(document.value(at: "/foo/0")?.stringValue == "bar")
    #expect(document.value(at: "/")?.integerValue == 0)
    #expect(document.value(at: "/a~1b")?.integerValue == 1)
    #expect(document.value(at: "/c%d")?.integerValue == 2)
    #expect(document.value(at: "/m~0n")?.integerValue == 8)
    #expect(document.value(at: "/ ")?.integerValue == 7)
    for absent in ["/foo/2", "/foo/01", "/foo/-", "/foo/bar", "/no", "foo", "/m~n"] {
      #expect(document.value(at: absent) == nil, "\(absent)")
    }
    #expect(throws: Problem.self) { try JSONPointer("foo") }
    #expect(throws: Problem.self) { try JSONPointer("/a~2") }
    #expect(try JSONPointer("/m~0n/a~1b/0").description == "/m~0n/a~1b/0")
  }

  @Test("values read as what they are and as nothing else") func values() throws {
    let values = try JSON.parse(Array("[9223372036854775807,9223372036854775808,1.5,1e400,true,\"x\"]".utf8), name: "x")
    #expect(values[0]?.integerValue == .max)
    #expect(values[1]?.integerValue == nil)
    #expect(values[1]?.realValue == 9223372036854775808)
    #expect(values[2]?.realValue == 1.5)
    #expect(values[2]?.integerValue == nil)
    #expect(values[3]?.realValue == nil)
    #expect(values[3]?.numberLiteral == Array("1e400".utf8))
    #expect(values[4]?.booleanValue == true)
    #expect(values[5]?.stringValue == "x")
    #expect(values[6] == nil)
  }

  private func problem(_ text: String) -> Problem? {
    do {
      _ = try JSON.parse(Array(text.utf8), name: "x")
      return nil
    } catch {
      return error
    }
  }
}
