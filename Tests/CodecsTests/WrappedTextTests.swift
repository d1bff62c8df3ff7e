import Rows
import Testing

@testable import Codecs

@Suite("text on several lines") struct WrappedTextTests {
  private func lines(_ text: String, _ width: Int) -> [String] {
    let bytes = Array(text.utf8), arena = Arena(bytes)
    return WrappedText.lines(of: ByteRun(arena, 0, UInt32(bytes.count)), width: width).map {
      String(decoding: bytes[$0.start..<$0.start + $0.count], as: UTF8.self) + ($0.isCut ? "…" : "")
    }
  }

  @Test(
    "lines break at spaces, and in words that are longer than a line",
    arguments: [
      ("short", 10, ["short"]), ("", 10, [""]), ("one two three", 7, ["one two", "three"]),
      ("one two three four five six", 9, ["one two", "three", "four fiv…"]),
      ("abcdefghijkl", 5, ["abcde", "fghij", "kl"]),
      ("日本語テキスト", 5, ["日本", "語テ", "キス…"]), ("e\u{301}e\u{301}e\u{301} x", 3, ["e\u{301}e\u{301}e\u{301}", "x"]),
      ("日", 1, ["…"]), ("a  b", 2, ["a ", "b"]),
    ])
  func wrapping(_ text: String, _ width: Int, _ expected: [String]) { #expect(lines(text, width) == expected) }

  @Test("no line is wider than the column", arguments: 1...30) func width(_ width: Int) {
    let text = "Say my name. 我是那个敲门的人 – I am the one who knocks! 👩‍🔬🧪 supercalifragilistic"
    let bytes = Array(text.utf8), arena = Arena(bytes)
    let run = ByteRun(arena, 0, UInt32(bytes.count))
    let lines = WrappedText.lines(of: run, width: width)
    #expect(lines.count <= 3 && lines.allSatisfy { $0.width + ($0.isCut ? 1 : 0) <= width })
  }
}
