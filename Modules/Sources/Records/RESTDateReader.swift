import Codecs
import Rows

/// Reads dates and times in the formats of a column.
struct RESTDateReader: Sendable {
  private enum Format: Sendable {
    case named(Dates.Format)
    case pattern(DatePattern)
    /// Seconds since 1970 times ten to this power.
    case epoch(Int)
    /// An array of year, month, day, hour, minute, second.
    case parts
  }
  private let formats: [Format]
  private let names: [String]
  private let zone: TimeZoneRules
  private let language: CalendarLanguage

  /// - Throws: `configuration` for an unknown zone.
  init(_ source: SourceColumn, isDate: Bool) throws(Problem) {
    var formats: [Format] = []
    for format in source.formats {
      switch format {
      case .epochSeconds: formats.append(.epoch(0))
      case .epochMilliseconds: formats.append(.epoch(-3))
      case .epochMicroseconds: formats.append(.epoch(-6))
      case .parts: formats.append(.parts)
      default:
        if let named = Dates.Format(rawValue: format.rawValue) {
          formats.append(.named(named))
        } else if let pattern = DatePattern(format.rawValue) {
          formats.append(.pattern(pattern))
        }
      }
    }
    if formats.isEmpty, isDate { formats = [.named(.isoDay), .named(.isoMonth), .named(.year)] }
    self.formats = formats
    names = source.formats.isEmpty && isDate ? ["YYYY-MM-DD", "YYYY-MM", "YYYY"] : source.formats.map(\.rawValue)
    zone = try TimeZoneRules.named(source.zone ?? "UTC")
    language = source.language.flatMap(CalendarLanguage.init) ?? .english
  }

  var description: String { names.joined(separator: " or ") }

  /// The date in ISO 8601, whole or partial; nil if the value is in none of the formats.
  func date(_ value: JSON) -> [UInt8]? {
    let text = Self.text(value)
    for format in formats {
      switch format {
      case .named(let named): if let date = Dates.date(text, format: named) { return date }
      case .pattern(let pattern): if let fields = pattern.fields(text, language) { return fields.date }
      case .epoch(let power): if let time = Self.epoch(text, power) { return Array(time.prefix(10)) }
      case .parts: if let fields = Self.parts(value) { return fields.date }
      }
    }
    return nil
  }

  /// The timestamp in UTC; nil if the value is in none of the formats.
  /// - Parameter times: how often the clock of the zone showed the time.
  func timestamp(_ value: JSON, times: inout Int) -> [UInt8]? {
    let text = Self.text(value)
    var acceptsStandard = true
    for format in formats {
      let fields: DatePattern.Fields?
      switch format {
      case .named(let named):
        fields = Dates.date(text, format: named).flatMap { DatePattern("yyyy-MM-dd")?.fields($0) }
      case .pattern(let pattern): fields = pattern.fields(text, language)
      case .parts: fields = Self.parts(value)
      case .epoch(let power):
        acceptsStandard = false
        if let time = Self.epoch(text, power) { return time }
        continue
      }
      guard let fields else { continue }
      if let offset = fields.offset { return fields.timestamp(offset: offset) }
      guard let local = zone.offset(ofLocal: fields.localSeconds) else {
        times = 0
        return nil
      }
      if local.isAmbiguous { times = 2 }
      return fields.timestamp(offset: local.offset)
    }
    return acceptsStandard ? Self.standard(text) : nil
  }

  /// The instant of a text in a form that needs no format; nil for other texts.
  static func standard(_ text: [UInt8]) -> [UInt8]? { Dates.utc(text) ?? usual(text) }

  /// Times with an offset as APIs write them besides RFC 3339, and those of RSS and HTTP.
  private static let usualPatterns = [
    "yyyy-MM-dd HH:mm:ssXXX", "yyyy-MM-dd HH:mm:ss.SXXX", "yyyy-MM-dd HH:mmXXX", "EEE, d MMM yyyy HH:mm:ssXXX",
    "d MMM yyyy HH:mm:ssXXX", "EEE, d MMM yyyy HH:mmXXX", "d MMM yyyy HH:mmXXX",
  ].compactMap { DatePattern($0) }

