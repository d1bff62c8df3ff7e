import Codecs
import Rows

/// The fields that a datatype of CSV on the Web accepts, and their order.
struct CSVWFormat: Sendable {
  /// The kinds of datatypes, as far as rules depend on them.
  enum Kind: Sendable { case text, bytes, boolean, integer, number, moment, duration, part }

  /// A value as far as limits compare it.
  enum Order: Sendable {
    case number(ExactNumber), text([UInt8]), infinite(Double), none

    func order(to other: Order) -> Int {
      switch (self, other) {
      case (.number(let a), .number(let b)): return ExactNumber.order(a, b)
      case (.text(let a), .text(let b)): return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
      case (.infinite(let a), .number): return a > 0 ? 1 : -1
      default: return 0
      }
    }
  }

  static let kinds: [String: Kind] = {
    var kinds: [String: Kind] = ["boolean": .boolean]
    for name in integers.keys { kinds[name] = .integer }
    for name in ["number", "decimal", "double", "float"] { kinds[name] = .number }
    for name in ["date", "dateTime", "datetime", "dateTimeStamp", "time"] { kinds[name] = .moment }
    for name in ["duration", "dayTimeDuration", "yearMonthDuration"] { kinds[name] = .duration }
    for name in ["gDay", "gMonth", "gMonthDay", "gYear", "gYearMonth"] { kinds[name] = .part }
    for name in ["hexBinary", "base64Binary", "binary"] { kinds[name] = .bytes }
    for name in [
      "string", "normalizedString", "token", "language", "Name", "NMTOKEN", "QName", "xml", "html", "json", "any",
      "anyAtomicType", "anyURI",
    ] { kinds[name] = .text }
    return kinds
  }()

  /// The least and the greatest value of the integers.
  private static let integers: [String: (least: String?, greatest: String?)] = [
    "integer": (nil, nil), "long": ("-9223372036854775808", "9223372036854775807"),
    "int": ("-2147483648", "2147483647"), "short": ("-32768", "32767"), "byte": ("-128", "127"),
    "nonNegativeInteger": ("0", nil), "positiveInteger": ("1", nil), "nonPositiveInteger": (nil, "0"),
    "negativeInteger": (nil, "-1"), "unsignedLong": ("0", "18446744073709551615"),
    "unsignedInt": ("0", "4294967295"), "unsignedShort": ("0", "65535"), "unsignedByte": ("0", "255"),
  ]

  private static let zone = #"(Z|[+-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))"#
  private static let clock = #"(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?|24:00:00(\.0+)?)"#
  private static let date = "-?([1-9][0-9]{3,}|0[0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
  /// The texts of the datatypes that are written in one way.
  private static let patterns: [String: TextPattern] = [
    "date": "\(date)\(zone)?", "dateTime": "\(date)T\(clock)\(zone)?", "datetime": "\(date)T\(clock)\(zone)?",
    "dateTimeStamp": "\(date)T\(clock)\(zone)", "time": "\(clock)\(zone)?",
    "duration": #"-?P([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?"#,
    "dayTimeDuration": #"-?P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?"#,
    "yearMonthDuration": "-?P([0-9]+Y)?([0-9]+M)?", "gDay": "---(0[1-9]|[12][0-9]|3[01])\(zone)?",
    "gMonth": "--(0[1-9]|1[0-2])\(zone)?", "gMonthDay": "--(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\(zone)?",
    "gYear": "-?([1-9][0-9]{3,}|0[0-9]{3})\(zone)?",
    "gYearMonth": "-?([1-9][0-9]{3,}|0[0-9]{3})-(0[1-9]|1[0-2])\(zone)?", "hexBinary": "([0-9A-Fa-f]{2})*",
    "language": "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*", "NMTOKEN": #"[^\s!-,/;-@\[-^`{-~]+"#,
    "Name": #"[^\s!-,/;-@\[-^`{-~.0-9-][^\s!-,/;-@\[-^`{-~]*"#,
    "QName": #"([^\s!-,/;-@\[-^`{-~.0-9:-][^\s!-,/;-@\[-^`{-~:]*:)?[^\s!-,/;-@\[-^`{-~.0-9:-][^\s!-,/;-@\[-^`{-~:]*"#,
    "anyURI": #"[^\s<>"{}|\\^`]*"#,
  ].compactMapValues { whole($0) }

  private static func whole(_ pattern: String) -> TextPattern? {
    (try? Pattern("^(\(pattern))$")).map { TextPattern($0) }
  }

  private let base: String, kind: Kind
  private let number: CSVWNumberPattern, dates: CSVWDateFormat?, pattern: TextPattern?
  private let words: (yes: [UInt8], no: [UInt8])?
  /// The datatype, with its format.
  let name: String

