internal import CCompression
package import Rows

extension FileCompression {
  /// Frames as specified by RFC 8878.
  public static let zstd = {
    let signature: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    var zstd = FileCompression("zstd", "zst", signature: signature) { start in
      // The other is a frame that decompressors skip.
      start.elementsEqual(signature)
        || start.count == 4 && start[0] & 0xF0 == 0x50 && start[1...].elementsEqual([0x2A, 0x4D, 0x18])
    } load: { () throws(Problem) in
      try CompressionLibrary.zstd.load()
    } decompressor: { () throws(Problem) in
      try LibraryDecompressor(.zstd)
    } compress: { bytes, out in
      let count = bytes.byteCount
      return unsafe bytes.withUnsafeBytes { input in
        guard let context = unsafe bb_zstd_begin(3, 1) else { return false }
        defer { unsafe bb_zstd_end(context) }
        let bound = bb_zstd_bound(count), room = unsafe out.room(bound)
        let size = unsafe bb_zstd_compress(context, input.baseAddress, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      }
    }
    zstd.end = appendTable
    return zstd
  }()

  /// The table of frames that seekable readers use: a frame that all others skip.
  @Sendable private static func appendTable(_ frames: [Frame], to out: inout ByteBuffer) {
    out.append(littleEndian: 0x184D_2A5E, count: 4)
    out.append(littleEndian: UInt64(frames.count * 8 + 9), count: 4)
    for frame in frames {
      out.append(littleEndian: UInt64(frame.compressed), count: 4)
      out.append(littleEndian: UInt64(frame.plain), count: 4)
    }
    out.append(littleEndian: UInt64(frames.count), count: 4)
    out.append(byte: 0)
    out.append(littleEndian: 0x8F92_EAB1, count: 4)
  }
}

/// Decompresses frames of Zstandard (RFC 8878), and skips those that carry no data, or a stream of Brotli (RFC 7932).
@safe package final class LibraryDecompressor: Decompressor, @unchecked Sendable {
  private let state: UnsafeMutableRawPointer
  private let isBrotli: Bool

  /// - Throws: `unavailable` if the library is missing, `io` without memory.
  package init(_ library: CompressionLibrary) throws(Problem) {
    try library.load()
    isBrotli = library === CompressionLibrary.brotli
    guard let state = unsafe isBrotli ? bb_unbrotli_begin() : bb_unzstd_begin() else {
      throw Problem(.io, "out of memory")
    }
    unsafe self.state = state
  }

  deinit { if isBrotli { unsafe bb_unbrotli_end(state) } else { unsafe bb_unzstd_end(state) } }

  package func restart() {}

  package func step(_ input: ByteRun, into output: inout ArenaBuilder, limit: Int) -> DecompressionStep {
    var step = DecompressionStep(), result = bb_step_more
    var why: UnsafePointer<CChar>?
    _ = unsafe output.appendBytes(atMost: limit) { free in
      result = unsafe (isBrotli ? bb_unbrotli_step : bb_unzstd_step)(
        state, input.start, input.count, &step.taken, free.baseAddress, free.count, &step.made, &why)
      return step.made
    }
    step.isDone = result == bb_step_done
    if result == bb_step_damaged {
      step.damage = unsafe why.map { unsafe String(cString: $0).lowercased() } ?? "the data is wrong"
    }
    return step
  }
}
