import Domain
import Codecs
import Rows

/// The combinations of values that a dataset is requested for.
enum RESTIterations {
  private static let most = 1_000_000

  /// The values of each request, by name.
  /// - Parameters:
  ///   - today: the current date, `2024-05-17`.
  ///   - lines: reads the lines of a file.
  /// - Throws: `configuration` for a range without an end; what `lines` throws.
  static func combinations(
    _ iteration: SourceIteration?, today: String, lines: (String) throws(Problem) -> [String]
  ) throws(Problem) -> [[SourceParameter]] {
    var all: [[SourceParameter]] = [[]]
    guard let iteration else { return all }
    if let path = iteration.lines {
      return try lines(path).map { [SourceParameter(iteration.parameter ?? "", $0)] }
    }
    if let range = iteration.range.first {
      return try self.range(range.values[0], range.values[1], today).map { [SourceParameter(range.name, $0)] }
    }
    for parameter in iteration.values {
      guard all.count * parameter.values.count <= most else {
        throw Problem(.configuration, "for_each has more than \(most) combinations")
      }
      all = all.flatMap { known in parameter.values.map { known + [SourceParameter(parameter.name, $0)] } }
    }
    return all
  }

  /// The years, months, days or integers from one to another.
  private static func range(_ first: String, _ last: String, _ today: String) throws(Problem) -> [String] {
    let isDate = Dates.isDate(Array(first.utf8)) && first.utf8.count > 4
    let isYear = first.utf8.count == 4 && Int(first) != nil
    let end = last == "now" ? String(today.prefix(isDate ? first.utf8.count : 4)) : last
    if isDate {
      guard Dates.isDate(Array(end.utf8)), end.utf8.count == first.utf8.count else { throw misfit(first, last) }
      return try steps(from: first, to: end)
    }
    guard isYear || last != "now", let from = Int(first), let to = Int(end) else { throw misfit(first, last) }
    let (span, isTooLong) = to.subtractingReportingOverflow(from)
    guard from > to || !isTooLong && span < most else {
      throw Problem(.configuration, "the range has more than \(most) values")
    }
    return from <= to ? (from...to).map(String.init) : []
  }

  private static func steps(from first: String, to last: String) throws(Problem) -> [String] {
    var all: [String] = [], next = first
    while next <= last {
      guard all.count < most else { throw Problem(.configuration, "the range has more than \(most) values") }
      all.append(next)
      if next.utf8.count == 10 {
        guard let seconds = Dates.epochSeconds(of: Array("\(next)T00:00:00Z".utf8)) else { break }
        next = String(Instant(seconds: seconds + 86_400).timestamp.prefix(10))
      } else {
        let year = Int(next.prefix(4)) ?? 0, month = Int(next.suffix(2)) ?? 0
        let (newYear, newMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        next =
          "\(newYear < 1000 ? String(repeating: "0", count: 4 - String(newYear).count) : "")\(newYear)-\(newMonth < 10 ? "0" : "")\(newMonth)"
      }
    }
    return all
  }

  private static func misfit(_ first: String, _ last: String) -> Problem {
    Problem(
      .configuration, "invalid range from “\(first)” to “\(last)”",
      hint: "use two years, months (2024-05), days (2024-05-01) or integers; now is the current year, month or day")
  }
}
