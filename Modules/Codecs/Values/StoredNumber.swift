/// A number in the form in which SQLite keeps it without a change.
package enum StoredNumber: Equatable {
  /// The literal is that of an integer in canonical form.
  case integer(Int64)
  /// The literal is that of a real in canonical form.
  case real(Double)
  /// SQLite would change the literal (`1.10`, `1e400`, 30 digits): it is kept as text.
  case literal

  /// Classifies a literal in the grammar of JSON.
  package init(_ literal: UnsafePointer<UInt8>, _ length: Int) {
    if let value = unsafe ShortLiteral.integer(literal, length) {
      self = .integer(value)
    } else if let value = unsafe ShortLiteral.real(literal, length) {
      self = .real(value)
    } else if let value = unsafe NumberSpelling.canonical(literal, length) {
      self = .real(value)
    } else {
      self = unsafe Self(unusual: Array(UnsafeBufferPointer(start: literal, count: length)))
    }
  }

  /// Classifies a literal in the grammar of JSON.
  package init(_ literal: [UInt8]) {
    self = unsafe literal.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return .literal }
      return unsafe Self(start, bytes.count)
    }
  }

  @inline(never) private init(unusual literal: [UInt8]) {
    self = .literal
    if literal.count <= 20, let value = Int64(String(decoding: literal, as: UTF8.self)),
      String(value).utf8.elementsEqual(literal)
    {
      self = .integer(value)
    }
  }
}

/// Literals of at most 15 or 18 digits, read without a detour over `String`.
enum ShortLiteral {
  /// An integer of at most 18 digits without a leading zero; nil for anything else.
  static func integer(_ text: UnsafePointer<UInt8>, _ length: Int) -> Int64? {
    let sign = unsafe length > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard length > sign, length - sign <= 18, unsafe text[sign] != UInt8(ascii: "0") || length == 1 else { return nil }
    var value: Int64 = 0
    for place in sign..<length {
      let digit = unsafe text[place] &- 48
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return sign == 1 ? -value : value
  }

  static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// A real of at most 15 digits with a fraction that does not end with a zero, or is a single one, and no zeros before
  /// it that would be an exponent: one exact division gives it, and it is written the same again. Nil for anything
  /// else.
  static func real(_ text: UnsafePointer<UInt8>, _ length: Int) -> Double? {
    guard let (value, fraction) = unsafe number(text, length), fraction > 0 else { return nil }
    let endsWithZero = unsafe text[length - 1] == UInt8(ascii: "0")
    // Below this, the canonical form has an exponent.
    guard !endsWithZero || fraction == 1, value.magnitude >= 1e-4 else { return nil }
    return value
  }

  /// The value of a number of at most 15 digits without an exponent or redundant zeros before the point, and the number
  /// of digits after the point; nil for anything else. One exact division gives it.
  @inline(__always)
  static func number(_ text: UnsafePointer<UInt8>, _ length: Int) -> (value: Double, fraction: Int)? {
    let sign = unsafe length > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard length > sign, length - sign <= 16 else { return nil }
    var mantissa: UInt64 = 0, point = length
    for place in sign..<length {
      let byte = unsafe text[place]
      if byte == UInt8(ascii: "."), point == length, place > sign, place < length - 1 {
        point = place
      } else {
        guard byte &- 48 < 10 else { return nil }
        mantissa = mantissa &* 10 &+ UInt64(byte &- 48)
      }
    }
    guard unsafe text[sign] != UInt8(ascii: "0") || point == sign + 1, length - sign <= 15 || point < length else {
      return nil
    }
    let fraction = max(0, length - point - 1), value = Double(mantissa) / powers[fraction]
    return (sign == 1 ? -value : value, fraction)
  }
}
