import Documents
import Rows
import Testing

@Suite("Documents with tables") struct TableDocumentTests {
  /// The text that a table of a document becomes, read in pieces of any size.
  private func text(
    _ document: String, _ format: DocumentFormat, table: String? = nil, limit: Int = 1 << 20
  ) throws -> String {
    let tables = DocumentTables(format, limit: limit) { MemoryByteSource(document, name: "x") }
    guard let name = try table ?? tables.names().first else { return "" }
    let rows = try tables.text(of: name)
    var bytes: [UInt8] = []
    var piece = ArenaBuilder(capacity: 64)
    while try rows.read(into: &piece, limit: Int.random(in: 1...64)) > 0 {
      bytes += piece.bytes
      piece.removeAll()
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "Markdown: what a renderer shows is read",
    arguments: [
      ("| a | b |\n|---|--:|\n| x | 1 |\n| **b** |\n\nrest", "\"a\",\"b\"\n\"x\",\"1\"\n\"b\",\n"),
      ("a | b\n:-: | -\n`x\\|y` | a\\|b\n", "\"a\",\"b\"\n\"x|y\",\"a|b\"\n"),
      ("|a|\n|-|\n|[_t_](<http://x>)&amp;&#32;|\n", "\"a\"\n\"t& \"\n"),
      ("|a|\n|-|\n|<http://x.y> a<br>b|\n# end\n|c|\n", "\"a\"\n\"http://x.y a\nb\"\n"),
      ("```\n|no|\n|--|\n```\n|a|\n|:-|\n| snake_case *s* 2 * 3 |\n", "\"a\"\n\"snake_case s 2 * 3\"\n"),
    ]) func markdown(_ document: String, _ expected: String) throws
  {
    #expect(try text(document, .markdown) == expected)
  }

  @Test("Markdown: tables have the names of their headings, each different") func markdownTables() throws {
    let document = "# Prices\n|a|\n|-|\n|1|\n\n|b|\n|-|\n|2|\n## *Cities*\n|c|\n|-|\n|3|\n"
    #expect(
      try DocumentTables(.markdown, limit: 1000) { MemoryByteSource(document, name: "x") }.names() == [
        "Prices", "Prices 2", "Cities",
      ])
    #expect(try text(document, .markdown, table: "Cities") == "\"c\"\n\"3\"\n")
  }

  @Test(
    "HTML: tables of any program are read as browsers read them",
    arguments: [
      ("<TABLE><tr><th>a<th>b<tr><td>1<td> x\n y </table>", "\"a\",\"b\"\n\"1\",\"x y\"\n"),
      (
        "<table><thead><tr><th colspan=2>n</th></tr><tr><th>a</th><th>b</th></tr></thead><tr><td rowspan=\"2\">1</td><td>2</td></tr><tr><td>3</td></tr></table>",
        "\"n a\",\"n b\"\n\"1\",\"2\"\n\"1\",\"3\"\n"
      ),
      (
        "<script>'<table>'</script><!-- <table> --><table><tr><td>a<td>b<tr><td>x&eacute;&lt;&nbsp;<td>p<br>q<p>r</table>",
        "\"a\",\"b\"\n\"xé<\u{A0}\",\"p\nq\nr\"\n"
      ),
      (
        "<table><tr><th>a<tr><td><table><tr><td>in<td>side</table>out<tr><td title='>'></table>",
        "\"a\"\n\"in side out\"\n\n"
      ),
    ]) func html(_ document: String, _ expected: String) throws
  {
    #expect(try text(document, .html) == expected)
  }

