import Rows
internal import CMasks

/// An error in JSON text with its offset; becomes a `Problem` when the name and the line are known.
package struct JSONSyntaxError: Error {
  let offset: Int
  /// A sentence without a full stop.
  let message: String
  /// The column that a value does not fit, when that is the fault.
  var column: Int?
  /// The hint; empty if there is none.
  let hint: Remedy

  init(_ message: String, at offset: Int, column: Int? = nil, hint: Remedy = "") {
    self.hint = hint
    self.message = message
    self.offset = offset
    self.column = column
  }
}

/// Steps through JSON text by the letter of RFC 8259.
///
/// The text must be valid UTF-8, followed by a NUL and 31 more bytes that may be read: NUL is allowed nowhere in JSON,
/// so it stops every loop and no length is compared.
@safe package struct JSONScanner {
  /// The deepest nesting that is read.
  static let maximumDepth = 128

  /// The first byte of the text.
  let base: UnsafePointer<UInt8>
  /// Offset of the next byte.
  package var at: Int

  package init(_ base: UnsafePointer<UInt8>, at: Int = 0) {
    unsafe self.base = base
    self.at = at
  }

  @inline(__always) var byte: UInt8 { unsafe base[at] }
  /// The byte `distance` after the next.
  @inline(__always) func byte(_ distance: Int) -> UInt8 { unsafe base[at &+ distance] }

  /// Steps over white space.
  @inline(__always) mutating func skipSpace() {
    while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at &+= 1 }
  }

  /// Skips a string including its quotes. Returns whether it contains an escape.
  @inline(__always) mutating func skipString() throws(JSONSyntaxError) -> Bool {
    at &+= 1
    skipPlain()
    if byte == UInt8(ascii: "\"") {
      at &+= 1
      return false
    }
    // A copy, so that this one stays in registers.
    var rest = self
    try rest.skipEscapedString()
    self = rest
    return true
  }

  /// Steps over what is not special in a string.
  @inline(__always) private mutating func skipPlain() {
    unsafe at &+= JSONEscapes.plainCount(base + at)
  }

  /// The rest of a string, from its first escape.
  @inline(never) private mutating func skipEscapedString() throws(JSONSyntaxError) {
    while byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\") else { throw controlCharacter() }
      try skipEscape()
      skipPlain()
    }
    at &+= 1
  }

  /// Steps over one escape, from the backslash; a surrogate must be half of a pair.
  private mutating func skipEscape() throws(JSONSyntaxError) {
    switch byte(1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at &+= 2
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(at &+ 2)
      if unit >> 11 == 0x1B {  // D800 to DFFF
        let isPair = unit < 0xDC00 && byte(6) == UInt8(ascii: "\\") && byte(7) == UInt8(ascii: "u")
        guard isPair, try hexadecimal(at &+ 8) >> 10 == 0x37 else {
          throw JSONSyntaxError("unpaired surrogate escape", at: at)
        }
        at &+= 6
      }
      at &+= 6
    case 0: throw JSONSyntaxError("unterminated string", at: at)
    default: throw JSONSyntaxError("invalid escape sequence", at: at)
    }
  }

  /// The value of four hexadecimal digits at `offset`.
  private func hexadecimal(_ offset: Int) throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for position in offset..<offset + 4 {
      guard let digit = unsafe JSONEscapes.hexadecimalDigit(base[position]) else {
        throw JSONSyntaxError("expected four hexadecimal digits after \\u", at: at)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private func controlCharacter() -> JSONSyntaxError {
    switch byte {
    case 0: JSONSyntaxError("unterminated string, or NUL character in a string", at: at)
    case 0x0A, 0x0D: JSONSyntaxError("line break in a string; a closing quote may be missing", at: at)
    default: JSONSyntaxError("unescaped control character in a string", at: at)
    }
  }

  /// Steps over a number; true when it has neither point nor exponent.
  @inline(__always) package mutating func skipNumber() throws(JSONSyntaxError) -> Bool {
    let start = at
    var isWhole = true
    if byte == UInt8(ascii: "-") { at &+= 1 }
    if byte == UInt8(ascii: "0") {
      at &+= 1
      if isDigit { throw JSONSyntaxError("number with a leading zero", at: start) }
    } else {
      try skipDigits(start)
    }
    if byte == UInt8(ascii: ".") {
      isWhole = false
      at &+= 1
      try skipDigits(start)
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      at &+= 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at &+= 1 }
      try skipDigits(start)
    }
    return isWhole
  }
  /// Whether a text is a number that has neither point nor exponent; nil for other text. Bytes of any content follow
  /// it.
  package static func isWholeNumber(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool? {
    switch unsafe text[count] {
    case 48...57, UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      // The next byte would continue the number.
      let copy = unsafe Arena(Array(UnsafeBufferPointer(start: text, count: count)))
      return withExtendedLifetime(copy) { unsafe isWholeNumber(copy.base, count) }
    default:
      var scanner = unsafe JSONScanner(text)
      guard let isWhole = try? scanner.skipNumber(), scanner.at == count else { return nil }
      return isWhole
    }
  }
  @inline(__always) private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }
  @inline(__always) private mutating func skipDigits(_ start: Int) throws(JSONSyntaxError) {
    guard isDigit else {
      throw byte == 0 ? unexpected(wanted: "a digit") : JSONSyntaxError("invalid number", at: start)
    }
    repeat { at &+= 1 } while isDigit
  }

  /// Steps over `true`, `false` or `null`.
  @inline(__always) mutating func skipWord(_ word: StaticString) throws(JSONSyntaxError) {
    for position in 0..<word.utf8CodeUnitCount {
      guard unsafe byte(position) == word.utf8Start[position] else { throw unexpected(start: at) }
    }
    at &+= word.utf8CodeUnitCount
  }

  /// Nothing JSON knows begins at the next byte.
  func unexpected(start: Int? = nil, wanted: String = "a value") -> JSONSyntaxError {
    let offset = start ?? at
    switch unsafe base[offset] {
    case 0: return JSONSyntaxError("unexpected end of input; expected \(wanted)", at: offset)
    case UInt8(ascii: "'"): return JSONSyntaxError("expected \(wanted); strings must be in double quotes", at: offset)
    case let byte where byte > 0x20 && byte < 0x7F:
      return JSONSyntaxError("expected \(wanted), found “\(Character(Unicode.Scalar(byte)))”", at: offset)
    default: return JSONSyntaxError("expected \(wanted)", at: offset)
    }
  }
}
