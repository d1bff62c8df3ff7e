/// The kind of number that holds a JSON literal without losing its spelling.
enum JSONNumberKind: Sendable {
  /// The very digits that are written for an Int64.
  case integer
  /// The very text that is written for a finite Double.
  case real
  /// Anything else: `1.10`, `1e400`, `-0`, thirty digits.
  case other

  /// The kind of the `count` bytes at `literal`; `isWhole` when there is neither point nor exponent.
  @inline(__always) init(_ literal: UnsafePointer<UInt8>, count: Int, isWhole: Bool) {
    if isWhole {
      // The grammar has no leading zeros, so only `-0` and what has nineteen digits and more needs a look.
      let isShort = unsafe count <= 18 && (count != 2 || literal[0] != UInt8(ascii: "-") || literal[1] != 48)
      self = unsafe isShort || Self.isInteger(literal, count) ? .integer : .other
    } else {
      let isReal = unsafe Self.isPlainReal(literal, count) ?? (NumberSpelling.canonical(literal, count) != nil)
      self = isReal ? .real : .other
    }
  }

  @inline(never) private static func isInteger(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: literal, count: count), as: UTF8.self)
    return text != "-0" && Int64(text) != nil
  }

  /// Whether this is `digits.digits` with at most fifteen digits, without a redundant trailing zero, and not small
  /// enough to be written with an exponent: fifteen digits always read back, and no shorter text means the same number.
  /// Nil if that is to be seen.
  @inline(__always) private static func isPlainReal(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Bool? {
    guard count <= 16 else { return nil }
    var position = unsafe literal[0] == UInt8(ascii: "-") ? 1 : 0
    let start = position
    while unsafe literal[position] &- 48 < 10 { position &+= 1 }
    guard unsafe literal[position] == UInt8(ascii: ".") else { return nil }
    let fraction = position &+ 1
    position = fraction
    while position < count, unsafe literal[position] &- 48 < 10 { position &+= 1 }
    guard position == count else { return nil }
    if unsafe literal[count &- 1] == 48 { return count == fraction &+ 1 }
    return unsafe literal[start] != 48 || literal[fraction] != 48 || literal[fraction &+ 1] != 48 ? true : nil
  }
}
