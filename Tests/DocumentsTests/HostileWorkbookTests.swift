import Documents
import Rows
import Testing

/// Workbooks that are damaged, or made to exhaust or confuse the reader.
@Suite("Hostile workbooks") struct HostileWorkbookTests {
  private let head = "<row><c t=\"str\"><v>a</v></c></row>"

  private func complaint(_ bytes: [UInt8], _ reading: SheetReading = SheetReading()) async -> String {
    let problem = await #expect(throws: Problem.self) { try await SheetContent(bytes, reading) }
    #expect(problem?.kind == .badData)
    return problem?.summary ?? ""
  }

  @Test(
    "cells",
    arguments: [
      (
        "<row r=\"2\"><c r=\"B1\"><v>1</v></c></row>",
        "t.xlsx:xl/worksheets/sheet1.xml: invalid cell reference “B1” in row 2, at byte 133"
      ),
      ("<row r=\"1\"/>", "t.xlsx:xl/worksheets/sheet1.xml: invalid row number after row 1, at byte 114"),
      ("<row r=\"1048577\"/>", "t.xlsx:xl/worksheets/sheet1.xml: more than 1048576 rows, at byte 120"),
      (
        "<row r=\"99999999999999999999\"/>",
        "t.xlsx:xl/worksheets/sheet1.xml: invalid row number after row 1, at byte 133"
      ),
      (
        "<row><c r=\"XFE2\"/></row>",
        "t.xlsx:xl/worksheets/sheet1.xml: invalid cell reference “XFE2” in row 2, at byte 121"
      ),
      ("<row><c r=\"B2\"/><c r=\"A2\"/></row>", "t.xlsx:Sheet1!A2: cells are not in order"),
      ("<row><c t=\"s\"><v>0</v></c></row>", "t.xlsx:Sheet1!A2: shared string 0 does not exist (record 1)"),
      ("<row><c t=\"s\"><v>-1</v></c></row>", "t.xlsx:Sheet1!A2: invalid number of a shared string"),
      ("<row><c t=\"q\"><v>0</v></c></row>", "t.xlsx:Sheet1!A2: unknown cell type"),
      ("<row><c t=\"b\"><v>2</v></c></row>", "t.xlsx:Sheet1!A2: invalid Boolean"),
      ("<row><c><v>1 2</v></c></row>", "t.xlsx:Sheet1!A2: invalid number “1 2”"),
      ("<row><c><v>nan</v></c></row>", "t.xlsx:Sheet1!A2: invalid number “nan”"),
      ("<row><c><v>1</v><v>2</v></c></row>", "t.xlsx:Sheet1!A2: a cell with two values"),
    ])
  func cells(_ rows: String, _ message: String) async throws {
    var book = WorkbookFixture()
    book.rows = head + rows
    let found = await complaint(try book.bytes())
    #expect(found.split(separator: "at byte")[0] == message.split(separator: "at byte")[0])
  }

  @Test(
    "markup",
    arguments: [
      (
        "<!DOCTYPE w [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><worksheet/>",
        "document type declarations are not supported"
      ),
      ("<worksheet><sheetData><row><c t=\"str\"><v>&b;</v></c></row></sheetData></worksheet>", "unknown entity “&b;”"),
      ("<worksheet><sheetData><row>", "unclosed element <row>"), ("<worksheet", "unterminated tag"),
      ("<worksheet></sheetData>", "unexpected closing tag </sheetData>"),
      ("<worksheet/><a/>", "more than one root element"),
      ("<html/>", "expected a worksheet"), ("<worksheet><!-- ", "unterminated comment"),
      ("", "no root element"),
      ("<worksheet a=1/>", "missing quote"), ("<worksheet><![CDATA[x</worksheet>", "unterminated CDATA section"),
      ("<?xml version='1.0' encoding='ISO-8859-1'?><worksheet/>", "is encoded in iso-8859-1; only UTF-8 is supported"),
      ("<worksheet>" + String(repeating: "<a>", count: 200), "elements nested more than 128 levels deep"),
    ])
  func markup(_ sheet: String, _ message: String) async throws {
    var book = WorkbookFixture()
    book.sheet = sheet
    let found = await complaint(try book.bytes())
    #expect(found.hasPrefix("t.xlsx:xl/worksheets/sheet1.xml: \(message), at byte "), "\(found)")
  }

