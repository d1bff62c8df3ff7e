internal import CZlib
import Rows

extension FileCompression {
  /// Members as specified by RFC 1952. Tapes and block devices fill the last block of a file with zeros.
  public static let gzip = {
    var gzip = FileCompression("gzip", "gz", signature: [0x1F, 0x8B]) { () throws(Problem) in
      try Zlib.load()
    } decompressor: { () throws(Problem) in
      try Inflate(isGzip: true)
    } compress: { bytes, out in
      let count = bytes.byteCount
      return unsafe bytes.withUnsafeBytes { input in
        guard let state = unsafe bb_gzip_begin(6) else { return false }
        defer { unsafe bb_deflate_end(state) }
        let bound = unsafe bb_gzip_bound(state, count), room = unsafe out.room(bound)
        let size = unsafe bb_gzip_member(state, input.baseAddress, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      }
    }
    gzip.ignoresPadding = true
    return gzip
  }()
}
