import Rows

/// Compresses in the Snappy format, which every reader of Parquet has: fast, without a library.
///
/// The format: <https://github.com/google/snappy/blob/main/format_description.txt>.
@safe struct Snappy: Sendable {
  /// Input is compressed in blocks of this size, so that distances fit in 16 bits.
  private static let blockSize = 1 << 16
  /// The last position in the block of four bytes with each hash.
  private var table = [UInt16](repeating: 0, count: 1 << 14)

  /// Appends the compressed form of the bytes at `input`.
  mutating func append(_ input: UnsafePointer<UInt8>, _ count: Int, to out: inout ByteBuffer) {
    out.append(variable: UInt64(count))
    var start = 0
    while start < count {
      let size = min(Self.blockSize, count - start)
      var next = unsafe out.room(size + size / 6 + 32)
      unsafe compress(input + start, size, to: &next)
      unsafe out.commit(next)
      start += size
    }
  }

  private mutating func compress(
    _ input: UnsafePointer<UInt8>, _ count: Int, to next: inout UnsafeMutablePointer<UInt8>
  ) {
    unsafe table.withUnsafeMutableBufferPointer { table in
      unsafe table.update(repeating: 0)
      var at = 1, pending = 0, misses = 32
      // The last bytes are literals, so that four or eight bytes may be read everywhere else.
      let end = count - 15
      while at < end {
        let word = unsafe Self.word(input + at)
        let hash = Self.hash(word)
        let candidate = unsafe Int(table[hash])
        unsafe table[hash] = UInt16(truncatingIfNeeded: at)
        guard unsafe Self.word(input + candidate) == word else {
          // Incompressible data is skipped in growing steps.
          at &+= misses &>> 5
          misses &+= 1
          continue
        }
        misses = 32
        if at > pending { unsafe Self.putLiteral(input + pending, at - pending, to: &next) }
        let length = unsafe 4 &+ Self.matching(input + at + 4, input + candidate + 4, limit: count - at - 4)
        unsafe Self.putCopy(distance: at - candidate, length, to: &next)
        at &+= length
        pending = at
        if at < end { unsafe table[Self.hash(Self.word(input + at - 1))] = UInt16(truncatingIfNeeded: at - 1) }
      }
      if pending < count { unsafe Self.putLiteral(input + pending, count - pending, to: &next) }
    }
  }

  @inline(__always) private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
  }

  @inline(__always) private static func hash(_ word: UInt32) -> Int {
    Int(truncatingIfNeeded: (word &* 0x1E35_A7BD) &>> 18)
  }

  /// The number of equal bytes, at most `limit`.
  @inline(__always)
  private static func matching(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, limit: Int) -> Int {
    var count = 0
    while count &+ 8 <= limit {
      let difference =
        unsafe UnsafeRawPointer(a + count).loadUnaligned(as: UInt64.self)
        ^ UnsafeRawPointer(b + count).loadUnaligned(as: UInt64.self)
      if difference != 0 { return count &+ difference.littleEndian.trailingZeroBitCount / 8 }
      count &+= 8
    }
    while count < limit, unsafe a[count] == b[count] { count &+= 1 }
    return count
  }

  @inline(__always)
  private static func putLiteral(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, to next: inout UnsafeMutablePointer<UInt8>
  ) {
    let most = count - 1
    if most < 60 {
      unsafe next.pointee = UInt8(truncatingIfNeeded: most << 2)
      unsafe next += 1
    } else if most < 1 << 8 {
      unsafe next[0] = 60 << 2
      unsafe next[1] = UInt8(truncatingIfNeeded: most)
      unsafe next += 2
    } else {
      unsafe next[0] = 61 << 2
      unsafe next[1] = UInt8(truncatingIfNeeded: most)
      unsafe next[2] = UInt8(truncatingIfNeeded: most >> 8)
      unsafe next += 3
    }
    unsafe next.update(from: bytes, count: count)
    unsafe next += count
  }

  /// A copy from at most 65,535 bytes before, in pieces of at most 64 bytes.
  private static func putCopy(distance: Int, _ count: Int, to next: inout UnsafeMutablePointer<UInt8>) {
    var rest = count
    while rest > 0 {
      // A last piece shorter than four could not be written in the short form.
      let piece = rest >= 68 ? 64 : rest > 64 ? 60 : rest
      if piece < 12, distance < 2048, piece >= 4 {
        unsafe next[0] = UInt8(truncatingIfNeeded: 1 | (piece - 4) << 2 | (distance >> 8) << 5)
        unsafe next[1] = UInt8(truncatingIfNeeded: distance)
        unsafe next += 2
      } else {
        unsafe next[0] = UInt8(truncatingIfNeeded: 2 | (piece - 1) << 2)
        unsafe next[1] = UInt8(truncatingIfNeeded: distance)
        unsafe next[2] = UInt8(truncatingIfNeeded: distance >> 8)
        unsafe next += 3
      }
      rest -= piece
    }
  }
}
