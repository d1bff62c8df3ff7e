/// Numbers whose spelling is not the canonical one.
enum NumberSpelling {
  /// Whether this is a real in another spelling of its exponent (`6.5e-05`, `1E22`): a real all the same, whose literal
  /// is kept.
  static func isRealWithExponent(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where unsafe literal[index] | 0x20 == UInt8(ascii: "e") {
      return unsafe exactReal(literal, count) != nil
    }
    return false
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
