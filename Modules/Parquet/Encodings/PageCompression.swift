internal import CCompression
internal import CZlib
import Codecs
public import Rows

/// The compression of the pages of a Parquet file.
public enum PageCompression: Sendable, Hashable {
  case none, snappy, gzip, lz4
  /// Zstandard at a level from 1 to 19.
  case zstd(level: Int)

  /// Zstandard at its fastest usual level if libzstd is installed, else Snappy.
  public static var usual: PageCompression { CompressionLibrary.zstd.failure == nil ? .zstd(level: 1) : .snappy }

  /// Loads the library it needs.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  public func load() throws(Problem) {
    switch self {
    case .none, .snappy: break
    case .gzip: try Zlib.load()
    case .zstd: try CompressionLibrary.zstd.load()
    case .lz4: try CompressionLibrary.lz4.load()
    }
  }

  /// The number in the format's enumeration `CompressionCodec`.
  var code: Int {
    switch self {
    case .none: 0
    case .snappy: 1
    case .gzip: 2
    case .zstd: 6
    case .lz4: 7
    }
  }
}

@safe final class PageCompressor {
  private let compression: PageCompression
  private let context: UnsafeMutableRawPointer?
  private let gzip: OpaquePointer?
  private var snappy = Snappy()

  /// - Throws: `unavailable` if the library is missing, `io` without memory.
  init(_ compression: PageCompression) throws(Problem) {
    try compression.load()
    self.compression = compression
    if case .zstd(let level) = compression {
      unsafe context = bb_zstd_begin(Int32(level), 0)
    } else {
      unsafe context = nil
    }
    if case .gzip = compression { unsafe gzip = bb_gzip_begin(6) } else { unsafe gzip = nil }
    switch compression {
    case .zstd: if unsafe context == nil { throw Problem(.io, "out of memory") }
    case .gzip: if unsafe gzip == nil { throw Problem(.io, "out of memory") }
    default: break
    }
  }

  deinit {
    if let context = unsafe context { unsafe bb_zstd_end(context) }
    if let gzip = unsafe gzip { unsafe bb_deflate_end(gzip) }
  }

  /// Appends the compressed form of the bytes.
  func append(_ bytes: RawSpan, to out: inout ByteBuffer) throws(Problem) {
    let count = bytes.byteCount
    let isDone = unsafe bytes.withUnsafeBytes { raw in
      guard let input = raw.baseAddress else { return true }
      switch compression {
      case .none:
        let room = unsafe out.room(count)
        unsafe room.update(from: input.assumingMemoryBound(to: UInt8.self), count: count)
        unsafe out.commit(room + count)
        return true
      case .snappy:
        unsafe snappy.append(input.assumingMemoryBound(to: UInt8.self), count, to: &out)
        return true
      case .zstd:
        let bound = bb_zstd_bound(count), room = unsafe out.room(bound)
        let size = unsafe bb_zstd_compress(context, input, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      case .gzip:
        guard let gzip = unsafe gzip else { return false }
        let bound = unsafe bb_gzip_bound(gzip, count), room = unsafe out.room(bound)
        let size = unsafe bb_gzip_member(gzip, input, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      case .lz4:
        let bound = bb_lz4_bound(count), room = unsafe out.room(bound)
        let size = unsafe bb_lz4_compress(input, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      }
    }
    guard isDone else { throw Problem(.io, "a page cannot be compressed") }
  }
}
