/// A number of any size, compared exactly: what a literal says, not the nearest Double.
public struct DecimalNumber: Sendable, Hashable, Comparable {
  private let isNegative: Bool
  /// Digits 0 to 9 without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The value is 0.d₁d₂… × 10^exponent.
  private let exponent: Int

  /// The number a literal in JSON's grammar says (a leading `+` and zeros are taken too); nil when it is none.
  public init?(_ literal: [UInt8]) { self.init(literal.span) }

  /// The number that a literal represents; nil if it is none.
  public init?(_ literal: UnsafeRawBufferPointer) { unsafe self.init(Span(_unsafeBytes: literal)) }

  private init?(_ literal: Span<UInt8>) {
    var isNegative = false, digits: [UInt8] = [], point: Int?, exponent = 0, count = 0, at = 0
    if !literal.isEmpty, literal[0] == 45 || literal[0] == 43 {
      isNegative = literal[0] == 45
      at = 1
    }
    while at < literal.count {
      let byte = literal[at]
      if byte &- 48 < 10 {
        digits.append(byte - 48)
        count += 1
      } else if byte == 46, point == nil {
        point = count
      } else {
        break
      }
      at += 1
    }
    guard count > 0 else { return nil }
    if at < literal.count {
      guard literal[at] == 101 || literal[at] == 69 else { return nil }
      at += 1
      var isDown = false
      if at < literal.count, literal[at] == 45 || literal[at] == 43 {
        isDown = literal[at] == 45
        at += 1
      }
      guard at < literal.count else { return nil }
      for index in at..<literal.count {
        guard literal[index] &- 48 < 10 else { return nil }
        exponent = min(exponent * 10 + Int(literal[index] - 48), 1 << 40)
      }
      if isDown { exponent = -exponent }
    }
    self.init(isNegative: isNegative, digits: digits, exponent: exponent + (point ?? count))
  }

  /// The number times 10 to the power of `scale`, if that is an integer of at most `precision` digits, at most 38.
  public func unscaled(precision: Int, scale: Int) -> Int128? {
    let zeros = exponent - digits.count + scale
    guard zeros >= 0 || digits.isEmpty, digits.isEmpty || exponent + scale <= min(precision, 38) else { return nil }
    var value: Int128 = 0
    for digit in digits { value = value * 10 + Int128(digit) }
    for _ in 0..<(digits.isEmpty ? 0 : zeros) { value *= 10 }
    return isNegative ? -value : value
  }

  /// Whether the number divided by 10 to a power is an integer.
  public func isMultiple(ofPowerOfTen power: Int) -> Bool { digits.isEmpty || exponent - digits.count >= power }

  /// The 32-bit real of the same value, or whose shortest literal this is; nil if there is none.
  public var float: Float? {
    guard (-60...60).contains(exponent), digits.count <= 60 else { return digits.isEmpty ? 0 : nil }
    let text = "\(isNegative ? "-" : "")0.\(digits.map(String.init).joined())e\(exponent)"
    guard let value = Float(digits.isEmpty ? "0" : text), value.isFinite else { return nil }
    return DecimalNumber(Double(value)) == self || DecimalNumber(Array(value.description.utf8)) == self ? value : nil
  }

  /// An integer.
  public init(_ value: Int64) {
    let digits = String(value.magnitude).utf8.map { $0 - 48 }
    self.init(isNegative: value < 0, digits: digits, exponent: digits.count)
  }

  /// A real, as its shortest literal says; nil when it is not finite.
  public init?(_ value: Double) {
    guard value.isFinite, let number = DecimalNumber(Array(value.description.utf8)) else { return nil }
    self = number
  }

  private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
    let zeros = digits.prefix { $0 == 0 }.count
    var kept = digits.dropFirst(zeros)
    while kept.last == 0 { kept = kept.dropLast() }
    self.digits = Array(kept)
    self.exponent = kept.isEmpty ? 0 : exponent - zeros
    self.isNegative = isNegative && !kept.isEmpty
  }

  /// The nearest Double of a number of at most 15 digits, which no other such number has; nil for other numbers.
  package var shortDouble: Double? {
    guard digits.count <= 15, (-290...290).contains(exponent) else { return nil }
    let sign: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    let mantissa = digits.isEmpty ? [48] : digits.map { $0 + 48 }
    return Double(String(decoding: sign + mantissa, as: UTF8.self) + "e\(exponent - digits.count)")
  }

  /// Whether a Double, rounded to as many digits as the number has, 16 or 17, is the number.
  package func isPrinted(by value: Double) -> Bool {
    let places = digits.count - exponent
    guard (16...17).contains(digits.count), (0...38).contains(places), value.exponent < 60,
      isNegative == (value < 0)
    else { return false }
    // The value is its significand times a power of two; times 10^places it is rounded to the digits, ties to even.
    let significand = UInt128(value.significandBitPattern | 1 << 52), shift = 52 - Int(value.exponent)
    var power: UInt128 = 1, wanted: UInt128 = 0
    for _ in 0..<places { power *= 10 }
    for digit in digits { wanted = wanted * 10 + UInt128(digit) }
    let product = significand.multipliedFullWidth(by: power)
    guard shift > 0 else { return product.high == 0 && product.low << UInt128(-shift) == wanted }
    guard shift < 256 else { return false }
    func bits(_ shift: Int) -> UInt128 {
      shift >= 128
        ? product.high >> UInt128(shift - 128) : product.low >> UInt128(shift) | product.high << UInt128(128 - shift)
    }
    let whole = bits(shift), isHalf = bits(shift - 1) & 1 == 1
    let zeros = product.low == 0 ? 128 + product.high.trailingZeroBitCount : product.low.trailingZeroBitCount
    let isMore = zeros < shift - 1
    return whole + (isHalf && (isMore || whole & 1 == 1) ? 1 : 0) == wanted
  }

  /// Bytes that equal numbers have in common, and only they.
  package var keyBytes: [UInt8] { [isNegative ? 1 : 0] + digits + Array(" \(exponent)".utf8) }

  /// Sign, digits (0 to 9, none at either end 0) and exponent: the value is ±0.d₁d₂… × 10^exponent.
  package var parts: (isNegative: Bool, digits: [UInt8], exponent: Int) { (isNegative, digits, exponent) }

  /// Whether `a` is less than `b`, exactly.
  public static func < (a: DecimalNumber, b: DecimalNumber) -> Bool {
    if a.isNegative != b.isNegative { return a.isNegative }
    return a.isNegative ? b.isSmaller(than: a) : a.isSmaller(than: b)
  }

  private func isSmaller(than other: DecimalNumber) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}