  /// The instant of `2024-05-01 10:20 +0200` or `Wed, 01 May 2024 08:20:00 GMT`; nil for other texts. Of the names of
  /// zones, only those of UTC say the same everywhere.
  private static func usual(_ text: [UInt8]) -> [UInt8]? {
    var text = text
    if text.count > 10, text[10] | 0x20 == UInt8(ascii: "t") { text[10] = 32 }
    if let name = ["GMT", "UTC", "UT"].first(where: { text.reversed().starts(with: $0.utf8.reversed()) }) {
      text = text.dropLast(name.utf8.count) + [UInt8(ascii: "Z")]
    }
    if let blank = text.lastIndex(of: 32), let next = text[(blank + 1)...].first, next == 43 || next == 45 || next == 90
    {
      text.remove(at: blank)
    }
    for pattern in usualPatterns {
      if let fields = pattern.fields(text), let offset = fields.offset { return fields.timestamp(offset: offset) }
    }
    return nil
  }

  private static let offsets = [
    "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
    "PST": "-08:00", "PDT": "-07:00", "CET": "+01:00", "CEST": "+02:00", "EET": "+02:00", "EEST": "+03:00",
    "WEST": "+01:00", "MSK": "+03:00", "JST": "+09:00", "AEST": "+10:00",
  ]

  /// The format of a time that ends with a word such as `EST`, the name of a zone that says different things in
  /// different places, and its usual offset; nil for other values.
  static func namedZone(_ value: JSON) -> (format: String, offset: String)? {
    let text = text(value), word = text.reversed().prefix { $0 &- 65 < 26 }.reversed()
    guard word.count > 1, text.count > word.count + 9, text.dropLast(word.count).last == 32 else { return nil }
    let name = String(decoding: word, as: UTF8.self), isISO = text.count > 10 && text[4] == UInt8(ascii: "-")
    let day = isISO ? "yyyy-MM-dd" : text.contains(UInt8(ascii: ",")) ? "EEE, d MMM yyyy" : "d MMM yyyy"
    let time = isISO && text[10] != 32 ? "'T'HH:mm" : " HH:mm"
    let seconds = text.count { $0 == UInt8(ascii: ":") } > 1 ? ":ss" : ""
    return ("\(day)\(time)\(seconds) '\(name)'", offsets[name] ?? "±HH:MM")
  }

  private static func text(_ value: JSON) -> [UInt8] {
    SourceStep.trimmed(value.stringBytes ?? value.numberLiteral ?? [])
  }

  private static func epoch(_ text: [UInt8], _ power: Int) -> [UInt8]? {
    if power == 0 { return Dates.timestamp(epochLiteral: text) }
    return NumberPattern.scaled(text, by: power).flatMap { literal in
      // 1714557600000 ms are whole seconds.
      var literal = literal[...]
      if literal.contains(UInt8(ascii: ".")) {
        while literal.last == 48 { literal = literal.dropLast() }
        if literal.last == UInt8(ascii: ".") { literal = literal.dropLast() }
      }
      return Dates.timestamp(epochLiteral: Array(literal))
    }
  }

  /// The fields of `[2024, 5, 1]`, also within another array, and of `{"year": 2024, "month": 5, "day": null}`.
  private static func parts(_ value: JSON) -> DatePattern.Fields? {
    let members = ["year", "month", "day"].map { value[$0] ?? .null }.prefix { !$0.isNull }
    guard let elements = value.arrayValue ?? (members.isEmpty ? nil : Array(members)) else { return nil }
    if elements.count == 1, elements[0].arrayValue != nil { return parts(elements[0]) }
    var text = "", separators = ["", "-", "-", "T", ":", ":"][...]
    guard (1...6).contains(elements.count) else { return nil }
    for element in elements {
      guard let number = RESTColumnReader.integer(element), (0...9999).contains(number) else { return nil }
      text += (separators.popFirst() ?? "") + String(number)
    }
    let pattern = ["yyyy", "yyyy-M", "yyyy-M-d", "yyyy-M-d'T'H", "yyyy-M-d'T'H:m", "yyyy-M-d'T'H:m:s"][
      elements.count - 1]
    return DatePattern(pattern)?.fields(Array(text.utf8))
  }
}
