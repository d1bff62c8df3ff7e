import Conformance
import Documents
import Rows
import Testing

@Suite("Writing vCards") struct VCardWriterTests {
  private let schema = Schema(
    "actors",
    columns: [
      ColumnDescription("id", .text), ColumnDescription("name", .text), ColumnDescription("birth_date", .date),
      ColumnDescription("aliases", .list(.text)), ColumnDescription("website", .url),
      ColumnDescription("description", .text),
      ColumnDescription("sort key", .integer),
    ])

  private func cards(_ rows: [[Value]]) throws -> String {
    let writer = try VCardWriter(schema)
    var out = ByteBuffer(capacity: 16)
    for batch in SampleTable("", schema, rows).batches(of: 10) { _ = try writer.write(batch, &out) }
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test("a card") func card() throws {
    let row: [Value] = [
      .text("a1"), .text("Bryan, \"B;C\" \\x"), .text("1956-03-07"), .json(Array(#"["Heisenberg","W,W"]"#.utf8)),
      .text("https://e.org/?a=1,2;3"), .text("two\nlines\0"), .integer(7),
    ]
    #expect(
      try cards([row]) == """
        BEGIN:VCARD\r
        VERSION:4.0\r
        FN:Bryan\\, "B\\;C" \\\\x\r
        UID:a1\r
        BDAY:19560307\r
        NICKNAME:Heisenberg\r
        NICKNAME:W\\,W\r
        URL:https://e.org/?a=1,2;3\r
        NOTE:two\\nlines\u{FFFD}\r
        X-BB-SORT-KEY:7\r
        END:VCARD\r

        """)
  }

  @Test("nulls are omitted, partial dates keep their hyphen, script URLs are not written as URL") func absent() throws {
    let row: [Value] = [.null, .text("X"), .text("1966-03"), .null, .text("javascript:x\ny"), .null, .null]
    #expect(
      try cards([row])
        == "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:X\r\nBDAY:1966-03\r\nX-BB-URL:javascript:x\\ny\r\nEND:VCARD\r\n")
  }

  @Test("long lines are folded between characters") func folding() throws {
    let note = String(repeating: "漢字", count: 100)
    let text = try cards([[.null, .text("X"), .null, .null, .null, .text(note), .null]])
    for line in text.split(separator: "\r\n") { #expect(line.utf8.count <= 75) }
    #expect(text.replacing("\r\n ", with: "").contains("NOTE:\(note)\r\n"))
  }

  @Test("a card needs a name") func noName() throws {
    #expect(throws: Problem.self) { try cards([[.text("a"), .null, .null, .null, .null, .null, .null]]) }
    #expect(throws: Problem.self) { try VCardWriter(SampleTable.lone.schema) }
  }
}
