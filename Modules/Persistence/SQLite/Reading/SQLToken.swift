/// A word, a name in double quotes, a text, an unsigned number or a mark of a statement.
enum SQLToken: Equatable {
  case word(String), name(String), text(String), number(String), mark(String)

  var isAlias: Bool {
    switch self {
    case .word, .name: true
    case .text, .number, .mark: false
    }
  }
  func isWord(_ word: String) -> Bool {
    if case .word(let own) = self { own.lowercased() == word } else { false }
  }

  /// The tokens of a statement; nil for one with comments, or with characters that mean more.
  static func all(of sql: [UInt8]) -> [SQLToken]? {
    var tokens: [SQLToken] = [], rest = sql[...]
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
    func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    func isPart(_ byte: UInt8) -> Bool { isDigit(byte) || byte == 95 || (byte | 32) &- 97 < 26 }
    while let byte = rest.first {
      switch byte {
      case 9, 10, 13, 32: rest.removeFirst()
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        rest.removeFirst()
        guard let end = rest.firstIndex(of: byte) else { return nil }
        let inner = text(rest[..<end])
        rest = rest[(end + 1)...]
        if rest.first == byte { return nil }
        tokens.append(byte == UInt8(ascii: "'") ? .text(inner) : .name(inner))
      case _ where isDigit(byte):
        let word = rest.prefix { isPart($0) || $0 == UInt8(ascii: ".") }
        rest = rest[word.endIndex...]
        let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // Fractions of so few digits are the shortest texts of their Doubles.
        guard parts.count == 1 && word.count < 19 || parts.count == 2 && word.count <= 16,
          parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) })
        else { return nil }
        tokens.append(.number(text(word)))
      case _ where isPart(byte):
        let word = rest.prefix(while: isPart)
        rest = rest[word.endIndex...]
        tokens.append(.word(text(word)))
      case _ where "=<>!|".utf8.contains(byte):
        let mark = rest.prefix { "=<>!|".utf8.contains($0) }
        rest = rest[mark.endIndex...]
        tokens.append(.mark(text(mark)))
      case _ where "*,()-+/%.&~".utf8.contains(byte):
        rest.removeFirst()
        // Not a comment.
        if byte == rest.first, byte == UInt8(ascii: "-") { return nil }
        if byte == UInt8(ascii: "/"), rest.first == UInt8(ascii: "*") { return nil }
        tokens.append(.mark(text([byte])))
      default: return nil
      }
    }
    return tokens
  }
}
