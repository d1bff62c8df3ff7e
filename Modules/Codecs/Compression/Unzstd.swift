internal import CCompression
import Rows

/// Decompresses frames of Zstandard (RFC 8878), and skips those that carry no data.
@safe final class Unzstd: Decompressor, @unchecked Sendable {
  private let context: UnsafeMutableRawPointer

  /// - Throws: `unavailable` if libzstd is missing, `io` without memory.
  init() throws(Problem) {
    try CompressionLibrary.zstd.load()
    guard let context = unsafe bb_unzstd_begin() else { throw Problem(.io, "out of memory") }
    unsafe self.context = context
  }

  deinit { unsafe bb_unzstd_end(context) }

  func restart() {}

  func step(_ input: ByteRun, into output: inout ArenaBuilder, limit: Int) -> DecompressionStep {
    var step = DecompressionStep(), result = bb_unzstd_more
    var why: UnsafePointer<CChar>?
    _ = unsafe output.appendBytes(atMost: limit) { free in
      result = unsafe bb_unzstd_step(
        context, input.start, input.count, &step.taken, free.baseAddress, free.count, &step.made, &why)
      return step.made
    }
    step.isDone = result == bb_unzstd_done
    if result == bb_unzstd_damaged {
      step.damage = unsafe why.map { unsafe String(cString: $0).lowercased() } ?? "the data is wrong"
    }
    return step
  }
}
