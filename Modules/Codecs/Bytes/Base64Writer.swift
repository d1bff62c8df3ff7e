package import Rows

extension WriteCursor {
  /// Bytes in base64 (RFC 4648, with padding). Asks for room itself.
  package mutating func putBase64(_ bytes: ByteRun, _ out: inout ByteBuffer) {
    let slice = 3 * 1024
    var position = 0
    repeat {
      let part = bytes.slice(from: position, atMost: slice)
      ensure((part.count + 2) / 3 * 4, &out)
      putBase64(part)
      position += slice
    } while position < bytes.count
  }

  private mutating func putBase64(_ bytes: ByteRun) {
    var position = 0
    while position + 3 <= bytes.count {
      let group = UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
      for shift: UInt32 in [18, 12, 6, 0] { put(Self.digit(group >> shift & 63)) }
      position += 3
    }
    switch bytes.count - position {
    case 1:
      let group = UInt32(bytes[position])
      put(Self.digit(group >> 2))
      put(Self.digit(group << 4 & 63))
      put("==")
    case 2:
      let group = UInt32(bytes[position]) << 8 | UInt32(bytes[position + 1])
      put(Self.digit(group >> 10))
      put(Self.digit(group >> 4 & 63))
      put(Self.digit(group << 2 & 63))
      put("=")
    default: break
    }
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return unsafe alphabet.utf8Start[Int(value)]
  }
}

extension Base64 {
  /// The base64 text of some bytes, padded, without line breaks: for small values.
  public static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var out = ByteBuffer(capacity: bytes.count / 3 * 4 + 4096)
    var cursor = WriteCursor(&out, margin: 0)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { cursor.putBase64(unsafe ByteRun(start: start, count: bytes.count), &out) }
    }
    cursor.commit(to: &out)
    return out.bytes()
  }
}
