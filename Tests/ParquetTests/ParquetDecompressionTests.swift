import Rows
import Testing

@testable import Codecs
@testable import Parquet

@Suite("Parquet: decompression") struct ParquetDecompressionTests {
  private static let hasLZ4 = (try? CompressionLibrary.lz4.load()) != nil

  /// A part of a block: its size, and an LZ4 block of literals, at most 14.
  private func part(_ text: String) -> [UInt8] {
    [0, 0, 0, UInt8(text.utf8.count + 1), UInt8(text.utf8.count << 4)] + Array(text.utf8)
  }

  private func decompressed(_ bytes: [UInt8], size: Int) throws -> String {
    let packed = Arena(bytes)
    let page = try ParquetDecompression.decompress(ByteRun(packed, 0, UInt32(packed.count)), codec: 5, size: size)
    return String(decoding: page.bytes(0, UInt32(page.count)), as: UTF8.self)
  }

  /// Bytes that repeat near and far, and some that do not, with what they are compressed to.
  private func large(_ compression: PageCompression) throws -> (plain: [UInt8], packed: [UInt8]) {
    var random = SystemRandomNumberGenerator(), plain: [UInt8] = []
    let block = (0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &random) }
    while plain.count < 2 * ParquetMatches.window + 1 << 20 {
      let start = Int.random(in: 0..<block.count, using: &random)
      plain += block[start..<min(block.count, start + Int.random(in: 1...1 << 14, using: &random))]
      plain += [UInt8](repeating: UInt8(truncatingIfNeeded: start), count: start)
    }
    var packed = ByteBuffer(capacity: 1 << 20)
    try unsafe PageCompressor(compression).append(plain.span.bytes, to: &packed)
    return (plain, packed.bytes())
  }

  @Test(
    "a large page is decompressed in steps of any size",
    arguments: [PageCompression.none, .snappy, .gzip] + (hasLZ4 ? [.lz4] : []))
  func steps(_ compression: PageCompression) throws {
    let (plain, packed) = try large(compression), source = MemoryByteSource(packed, name: "page")
    let checksum = try unsafe Zlib.crc32(packed.span.bytes)
    let page = try ParquetPageBytes(
      source, 0..<packed.count, codec: compression.code, size: plain.count, checksum: checksum)
    #expect(page.isLarge)
    var at = 0
    while at < plain.count {
      let count = min(plain.count - at, Int.random(in: 1...1 << 19)), bytes = try page.take(count)
      guard bytes.bytes(0, UInt32(count)) == Array(plain[at..<at + count]) else {
        Issue.record("other bytes at \(at)")
        return
      }
      at += count
    }
    #expect(throws: ParquetFailure.self) { try page.take(1) }
    let arena = Arena(packed)
    defer { withExtendedLifetime(arena) {} }
    let whole = try ParquetDecompression.decompress(
      ByteRun(arena, 0, UInt32(packed.count)), codec: compression.code, size: plain.count)
    #expect(whole.bytes(0, UInt32(whole.count)) == plain)
  }

  @Test("a large page with another checksum is refused") func checksum() throws {
    let (plain, packed) = try large(.snappy), source = MemoryByteSource(packed, name: "page")
    let page = try ParquetPageBytes(source, 0..<packed.count, codec: 1, size: plain.count, checksum: 1)
    #expect(throws: ParquetFailure.self) { try page.take(plain.count) }
  }

  @Test("blocks of Hadoop may have several parts", .enabled(if: hasLZ4, "needs liblz4"))
  func parts() throws {
    let block = [0, 0, 0, 7] + part("abc") + part("defg")
    #expect(try decompressed(block, size: 7) == "abcdefg")
    #expect(try decompressed(block + [0, 0, 0, 2] + part("hi"), size: 9) == "abcdefghi")
    #expect(try decompressed([0, 0, 0, 0] + part(""), size: 0).isEmpty)
    for count in 1..<block.count {
      #expect(throws: ParquetFailure.self) { try decompressed(Array(block.prefix(count)), size: 7) }
    }
    #expect(throws: ParquetFailure.self) { try decompressed([0, 0, 0, 3] + part("abcd"), size: 4) }
  }
}
