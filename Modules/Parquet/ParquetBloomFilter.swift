import Codecs
import Rows

/// A split block bloom filter (Parquet's specification `BloomFilter.md`): tells that a value is certainly not in a
/// column chunk.
struct ParquetBloomFilter {
  private static let salts: [UInt32] = [
    0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31,
  ]
  private var words: [UInt32]

  /// A filter with about ten bits for each of `count` values.
  init(count: Int) {
    var blocks = 1
    while blocks * 256 < count * 10, blocks < 1 << 19 { blocks *= 2 }
    words = Array(repeating: 0, count: blocks * 8)
  }

  /// The filter of all values of a column chunk.
  init(_ values: ParquetValues) {
    self.init(count: values.count)
    switch values.column.kind {
    case .text, .json, .bytes:
      for run in values.runs.entries {
        unsafe insert(XXHash64.hash(UnsafeRawBufferPointer(start: run.start, count: run.count)))
      }
    case .real: for value in values.reals.entries { insert(value.bitPattern.littleEndianBytes) }
    case .float:
      for value in values.reals.entries { insert(Array(UInt64(Float(value).bitPattern).littleEndianBytes[..<4])) }
    case .decimal where values.column.kind.isWide:
      for run in values.runs.entries { insert(run.bytes) }
    case .date, .narrow:
      for value in values.integers.entries { insert(Array(UInt64(bitPattern: value).littleEndianBytes[..<4])) }
    default: for value in values.integers.entries { insert(UInt64(bitPattern: value).littleEndianBytes) }
    }
  }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXHash64.hash($0) }
  }

  private mutating func insert(_ bytes: [UInt8]) { insert(Self.hash(bytes)) }

  private mutating func insert(_ hash: UInt64) {
    let block = Int(((hash >> 32) &* UInt64(words.count / 8)) >> 32), key = UInt32(truncatingIfNeeded: hash)
    for (place, salt) in Self.salts.enumerated() { words[block * 8 + place] |= 1 << ((key &* salt) >> 27) }
  }

  /// The hash of a value, given as text, in a column; nil if filters of its type are not used.
  static func hash(of text: String, _ column: ParquetFile.Column) -> UInt64? {
    let bytes: [UInt8]
    switch column.node.kind {
    case .text where column.description.type == .text: bytes = Array(text.utf8)
    case .signed:
      guard let number = Int64(text) else { return nil }
      guard column.node.physicalType == 1 else {
        bytes = UInt64(bitPattern: number).littleEndianBytes
        break
      }
      guard Int32(exactly: number) != nil else { return nil }
      bytes = Array(UInt64(bitPattern: number).littleEndianBytes[..<4])
    default: return nil
    }
    return hash(bytes)
  }

  /// Whether the filter at a position of a file may have a value; reads only the block of the value.
  /// - Throws: `badData` if there is no filter; `io`.
  static func mayContain(_ hash: UInt64, _ source: any RandomAccessSource, at offset: Int) throws -> Bool {
    guard let start = try source.bytes(at: offset, count: min(64, source.length - offset)) else { return true }
    let arena = Arena(start)
    defer { withExtendedLifetime(arena) {} }
    var cursor = ParquetCursor(ByteRun(arena, 0, UInt32(arena.count)))
    let header = try ThriftStructure(&cursor)
    // Algorithm, hash function and compression: each has one member that is defined.
    guard let size = header.integer(1), size > 0, size % 32 == 0,
      (2...4).allSatisfy({ header.structure($0)?.member == 1 })
    else { return true }
    let block = Int(((hash >> 32) &* UInt64(size / 32)) >> 32), key = UInt32(truncatingIfNeeded: hash)
    guard let bits = try source.bytes(at: offset + cursor.at + block * 32, count: 32) else { return true }
    return salts.enumerated().allSatisfy { place, salt in
      let word = bits[place * 4..<place * 4 + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return word >> ((key &* salt) >> 27) & 1 == 1
    }
  }

  func append(to out: inout ByteBuffer) {
    out.append(
      bytes: ThriftWriter.structure {
        $0.integer32(1, words.count * 4)
        for field in 2...4 { $0.structure(field) { $0.structure(1) { _ in } } }
      })
    for word in words { out.append(littleEndian: UInt64(word), count: 4) }
  }
}

/// The hash function xxHash64 with seed 0.
enum XXHash64 {
  private static let primes: [UInt64] = [
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5,
  ]

  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let (p1, p2, p3, p4, p5) = (primes[0], primes[1], primes[2], primes[3], primes[4])
    func word(_ at: Int) -> UInt64 { unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian }
    func round(_ state: UInt64, _ word: UInt64) -> UInt64 { rotated(state &+ word &* p2, 31) &* p1 }
    var at = 0, hash: UInt64
    if bytes.count >= 32 {
      var (a, b, c, d) = (p1 &+ p2, p2, UInt64(0), 0 &- p1)
      while at + 32 <= bytes.count {
        a = round(a, word(at))
        b = round(b, word(at + 8))
        c = round(c, word(at + 16))
        d = round(d, word(at + 24))
        at += 32
      }
      hash = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
      for lane in [a, b, c, d] { hash = (hash ^ round(0, lane)) &* p1 &+ p4 }
    } else {
      hash = p5
    }
    hash &+= UInt64(bytes.count)
    while at + 8 <= bytes.count {
      hash = rotated(hash ^ round(0, word(at)), 27) &* p1 &+ p4
      at += 8
    }
    if at + 4 <= bytes.count {
      let half = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian
      hash = rotated(hash ^ UInt64(half) &* p1, 23) &* p2 &+ p3
      at += 4
    }
    while at < bytes.count {
      hash = rotated(hash ^ UInt64(unsafe bytes[at]) &* p5, 11) &* p1
      at += 1
    }
    hash = (hash ^ hash >> 33) &* p2
    hash = (hash ^ hash >> 29) &* p3
    return hash ^ hash >> 32
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
}
