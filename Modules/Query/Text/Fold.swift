import CAssets

/// Folds text for search: removes case, accents and other marks, identically in all stores.
///
/// Canonical decomposition, marks removed, full case folding, `ı` → `i`, `ß` → `ss`.
public enum Fold {
  /// The folded form of UTF-8 text.
  public static func folded(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    unsafe text.withUnsafeBufferPointer { unsafe append(UnsafeRawBufferPointer($0), to: &result) }
    return result
  }
  /// The folded form of text.
  public static func folded(_ text: String) -> [UInt8] { folded(Array(text.utf8)) }

  /// Appends the folded form of UTF-8 bytes. Bytes that are not UTF-8 are kept as they are.
  package static func append(_ text: UnsafeRawBufferPointer, to result: inout [UInt8]) {
    var at = 0
    while at < text.count {
      let byte = unsafe text[at]
      if byte < 0x80 {
        var end = at + 1
        while end < text.count, unsafe text[end] < 0x80 { end += 1 }
        let start = result.count
        unsafe result.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[at..<end]))
        for index in start..<result.count where result[index] &- 65 < 26 { result[index] |= 32 }
        at = end
        continue
      }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      guard at + length <= text.count else {
        for i in at..<text.count { unsafe result.append(text[i]) }
        return
      }
      var code = UInt32(byte & (0xFF >> UInt8(length + 1)))
      for i in 1..<length { code = unsafe code << 6 | UInt32(text[at + i] & 0x3F) }
      if (0xAC00...0xD7A3).contains(code) {
        appendHangul(code - 0xAC00, to: &result)
      } else if let range = table.range(of: code) {
        result.append(contentsOf: table.bytes[range])
      } else {
        for i in 0..<length { unsafe result.append(text[at + i]) }
      }
      at += length
    }
  }

  /// Decomposes a Hangul syllable, by arithmetic (The Unicode Standard, 3.12).
  private static func appendHangul(_ syllable: UInt32, to result: inout [UInt8]) {
    let jamo = [0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28, 0x11A7 + syllable % 28]
    for code in syllable % 28 == 0 ? jamo[..<2] : jamo[...] {
      result += [0xE0 | UInt8(code >> 12), 0x80 | UInt8(code >> 6 & 0x3F), 0x80 | UInt8(code & 0x3F)]
    }
  }

  private static let table = Table()

  /// The table, read once.
  private struct Table: Sendable {
    private(set) var codes: [UInt32] = []
    private(set) var ends: [UInt32] = []
    private(set) var bytes: [UInt8] = []
    /// For each code point below `firstPages`, the number of its entry plus 1; 0 for those that fold to themselves.
    private var pages: [UInt16] = []
    private static let firstPages = 0x3000

    init() {
      readEntries()
      pages = [UInt16](repeating: 0, count: Self.firstPages)
      for (entry, code) in codes.enumerated() where code < Self.firstPages { pages[Int(code)] = UInt16(entry + 1) }
    }

    private mutating func readEntries() {
      var code: UInt32 = 0, number: UInt32 = 0, hasKey = false, hasDigits = false
      func finishScalar() {
        guard hasDigits, let scalar = Unicode.Scalar(number) else { return }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
      }
      // One word per character that changes: the distance from the previous one, a colon, and the replacement, joined
      // by periods; all in hexadecimal digits.
      var count = 0
      let text = unsafe UnsafeBufferPointer(start: bb_asset(bb_fold_txt, &count), count: count)
      for index in text.indices {
        let byte = unsafe text[index]
        switch byte {
        case UInt8(ascii: ":"):
          code += number
          codes.append(code)
          (number, hasKey, hasDigits) = (0, true, false)
        case UInt8(ascii: "."):
          finishScalar()
          (number, hasDigits) = (0, false)
        case UInt8(ascii: " "), UInt8(ascii: "\n"):
          guard hasKey else { continue }
          finishScalar()
          ends.append(UInt32(bytes.count))
          (number, hasKey, hasDigits) = (0, false, false)
        default:
          number = number << 4 | UInt32(byte > 57 ? byte - 87 : byte - 48)
          hasDigits = true
        }
      }
    }

    /// Where in `bytes` the folded form of a character lies; nil when it is the character itself.
    func range(of code: UInt32) -> Range<Int>? {
      if code < Self.firstPages {
        let entry = Int(pages[Int(code)]) - 1
        return entry < 0 ? nil : (entry == 0 ? 0 : Int(ends[entry - 1]))..<Int(ends[entry])
      }
      var low = 0, high = codes.count
      while low < high {
        let middle = (low + high) / 2
        if codes[middle] < code { low = middle + 1 } else { high = middle }
      }
      guard low < codes.count, codes[low] == code else { return nil }
      return (low == 0 ? 0 : Int(ends[low - 1]))..<Int(ends[low])
    }
  }
}
