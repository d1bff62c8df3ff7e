internal import CMasks
import Codecs
import Rows

extension WriteCursor {
  /// Writes text for HTML or XML, in an element or in an attribute between `"`: `& < > "` as entities, control
  /// characters as U+FFFD, carriage returns as line feeds; line feeds and tabs stay. Returns 1 when something had to
  /// be replaced, else 0. Asks for room itself.
  mutating func putMarkup(_ text: ByteRun, _ out: inout ByteBuffer) -> Int {
    var position = 0, noted = 0
    while position < text.count {
      let stop = min(position &+ 1024, text.count)
      ensure(1024 * 6, &out)
      while position < stop {
        unsafe next.store16(text.start + position)
        var mask = unsafe bb_write_markup_mask16(text.start + position)
        let left = stop &- position
        if left < 16 { mask &= 1 &<< UInt32(truncatingIfNeeded: left) &- 1 }
        let plain = mask == 0 ? min(left, 16) : mask.trailingZeroBitCount
        unsafe next += plain
        position &+= plain
        if mask != 0 { position &+= putMarkupSpecial(text, position, &noted) }
      }
    }
    return noted
  }

  /// Writes the byte at `position` in the form required in markup. Returns the number of bytes consumed.
  @inline(never) private mutating func putMarkupSpecial(
    _ text: ByteRun, _ position: Int, _ noted: inout Int
  ) -> Int {
    let byte = text[position]
    let following: UInt8? = position + 1 < text.count ? text[position + 1] : nil
    switch byte {
    case UInt8(ascii: "&"): put("&amp;")
    case UInt8(ascii: "<"): put("&lt;")
    case UInt8(ascii: ">"): put("&gt;")
    case UInt8(ascii: "\""): put("&quot;")
    case 0x0A, 0x09: put(byte)
    case 0x0D:
      noted = 1
      if following != 0x0A { put(UInt8(ascii: "\n")) }
    case 0..<0x20, 0x7F:
      noted = 1
      put("\u{FFFD}")
    case 0xC2:
      guard let following, following < 0xA0, following != 0x85 else {
        put(byte)
        return 1
      }
      noted = 1
      put("\u{FFFD}")
      return 2
    case 0xEF:
      guard position + 2 < text.count, following == 0xBF, text[position + 2] >= 0xBE else {
        put(byte)
        return 1
      }
      noted = 1
      put("\u{FFFD}")
      return 3
    default: put(byte)
    }
    return 1
  }
}

extension ByteBuffer {
  /// Appends text known to the program (names, titles) for HTML or XML.
  mutating func append(markup text: String) { _ = append(markup: Array(text.utf8)) }

  /// Appends text for HTML or XML; returns 1 when something in it had to be replaced, else 0.
  mutating func append(markup text: [UInt8]) -> Int {
    let bytes = Arena(text)
    return withExtendedLifetime(bytes) { append(markup: ByteRun(bytes, 0, UInt32(text.count))) }
  }
  /// Appends text for HTML or XML; returns 1 when something in it had to be replaced, else 0.
  mutating func append(markup text: ByteRun) -> Int {
    var cursor = WriteCursor(&self, margin: 0)
    let noted = cursor.putMarkup(text, &self)
    cursor.commit(to: &self)
    return noted
  }
}
