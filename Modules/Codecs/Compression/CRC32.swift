import Rows

/// The checksum of ZIP archives, gzip members and Parquet pages (CRC-32 of ISO 3309), eight bytes at a time.
package enum CRC32 {
  /// Entry `256 * n + byte` is the checksum of the byte followed by n zeros.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for byte: UInt32 in 0..<256 {
      var value = byte
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
      tables.append(value)
    }
    for entry in 256..<8 * 256 {
      let shorter = tables[entry - 256]
      tables.append(tables[Int(shorter & 0xFF)] ^ shorter >> 8)
    }
    return tables
  }()

  /// The checksum of what gave `crc` followed by the bytes at `start`; that of nothing is 0.
  package static func updated(_ crc: UInt32, _ start: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    unsafe tables.withUnsafeBufferPointer { table in
      func entry(_ number: Int, _ word: UInt64, _ shift: UInt64) -> UInt32 {
        unsafe table[256 &* number &+ Int(truncatingIfNeeded: word &>> shift & 0xFF)]
      }
      var value = ~crc, at = 0
      while at &+ 8 <= count {
        let word = unsafe UnsafeRawPointer(start + at).loadUnaligned(as: UInt64.self).littleEndian ^ UInt64(value)
        value = entry(7, word, 0) ^ entry(6, word, 8) ^ entry(5, word, 16) ^ entry(4, word, 24)
        value ^= entry(3, word, 32) ^ entry(2, word, 40) ^ entry(1, word, 48) ^ entry(0, word, 56)
        at &+= 8
      }
      while at < count {
        value = unsafe table[Int(truncatingIfNeeded: (value ^ UInt32(start[at])) & 0xFF)] ^ value &>> 8
        at &+= 1
      }
      return ~value
    }
  }

  /// The checksum of `bytes`.
  package static func of(_ bytes: RawSpan) -> UInt32 {
    unsafe bytes.withUnsafeBytes { raw in
      guard let start = unsafe raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      return unsafe updated(0, start, raw.count)
    }
  }
}
