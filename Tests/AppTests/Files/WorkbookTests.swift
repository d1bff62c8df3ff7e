import TestSupport
import Testing

/// Workbooks as Python's zipfile and XML parser read them, and databases that are stores.
@Suite("-f xlsx and -f sqlite") struct WorkbookTests {
  /// Compares a workbook with the NDJSON of the same table: every value, every null, and the checksums of the archive.
  private static let reader = #"""
    import json, re, sys, zipfile, datetime
    import xml.etree.ElementTree as tree
    book, lines = zipfile.ZipFile(sys.argv[1]), open(sys.argv[2], encoding="utf-8", newline="\n").read().split("\n")[:-1]
    assert book.testzip() is None and "[Content_Types].xml" in book.namelist()
    for name in book.namelist(): tree.fromstring(book.read(name))
    m = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    undo = lambda text: re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)
    def value(cell):
        if cell.get("t") == "inlineStr": return undo(cell.find(f"{m}is/{m}t").text or "")
        v = cell.find(m + "v")
        if v is None: return None
        if cell.get("t") == "b": return v.text == "1"
        if cell.get("s") == "2": return str(datetime.date(1899, 12, 30) + datetime.timedelta(int(v.text)))
        return float(v.text)
    rows = [[value(cell) for cell in row] for row in tree.fromstring(book.read("xl/worksheets/sheet1.xml")).iter(m + "row")]
    records = [json.loads(line) for line in lines]
    assert rows[0] == list(records[0]), rows[0]
    assert len(rows) == len(records) + 1, len(rows)
    for number, (row, record) in enumerate(zip(rows[1:], records)):
        for found, wanted in zip(row, record.values()):
            if isinstance(wanted, (list, dict)): found = json.loads(found)
            same = found == wanted and (found is None) == (wanted is None) and isinstance(found, bool) == isinstance(wanted, bool)
            assert same, (number, found, wanted)
    """#

  @Test(
    "a workbook holds every value", .enabled(if: Shell().run("python3 --version").status == 0, "no python3 found"))
  func workbook() {
    let shell = Shell()
    shell.write("read.py", Self.reader)
    // More than one compressed piece, with the characters that markup and sheets escape.
    let texts = [
      "a & <b> \"c\"", "_x0041_ and _", "é 🎬 \u{FFFE}", " blanks ", "tab\tline\nreturn\r", "\u{1}\u{1F}", "",
    ]
    var csv = "id,text,score,seen,day,none\n"
    for id in 0..<6000 {
      let text = texts[id % texts.count].replacing("\"", with: "\"\"")
      csv += "\(id),\"\(text)\",\(Double(id) / 8),\(id % 2 == 0),\(id % 3 == 0 ? "1958" : "2013-09-\(10 + id % 20)"),\n"
    }
    shell.write("t.csv", csv)
    let done = shell.run(
      "bb-export --from t.csv --types day=date -o t.xlsx -o t.ndjson -q && python3 read.py t.xlsx t.ndjson")
    #expect(done.status == 0 && done.err == "", "\(done.err)")
  }

  @Test(
    "what a cell cannot hold is refused by name",
    arguments: [("9007199254740993", 1, "every digit"), ("x", 32_768, "32768 characters")])
  func refused(_ value: String, _ times: Int, _ word: String) {
    let shell = Shell()
    shell.write("t.csv", "id,v\n1,2\n2,\(String(repeating: value, count: times))\n")
    let done = shell.run("bb-export --from t.csv -o t.xlsx; echo $?; ls")
    #expect(done.out == "65\nt.csv\n")
    #expect(done.err.contains("column v") && done.err.contains(word) && done.err.contains("record 2"), "\(done.err)")
  }

  @Test("a database is a store, and preserves types and values") func database() {
    let shell = Shell()
    let done = shell.run(
      """
      bb-export characters --source snapshot --limit 5 -o c.db -o c.ndjson -q && bb-export characters --storage sqlite:c.db -f ndjson -q | cmp - c.ndjson \
      && bb-export --from c.db characters -f ndjson -q | cmp - c.ndjson && ls
      """)
    #expect(done.out == "c.db\nc.ndjson\n" && done.err == "")
    #expect(shell.run("bb-export characters --source snapshot -f sqlite -q | head -c 15").out == "SQLite format 3")
  }
}
