import Rows

/// The spelling of numbers in a text: the separator of groups of three digits, and that of the fraction.
public enum NumberPattern: String, Sendable, Hashable, CaseIterable {
  case commaPoint = "1,234.5"
  case comma = "1234,5"
  case pointComma = "1.234,5"
  case spaceComma = "1 234,5"
  case spacePoint = "1 234.5"
  case apostrophePoint = "1'234.5"
  case apostropheComma = "1'234,5"

  var point: UInt8 {
    switch self {
    case .commaPoint, .spacePoint, .apostrophePoint: UInt8(ascii: ".")
    case .comma, .pointComma, .spaceComma, .apostropheComma: UInt8(ascii: ",")
    }
  }

  /// The byte between groups of three digits; 0 for none.
  var group: UInt8 {
    switch self {
    case .comma: 0
    case .commaPoint: UInt8(ascii: ",")
    case .pointComma: UInt8(ascii: ".")
    case .spacePoint, .spaceComma: UInt8(ascii: " ")
    case .apostrophePoint, .apostropheComma: UInt8(ascii: "'")
    }
  }

  /// The pattern with these separators; nil if there is none.
  init?(point: UInt8, group: UInt8?) {
    guard let found = Self.allCases.first(where: { $0.point == point && $0.group == group ?? 0 }) else { return nil }
    self = found
  }

  /// The settings that read numbers of this pattern, next to signs or alone.
  func settings(isMarked: Bool) -> [Remedy.Choice] {
    let thousands = group == 32 ? "space" : String(UnicodeScalar(group))
    return (point == UInt8(ascii: ",") ? [Remedy.Choice(.decimalSeparator, ",")] : [])
      + (group == 0 || isMarked && self == .commaPoint ? [] : [Remedy.Choice(.thousands, thousands)])
  }

  /// The literal of the number that a text writes, without a plus sign and leading zeros, as identifiers have them; nil
  /// for other text.
  func strictLiteral(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    guard let first = digits.first, first &- 48 < 10,
      first != 48 || digits.dropFirst().first.map({ $0 &- 48 >= 10 }) ?? true
    else { return nil }
    return literal(text)
  }

