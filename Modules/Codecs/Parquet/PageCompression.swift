internal import CCompression
internal import CZlib
public import Rows
internal import Synchronization

/// The compression of the pages of a Parquet file.
public enum PageCompression: Sendable, Hashable {
  case none, snappy, gzip, lz4
  /// Zstandard at a level from 1 to 19.
  case zstd(level: Int)

  /// Whether the library it needs can be loaded.
  public var isAvailable: Bool { CompressionLibrary.failure(of: self) == nil }

  /// Loads the library it needs.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  public func load() throws(Problem) {
    guard let why = CompressionLibrary.failure(of: self) else { return }
    let package =
      switch self {
      case .zstd: "libzstd1"
      case .lz4: "liblz4-1"
      default: "zlib1g"
      }
    throw Problem(.unavailable, "cannot load the compression library (\(why))", hint: "install the package \(package)")
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

/// The libraries, loaded once.
private enum CompressionLibrary {
  private static let zstd = Mutex<String??>(nil), lz4 = Mutex<String??>(nil)

  /// Why the library of a compression cannot be loaded; nil if it is loaded or none is needed.
  static func failure(of compression: PageCompression) -> String? {
    switch compression {
    case .none, .snappy: nil
    case .gzip: Zlib.loadFailure
    case .lz4: once(lz4) { unsafe bb_lz4_load().map { unsafe String(cString: $0) } }
    case .zstd: once(zstd) { unsafe bb_zstd_load().map { unsafe String(cString: $0) } }
    }
  }

  private static func once(_ known: borrowing Mutex<String??>, _ load: () -> String?) -> String? {
    known.withLock { known in
      if let known { return known }
      let failure = load()
      known = .some(failure)
      return failure
    }
  }
}

/// Compresses pages one after the other.
@safe final class PageCompressor {
  private let compression: PageCompression
  private let context: UnsafeMutableRawPointer?
  private let gzip: OpaquePointer?
  private var snappy = Snappy()

  /// - Throws: `unavailable` if the library is missing, `io` without memory.
  init(_ compression: PageCompression) throws(Problem) {
    try compression.load()
    self.compression = compression
    if case .zstd = compression { unsafe context = bb_zstd_begin() } else { unsafe context = nil }
    if case .gzip = compression { unsafe gzip = bb_gzip_begin(6) } else { unsafe gzip = nil }
    switch compression {
    case .zstd: if unsafe context == nil { throw Problem(.io, "out of memory") }
    case .gzip: if unsafe gzip == nil { throw Problem(.io, "out of memory") }
    default: break
    }
  }

  deinit {
    if let context = unsafe context { unsafe bb_zstd_end(context) }
    if let gzip = unsafe gzip { unsafe bb_gzip_end(gzip) }
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
      case .zstd(let level):
        let bound = bb_zstd_bound(count), room = unsafe out.room(bound)
        let size = unsafe bb_zstd_compress(context, Int32(level), input, count, room, bound)
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
