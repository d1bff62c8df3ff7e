import CMasks
package import Rows

/// SHA-256 (FIPS 180-4) of bytes that come in pieces; by the processor's own instructions where it has them.
public struct SHA256: Sendable {
  private var state: InlineArray<8, UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The block that is not complete yet, and how many bytes of it there are.
  private var block = InlineArray<64, UInt8>(repeating: 0)
  private var filled = 0
  private var length: UInt64 = 0
  private let usesInstructions: Bool

  /// The digest of nothing so far.
  public init() { self.init(usesInstructions: true) }

  /// For tests: without the processor's instructions.
  package init(usesInstructions: Bool) { self.usesInstructions = usesInstructions }

  /// Adds bytes.
  public mutating func update(_ bytes: RawSpan) {
    length += UInt64(bytes.byteCount)
    var at = 0
    if filled > 0 {
      at = fill(bytes, from: 0)
      guard filled == 64 else { return }
      compressBlock()
    }
    at = compress(bytes, from: at)
    _ = fill(bytes, from: at)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { unsafe update(bytes.span.bytes) }

  /// The digest, 32 bytes, of everything added.
  public consuming func digest() -> [UInt8] {
    let bits = length &* 8
    append(0x80)
    while filled != 56 { append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    return unsafe [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      for place in 0..<32 {
        unsafe bytes[place] = UInt8(truncatingIfNeeded: state[place >> 2] >> UInt32(24 - 8 * (place & 3)))
      }
      count = 32
    }
  }

  /// The first 128 bits of the digest of the bytes in a buffer, to which this appends what fills the last block.
  package static func words(of bytes: inout ByteBuffer) -> (high: UInt64, low: UInt64) {
    let bits = UInt64(bytes.count) * 8, zeros = (119 - bytes.count % 64) % 64
    bytes.append(byte: 0x80)
    for _ in 0..<zeros { bytes.append(byte: 0) }
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(byte: UInt8(truncatingIfNeeded: bits >> shift)) }
    var hash = SHA256()
    bytes.read { _ = hash.compress($0, from: 0) }
    let words = hash.state
    return (UInt64(words[0]) << 32 | UInt64(words[1]), UInt64(words[2]) << 32 | UInt64(words[3]))
  }

  /// The digest of `bytes` in lower-case hexadecimal digits.
  public static func hex(_ bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes)
    return hash.hexDigest()
  }

  /// The digest in lower-case hexadecimal digits.
  public consuming func hexDigest() -> String {
    let bytes = digest()
    let digits: StaticString = "0123456789abcdef"
    return unsafe String(unsafeUninitializedCapacity: 64) { text in
      for place in 0..<32 {
        unsafe text[2 * place] = digits.utf8Start[Int(bytes[place] >> 4)]
        unsafe text[2 * place + 1] = digits.utf8Start[Int(bytes[place] & 15)]
      }
      return 64
    }
  }

  /// Puts bytes from `start` on into the block; where the next is.
  private mutating func fill(_ bytes: RawSpan, from start: Int) -> Int {
    let count = min(64 - filled, bytes.byteCount - start)
    var rest = block.mutableSpan
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe rest.withUnsafeMutableBytes { rest in
        unsafe rest[filled...].copyBytes(from: bytes[start..<(start + count)])
      }
    }
    filled += count
    return start + count
  }

  private mutating func append(_ byte: UInt8) {
    block[filled] = byte
    filled += 1
    if filled == 64 { compressBlock() }
  }

  private mutating func compressBlock() {
    let whole = block
    _ = unsafe compress(whole.span.bytes, from: 0)
    filled = 0
  }

  /// Takes in all whole blocks from `start` on; where they end.
  private mutating func compress(_ bytes: RawSpan, from start: Int) -> Int {
    var at = start
    let blocks = (bytes.byteCount - at) / 64
    guard blocks > 0 else { return at }
    if usesInstructions {
      var words = state.mutableSpan
      let isDone = unsafe bytes.withUnsafeBytes { source in
        unsafe words.withUnsafeMutableBufferPointer { words in
          unsafe bb_sha256_blocks(words.baseAddress, source.baseAddress! + at, blocks) == 1
        }
      }
      if isDone { return at + blocks * 64 }
    }
    while bytes.byteCount - at >= 64 {
      compress(bytes, at)
      at += 64
    }
    return at
  }

  private mutating func compress(_ bytes: RawSpan, _ start: Int) {
    var schedule = InlineArray<64, UInt32>(repeating: 0)
    for i in 0..<16 {
      schedule[i] = UInt32(
        bigEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start + i * 4, as: UInt32.self))
    }
    for i in 16..<64 {
      let x = schedule[i - 15], y = schedule[i - 2]
      let s0 = Self.rotate(x, 7) ^ Self.rotate(x, 18) ^ (x >> 3)
      let s1 = Self.rotate(y, 17) ^ Self.rotate(y, 19) ^ (y >> 10)
      schedule[i] = schedule[i - 16] &+ s0 &+ schedule[i - 7] &+ s1
    }
    var a = state[0], b = state[1], c = state[2], d = state[3]
    var e = state[4], f = state[5], g = state[6], h = state[7]
    for i in 0..<64 {
      let s1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
      let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ Self.constants[i] &+ schedule[i]
      let s0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
      let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
    }
    let sums: InlineArray<8, UInt32> = [a, b, c, d, e, f, g, h]
    for i in 0..<8 { state[i] &+= sums[i] }
  }

  @inline(__always) private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { (x >> n) | (x << (32 - n)) }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
