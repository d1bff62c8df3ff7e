internal import CZlib
import Rows
import Synchronization

/// zlib, loaded on first use.
enum Zlib {
  private static let failure = Mutex<String??>(nil)

  /// Why the library cannot be loaded; nil if it is loaded.
  static var loadFailure: String? {
    failure.withLock { failure in
      if let known = failure { return known }
      let reason = unsafe bb_zlib_load().map { unsafe String(cString: $0) }
      failure = .some(reason)
      return reason
    }
  }

  /// Loads the library, once.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  static func load() throws(Problem) {
    if let why = loadFailure {
      throw Problem(.unavailable, "cannot load zlib (\(why))", hint: "install the package zlib1g")
    }
  }

  /// The CRC-32 of what gave `crc` followed by `bytes`; that of nothing is 0. The library must be loaded.
  static func crc32(_ crc: UInt32, _ bytes: ByteRun) -> UInt32 { unsafe bb_zlib_crc32(crc, bytes.start, bytes.count) }
}

/// Decompresses raw deflate data (RFC 1951), one piece at a time.
@safe final class Inflate: @unchecked Sendable {
  private let state: OpaquePointer
  /// Whether the end of the data was reached.
  private(set) var isDone = false

  /// - Throws: `unavailable` if zlib is missing, `io` without memory.
  init() throws(Problem) {
    try Zlib.load()
    guard let state = unsafe bb_inflate_begin() else { throw Problem(.io, "out of memory") }
    unsafe self.state = state
  }

  deinit { unsafe bb_inflate_end(state) }

  /// Decompresses as much as the input and the room of `output` allow; nil for damaged data.
  func step(_ input: ByteRun, into output: inout ArenaBuilder) -> (taken: Int, made: Int)? {
    var taken = 0, made = 0, result = bb_inflate_more
    let room = output.room
    _ = unsafe output.appendBytes(atMost: room) { free in
      result = unsafe bb_inflate_step(state, input.start, input.count, &taken, free.baseAddress, free.count, &made)
      return made
    }
    switch result {
    case bb_inflate_done: isDone = true
    case bb_inflate_more: if taken == 0, made == 0, input.count > 0, room > 0 { return nil }
    default: return nil
    }
    return (taken, made)
  }
}
