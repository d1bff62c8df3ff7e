import Codecs
import Conformance
import Rows
import Testing

@Suite("Writing JSON") struct JSONWriterTests {
  private func write(
    _ columns: [(String, ColumnType)], _ rows: [[Value]], _ framing: JSONWriter.Framing,
    nonfinite: NonfinitePolicy = .error
  ) throws -> String {
    let schema = Schema("t", columns: columns.map { ColumnDescription($0.0, $0.1) })
    let writer = JSONWriter(schema, framing: framing, nonfinite: nonfinite)
    var out = ByteBuffer(capacity: 16)
    writer.begin(&out)
    for (position, batch) in SampleTable("", schema, rows).batches(of: 2).enumerated() {
      if position > 0 { out.append(writer.separator) }
      try writer.write(batch, &out)
    }
    writer.finish(isEmpty: rows.isEmpty, &out)
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test("an array has one record per line") func array() throws {
    let rows: [[Value]] = [[.integer(1), .null], [.integer(2), .text("b")], [.null, .json(Array("[1,\"x\"]".utf8))]]
    let text = try write([("id", .integer), ("a\"b", .json)], rows, .array)
    #expect(
      text == "[\n{\"id\":1,\"a\\\"b\":null},\n{\"id\":2,\"a\\\"b\":\"b\"},\n{\"id\":null,\"a\\\"b\":[1,\"x\"]}\n]\n")
    #expect(try write([("id", .integer)], [], .array) == "[]\n")
  }

  @Test("lines") func lines() throws {
    let rows: [[Value]] = [[.real(1e22)], [.number(Array("1.10".utf8))], [.boolean(false)], [.bytes([0, 255])]]
    #expect(try write([("v", .json)], rows, .lines) == "{\"v\":1e22}\n{\"v\":1.10}\n{\"v\":false}\n{\"v\":\"AP8=\"}\n")
    #expect(try write([("v", .json)], [], .lines) == "")
  }

  @Test("escapes at every place of a register") func escapes() throws {
    for byte in (0...0x7F).map({ UInt8($0) }) {
      for place in [0, 1, 14, 15, 16, 17, 31, 32] {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 33)
        bytes[place] = byte
        let escaped =
          switch byte {
          case 0x22: "\\\""
          case 0x5C: "\\\\"
          case 0x08: "\\b"
          case 0x09: "\\t"
          case 0x0A: "\\n"
          case 0x0C: "\\f"
          case 0x0D: "\\r"
          case ..<0x10: "\\u000" + String(byte, radix: 16)
          case ..<0x20: "\\u00" + String(byte, radix: 16)
          default: String(UnicodeScalar(byte))
          }
        let expected = String(repeating: "x", count: place) + escaped + String(repeating: "x", count: 32 - place)
        #expect(try write([("v", .text)], [[.text(bytes)]], .lines) == "{\"v\":\"\(expected)\"}\n")
      }
    }
  }

  @Test("what is not finite") func nonfinite() throws {
    let rows: [[Value]] = [[.real(.nan)], [.real(-.infinity)]]
    #expect(try write([("v", .real)], rows, .lines, nonfinite: .null) == "{\"v\":null}\n{\"v\":null}\n")
    #expect(try write([("v", .real)], rows, .lines, nonfinite: .string) == "{\"v\":\"NaN\"}\n{\"v\":\"-Infinity\"}\n")
    #expect(throws: Problem.self) { try write([("v", .real)], rows, .lines) }
  }
}
