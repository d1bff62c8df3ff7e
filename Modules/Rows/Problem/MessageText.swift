/// Text from outside the program in messages: one line of bounded length.
public enum MessageText {
  /// The most bytes of UTF-8 that a location, a value, or a hint has in a message.
  public static let limit = 500
  private static let mark = "…"

  /// Returns `text` on one line of at most `limit` bytes of UTF-8; `…` replaces the middle.
  public static func shortened(_ text: String, to limit: Int = limit) -> String {
    let count = text.utf8.count
    guard count > limit else { return oneLine(text) }
    // Both ends matter: a location ends with its line and column, a message with what is expected.
    let kept = max(0, limit - mark.utf8.count)
    let bytes = text.utf8
    let head = text[..<boundary(bytes.index(bytes.startIndex, offsetBy: kept - kept / 2), in: text, by: -1)]
    let tail = text[boundary(bytes.index(bytes.endIndex, offsetBy: -(kept / 2)), in: text, by: 1)...]
    return oneLine(head + mark + tail)
  }

  /// The nearest start of a scalar at or beyond `index` in one direction.
  private static func boundary(_ index: String.Index, in text: String, by step: Int) -> String.Index {
    var index = index
    while index > text.startIndex, index < text.endIndex, text.utf8[index] & 0xC0 == 0x80 {
      index = text.utf8.index(index, offsetBy: step)
    }
    return index
  }

  private static func oneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: endsLine) else { return text }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { line.append(endsLine(scalar) ? " " : scalar) }
    return String(line)
  }

  private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 10...13, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
