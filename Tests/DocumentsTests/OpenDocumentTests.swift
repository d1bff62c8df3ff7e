import Documents
import Rows
import Testing

@Suite("OpenDocument spreadsheets") struct OpenDocumentTests {
  private static let names = """
    xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:calcext="c" xmlns:style="s"
    """

  /// The bytes of a spreadsheet with these tables.
  private func book(
    _ tables: String, styles: String = "", body: String = "spreadsheet", manifest: String = ""
  ) throws(Problem) -> [UInt8] {
    var zip = ZipWriter(), out = ByteBuffer()
    try zip.add("META-INF/manifest.xml", "<manifest>\(manifest)</manifest>", to: &out)
    try zip.add(
      "content.xml",
      "<office:document-content \(Self.names)><office:automatic-styles>\(styles)</office:automatic-styles>"
        + "<office:body><office:\(body)>\(tables)</office:\(body)></office:body></office:document-content>", to: &out)
    zip.finish(&out)
    return out.bytes()
  }
  private func row(_ cells: String..., times: Int = 1) -> String {
    "<table:table-row table:number-rows-repeated=\"\(times)\">\(cells.joined())</table:table-row>"
  }
  private func text(_ content: String, _ attributes: String = "") -> String {
    "<table:table-cell office:value-type=\"string\" \(attributes)>\(content)</table:table-cell>"
  }
  private func cell(_ type: String, _ attributes: String, _ shown: String = "shown") -> String {
    "<table:table-cell office:value-type=\"\(type)\" \(attributes)><text:p>\(shown)</text:p></table:table-cell>"
  }
  private func header(_ names: String...) -> String {
    "<table:table-header-rows>\(row(names.map { text("<text:p>\($0)</text:p>") }.joined()))</table:table-header-rows>"
  }

  @Test("values of every type, as they are stored") func values() async throws {
    let tables =
      "<table:table table:name=\"T\"><table:table-column/>"
      + row("<table:table-cell table:number-columns-repeated=\"16384\"/>", times: 2)
      + header("text", "number", "percent", "day", "time", "clock", "is", "error")
      + row(
        text(
          "<text:p>a<text:s text:c=\"2\"/>b  c<text:line-break/><text:span>d</text:span></text:p><text:p>e</text:p>"),
        cell("float", "office:value=\"1.50\""), cell("percentage", "office:value=\"0.19\""),
        cell("date", "office:date-value=\"2024-01-05\""), cell("date", "office:date-value=\"2024-01-05T10:30:00\""),
        cell("time", "office:time-value=\"PT9H05M03.500S\""), cell("boolean", "office:boolean-value=\"true\""),
        cell("string", "office:string-value=\"\" table:formula=\"of:=1/0\"", "#DIV/0!"))
      + row(
        "<table:table-cell><office:annotation><text:p>note</text:p></office:annotation></table:table-cell>",
        "<table:table-cell office:value-type=\"float\" office:value=\"2\" table:number-columns-repeated=\"2\"/>",
        "<table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>", times: 2)
      + row("<table:table-cell/>", times: 1_048_570) + "</table:table>"
    let table = try await SheetContent(try book(tables))
    #expect(table.names == ["text", "number", "percent", "day", "time", "clock", "is", "error"])
    #expect(table.types == [.text, .decimal, .decimal, .date, .datetime, .text, .boolean, .text])
    let repeated: [Value] = [
      .null, .number(Array("2".utf8)), .number(Array("2".utf8)), .null, .null, .null, .null, .null,
    ]
    #expect(
      table.rows == [
        [
          .text("a  b c\nd\ne"), .number(Array("1.5".utf8)), .number(Array("0.19".utf8)), .text("2024-01-05"),
          .text("2024-01-05T10:30:00"),
          .text("09:05:03.5"), .boolean(true), .text("#DIV/0!"),
        ], repeated, repeated,
      ])
    #expect(table.notes == ["t.xlsx: 1 error value such as #N/A read as text"])
  }

  @Test("sheets, and the one that is shown") func sheets() throws {
    let hidden = "<style:style style:name=\"h\"><style:table-properties table:display=\"false\"/></style:style>"
    let tables = "<table:table table:name=\"A\" table:style-name=\"h\"/><table:table table:name=\"B\"/>"
    let workbook = try Workbook(MemoryByteSource(try book(tables, styles: hidden), name: "t.ods"))
    #expect(workbook.sheets.map(\.name) == ["A", "B"])
    #expect(workbook.mainSheet?.name == "B")
  }

  @Test("other documents, encrypted ones, and those made to exhaust memory are refused") func refusals() async throws {
    func complaint(_ bytes: [UInt8]) async -> String? {
      do {
        _ = try await SheetContent(bytes)
        return nil
      } catch { return (error as? Problem)?.message }
    }
    #expect(try await complaint(book("", body: "text")) == "is an OpenDocument file, but not a spreadsheet")
    #expect(try await complaint(book("", manifest: "<encryption-data/>")) == "is an encrypted workbook")
    let wide = row(
      "<table:table-cell office:value-type=\"float\" office:value=\"1\" table:number-columns-repeated=\"16000\"/>")
    let tall = wide.replacing("repeated=\"1\"", with: "repeated=\"1000000\"")
    let found = try await complaint(book("<table:table>\(wide)\(tall)</table:table>"))
    #expect(found?.hasPrefix("repeated rows have more than 67108864 cells") == true)
  }

  @Test("two rows of names below merged cells look like the header") func headerRows() async throws {
    func texts(_ texts: String?...) -> String {
      row(texts.map { $0.map { text("<text:p>\($0)</text:p>") } ?? "<table:table-cell/>" }.joined())
    }
    let number = "<table:table-cell office:value-type=\"float\" office:value=\"1\"/>"
    let bytes = try book(
      "<table:table>\(texts(nil, "2023", nil, "2024"))\(texts("city", "in", "out", "in"))"
        + row(text("<text:p>Bern</text:p>"), number, number, number) + "</table:table>")
    #expect(try await SheetContent(bytes).warnings.first == "rows 1 and 2 look like the header")
    var reading = SheetReading()
    reading.findsHeader = true
    #expect(try await SheetContent(bytes, reading).names == ["city", "2023 in", "2023 out", "2024 in"])
    let first = try book(
      "<table:table>\(texts("city", "2023"))\(texts(nil, "in", "out"))\(row(number + number + number))</table:table>")
    #expect(try await SheetContent(first, reading).names == ["city", "2023 in", "2023 out"])
    let values = String(repeating: row(text("<text:p>Bern</text:p>") + number), count: 3)
    let units = try book("<table:table>\(texts("city", "area"))\(texts("name", "km2"))\(values)</table:table>")
    #expect(try await SheetContent(units, reading).names == ["city name", "area km2"])
    let record = try book(
      "<table:table>\(texts("city", "area"))\(texts("name", "?"))\(values)\(texts("Ulm", "?"))</table:table>")
    #expect(try await SheetContent(record, reading).names == ["city", "area"])
  }
}
