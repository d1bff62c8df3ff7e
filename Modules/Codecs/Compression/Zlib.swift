internal import CZlib
package import Rows
import Synchronization

/// zlib, loaded on first use.
package enum Zlib {
  private static let failure = Mutex<String??>(nil)

  /// Loads the library, once.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  package static func load() throws(Problem) {
    let why = failure.withLock { failure in
      if let known = failure { return known }
      let reason = unsafe bb_zlib_load().map { unsafe String(cString: $0) }
      failure = .some(reason)
      return reason
    }
    if let why {
      throw Problem(.unavailable, "cannot load zlib (\(why))", hint: "install the package zlib1g")
    }
  }

  /// The CRC-32 of what gave `crc` followed by `bytes`; that of nothing is 0. The library must be loaded.
  package static func crc32(_ crc: UInt32, _ bytes: ByteRun) -> UInt32 {
    unsafe bb_zlib_crc32(crc, bytes.start, bytes.count)
  }

  /// The CRC-32 of `bytes`.
  /// - Throws: `unavailable` if the library is missing.
  package static func crc32(_ bytes: RawSpan) throws(Problem) -> UInt32 {
    try load()
    return unsafe bytes.withUnsafeBytes { unsafe bb_zlib_crc32(0, $0.baseAddress, $0.count) }
  }
}

/// Decompresses data of one format, one piece at a time.
package protocol Decompressor: Sendable {
  /// Decompresses as much as the input and `limit`, the room for output, allow.
  func step(_ input: ByteRun, into output: inout ArenaBuilder, limit: Int) -> DecompressionStep
  /// Begins the next member or frame, after one that is done.
  func restart()
}

extension Decompressor {
  /// The `size` bytes that all of `bytes` are when they are decompressed; nil if they are not.
  package func decompress(_ bytes: ByteRun, size: Int) -> Arena? {
    var out = ArenaBuilder(capacity: size + 1), at = 0, isDone = true
    while at < bytes.count || !isDone {
      if isDone, at > 0 { restart() }
      let step = step(bytes.slice(from: at, atMost: .max), into: &out, limit: size - out.count + 1)
      at += step.taken
      isDone = step.isDone
      guard step.damage == nil, out.count <= size, isDone || step.taken > 0 || step.made > 0 else { return nil }
    }
    return out.count == size ? out.freeze() : nil
  }
}

/// The outcome of a step of a decompressor.
package struct DecompressionStep {
  /// The bytes of input that were used, and those of output.
  package var taken = 0, made = 0
  /// Whether the end of the data, or of a member or frame, was reached.
  package var isDone = false
  /// The reason why the data is damaged; nil if it is not.
  package var damage: String?

  package init() {}
}

/// Decompresses raw deflate data (RFC 1951), or members of a gzip file (RFC 1952).
@safe package final class Inflate: Decompressor, @unchecked Sendable {
  private let state: OpaquePointer

  /// - Throws: `unavailable` if zlib is missing, `io` without memory.
  package init(isGzip: Bool = false) throws(Problem) {
    try Zlib.load()
    guard let state = unsafe isGzip ? bb_gunzip_begin() : bb_inflate_begin() else {
      throw Problem(.io, "out of memory")
    }
    unsafe self.state = state
  }

  deinit { unsafe bb_inflate_end(state) }

  package func restart() { unsafe bb_inflate_again(state) }

  package func step(_ input: ByteRun, into output: inout ArenaBuilder, limit: Int) -> DecompressionStep {
    var step = DecompressionStep(), result = bb_inflate_more
    _ = unsafe output.appendBytes(atMost: limit) { free in
      result = unsafe bb_inflate_step(
        state, input.start, input.count, &step.taken, free.baseAddress, free.count, &step.made)
      return step.made
    }
    step.isDone = result == bb_inflate_done
    let isStuck = result == bb_inflate_more && step.taken == 0 && step.made == 0 && input.count > 0 && limit > 0
    if result == bb_inflate_damaged || isStuck { step.damage = "the data or its checksum is wrong" }
    return step
  }
}
