import Codecs
import Rows

/// Decompresses the pages of a Parquet file.
enum ParquetDecompression {
  /// - Parameter codec: a number of the format's enumeration `CompressionCodec`.
  static func decompressor(_ codec: Int) throws(ParquetFailure) -> any Decompressor {
    do throws(Problem) {
      switch codec {
      case 0: return ParquetMatches(.stored)
      case 1: return ParquetMatches(.snappy)
      case 2: return try Inflate(isGzip: true)
      case 4: return try LibraryDecompressor(.brotli)
      case 5: return ParquetMatches(.lz4OrHadoop)
      case 6: return try LibraryDecompressor(.zstd)
      case 7: return ParquetMatches(.lz4)
      default: break
      }
    } catch {
      throw .problem(error)
    }
    throw .damage(codec == 3 ? "LZO compression is not supported" : "an unknown compression")
  }

  /// The `size` bytes that `bytes` are when they are decompressed.
  static func decompress(_ bytes: ByteRun, codec: Int, size: Int) throws(ParquetFailure) -> Arena {
    guard let plain = try decompressor(codec).decompress(bytes, size: size) else {
      throw .damage("a page cannot be decompressed to the size that its header says")
    }
    return plain
  }
}
