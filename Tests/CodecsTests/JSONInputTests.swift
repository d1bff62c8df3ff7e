import Dialects
import Rows
import Testing

/// JSON as people write it.
@Suite struct JSONInputTests {
  @Test(
    "JSON as people write it",
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n", "", nil), ("[{\"a\":1},\n{\"b\":[{}]}]", "", nil),
      ("{\n\"a\":1}\n{\n\"a\":2}\n", "several documents", "[{\n\"a\":1}\n,{\n\"a\":2}\n]"),
      ("[] [{\"a\":1}]\n[]\u{1E}[{\"a\":2},{}]", "several documents", "[    {\"a\":1} \n    ,{\"a\":2},{} ]"),
      ("{\"a\":1,\n\"b\":[]} ", "one object as one record", "[{\"a\":1\n,\"b\":[]} ]"),
      ("// c\n{\"a\":1}", "one object as one record, comments", "[    \n{\"a\":1}]"),
      ("{\"a\":[{}],\"b\":[{}]}", "", nil), ("[]", "", nil), ("1", "", nil), ("{\"a\":[", "", nil),
      ("[{\"a\":1,},\n]", "trailing commas", "[{\"a\":1}\n]"),
      ("{\"n\":[1],\"x\":{\"r\":[{\"a\":[{}]}]}}", "records at /x/r", nil),
      ("{\"a\":1} ", "one object as one record", "[{\"a\":1} ]"),
      ("// c\n[{\"a//\":1 /* [\n */}] # x", "comments", "    \n[{\"a//\":1     \n   }]    "),
    ] as [(String, String, String?)])
  func json(_ text: String, _ found: String, _ wanted: String?) throws {
    for portion in [1, 1000] {
      let bytes = Array(text.utf8)
      let input = try JSONInput(
        Portions(bytes, portion), sample: bytes, isWhole: true, findsRecords: true, repairs: false)
      #expect(input.warnings.map(\.message) == (found.isEmpty ? [] : ["t.csv: read with \(found)"]))
      var result: [UInt8] = []
      try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
      #expect(String(decoding: result, as: UTF8.self) == wanted ?? text)
    }
  }

  @Test("JSON with quotes or constants of other languages needs repair") func jsonRepair() throws {
    let bytes = Array("[\n{'a\"':NaN,b:'it\\'s',\"c\":None,\"d\":True,\"e\":-1.5e3}]".utf8)
    let refused = #expect(throws: Problem.self) {
      try JSONInput(
        MemoryByteSource(bytes, name: "t.json"), sample: bytes, isWhole: true, findsRecords: true, repairs: false)
    }
    #expect(refused?.place == "t.json:2")
    let input = try JSONInput(
      MemoryByteSource(bytes, name: "t.json"), sample: bytes, isWhole: true, findsRecords: true, repairs: true)
    var result: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
    #expect(
      String(decoding: result, as: UTF8.self)
        == "[\n{\"a\\\"\":null,\"b\":\"it's\",\"c\":null,\"d\":true,\"e\":-1.5e3}]")
  }

  @Test("JSON that needs repair after the sample is refused, or reported at the end") func lateJSON() throws {
    let bytes = Array("// c\n[{\"a\":1},\n{\"a\":NaN}]".utf8), head = Array(bytes.prefix(12))
    func text(_ repairs: Bool) throws -> [String] {
      let input = try JSONInput(
        Portions(bytes, 5), sample: head, isWhole: false, findsRecords: true, repairs: repairs)
      try input.source.forEachPiece { _ in }
      return (input.warnings + input.source.notes).map(\.message)
    }
    #expect(throws: Problem.self) { try text(false) }
    #expect(try text(true) == ["t.csv: read with comments", "t.csv: read with constants such as NaN as null"])
  }

  @Test("an object that is longer than the sample is one record") func longObject() throws {
    let bytes = Array("\u{FEFF}{\n\"a\": [\n1,\n2]\n}\n".utf8)
    let input = try JSONInput(
      Portions(bytes, 4), sample: Array(bytes.prefix(14)), isWhole: false, findsRecords: true, repairs: false)
    #expect(input.isJoined)
    #expect(input.warnings.map(\.message) == ["t.csv: read with one object as one record"])
    var result: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
    #expect(String(decoding: result, as: UTF8.self) == "[{\n\"a\": [\n1\n,2]\n}\n]")
    // The first of many in lines, perhaps.
    let line = try JSONInput(
      Portions(bytes, 4), sample: Array("\n{\"a\":".utf8), isWhole: false, findsRecords: true, repairs: false)
    #expect(!line.isJoined)
  }

  @Test("a word without an end is not collected") func endlessWord() throws {
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
    let input = try JSONInput(
      Portions(bytes, 4096), sample: Array(bytes.prefix(9)), isWhole: false, findsRecords: true, repairs: true)
    var text = ArenaBuilder()
    #expect(try input.source.read(into: &text, limit: bytes.count) < 200_000)
  }
}
