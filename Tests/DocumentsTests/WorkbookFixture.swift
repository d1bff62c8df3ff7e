import Documents
import Rows
import Testing

/// Workbooks made by hand, part by part.
struct WorkbookFixture {
  /// The cells: the content of `sheetData`.
  var rows = ""
  /// The whole part of the sheet; nil for one with `rows`.
  var sheet: String?
  /// The content of `sst`; nil for no such part.
  var strings: String?
  /// The codes of number formats: style 1 is the first.
  var formats: [String] = []
  var properties = ""
  /// The names of the sheets, which all have the same cells; `*` before a name hides the sheet.
  var sheets = ["Sheet1"]

  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

  private var parts: [(name: String, text: String)] {
    let styles = formats.enumerated().map { "<numFmt numFmtId=\"\(164 + $0)\" formatCode=\"\($1)\"/>" }.joined()
    let cells = formats.indices.map { "<xf numFmtId=\"\(164 + $0)\"/>" }.joined()
    let tabs = sheets.enumerated().map { number, name in
      let isHidden = name.hasPrefix("*")
      return "<sheet name=\"\(isHidden ? String(name.dropFirst()) : name)\" sheetId=\"\(number + 1)\" "
        + (isHidden ? "state=\"hidden\" " : "") + "r:id=\"rId1\"/>"
    }
    return [
      (
        "_rels/.rels",
        "<Relationships><Relationship Id=\"a\" Type=\"\(Self.office)/officeDocument\" Target=\"/xl/workbook.xml\"/>"
          + "</Relationships>"
      ),
      (
        "xl/workbook.xml",
        "\(Self.head)<workbook xmlns:r=\"\(Self.office)\"><workbookPr \(properties)/><sheets>\(tabs.joined())</sheets></workbook>"
      ),
      (
        "xl/_rels/workbook.xml.rels",
        """
        <Relationships><Relationship Id="rId1" Type="\(Self.office)/worksheet" Target="worksheets/../worksheets/sheet1.xml"/>\
        <Relationship Id="rId2" Type="\(Self.office)/styles" Target="styles.xml"/>\
        <Relationship Id="rId3" Type="\(Self.office)/sharedStrings" Target="sharedStrings.xml"/></Relationships>
        """
      ),
      (
        "xl/styles.xml",
        "<styleSheet><numFmts>\(styles)</numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>"
          + "<cellXfs><xf numFmtId=\"0\"/>\(cells)</cellXfs></styleSheet>"
      ),
      (
        "xl/worksheets/sheet1.xml",
        sheet
          ?? "\(Self.head)<x:worksheet xmlns:x=\"s\"><x:sheetData>\(rows)</x:sheetData><x:mergeCells/></x:worksheet>"
      ),
    ] + (strings.map { [("xl/sharedStrings.xml", "\(Self.head)<sst>\($0)</sst>")] } ?? [])
  }

  /// The bytes of the workbook.
  func bytes() throws(Problem) -> [UInt8] {
    var zip = ZipWriter(), out = ByteBuffer()
    for part in parts { try zip.add(part.name, part.text, to: &out) }
    zip.finish(&out)
    return out.bytes()
  }

  /// The rows of the main sheet, after as many restarts as the types need.
  func table(_ reading: SheetReading = SheetReading()) async throws -> SheetContent {
    try await SheetContent(try bytes(), reading)
  }
}

/// A sheet in memory.
struct SheetContent {
  var names: [String] = [], types: [ColumnType] = [], rows: [[Value]] = [], notes: [String] = []
  var warnings: [String] = []

  init(_ bytes: [UInt8], _ reading: SheetReading = SheetReading()) async throws {
    let workbook = try Workbook(MemoryByteSource(bytes, name: "t.xlsx"))
    var stream: any RowStream = try SheetRowStream.inferring(
      workbook, try #require(workbook.mainSheet), table: "t", reading, scratch: NoSheetScratch())
    while true {
      do {
        try await read(stream)
        return
      } catch let problem as Problem {
        guard let wider = try await stream.widened() else { throw problem }
        stream = wider
      }
    }
  }

  private mutating func read(_ stream: any RowStream) async throws {
    names = stream.schema.columns.map(\.name)
    types = stream.schema.columns.map(\.type)
    rows = []
    while let work = try await stream.next() {
      let batch = try work.batch()
      for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    notes = stream.notes.map(\.message)
    warnings = (stream as? SheetRowStream)?.warnings.map(\.message) ?? []
  }
}

private struct NoSheetScratch: ScratchSpace {
  func makeFile() throws(Problem) -> any ScratchFile { throw Problem(.bug, "the texts fit into memory") }
}
