/// Reading base64: the standard alphabet of RFC 4648 with padding, without line breaks, and only in its one canonical
/// spelling, so that what was read is written again byte for byte.
public enum Base64 {
  /// The bytes that `text` stands for; nil when it is not base64.
  public static func decode(_ text: [UInt8]) -> [UInt8]? {
    var count: Int?
    let bytes = unsafe text.withUnsafeBufferPointer { source in
      unsafe [UInt8](unsafeUninitializedCapacity: text.count) { target, initialized in
        guard let from = source.baseAddress, let to = target.baseAddress else {
          count = 0
          return
        }
        count = unsafe decode(from, count: source.count, to: to)
        initialized = count ?? 0
      }
    }
    return count == nil ? nil : bytes
  }

  /// Whether `count` bytes are base64.
  static func isValid(_ source: UnsafePointer<UInt8>, count: Int) -> Bool {
    guard count % 4 == 0 else { return false }
    guard count > 0 else { return true }
    let padding = unsafe source[count - 1] != pad ? 0 : source[count - 2] != pad ? 1 : 2
    var last: UInt8 = 0
    for position in 0..<count - padding {
      last = unsafe value(source[position])
      if last > 63 { return false }
    }
    // The unused bits of the last digit must be zero.
    return padding == 0 || last & (padding == 1 ? 3 : 15) == 0
  }

  /// Decodes into `target`, which has room for `count` bytes and may be `source`; returns how many bytes there are, nil
  /// when it is not base64 (then nothing was written).
  static func decode(_ source: UnsafePointer<UInt8>, count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int? {
    guard unsafe isValid(source, count: count) else { return nil }
    var written = 0
    var position = 0
    while position < count {
      var group: UInt32 = 0
      var bytes = 3
      for step in 0..<4 {
        let digit = unsafe source[position + step]
        if digit == pad { bytes -= 1 }
        group = group << 6 | (digit == pad ? 0 : UInt32(value(digit)))
      }
      for byte in 0..<bytes {
        unsafe target[written] = UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(byte)))
        written += 1
      }
      position += 4
    }
    return written
  }

  private static let pad = UInt8(ascii: "=")

  /// The six bits of a digit; 255 for any other byte.
  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: 255
    }
  }
}
