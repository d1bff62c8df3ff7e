import Codecs
import Rows

/// The exact sum and mean of decimal numbers that come and go one by one.
package struct RunningSum {
  /// The numbers added and not removed again.
  package private(set) var count = 0
  /// The sum is `total` × 10^-`scale`, and what `wide` has.
  private var total: Int128 = 0
  private var scale = 0
  private var wide: WideSum?

  package init() {}

  /// Adds a number, or removes one.
  /// - Returns: whether the sum has few enough digits.
  package mutating func add(_ number: Double, removing: Bool = false) -> Bool {
    unsafe add(ShortDecimal(.real(number), CellReader(bytes: nil)), DecimalNumber(number), removing)
  }
  package mutating func add(_ number: Int64, removing: Bool = false) -> Bool {
    unsafe add(ShortDecimal(.integer(number), CellReader(bytes: nil)), DecimalNumber(number), removing)
  }

  /// Adds or removes the number that a literal in JSON's grammar spells; false for any other text.
  package mutating func add(_ literal: [UInt8], removing: Bool = false) -> Bool {
    add(nil, DecimalNumber(literal), removing)
  }

  private mutating func add(
    _ short: ShortDecimal?, _ number: @autoclosure () -> DecimalNumber?, _ removing: Bool
  ) -> Bool {
    let change = removing ? -1 : 1
    if let short, add(removing ? -Int128(short.mantissa) : Int128(short.mantissa), short.scale) {
      count += change
      return true
    }
    var sum = WideSum()
    guard let number = number(), sum.add(number) else { return false }
    if removing { sum.negate() }
    wide = wide ?? WideSum()
    wide?.add(sum)
    count += change
    return true
  }

  /// Adds without `wide`; false if 128 bits are too few.
  private mutating func add(_ value: Int128, _ scale: Int) -> Bool {
    let common = max(scale, self.scale)
    guard let known = SumState.scaled(total, by: common - self.scale),
      let more = SumState.scaled(value, by: common - scale)
    else { return false }
    let (sum, isTooLarge) = known.addingReportingOverflow(more)
    if isTooLarge { return false }
    (total, self.scale) = (sum, common)
    return true
  }

  /// The sum, in JSON's grammar.
  package var literal: [UInt8] { SumState.literal(result) }
  /// The mean, rounded; not a number if there is no number.
  package var mean: Double {
    let (isNegative, digits, exponent) = result
    if count == 0 { return .nan }
    let (quotient, place) = SumState.divided(digits, exponent, by: count)
    let literal = SumState.literal((isNegative, quotient, place))
    return Double(String(decoding: literal, as: UTF8.self)) ?? .nan
  }

  private var result: (isNegative: Bool, digits: [UInt8], exponent: Int) {
    var sum = wide ?? WideSum()
    if let number = DecimalNumber(Array("\(total)e-\(scale)".utf8)) { _ = sum.add(number) }
    var (isNegative, digits, exponent) = sum.result
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    return digits.isEmpty ? (false, [0], 0) : (isNegative, digits, exponent)
  }
}
