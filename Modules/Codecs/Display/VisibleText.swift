internal import CMasks
package import Rows

/// Text made safe for a terminal: nothing in it moves the cursor, colours the screen or turns the direction of
/// writing.
///
/// Control characters are shown as their pictures (`␊` for a line feed, `␛` for escape), the others that drive a
/// terminal or its direction, and the Unicode line ends, as `\u{202e}`. All other text is as it was.
package enum VisibleText {
  /// Appends text made visible; returns 1 when it had something to make visible other than line feeds and tabs, else 0.
  package static func append(_ text: ByteRun, to out: inout ByteBuffer) -> Int {
    var position = 0, reportedCells = 0
    while position < text.count {
      let start = position
      var special = unprintable(text, position)
      while special == 16 {
        position += 16
        special = unprintable(text, position)
      }
      position += special
      out.append(text.slice(from: start, atMost: position - start))
      if position < text.count { position += appendSpecial(text, position, to: &out, &reportedCells) }
    }
    return reportedCells
  }

  /// Appends a name (of a column) made visible.
  static func append(_ name: String, to out: inout ByteBuffer) {
    let bytes = Arena(Array(name.utf8))
    _ = append(ByteRun(bytes, 0, UInt32(bytes.count)), to: &out)
  }

  /// The bytes before the first that is not printable ASCII, or the end; at most 16.
  private static func unprintable(_ text: ByteRun, _ position: Int) -> Int {
    let left = text.count - position
    var mask = unsafe bb_write_unprintable_mask16(text.start + position)
    if left < 16 { mask |= 1 << UInt32(left) }
    return mask == 0 ? 16 : mask.trailingZeroBitCount
  }

  /// Appends what begins at `position`; returns how many bytes of the text that covers.
  private static func appendSpecial(
    _ text: ByteRun, _ position: Int, to out: inout ByteBuffer, _ reportedCells: inout Int
  ) -> Int {
    let first = text[position]
    if first < 0x20 || first == 0x7F {
      if first != 0x0A, first != 0x09 { reportedCells = 1 }
      out.append(bytes: [0xE2, 0x90, first == 0x7F ? 0xA1 : 0x80 + first])
      return 1
    }
    let count = min(first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4, text.count - position)
    if let scalar = driver(text, position, count) {
      reportedCells = 1
      out.append("\\u{\(String(scalar, radix: 16))}")
    } else {
      out.append(text.slice(from: position, atMost: count))
    }
    return count
  }

  /// The code point at `position` when it drives a terminal: C1 controls, line ends, embeddings, overrides and
  /// isolates.
  private static func driver(_ text: ByteRun, _ position: Int, _ count: Int) -> UInt32? {
    let first = text[position]
    if first == 0xC2, count == 2, text[position + 1] < 0xA0 { return UInt32(text[position + 1]) }
    guard first == 0xE2, count == 3 else { return nil }
    switch (text[position + 1], text[position + 2]) {
    case (0x80, 0xA8...0xAE): return 0x2000 + UInt32(text[position + 2] & 0x3F)
    case (0x81, 0xA6...0xA9): return 0x2040 + UInt32(text[position + 2] & 0x3F)
    default: return nil
    }
  }
}
