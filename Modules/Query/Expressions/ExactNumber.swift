import Codecs

/// A decimal number that is calculated with exactly: `mantissa` × 10^-`scale`.
struct ExactNumber: Sendable {
  /// The mantissa; of a number with more digits its sign.
  private(set) var mantissa: Int128
  /// The digits after the point, at least 0.
  private(set) var scale: Int
  /// The digits of a mantissa that 128 bits do not hold, 0 to 9, the most significant first.
  private var digits: [UInt8]?

  static let mostDigits = 10_000
  private static let powers: [Int128] = (0...38).map { (0..<$0).reduce(Int128(1)) { power, _ in power * 10 } }

  init(_ mantissa: Int128, scale: Int = 0) { (self.mantissa, self.scale, digits) = (mantissa, scale, nil) }

  private init(isNegative: Bool, _ digits: [UInt8], scale: Int) {
    let kept = Array(digits.drop { $0 == 0 })
    self.scale = scale
    if kept.count <= 38 {
      let value = kept.reduce(Int128(0)) { $0 * 10 + Int128($1) }
      (mantissa, self.digits) = (isNegative ? -value : value, nil)
    } else {
      (mantissa, self.digits) = (isNegative ? -1 : 1, kept)
    }
  }

  /// Parses a literal; nil if it is not a number, or has too many digits.
  @inline(__always) init?(_ literal: UnsafeRawBufferPointer) {
    if let short = unsafe DecimalDigits(literal) {
      self.init(short.isNegative ? -Int128(short.value) : Int128(short.value), scale: short.scale)
    } else {
      guard let number = unsafe Self.long(literal) else { return nil }
      self = number
    }
  }

  @inline(never) private static func long(_ literal: UnsafeRawBufferPointer) -> ExactNumber? {
    guard let number = unsafe DecimalNumber(literal) else { return nil }
    let (isNegative, digits, exponent) = number.parts
    guard exponent.magnitude < mostDigits, digits.count < mostDigits else { return nil }
    // The zeros at the end of a fraction are a part of what the literal shows.
    let text = unsafe Array(literal), mark = text.firstIndex { $0 | 32 == 101 } ?? text.count
    let shown = mark == text.count ? text.firstIndex(of: 46).map { mark - $0 - 1 } ?? 0 : 0
    let scale = max(shown, digits.count - exponent, 0)
    return ExactNumber(
      isNegative: isNegative, digits + Array(repeating: 0, count: max(0, scale - digits.count + exponent)),
      scale: scale)
  }

  init?(literal: [UInt8]) {
    guard let number = unsafe literal.withUnsafeBytes({ unsafe ExactNumber($0) }) else { return nil }
    self = number
  }

  var isZero: Bool { mantissa == 0 }
  var isNegative: Bool { mantissa < 0 }
  /// The number as an integer; nil if it has a fraction or is too large.
  var integer: Int64? {
    if digits != nil { return nil }
    let (whole, rest) = scale <= 38 ? mantissa.quotientAndRemainder(dividingBy: Self.powers[scale]) : (0, mantissa)
    return rest == 0 ? Int64(exactly: whole) : nil
  }
  var double: Double {
    if digits == nil, mantissa.magnitude < 1 << 53, scale <= 15 {
      return Double(Int64(mantissa)) / NearestDouble.powersOfTen[scale]
    }
    return Double(String(decoding: literal, as: UTF8.self)) ?? .nan
  }

  private var magnitude: [UInt8] { digits ?? (mantissa == 0 ? [] : String(mantissa.magnitude).utf8.map { $0 - 48 }) }

  /// The number in JSON's grammar, with all digits of its scale.
  var literal: [UInt8] {
    var text = magnitude.map { $0 + 48 }
    if text.count <= scale { text.insert(contentsOf: repeatElement(48, count: scale + 1 - text.count), at: 0) }
    if scale > 0 { text.insert(46, at: text.count - scale) }
    if mantissa < 0 { text.insert(45, at: 0) }
    return text
  }

  /// The literal without zeros at the end of its fraction.
  var plain: [UInt8] { withoutZeros.literal }

  // MARK: - Arithmetic; nil for more than `mostDigits` digits

  static prefix func - (number: ExactNumber) -> ExactNumber {
    if number.mantissa == .min { return ExactNumber(isNegative: false, number.magnitude, scale: number.scale) }
    var result = number
    result.mantissa = -number.mantissa
    return result
  }

