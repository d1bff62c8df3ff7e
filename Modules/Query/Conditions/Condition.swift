public import Rows

/// `COLUMN OP VALUE`: what a row must be like. Knows nothing of a schema until it is matched.
public struct Condition: Sendable, Hashable {
  /// The comparison of a column with a value.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// Equal; on a list: has the element; on a date: falls in.
    case equal = "="
    /// Not equal. Null is neither equal nor not.
    case notEqual = "!="
    /// By value for numbers, by bytes for text, by the earliest day for dates.
    case less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    /// Contains, ignoring case and marks.
    case contains = "~", containsNot = "!~"
    /// Equal to one of several.
    case isIn = "in"
    /// Has no value; has one.
    case isNull = "is null", isNotNull = "is not null"
  }

  /// The column's name.
  public let column: String
  /// The comparison.
  public let comparison: Operator
  /// What it is compared with: one value; several for `in`; none for `is null`.
  public let values: [String]

  /// A condition.
  public init(_ column: String, _ comparison: Operator, _ values: String...) {
    self.init(column, comparison, values)
  }
  /// A condition.
  public init(_ column: String, _ comparison: Operator, _ values: [String]) {
    self.column = column
    self.comparison = comparison
    self.values = values
  }

  /// What to do who wants several conditions.
  static let oneEach = "use a separate --where for each condition; all must match"

  /// Reads `COLUMN OP VALUE`.
  ///
  /// OP is one of `= != < <= > >= ~ !~`, `in (a,b)`, `is null`, `is not null`. VALUE runs bare to the end or is `'…'`,
  /// where `''` is one quote; a column with other characters than letters, digits, `_` and `.` is `"…"`.
  /// - Throws: `usage` that says what was expected where.
  public init(parsing text: String) throws(Problem) {
    var scanner = ConditionScanner(text)
    column = try scanner.column()
    comparison = try scanner.comparison()
    values =
      switch comparison {
      case .isNull, .isNotNull: []
      case .isIn: try scanner.list()
      default: [try scanner.value()]
      }
    try scanner.end()
  }
}

/// Scans the text of a condition from left to right by scalars, so that a combining mark after a quote does not hide
/// the quote.
private struct ConditionScanner {
  private let text: String
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  private func problem(_ message: String, _ hint: String) -> Problem {
    let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    return Problem(.usage, "invalid condition “\(text)”: \(message) at character \(column)", hint: hint)
  }
  private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  mutating func column() throws(Problem) -> String {
    skipBlanks()
    if rest.first == "\"" { return try quoted("\"") }
    let name = rest.prefix { scalar in
      let properties = scalar.properties
      return properties.isAlphabetic || properties.numericType != nil || scalar == "_" || scalar == "."
        || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
    }
    guard !name.isEmpty else { throw problem("missing column", "use COLUMN OP VALUE, for example 'season = 1'") }
    rest = rest[name.endIndex...]
    return String(name)
  }

  mutating func comparison() throws(Problem) -> Condition.Operator {
    skipBlanks()
    let words = String(rest).lowercased()
    for (word, comparison) in [("is not null", Condition.Operator.isNotNull), ("is null", .isNull), ("in", .isIn)] {
      guard words.hasPrefix(word) else { continue }
      let after = rest.dropFirst(word.unicodeScalars.count)
      guard after.isEmpty || after.first == " " || (comparison == .isIn && after.first == "(") else { continue }
      rest = after
      return comparison
    }
    // The longer ones first, so that `<=` is not read as `<`.
    for comparison in [
      Condition.Operator.notEqual, .lessOrEqual, .greaterOrEqual, .containsNot, .equal, .less, .greater, .contains,
    ]
    where rest.starts(with: comparison.rawValue.unicodeScalars) {
      try refuseForeign(words)
      rest = rest.dropFirst(comparison.rawValue.unicodeScalars.count)
      return comparison
    }
    try refuseForeign(words)
    throw problem(
      "missing operator", "valid operators: \(Condition.Operator.allCases.map(\.rawValue).joined(separator: "  "))")
  }

  /// What other languages write, and what it is here.
  private static let foreign: KeyValuePairs<String, String> = [
    "==": "=", "=~": "~", "<>": "!=", "not in": "!=, once for each value", "like": "~", "contains": "~",
    "matches": "~", "equals": "=", "is": "=, is null or is not null", "eq": "=", "ne": "!=", "lt": "<", "le": "<=",
    "gt": ">", "ge": ">=",
  ]
  private func refuseForeign(_ words: String) throws(Problem) {
    for (word, ours) in Self.foreign where words.hasPrefix(word) {
      guard word.first?.isLetter != true || words.dropFirst(word.count).first?.isLetter != true else { continue }
      throw problem("unknown operator “\(word)”", "use \(ours)")
    }
  }

  mutating func value() throws(Problem) -> String {
    skipBlanks()
    if rest.first == "'" { return try quoted("'") }
    var bare = rest
    while bare.last == " " { bare = bare.dropLast() }
    rest = rest[rest.endIndex...]
    guard !bare.isEmpty else { throw problem("missing value", "use '' for an empty string") }
    return String(bare)
  }

  mutating func list() throws(Problem) -> [String] {
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
        values.append(String(bare))
      }
      guard let mark = rest.first, mark == "," || mark == ")" else {
        throw problem("missing , or )", "use in (a,b)")
      }
      rest = rest.dropFirst()
      if mark == ")" { return values }
    }
  }

  mutating func end() throws(Problem) {
    skipBlanks()
    guard rest.isEmpty else {
      let isAnd = String(rest).lowercased().hasPrefix("and ")
      throw problem(
        "unexpected text after the condition", isAnd ? Condition.oneEach : "quote a value that contains quotes: 'it''s'"
      )
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
