import Codecs
import Rows
import Testing

@Suite("XML") struct XMLReaderTests {
  private func events(_ text: String) throws -> [XMLReader.Event] {
    var reader = try XMLReader(Array(text.utf8), name: "x"), events: [XMLReader.Event] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test("elements, attributes and texts") func events() throws {
    #expect(
      try events(
        "\u{FEFF}<?xml version=\"1.0\"?><!-- - --><a:b c='1 &lt;' d:e=\"&#x41;&#66;\">x &amp; y\r\n<f/><![CDATA[<&]]></a:b>\n"
      ) == [
        .start("b", ["c": "1 <", "e": "AB"]), .text("x & y\n"), .start("f", [:]), .end("f"), .text("<&"), .end("b"),
      ])
  }

  @Test(
    "what is not well-formed is told with its place",
    arguments: [
      ("", "x:1:1: there is no element"), ("<a>", "x:1:4: <a> is not closed"),
      ("<a></b>", "x:1:8: </b> ends no element"),
      ("<a>\n<b c=1/></a>", "x:2:6: a quote is missing"), ("<a b='1' b='2'/>", "x:1:15: the attribute b comes twice"),
      ("<a/><b/>", "x:1:6: a second document begins"), ("x<a/>", "x:1:2: text outside of the document"),
      ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "x:1:3: a document type is not read"),
      ("<a>&b;</a>", "x:1:4: no entity “&b;”"),
      ("<a>&#0;</a>", "x:1:4: no entity “&#0;”"), ("<a>& </a>", "x:1:4: & begins no entity"),
      ("<a b='<'/>", "x:1:7: < within a value"),
      ("<a b='", "x:1:7: a value is not closed"), ("<a><!-- </a>", "x:1:8: a comment is not closed"),
      ("<1/>", "x:1:2: a name is missing"), ("<a b", "x:1:5: the document ends within an element"),
      (String(repeating: "<a>", count: 129), "x:1:387: more than 128 elements within each other"),
    ])
  func complaints(text: String, message: String) {
    let problem = #expect(throws: Problem.self) { try events(text) }
    #expect(problem?.description == message && problem?.kind == .badData)
  }

  @Test("any bytes are a document or a problem") func anything() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "<a", ">", "</a>", "/>", " b=", "'", "\"", "&amp;", "&", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "é", "\n",
      "<!D", ";", "=",
    ]
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      do { _ = try XMLElement.document(Array(text.utf8), name: "x") } catch { #expect(error.kind == .badData) }
    }
  }
}
