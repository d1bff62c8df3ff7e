import Codecs
import Conformance
import Documents
import Rows
import Testing

@Suite("Tables and records for the eye") struct DisplayWriterTests {
  private let schema = Schema(
    "t",
    columns: [ColumnDescription("id", .integer), ColumnDescription("name", .text), ColumnDescription("note", .text)])

  private func table(_ rows: [[Value]], terminal: Int? = nil, schema: Schema? = nil, style: TerminalStyle = .plain)
    -> String
  {
    let schema = schema ?? self.schema
    var widths: [ColumnWidths] = []
    let batches = SampleTable("", schema, rows).batches(of: 2)
    for batch in batches { TableWriter.measure(batch, schema, forTerminal: terminal != nil, into: &widths) }
    let writer =
      terminal.map {
        TableWriter(schema, layout: TableLayout(schema, widths, width: $0, isChosen: false), style: style)
      } ?? TableWriter(schema, widths: widths)
    var out = ByteBuffer(capacity: 16)
    writer.begin(&out)
    for batch in batches { _ = writer.write(batch, &out) }
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test("aligned by what a terminal shows") func aligned() {
    let rows: [[Value]] = [
      [.integer(1), .text("Walter"), .null], [.integer(100), .text("漢字"), .text("x")],
      [.null, .text("e\u{301}👩‍👩‍👧‍👦🇩🇪"), .text("y")],
    ]
    #expect(
      table(rows) == """
         id │ name   │ note
        ────┼────────┼─────
          1 │ Walter │
        100 │ 漢字   │ x
            │ e\u{301}👩‍👩‍👧‍👦🇩🇪  │ y

        """)
  }

  @Test("no line ends in blanks of alignment, blanks of values stay") func blanks() {
    let lines = table([[.integer(1), .null, .null], [.null, .null, .text("a ")]]).split(separator: "\n")
    #expect(lines[2] == " 1 │      │")
    #expect(lines[3] == "   │      │ a ")
  }

