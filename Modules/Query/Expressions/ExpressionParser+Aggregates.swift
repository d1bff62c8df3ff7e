import Rows

extension ExpressionParser {
  private static let aggregateExample: Remedy = "for example 'count, avg(rating) as mean'"

  /// A list such as `count, sum(price * qty), max("air date") as latest`.
  mutating func aggregates() throws(Problem) -> [Aggregate] {
    var list = [try aggregate()]
    while take(",") { list.append(try aggregate()) }
    skipBlanks()
    if !rest.isEmpty { throw problem("missing comma", Self.aggregateExample) }
    return list
  }

  private mutating func aggregate() throws(Problem) -> Aggregate {
    skipBlanks()
    let start = rest, word = takeName().lowercased()
    guard let function = Aggregate.Function(rawValue: word) else {
      rest = start
      let names = Aggregate.Function.allCases.map(\.rawValue)
      throw problem(
        word.isEmpty ? "missing function" : "unknown function “\(word)”",
        ["mean", "average"].contains(word) ? "use avg" : .choose(word, from: names, "available functions"))
    }
    var column: String?, expression: Expression?, part: Double?
    if take("(") {
      (column, expression) = try argument()
      if function == .quantile {
        guard take(",") else { throw problem("missing part", "use quantile(COLUMN, 0.9)") }
        skipBlanks()
        let text = rest.prefix { $0 != ")" && $0 != " " }
        guard let value = Double(String(text)), value >= 0, value <= 1 else {
          throw problem("invalid part", "use a number from 0 to 1")
        }
        rest = rest[text.endIndex...]
        part = value
      }
      guard take(")") else { throw problem("missing )", Self.aggregateExample) }
    }
    if column == nil, function != .count {
      let name = peeks("as") ? "" : Self.trimmed(rest.prefix { $0 != "," && $0 != ")" })
      throw problem("missing column", "use \(word)(\(name.isEmpty ? "COLUMN" : name))")
    }
    var alias: String?
    if takeWords("as") {
      skipBlanks()
      if rest.first == "\"" {
        alias = try quoted("\"")
      } else {
        let name = rest.prefix { $0 != "," }
        rest = rest[name.endIndex...]
        alias = Self.trimmed(name)
      }
      if alias?.isEmpty != false { throw problem("missing name", Self.aggregateExample) }
    }
    let own = part.map { "quantile(\(column ?? ""), \($0))" }
    var result = Aggregate(function, of: column, as: alias ?? own)
    (result.expression, result.part) = (expression, part ?? 0.5)
    return result
  }

  /// A column, or a calculation and its text; nil for `*` or nothing.
  private mutating func argument() throws(Problem) -> (String?, Expression?) {
    skipBlanks()
    let start = rest
    if take("*") || rest.first == ")" { return (nil, nil) }
    func source(_ end: String.Index) -> String { Self.trimmed(start[..<end]) }
    do throws(Problem) {
      let expression = try alternatives()
      skipBlanks()
      guard rest.first == ")" || rest.first == "," else { throw problem("missing )", Self.aggregateExample) }
      if case .column(let name) = expression, !name.hasPrefix(Conditions.mark) { return (name, nil) }
      return (source(rest.startIndex), expression)
    } catch {
      // A column whose name has blanks, if it is not written like a calculation.
      let name = start.prefix { $0 != ")" }
      if name.contains(where: { "(\"'".unicodeScalars.contains($0) }) || name.isEmpty { throw error }
      rest = start[name.endIndex...]
      return (source(name.endIndex), nil)
    }
  }

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
