import Codecs
import Conformance
import Documents
import Rows
import Testing

@Suite("Writing HTML") struct HTMLWriterTests {
  /// The sum of the reports on all batches.
  private struct Report {
    var reportedCells = 0, missingImages = 0, filled = ColumnSet()
  }
  private func write(
    _ rows: [[Value]], _ schema: Schema, policy: PageImages.Policy = .auto, images: PageImages = PageImages()
  ) -> (text: String, written: Report) {
    let columns = schema.columns.indices.map {
      HTMLRowWriter.Column(
        position: $0, label: schema.columns[$0].name,
        isImage: schema.columns[$0].role?.isImage == true && policy != .links)
    }
    let writer = HTMLRowWriter(schema, columns: columns, images: images, policy: policy)
    var markup = Markup(), written = Report()
    for batch in SampleTable("", schema, rows).batches(of: 1) {
      let part = writer.write(batch, &markup)
      written.reportedCells += part.reportedCells
      written.missingImages += part.missingImages
      written.filled.formUnion(part.filled)
    }
    return (String(decoding: markup.bytes(), as: UTF8.self), written)
  }
  private func cell(
    _ value: Value, _ column: ColumnDescription, policy: PageImages.Policy = .auto, images: PageImages = PageImages()
  ) -> String {
    let text = write([[value]], Schema("t", columns: [column]), policy: policy, images: images).text
    // A text is the title of such a table, and the header of its row.
    let beginning = column.type == .text ? "<tr><th scope=\"row\">" : "<tr><td>"
    #expect(text.hasPrefix(beginning) && text.hasSuffix("\n"))
    return String(text.dropFirst(beginning.count).dropLast())
  }
  private let text = ColumnDescription("a", .text), url = ColumnDescription("a", .url)
  private let nested = ColumnDescription("a", .json), image = ColumnDescription("a", .list(.url), role: .image)

  @Test("text cannot become markup") func markup() {
    #expect(cell(.text("<script>\"&'\0"), text) == "&lt;script&gt;&quot;&amp;'\u{FFFD}")
    #expect(write([[.text("a\0")], [.text("b")], [.null]], Schema("t", columns: [text])).written.reportedCells == 1)
  }

