import Codecs
import Conformance
import Rows
import Testing

@Suite("Writing CSV") struct CSVWriterTests {
  private func schema(_ columns: (String, ColumnType)...) -> Schema {
    Schema("t", columns: columns.map { ColumnDescription($0.0, $0.1) })
  }
  private func write(
    _ schema: Schema, _ rows: [[Value]], style: CSVStyle = CSVStyle()
  ) throws -> (text: String, risky: Int) {
    let batch = SampleTable("", schema, rows).batches(of: 1000)
    var parts: [[String]] = []
    for batch in batch { CSVWriter.collectParts(of: batch, schema, into: &parts) }
    let writer = CSVWriter(schema, style: style, parts: parts)
    var out = ByteBuffer(capacity: 16)
    try writer.begin(&out)
    var risky = 0
    for batch in batch { risky += try writer.write(batch, &out) }
    return (String(decoding: out.bytes(), as: UTF8.self), risky)
  }

  @Test("null, empty text and what needs quotes") func quoting() throws {
    let text = try write(
      schema(("a", .text), ("b,c", .text)),
      [[.null, .text("")], [.text("x, y"), .text("say \"hi\"")], [.text("two\nlines"), .text(" plain ")]]
    ).text
    #expect(text == "a,\"b,c\"\n,\"\"\n\"x, y\",\"say \"\"hi\"\"\"\n\"two\nlines\", plain \n")
  }

  @Test(
    "the header of the source, if it means the same names",
    arguments: [
      (["a", "column2", "a_2"], ["a", "", "a"], "a,,a\n"), (["a_2", "b"], ["a", "b"], "a_2,b\n"),
      (["column1"], [""], "\"\"\n"), (["b", "column1"], ["b", ""], "b,column1\n"),
    ] as [([String], [String], String)])
  func titles(names: [String], titles: [String], header: String) throws {
    let columns = zip(names, titles).map { name, title in
      var column = ColumnDescription(name, .text)
      if name != title { column.title = title }
      return column
    }
    var style = CSVStyle()
    #expect(try write(Schema("t", columns: columns), [], style: style).text == names.joined(separator: ",") + "\n")
    style.keepsTitles = true
    #expect(try write(Schema("t", columns: columns), [], style: style).text == header)
  }

  @Test("every type") func types() throws {
    let row: [Value] = [
      .integer(-5), .real(1e22), .number(Array("1.10".utf8)), .boolean(true), .bytes([0, 255, 1, 2]),
      .json(Array("[\"a\",\"b\"]".utf8)), .text("x"),
    ]
    let text = try write(
      schema(
        ("i", .integer), ("r", .real), ("d", .decimal), ("b", .boolean), ("y", .bytes), ("l", .list(.text)),
        ("j", .json)),
      [row, Array(repeating: .null, count: 7)]
    ).text
    #expect(text == "i,r,d,b,y,l,j\n-5,1e22,1.10,true,AP8BAg==,\"[\"\"a\"\",\"\"b\"\"]\",\"\"\"x\"\"\"\n,,,,,,\n")
  }

  @Test("in a lone column no row is an empty line") func loneColumn() throws {
    let text = try write(schema(("a", .text)), [[.null], [.text("")], [.text("\\N")], [.text("x")]]).text
    #expect(text == "a\n\n\"\"\n\"\\N\"\nx\n")
  }

  @Test("a text for null, and the text itself") func nullText() throws {
    let style = CSVStyle(nullText: Array("NULL".utf8))
    let text = try write(
      schema(("a", .text), ("b", .text)), [[.null, .text("NULL")], [.text(""), .text("NUL")]], style: style
    ).text
    #expect(text == "a,b\nNULL,\"NULL\"\n\"\",NUL\n")
  }

  @Test("formulas are kept and counted, escaped, or refused") func formulas() throws {
    let table = schema(("n", .integer), ("a", .text))
    let rows: [[Value]] = [
      [.integer(-1), .text("=1+1")], [.integer(2), .text("-5")], [.integer(3), .text("+49 30")], [.null, .text("＝x")],
      [.null, .text("-1.250,00")],
    ]
    let kept = try write(table, rows)
    #expect(kept.risky == 3)
    #expect(kept.text.hasPrefix("n,a\n-1,=1+1\n2,-5\n3,+49 30\n"))
    let escaped = try write(table, rows, style: CSVStyle(formulas: .escape))
    #expect(escaped.text == "n,a\n-1,\"'=1+1\"\n2,-5\n3,\"'+49 30\"\n,\"'＝x\"\n,\"-1.250,00\"\n")
    #expect {
      try write(table, rows, style: CSVStyle(formulas: .reject))
    } throws: { error in
      (error as? Problem)?.kind == .badData && (error as? Problem)?.record == 0
    }
  }

  @Test("lists joined, and spread over columns") func nested() throws {
    let table = schema(("l", .list(.text)), ("j", .json), ("x", .text))
    let rows: [[Value]] = [
      [.json(Array(#"["a","b\"c"]"#.utf8)), .json(Array(#"{"city":"Berlin","geo":{"lat":1}}"#.utf8)), .text("1")],
      [.json(Array("[]".utf8)), .null, .text("2")],
    ]
    let joined = try write(table, rows, style: CSVStyle(nested: .join)).text
    #expect(joined == "l,j,x\n\"a; b\"\"c\",\"{\"\"city\"\":\"\"Berlin\"\",\"\"geo\"\":{\"\"lat\"\":1}}\",1\n\"\",,2\n")
    let flat = try write(table, rows, style: CSVStyle(nested: .flatten)).text
    #expect(flat == "l.1,l.2,j.city,j.geo.lat,x\na,\"b\"\"c\",Berlin,1,1\n,,,,2\n")
  }

  @Test("Excel's byte order mark and line ends") func excel() throws {
    let style = CSVStyle(lineEnding: .crlf, hasByteOrderMark: true)
    #expect(
      try write(schema(("a", .text), ("b", .text)), [[.text("x"), .null]], style: style).text == "\u{FEFF}a,b\r\nx,\r\n"
    )
  }

  @Test("long fields, with a quote at every place") func longFields() throws {
    for length in [15, 16, 17, 1023, 1024, 1025, 4096, 5000] {
      for quote in [0, length / 2, length - 1] {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        bytes[quote] = UInt8(ascii: "\"")
        let expected = String(decoding: bytes, as: UTF8.self).replacing("\"", with: "\"\"")
        let text = try write(schema(("a", .text), ("b", .text)), [[.text(bytes), .null]]).text
        #expect(text == "a,b\n\"\(expected)\",\n")
      }
    }
  }
}
