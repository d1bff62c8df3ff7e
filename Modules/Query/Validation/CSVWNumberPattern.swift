import Codecs
import Rows

/// The format of a number in CSV on the Web: characters for groups and decimals, and a pattern of UTS #35 such as
/// `#,##0.00`.
struct CSVWNumberPattern: Sendable {
  private var group: [UInt8] = [UInt8(ascii: ",")], point: [UInt8] = [UInt8(ascii: ".")]
  private(set) var pattern: Pattern?

  /// The demands of a pattern.
  struct Pattern: Sendable {
    var integers = 0, fractions = 0...Int.max, exponents: Int?
    /// The sizes of the groups before the point, from the right; empty without groups.
    var groups: [Int] = []
    /// The size of the groups after the point; 0 without groups.
    var fractionGroup = 0
    var sign: UInt8?, suffix: UInt8?
  }

  /// Any number.
  init() {}

  /// - Returns: nil if it is not a format of numbers.
  init?(_ format: JSON) {
    if let text = format["groupChar"]?.stringBytes { group = text }
    if let text = format["decimalChar"]?.stringBytes, !text.isEmpty { point = text }
    guard let text = format.stringBytes ?? format["pattern"]?.stringBytes else {
      if format.objectMembers == nil { return nil }
      return
    }
    guard let made = Self.parse(text) else { return nil }
    pattern = made
  }

  private static func parse(_ text: [UInt8]) -> Pattern? {
    var pattern = Pattern(), rest = text[...]
    if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
      pattern.sign = first
      rest = rest.dropFirst()
    }
    if let last = rest.last, last == UInt8(ascii: "%") {
      pattern.suffix = last
      rest = rest.dropLast()
    } else if rest.suffix(3).elementsEqual("‰".utf8) {
      pattern.suffix = 0xE2
      rest = rest.dropLast(3)
    }
    let parts = rest.split(separator: UInt8(ascii: "E"), omittingEmptySubsequences: false)
    guard parts.count <= 2, let number = parts.first, !number.isEmpty else { return nil }
    if parts.count == 2 {
      let zeros = parts[1].drop { $0 == UInt8(ascii: "+") }
      guard !zeros.isEmpty, zeros.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "#") }) else { return nil }
      pattern.exponents = zeros.count { $0 == UInt8(ascii: "0") }
    }
    let halves = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard halves.count <= 2, number.allSatisfy({ "#0,.".utf8.contains($0) }) else { return nil }
    let zero = UInt8(ascii: "0"), comma = UInt8(ascii: ",")
    // Zeros follow signs before the point, and precede them after it.
    let whole = halves[0].filter { $0 != comma }
    guard !whole.drop(while: { $0 != zero }).contains(UInt8(ascii: "#")) else { return nil }
    pattern.integers = whole.count { $0 == zero }
    let groups = halves[0].split(separator: comma, omittingEmptySubsequences: false).map(\.count)
    if groups.count > 1 { pattern.groups = groups.dropFirst().suffix(2).reversed() }
    if pattern.groups.contains(0) { return nil }
    let fraction = halves.count == 2 ? halves[1].filter { $0 != comma } : []
    guard !fraction.drop(while: { $0 == zero }).contains(zero) else { return nil }
    pattern.fractions = fraction.count { $0 == zero }...fraction.count
    if halves.count == 2, let first = halves[1].firstIndex(of: comma) {
      pattern.fractionGroup = first - halves[1].startIndex
    }
    return pattern
  }

  /// The number that a text is, as a literal of JSON; nil if it is none of this format.
  func literal(_ text: [UInt8], allowsExponent: Bool) -> [UInt8]? {
    var rest = text[...], literal: [UInt8] = []
    let sign = rest.first.flatMap { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") ? $0 : nil }
    if sign != nil { rest = rest.dropFirst() }
    if sign == UInt8(ascii: "-") { literal.append(UInt8(ascii: "-")) }
    var suffix: UInt8?, shift = 0
    if rest.last == UInt8(ascii: "%") { (suffix, shift, rest) = (rest.last, -2, rest.dropLast()) }
    if rest.suffix(3).elementsEqual("‰".utf8) { (suffix, shift, rest) = (0xE2, -3, rest.dropLast(3)) }
    var exponent: ArraySlice<UInt8>?
    if let mark = rest.firstIndex(where: { $0 | 32 == UInt8(ascii: "e") }) {
      (exponent, rest) = (rest[(mark + 1)...], rest[..<mark])
    }
    var whole = Array(rest), fraction: [UInt8]?
    if let mark = rest.firstRange(of: point) {
      (whole, fraction) = (Array(rest[..<mark.lowerBound]), Array(rest[mark.upperBound...]))
    }
    guard let digits = ungrouped(whole), let decimals = ungrouped(fraction ?? []) else { return nil }
    guard !digits.isEmpty || !decimals.isEmpty, fraction == nil || !decimals.isEmpty || pattern == nil else {
      return nil
    }
    var power = shift
    if let exponent {
      let plain = exponent.drop { $0 == UInt8(ascii: "+") }
      guard pattern.map({ $0.exponents != nil }) ?? allowsExponent,
        let value = Int(String(decoding: plain, as: UTF8.self)),
        abs(value) < 10_000
      else { return nil }
      power += value
    }
    if let pattern {
      guard digits.drop(while: { $0 == UInt8(ascii: "0") && pattern.integers == 0 }).count >= pattern.integers,
        pattern.fractions.contains(decimals.count), pattern.exponents == nil || exponent != nil,
        pattern.suffix == suffix, pattern.sign == nil || sign != nil || pattern.sign == UInt8(ascii: "-"),
        isGrouped(whole, digits.count, pattern.groups),
        isGrouped(
          fraction ?? [], decimals.count, pattern.fractionGroup == 0 ? [] : [pattern.fractionGroup], fromLeft: true)
      else { return nil }
    }
    let first = digits.drop { $0 == UInt8(ascii: "0") }
    literal += first.isEmpty ? [UInt8(ascii: "0")] : Array(first)
    if !decimals.isEmpty { literal += [UInt8(ascii: ".")] + decimals }
    return power == 0 ? literal : literal + Array("e\(power)".utf8)
  }

  /// The digits of a text without groups; nil if there is anything else, or two marks of groups in a row.
  private func ungrouped(_ text: [UInt8]) -> [UInt8]? {
    let parts = group.isEmpty ? [text[...]] : text.split(separator: group, omittingEmptySubsequences: false)
    guard text.isEmpty || parts.count == 1 || parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    let digits = parts.flatMap { $0 }
    return digits.allSatisfy { (48...57).contains($0) } ? digits : nil
  }

  /// Whether the groups of a text have the sizes of a pattern.
  private func isGrouped(_ text: [UInt8], _ digits: Int, _ sizes: [Int], fromLeft: Bool = false) -> Bool {
    var counts = text.split(separator: group, omittingEmptySubsequences: false).map(\.count)
    if sizes.isEmpty { return counts.count == 1 }
    if !fromLeft { counts.reverse() }
    for (place, count) in counts.enumerated() {
      let size = sizes[min(place, sizes.count - 1)]
      if place == counts.count - 1 ? count > size || count == 0 && digits > 0 : count != size { return false }
    }
    return true
  }
}