  @Test("addresses are links without what they have in common") func links() {
    #expect(
      cell(.text("https://www.e.org/?a=1&b=\"x"), url)
        == "<a rel=\"noopener\" href=\"https://www.e.org/?a=1&amp;b=&quot;x\">e.org/?a=1&amp;b=&quot;x</a>")
    #expect(cell(.text("mailto:a@b.c"), text) == "<a href=\"mailto:a@b.c\">a@b.c</a>")
    #expect(cell(.text("http://www."), text).contains(">www.</a>"))
  }

  @Test(
    "other text is neither a link nor an image",
    arguments: [
      "javascript:alert(1)", "data:text/html,x", " https://e.org", "vbscript:x", "https://", "HTTPS:e.org", "//e.org",
      "javascript:alert(1)//.jpg", "../../etc/passwd", "file:///etc/passwd",
    ])
  func noLink(_ value: String) {
    #expect(!cell(.text(value), text).contains("<a"))
    let shown = cell(.json(JSON.array([.string(value)]).canonicalBytes), image)
    #expect(!shown.contains("<a") && !shown.contains("<img"))
  }

  @Test("the first image is a thumbnail, the others are links") func images() {
    let two: Value = .json(Array(#"["https://e.org/1.jpg","https://e.org/2"]"#.utf8))
    #expect(
      cell(two, image) == """
        <a href="https://e.org/1.jpg" data-n="+1"><img loading="lazy" decoding="async" width="42" height="32" \
        alt="image, image 1 of 2" src="https://e.org/1.jpg"></a> <a href="https://e.org/2" aria-label="image 2">2</a>
        """)
    #expect(!cell(two, image, policy: .local).contains("<img"))
    #expect(write([[two]], Schema("t", columns: [image]), policy: .local).written.missingImages == 2)
    var local = PageImages()
    let file = PageAddress(path: ["images", "Better%20Call: 1.jpg"])
    var still: [UInt8] = Array("GIF89a".utf8)
    still += [128, 2, 104, 1]
    local[Array("https://e.org/1.jpg".utf8)] = PageImages.Image(file, ImageSize(still))
    let shown = cell(two, image, policy: .local, images: local)
    #expect(shown.contains("width=\"56\" height=\"32\""), "\(shown)")
    #expect(shown.contains("src=\"images/Better%2520Call%3A%201.jpg\""))
    // A list that a file holds as text is a list, too.
    for text in [#"["https://e.org/1.jpg", "https://e.org/2"]"#, "https://e.org/1.jpg https://e.org/2"] {
      #expect(cell(.text(text), image, policy: .local, images: local) == shown)
    }
    #expect(cell(.text("https://e.org/1.jpg and more"), image, policy: .local, images: local).contains("and more"))
  }

  @Test("a name of white space is not a header") func spaceNames() {
    let spaces: [Value] = [.null, .text(""), .text(" "), .text("\u{A0}\t")]
    let rows = write((spaces + [.text(" a"), .text("é")]).map { [$0] }, Schema("t", columns: [text])).text.split(
      separator: "\n")
    #expect(rows.count == 6 && rows.prefix(4).allSatisfy { $0.hasPrefix("<tr><td>") })
    #expect(rows.suffix(2).allSatisfy { $0.hasPrefix("<tr><th scope=\"row\">") })
  }

  @Test("lists and objects") func lists() {
    #expect(cell(.json(Array(#"["a","<b>"]"#.utf8)), nested) == "<ul><li>a<li>&lt;b&gt;</ul>")
    #expect(
      cell(.json(Array(#"[{"k":"v","n":null,"l":[1,{}]}]"#.utf8)), nested)
        == "<ul><li><dl><dt>k<dd>v<dt>n<dd><dt>l<dd><ul><li>1<li></ul></dl></ul>")
    #expect(cell(.json(Array("[]".utf8)), nested) == "")
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(cell(.json(Array(deep.utf8)), nested).contains("[[[["))
    let links = "[" + (1...7).map { "\"https://e.org/\($0)\"" }.joined(separator: ",") + "]"
    let folded = cell(.json(Array(links.utf8)), nested)
    #expect(folded.contains("</ul><details><summary>2 more</summary><ul><li>") && !folded.contains("<label>"))
  }

  @Test("long values are folded, and a column with a value is known") func long() {
    let long = String(repeating: "x ", count: 100)
    #expect(
      cell(.text(long), text)
        == "<label><input type=\"checkbox\" aria-label=\"Show all of a\"><span>\(long)</span></label>")
    let schema = Schema("t", columns: [text, ColumnDescription("b", .json)])
    let filled = write([[.null, .json(Array("[]".utf8))], [.text("x"), .null]], schema).written.filled
    #expect(filled.contains(0) && !filled.contains(1))
  }

  @Test("ratings with their stars", arguments: [(9.0, "★★★★½"), (0.0, "☆☆☆☆☆"), (10.0, "★★★★★"), (6.9, "★★★½☆")])
  func stars(_ rating: Double, _ stars: String) {
    #expect(cell(.real(rating), ColumnDescription("rating", .real, unit: "of 10")) == "\(rating) \(stars)")
  }

  @Test("coordinates lead to a map, where there is such a place") func map() {
    let schema = Schema(
      "places", columns: [ColumnDescription("latitude", .real), ColumnDescription("longitude", .real)])
    let link = "<a rel=\"noopener\" href=\"https://www.openstreetmap.org/?mlat=47.05&amp;mlon=-8.3#map=15/47.05/-8.3\">"
    #expect(
      write([[.real(47.05), .real(-8.3)], [.real(91), .real(0)], [.real(1), .null]], schema).text
        == "<tr><td>\(link)47.05</a><td>\(link)-8.3</a>\n<tr><td>91.0<td>0.0\n<tr><td>1.0<td>\n")
  }

  @Test("a style sheet has no data but in escapes") func styleSheet() {
    var sheet = StyleSheet()
    sheet.append(quoted: "a\"}</style>\\é\n\0")
    #expect(String(decoding: sheet.text, as: UTF8.self) == #""a\22 \7d \3c \2f style\3e \5c \e9 \a \fffd ""#)
  }
}
