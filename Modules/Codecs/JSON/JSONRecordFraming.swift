internal import CMasks

/// Finds the ends of the elements of an array, 64 bytes at a time, without parsing them; tracks only strings and depth.
///
/// Text that is not JSON may be split anywhere; the parser of the piece detects that.
struct JSONRecordFraming {
  /// The number of open arrays and objects; 1 between the elements, 0 after the array.
  private(set) var depth = 1
  private var insideString: UInt64 = 0
  /// 1 when the byte before was an unescaped backslash.
  private var escapesNext: UInt64 = 0
  /// Offset of the next byte to look at.
  private(set) var at: Int
  /// The offset after the last complete element, and whether the array ended there.
  private(set) var border: (offset: Int, isEnd: Bool)?

  /// Between two elements, at `offset`.
  init(at offset: Int) { at = offset }

  /// The text has moved by `distance` bytes.
  mutating func move(by distance: Int) { at += distance }

  /// Scans the bytes up to `end`, after which 64 bytes must be readable. Stops at the end of the array.
  mutating func scan(_ base: UnsafePointer<UInt8>, to end: Int) {
    // In registers while the text lasts.
    var at = at, insideString = insideString, escapesNext = escapesNext
    defer { (self.at, self.insideString, self.escapesNext) = (at, insideString, escapesNext) }
    while at < end, depth > 0 {
      let count = min(64, end &- at)
      let valid: UInt64 = count == 64 ? .max : (1 &<< UInt64(count)) &- 1
      let block = unsafe bb_read_json_block(base + at)
      let quotes = block.quotes & valid & ~Self.escaped(block.backslashes & valid, count: count, &escapesNext)
      if block.brackets & valid != 0 {
        let outside = valid & ~(Self.prefixXor(quotes) ^ insideString)
        let brackets = unsafe bb_read_json_brackets(base + at)
        let openers = brackets.openers & outside, closers = brackets.closers & outside
        if closers != 0, depth &- closers.nonzeroBitCount <= 1 {
          step(openers, closers, at)
        } else {
          depth &+= openers.nonzeroBitCount &- closers.nonzeroBitCount
        }
      }
      insideString ^= bb_parity(quotes)
      at &+= count
    }
  }

  /// One bracket after the other, where an element may end.
  @inline(never) private mutating func step(_ openers: UInt64, _ closers: UInt64, _ at: Int) {
    var rest = openers | closers
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      if openers &>> UInt64(bit) & 1 == 1 {
        depth &+= 1
      } else {
        depth &-= 1
        if depth <= 1 { border = (at &+ bit &+ 1, depth == 0) }
        if depth == 0 { return }
      }
      rest &= rest &- 1
    }
  }

  /// The bytes that a backslash escapes: those after a run of backslashes of odd length. (Found by addition, as in
  /// simdjson.)
  @inline(__always)
  private static func escaped(_ backslashes: UInt64, count: Int, _ escapesNext: inout UInt64) -> UInt64 {
    if backslashes == 0 {
      let first = escapesNext
      escapesNext = 0
      return first
    }
    let oddBits: UInt64 = 0xAAAA_AAAA_AAAA_AAAA
    let potential = backslashes & ~escapesNext
    let codes = (((potential &<< 1) | oddBits) &- potential) ^ oddBits
    let escaped = codes ^ (backslashes | escapesNext)
    escapesNext = ((codes & backslashes) &>> UInt64(count &- 1)) & 1
    return escaped
  }

  /// Bit i is set when an odd number of the bits up to i is.
  @inline(__always) private static func prefixXor(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits ^= bits &<< 1
    bits ^= bits &<< 2
    bits ^= bits &<< 4
    bits ^= bits &<< 8
    bits ^= bits &<< 16
    bits ^= bits &<< 32
    return bits
  }
}
