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
    let decompressor = try decompressor(codec)
    var out = ArenaBuilder(capacity: size + 1), at = 0, isDone = true
    while at < bytes.count || !isDone {
      if isDone, at > 0 { decompressor.restart() }
      let step = decompressor.step(bytes.slice(from: at, atMost: .max), into: &out, limit: size - out.count + 1)
      at += step.taken
      isDone = step.isDone
      guard step.damage == nil, out.count <= size, isDone || step.taken > 0 || step.made > 0 else {
        throw .damage("a page cannot be decompressed")
      }
    }
    guard out.count == size else { throw .damage("a page has another size than its header says") }
    return out.freeze()
  }
}
