import Rows
import Testing

@Suite("text in messages") struct MessageTextTests {
  @Test("long text is shortened in the middle, at whole letters") func shortened() {
    let long = MessageText.shortened("begin" + String(repeating: "é", count: 100_000) + "end")
    #expect(long.utf8.count <= 500 && long.utf8.count > 490 && long.hasPrefix("begin") && long.hasSuffix("end"))
    #expect(long.contains("…") && !long.contains("\u{FFFD}"))
    let exact = String(repeating: "x", count: 500)
    #expect(MessageText.shortened(exact) == exact && MessageText.shortened("a\r\nb\u{2028}c") == "a  b c")
  }

  @Test("random text becomes one line of at most the limit") func random() {
    var random = SystemRandomNumberGenerator()
    let letters: [Unicode.Scalar] = ["a", "é", "漢", "👩", "\u{301}", "\n", "\r", "\u{85}", "\u{2029}", "\u{0}"]
    for _ in 0..<2000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...900, using: &random) { text.append(letters.randomElement() ?? "a") }
      let limit = Int.random(in: 8...500, using: &random), short = MessageText.shortened(String(text), to: limit)
      #expect(
        short.utf8.count <= limit
          && !short.unicodeScalars.contains { [10, 13, 0x85, 0x2028, 0x2029].contains($0.value) })
    }
    var problem = Problem(.badData, String(repeating: "m", count: 200_000))
    problem.place = String(repeating: "p", count: 200_000)
    problem.hint = .advice(String(repeating: "h", count: 200_000))
    #expect(problem.description.utf8.count <= 3 * 500 + 4)
  }
}
