import Documents
import Rows
import Testing

@Suite("vCard, read") struct VCardReaderTests {
  private func cards(_ bytes: [UInt8], name: String) throws(Problem) -> [[VCardReader.Property]] {
    var cards: [[VCardReader.Property]] = []
    try VCardReader.read(bytes, name: name) { cards.append($0) }
    return cards
  }

  @Test("lines are unfolded, groups and escapes removed") func properties() throws {
    let cards = try cards(
      Array(
        "\u{FEFF}BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\\, B\r\nitem1.TEL;TYPE=\"a:b\",home:+41\r\nNOTE:one\\nt\r\n wo\r\nEND:VCARD\r\nbegin:vcard\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCl=\nler;Jo\nEND:VCARD\n"
          .utf8), name: "a.vcf")
    #expect(cards.count == 2)
    #expect(cards[0].map(\.name) == ["VERSION", "FN", "TEL", "NOTE"])
    #expect(cards[0][1].text == "A, B" && cards[0][2].value == "+41" && cards[0][3].text == "one\ntwo")
    #expect(cards[0][2].parameters == ["TYPE=\"A:B\",HOME"] && cards[0][3].line == 5)
    #expect(cards[1][0].parts(UInt8(ascii: ";")) == ["Müller", "Jo"])
  }

  @Test("the encoding that a property states is used, and line breaks are LF") func encodings() throws {
    let text =
      "BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Caf=E9=0D=0A=80\nTITLE;charset=windows-1252:"
    let bytes = Array(text.utf8) + [0x80, 0xE9, 0x0A] + Array("NOTE;ENCODING=QUOTED-PRINTABLE:=C3=A9\nEND:VCARD".utf8)
    let card = try #require(try cards(bytes, name: "a.vcf").first)
    #expect(card.map(\.text) == ["Café\n\u{80}", "€é", "é"])
    for value in ["=E9", "=FF=FE"] {
      let bad = Array("BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=x:\(value)\nEND:VCARD".utf8)
      let problem = #expect(throws: Problem.self) { try cards(bad, name: "a.vcf") }
      #expect(problem?.description.hasPrefix("a.vcf:2: the text of NOTE is not UTF-8; use input.encoding") == true)
    }
  }

  @Test(
    "a line outside a card is refused with its number",
    arguments: [
      ("FN:x\n", "a.vcf:1: expected BEGIN:VCARD"), ("BEGIN:VCARD\nx\n", "a.vcf:2: expected a property, NAME:VALUE"),
      ("\nBEGIN:VCARD\nFN:x\n", "a.vcf:2: the card has no END:VCARD"), ("\u{FF}", nil),
    ])
  func refused(_ text: String, _ message: String?) {
    let bytes = message == nil ? [0xFF] : Array(text.utf8)
    let problem = #expect(throws: Problem.self) { try cards(bytes, name: "a.vcf") }
    #expect(problem?.kind == .badData && (message == nil || problem?.description == message))
  }

  @Test("any bytes are cards or a problem") func anything() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "BEGIN:VCARD", "END:VCARD", "\n", "\r\n", " ", ":", ";", "\"", "=", "\\", "N", "ENCODING=QUOTED-PRINTABLE", "é",
      "=C3",
    ]
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0..<14, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      do {
        for card in try cards(Array(text.utf8), name: "x") { _ = card.map { $0.parts(UInt8(ascii: ";")) + [$0.text] } }
      } catch { #expect(error.kind == .badData) }
    }
  }
}
