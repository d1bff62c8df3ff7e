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
