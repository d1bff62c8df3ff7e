internal import CMasks
import Rows

/// Fields of CSV: quoted when they have to be, quotes doubled.
struct CSVFieldWriter {
  let delimiter: UInt8
  /// Text that is quoted although nothing in it asks for quotes, because unquoted it is null to some reader.
  let nullText: [UInt8]

  /// Longer fields are scanned before they are copied.
  private static let short = 1024

  /// Writes text, quoted when it has to be. Asks for room itself.
  @inline(__always) func put(_ text: ByteRun, at cursor: inout WriteCursor, _ out: inout ByteBuffer) {
    guard text.count > 0, text.count <= Self.short, text.count != nullText.count else {
      return putUnusual(text, at: &cursor, &out)
    }
    cursor.ensure(Self.short, &out)
    var position = 0, special: UInt32 = 0
    let target = unsafe cursor.next, source = unsafe text.start, count = text.count
    while position &+ 16 <= count {
      unsafe (target + position).store16(source + position)
      special |= unsafe bb_write_csv_mask16(source + position, delimiter)
      position &+= 16
    }
    if position < count {
      unsafe (target + position).store16(source + position)
      let tail = unsafe bb_write_csv_mask16(source + position, delimiter)
      special |= tail & (1 &<< UInt32(truncatingIfNeeded: count &- position) &- 1)
    }
    if special == 0 {
      unsafe cursor.next = target + count
    } else {
      putQuoted(text, at: &cursor, &out)
    }
  }

  /// Long text, empty text (when null is empty too), text that may be the one for null.
  @inline(never) private func putUnusual(_ text: ByteRun, at cursor: inout WriteCursor, _ out: inout ByteBuffer) {
    if text.count == 0 || text.equals(nullText) || needsQuotes(text) { return putQuoted(text, at: &cursor, &out) }
    cursor.ensure(text.count, &out)
    cursor.put(text)
  }

  private func needsQuotes(_ text: ByteRun) -> Bool {
    var position = 0
    while position < text.count {
      var special = unsafe bb_write_csv_mask16(text.start + position, delimiter)
      if text.count - position < 16 { special &= 1 << UInt32(text.count - position) - 1 }
      if special != 0 { return true }
      position += 16
    }
    return false
  }

  /// Writes text between quotes, after `prefix` if there is one. Asks for room itself.
  @inline(never) func putQuoted(
    _ text: ByteRun, prefix: UInt8? = nil, at cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) {
    cursor.ensure(2, &out)
    cursor.put(UInt8(ascii: "\""))
    if let prefix { cursor.put(prefix) }
    putDoubling(text, at: &cursor, &out)
    cursor.ensure(1, &out)
    cursor.put(UInt8(ascii: "\""))
  }

  /// Writes text with its quotes doubled: the inside of a quoted field. Asks for room itself.
  func putDoubling(_ text: ByteRun, at cursor: inout WriteCursor, _ out: inout ByteBuffer) {
    let slice = 4096
    var position = 0
    while position < text.count {
      cursor.ensure(2 * slice, &out)
      Self.putDoubling(text.slice(from: position, atMost: slice), at: &cursor)
      position += slice
    }
  }

  private static func putDoubling(_ text: ByteRun, at cursor: inout WriteCursor) {
    var source = unsafe text.start, left = text.count
    while true {
      unsafe cursor.next.store16(source)
      var quotes = unsafe bb_write_equal_mask16(source, UInt8(ascii: "\""))
      if left < 16 { quotes &= 1 &<< UInt32(truncatingIfNeeded: left) &- 1 }
      if quotes == 0 {
        if left <= 16 { break }
        unsafe cursor.next += 16
        unsafe source += 16
        left &-= 16
        continue
      }
      let upToQuote = quotes.trailingZeroBitCount &+ 1
      unsafe cursor.next += upToQuote
      cursor.put(UInt8(ascii: "\""))
      unsafe source += upToQuote
      left &-= upToQuote
    }
    unsafe cursor.next += left
  }

  /// Whether a spreadsheet may take the text for a formula.
  @inline(__always) static func looksLikeFormula(_ text: ByteRun) -> Bool {
    guard let first = text.first, first < 0x41 || first == 0xEF else { return false }
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D, 0x00:
      return text.count > 1 && !isPlainNumber(text)
    case 0xEF:
      // Full-width ＝ ＋ － ＠.
      return text.count >= 3 && text[1] == 0xBC && [0x9D, 0x8B, 0x8D, 0xA0].contains(text[2])
    default: return false
    }
  }

  /// Digits with a sign, separators, a fraction, an exponent: what is shown as that number and nothing else.
  private static func isPlainNumber(_ text: ByteRun) -> Bool {
    var position = 0
    func digits() -> Bool {
      let start = position
      while position < text.count, text[position] &- 48 < 10 { position += 1 }
      return position > start
    }
    func skip(_ bytes: UInt8...) -> Bool {
      guard position < text.count, bytes.contains(text[position]) else { return false }
      position += 1
      return true
    }
    _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
    var isNumber = digits()
    while skip(UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "'")) {
      guard digits() else { return false }
      isNumber = true
    }
    guard isNumber else { return false }
    if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
      guard digits() else { return false }
    }
    return position == text.count
  }
}
