import Rows

/// Everyday dates in English: `today`, `yesterday`, `two days ago`, `monday`, `may 2024`, `Fri 5 may 2024`, `the 5th of
/// may`, `2024/5/7`, `7.5.2024`, `in 3 days`.
public enum EverydayDate {
  /// The date in ISO 8601, whole or partial, that a text means; nil if it means none.
  ///
  /// A weekday, and a day or month without a year, is the last one that is not in the future. Figures with points
  /// begin with the day; with slashes that would be ambiguous.
  /// - `today`: the current date, `2024-05-17`.
  public static func date(_ text: String, today: String) -> String? {
    if Dates.isDate(Array(text.utf8)) { return text }
    guard let day = Dates.daysSince1970(Array(today.utf8)) else { return nil }
    let words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    return relative(words, day) ?? calendar(words, today) ?? numeric(words)
  }

  /// Why a text that has the form of a date in ISO 8601 is none: `February 2023 has 28 days`; the dates that figures
  /// with slashes may mean; nil for another text, and for a date.
  public static func complaint(_ text: String) -> String? {
    let slashed = text.split(at: "/", omittingEmptySubsequences: false).map(number)
    if slashed.count == 3, let year = slashed[2], 1000...9999 ~= year, let first = slashed[0], let second = slashed[1] {
      let readings = [(first, second), (second, first)].map { "\(year)-\(two($0))-\(two($1))" }
      let dates = readings.filter { Dates.isDate(Array($0.utf8)) }
      return dates.isEmpty ? nil : "use \(Set(dates).sorted().joined(separator: " or "))"
    }
    let parts = text.split(at: "-", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].utf8.count == 4, let year = number(parts[0]),
      let month = number(parts[1]), parts.allSatisfy({ (1...4).contains($0.utf8.count) })
    else { return nil }
    guard (1...12).contains(month) else { return "months are 01 to 12" }
    guard parts.count == 3, let day = number(parts[2]) else { return nil }
    let last = CivilDate.days(in: month, of: year)
    let name = months[month - 1]
    return (1...last).contains(day) ? nil : "\(name.prefix(1).uppercased())\(name.dropFirst()) \(year) has \(last) days"
  }

  private static let weekdays = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  private static func relative(_ words: [String], _ today: Int) -> String? {
    switch words {
    case ["today"]: return iso(today)
    case ["yesterday"]: return iso(today - 1)
    case ["tomorrow"]: return iso(today + 1)
    case ["this", "year"]: return String(iso(today).prefix(4))
    case ["this", "month"]: return String(iso(today).prefix(7))
    case ["last", "year"]: return year(before: iso(today), by: 1)
    case ["last", "month"]: return month(before: iso(today), by: 1)
    case ["next", "year"]: return year(before: iso(today), by: -1)
    case ["next", "month"]: return month(before: iso(today), by: -1)
    case ["the", "day", "before", "yesterday"], ["day", "before", "yesterday"]: return iso(today - 2)
    case ["the", "day", "after", "tomorrow"], ["day", "after", "tomorrow"]: return iso(today + 2)
    default: break
    }
    let isAgo = words.count == 3 && words[2] == "ago", isAhead = words.count == 3 && words[0] == "in"
    if isAgo || isAhead, let distance = count(words[isAgo ? 0 : 1]), 0...100_000 ~= distance {
      let number = isAgo ? distance : -distance
      switch words[isAgo ? 1 : 2] {
      case "day", "days": return iso(today - number)
      case "week", "weeks": return iso(today - 7 * number)
      case "month", "months": return month(before: iso(today), by: number)
      case "year", "years": return year(before: iso(today), by: number)
      default: return nil
      }
    }
    if words.count == 2, words[0] == "next", let weekday = index(of: words[1], in: weekdays) {
      return iso(today + 7 - ((today - weekday) % 7 + 7) % 7)
    }
    let name = words.count == 2 && words[0] == "last" ? words[1] : words.count == 1 ? words[0] : ""
    guard let weekday = index(of: name, in: weekdays) else { return nil }
    // 1970-01-01 was a Thursday.
    let distance = ((today - weekday) % 7 + 7) % 7
    return iso(today - (distance == 0 && words.count == 2 ? 7 : distance))
  }

