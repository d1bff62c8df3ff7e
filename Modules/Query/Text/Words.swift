/// The words of folded text: runs of letters and digits.
public enum Words {
  /// The words of text, folded.
  public static func folded(_ text: String) -> [[UInt8]] {
    let bytes = Fold.folded(text)
    return ranges(of: bytes).map { Array(bytes[$0]) }
  }

  /// Where words lie in folded UTF-8 text.
  public static func ranges(of text: [UInt8]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start: Int?
    var at = 0
    while at < text.count {
      let (isPart, length) = classify(text, at)
      if isPart, start == nil { start = at }
      if !isPart, let begin = start {
        result.append(begin..<at)
        start = nil
      }
      at += length
    }
    if let begin = start { result.append(begin..<text.count) }
    return result
  }

  /// Calls `body` with each place where a word of folded text begins, while it says true.
  package static func forEachStart(in text: [UInt8], _ body: (Int) -> Bool) {
    var isInside = false
    var at = 0
    while at < text.count {
      let (isPart, length) = classify(text, at)
      if isPart, !isInside, !body(at) { return }
      isInside = isPart
      at += length
    }
  }

  /// Whether the text at a position starts with `prefix`.
  package static func begins(_ text: [UInt8], at start: Int, with prefix: [UInt8]) -> Bool {
    guard text.count - start >= prefix.count else { return false }
    var at = 0
    while at < prefix.count, text[start + at] == prefix[at] { at += 1 }
    return at == prefix.count
  }

  /// Whether the character at a place is a letter or a digit, and its length in bytes.
  private static func classify(_ text: [UInt8], _ at: Int) -> (isPart: Bool, length: Int) {
    let byte = text[at]
    if byte < 0x80 { return (byte &- 97 < 26 || byte &- 48 < 10 || byte &- 65 < 26, 1) }
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
    guard at + length <= text.count else { return (false, text.count - at) }
    var code = UInt32(byte & (0xFF >> UInt8(length + 1)))
    for i in 1..<length { code = code << 6 | UInt32(text[at + i] & 0x3F) }
    guard let scalar = Unicode.Scalar(code) else { return (false, length) }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      return (true, length)
    default: return (false, length)
    }
  }
}
