internal import CMasks

enum JSONEscapes {
  /// The value of a hexadecimal digit; nil for any other byte.
  @inline(__always) static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// Decodes `count` bytes between the quotes of a string that a `JSONScanner` has accepted. Returns the number of
  /// bytes written.
  ///
  /// The output is never longer than the input, so `target` may be `source`.
  static func decode(_ source: UnsafePointer<UInt8>, count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var from = 0
    var to = 0
    while true {
      let plain = unsafe min(plainCount(source + from), count &- from)
      unsafe (target + to).update(from: source + from, count: plain)
      from &+= plain
      to &+= plain
      if from == count { return to }
      let scalar = unsafe scalar(source, &from)
      to &+= unsafe encode(scalar, target + to)
    }
  }

  /// The number of bytes before the first one that must be escaped in a string; there must be one.
  @inline(__always) static func plainCount(_ source: UnsafePointer<UInt8>) -> Int {
    var position = 0
    var mask = unsafe bb_json_mask32(source)
    while mask == 0 {
      position &+= 32
      mask = unsafe bb_json_mask32(source + position)
    }
    return position &+ mask.trailingZeroBitCount
  }

  /// The scalar that the escape at `position` stands for; steps over it.
  static func scalar(_ source: UnsafePointer<UInt8>, _ position: inout Int) -> UInt32 {
    let kind = unsafe source[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      let unit = unsafe unit(source, &position)
      guard unit >> 10 == 0x36 else { return unit }
      position += 2
      let low = unsafe self.unit(source, &position)
      return 0x10000 &+ (unit & 0x3FF) << 10 &+ (low & 0x3FF)
    default: return UInt32(kind)
    }
  }

  private static func unit(_ source: UnsafePointer<UInt8>, _ position: inout Int) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      value = unsafe value << 4 | UInt32(hexadecimalDigit(source[position]) ?? 0)
      position += 1
    }
    return value
  }

  /// Writes a scalar as UTF-8; returns the number of bytes, 1 to 4.
  static func encode(_ scalar: UInt32, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
    switch scalar {
    case 0..<0x80:
      unsafe target[0] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      unsafe target[0] = UInt8(0xC0 | scalar >> 6)
      unsafe target[1] = tail(0)
      return 2
    case 0x800..<0x10000:
      unsafe target[0] = UInt8(0xE0 | scalar >> 12)
      unsafe target[1] = tail(6)
      unsafe target[2] = tail(0)
      return 3
    default:
      unsafe target[0] = UInt8(0xF0 | scalar >> 18)
      unsafe target[1] = tail(12)
      unsafe target[2] = tail(6)
      unsafe target[3] = tail(0)
      return 4
    }
  }
}
