@testable import Query
import Rows
import Codecs

/// The grammar of conditions before there were calculations: the law for `ExpressionParser`.
///
/// Scans conditions from left to right by scalars, so that a combining mark after a quote does not hide the quote.
struct PlainConditionParser {
  private let text: String
  private var rest: Substring.UnicodeScalarView
  private var depth = 0
  /// Whether a value without quotes ended at `and`, `or` or a parenthesis: perhaps they belong to it.
  private var cutValue = false
  /// Comparisons with numbers without quotes.
  private(set) var bareNumbers: [Condition] = []
  private static let deepest = 100

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  private static let quoteValue: Remedy = "quote the value"
  private static let example: Remedy = "use COLUMN OP VALUE, for example 'season = 1'"

  private func problem(_ message: String, _ hint: Remedy) -> Problem {
    let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    return Problem(.usage, "invalid condition “\(text)”: \(message) at character \(column)", hint: hint)
  }

  mutating func parse() throws(Problem) -> Predicate {
    let predicate = try alternatives()
    skipBlanks()
    guard let next = rest.first else { return predicate }
    if next == ")" { throw problem("unexpected )", cutValue ? Self.quoteValue : "remove it, or add (") }
    let hint: Remedy =
      switch String(rest.prefix(2)) {
      case "&&": "use and"
      case "||": "use or"
      default: "join conditions with and or or; quote a value that contains quotes: 'it''s'"
      }
    throw problem("unexpected text after the condition", hint)
  }

  // MARK: - Connectives

