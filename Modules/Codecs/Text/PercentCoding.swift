/// Percent escapes in URLs and in names of files.
public enum PercentCoding {
  /// A text in which every byte is escaped that is neither unreserved in RFC 3986 nor one of `kept`.
  public static func encoded(_ text: String, keeping kept: String = "") -> String {
    String(decoding: encoded(text.utf8, keeping: kept), as: UTF8.self)
  }

  /// Bytes of which every one is escaped that is neither unreserved in RFC 3986 nor one of `kept`.
  public static func encoded(
    _ bytes: some Sequence<UInt8>, keeping kept: String = "", digits: String = "0123456789ABCDEF"
  ) -> [UInt8] {
    let digits = Array(digits.utf8)
    return bytes.flatMap { byte in
      byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || "-._~".utf8.contains(byte) || kept.utf8.contains(byte)
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }

  /// The text that escapes stand for; nil if it is not UTF-8, or for an invalid escape.
  /// With `spaces`, a plus sign is a space, as in the query of a URL.
  public static func decoded(_ text: some StringProtocol, spaces: Bool = false) -> String? {
    bytes(of: text, isStrict: true, spaces: spaces).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes that escapes stand for; nil for an invalid escape, which is kept unless `isStrict`.
  public static func bytes(of text: some StringProtocol, isStrict: Bool = false, spaces: Bool = false) -> [UInt8]? {
    func digit(_ byte: UInt8?) -> UInt8? {
      guard let byte else { return nil }
      let letter = (byte | 0x20) &- 97
      return byte &- 48 < 10 ? byte - 48 : letter < 6 ? letter + 10 : nil
    }
    var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else if byte == UInt8(ascii: "%"), isStrict {
        return nil
      } else {
        bytes.append(spaces && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }
}
