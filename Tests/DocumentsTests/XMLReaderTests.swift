import Documents
import Rows
import Testing

@Suite("XML") struct XMLReaderTests {
  private func document(_ text: String) throws -> XMLElement {
    try XMLElement.document(Array(text.utf8), name: "x")
  }

  @Test("elements, attributes and texts") func elements() throws {
    let root = try document(
      "\u{FEFF}<?xml version=\"1.0\"?><!-- - --><a:b c='1 &lt;' d:e=\"&#x41;&#66;\">x &amp; y\r\n<f/><![CDATA[<&]]></a:b>\n"
    )
    #expect(root.name == "b" && root.attributes == ["c": "1 <", "e": "AB"] && root.text == "x & y\n<&")
    #expect(root.elements.map(\.name) == ["f"] && root["f"]?.text == "")
  }

  @Test(
    "XML that is not well-formed is reported with its position",
    arguments: [
      ("", "x:1:1: no root element"), ("<a>", "x:1:4: unclosed element <a>"),
      ("<a></b>", "x:1:4: unexpected closing tag </b>"),
      ("<a>\n<b c=1/></a>", "x:2:6: missing quote"), ("<a b='1' b='2'/>", "x:1:10: duplicate attribute b"),
      ("<a/><b/>", "x:1:5: more than one root element"), ("x<a/>", "x:1:2: text outside the root element"),
      ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "x:1:1: document type declarations are not supported"),
      ("<a>&b;</a>", "x:1:4: unknown entity “&b;”"),
      ("<a>&#0;</a>", "x:1:4: unknown entity “&#0;”"), ("<a>& </a>", "x:1:4: “&” is not followed by an entity name"),
      ("<a b='<'/>", "x:1:7: “<” in an attribute value"),
      ("<a b='", "x:1:1: unterminated tag"), ("<a><!-- </a>", "x:1:4: unterminated comment"),
      ("<1/>", "x:1:2: missing name"), ("<a b", "x:1:1: unterminated tag"),
      (String(repeating: "<a>", count: 129), "x:1:385: elements nested more than 128 levels deep"),
    ])
  func complaints(text: String, message: String) {
    let problem = #expect(throws: Problem.self) { try document(text) }
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