  @inline(__always) static func + (a: ExactNumber, b: ExactNumber) -> ExactNumber? {
    if a.digits == nil, b.digits == nil {
      if a.scale == b.scale {
        let (sum, isTooLarge) = a.mantissa.addingReportingOverflow(b.mantissa)
        if !isTooLarge { return ExactNumber(sum, scale: a.scale) }
      } else if let x = a.scaled(to: max(a.scale, b.scale)), let y = b.scaled(to: max(a.scale, b.scale)) {
        let (sum, isTooLarge) = x.addingReportingOverflow(y)
        if !isTooLarge { return ExactNumber(sum, scale: max(a.scale, b.scale)) }
      }
    }
    return longSum(a, b)
  }

  @inline(__always) static func * (a: ExactNumber, b: ExactNumber) -> ExactNumber? {
    if a.digits == nil, b.digits == nil {
      let (product, isTooLarge) = a.mantissa.multipliedReportingOverflow(by: b.mantissa)
      if !isTooLarge { return ExactNumber(product, scale: a.scale + b.scale) }
    }
    return longProduct(a, b)
  }

  private func scaled(to scale: Int) -> Int128? {
    guard scale - self.scale <= 38 else { return mantissa == 0 ? 0 : nil }
    let (value, isTooLarge) = mantissa.multipliedReportingOverflow(by: Self.powers[scale - self.scale])
    return isTooLarge ? nil : value
  }

  /// The digits of both at the larger scale.
  private static func aligned(_ a: ExactNumber, _ b: ExactNumber) -> ([UInt8], [UInt8], scale: Int) {
    let scale = max(a.scale, b.scale)
    func digits(_ number: ExactNumber) -> [UInt8] {
      number.magnitude + Array(repeating: 0, count: number.isZero ? 0 : scale - number.scale)
    }
    return (digits(a), digits(b), scale)
  }

  private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a.count != b.count { return a.count < b.count ? -1 : 1 }
    return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  @inline(never) private static func longSum(_ a: ExactNumber, _ b: ExactNumber) -> ExactNumber? {
    let (x, y, scale) = aligned(a, b)
    if max(x.count, y.count) >= mostDigits { return nil }
    if a.isNegative == b.isNegative || a.isZero || b.isZero {
      return ExactNumber(isNegative: a.isNegative || b.isNegative, added(x, y), scale: scale)
    }
    let order = compare(x, y)
    return ExactNumber(
      isNegative: order < 0 ? b.isNegative : a.isNegative, order < 0 ? subtracted(y, x) : subtracted(x, y),
      scale: scale)
  }

  private static func added(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [], carry: UInt8 = 0
    for place in 0..<max(a.count, b.count) {
      let sum = (place < a.count ? a[a.count - 1 - place] : 0) + (place < b.count ? b[b.count - 1 - place] : 0) + carry
      carry = sum / 10
      result.append(sum % 10)
    }
    if carry > 0 { result.append(carry) }
    return result.reversed()
  }

  /// The difference of digits, of which `a` are not less.
  private static func subtracted(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var result = a, borrow: UInt8 = 0
    for place in 0..<a.count {
      let at = a.count - 1 - place, taken = (place < b.count ? b[b.count - 1 - place] : 0) + borrow
      borrow = a[at] < taken ? 1 : 0
      result[at] = a[at] + borrow * 10 - taken
    }
    return Array(result.drop { $0 == 0 })
  }

  @inline(never) private static func longProduct(_ a: ExactNumber, _ b: ExactNumber) -> ExactNumber? {
    let x = a.magnitude, y = b.magnitude
    guard x.count + y.count <= mostDigits, a.scale + b.scale <= mostDigits else { return nil }
    var sums = Array(repeating: 0, count: x.count + y.count)
    for (i, p) in x.enumerated() { for (j, q) in y.enumerated() { sums[i + j + 1] += Int(p) * Int(q) } }
    for at in sums.indices.reversed().dropLast() {
      sums[at - 1] += sums[at] / 10
      sums[at] %= 10
    }
    return ExactNumber(isNegative: a.isNegative != b.isNegative, sums.map { UInt8($0) }, scale: a.scale + b.scale)
  }

