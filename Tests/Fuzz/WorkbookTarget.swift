import Documents
import Rows

/// Any bytes at all, as an archive, and as the sheet, the shared strings and the styles of a workbook. What must hold:
/// nothing traps; memory and time are bounded; rows have the width of their schema, texts are UTF-8.
func workbook(_ bytes: [UInt8]) {
  read(bytes)
  let text = String(decoding: bytes, as: UTF8.self)
  let cells = """
    <worksheet><sheetData><row><c t="str"><v>a</v></c></row><row><c t="s"><v>0</v></c><c s="1"><v>45413.5</v></c></row>\
    </sheetData></worksheet>
    """
  read(
    packed(sheet: "<worksheet><sheetData>\(text)</sheetData></worksheet>", strings: "<sst/>", styles: "<styleSheet/>"))
  read(packed(sheet: text, strings: "<sst><si><t>b</t></si></sst>", styles: "<styleSheet/>"))
  read(packed(sheet: cells, strings: "<sst>\(text)</sst>", styles: "<styleSheet/>"))
  let code = text.replacing("&", with: "").replacing("<", with: "").replacing("\"", with: "&quot;")
  let styles = """
    <styleSheet><numFmts><numFmt numFmtId="164" formatCode="\(code)"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs>\
    </styleSheet>
    """
  read(packed(sheet: cells, strings: "<sst>\(text)</sst>", styles: styles))
}

/// Reads the table of a workbook to its end, again with wider types where they are needed.
private func read(_ bytes: [UInt8]) {
  do throws(Problem) {
    let book = try Workbook(MemoryByteSource(bytes, name: "fuzz"))
    var reading = SheetReading()
    reading.maximumField = 1 << 20
    guard let sheet = book.mainSheet else { return }
    let stream = try SheetRowStream.inferring(book, sheet, table: "t", reading, scratch: NoSpill())
    while let task = try stream.nextWork() {
      let batch = try task.batch()
      precondition(batch.width == stream.schema.width, "another width")
      for row in 0..<batch.count {
        for column in 0..<batch.width {
          guard case .text(let text) = batch.value(row, column) else { continue }
          precondition(String(validating: text, as: UTF8.self) != nil, "a text that is not UTF-8")
        }
      }
    }
  } catch {
    precondition([.badData, .usage, .bug].contains(error.kind) && error.message != "", "\(error)")
  }
}

private func packed(sheet: String, strings: String, styles: String) -> [UInt8] {
  let relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  let parts = [
    ("_rels/.rels", "<r><Relationship Type=\"\(relation)/officeDocument\" Target=\"xl/workbook.xml\"/></r>"),
    ("xl/workbook.xml", "<workbook><sheets><sheet name=\"s\" r:id=\"a\"/></sheets></workbook>"),
    (
      "xl/_rels/workbook.xml.rels",
      """
      <r><Relationship Id="a" Type="/worksheet" Target="s.xml"/><Relationship Type="/styles" Target="t.xml"/>\
      <Relationship Type="/sharedStrings" Target="u.xml"/></r>
      """
    ), ("xl/s.xml", sheet), ("xl/t.xml", styles), ("xl/u.xml", strings),
  ]
  do throws(Problem) {
    var zip = ZipWriter(), out = ByteBuffer()
    for part in parts { try zip.add(part.0, part.1, to: &out) }
    zip.finish(&out)
    return out.bytes()
  } catch {
    preconditionFailure("\(error)")
  }
}

private struct NoSpill: ScratchSpace {
  func makeFile() throws(Problem) -> any ScratchFile { throw Problem(.bug, "too much for a small input") }
}
