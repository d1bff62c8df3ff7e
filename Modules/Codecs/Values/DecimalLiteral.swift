/// The digits of a number in JSON's grammar, its exponent expanded.
struct DecimalLiteral {
  let isNegative: Bool
  /// Digits before the point, at least one.
  let whole: [UInt8]
  /// The digits after the decimal point, as written.
  let fraction: [UInt8]
  var fractionCount: Int { fraction.count }

  /// Nil for what is not a number, and for an exponent beyond ±400.
  init?(_ literal: [UInt8]) {
    var rest = literal[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    var mantissa = rest
    var exponent = 0
    if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      guard let value = Int(String(decoding: rest[(mark + 1)...], as: UTF8.self)), abs(value) <= 400 else { return nil }
      exponent = value
      mantissa = rest[..<mark]
    }
    let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 &- 48 < 10 } }),
      parts[0].count == 1 || parts[0].first != 48
    else { return nil }
    var digits = Array(parts.joined())
    var point = parts[0].count + exponent
    if point <= 0 {
      digits = Array(repeating: 48, count: 1 - point) + digits
      point = 1
    }
    if point > digits.count { digits += Array(repeating: 48, count: point - digits.count) }
    whole = Array(digits[..<point])
    fraction = Array(digits[point...])
  }
}
