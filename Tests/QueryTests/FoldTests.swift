import Query
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
  @Test("invalid UTF-8 is preserved") func invalid() {
    #expect(Fold.folded([0x41, 0xE2, 0x82]) == [0x61, 0xE2, 0x82])
  }
  @Test("words are runs of letters and digits") func words() {
    #expect(Words.folded("It's 5x14—Más, ¿no?") == ["it", "s", "5x14", "mas", "no"].map { Array($0.utf8) })
  }

  /// Whether there is a Python to compare with.
  static let hasPython = unsafe system("python3 -c '' 2>/dev/null") == 0

  @Test(
    "agrees with Python's Unicode data on every character, and on random strings of them",
    .enabled(if: hasPython, "skipped: python3 is not installed"))
  func python() throws {
    let script = """
      import random, sys, unicodedata as u
      s = lambda t: ''.join(c for c in u.normalize('NFD', t) if u.category(c)[0] != 'M')
      f = lambda t: s(s(t.replace('ı', 'i')).casefold())
      w = lambda t: print(t.encode().hex(), f(t).encode().hex())
      known = [chr(i) for i in range(128, 0x110000) if not 0xD800 <= i <= 0xDFFF and u.category(chr(i)) != 'Cn']
      [w(c) for c in known]
      random.seed(1)
      [w(''.join(random.choice(random.choice([known, known[:1000], 'aB ' + chr(0x301) + chr(0x323)])) for _ in range(random.randint(2, 20)))) for _ in range(5000)]
      """
    let opened = unsafe popen("python3 -c \"\(script.replacing("\"", with: "\\\""))\"", "r")
    guard let pipe = unsafe opened else {
      Issue.record("python3 cannot be started")
      return
    }
    defer { unsafe pclose(pipe) }
    var line = [CChar](repeating: 0, count: 4096), checked = 0, wrong: [String] = []
    while unsafe fgets(&line, 4096, pipe) != nil {
      let words = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split(separator: " ", omittingEmptySubsequences: false)
      try #require(words.count == 2)
      let folded = Fold.folded(Self.bytes(hex: words[0]))
      if folded != Self.bytes(hex: words[1]) { wrong.append(String(words[0])) }
      checked += 1
    }
    #expect(checked > 100_000)
    #expect(wrong.isEmpty, "\(wrong.prefix(20))")
  }

  static func bytes(hex: Substring) -> [UInt8] {
    let digits = hex.utf8.map { $0 > 57 ? $0 - 87 : $0 - 48 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
