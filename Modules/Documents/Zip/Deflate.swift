internal import CZlib
import Codecs
import Rows

/// Compresses bytes as specified by RFC 1951, one piece at a time, quickly rather than well.
@safe final class Deflate: @unchecked Sendable {
  private let state: OpaquePointer
  private static let level: Int32 = 1, pieceBytes = 64 << 10

  /// - Throws: `unavailable` if zlib is missing, `io` without memory.
  init() throws(Problem) {
    try Zlib.load()
    guard let state = unsafe bb_deflate_begin(Self.level) else { throw Problem(.io, "out of memory") }
    unsafe self.state = state
  }

  deinit { unsafe bb_deflate_end(state) }

  func restart() { unsafe bb_deflate_again(state) }

  /// Appends the compressed form of `input`, of which some may follow with the next bytes.
  func append(_ input: RawSpan, isLast: Bool = false, to out: inout ByteBuffer) {
    unsafe input.withUnsafeBytes { input in
      var used = 0, isDone = false
      while !isDone {
        let next = unsafe out.room(Self.pieceBytes), start = unsafe input.baseAddress.map { unsafe $0 + used }
        var taken = 0, made = 0
        isDone = unsafe bb_deflate_step(
          state, start?.assumingMemoryBound(to: UInt8.self), input.count - used, isLast, &taken, next,
          Self.pieceBytes, &made)
        unsafe out.commit(next + made)
        used += taken
      }
    }
  }
}
