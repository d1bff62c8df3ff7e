import Codecs
import Rows

/// A constant as bounds for the mantissas of short numbers, by their scale: so numbers are compared without division.
struct NumberBounds: Sendable {
  /// The least mantissa that is not below the constant, and the greatest one that is not above it.
  private(set) var lows: [Int64] = [], highs: [Int64] = []

  /// - Parameter constant: a literal; nil if it is not a short number.
  init?(_ constant: [UInt8]) {
    guard let digits = unsafe constant.withUnsafeBytes({ unsafe DecimalDigits($0) }) else { return nil }
    let mantissa = digits.isNegative ? -Int64(digits.value) : Int64(digits.value)
    for scale in 0...18 {
      let power = (0..<abs(scale - digits.scale)).reduce(Int64(1)) { power, _ in power * 10 }
      if scale >= digits.scale {
        let (product, isTooLarge) = mantissa.multipliedReportingOverflow(by: power)
        // Beyond all mantissas of this scale.
        let bound = isTooLarge ? mantissa < 0 ? Int64.min : Int64.max : product
        lows.append(bound)
        highs.append(bound)
      } else {
        let (quotient, rest) = mantissa.quotientAndRemainder(dividingBy: power)
        lows.append(rest > 0 ? quotient + 1 : quotient)
        highs.append(rest < 0 ? quotient - 1 : quotient)
      }
    }
  }

  /// The same for each of several constants, one after the other; nil if one of them is not a short number.
  init?(_ constants: [[UInt8]]) {
    for constant in constants {
      guard let bounds = NumberBounds(constant) else { return nil }
      lows += bounds.lows
      highs += bounds.highs
    }
  }
  static let scales = 19
}

/// A number in a condition; its spelling may be `NaN`, `Infinity` or `-Infinity`.
struct NumberConstant: Sendable {
  let nearest: NearestDouble
  /// Nil for a number that is not finite.
  let exact: DecimalNumber?

  /// - Parameter text: a literal, or a word; nil if it is neither.
  init?(_ text: [UInt8]) {
    exact = DecimalNumber(text)
    if exact != nil, let near = unsafe text.withUnsafeBytes({ unsafe NearestDouble($0) }) {
      nearest = near
    } else {
      let words: [Double] = [.nan, .infinity, -.infinity], word = String(decoding: text, as: UTF8.self).lowercased()
      guard let value = words.first(where: { "\(NonfinitePolicy.word(for: $0))".lowercased() == word }) else {
        return nil
      }
      nearest = NearestDouble(value: value, isWhole: true)
    }
  }
}

extension CellReader {
  /// Negative, zero or positive as a number is before, equal to or after a constant; nil for other cells.
  @inline(never) func order(of cell: Cell, to constant: NumberConstant) -> Int? {
    guard let near = nearestDouble(of: cell) else { return nil }
    if let order = near.order(to: constant.nearest) { return order }
    guard let value = number(of: cell), let exact = constant.exact else { return nil }
    return value < exact ? -1 : value == exact ? 0 : 1
  }
}