  private mutating func alternatives() throws(Problem) -> Predicate {
    var parts = [try conjunction()]
    while takeWords(["or"]) { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(Problem) -> Predicate {
    var parts = [try negation()]
    while takeWords(["and"]) { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func negation() throws(Problem) -> Predicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw problem("too many parentheses", "use at most \(Self.deepest)") }
    skipBlanks()
    if isNegation, takeWords(["not"]) { return .not(try negation()) }
    guard rest.first == "(" else { return try condition() }
    rest = rest.dropFirst()
    parentheses += 1
    let inner = try alternatives()
    skipBlanks()
    guard rest.first == ")" else { throw problem("missing )", "close the parenthesis") }
    rest = rest.dropFirst()
    parentheses -= 1
    return inner
  }
  private var parentheses = 0

  /// Whether `not` here is not the name of a column, which an operator would follow.
  private var isNegation: Bool {
    var ahead = self
    guard ahead.takeWords(["not"]) else { return false }
    ahead.skipBlanks()
    return ahead.rest.first.map { !"=<>!~".unicodeScalars.contains($0) } ?? false
  }

  // MARK: - Conditions

  private mutating func condition() throws(Problem) -> Predicate {
    // Text after a value without quotes may have been meant as a part of it.
    let afterCut = cutValue
    let column: String, isNegated: Bool, word: Word
    do throws(Problem) {
      column = try self.column()
      (isNegated, word) = try comparison()
    } catch {
      guard afterCut else { throw error }
      var problem = error
      problem.hint = Self.quoteValue
      throw problem
    }
    let predicate: Predicate
    switch word {
    case .between:
      let low = Condition(column, .greaterOrEqual, try value(isLast: false, for: column, .greaterOrEqual))
      guard takeWords(["and"]) else { throw problem("missing and", "use between A and B") }
      let high = Condition(column, .lessOrEqual, try value(isLast: true, for: column, .lessOrEqual))
      predicate = .all([.condition(low), .condition(high)])
    case .comparison(let comparison):
      switch comparison {
      case .isNull, .isNotNull: predicate = .condition(Condition(column, comparison, []))
      case .isIn: predicate = .condition(Condition(column, comparison, try list()))
      default:
        skipBlanks()
        if rest.first == "\"" {
          guard comparison.isOrdering else {
            throw problem("expected a value, found a column", "quote a value as '…'; \"…\" is a column")
          }
          predicate = .condition(Condition(column, comparison, column: try quoted("\"")))
        } else {
          predicate = .condition(Condition(column, comparison, try value(isLast: true, for: column, comparison)))
        }
      }
    }
    return isNegated ? .not(predicate) : predicate
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isAlphabetic || properties.numericType != nil || scalar == "_" || scalar == "."
      || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  private mutating func column() throws(Problem) -> String {
    skipBlanks()
    if rest.first == "\"" { return try quoted("\"") }
    let name = rest.prefix(while: Self.isPartOfName)
    guard !name.isEmpty else { throw problem("missing column", Self.example) }
    rest = rest[name.endIndex...]
    return String(name)
  }

  /// Skips words, in any case and with blanks between them; false if they are not there.
  private mutating func takeWords(_ words: [String]) -> Bool {
    var ahead = rest
    for word in words {
      ahead = ahead.drop { $0 == " " || $0 == "\t" }
      let next = ahead.prefix(while: Self.isPartOfName)
      guard String(next).lowercased() == word else { return false }
      ahead = ahead[next.endIndex...]
    }
    rest = ahead
    return true
  }

  /// What may follow a column.
  private enum Word {
    case comparison(Condition.Operator), between
  }

  private mutating func comparison() throws(Problem) -> (isNegated: Bool, Word) {
    skipBlanks()
    if takeWords(["is", "not", "null"]) { return (false, .comparison(.isNotNull)) }
    if takeWords(["is", "null"]) { return (false, .comparison(.isNull)) }
    for (words, word) in [
      (["in"], Word.comparison(.isIn)), (["between"], .between), (["starts", "with"], .comparison(.startsWith)),
    ] {
      if takeWords(words) { return (false, word) }
      if takeWords(["not"] + words) { return (true, word) }
    }
    // The longer ones first, so that `<=` is not read as `<`.
    for comparison in [
      Condition.Operator.notEqual, .lessOrEqual, .greaterOrEqual, .containsNot, .matches, .equal, .less, .greater,
      .contains,
    ]
    where rest.starts(with: comparison.rawValue.unicodeScalars) {
      try refuseForeign()
      rest = rest.dropFirst(comparison.rawValue.unicodeScalars.count)
      return (false, .comparison(comparison))
    }
    try refuseForeign()
    throw problem(
      "missing operator",
      "valid operators: =  !=  <  <=  >  >=  ~  !~  =~  in  between  starts with  is null  is not null")
  }

  /// What other languages write, and what it is here.
  private static let foreign: KeyValuePairs<String, String> = [
    "==": "=", "<>": "!=", "like": "~ or starts with", "ilike": "~ or starts with", "contains": "~", "matches": "=~",
    "regexp": "=~", "rlike": "=~", "begins with": "starts with", "startswith": "starts with", "equals": "=",
    "is": "=, is null or is not null", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
  ]
  private func refuseForeign() throws(Problem) {
    let words = String(rest).lowercased()
    for (word, ours) in Self.foreign where words.hasPrefix(word) {
      guard word.first?.isLetter != true || words.dropFirst(word.count).first?.isLetter != true else { continue }
      throw problem("unknown operator “\(word)”", "use \(ours)")
    }
  }

  // MARK: - Values

  /// A value, which is noted if it is a number without quotes.
  private mutating func value(
    isLast: Bool, for column: String, _ comparison: Condition.Operator
  ) throws(Problem) -> String {
    skipBlanks()
    let isBare = rest.first != "'", value = try value(isLast: isLast)
    let bytes = Array(value.utf8)
    if isBare, comparison.isOrdering, DecimalNumber(bytes) != nil || bytes.count >= 10 && DateBound(time: bytes) != nil
    {
      bareNumbers.append(Condition(column, comparison, value))
    }
    return value
  }

  /// A value: quoted, or without quotes up to the end, or one word up to a connective or a parenthesis.
  private mutating func value(isLast: Bool) throws(Problem) -> String {
    skipBlanks()
    if rest.first == "'" { return try quoted("'") }
    let start = rest
    var end = rest.startIndex, words = 0
    scan: while true {
      let here = rest
      skipBlanks()
      let word = rest.prefix { $0 != " " && $0 != "\t" && $0 != "(" && $0 != ")" }
      switch rest.first {
      case nil: break scan
      case "(": throw problem("parenthesis in a value without quotes", Self.quoteValue)
      case ")":
        if parentheses == 0 { throw problem("unexpected )", Self.quoteValue) }
        break scan
      default: break
      }
      if words > 0, ["and", "or"].contains(String(word).lowercased()) {
        if words > 1 { throw problem("“\(String(word))” in a value without quotes", Self.quoteValue) }
        rest = here
        cutValue = true
        break scan
      }
      try refuseConnective(in: word)
      words += 1
      end = word.endIndex
      rest = rest[end...]
      if !isLast { break scan }
    }
    guard words > 0 else { throw problem("missing value", "use '' for an empty string") }
    return String(start[..<end])
  }

  /// Refuses what joins conditions in other languages.
  private func refuseConnective(in value: Substring.UnicodeScalarView) throws(Problem) {
    for word in ["&&", "||"] where String(value).contains(word) {
      throw problem("“\(word)” in a value without quotes", "use \(word == "&&" ? "and" : "or"), or quote the value")
    }
  }

  private mutating func list() throws(Problem) -> [String] {
    skipBlanks()
    guard rest.first == "(" else { throw problem("missing (", "use in (a,b)") }
    rest = rest.dropFirst()
    var values: [String] = []
    while true {
      skipBlanks()
      if rest.first == "'" {
        values.append(try quoted("'"))
        skipBlanks()
      } else {
        var bare = rest.prefix { $0 != "," && $0 != ")" }
        rest = rest[bare.endIndex...]
        while bare.last == " " { bare = bare.dropLast() }
        guard !bare.isEmpty else { throw problem("missing value", "use in (a,b)") }
        try refuseConnective(in: bare)
        values.append(String(bare))
      }
      guard let mark = rest.first, mark == "," || mark == ")" else {
        throw problem("missing , or )", "use in (a,b)")
      }
      rest = rest.dropFirst()
      if mark == ")" { return values }
    }
  }

  private mutating func quoted(_ quote: Unicode.Scalar) throws(Problem) -> String {
    let start = rest
    rest = rest.dropFirst()
    var value = String.UnicodeScalarView()
    while let scalar = rest.first {
      rest = rest.dropFirst()
      if scalar != quote {
        value.append(scalar)
      } else if rest.first == quote {
        value.append(quote)
        rest = rest.dropFirst()
      } else {
        return String(value)
      }
    }
    rest = start
    throw problem("unterminated \(quote)", "write \(quote)\(quote) for a quote inside")
  }
}
