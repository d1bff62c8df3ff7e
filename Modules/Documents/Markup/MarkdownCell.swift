internal import CMasks
import Codecs
import Rows

/// Text as a cell of a GFM table that any renderer shows as the source text.
///
/// Escaped are ``\ ` * _ [ ] ~ @ |``, `< >` and the `&` of an entity (as entities), `:` before `//` and `.` after
/// `www` (else an autolink includes the escapes after it), and the first `:` of an emoji shortcode. A line end is
/// `<br>`; other control
/// characters are U+FFFD; spaces and tabs at the edges are `&#32;` and `&#9;`.
extension WriteCursor {
  /// Writes text; returns 1 when it had control bytes that had to be replaced (or carriage returns), else 0. Asks for
  /// room itself.
  mutating func putMarkdown(_ text: ByteRun, _ out: inout ByteBuffer) -> Int {
    var start = 0, end = text.count
    while start < end, isBlank(text[start]) { start += 1 }
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    putEdge(text, 0, start, &out)
    var position = start, noted = 0
    while position < end {
      let stop = min(position &+ 1024, end)
      ensure(1024 * 6, &out)
      while position < stop {
        unsafe next.store16(text.start + position)
        var mask = unsafe bb_write_markdown_mask16(text.start + position)
        let left = stop &- position
        if left < 16 { mask &= 1 &<< UInt32(truncatingIfNeeded: left) &- 1 }
        if mask == 0 {
          let plain = min(left, 16)
          unsafe next += plain
          position &+= plain
          continue
        }
        let plain = mask.trailingZeroBitCount
        unsafe next += plain
        position &+= plain
        position &+= putMarkdownSpecial(text, position, &noted)
      }
    }
    putEdge(text, end, text.count, &out)
    return noted
  }

  @inline(__always) private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private mutating func putEdge(_ text: ByteRun, _ start: Int, _ end: Int, _ out: inout ByteBuffer) {
    for position in start..<end {
      ensure(8, &out)
      put(text[position] == 0x20 ? "&#32;" : "&#9;")
    }
  }

  /// Writes the byte at `position` in the form required in a cell. Returns the number of bytes consumed.
  @inline(never) private mutating func putMarkdownSpecial(
    _ text: ByteRun, _ position: Int, _ noted: inout Int
  ) -> Int {
    let byte = text[position]
    switch byte {
    case UInt8(ascii: "&"): if Entity.begins(text, position) { put("&amp;") } else { put(byte) }
    case UInt8(ascii: "<"): put("&lt;")
    case UInt8(ascii: ">"): put("&gt;")
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "["),
      UInt8(ascii: "]"),
      UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: "|"):
      put(UInt8(ascii: "\\"))
      put(byte)
    case UInt8(ascii: ":"):
      let isScheme =
        position + 2 < text.count && text[position + 1] == UInt8(ascii: "/") && text[position + 2] == UInt8(ascii: "/")
      if isScheme || Shortcode.begins(text, position) { put(UInt8(ascii: "\\")) }
      put(byte)
    case UInt8(ascii: "."):
      let isWeb = position >= 3 && (1...3).allSatisfy { text[position - $0] | 0x20 == UInt8(ascii: "w") }
      if isWeb { put(UInt8(ascii: "\\")) }
      put(byte)
    case 0x0A: put("<br>")
    case 0x0D:
      noted = 1
      put("<br>")
      if position + 1 < text.count, text[position + 1] == 0x0A { return 2 }
    case 0x09: put(byte)
    case 0..<0x20, 0x7F:
      noted = 1
      put("\u{FFFD}")
    case 0xC2:
      // C1 controls; U+0085 is a line end to some and nothing to the rest.
      if position + 1 < text.count, text[position + 1] < 0xA0, text[position + 1] != 0x85 {
        noted = 1
        put("\u{FFFD}")
        return 2
      }
      put(byte)
    default: put(byte)
    }
    return 1
  }

  /// Writes text that is a URL as a link that shows it and leads there, any other text as `putMarkdown` does.
  @inline(__always) mutating func putMarkdownLinked(_ text: ByteRun, _ out: inout ByteBuffer) -> Int {
    if let first = text.first, first | 0x20 == UInt8(ascii: "h"), WebAddress.isOne(text) {
      return putMarkdownLink(text, &out)
    }
    return putMarkdown(text, &out)
  }

  @inline(never) private mutating func putMarkdownLink(_ text: ByteRun, _ out: inout ByteBuffer) -> Int {
    if WebAddress.isPlain(text) {
      ensure(text.count + 2, &out)
      put(UInt8(ascii: "<"))
      put(text)
      put(UInt8(ascii: ">"))
      return 0
    }
    ensure(1, &out)
    put(UInt8(ascii: "["))
    let noted = putMarkdown(text, &out)
    ensure(4, &out)
    put("](<")
    for position in 0..<text.count {
      ensure(8, &out)
      switch text[position] {
      case UInt8(ascii: "&"): put("&amp;")
      case UInt8(ascii: "|"): put("%7C")
      case UInt8(ascii: "<"): put("%3C")
      case UInt8(ascii: ">"): put("%3E")
      case UInt8(ascii: "\\"): put("%5C")
      case UInt8(ascii: "`"): put("%60")
      case let byte: put(byte)
      }
    }
    ensure(4, &out)
    put(">)")
    return noted
  }
}

extension WebAddress {
  /// Whether the text can be written between `<` and `>` unchanged, for any renderer: no bracket, pipe, backslash or
  /// backtick, only ASCII, nothing that may be an entity.
  static func isPlain(_ text: ByteRun) -> Bool {
    for position in 0..<text.count {
      switch text[position] {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "`"), 0x80...:
        return false
      case UInt8(ascii: "&"): if Entity.begins(text, position) { return false }
      default: break
      }
    }
    return true
  }
}

/// Character references of HTML: `&amp;`, `&#38;`.
enum Entity {
  /// Whether the `&` at `position` begins what may be one.
  static func begins(_ text: ByteRun, _ position: Int) -> Bool {
    var end = position + 1
    while end < text.count, isPart(text[end]) { end += 1 }
    return end > position + 1 && end < text.count && text[end] == UInt8(ascii: ";")
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "#") || byte &- 48 < 10 || (byte | 0x20) &- 97 < 26
  }
}

/// Emoji shortcodes, which many renderers replace: `:smile:`, `:+1:`.
enum Shortcode {
  /// The longest name, in bytes.
  private static let longest = 64

  /// Whether the `:` at `position` begins one: its name begins with a letter, or with a digit before a letter
  /// (`2nd_place_medal`), or is one of the four others that exist. The time 10:30:15 has none.
  static func begins(_ text: ByteRun, _ position: Int) -> Bool {
    let start = position + 1
    var end = start
    while end < text.count, end - position <= longest, isPart(text[end]) { end += 1 }
    guard end > start, end < text.count, text[end] == UInt8(ascii: ":") else { return false }
    if isLetter(text[start]) || text[start] &- 48 < 10 && isLetter(text[start + 1]) { return true }
    return ["100", "1234", "+1", "-1"].contains { name in
      name.utf8.count == end - start && zip(name.utf8, start..<end).allSatisfy { $0 == text[$1] }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  private static func isPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte &- 48 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-")
  }
}
