/// The format of the dates and times of a column: a pattern of W3C CSV on the Web, such as `dd.MM.yyyy HH:mm`, or ISO
/// 8601.
public struct CSVWDateFormat: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case year, month, day, hour, minute, second, fraction, zone
    case literal(UInt8)
  }
  /// The pattern, such as `dd.MM.yyyy HH:mm`.
  let pattern: String
  private let parts: [Part]
  /// Whether one digit is enough where there is no room for doubt: `d/M/yyyy`.
  private let isPadded: Set<Part>

  /// The format with a pattern; nil if it has letters that have no meaning.
  public init?(_ pattern: String) {
    var parts: [Part] = [], padded: Set<Part> = []
    var rest = Array(pattern.utf8)[...]
    while let letter = rest.first {
      let run = rest.prefix { $0 == letter }
      let part: Part
      switch (letter, run.count) {
      case (UInt8(ascii: "y"), 4): part = .year
      case (UInt8(ascii: "M"), 1...2): part = .month
      case (UInt8(ascii: "d"), 1...2): part = .day
      case (UInt8(ascii: "H"), 1...2): part = .hour
      case (UInt8(ascii: "m"), 1...2): part = .minute
      case (UInt8(ascii: "s"), 1...2): part = .second
      case (UInt8(ascii: "S"), _): part = .fraction
      case (UInt8(ascii: "X"), 1...3), (UInt8(ascii: "x"), 1...3): part = .zone
      case (UInt8(ascii: "'"), _):
        // Quoted literals: 'T'.
        rest = rest.dropFirst()
        while let byte = rest.first, byte != UInt8(ascii: "'") {
          parts.append(.literal(byte))
          rest = rest.dropFirst()
        }
        rest = rest.dropFirst()
        continue
      default:
        guard letter == UInt8(ascii: "T") || !(65...90 ~= letter & 0xDF) else { return nil }
        parts += run.map { .literal($0) }
        rest = rest.dropFirst(run.count)
        continue
      }
      if run.count > 1 { padded.insert(part) }
      parts.append(part)
      rest = rest.dropFirst(run.count)
    }
    self.pattern = pattern
    self.parts = parts
    isPadded = padded
  }

  /// A date or time that was read.
  public struct Moment: Sendable, Hashable {
    /// `2013-09-29`; empty for a time.
    fileprivate(set) var date: [UInt8] = []
    /// `20:00:00`, with the fraction; empty for a date.
    fileprivate(set) var time: [UInt8] = []
    /// `Z` or `+02:00`; empty if there is none.
    fileprivate(set) var zone: [UInt8] = []
    /// The moment in ISO 8601.
    public var iso: [UInt8] {
      date + (date.isEmpty || time.isEmpty ? [] : [UInt8(ascii: "T")]) + time + zone
    }
  }

  /// Reads a text of this format.
  /// - Returns: nil for any other text, and for a day or time that does not exist.
  public func moment(_ text: [UInt8]) -> Moment? {
    var rest = text[...], numbers: [Part: [UInt8]] = [:], moment = Moment()
    for (position, part) in parts.enumerated() {
      switch part {
      case .literal(let byte):
        // The point before a fraction is omitted with it.
        if byte == UInt8(ascii: "."), position + 1 < parts.count, parts[position + 1] == .fraction, rest.first != byte {
          continue
        }
        guard rest.first == byte else { return nil }
        rest = rest.dropFirst()
      case .zone:
        guard let zone = Self.zone(&rest) else { return nil }
        moment.zone = zone
      case .fraction: numbers[part] = Array(Self.digits(&rest, 1...9))
      case .year:
        let digits = Self.digits(&rest, 4...4)
        guard digits.count == 4 else { return nil }
        numbers[part] = Array(digits)
      default:
        let digits = Self.digits(&rest, isPadded.contains(part) ? 2...2 : 1...2)
        guard !digits.isEmpty else { return nil }
        numbers[part] = (digits.count == 1 ? [48] : []) + digits
      }
    }
    // A zone may follow a text whose format names none.
    if !parts.contains(.zone), !rest.isEmpty {
      guard let zone = Self.zone(&rest) else { return nil }
      moment.zone = zone
    }
    guard rest.isEmpty else { return nil }
    return Self.completed(moment, numbers)
  }

  private static func completed(_ moment: Moment, _ numbers: [Part: [UInt8]]) -> Moment? {
    var moment = moment
    if let year = numbers[.year] {
      let fields = [year, numbers[.month], numbers[.day]].compactMap { $0 }
      moment.date = Array(fields.joined(separator: [UInt8(ascii: "-")]))
      guard Dates.isDate(moment.date) else { return nil }
    }
    guard let hour = numbers[.hour] else { return moment }
    let fraction = numbers[.fraction] ?? []
    moment.time = Array([hour, numbers[.minute] ?? [48, 48], numbers[.second] ?? [48, 48]].joined(separator: [58]))
    if !fraction.isEmpty { moment.time += [UInt8(ascii: ".")] + fraction }
    let date = moment.date.count == 10 ? moment.date : Array("2000-12-31".utf8)
    return Dates.isTimestamp(date + [UInt8(ascii: "T")] + moment.time + [UInt8(ascii: "Z")]) ? moment : nil
  }

  /// Takes up to the largest number of digits; none if there are fewer than the smallest.
  private static func digits(_ rest: inout ArraySlice<UInt8>, _ count: ClosedRange<Int>) -> ArraySlice<UInt8> {
    let digits = rest.prefix(count.upperBound).prefix { $0 &- 48 < 10 }
    guard digits.count >= count.lowerBound else { return [] }
    rest = rest.dropFirst(digits.count)
    return digits
  }

  /// Takes `Z`, `+02`, `+0200` or `+02:00`; the last is how it is returned. UTC is `Z`.
  private static func zone(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let sign = rest.first else { return nil }
    rest = rest.dropFirst()
    if sign == UInt8(ascii: "Z") { return [sign] }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    let hours = digits(&rest, 2...2)
    if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
    let minutes = rest.isEmpty ? [48, 48] : digits(&rest, 2...2)
    guard hours.count == 2, minutes.count == 2 else { return nil }
    let isUTC = hours.elementsEqual([48, 48]) && minutes.elementsEqual([48, 48])
    return isUTC ? [UInt8(ascii: "Z")] : [sign] + hours + [58] + minutes
  }
}
