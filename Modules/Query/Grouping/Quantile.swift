import Codecs
import Rows

/// Figures that need all numbers of a group.
package enum Quantile {
  /// The value below which a part of the numbers lies, interpolated between neighbours; nil without numbers, and for a
  /// part outside 0 to 1.
  package static func value(of numbers: inout [Double], at part: Double) -> Double? {
    guard !numbers.isEmpty, part >= 0, part <= 1 else { return nil }
    numbers.sort { $0 < $1 || $1.isNaN && !$0.isNaN }
    let place = part * Double(numbers.count - 1), low = Int(place.rounded(.down))
    let high = min(low + 1, numbers.count - 1), share = place - Double(low)
    if share == 0 || numbers[low] == numbers[high] { return numbers[low] }
    if share == 0.5 { return numbers[low] / 2 + numbers[high] / 2 }
    return numbers[low] + (numbers[high] - numbers[low]) * share
  }

  /// The value between two neighbours, of which the second is null if there is none: exact in their middle.
  static func between(_ low: Value, _ high: Value, _ share: Double, isReal: Bool) -> Value {
    if share == 0 || high == .null || low == high { return low }
    if !isReal, let a = number(low), let b = number(high) {
      if share == 0.5, let sum = a + b, let half = sum * ExactNumber(5, scale: 1) { return .number(half.plain) }
      let value = a.double + (b.double - a.double) * share
      return ExactNumber(literal: value.canonicalText).map { .number($0.plain) } ?? .real(value)
    }
    func double(_ value: Value) -> Double {
      if case .real(let value) = value { value } else { number(value)?.double ?? .nan }
    }
    let (a, b) = (double(low), double(high))
    return .real(share == 0.5 ? a / 2 + b / 2 : a + (b - a) * share)
  }

  private static func number(_ value: Value) -> ExactNumber? {
    switch value {
    case .integer(let value): ExactNumber(Int128(value))
    case .number(let literal): ExactNumber(literal: literal)
    default: nil
    }
  }

  /// The standard deviation of a sample; nil for less than two numbers.
  package static func deviation(of numbers: [Double]) -> Double? {
    guard numbers.count > 1 else { return nil }
    var sum = RunningSum()
    for number in numbers where !sum.add(number) { return .nan }
    let mean = sum.mean
    var squares = 0.0, rest = 0.0
    for number in numbers {
      // Compensated: the error of each addition is carried to the next.
      let next = (number - mean) * (number - mean) - rest, total = squares + next
      rest = (total - squares) - next
      squares = total
    }
    return (squares / Double(numbers.count - 1)).squareRoot()
  }
}
