import Codecs
import Rows

/// The text of a shared string (`si`) or of a cell (`is`), which may consist of runs with a format each.
enum RichText {
  /// Appends the text of the current element up to its end. Phonetic hints are skipped, and escapes such as `_x000D_`
  /// replaced.
  /// - Throws: `badData` for a text larger than `limit` bytes.
  static func append(_ xml: XMLStream, limit: Int, to out: inout ByteBuffer) throws(Problem) {
    let start = out.count, outside = xml.depth - 1
    var isText = false
    while xml.depth > outside {
      switch try xml.next() {
      case .start:
        if xml.isForeign || xml.isNamed("rPh") || xml.isNamed("phoneticPr") {
          try xml.skip()
        } else {
          isText = xml.isNamed("t")
        }
      case .text:
        if isText { try xml.append(xml.text, isRaw: xml.isRaw, to: &out) }
        guard out.count - start <= limit else { throw tooLarge(xml, limit) }
      case .end: isText = false
      case .finished: return
      }
    }
    SheetEscapes.replace(in: &out, from: start)
  }

  static func tooLarge(_ xml: XMLStream, _ limit: Int) -> Problem {
    var problem = xml.problem("a text is larger than \(limit >> 20) MiB")
    problem.hint = .raise(.maximumField)
    return problem
  }
}

/// The escapes of characters that XML cannot hold: `_x0008_` is a backspace, `_x005F_` an underscore.
enum SheetEscapes {
  /// Replaces the escapes in the bytes from `start` on.
  static func replace(in out: inout ByteBuffer, from start: Int) {
    let text = out.run(from: start)
    guard text.count >= 7, text.distance(to: UInt8(ascii: "_")) <= text.count - 7 else { return }
    let bytes = text.bytes
    out.truncate(to: start)
    var place = 0
    while place < bytes.count {
      if let unit = unit(bytes[place...]) {
        var scalar = Unicode.Scalar(UInt32(unit)), length = 7
        if UTF16.isLeadSurrogate(unit), let trail = Self.unit(bytes[(place + 7)...]), UTF16.isTrailSurrogate(trail) {
          scalar = Unicode.Scalar(0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF)
          length = 14
        }
        if let scalar {
          out.append(bytes: Array(String(scalar).utf8))
          place += length
          continue
        }
      }
      out.append(byte: bytes[place])
      place += 1
    }
  }

  /// The UTF-16 code unit of the escape at the beginning of `text`; nil if there is none.
  @inline(__always) private static func unit(_ text: ArraySlice<UInt8>) -> UInt16? {
    let first = text.startIndex
    guard text.count >= 7, text[first] == UInt8(ascii: "_"), text[first + 1] == UInt8(ascii: "x"),
      text[first + 6] == UInt8(ascii: "_")
    else { return nil }
    var unit: UInt16 = 0
    for byte in text[(first + 2)..<(first + 6)] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - 87)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - 55)
      default: return nil
      }
    }
    return unit
  }
}
