import Rows

extension ExpressionParser {
  private static let aggregateExample: Remedy = "for example 'count, avg(rating) as mean'"

  /// A list such as `count, sum(price * qty), max("air date") as latest`.
  mutating func aggregates() throws(Problem) -> [Aggregate] {
    var list = [try aggregate()]
    while scan.take(",") { list.append(try aggregate()) }
    scan.skipBlanks()
    guard let last = list.last, !scan.rest.isEmpty else { return list }
    var ahead = scan
    let name = ahead.takeName()
    ahead.skipBlanks()
    guard !name.isEmpty, ahead.rest.isEmpty || ahead.rest.first == "," else {
      throw scan.problem("missing comma", Self.aggregateExample)
    }
    throw scan.problem("missing as", "use \(last.name) as \(name)")
  }

  /// Names of functions elsewhere, and their names here.
  private static let otherAggregates = [
    "mean": "avg", "average": "avg", "std": "stddev", "stdev": "stddev", "stddev_samp": "stddev", "nunique": "distinct",
    "unique": "distinct", "count_distinct": "distinct", "percentile": "quantile(COLUMN, 0.9)", "n": "count",
    "percentile_cont": "quantile(COLUMN, 0.9)", "total": "sum", "size": "count", "rows": "count", "any_value": "first",
  ]

  /// `quantile` for `p95`.
  private static func percentile(_ word: String) -> String? {
    guard word.first == "p", let part = Int(word.dropFirst()), 0...100 ~= part else { return nil }
    return "quantile(COLUMN, \(Double(part) / 100))"
  }

  private mutating func aggregate() throws(Problem) -> Aggregate {
    scan.skipBlanks()
    let start = scan.rest, word = scan.takeName().lowercased()
    guard let function = Aggregate.Function(rawValue: word) else {
      scan.rest = start
      let names = Aggregate.Function.allCases.map(\.rawValue)
      throw scan.problem(
        word.isEmpty ? "missing function" : "unknown function “\(word)”",
        (Self.otherAggregates[word] ?? Self.percentile(word)).map { .advice("use \($0)") }
          ?? .choose(word, from: names, "available functions"))
    }
    var column: String?, expression: Expression?, part: Double?
    if scan.take("(") {
      (column, expression) = try argument()
      if function == .quantile {
        guard scan.take(",") else { throw scan.problem("missing part", "use quantile(COLUMN, 0.9)") }
        scan.skipBlanks()
        let text = scan.rest.prefix { $0 != ")" && $0 != " " }
        guard let value = Double(String(text)), value >= 0, value <= 1 else {
          throw scan.problem("invalid part", "use a number from 0 to 1")
        }
        scan.rest = scan.rest[text.endIndex...]
        part = value
      }
      guard scan.take(")") else { throw scan.problem("missing )", Self.aggregateExample) }
    }
    if column == nil, function != .count {
      let name = scan.peeks("as") ? "" : Self.trimmed(scan.rest.prefix { $0 != "," && $0 != ")" })
      throw scan.problem("missing column", "use \(word)(\(name.isEmpty ? "COLUMN" : name))")
    }
    var alias: String?
    if scan.takeWords("as") {
      scan.skipBlanks()
      if scan.rest.first == "\"" {
        alias = try scan.quoted("\"")
      } else {
        let name = scan.rest.prefix { $0 != "," }
        scan.rest = scan.rest[name.endIndex...]
        alias = Self.trimmed(name)
      }
      if alias?.isEmpty != false { throw scan.problem("missing name", Self.aggregateExample) }
    }
    let own = part.map { "quantile(\(column ?? ""), \($0))" }
    var result = Aggregate(function, of: column, as: alias ?? own)
    (result.expression, result.part) = (expression, part ?? 0.5)
    return result
  }

  /// A column, or a calculation and its text; nil for `*` or nothing.
  private mutating func argument() throws(Problem) -> (String?, Expression?) {
    scan.skipBlanks()
    let start = scan.rest
    if scan.take("*") || scan.rest.first == ")" { return (nil, nil) }
    func source(_ end: String.Index) -> String { Self.trimmed(start[..<end]) }
    do throws(Problem) {
      let expression = try alternatives()
      scan.skipBlanks()
      guard scan.rest.first == ")" || scan.rest.first == "," else {
        throw scan.problem("missing )", Self.aggregateExample)
      }
      if case .column(let name) = expression, !name.hasPrefix(Conditions.mark) { return (name, nil) }
      return (source(scan.rest.startIndex), expression)
    } catch {
      // A column whose name has blanks, if it is not written like a calculation.
      let name = start.prefix { $0 != ")" }
      if name.contains(where: { "(\"'".unicodeScalars.contains($0) }) || name.isEmpty { throw error }
      scan.rest = start[name.endIndex...]
      return (source(name.endIndex), nil)
    }
  }

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
