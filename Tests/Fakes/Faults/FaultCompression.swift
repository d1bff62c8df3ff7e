/// Compressed bodies made by hand (RFC 1951 and 1952): valid and corrupted ones, and ones that expand to more
/// than there is room for.
enum FaultCompression {
  private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

  /// `bytes`, at most 65,535 of them, as a gzip file that stores them as they are.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    head + [1] + littleEndian(UInt16(bytes.count)) + littleEndian(~UInt16(bytes.count)) + bytes
      + littleEndian(crc(bytes)) + littleEndian(UInt32(bytes.count))
  }

  /// A gzip file of spaces: `start`, and any number of repetitions of `period`, of which each is 2,064 spaces.
  static let bomb: (start: [UInt8], period: [UInt8]) = endless([32], distance: 1)

  /// A bomb within a bomb: each period expands to 2,064 bytes of the inner one.
  static let doubleBomb: (start: [UInt8], period: [UInt8]) = {
    let inner = bomb
    return endless(inner.start + inner.period, distance: inner.period.count)
  }()

  /// A stream that begins with `bytes` and repeats their last `distance` for ever.
  ///
  /// One block with the fixed codes: the bytes as literals, then copies of 258 bytes. Eight copies are a whole number
  /// of bytes, so the repeated part begins at whatever bit the literals ended with.
  private static func endless(_ bytes: [UInt8], distance: Int) -> (start: [UInt8], period: [UInt8]) {
    var bits = Bits()
    bits.append(0b011, 3)  // the last block, fixed codes
    for byte in bytes { bits.append(literal: byte) }
    // A copy that brings the bits to the start of a byte costs nothing: the stream has no end to be right about.
    let copy: (inout Bits) -> Void = { bits in
      bits.append(code: 0b1100_0101, 8)  // 258 bytes
      bits.append(code: distance == 1 ? 0 : 7, 5)  // from 1 byte, or from 13 to 16 bytes before
      if distance > 1 { bits.append(UInt32(distance - 13), 2) }
    }
    while bits.count % 8 != 0 { copy(&bits) }
    var period = Bits()
    for _ in 0..<8 { copy(&period) }
    return (head + bits.bytes, period.bytes)
  }

  /// Bits in the order of RFC 1951: from the lowest of each byte.
  private struct Bits {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: UInt32, _ width: Int) {
      for bit in 0..<width {
        if count % 8 == 0 { bytes.append(0) }
        if value >> bit & 1 == 1 { bytes[count / 8] |= 1 << (count % 8) }
        count += 1
      }
    }
    /// Huffman codes begin with their highest bit.
    mutating func append(code: UInt32, _ width: Int) {
      for bit in (0..<width).reversed() { append(code >> bit & 1, 1) }
    }
    mutating func append(literal byte: UInt8) {
      if byte < 144 {
        append(code: 0x30 + UInt32(byte), 8)
      } else {
        append(code: 0x190 + UInt32(byte) - 144, 9)
      }
    }
  }

  private static func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// The checksum of gzip, bit by bit.
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }
}
