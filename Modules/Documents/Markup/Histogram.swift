import Codecs

extension Histogram {
  private static let height = 24, bar = 6

  /// Appends the bars of a JSON list of counts. They are for the eye only: the figures next to them say the same.
  /// - Returns: whether the text is such a list.
  static func append(_ text: ByteRun, to markup: inout Markup) -> Bool {
    guard let counts = counts(of: text), let most = counts.max(), most > 0 else { return false }
    markup.raw("<svg aria-hidden=\"true\"")
    markup.attribute("width", counts.count * bar)
    markup.attribute("height", height)
    markup.raw("><path fill=\"currentColor\" d=\"")
    for (position, count) in counts.enumerated() where count > 0 {
      // The smallest number can be seen.
      let length = max(1, Int(Double(count) / Double(most) * Double(height)))
      markup.raw("M")
      markup.number(position * bar)
      markup.raw(" ")
      markup.number(height)
      markup.raw("v-")
      markup.number(length)
      markup.raw("h5v")
      markup.number(length)
      markup.raw("z")
    }
    markup.raw("\"/></svg>")
    return true
  }

  /// The numbers of a list of at most 64; nil for other values.
  private static func counts(of text: ByteRun) -> [Int]? {
    guard text.count <= 2048 else { return nil }
    var counts: [Int] = [], bytes = text.bytes[...]
    guard bytes.popFirst() == UInt8(ascii: "["), bytes.popLast() == UInt8(ascii: "]") else { return nil }
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = Int(String(decoding: part, as: UTF8.self)), number >= 0, counts.count < 64 else { return nil }
      counts.append(number)
    }
    return counts
  }
}
