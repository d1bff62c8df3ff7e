package import Rows

/// A pattern for dates and times: `dd.MM.yyyy HH:mm`.
///
/// Letters are the fields of Unicode's date patterns (UTS #35): `yyyy yy MM M MMM MMMM dd d HH H hh h mm m ss s SSS a
/// EEE EEEE`, and `X` to `XXX` for an offset from UTC. Text between `'…'` and any other character represent themselves.
public struct DatePattern: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case literal([UInt8])
    case year(digits: Int)
    case number(Field, least: Int, most: Int)
    case monthName, weekday, half, offset
  }
  private enum Field: Sendable, Hashable { case month, day, hour, hour12, minute, second, fraction }

  /// The parts of a date and time, in the calendar.
  public struct Fields: Sendable, Hashable {
    /// The year, 0 to 9999.
    var year = 0
    /// The month; nil if the pattern has none.
    var month: Int?
    /// The day; nil if the pattern has none.
    var day: Int?
    var seconds = 0
    /// The digits after the second.
    var fraction: [UInt8] = []
    /// Seconds ahead of UTC; nil if the text does not say.
    public var offset: Int?
  }

  private let parts: [Part]
  /// Whether texts contain an offset from UTC.
  public var hasOffset: Bool { parts.contains(.offset) }
  /// Whether texts contain a day, or only a month or year.
  public var hasDay: Bool { has(.day) }

  private func has(_ field: Field) -> Bool {
    parts.contains { if case .number(let part, _, _) = $0 { part == field } else { false } }
  }

  /// The pattern that `text` writes; nil for letters without a meaning, a quote that is not closed, and a pattern
  /// without a year.
  public init?(_ text: String) {
    var parts: [Part] = [], literal: [UInt8] = [], rest = Array(text.utf8)[...]
    func close() {
      if !literal.isEmpty { parts.append(.literal(literal)) }
      literal = []
    }
    while let byte = rest.first {
      if byte == UInt8(ascii: "'") {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "'")) else { return nil }
        literal += end == rest.startIndex ? [UInt8(ascii: "'")] : Array(rest[..<end])
        rest = rest[(end + 1)...]
        continue
      }
      guard (byte | 32) &- 97 < 26 else {
        literal.append(byte)
        rest = rest.dropFirst()
        continue
      }
      let run = rest.prefix { $0 == byte }.count
      guard let part = Self.part(byte, run) else { return nil }
      close()
      parts.append(part)
      rest = rest.dropFirst(run)
    }
    close()
    let hasYear = parts.contains { if case .year = $0 { true } else { false } }
    guard hasYear else { return nil }
    self.parts = parts
  }

  /// The fields of `strptime`, as patterns of this kind.
  private static let fields: [Character: String] = [
    "Y": "yyyy", "y": "yy", "m": "M", "d": "d", "e": "d", "H": "H", "I": "h", "M": "m", "S": "s", "f": "SSS", "p": "a",
    "b": "MMM", "B": "MMMM", "a": "EEE", "A": "EEEE", "z": "XXX", "F": "yyyy-M-d", "T": "H:m:s", "R": "H:m", "%": "'%'",
  ]

  /// The pattern that a text writes, with the letters of `strptime` if it has a percent sign: `%d.%m.%Y`.
  public init?(any text: String) {
    guard text.contains("%") else {
      self.init(text)
      return
    }
    var pattern = "", rest = text[...]
    while let character = rest.popFirst() {
      if character == "%" {
        guard let letter = rest.popFirst(), let field = Self.fields[letter] else { return nil }
        pattern += field
      } else {
        pattern += character == "'" ? "''" : character.isLetter ? "'\(character)'" : String(character)
      }
    }
    self.init(pattern)
  }

  private static func part(_ letter: UInt8, _ run: Int) -> Part? {
    let least = run == 1 ? 1 : 2
    switch (Character(Unicode.Scalar(letter)), run) {
    case ("y", 4): return .year(digits: 4)
    case ("y", 2): return .year(digits: 2)
    case ("M", 1...2): return .number(.month, least: least, most: 2)
    case ("M", 3...4): return .monthName
    case ("d", 1...2): return .number(.day, least: least, most: 2)
    case ("H", 1...2): return .number(.hour, least: least, most: 2)
    case ("h", 1...2): return .number(.hour12, least: least, most: 2)
    case ("m", 1...2): return .number(.minute, least: least, most: 2)
    case ("s", 1...2): return .number(.second, least: least, most: 2)
    case ("S", 1...18): return .number(.fraction, least: 1, most: 64)
    case ("a", 1): return .half
    case ("X", 1...3): return .offset
    case ("E", 1...4): return .weekday
    default: return nil
    }
  }

  /// The fields that a text contains; nil if it does not fit the pattern, or is not in the calendar.
  public func fields(_ text: [UInt8], _ language: CalendarLanguage = .english) -> Fields? {
    var rest = text[...], fields = Fields(), hour: Int?, minute = 0, second = 0, isAfternoon: Bool?
    for (position, part) in parts.enumerated() {
      switch part {
      case .literal(let literal):
        guard rest.starts(with: literal) else { return nil }
        rest = rest.dropFirst(literal.count)
      case .year(let digits):
        guard let year = Self.number(&rest, digits, digits) else { return nil }
        fields.year = digits == 4 ? year : year < 69 ? 2000 + year : 1900 + year
      case .number(.fraction, let least, let most):
        let digits = rest.prefix { $0 &- 48 < 10 }
        guard digits.count >= least, digits.count <= most else { return nil }
        fields.fraction = Array(digits)
        rest = rest.dropFirst(digits.count)
      case .number(let field, let least, let most):
        guard let value = Self.number(&rest, least, most) else { return nil }
        switch field {
        case .month: fields.month = value
        case .day: fields.day = value
        case .hour: hour = value
        case .hour12:
          guard (1...12).contains(value) else { return nil }
          hour = value % 12
        case .minute: minute = value
        case .second: second = value
        case .fraction: break
        }
      case .monthName:
        guard let month = language.month(&rest, keepsPeriod: isBeforePeriod(position)) else { return nil }
        fields.month = month
      case .weekday: guard language.weekday(&rest, keepsPeriod: isBeforePeriod(position)) else { return nil }
      case .half:
        let word = String(decoding: rest.prefix(4), as: UTF8.self).lowercased()
        guard let found = ["a.m.", "p.m.", "am", "pm"].first(where: word.hasPrefix) else { return nil }
        isAfternoon = found.hasPrefix("p")
        rest = rest.dropFirst(found.utf8.count)
      case .offset:
        guard let offset = Self.offset(&rest) else { return nil }
        fields.offset = offset
      }
    }
    guard rest.isEmpty else { return nil }
    if let isAfternoon, let morning = hour, morning < 12 { hour = morning + (isAfternoon ? 12 : 0) }
    guard (hour ?? 0) < 24, minute < 60, second < 60 else { return nil }
    if let month = fields.month {
      guard (1...12).contains(month) else { return nil }
      if let day = fields.day, !(1...CivilDate.days(in: month, of: fields.year)).contains(day) { return nil }
    }
    fields.seconds = (hour ?? 0) * 3600 + minute * 60 + second
    return fields
  }

  /// Whether the pattern itself has a period after a part.
  private func isBeforePeriod(_ position: Int) -> Bool {
    guard parts.indices.contains(position + 1), case .literal(let next) = parts[position + 1] else { return false }
    return next.first == UInt8(ascii: ".")
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, _ least: Int, _ most: Int) -> Int? {
    var value = 0, count = 0
    while count < most, let digit = rest.first, digit &- 48 < 10 {
      value = value * 10 + Int(digit &- 48)
      rest = rest.dropFirst()
      count += 1
    }
    return count >= least ? value : nil
  }

  /// The seconds ahead of UTC that `Z`, `+02:00`, `+0200` or `+02` states; nil for any other text.
  public static func offset(_ text: String) -> Int? {
    var rest = Array(text.utf8)[...]
    let offset = offset(&rest)
    return rest.isEmpty ? offset : nil
  }

  private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let sign = rest.popFirst() else { return nil }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(&rest, 2, 2), hours < 24 else {
      return nil
    }
    var minutes = 0
    if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
    if let next = rest.first, next &- 48 < 10 {
      guard let found = number(&rest, 2, 2), found < 60 else { return nil }
      minutes = found
    }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}

