import Codecs
import Conformance
import Rows
import Testing

@Suite("Tables and records for the eye") struct DisplayWriterTests {
  private let schema = Schema(
    "t",
    columns: [ColumnDescription("id", .integer), ColumnDescription("name", .text), ColumnDescription("note", .text)])

  private func table(_ rows: [[Value]], terminal: Int? = nil, schema: Schema? = nil) -> String {
    let schema = schema ?? self.schema
    var widths: [Int] = []
    let batches = SampleTable("", schema, rows).batches(of: 2)
    for batch in batches { TableWriter.measure(batch, schema, into: &widths) }
    let writer = TableWriter(schema, widths: widths, terminalWidth: terminal)
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
    #expect(text.contains("123456"))
    #expect(text.contains("…"))
  }

  @Test("in a file a long value is whole, and other rows are not as long") func longValue() {
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
