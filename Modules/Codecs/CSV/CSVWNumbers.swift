/// The format of the numbers of a column: the decimal point and the group separator.
public struct CSVWNumberFormat: Sendable, Hashable {
  /// The text before the fraction.
  public var point: [UInt8] = [UInt8(ascii: ".")]
  /// The text between groups of digits; empty if there is none.
  public var group: [UInt8] = []
  /// The sizes of the groups; nil if any are permitted.
  public var groupSizes: GroupSizes?

  /// The digits of the last group before the point, and of each other but the first, which may have fewer.
  public struct GroupSizes: Sendable, Hashable {
    let last: Int, others: Int

    /// The groups of a pattern, such as `#,##0.00` or `#,##,##0`; nil if it has none.
    public init?(_ pattern: String) {
      let groups = pattern.utf8.prefix { $0 != UInt8(ascii: ".") }.split(separator: UInt8(ascii: ","))
      guard groups.count > 1, let last = groups.last?.count else { return nil }
      (self.last, others) = (last, groups.count > 2 ? groups[groups.count - 2].count : last)
    }

    /// Whether digits in groups have these sizes.
    func fit(_ groups: [Int]) -> Bool {
      groups.count < 2
        || groups[groups.count - 1] == last && groups[1..<(groups.count - 1)].allSatisfy { $0 == others }
          && (1...others).contains(groups[0])
    }
  }

  /// JSON's numbers, also with a plus sign and with leading zeros.
  public init() {}

  /// Reads a number, which may end with `%` or `‰`.
  /// - Returns: its literal in JSON's grammar, verbatim if it is one already; nil for any other text.
  public func literal(_ text: [UInt8]) -> [UInt8]? {
    var rest = text, shift = 0
    for (sign, places) in [("%", 2), ("‰", 3)] where rest.reversed().starts(with: sign.utf8.reversed()) {
      rest.removeLast(sign.utf8.count)
      shift = places
    }
    if !group.isEmpty {
      let whole = rest[..<(rest.firstRange(of: point)?.lowerBound ?? rest.endIndex)]
      let groups = whole.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }.split(
        separator: group, omittingEmptySubsequences: false)
      guard groupSizes?.fit(groups.map(\.count)) ?? true else { return nil }
      rest = Self.replacing(group, with: [], in: rest)
    }
    if point != [UInt8(ascii: ".")] {
      // A point that is not the decimal point of the format cannot be part of a number.
      guard !rest.contains(UInt8(ascii: ".")) else { return nil }
      rest = Self.replacing(point, with: [UInt8(ascii: ".")], in: rest)
    }
    guard let literal = Self.json(rest) else { return nil }
    return shift == 0 ? literal : Self.shifted(literal, shift)
  }

  private static func json(_ text: [UInt8]) -> [UInt8]? {
    var rest = text[...], sign: [UInt8] = []
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      sign = first == UInt8(ascii: "-") ? [first] : []
      rest = rest.dropFirst()
    }
    let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    let exponent = rest.dropFirst(mantissa.count)
    let parts = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    func isDigits(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy { $0 &- 48 < 10 } }
    guard parts.allSatisfy(isDigits), mantissa.contains(where: { $0 &- 48 < 10 }) else { return nil }
    if !exponent.isEmpty {
      var digits = exponent.dropFirst()
      if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
        digits = digits.dropFirst()
      }
      guard !digits.isEmpty, isDigits(digits) else { return nil }
    }
    var whole = parts[0].drop { $0 == 48 }
    if whole.isEmpty { whole = [48] }
    let fraction = parts.count > 1 && !parts[1].isEmpty ? [UInt8(ascii: ".")] + parts[1] : []
    return sign + whole + fraction + exponent
  }

  /// The number divided by ten to the power of `places`.
  private static func shifted(_ literal: [UInt8], _ places: Int) -> [UInt8]? {
    guard let number = DecimalLiteral(literal) else { return nil }
    var digits = number.whole + number.fraction
    let fractionCount = number.fractionCount + places
    if digits.count <= fractionCount { digits = Array(repeating: 48, count: fractionCount + 1 - digits.count) + digits }
    let text = digits.dropLast(fractionCount) + [UInt8(ascii: ".")] + digits.suffix(fractionCount)
    return json((number.isNegative ? [UInt8(ascii: "-")] : []) + text)
  }

  private static func replacing(_ part: [UInt8], with other: [UInt8], in text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [], rest = text[...]
    while !rest.isEmpty {
      if rest.starts(with: part) {
        result += other
        rest = rest.dropFirst(part.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