extension DatePattern.Fields {
  /// The date in ISO 8601, as far as it is known: `1966`, `1966-03` or `1966-03-07`.
  public var date: [UInt8] {
    var text = Dates.twoDigits(year / 100) + Dates.twoDigits(year % 100)
    guard let month else { return text }
    text += [UInt8(ascii: "-")] + Dates.twoDigits(month)
    guard let day else { return text }
    return text + [UInt8(ascii: "-")] + Dates.twoDigits(day)
  }
  /// Seconds since 1970-01-01T00:00:00 on the clock that shows the time, wherever that is; the first day of a month and
  /// the first month of a year if the text does not say.
  public var localSeconds: Int64 {
    Int64(CivilDate(year: year, month: month ?? 1, day: day ?? 1).daysSince1970) * 86_400 + Int64(seconds)
  }
  /// The value of a column of dates or times; nil if the text does not say enough.
  package func value(of type: ColumnType) -> [UInt8]? {
    switch type {
    case .date: return date
    case .timestamp: return offset.flatMap { timestamp(offset: $0) }
    case .datetime: return month != nil && day != nil ? timestamp(offset: 0).map { Array($0.dropLast()) } : nil
    default: return nil
    }
  }
  /// The instant as a timestamp in UTC, on a clock that is `offset` seconds ahead of UTC; nil outside the years 0 to
  /// 9999.
  public func timestamp(offset: Int) -> [UInt8]? { Dates.timestamp(localSeconds - Int64(offset), fraction: fraction) }
}
