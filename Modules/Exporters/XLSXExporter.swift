import Codecs
public import Domain
public import Rows
internal import Synchronization

/// A workbook for spreadsheets, with one sheet. The encoder writes the sheet, and a sink packs it with the other parts
/// of the file.
public struct XLSXExporter: Exporter {
  private static let numbers = ExporterDescriptor.Option(
    "numbers", "error|text",
    "Numbers with more digits than a spreadsheet stores: fail, or write as text [default: error]")

  /// The format.
  public init() {}

  /// `xlsx`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "xlsx", fileExtensions: ["xlsx"],
      mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      summary: "A workbook for Excel or LibreOffice; 1.10 is shown as 1.10; fails on values a cell cannot hold",
      isExact: true, measuring: .head(rows: 500), options: [Self.numbers, OptionKeys.nonfinite],
      limits: ExporterDescriptor.Limits(
        columns: SheetWriter.maximumColumns, records: SheetWriter.maximumRows - 1, characters: SheetWriter.maximumText))
  }

  /// An encoder of the sheet.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    SheetEncoder(
      writer: SheetWriter(
        schema, numbers: try options.choice(Self.numbers, default: .error),
        nonfinite: try options.choice(OptionKeys.nonfinite, default: .error), head: layout.head))
  }

  /// The workbook around the sheet.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink {
    WorkbookSink(sink, sheet: Workbook.sheetName(schema.name))
  }
}

private struct SheetEncoder: RowEncoder {
  let writer: SheetWriter

  func begin(_ out: inout ByteBuffer) throws(Problem) { try writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) { try writer.finish(rows: all.rows, &out) }
}

/// Packs the sheet that is written into it, and what else a workbook has.
private final class WorkbookSink: ByteSink {
  let name: String
  private let inner: any ByteSink
  private let sheet: String
  private let zip = Mutex(ZipWriter())

  init(_ inner: any ByteSink, sheet: String) {
    name = inner.name
    self.inner = inner
    self.sheet = sheet
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    var packed = ByteBuffer()
    try bytes.read { (span) throws(Problem) in
      try zip.withLock { (zip) throws(Problem) in
        if zip.isEmpty {
          for part in Workbook.parts(sheet: sheet) { try zip.add(part.name, part.text, to: &packed) }
          zip.begin(Workbook.sheetPart, &packed)
        }
        try zip.append(span, to: &packed)
      }
    }
    try await inner.write(packed)
  }

  func commit() async throws(Problem) {
    var end = ByteBuffer(capacity: 4096)
    zip.withLock { zip in
      zip.end(&end)
      zip.finish(&end)
    }
    try await inner.write(end)
    try await inner.commit()
  }

  func abandon() async { await inner.abandon() }
}

/// The parts of a workbook other than its sheet (Open Packaging Conventions).
private enum Workbook {
  static let sheetPart = "xl/worksheets/sheet1.xml"
  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006"
  private static let package = "http://schemas.openxmlformats.org/package/2006"
  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let media = "application/vnd.openxmlformats-officedocument.spreadsheetml"

  static func parts(sheet: String) -> [(name: String, text: String)] {
    [
      (
        "[Content_Types].xml",
        """
        \(head)<Types xmlns="\(package)/content-types">\
        <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
        <Default Extension="xml" ContentType="application/xml"/>\
        <Override PartName="/xl/workbook.xml" ContentType="\(media).sheet.main+xml"/>\
        <Override PartName="/\(sheetPart)" ContentType="\(media).worksheet+xml"/>\
        <Override PartName="/xl/styles.xml" ContentType="\(media).styles+xml"/></Types>
        """
      ),
      ("_rels/.rels", relations([("officeDocument", "xl/workbook.xml")])),
      (
        "xl/workbook.xml",
        """
        \(head)<workbook xmlns="\(main)" xmlns:r="\(office)/relationships">\
        <bookViews><workbookView/></bookViews><sheets><sheet name="\(sheet)" sheetId="1" \
        r:id="rId1"/></sheets></workbook>
        """
      ),
      ("xl/_rels/workbook.xml.rels", relations([("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")])),
      ("xl/styles.xml", styles),
    ]
  }

  private static func relations(_ targets: [(kind: String, target: String)]) -> String {
    let all = targets.enumerated().map { place, target in
      "<Relationship Id=\"rId\(place + 1)\" Type=\"\(office)/relationships/\(target.kind)\" "
        + "Target=\"\(target.target)\"/>"
    }
    return "\(head)<Relationships xmlns=\"\(package)/relationships\">\(all.joined())</Relationships>"
  }

  /// Kinds of cells: plain, column names in bold, dates, numbers with a fixed number of digits after the decimal point.
  private static let styles = """
    \(head)<styleSheet xmlns="\(main)"><numFmts count="\(fractions.count + 1)"><numFmt numFmtId="164" \
    formatCode="yyyy\\-mm\\-dd"/>\(fractionFormats)</numFmts>\
    <fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name \
    val="Calibri"/></font></fonts>\
    <fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill \
    patternType="gray125"/></fill></fills>\
    <borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>\
    <cellXfs count="\(fractions.count + 3)"><xf xfId="0"/><xf fontId="1" xfId="0" applyFont="1"/>\
    <xf numFmtId="164" xfId="0" applyNumberFormat="1"/>\(fractionStyles)</cellXfs>\
    <cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
    """

  private static let fractions = 1...SheetWriter.maximumFraction
  private static let fractionFormats = fractions.map {
    "<numFmt numFmtId=\"\(164 + $0)\" formatCode=\"0.\(String(repeating: "0", count: $0))\"/>"
  }.joined()
  private static let fractionStyles = fractions.map {
    "<xf numFmtId=\"\(164 + $0)\" xfId=\"0\" applyNumberFormat=\"1\"/>"
  }.joined()

  /// A table's name as that of a sheet: at most 31 UTF-16 code units, without what sheets may not have in their names.
  static func sheetName(_ table: String) -> String {
    var name = ""
    for scalar in table.unicodeScalars {
      let isRefused =
        scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF
        || "[]:*?/\\'&<>\"".unicodeScalars.contains(scalar)
      let next = isRefused ? "_" : String(scalar)
      guard name.utf16.count + next.utf16.count <= 31 else { break }
      name += next
    }
    return name.isEmpty ? "Sheet1" : name
  }
}
