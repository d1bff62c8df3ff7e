extension Base64 {
  /// The base64 text of some bytes, padded, without line breaks: for small values; the writers encode into their
  /// buffer.
  public static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for at in 0..<3 { bits = bits << 8 | (at < group.count ? UInt32(group[start + at]) : 0) }
      for at in 0..<4 {
        text.append(at <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * at) & 63)] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