  /// The quotient, of at most 34 significant digits, half to even; nil for division by zero.
  static func / (a: ExactNumber, b: ExactNumber) -> ExactNumber? {
    if b.isZero { return nil }
    let divisor = b.magnitude, isNegative = a.isNegative != b.isNegative
    var rest: [UInt8] = [], quotient: [UInt8] = [], scale = a.scale - b.scale, source = a.magnitude[...]
    var isInexact = false
    // Digit by digit; after the last one of the dividend, zeros follow.
    while true {
      if let next = source.popFirst() {
        rest.append(next)
      } else {
        if rest.isEmpty, scale >= 0 { break }
        if quotient.count >= 35, scale >= 0 || !rest.isEmpty {
          isInexact = !rest.isEmpty
          break
        }
        if !rest.isEmpty { rest.append(0) }
        scale += 1
      }
      rest = Array(rest.drop { $0 == 0 })
      var digit: UInt8 = 0
      while compare(rest, divisor) >= 0 {
        rest = subtracted(rest, divisor)
        digit += 1
      }
      if digit > 0 || !quotient.isEmpty { quotient.append(digit) }
      if quotient.count > mostDigits { return nil }
    }
    var number = ExactNumber(isNegative: isNegative, quotient, scale: max(scale, 0))
    if scale < 0 {
      number = ExactNumber(isNegative: isNegative, quotient + Array(repeating: 0, count: -scale), scale: 0)
    }
    let excess = quotient.count - 34
    if excess > 0, isInexact || quotient.suffix(excess).contains(where: { $0 != 0 }) {
      number = number.rounded(to: number.scale - excess, isMore: isInexact)
    }
    return number.withoutZeros
  }

  /// The remainder of a division that is rounded towards zero; nil for division by zero.
  static func % (a: ExactNumber, b: ExactNumber) -> ExactNumber? {
    if b.isZero { return nil }
    if let x = a.scaled(to: max(a.scale, b.scale)), let y = b.scaled(to: max(a.scale, b.scale)), a.digits == nil,
      b.digits == nil
    {
      return ExactNumber(y == -1 ? 0 : x % y, scale: max(a.scale, b.scale))
    }
    let (x, y, scale) = aligned(a, b)
    var rest: [UInt8] = []
    for digit in x {
      rest.append(digit)
      rest = Array(rest.drop { $0 == 0 })
      while compare(rest, y) >= 0 { rest = subtracted(rest, y) }
    }
    return ExactNumber(isNegative: a.isNegative, rest, scale: scale)
  }

  /// The number without zeros at the end of its fraction.
  private var withoutZeros: ExactNumber {
    var digits = magnitude, scale = self.scale
    while scale > 0, digits.last ?? 0 == 0 {
      if !digits.isEmpty { digits.removeLast() }
      scale -= 1
    }
    return ExactNumber(isNegative: isNegative, digits, scale: scale)
  }

  enum Rounding { case halfEven, halfAway, down, up }

  /// The number rounded to digits after the point, negative for tens and hundreds. A number of fewer keeps its own.
  /// - Parameter isMore: whether the exact value is a little larger in magnitude than the digits say.
  func rounded(to places: Int, _ rounding: Rounding = .halfEven, isMore: Bool = false) -> ExactNumber {
    guard places < scale else { return self }
    // Of places beyond all digits nothing is left.
    let places = max(places, -Self.mostDigits - 1)
    var digits = magnitude
    let cut = scale - places
    if digits.count < cut { digits.insert(contentsOf: repeatElement(0, count: cut - digits.count), at: 0) }
    let removed = digits.suffix(cut), kept = Array(digits.dropLast(cut))
    let hasRest = isMore || removed.contains { $0 != 0 }
    let first = removed.first ?? 0
    let isHalf = first == 5 && !isMore && !removed.dropFirst().contains { $0 != 0 }
    let isUp =
      switch rounding {
      case .halfEven: isHalf ? (kept.last ?? 0) % 2 == 1 : first >= 5
      case .halfAway: first >= 5
      case .down: isNegative && hasRest
      case .up: !isNegative && hasRest
      }
    var result = isUp ? Self.added(kept, [1]) : kept
    if places < 0 { result += Array(repeating: 0, count: -places) }
    return ExactNumber(isNegative: isNegative, result, scale: max(places, 0))
  }

  /// Below zero, zero or above, as the first is less than, equal to or greater than the second.
  static func order(_ a: ExactNumber, _ b: ExactNumber) -> Int {
    if a.digits == nil, b.digits == nil, a.scale == b.scale {
      return a.mantissa < b.mantissa ? -1 : a.mantissa == b.mantissa ? 0 : 1
    }
    if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
    let (x, y, _) = aligned(a, b)
    return a.isNegative ? compare(y, x) : compare(x, y)
  }
}
