import Documents
import Rows
import Testing

@Suite("Sheets") struct SheetRowStreamTests {
  private func cell(_ reference: String, _ value: String, style: Int = 0) -> String {
    "<c r=\"\(reference)\" s=\"\(style)\"><v>\(value)</v></c>"
  }

  @Test("texts, numbers, Booleans, errors, nulls") func values() async throws {
    var book = WorkbookFixture()
    book.strings = """
      <si><t>a</t></si><si><r><rPr><b/></rPr><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>no</t>\
      </rPh></si><si><t/></si><si><t>x_x0001_y_x005F_x0041_&#10;<![CDATA[<z>]]></t></si><si><t>_xD83C__xDFAC_ _xD83C_</t></si>
      """
    book.rows = """
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c><c r="C1" t="str"><v>c</v></c>\
      <c r="D1" t="str"><v>d</v></c><c r="E1" t="str"><v>e</v></c></row>
      <row><c t="s"><v>1</v></c><c><v>0.10000000000000001</v></c><c t="b"><v>1</v></c><c><v>1E+2</v></c><c t="e"><v>#N/A</v></c></row>
      <row r="3"><c r="A3" t="s"><v>2</v></c><c r="C3" t="b"><v>0</v></c><c r="D3"><v>-7</v></c></row>
      <row r="4" spans="1:9"/>
      <row r="6"><c r="A6" t="s"><v>3</v></c><c r="B6"><v>2.5</v></c></row>
      <row r="7"><c r="A7" t="s"><v>4</v></c></row>
      <row r="9"><c r="A9" s="0"/></row>
      """
    let table = try await book.table()
    #expect(table.names == ["a", "b", "c", "d", "e"])
    #expect(table.types == [.text, .real, .boolean, .integer, .text])
    let empty = Array(repeating: Value.null, count: 5)
    #expect(
      table.rows == [
        [.text("rich "), .real(0.1), .boolean(true), .integer(100), .text("#N/A")],
        [.text(""), .null, .boolean(false), .integer(-7), .null], empty, empty,
        [.text("x\u{1}y_x0041_\n<z>"), .real(2.5), .null, .null, .null],
        [.text("🎬 _xD83C_"), .null, .null, .null, .null],
      ])
    #expect(table.notes == ["t.xlsx: 1 error value such as #N/A read as text"])
    var reading = SheetReading()
    reading.nullTexts = [Array("#N/A".utf8)]
    #expect(try await book.table(reading).rows[0][4] == .null)
  }

  @Test("tables below each other", arguments: [0, 1, 2, 3], ["a", "c"])
  func tables(_ number: Int, _ second: String) async throws {
    func names(_ row: Int, _ name: String) -> String {
      "<row r=\"\(row)\"><c t=\"str\"><v>\(name)</v></c><c t=\"str\"><v>b</v></c></row>"
    }
    func values(_ row: Int) -> String { "<row r=\"\(row)\"><c><v>\(row)</v></c><c><v>0</v></c></row>" }
    var book = WorkbookFixture(), reading = SheetReading()
    book.rows = names(1, "a") + values(2) + names(4, second) + values(5)
    reading.table = number
    if number == 3 || number == 0 && second == "c" {
      await #expect(throws: Problem.self) { _ = try await book.table(reading) }
      return
    }
    let table = try await book.table(reading)
    #expect(table.names == [number == 2 ? second : "a", "b"])
    #expect(table.rows.filter { $0[0] != .null }.map { $0[0] } == [[2, 5], [2], [5]][number].map { .integer($0) })
  }

  @Test(
    "dates by number format",
    arguments: [
      ("yyyy-mm-dd", "45413", "2024-05-01"), ("d/m/yy;@", "45413.4375", "2024-05-01T10:30:00"),
      ("m/d/yy h:mm", "45413", "2024-05-01T00:00:00"), ("[$-409]h:mm AM/PM", "0.5", "12:00:00"),
      ("[h]:mm:ss", "1.0625", "25:30:00"), ("mm:ss.000", "0.0000115740741", "00:00:01"),
      ("hh:mm:ss.000", "0.0000172916667", "00:00:01.494"), ("yyyy", "1", "1900-01-01"), ("yyyy", "59", "1900-02-28"),
      ("yyyy", "60", "60"), ("yyyy", "61", "1900-03-01"), ("yyyy", "2958465", "9999-12-31"),
      ("yyyy", "2958466", "2958466"), ("yyyy", "-1", "1899-12-29"), ("yyyy", "-30701", "1815-12-10"),
      ("yyyy", "-30700.5", "1815-12-10T12:00:00"), ("yyyy", "-693593", "0001-01-01"), ("yyyy", "-693594", "-693594"),
      ("h:mm", "-1", "-1"), ("[h]", "-1", "-1"), ("yyyy", "45413.99999999999", "2024-05-02"),
      ("0.00 \\d", "45413", "45413"), ("0&quot;days&quot;", "45413", "45413"), ("[Red]General", "45413", "45413"),
      ("#,##0;[Red]d", "45413", "45413"), ("0.00E+00", "45413", "45413"),
    ])
  func dates(_ code: String, _ serial: String, _ expected: String) async throws {
    var book = WorkbookFixture()
    book.formats = [code]
    book.rows = "<row><c t=\"str\"><v>d</v></c></row><row>\(cell("A2", serial, style: 1))</row>"
    let table = try await book.table()
    if let number = Int64(expected) {
      #expect(table.rows == [[.integer(number)]])
    } else {
      #expect(table.rows == [[.text(expected)]])
      let isDay = expected.utf8.count == 10 && expected.contains("-")
      #expect(table.types == [isDay ? .date : expected.contains("T") ? .datetime : .text])
    }
  }

  @Test(
    "an element of another namespace is not one of the workbook",
    arguments: [
      "/><x14:workbookPr xmlns:x14=\"urn:x\" date1904=\"1\"", "/><workbookPr xmlns=\"urn:x\" date1904=\"1\"",
      "/><extLst><ext><workbookPr date1904=\"1\"/></ext></extLst><x",
    ])
  func namespaces(text: String) async throws {
    var book = WorkbookFixture()
    book.formats = ["yyyy-mm-dd"]
    book.properties = text
    book.rows = "<row><c t=\"str\"><v>d</v></c></row><row>\(cell("A2", "43951", style: 1))</row>"
    #expect(try await book.table().rows == [[.text("2020-04-30")]])
  }

  @Test("rows, cells and values of another namespace are not those of the sheet") func foreignCells() async throws {
    var book = WorkbookFixture()
    book.rows = """
      <q:row xmlns:q="urn:q"><c><v>9</v></c></q:row><row><c t="str"><v>d</v></c></row>\
      <row xmlns:q="urn:q"><q:c><v>7</v></q:c><c><q:v>5</q:v><v>1</v></c></row>
      """
    #expect(try await book.table().rows == [[.integer(1)]])
  }

  @Test("dates from 1904, ISO dates") func otherDates() async throws {
    var book = WorkbookFixture()
    book.formats = ["yyyy-mm-dd"]
    book.properties = "date1904=\"true\""
    book.rows = """
      <row><c t="str"><v>d</v></c></row><row>\(cell("A2", "0", style: 1))</row><row>\(cell("A3", "43951", style: 1))</row>\
      <row><c t="d" s="1"><v>2024-05-01T00:00:00Z</v></c></row><row><c t="d"><v>2024-05-01</v></c></row>
      """
    let table = try await book.table()
    #expect(table.types == [.date])
    #expect(table.rows == ["1904-01-01", "2024-05-01", "2024-05-01", "2024-05-01"].map { [.text($0)] })
  }

  @Test("types that the first rows do not tell, and columns without a title") func widened() async throws {
    var book = WorkbookFixture()
    var rows = "<row r=\"3\"><c r=\"C3\" t=\"str\"><v>n</v></c><c r=\"D3\" t=\"str\"><v>m</v></c></row>"
    for row in 4..<2004 { rows += "<row r=\"\(row)\">\(cell("C\(row)", "\(row)"))\(cell("D\(row)", "1"))</row>" }
    book.rows =
      rows + "<row r=\"2004\"><c r=\"A2004\"><v>1.5</v></c><c r=\"C2004\"><v>1.5</v></c>"
      + "<c r=\"D2004\" t=\"b\"><v>1</v></c></row>"
    let table = try await book.table()
    #expect(table.names == ["column1", "n", "m"])
    #expect(table.types == [.real, .decimal, .text])
    #expect(table.rows.count == 2001 && table.rows[0] == [.null, .number(Array("4".utf8)), .text("1")])
    #expect(table.rows[2000] == [.real(1.5), .number(Array("1.5".utf8)), .text("true")])
  }

  @Test("types that are given, columns that are chosen") func given() async throws {
    var book = WorkbookFixture()
    book.formats = ["yyyy-mm-dd hh:mm"]
    book.rows = """
      <row><c t="str"><v>a</v></c><c t="str"><v>b</v></c><c t="str"><v>c</v></c></row>\
      <row><c><v>7</v></c>\(cell("B2", "45413.5", style: 1))<c t="str"><v>[1, 2]</v></c></row>
      """
    var reading = SheetReading()
    reading.types = ["a": .text, "b": .timestamp, "c": .list(.integer)]
    #expect(
      try await book.table(reading).rows == [
        [.text("7"), .text("2024-05-01T12:00:00Z"), .json(Array("[1,2]".utf8))]
      ])
    reading.columns = ["c", "x"]
    #expect(try await book.table(reading).rows == [[.json(Array("[1,2]".utf8))]])
    reading.types = ["c": .integer]
    let problem = await #expect(throws: Problem.self) { try await book.table(reading) }
    #expect(problem?.summary == "t.xlsx:Sheet1!C2: invalid value “[1, 2]” for column “c”: expected integer (record 1)")
  }

  @Test("what our own writer writes comes back") func ownWriter() async throws {
    let schema = Schema(
      "t", columns: [ColumnDescription("n", .integer), ColumnDescription("t", .text), ColumnDescription("d", .date)])
    let values: [[Value]] = [
      [.integer(1), .text("a\u{1}_x0041_ & <\r\n>"), .text("2024-05-01")], [.null, .text(""), .null],
      [.null, .null, .null],
    ]
    var builder = RowBatchBuilder(width: 3), out = ByteBuffer(), book = WorkbookFixture()
    for row in values { for value in row { builder.append(value: value) } }
    let writer = SheetWriter(schema)
    try writer.begin(&out)
    _ = try writer.write(builder.finish(), &out)
    try writer.finish(rows: 3, links: [], &out)
    book.sheet = String(decoding: out.bytes(), as: UTF8.self)
    book.formats = ["General", "yyyy-mm-dd"]
    let table = try await book.table()
    #expect(table.rows == values && table.types == [.integer, .text, .date])
  }

  /// Rows of cells separated by spaces: numbers, texts, and nothing for `-`.
  private func layout(_ rows: [String], _ reading: SheetReading = SheetReading()) async throws -> SheetContent {
    var book = WorkbookFixture()
    for (row, cells) in rows.enumerated() where !cells.isEmpty {
      book.rows += "<row r=\"\(row + 1)\">"
      for (column, text) in cells.split(separator: " ").enumerated() where text != "-" {
        let place = "\(["A", "B", "C", "D"][column])\(row + 1)"
        book.rows += Int(text) == nil ? "<c r=\"\(place)\" t=\"str\"><v>\(text)</v></c>" : cell(place, String(text))
      }
      book.rows += "</row>"
    }
    return try await book.table(reading)
  }

  @Test("layouts of sheets") func layouts() async throws {
    let body = ["id name v", "1 a 5", "2 b 6"], rows: [[Value]] = [[.integer(1), .text("a"), .integer(5)]]
    let plain = try await layout(body)
    #expect(plain.names == ["id", "name", "v"] && plain.rows.first == rows[0] && plain.warnings.isEmpty)
    // A title is a name unless it is skipped, or found.
    let titled = ["Report", ""] + body
    #expect(try await layout(titled).warnings.first == "the rows above row 3 look like a title")
    var reading = SheetReading()
    reading.findsHeader = true
    let found = try await layout(titled, reading)
    #expect(found.names == plain.names && found.rows == plain.rows)
    #expect(found.warnings == ["skipped 2 rows above the header"])
    reading = SheetReading()
    reading.skippedRows = 2
    let skipped = try await layout(titled, reading)
    #expect(skipped.names == plain.names && skipped.rows == plain.rows && skipped.warnings.isEmpty)
    reading.skippedRows = 9
    #expect(try await layout(titled, reading).warnings == ["all rows are skipped"])
    #expect(try await layout([], reading).warnings.isEmpty)
    // Two rows of names, none, and those of the user.
    reading = SheetReading()
    reading.headerRows = 2
    #expect(try await layout(["- - 2023"] + body, reading).names == ["id", "name", "2023 v"])
    reading.headerRows = 0
    #expect(try await layout(["1 - 5", "2 - 6"], reading).names == ["column1", "column2"])
    reading.names = ["x", "y"]
    let named = try await layout(["1 - 5", "2 - 6"], reading)
    #expect(named.names == ["x", "y"] && named.rows.count == 2)
    // Tables below each other.
    let two = body + ["", "x y", "9 8"]
    #expect(try await layout(two).warnings == ["row 5 looks like the header of another table"])
    let below = try await layout(["Title", ""] + two).warnings
    #expect(below.contains("the rows above row 3 look like a title"))
    #expect(below.contains("row 7 looks like the header of another table"))
    reading = SheetReading()
    reading.table = 1
    #expect(try await layout(two, reading).rows == plain.rows)
    reading.table = 2
    let second = try await layout(two, reading)
    #expect(second.names == ["x", "y"] && second.rows == [[.integer(9), .integer(8)]])
    // No table at all.
    #expect(try await layout([]).names.isEmpty)
  }

  @Test("the first sheet that is shown, by name without case") func sheets() throws {
    var book = WorkbookFixture()
    book.sheets = ["*secret", "Übersicht &amp; Co", "b"]
    let workbook = try Workbook(MemoryByteSource(try book.bytes(), name: "t.xlsx"))
    #expect(workbook.sheets.map(\.name) == ["secret", "Übersicht & Co", "b"])
    #expect(workbook.mainSheet?.name == "Übersicht & Co")
    #expect(workbook.sheet(named: "B")?.name == "b" && workbook.sheet(named: "c") == nil)
  }
}
