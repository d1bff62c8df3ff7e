internal import CMasks

/// Numbers and their spellings.
package enum NumberSpelling {
  /// The Double that is nearest to a number, infinite for one that is too large; nil for another text.
  package static func value(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    var value = 0.0
    return unsafe bb_nearest_double(literal, count, &value) == 1
      ? value : Double(String(decoding: UnsafeBufferPointer(start: literal, count: count), as: UTF8.self))
  }

  /// The Double whose canonical text this is; nil if there is none.
  static func canonical(_ literal: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    // The longest canonical literal has 24 bytes.
    guard count <= 24, let value = unsafe value(literal, count), value.isFinite else { return nil }
    let isSame = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberWriter.longest) { text in
      guard let start = text.baseAddress else { return false }
      return unsafe NumberWriter.put(value, at: start) - start == count && bb_same(start, literal, count) != 0
    }
    return isSame ? value : nil
  }

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
    return unsafe canonical(literal, count) ?? exactReal(literal, count, orPrinted: true)
  }

  /// The Double that is exactly the number which is written, however it is spelled; nil when there is none.
  /// - Parameter orPrinted: whether one that prints the literal with as many digits is it, too.
  @inline(never)
  static func exactReal(_ literal: UnsafePointer<UInt8>, _ count: Int, orPrinted: Bool = false) -> Double? {
    guard let value = unsafe value(literal, count), value.isFinite,
      let number = unsafe DecimalNumber(UnsafeRawBufferPointer(start: literal, count: count))
    else { return nil }
    return number == DecimalNumber(value) || orPrinted && number.isPrinted(by: value) ? value : nil
  }
}

extension ByteRun {
  /// The Double that holds the number; see `NumberSpelling.held`.
  package var heldReal: Double? { unsafe NumberSpelling.held(start, count) }
}
