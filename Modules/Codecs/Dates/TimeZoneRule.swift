/// The rule of a time zone for all years: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Sendable {
  private let standard: Int
  private var summer: (offset: Int, from: Day, to: Day)?

  /// A day of each year and the local time of the change, in seconds.
  private struct Day: Sendable {
    /// Month, week (5 for the last) and weekday; else the day of the year, from 1 without or 0 with leap days.
    enum Kind: Sendable { case weekday(month: Int, week: Int, day: Int), julian(Int), ordinal(Int) }
    let kind: Kind, time: Int
  }

  /// A rule as POSIX writes it; nil for other text.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard Self.skipName(&rest), let standard = Self.time(&rest) else { return nil }
    self.standard = -standard
    guard !rest.isEmpty else { return }
    guard Self.skipName(&rest) else { return nil }
    var offset = self.standard + 3600
    if let next = rest.first, next != UInt8(ascii: ",") {
      guard let time = Self.time(&rest) else { return nil }
      offset = -time
    }
    guard let from = Self.day(&rest), let to = Self.day(&rest), rest.isEmpty else { return nil }
    summer = (offset, from, to)
  }

  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { ($0 | 32) &- 97 < 26 }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix { $0 &- 48 < 10 }
    guard (1...4).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 &- 48) }
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var sign = 1
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      if first == UInt8(ascii: "-") { sign = -1 }
      rest = rest.dropFirst()
    }
    guard var seconds = number(&rest).map({ $0 * 3600 }) else { return nil }
    for unit in [60, 1] where rest.first == UInt8(ascii: ":") {
      rest = rest.dropFirst()
      guard let part = number(&rest) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  private static func day(_ rest: inout ArraySlice<UInt8>) -> Day? {
    guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
    let kind: Day.Kind
    if rest.first == UInt8(ascii: "M") {
      rest = rest.dropFirst()
      guard let month = number(&rest), rest.popFirst() == UInt8(ascii: "."), let week = number(&rest),
        rest.popFirst() == UInt8(ascii: "."), let day = number(&rest), (1...12).contains(month), (1...5).contains(week),
        (0...6).contains(day)
      else { return nil }
      kind = .weekday(month: month, week: week, day: day)
    } else if rest.first == UInt8(ascii: "J") {
      rest = rest.dropFirst()
      guard let day = number(&rest) else { return nil }
      kind = .julian(day)
    } else {
      guard let day = number(&rest) else { return nil }
      kind = .ordinal(day)
    }
    guard rest.first == UInt8(ascii: "/") else { return Day(kind: kind, time: 7200) }
    rest = rest.dropFirst()
    return time(&rest).map { Day(kind: kind, time: $0) }
  }

  /// Seconds ahead of UTC at an instant.
  func offset(at instant: Int64) -> Int {
    guard let summer else { return standard }
    let year = CivilDate(
      daysSince1970: Int(instant + Int64(standard)).quotientAndRemainderRoundingDown(dividingBy: 86_400).0
    ).year
    let from = Self.local(summer.from, year) - Int64(standard), to = Self.local(summer.to, year) - Int64(summer.offset)
    let isSummer = from < to ? from <= instant && instant < to : instant >= from || instant < to
    return isSummer ? summer.offset : standard
  }

  /// The local time of a change in a year, in seconds since 1970-01-01T00:00:00.
  private static func local(_ day: Day, _ year: Int) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
    let days: Int
    switch day.kind {
    case .ordinal(let number): days = newYear + number
    case .julian(let number):
      let isLeap = CivilDate(year: year, month: 3, day: 1).daysSince1970 - newYear == 60
      days = newYear + number - 1 + (isLeap && number > 59 ? 1 : 0)
    case .weekday(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1).daysSince1970
      // 1970-01-01 was a Thursday.
      var found = first + ((weekday - (first + 4)) % 7 + 7) % 7 + (week - 1) * 7
      if found >= first + CivilDate.days(in: month, of: year) { found -= 7 }
      days = found
    }
    return Int64(days) * 86_400 + Int64(day.time)
  }
}
