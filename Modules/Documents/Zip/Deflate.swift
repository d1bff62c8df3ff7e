import Rows

/// Compresses bytes as specified by RFC 1951, one piece at a time, with fixed codes: repeated text becomes a
/// back-reference.
///
/// Simple on purpose: it compresses markup, whose repetitions are long and near. Each piece is independent.
@safe struct Deflate: Sendable {
  /// Bits that do not fill a byte yet.
  private var bits: UInt64 = 0, bitCount: UInt64 = 0
  /// The last position in the piece of four bytes with each hash.
  private var heads: [Int32]

  /// References go back no further than this, and cover no more.
  private static let window = 32 << 10, longest = 258

  init() { heads = Array(repeating: -1, count: 1 << 15) }

  /// A block with the bytes at `input`, at most 2 GiB.
  mutating func append(_ input: UnsafePointer<UInt8>, count: Int, to out: inout ByteBuffer) {
    for place in heads.indices { heads[place] = -1 }
    var next = unsafe out.room(count + count / 8 + 64)
    put(0b010, 3)
    var at = 0
    while at < count {
      unsafe next = drained(to: next)
      let (length, distance) = unsafe match(input, at, count)
      if length == 0 {
        putSymbol(UInt64(unsafe input[at]))
        at += 1
      } else {
        putReference(length, distance)
        at += length
      }
    }
    putSymbol(256)
    unsafe next = drained(to: next)
    unsafe out.commit(next)
  }

  /// The end of the data, filled up to a whole byte.
  mutating func finish(_ out: inout ByteBuffer) {
    put(0b011, 3)
    putSymbol(256)
    let fill = (8 - bitCount % 8) % 8
    put(0, fill)
    let start = unsafe out.room(16)
    unsafe out.commit(drained(to: start))
  }

  /// The earlier text that matches the text at `at`; length 0 if there is no match worth a reference.
  @inline(__always)
  private mutating func match(_ input: UnsafePointer<UInt8>, _ at: Int, _ count: Int) -> (length: Int, distance: Int) {
    guard at + 4 <= count else { return (0, 0) }
    let word = unsafe Self.word(input + at)
    let hash = Int(truncatingIfNeeded: (word &* 2_654_435_761) >> 17)
    let candidate = Int(heads[hash])
    heads[hash] = Int32(truncatingIfNeeded: at)
    guard candidate >= 0, at - candidate <= Self.window, unsafe Self.word(input + candidate) == word else {
      return (0, 0)
    }
    let most = min(Self.longest, count - at)
    var length = 4
    while length < most, unsafe input[candidate + length] == input[at + length] { length += 1 }
    return (length, at - candidate)
  }

  @inline(__always) private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
  }

  /// `count` bits, the lowest first.
  @inline(__always) private mutating func put(_ value: UInt64, _ count: UInt64) {
    bits |= value &<< bitCount
    bitCount &+= count
  }

  /// The code of a literal, an end or a length, most significant bit first.
  @inline(__always) private mutating func putSymbol(_ symbol: UInt64) {
    switch symbol {
    case ..<144: put(Self.reversed(0x30 &+ symbol, 8), 8)
    case ..<256: put(Self.reversed(0x190 &+ symbol &- 144, 9), 9)
    case ..<280: put(Self.reversed(symbol &- 256, 7), 7)
    default: put(Self.reversed(0xC0 &+ symbol &- 280, 8), 8)
    }
  }

  /// A reference: the symbol of a range of lengths, where in the range, and the same for the distance.
  private mutating func putReference(_ length: Int, _ distance: Int) {
    let over = UInt64(length - 3)
    if length == Self.longest {
      putSymbol(285)
    } else if over < 8 {
      putSymbol(257 + over)
    } else {
      let power = UInt64(63 - over.leadingZeroBitCount), extra = power - 2
      putSymbol(257 + 4 * (power - 1) + (over >> extra) & 3)
      put(over & (1 << extra - 1), extra)
    }
    let back = UInt64(distance - 1)
    if back < 4 { return put(Self.reversed(back, 5), 5) }
    let power = UInt64(63 - back.leadingZeroBitCount), extra = power - 1
    put(Self.reversed(2 * power + (back >> extra) & 1, 5), 5)
    put(back & (1 << extra - 1), extra)
  }

  @inline(__always) private static func reversed(_ value: UInt64, _ count: UInt64) -> UInt64 {
    var result: UInt64 = 0
    for bit in 0..<count { result |= (value &>> bit & 1) &<< (count &- 1 &- bit) }
    return result
  }

  /// Writes the whole bytes there are; what is left has fewer than eight bits.
  @inline(__always)
  private mutating func drained(to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    var next = unsafe start
    while bitCount >= 8 {
      unsafe next.pointee = UInt8(truncatingIfNeeded: bits)
      unsafe next += 1
      bits &>>= 8
      bitCount &-= 8
    }
    return unsafe next
  }
}