  private static let numbers = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
  ]

  private static func count(_ word: String) -> Int? {
    word == "a" || word == "an" ? 1 : numbers.firstIndex(of: word).map { $0 + 1 } ?? Int(word)
  }

  /// A day after its year, in figures: `2024/5/7`, `2024-5-7`; or before it, with points: `7.5.2024`.
  private static func numeric(_ words: [String]) -> String? {
    guard words.count == 1 else { return nil }
    let parts = ["/", "-", "."].map { words[0].split(separator: $0, omittingEmptySubsequences: false) }
      .first { $0.count == 3 }
    guard var parts else { return nil }
    if words[0].contains("."), parts[2].utf8.count == 4 { parts.reverse() }
    guard parts[0].utf8.count == 4, parts.dropFirst().allSatisfy({ $0.utf8.count <= 2 }),
      let year = number(parts[0]), let month = number(parts[1]), let day = number(parts[2])
    else { return nil }
    let result = "\(two(year / 100))\(two(year % 100))-\(two(month))-\(two(day))"
    return Dates.isDate(Array(result.utf8)) ? result : nil
  }

  /// A number in decimal digits alone.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { $0 &- 48 < 10 } ? Int(text) : nil
  }

  /// A month with a day, a year or both; before a whole date its weekday may be given, which must be right.
  private static func calendar(_ words: [String], _ today: String) -> String? {
    let words = words.filter { $0 != "the" && $0 != "of" }
    if words.count == 4, let weekday = index(of: words[0], in: weekdays) {
      guard let date = calendar(Array(words.dropFirst()), today), let day = Dates.daysSince1970(Array(date.utf8)),
        ((day - weekday) % 7 + 7) % 7 == 0
      else { return nil }
      return date
    }
    guard (1...3).contains(words.count), let position = words.firstIndex(where: { index(of: $0, in: months) != nil }),
      let month = index(of: words[position], in: months)
    else { return nil }
    var year: String?, day: String?
    for (place, word) in words.enumerated() where place != position {
      let end = ["st", "nd", "rd", "th", "."].first { word.hasSuffix($0) } ?? ""
      let digits = String(word.dropLast(end.utf8.count))
      guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 48 < 10 }) else { return nil }
      if digits.utf8.count == 4, year == nil {
        year = digits
      } else if (1...2).contains(digits.utf8.count), day == nil {
        day = two(Int(digits) ?? 0)
      } else {
        return nil
      }
    }
    func joined(_ year: String) -> String {
      ([year, two(month + 1)] + (day.map { [$0] } ?? [])).joined(separator: "-")
    }
    var result = joined(year ?? String(today.prefix(4)))
    if year == nil, result > today.prefix(result.utf8.count) {
      guard let last = self.year(before: today, by: 1) else { return nil }
      result = joined(last)
    }
    return Dates.isDate(Array(result.utf8)) ? result : nil
  }

  /// The position of a name, or of the only one that begins with these three letters or more.
  private static func index(of word: String, in names: [String]) -> Int? {
    guard word.utf8.count >= 3 else { return nil }
    return names.firstIndex { $0.hasPrefix(word) }
  }

  private static func iso(_ day: Int) -> String {
    let date = CivilDate(daysSince1970: day)
    return "\(two(date.year / 100))\(two(date.year % 100))-\(two(date.month))-\(two(date.day))"
  }

  private static func year(before date: String, by count: Int) -> String? {
    guard let year = Int(date.prefix(4)), 0...9999 ~= year - count else { return nil }
    return "\(two((year - count) / 100))\(two((year - count) % 100))"
  }

  private static func month(before date: String, by count: Int) -> String? {
    guard let year = Int(date.prefix(4)), let month = Int(date.dropFirst(5).prefix(2)) else { return nil }
    let total = year * 12 + month - 1 - count
    return total < 0 || total >= 120_000 ? nil : "\(two(total / 1200))\(two(total / 12 % 100))-\(two(total % 12 + 1))"
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