  /// - Parameter warn: called for a format that is not one of the datatype, which does not apply.
  init(_ base: String, _ format: JSON?, _ warn: (String) -> Void) {
    self.base = base
    kind = Self.kinds[base] ?? .text
    let text = format?.stringValue
    var number = CSVWNumberPattern(), dates: CSVWDateFormat?, pattern: TextPattern?
    var words: (yes: [UInt8], no: [UInt8])?, isApplied = true
    switch kind {
    case .integer, .number:
      if let format {
        if let made = CSVWNumberPattern(format) { number = made } else { isApplied = false }
      }
    case .boolean:
      if let text {
        let parts = text.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map { Array($0) }
        if parts.count == 2, !parts[0].isEmpty, parts[0] != parts[1] {
          words = (parts[0], parts[1])
        } else {
          isApplied = false
        }
      }
    case .moment:
      dates = text.flatMap { CSVWDateFormat($0) }
      isApplied = text == nil || dates != nil
    case .text, .bytes, .duration, .part:
      pattern = text.flatMap { Self.whole($0) }
      isApplied = text == nil || pattern != nil
    }
    if format != nil, !isApplied { warn("invalid format of \(base)") }
    (self.number, self.dates, self.pattern, self.words) = (number, dates, pattern, words)
    name = text == nil || !isApplied ? base : "\(base) \(text ?? "")"
  }

  /// The value of a text; nil if it is none of the datatype.
  func value(_ text: [UInt8]) -> Order? {
    switch kind {
    case .integer, .number:
      if kind == .number, base != "decimal" {
        switch String(decoding: text, as: UTF8.self) {
        case "INF": return .infinite(1)
        case "-INF": return .infinite(-1)
        case "NaN": return Order.none
        default: break
        }
      }
      guard let literal = number.literal(text, allowsExponent: base != "decimal" && kind == .number),
        let value = ExactNumber(literal: literal)
      else { return nil }
      guard kind == .integer else { return .number(value) }
      guard DecimalNumber(literal)?.isMultiple(ofPowerOfTen: 0) == true,
        !text.contains(UInt8(ascii: ".")) || number.pattern != nil
      else {
        return nil
      }
      let range = Self.integers[base]
      func limit(_ text: String?) -> ExactNumber? { text.flatMap { ExactNumber(literal: Array($0.utf8)) } }
      if let least = limit(range?.least), ExactNumber.order(value, least) < 0 { return nil }
      if let most = limit(range?.greatest), ExactNumber.order(value, most) > 0 { return nil }
      return .number(value)
    case .boolean:
      if let words { return text == words.yes || text == words.no ? Order.none : nil }
      return ["true", "false", "1", "0"].contains(String(decoding: text, as: UTF8.self)) ? Order.none : nil
    case .moment:
      if let dates { return dates.moment(text).map { .text($0.iso) } }
      return bound(text)
    case .bytes:
      if let pattern, !pattern.matches(text) { return nil }
      if base != "hexBinary" { return Base64.decode(text.filter { $0 > 0x20 }) == nil ? nil : Order.none }
      return Self.patterns[base]?.matches(text) == false ? nil : Order.none
    case .text, .duration, .part:
      if let pattern, !pattern.matches(text) { return nil }
      return pattern == nil || kind == .text ? bound(text) : Order.none
    }
  }

  /// A value as limits are written, without a format.
  func bound(_ text: [UInt8]) -> Order? {
    if kind == .integer || kind == .number { return ExactNumber(literal: text).map { .number($0) } }
    if let pattern = Self.patterns[base], !pattern.matches(text) { return nil }
    switch base {
    case "date", "dateTime", "datetime", "dateTimeStamp":
      guard text.first == UInt8(ascii: "-") || Dates.isDate(Array(text.prefix(10))) else { return nil }
    case "duration", "dayTimeDuration", "yearMonthDuration":
      guard let last = text.last, last != UInt8(ascii: "P"), last != UInt8(ascii: "T") else { return nil }
      return ExactNumber(literal: Array("\(Self.seconds(text))".utf8)).map { .number($0) }
    default: break
    }
    return .text(text)
  }

  /// The length of a duration in seconds, with the mean length of months.
  private static func seconds(_ text: [UInt8]) -> Double {
    var total = 0.0, digits: [UInt8] = [], isTime = false
    for byte in text {
      switch byte {
      case UInt8(ascii: "T"): isTime = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): digits.append(byte)
      default:
        let units: [UInt8: Double] = [
          UInt8(ascii: "Y"): 31_556_952, UInt8(ascii: "M"): isTime ? 60 : 2_629_746, UInt8(ascii: "D"): 86_400,
          UInt8(ascii: "H"): 3600, UInt8(ascii: "S"): 1,
        ]
        total += (Double(String(decoding: digits, as: UTF8.self)) ?? 0) * (units[byte] ?? 0)
        digits = []
      }
    }
    return text.first == UInt8(ascii: "-") ? -total : total
  }

  /// The length of a text in characters, or in bytes.
  func length(_ text: [UInt8]) -> Int {
    switch base {
    case "hexBinary": text.count / 2
    case "base64Binary", "binary": Base64.decode(text.filter { $0 > 0x20 })?.count ?? 0
    default: String(decoding: text, as: UTF8.self).unicodeScalars.count
    }
  }
}
