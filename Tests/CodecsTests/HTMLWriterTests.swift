import Codecs
import Conformance
import Rows
import Testing

@Suite("Writing HTML") struct HTMLWriterTests {
  private func cell(_ value: Value, _ column: ColumnDescription, pictures: Bool = true) -> String {
    let schema = Schema("t", columns: [column])
    let writer = HTMLWriter(schema, showsPictures: pictures)
    var out = ByteBuffer(capacity: 16)
    for batch in SampleTable("", schema, [[value]]).batches(of: 1) { _ = writer.write(batch, &out) }
    let text = String(decoding: out.bytes(), as: UTF8.self)
    #expect(text.hasPrefix("<tr><td") && text.hasSuffix("</td></tr>\n"))
    return String(text.dropFirst(4).dropLast(6))
  }
  private let text = ColumnDescription("a", .text)
  private let nested = ColumnDescription("a", .json)

  @Test("text cannot become markup") func markup() {
    #expect(cell(.text("<script>\"&'\0"), text) == "<td>&lt;script&gt;&quot;&amp;'\u{FFFD}</td>")
  }

  @Test("links and pictures") func links() {
    #expect(
      cell(.text("https://e.org/?a=1&b=\"x"), text)
        == "<td><a rel=\"noopener\" href=\"https://e.org/?a=1&amp;b=&quot;x\">https://e.org/?a=1&amp;b=&quot;x</a></td>"
    )
    #expect(
      cell(.text("https://e.org/a.JPG?x"), text)
        == "<td><a rel=\"noopener\" href=\"https://e.org/a.JPG?x\">"
        + "<img loading=\"lazy\" alt=\"https://e.org/a.JPG?x\" src=\"https://e.org/a.JPG?x\"></a></td>")
    #expect(!cell(.text("https://e.org/a.jpg"), text, pictures: false).contains("<img"))
    #expect(cell(.text("mailto:a@b.c"), text).contains("href=\"mailto:a@b.c\""))
  }

  @Test(
    "what is no link",
    arguments: ["javascript:alert(1)", "data:text/html,x", " https://e.org", "vbscript:x", "https://", "HTTPS:e.org"])
  func noLink(_ value: String) { #expect(!cell(.text(value), text).contains("<a")) }

  @Test("lists and objects") func lists() {
    #expect(cell(.json(Array(#"["a","<b>"]"#.utf8)), nested) == "<td><ul><li>a</li><li>&lt;b&gt;</li></ul></td>")
    #expect(
      cell(.json(Array(#"[{"k":"v","n":null,"l":[1,{}]}]"#.utf8)), nested)
        == "<td><ul><li><dl><dt>k</dt><dd>v</dd><dt>n</dt><dd></dd><dt>l</dt><dd><ul><li>1</li><li></li></ul></dd></dl></li></ul></td>"
    )
    #expect(cell(.json(Array("[]".utf8)), nested) == "<td></td>")
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(cell(.json(Array(deep.utf8)), nested).contains("[[[["))
  }

  @Test("ratings with their stars", arguments: [(9.0, "★★★★½"), (0.0, "☆☆☆☆☆"), (10.0, "★★★★★"), (6.9, "★★★½☆")])
  func stars(_ rating: Double, _ stars: String) {
    let column = ColumnDescription("rating", .real, unit: "of 10")
    #expect(cell(.real(rating), column) == "<td class=\"n\">\(rating) \(stars)</td>")
  }

  @Test("coordinates lead to a map, where there is such a place") func map() {
    let schema = Schema(
      "places", columns: [ColumnDescription("latitude", .real), ColumnDescription("longitude", .real)])
    let writer = HTMLWriter(schema, showsPictures: true)
    var out = ByteBuffer(capacity: 16)
    let rows: [[Value]] = [[.real(47.05), .real(-8.3)], [.real(91), .real(0)], [.real(1), .null]]
    for batch in SampleTable("", schema, rows).batches(of: 3) { _ = writer.write(batch, &out) }
    let link = "<a rel=\"noopener\" href=\"https://www.openstreetmap.org/?mlat=47.05&amp;mlon=-8.3#map=15/47.05/-8.3\">"
    #expect(
      String(decoding: out.bytes(), as: UTF8.self) == """
        <tr><td class="n">\(link)47.05</a></td><td class="n">\(link)-8.3</a></td></tr>
        <tr><td class="n">91.0</td><td class="n">0.0</td></tr>
        <tr><td class="n">1.0</td><td class="n"></td></tr>

        """)
  }
}