  @Test("a text larger than the limit") func largeText() async throws {
    var book = WorkbookFixture(), reading = SheetReading()
    reading.maximumField = 1 << 20
    for element in ["t=\"str\"><v>*</v>", "t=\"inlineStr\"><is><t>*</t></is>"] {
      book.rows = head + "<row><c \(element.replacing("*", with: String(repeating: "x", count: 2 << 20)))</c></row>"
      #expect(await complaint(try book.bytes(), reading).contains("a text is larger than 1 MiB, at byte"))
    }
  }

  @Test("an archive that is truncated anywhere is refused") func truncated() async throws {
    var book = WorkbookFixture()
    book.rows = head + (0..<50).map { "<row><c><v>\($0 * 7919)</v></c></row>" }.joined()
    let bytes = try book.bytes()
    for count in stride(from: 0, to: bytes.count, by: 7) {
      let found = await complaint(Array(bytes[..<count]))
      #expect(found.hasPrefix("t.xlsx"), "\(count): \(found)")
    }
  }

  @Test("an archive with one byte changed gives the same rows or a problem") func changed() async throws {
    var book = WorkbookFixture()
    book.rows = head + (0..<20).map { "<row><c><v>\($0 * 7919)</v></c></row>" }.joined()
    let bytes = try book.bytes(), rows = try await book.table().rows
    var refused = 0
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= 0x15
      do {
        let found = try await SheetContent(changed)
        #expect(found.rows == rows, "byte \(position)")
      } catch let problem as Problem {
        #expect(problem.kind == .badData, "\(position): \(problem)")
        refused += 1
      }
    }
    // Dates, versions and the parts without cells may change.
    #expect(refused > bytes.count / 2)
  }

  @Test("encryption, other compression, wrong checksums, two entries of a name, and no workbook") func archives()
    async throws
  {
    var book = WorkbookFixture()
    book.rows = head
    let bytes = try book.bytes()
    // The fields of the last central entry, that of the sheet, from its mark on.
    guard let entry = bytes.indices.last(where: { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) }) else { return }
    func with(_ offset: Int, _ value: UInt8) -> [UInt8] {
      var changed = bytes
      changed[entry + offset] = value
      return changed
    }
    #expect(await complaint(with(8, bytes[entry + 8] | 1)) == "t.xlsx: the archive is encrypted")
    #expect(
      await complaint(with(10, 99))
        == "t.xlsx:xl/worksheets/sheet1.xml: unsupported compression method 99; supported: deflate")
    #expect(
      await complaint(with(16, bytes[entry + 16] ^ 1))
        == "t.xlsx:xl/worksheets/sheet1.xml: the archive is damaged: wrong checksum")
    #expect(await complaint(with(24, bytes[entry + 24] - 1)).contains("larger than the"))
    #expect(await complaint(with(24, bytes[entry + 24] + 1)).contains("bytes instead of"))
    #expect(await complaint([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]).contains("encrypted workbook"))
    #expect(await complaint([]) == "t.xlsx: the ZIP archive is damaged: it has no end; the file may be truncated")
    var zip = ZipWriter(), out = ByteBuffer()
    try zip.add("a", "b", to: &out)
    zip.finish(&out)
    #expect(await complaint(out.bytes()) == "t.xlsx: is a ZIP archive, but not an xlsx workbook")
    zip = ZipWriter()
    out.removeAll()
    try zip.add("_rels/.rels", "<a/>", to: &out)
    try zip.add("_RELS/.rels", "<a/>", to: &out)
    zip.finish(&out)
    #expect(await complaint(out.bytes()) == "t.xlsx: duplicate entry _rels/.rels")
  }
}