  @Test("a terminal's width is kept, numbers stay whole", arguments: [10, 20, 30, 40, 79])
  func fits(_ width: Int) {
    let rows: [[Value]] = [
      [.integer(123_456), .text(String(repeating: "漢", count: 40)), .text(String(repeating: "long ", count: 20))]
    ]
    let text = table(rows, terminal: width)
    for line in text.split(separator: "\n") {
      #expect(line.unicodeScalars.reduce(0) { $0 + ($1.value > 0x3000 ? 2 : 1) } <= width)
    }
    if width >= 40 { #expect(text.contains("123456")) }
    #expect(text.contains("…"))
  }

  private let people = Schema(
    "people", key: ["id"],
    columns: [
      ColumnDescription("id", .integer), ColumnDescription("name", .text, role: .title),
      ColumnDescription("nick", .text),
      ColumnDescription("born", .date), ColumnDescription("faces", .list(.url), role: .image),
      ColumnDescription("seasons", .list(.integer)), ColumnDescription("alive", .boolean),
      ColumnDescription("site", .url), ColumnDescription("created_at", .timestamp, role: .audit),
    ])
  private let walter: [Value] = [
    .integer(1), .text("Walter White"), .null, .text("1958-09-07"), .json(Array(#"["https://e.org/1.jpg"]"#.utf8)),
    .json(Array("[1,2,3,5,7,8]".utf8)), .boolean(false), .text("https://e.org/w"), .text("2026-01-01T00:00:00Z"),
  ]

  @Test("a terminal shows the title and the key first, then what fits; images, times and empty columns never")
  func columns() {
    func header(_ width: Int) -> String {
      table([walter], terminal: width, schema: people).split(separator: "\n").first.map(String.init) ?? ""
    }
    #expect(header(20) == "name         │ alive")
    #expect(header(32) == "id │ name         │ born")
    #expect(header(100) == "id │ name         │ born       │ seasons      │ alive │ site")
    #expect(table([walter], terminal: 100, schema: people).contains("1–3, 5, 7, 8 │ no    │ https://e.org/w"))
  }

  @Test("hidden and empty columns are known") func leftOut() {
    var widths: [ColumnWidths] = []
    for batch in SampleTable("", people, [walter]).batches(of: 1) {
      TableWriter.measure(batch, people, forTerminal: true, into: &widths)
    }
    let layout = TableLayout(people, widths, width: 32, isChosen: false)
    #expect(layout.columns == [0, 1, 3] && layout.empty == [2] && layout.hidden == [4, 5, 6, 7, 8])
    let chosen = TableLayout(people, widths, width: 0, isChosen: true)
    #expect(chosen.columns == Array(0..<9) && chosen.hidden.isEmpty)
  }

  @Test("colours and links only add escape sequences", arguments: [20, 32, 60, 200]) func styled(_ width: Int) {
    let rows = [
      walter,
      [.integer(2), .text("\u{1B}[31m\u{9B}2J"), .text("x"), .null, .null, .null, .null, .text("javascript:x"), .null],
    ]
    let plain = table(rows, terminal: width, schema: people)
    let styled = table(rows, terminal: width, schema: people, style: TerminalStyle(isColored: true, hasLinks: true))
    #expect(styled.contains("\u{1B}[1m") && (width < 32 || styled.contains("\u{1B}[36m1\u{1B}[0m")))
    #expect((width < 100) != styled.contains("\u{1B}]8;;https://e.org/w\u{1B}\\https://e.org/w\u{1B}]8;;\u{1B}\\"))
    #expect(!styled.contains("javascript:x\u{1B}\\"))
    let stripped = styled.replacing(/\u{1B}\[[0-9]*m|\u{1B}\]8;;[!-~]*\u{1B}\\/, with: "")
    #expect(stripped == plain)
  }

  @Test("records on a terminal") func recordsOnTerminal() {
    var out = ByteBuffer(capacity: 16)
    let terminal = RecordWriter.Terminal(width: 34, style: .plain, showsAll: false)
    var row = walter
    row[4] = .json(Array(#"["https://e.org/1.jpg","https://e.org/2.jpg"]"#.utf8))
    row[1] = .text("Walter Hartwell White Senior")
    for batch in SampleTable("", people, [row]).batches(of: 1) {
      _ = RecordWriter(people, terminal: terminal).write(batch, &out)
    }
    #expect(
      String(decoding: out.bytes(), as: UTF8.self) == """
        ── Walter Hartwell White Senior ──
                id  1
              name  Walter Hartwell White
                    Senior
              born  1958-09-07
             faces  2 images
           seasons  1–3, 5, 7, 8
             alive  no
              site  https://e.org/w
        created_at  2026-01-01T00:00:00Z
                    (no value: nick)

        """)
  }

  @Test("a file contains long values in full, without padding the other rows to their width") func longValue() {
    let long = String(repeating: "x", count: 100_000)
    let lines = table([[.integer(1), .text(long), .text("y")], [.integer(2), .text("short"), .text("z")]]).split(
      separator: "\n")
    #expect(lines[2] == " 1 │ \(long) │ y")
    #expect(lines[3].utf8.count < 1000 && lines[3].hasSuffix(" │ z"))
  }

  @Test("nothing drives the terminal") func visible() {
    let text = table([[.integer(1), .text("\u{1B}[31m\r\n\t\u{7F}"), .text("\u{9B}2J\u{202E}\u{2028}")]])
    #expect(text.contains("␛[31m␍␊␉␡ │ \\u{9b}2J\\u{202e}\\u{2028}\n"))
  }

  @Test("records") func records() {
    var out = ByteBuffer(capacity: 16)
    let writer = RecordWriter(schema)
    let batches = SampleTable(
      "", schema, [[.integer(1), .text("two\nlines "), .null], [.integer(2), .null, .text("x")]]
    ).batches(of: 1)
    for (position, batch) in batches.enumerated() {
      if position > 0 { out.append(writer.separator) }
      _ = writer.write(batch, &out)
    }
    #expect(
      String(decoding: out.bytes(), as: UTF8.self)
        == "id    1\nname  two␊lines \nnote\n\nid    2\nname\nnote  x\n")
  }

  @Test(
    "Markdown",
    arguments: [
      ("a|b", "a\\|b"), ("two\nlines", "two<br>lines"), ("a\r\nb\rc", "a<br>b<br>c"), (" edge\t", "&#32;edge&#9;"),
      ("<b> & *x* _y_", "&lt;b&gt; & \\*x\\* \\_y\\_"), ("a&b &amp; &#38; &x", "a&b &amp;amp; &amp;#38; &x"),
      (":smile: 10:30:15 a::b", "\\:smile: 10:30:15 a::b"), (":+1: :100: :1: :a b:", "\\:+1: \\:100: :1: :a b:"),
      (
        "a :x: at every place :2nd_place_medal: of the blocks :joy:",
        "a \\:x: at every place \\:2nd\\_place\\_medal: of the blocks \\:joy:"
      ),
      ("\0", "\u{FFFD}"), ("see http://x.y", "see http\\://x.y"), ("12:30", "12:30"), ("www.a.b", "www\\.a.b"),
      ("wow.", "wow."), ("é ü", "é ü"),
      ("https://example.org/a?b=1&c=2", "<https://example.org/a?b=1&c=2>"),
      ("https://example.org/a|b", "[https\\://example.org/a\\|b](<https://example.org/a%7Cb>)"),
      ("javascript:alert(1)", "javascript:alert(1)"), ("me@x.y", "me\\@x.y"), ("\u{9B}x", "\u{FFFD}x"),
      ("  ", "&#32;&#32;"),
    ])
  func markdown(_ value: String, _ expected: String) {
    let schema = Schema("t", columns: [ColumnDescription("a", .text), ColumnDescription("n", .integer)])
    let table = MarkdownTable(schema)
    var out = ByteBuffer(capacity: 16)
    table.begin(&out)
    for batch in SampleTable("", schema, [[.text(value), .integer(1)]]).batches(of: 1) { _ = table.write(batch, &out) }
    #expect(String(decoding: out.bytes(), as: UTF8.self) == "| a | n |\n| --- | ---: |\n| \(expected) | 1 |\n")
  }
}