  @Test("HTML: tables have the names of their captions, headings or ids") func htmlTables() throws {
    let document =
      "<h2>A &amp; B</h2><table><tr><td>x</table><table><caption> C </caption><tr><td>y</table><table id=z><tr><td>z</table>"
    #expect(
      try DocumentTables(.html, limit: 1000) { MemoryByteSource(document, name: "x") }.names() == [
        "A & B", "C", "A & B 2",
      ])
  }

  @Test(
    "YAML: block and flow collections, scalars of every style",
    arguments: [
      ("- a: 1\n  b: x # no\n- a: -2.50\n", "{\"a\":1,\"b\":\"x\"}\n{\"a\":-2.50}\n"),
      ("---\n# c\n-   a: ~\n    'b c': \"\\u00e9\\n\\ud83d\\ude00\"\n", "{\"a\":null,\"b c\":\"é\\n😀\"}\n"),
      (
        "- a: [1, 'x', {k: true}]\n  b:\n  - p\n  - q: 1\n    r: yes\n",
        "{\"a\":[1,\"x\",{\"k\":true}],\"b\":[\"p\",{\"q\":1,\"r\":\"yes\"}]}\n"
      ),
      (
        "- a: |\n    one\n      two\n\n  b: >-\n    p\n    q\n\n    r\n",
        "{\"a\":\"one\\n  two\\n\",\"b\":\"p q\\nr\"}\n"
      ),
      (
        "- zip: 007\n  hex: 0x1F\n  t: 10:30\n  u: http://x#y\n  d: 2024-01-05\n",
        "{\"zip\":\"007\",\"hex\":\"0x1F\",\"t\":\"10:30\",\"u\":\"http://x#y\",\"d\":\"2024-01-05\"}\n"
      ),
      ("- a: plain\n    more\n", "{\"a\":\"plain more\"}\n"), ("[]\n", ""),
      ("- 'it''s: x': 1\n  \"b: \": [{c: 1, \"d\":2}, ]\n", "{\"it's: x\":1,\"b: \":[{\"c\":1,\"d\":2}]}\n"),
      (
        "- a: 'x: y\n    more # text\n\n    end\n\n\n    '\n  b: \"p\\\n    \\ q\n\n    r\"\n  c: ['s\n\n    t',\n    u]\n",
        "{\"a\":\"x: y more # text\\nend\\n\\n\",\"b\":\"p q\\nr\",\"c\":[\"s\\nt\",\"u\"]}\n"
      ),
      ("a: 1\nb:\n  c: x # y\n", "{\"a\":1,\"b\":{\"c\":\"x\"}}\n"),
      ("%YAML 1.2\n---\na: 1\n...\n---\n\na: [{b: 1}]\n---\n", "{\"a\":1}\n{\"a\":[{\"b\":1}]}\n"),
      ("a: 1\nb:\n  c:\n  - d: 1\n  - d: 2\n---\n# e\n", "{\"d\":1}\n{\"d\":2}\n"),
      ("[{a: 1}, {a: 2}]", "{\"a\":1}\n{\"a\":2}\n"), ("- a: 1\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}\n"),
    ]) func yaml(_ document: String, _ expected: String) throws
  {
    #expect(try text(document, .yaml) == expected)
  }

  @Test(
    "SQL: literals of every system, and the expressions that bb writes",
    arguments: [
      (
        "CREATE TABLE \"t\" (a int, \"b;\" text, PRIMARY KEY(a));INSERT INTO t VALUES(1,'it''s'),(-2.5,NULL);",
        "{\"a\":1,\"b;\":\"it's\"}\n{\"a\":-2.5,\"b;\":null}\n"
      ),
      (
        "/* x; */ INSERT INTO s.`t` (`a`) VALUES (TRUE); -- '\ninsert into t(a) values(X'00ff');",
        "{\"a\":true}\n{\"a\":\"AP8=\"}\n"
      ),
      (
        "INSERT INTO t(a) VALUES(CAST(X'610062' AS TEXT)),(replace('a~b','~','\r')),(-(round(3)*1e0)/(round(2)*1e0));",
        "{\"a\":\"a\\u0000b\"}\n{\"a\":\"a\\rb\"}\n{\"a\":-1.5}\n"
      ),
    ]) func sql(_ document: String, _ expected: String) throws
  {
    #expect(try text(document, .sql) == expected)
  }

  @Test(
    "SQL: backslashes are text, unless MySQL takes them for escapes",
    arguments: ["", "/*! SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES' */;"])
  func backslashes(_ start: String) throws {
    let document = start + "INSERT INTO t(x) VALUES ('C:\\'),('a\\nb')\n, ('\\') ;"
    #expect(try text(document, .sql) == "{\"x\":\"C:\\\\\"}\n{\"x\":\"a\\\\nb\"}\n{\"x\":\"\\\\\"}\n")
  }

  @Test("SQL and Singer: rows of several tables may alternate") func interleaved() throws {
    let sql = "/*!40101 SET a */;\nINSERT INTO a(x) VALUES(1);INSERT INTO b(x) VALUES(2);INSERT INTO a(x) VALUES(3);"
    #expect(try text(sql, .sql, table: "a") == "{\"x\":1}\n{\"x\":3}\n")
    let singer = ["a", "b", "a"].map { "{\"type\":\"RECORD\",\"stream\":\"\($0)\",\"record\":{\"x\":1.10}}" }
      .joined(separator: "\n{\"type\":\"STATE\",\"value\":{}}\n")
    #expect(try text(singer, .singer, table: "a") == "{\"x\":1.10}\n{\"x\":1.10}\n")
    #expect(try text(singer, .singer, table: "b") == "{\"x\":1.10}\n")
  }

  @Test("GeoJSON: points have coordinates, other geometries stay") func features() throws {
    let document =
      "{\"name\":\"x\",\"type\":\"FeatureCollection\",\"features\":[ {\"type\":\"Feature\",\"id\":7,\"geometry\":{\"type\":\"Point\",\"coordinates\":[8.30,47.05,1]},\"properties\":{\"n\":\"}\\\"\"}},\n{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]},\"properties\":null}]}"
    #expect(
      try text(document, .geojson)
        == "{\"id\":7,\"n\":\"}\\\"\",\"latitude\":47.05,\"longitude\":8.30,\"elevation\":1}\n{\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}}\n"
    )
  }

  @Test(
    "GeoJSON: a feature or a geometry alone",
    arguments: [
      (
        "{\"properties\":{\"n\":1},\"bbox\":[],\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[8,47]}}",
        "{\"n\":1,\"latitude\":47,\"longitude\":8}\n"
      ), ("{\"type\":\"Point\",\"coordinates\":[8,47]}", "{\"latitude\":47,\"longitude\":8}\n"),
      (
        "{\"type\":\"MultiPoint\",\"coordinates\":[[8,47]]}",
        "{\"geometry\":{\"type\":\"MultiPoint\",\"coordinates\":[[8,47]]}}\n"
      ), ("{\"type\":\"Feature\",\"geometry\":null,\"id\":1}", "{\"id\":1}\n"),
    ]) func feature(_ document: String, _ expected: String) throws
  {
    #expect(try text(document, .geojson) == expected)
  }

  @Test("GPX and KML: a column for each element, a table for each kind of point") func places() throws {
    let gpx =
      "<?xml version=\"1.0\"?><gpx xmlns=\"x\"><wpt lat=\"47.05\" lon=\"8.3\"><ele>1</ele><name> A </name><extensions><b:k name=\"my k\">v&#32;</b:k></extensions></wpt><trk><name>T</name><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>"
    #expect(
      try text(gpx, .gpx)
        == "\"latitude\",\"longitude\",\"elevation\",\"name\",\"my k\"\n\"47.05\",\"8.3\",\"1\",\"A\",\"v \"\n")
    #expect(
      try text(gpx, .gpx, table: "tracks")
        == "\"latitude\",\"longitude\",\"track\",\"segment\"\n\"1\",\"2\",\"T\",\"1\"\n")
    let kml = [
      "<kml><Document><Folder><name>F</name><Placemark><name>A</name>",  // prose-lint: ignore
      "<ExtendedData><Data name=\"n\"><value>1</value></Data></ExtendedData>",
      "<Point><coordinates> 8.3,47.05,2 </coordinates></Point>",
      "</Placemark></Folder></Document></kml>",  // prose-lint: ignore
    ].joined()
    #expect(
      try text(kml, .kml)
        == "\"folder\",\"name\",\"n\",\"longitude\",\"latitude\",\"elevation\"\n\"F\",\"A\",\"1\",\"8.3\",\"47.05\",\"2\"\n"
    )
  }

  @Test("vCard: a column for each property, and for its repetition") func vcard() throws {
    let document =
      "BEGIN:VCARD\nVERSION:4.0\nFN:A\nBDAY:19660307\nTEL:1\nTEL:2\nX-BB-MY-NOTE:n\nEND:VCARD\nBEGIN:VCARD\nN:Müller;Jo;;;\nEND:VCARD\n"
    #expect(
      try text(document, .vcard)
        == "\"name\",\"birth_date\",\"phone\",\"phone_2\",\"my_note\"\n\"A\",\"1966-03-07\",\"1\",\"2\",\"n\"\n\"Müller, Jo\",,,,\n"
    )
  }

  @Test(
    "Text that is not a table is refused with its line",
    arguments: [
      (DocumentFormat.markdown, "|a|\n|-|\n|1|2|\n", "x:3: expected 1 cells, found 2"),
      (.yaml, "\na\n", "x:2: expected mappings"), (.yaml, "- a: &x 1\n", "x:1: anchors"),
      (.yaml, "a: 1\n- b: 1\n", "x:2: unexpected"), (.yaml, "--- a: 1\n", "x:1: expected mappings"),
      (.yaml, "a: [{}]\nb: {c: [{}]}\n", "x:1: expected one sequence of mappings, found several: /a, /b/c"),
      (.yaml, "a: [{}, 1]\n", "x:1: expected mappings"),
      (.geojson, "{\"type\":\"Feature\"}", "x:1: expected a Feature"),
      (.yaml, "a: \(String(repeating: "x", count: 1 << 20))", "x:1: a value is larger"),
      (.yaml, "- a: \"x\n", "x:1: unterminated"), (.sql, "INSERT INTO t VALUES(now());", "x:1: expected a literal"),
      (.sql, "CREATE TABLE t(a,b);\nINSERT INTO t VALUES(1);", "x:2: expected 2 values, found 1"),
      (.sql, "INSERT INTO t VALUES('it\\'s');", "x:1: text has backslashes"),
      (.sql, "INSERT INTO t VALUES('\\'','b');", "x:1: text has backslashes"),
      (.sql, "INSERT INTO t VALUES('say \\'');", "x:1: text has backslashes"),
      (.sql, "/*!40101 SET a */;\nINSERT INTO t VALUES('a\\nb');", "x:2: text has backslashes"),
      (.sql, "INSERT INTO t VALUES(1 2);", "x:1: expected a comma or the end of the row"),
      (.sql, "INSERT INTO t VALUES(\(String(repeating: "(", count: 1_000_000))", "x:1: nested deeper than 64"),
      (.singer, "[]\n", "x:1: expected a message"),
      (.geojson, "{\"type\":\"Point\"}", "x:1: expected a FeatureCollection"),
      (.html, "<table><tr><td>a<tr><td>1<td>2</table>", "x:1: expected 1 cells, found 2"),
    ]) func refused(_ format: DocumentFormat, _ document: String, _ message: String)
  {
    let problem = #expect(throws: Problem.self) { try text(document, format) }
    #expect(
      problem?.kind == .badData && problem?.description.hasPrefix(message) == true, "\(problem?.description ?? "")")
  }

  @Test("Any bytes are rows or a problem", arguments: DocumentFormat.all) func anything(_ format: DocumentFormat) {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "|", "a", "-", "\n", "- ", ": ", "\"", "'", "\\", "[", "]", "{", "}", "<", ">", "<table>", "<tr>", "<td>",
      "</table>", "&amp;",
      "INSERT INTO t VALUES", "(", ")", ",", ";", "1", "*", "`", "\u{E9}", "BEGIN:VCARD\n", "END:VCARD\n", "FN:",
      "{\"type\":\"RECORD\",", "  ",
      "{\"type\":\"FeatureCollection\",\"features\":[", "|-|\n",
    ]
    for _ in 0..<2000 {
      let document = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      do { _ = try text(document, format) } catch { #expect(!(error is Problem) || (error as? Problem)?.kind != .bug) }
    }
  }

  @Test(
    "A value larger than the limit is refused",
    arguments: [
      (DocumentFormat.markdown, "|a|\n|-|\n|", "x", "|\n"), (.html, "<table><tr><td>a<tr><td>", "x", "</table>"),
      (.yaml, "- a: ", "x", "\n"), (.yaml, "- a: 1\n", "\n", ""), (.yaml, "a: 1\n", "#\n", ""),
      (.sql, "INSERT INTO t VALUES('", "x", "');"), (.singer, "{\"a\":\"", "x", "\"}"),
      (.vcard, "BEGIN:VCARD\nFN:A\nNOTE:", "x\n ", "\nEND:VCARD\n"),
    ]) func limits(_ format: DocumentFormat, _ start: String, _ part: String, _ end: String)
  {
    let document = start + String(repeating: part, count: 5000) + end
    let problem = #expect(throws: Problem.self) { try text(document, format, limit: 1000) }
    #expect(problem?.description.contains("larger than") == true)
  }
}
