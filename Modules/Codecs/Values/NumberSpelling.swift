/// Numbers whose spelling is not the canonical one.
package enum NumberSpelling {
  /// Whether this is a real in another spelling of its exponent (`6.5e-05`, `1E22`): a real all the same, whose literal
  /// is kept.
  static func isRealWithExponent(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where unsafe literal[index] | 0x20 == UInt8(ascii: "e") {
      return unsafe exactReal(literal, count) != nil
    }
    return false
  }

  /// The most digits of an exponent of a number in text.
  static let longestExponent = 4

  /// Whether this is a fraction without a zero before its point: `.5`, `-.25`.
  static func isBare(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let start = unsafe text[0] == UInt8(ascii: "-") ? 1 : 0
    guard unsafe count > start + 1 && text[start] == UInt8(ascii: ".") else { return false }
    return (start + 1..<count).allSatisfy { unsafe text[$0] &- 48 < 10 }
  }

  /// The Double that holds a number: its shortest text has that value, or it prints the literal with as many digits, 16
  /// or 17, as other programs write them (`0.84294500000000006`); nil if there is none.
  package static func held(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    if let (value, _) = unsafe ShortLiteral.number(literal, count) { return value }
    return unsafe longHeld(literal, count)
  }

  @inline(never) private static func longHeld(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    let bytes = unsafe Array(UnsafeBufferPointer(start: literal, count: count))
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite,
      let number = DecimalNumber(bytes)
    else { return nil }
    if number == DecimalNumber(value) || number.isPrinted(by: value) { return value }
    return nil
  }

  /// The Double that is nearest to a number; nil for one that is too large.
  static func nearest(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    let value = unsafe Double(String(decoding: UnsafeBufferPointer(start: literal, count: count), as: UTF8.self))
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The Double that is exactly the number which is written, however it is spelled; nil when there is none.
  static func exactReal(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    let bytes = unsafe Array(UnsafeBufferPointer(start: literal, count: count))
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite,
      let exact = DecimalNumber(bytes), exact == DecimalNumber(value)
    else { return nil }
    return value
  }
}
