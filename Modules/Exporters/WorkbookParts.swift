import Documents

/// The parts of a workbook other than its sheets (Open Packaging Conventions).
enum WorkbookParts {
  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006"
  private static let package = "http://schemas.openxmlformats.org/package/2006"
  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let media = "application/vnd.openxmlformats-officedocument.spreadsheetml"

  /// The part of a sheet.
  /// - Parameter number: from 1.
  static func sheet(_ number: Int) -> String { "xl/worksheets/sheet\(number).xml" }

  /// The part with the targets of the links of a sheet.
  /// - Parameter number: from 1.
  static func links(ofSheet number: Int) -> String { "xl/worksheets/_rels/sheet\(number).xml.rels" }

  /// All other parts.
  /// - Parameter sheets: the names of the sheets.
  static func parts(_ sheets: [String]) -> [(name: String, text: String)] {
    let numbers = 1...sheets.count
    let overrides = numbers.map {
      "<Override PartName=\"/\(sheet($0))\" ContentType=\"\(media).worksheet+xml\"/>"
    }
    let elements = zip(numbers, sheets).map { number, name in
      "<sheet name=\"\(name)\" sheetId=\"\(number)\" r:id=\"rId\(number)\"/>"
    }
    let targets = numbers.map { ("worksheet", "worksheets/sheet\($0).xml") } + [("styles", "styles.xml")]
    return [
      (
        "[Content_Types].xml",
        """
        \(head)<Types xmlns="\(package)/content-types">\
        <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
        <Default Extension="xml" ContentType="application/xml"/>\
        <Override PartName="/xl/workbook.xml" ContentType="\(media).sheet.main+xml"/>\
        \(overrides.joined())\
        <Override PartName="/xl/styles.xml" ContentType="\(media).styles+xml"/></Types>
        """
      ),
      ("_rels/.rels", relations([("officeDocument", "xl/workbook.xml")])),
      (
        "xl/workbook.xml",
        """
        \(head)<workbook xmlns="\(main)" xmlns:r="\(office)/relationships">\
        <bookViews><workbookView/></bookViews><sheets>\(elements.joined())</sheets></workbook>
        """
      ),
      ("xl/_rels/workbook.xml.rels", relations(targets)),
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

  /// Kinds of cells: plain, column names in bold, dates, numbers with a fixed number of digits after the decimal point,
  /// timestamps, links, local times.
  private static let styles = """
    \(head)<styleSheet xmlns="\(main)"><numFmts count="\(fractions.count + 3)"><numFmt numFmtId="164" \
    formatCode="yyyy\\-mm\\-dd"/>\(fractionFormats)\
    <numFmt numFmtId="\(timestamp)" formatCode="yyyy\\-mm\\-dd\\Thh:mm:ss\\Z"/>\
    <numFmt numFmtId="\(timestamp + 1)" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>\
    <fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name \
    val="Calibri"/></font><font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>\
    <fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill \
    patternType="gray125"/></fill></fills>\
    <borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>\
    <cellXfs count="\(fractions.count + 6)"><xf xfId="0"/><xf fontId="1" xfId="0" applyFont="1"/>\
    <xf numFmtId="164" xfId="0" applyNumberFormat="1"/>\(fractionStyles)\
    <xf numFmtId="\(timestamp)" xfId="0" applyNumberFormat="1"/><xf fontId="2" xfId="0" applyFont="1"/>\
    <xf numFmtId="\(timestamp + 1)" xfId="0" applyNumberFormat="1"/></cellXfs>\
    <cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
    """

  private static let fractions = 1...SheetWriter.maximumFraction
  private static let timestamp = 164 + SheetWriter.maximumFraction + 1
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
