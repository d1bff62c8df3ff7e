internal import CCompression
import Codecs
import Rows

/// Decompresses the pages of a Parquet file.
enum ParquetDecompression {
  /// The most bytes of a page.
  static let maximumPage = 1 << 30

  /// The `size` bytes that `bytes` are when they are decompressed.
  /// - Parameter codec: a number of the format's enumeration `CompressionCodec`.
  static func decompress(_ bytes: ByteRun, codec: Int, size: Int) throws(ParquetFailure) -> Arena {
    guard size >= 0, size <= maximumPage else { throw .damage("a page is larger than 1 GiB") }
    var out = ArenaBuilder(capacity: max(size, 1))
    switch codec {
    case 0: unsafe out.append(RawSpan(_unsafeStart: bytes.start, byteCount: bytes.count))
    case 1: try snappy(bytes, size, &out)
    case 2: try gzip(bytes, size, &out)
    case 4:
      try load(.brotli)
      try unsafe whole(bytes, size, &out) { unsafe bb_unbrotli($0.start, $0.count, $1, $2) }
    case 5:
      try load(.lz4)
      if try !hadoop(bytes, size, &out) {
        out.removeAll()
        try unsafe whole(bytes, size, &out) { unsafe bb_unlz4($0.start, $0.count, $1, $2) }
      }
    case 6:
      try load(.zstd)
      guard let context = unsafe bb_unzstd_begin() else { throw .damage("out of memory") }
      defer { unsafe bb_unzstd_end(context) }
      try unsafe whole(bytes, size, &out) { unsafe bb_unzstd(context, $0.start, $0.count, $1, $2) }
    case 7:
      try load(.lz4)
      try unsafe whole(bytes, size, &out) { unsafe bb_unlz4($0.start, $0.count, $1, $2) }
    case 3: throw .damage("LZO compression is not supported")
    default: throw .damage("an unknown compression")
    }
    guard out.count == size else { throw .damage("a page has another size than its header says") }
    return out.freeze()
  }

  private static func load(_ library: CompressionLibrary) throws(ParquetFailure) {
    do throws(Problem) { try library.load() } catch { throw .problem(error) }
  }

  /// Appends what a library writes in one call.
  private static func whole(
    _ bytes: ByteRun, _ size: Int, _ out: inout ArenaBuilder,
    _ body: (ByteRun, UnsafeMutableRawPointer?, Int) -> Int
  ) throws(ParquetFailure) {
    let made = unsafe out.appendBytes(atMost: size) { free in
      let made = unsafe body(bytes, free.baseAddress, free.count)
      return made == Int(bitPattern: UInt.max) || made > size ? -1 : made
    }
    guard made == size else { throw .damage("a page cannot be decompressed") }
  }

  private static func gzip(_ bytes: ByteRun, _ size: Int, _ out: inout ArenaBuilder) throws(ParquetFailure) {
    let inflate: Inflate
    do throws(Problem) { inflate = try Inflate(isGzip: true) } catch { throw .problem(error) }
    var at = 0, isDone = true
    while at < bytes.count || !isDone {
      if isDone, at > 0 { inflate.restart() }
      let step = inflate.step(bytes.slice(from: at, atMost: .max), into: &out, limit: size - out.count + 1)
      at += step.taken
      isDone = step.isDone
      guard step.damage == nil, out.count <= size, isDone || step.taken > 0 || step.made > 0 else {
        throw .damage("a page cannot be decompressed")
      }
    }
  }

  /// Blocks as Hadoop writes them: the size of the block, and its parts, each after its compressed size.
  /// - Returns: whether the bytes are such blocks.
  private static func hadoop(_ bytes: ByteRun, _ size: Int, _ out: inout ArenaBuilder) throws(ParquetFailure) -> Bool {
    var at = 0
    func bigEndian(_ place: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[place + $1]) } }
    while at < bytes.count {
      guard bytes.count - at >= 8 else { return false }
      var plain = bigEndian(at)
      at += 4
      guard plain <= size - out.count else { return false }
      repeat {
        guard bytes.count - at >= 4 else { return false }
        let packed = bigEndian(at)
        at += 4
        guard packed <= bytes.count - at else { return false }
        let part = bytes.slice(from: at, atMost: packed), most = plain
        let made = unsafe out.appendBytes(atMost: most) { free in
          let made = unsafe bb_unlz4(part.start, part.count, free.baseAddress, free.count)
          return made > most ? -1 : Int(made)
        }
        guard made > 0 || plain == 0 && made == 0 else { return false }
        plain -= made
        at += packed
      } while plain > 0
    }
    return out.count == size
  }

  /// The Snappy format: <https://github.com/google/snappy/blob/main/format_description.txt>.
  static func snappy(_ bytes: ByteRun, _ size: Int, _ out: inout ArenaBuilder) throws(ParquetFailure) {
    var cursor = ParquetCursor(bytes)
    guard try cursor.count() == size else { throw .damage("a page has another size than its header says") }
    var failure: ParquetFailure?
    _ = unsafe out.appendBytes(atMost: size) { free in
      guard let base = unsafe free.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      var made = 0
      do throws(ParquetFailure) {
        while cursor.left > 0 {
          let tag = Int(try cursor.byte())
          if tag & 3 == 0 {
            let short = tag >> 2
            let length = short < 60 ? short + 1 : Int(try cursor.littleEndian(short - 59)) + 1
            let literal = try cursor.take(length)
            guard length <= size - made else { throw .damage("a page cannot be decompressed") }
            unsafe (base + made).update(from: literal.start, count: length)
            made += length
          } else {
            let length = tag & 3 == 1 ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1
            let distance =
              switch tag & 3 {
              case 1: (tag >> 5) << 8 | Int(try cursor.byte())
              case 2: Int(try cursor.littleEndian(2))
              default: Int(try cursor.littleEndian(4))
              }
            guard distance > 0, distance <= made, length <= size - made else {
              throw .damage("a page cannot be decompressed")
            }
            if distance >= length {
              unsafe (base + made).update(from: base + made - distance, count: length)
            } else {
              for place in made..<made + length { unsafe base[place] = base[place - distance] }
            }
            made += length
          }
        }
      } catch {
        failure = error
      }
      return made
    }
    if let failure { throw failure }
  }
}
