import Domain
import Glibc
import Testing

@Suite("folding") struct FoldTests {
  static func fold(_ text: String) -> String { String(decoding: Fold.folded(text), as: UTF8.self) }

  @Test(
    "case and marks do not count",
    arguments: [
      ("ABIQUIÚ", "abiquiu"), ("Straße", "strasse"), ("ıI", "ii"), ("İ", "i"), ("ﬁ", "fi"), ("Ǆ", "ǆ"),
      ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("e\u{301}", "e"), ("", ""),
      ("Ωμέγα", "ωμεγα"), ("ЙОД", "иод"), ("日本語", "日本語"), ("🚗", "🚗"), ("Å", "a"),
    ])
  func examples(text: String, folded: String) { #expect(Self.fold(text) == folded) }

  @Test("composed and decomposed text fold alike, also Hangul") func twins() {
    #expect(Fold.folded("\u{D55C}\u{AE00}") == Fold.folded("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"))
    #expect(Fold.folded("\u{AC00}") == Array("\u{1100}\u{1161}".utf8))
    #expect(Fold.folded("ñ") == Fold.folded("n\u{303}"))
  }
  @Test("bytes that are no UTF-8 stay as they are") func invalid() {
    #expect(Fold.folded([0x41, 0xE2, 0x82]) == [0x61, 0xE2, 0x82])
  }
  @Test("words are runs of letters and digits") func words() {
    #expect(Words.folded("It's 5x14—Más, ¿no?") == ["it", "s", "5x14", "mas", "no"].map { Array($0.utf8) })
  }

  @Test("agrees with Python's Unicode data on every character") func python() throws {
    let script = """
      import sys, unicodedata as u
      s = lambda t: ''.join(c for c in u.normalize('NFD', t) if u.category(c)[0] != 'M')
      f = lambda c: 'i' if c == 'ı' else s(s(c).casefold())
      w = sys.stdout.buffer.write
      [w(('%x %s\\n' % (i, f(chr(i)).encode().hex())).encode()) for i in range(128, 0x110000) if not 0xD800 <= i <= 0xDFFF and u.category(chr(i)) != 'Cn']
      """
    guard let pipe = unsafe popen("python3 -c \"\(script.replacing("\"", with: "\\\""))\" 2>/dev/null", "r") else {
      return
    }
    defer { unsafe pclose(pipe) }
    var line = [CChar](repeating: 0, count: 256), checked = 0, wrong: [String] = []
    while unsafe fgets(&line, 256, pipe) != nil {
      let words = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, let code = UInt32(words[0], radix: 16), let scalar = Unicode.Scalar(code) else {
        continue
      }
      let hex = Fold.folded(String(Character(scalar))).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      if hex != words[1] { wrong.append(String(code, radix: 16)) }
      checked += 1
    }
    if checked == 0 { print("skipped: python3 is not installed") }
    #expect(wrong.isEmpty, "\(wrong.prefix(20))")
  }
}