  /// The literal of the number that a text writes, in JSON's grammar; nil if it is written otherwise.
  public func literal(_ text: [UInt8]) -> [UInt8]? {
    // Typographic spaces and apostrophes group digits as well.
    let spelled = String(decoding: text, as: UTF8.self)
    var plain: [UInt8] = []
    for scalar in spelled.unicodeScalars {
      switch scalar {
      case "\u{A0}", "\u{202F}", "\u{2009}": plain.append(UInt8(ascii: " "))
      case "\u{2019}": plain.append(UInt8(ascii: "'"))
      case "\u{2212}": plain.append(UInt8(ascii: "-"))
      default: plain += Array(String(scalar).utf8)
      }
    }
    let group = group
    var rest = plain[...], literal: [UInt8] = []
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      if sign == UInt8(ascii: "-") { literal.append(sign) }
      rest = rest.dropFirst()
    }
    let parts = rest.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
    let groups = parts[0].split(separator: group, omittingEmptySubsequences: false)
    guard let first = groups.first, !first.isEmpty, groups.allSatisfy({ $0.allSatisfy { $0 &- 48 < 10 } }),
      groups.count == 1 || first.count <= 3, groups.dropFirst().allSatisfy({ $0.count == 3 })
    else { return nil }
    let digits = groups.joined().drop { $0 == 48 }
    literal += digits.isEmpty ? [48] : Array(digits)
    guard parts.count == 2 else { return literal }
    guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 &- 48 < 10 }) else { return nil }
    return literal + [UInt8(ascii: ".")] + parts[1]
  }

  /// A sign next to a number.
  public enum Mark: String, Sendable, Hashable, CaseIterable {
    /// One of a currency, or its code.
    case money
    /// `%`: the number is a hundredth.
    case percent
  }

  /// Codes and words of currencies that are common in tables.
  private static let currencies: Set<String> = [
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "INR", "JPY", "KRW", "MXN",
    "NOK", "NZD", "PLN", "RON", "SEK", "SGD", "TRY", "TWD", "USD", "ZAR", "Ft", "Kč", "kr", "lei", "zł",
  ]

  /// Whether a text contains the sign of a currency, and not only three capital letters.
  static func isMoney(_ text: [UInt8]) -> Bool {
    String(decoding: text, as: UTF8.self).unicodeScalars.split { !isOfWord($0) }.contains {
      currencies.contains(String($0)) || $0.last?.isCurrency == true && isCurrency($0)
    }
  }

  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic || scalar.isCurrency }

  /// Whether a word is the sign of a currency: `€`, `R$`, `CHF`, `kr`.
  private static func isCurrency(_ word: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
    let hasSign = word.last?.isCurrency == true, letters = hasSign ? Array(word.dropLast()) : Array(word)
    if letters.allSatisfy({ ("A"..."Z").contains($0) }) { return hasSign ? letters.count < 3 : letters.count == 3 }
    return currencies.contains(String(String.UnicodeScalarView(word)))
  }

  /// The literal of a number with a sign next to it, such as `-$1,234.50`, `5 %` or `(3.00 EUR)`, or without one; nil
  /// for other text.
  func literal(_ text: [UInt8], marked mark: Mark?) -> [UInt8]? {
    guard let mark else { return literal(text) }
    var scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)[...], isNegative = false
    func trim() {
      scalars =
        scalars.drop { $0.properties.isWhitespace }.reversed().drop { $0.properties.isWhitespace }.reversed()[...]
    }
    if mark == .money, scalars.first == "(", scalars.last == ")" {
      (scalars, isNegative) = (scalars.dropFirst().dropLast(), true)
    } else if scalars.first == "-" || scalars.first == "\u{2212}" {
      (scalars, isNegative) = (scalars.dropFirst(), true)
    }
    var signs = 0
    func remove(_ count: Int, atEnd: Bool) {
      scalars = atEnd ? scalars.dropLast(count) : scalars.dropFirst(count)
      signs += 1
      trim()
    }
    if mark == .percent, scalars.last == "%" { remove(1, atEnd: true) }
    if mark == .money {
      let first = scalars.prefix(while: Self.isOfWord)
      if Self.isCurrency(first) { remove(first.count, atEnd: false) }
      let last = scalars.suffix(scalars.reversed().prefix(while: Self.isOfWord).count)
      if Self.isCurrency(last) { remove(last.count, atEnd: true) }
    }
    if !isNegative, signs > 0, scalars.first == "-" { (scalars, isNegative) = (scalars.dropFirst(), true) }
    guard signs <= 1, let first = scalars.first, ("0"..."9").contains(first),
      let literal = literal(Array(String(String.UnicodeScalarView(scalars)).utf8))
    else { return nil }
    let signed = isNegative ? [UInt8(ascii: "-")] + literal : literal
    return mark == .percent && signs == 1 ? Self.scaled(signed, by: -2) : signed
  }

  /// The literal of a number times a power of ten, exactly; nil for text that is not a number in JSON's grammar, or for
  /// one of more than 1000 digits.
  public static func scaled(_ literal: [UInt8], by power: Int) -> [UInt8]? {
    guard let number = DecimalLiteral(literal), abs(power) <= 300, literal.count <= 1000 else { return nil }
    var whole = Array(number.whole), fraction = Array(number.fraction)
    for _ in 0..<max(0, power) { whole.append(fraction.isEmpty ? 48 : fraction.removeFirst()) }
    for _ in 0..<max(0, -power) { fraction.insert(whole.popLast() ?? 48, at: 0) }
    whole = Array(whole.drop { $0 == 48 })
    if whole.isEmpty { whole = [48] }
    let sign = number.isNegative && (whole + fraction).contains { $0 != 48 } ? [UInt8(ascii: "-")] : []
    return sign + whole + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
  }
}

extension Unicode.Scalar {
  fileprivate var isCurrency: Bool { properties.generalCategory == .currencySymbol }
}
