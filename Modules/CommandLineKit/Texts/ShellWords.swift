/// The words of a command as a variable holds it: `code --wait`, `"/opt/my editor/run" -n`.
package enum ShellWords {
  /// Splits text into words at white space, with quotes and backslashes as in sh, and no other syntax of sh. Nil if a
  /// quote is unterminated.
  package static func split(_ text: String) -> [String]? {
    var words: [String] = [], word: [UInt8] = [], isWord = false
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"):
        if isWord { words.append(String(decoding: word, as: UTF8.self)) }
        (word, isWord) = ([], false)
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        isWord = true
        guard let part = quoted(by: byte, &bytes) else { return nil }
        word += part
      case UInt8(ascii: "\\"):
        isWord = true
        if let next = bytes.popFirst() { word.append(next) }
      default:
        isWord = true
        word.append(byte)
      }
    }
    return isWord ? words + [String(decoding: word, as: UTF8.self)] : words
  }

  /// The text up to the closing quote; nil if there is none.
  private static func quoted(by quote: UInt8, _ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    var part: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == quote { return part }
      let isEscape =
        quote == UInt8(ascii: "\"") && byte == UInt8(ascii: "\\")
        && (bytes.first.map { "\"\\$`".utf8.contains($0) } ?? false)
      if isEscape, let next = bytes.popFirst() { part.append(next) } else { part.append(byte) }
    }
    return nil
  }
}
