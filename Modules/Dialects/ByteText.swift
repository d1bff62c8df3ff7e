internal import CMasks
internal import Codecs

enum ByteText {
  /// An empty text with room for `count` bytes. Much room is mapped by itself, so that it is free again at once.
  static func withRoom(_ count: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(count > TableConverter.longRecord ? max(count, 33 << 20) : count)
    return text
  }

  /// The offset of the first byte that cannot be part of UTF-8; the length when all of it is UTF-8.
  static func firstInvalid(_ text: Span<UInt8>) -> Int {
    unsafe text.withUnsafeBytes { bytes in unsafe TextEncoding.firstInvalidByte(bytes) ?? bytes.count }
  }

  /// The position of the first `byte` from `start` on; nil if there is none.
  static func firstIndex(of byte: UInt8, in text: Span<UInt8>, from start: Int = 0) -> Int? {
    let at = unsafe text.extracting(start...).withUnsafeBufferPointer { rest in
      unsafe rest.baseAddress.map { unsafe start + Int(bb_find_byte($0, rest.count, byte)) } ?? text.count
    }
    return at < text.count ? at : nil
  }

  /// Whether text has a word of one byte or two.
  static func contains(_ text: Span<UInt8>, _ word: [UInt8]) -> Bool {
    var start = 0
    while let at = firstIndex(of: word[0], in: text, from: start) {
      if word.count == 1 || at + 1 < text.count && text[at + 1] == word[1] { return true }
      start = at + 1
    }
    return false
  }

  static func count(of byte: UInt8, in text: Span<UInt8>) -> Int {
    var count = 0
    for index in text.indices where text[index] == byte { count += 1 }
    return count
  }

  static func isUTF8(_ text: [UInt8]) -> Bool { firstInvalid(text.span) == text.count }

  /// Whether text hardly has the byte; separators of fields and records, and escape, are none of these.
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 9 && byte != 1 || 0x0E...0x19 ~= byte || byte == 0x0B || byte == 0x7F
  }

  /// The text with bytes that are not UTF-8 taken for windows-1252, or replaced if they were not valid before.
  static func repaired(_ text: [UInt8], isConverted: Bool) -> [UInt8] {
    // To grow would take the memory of a long text twice; what is not used is not in memory.
    var result = withRoom(text.count > TableConverter.longRecord ? 3 * text.count : text.count), rest = text[...]
    while true {
      let valid = firstInvalid(rest.span)
      result += rest.prefix(valid)
      rest = rest.dropFirst(valid)
      guard let byte = rest.popFirst() else { return result }
      result += isConverted ? "\u{FFFD}".utf8 : WesternText.decoded(CollectionOfOne(byte), isWindows: true).utf8
    }
  }
}
