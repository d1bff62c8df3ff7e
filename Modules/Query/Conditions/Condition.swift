import Codecs
public import Rows

/// `COLUMN OP VALUE`: what a row must be like. Knows nothing of a schema until it is matched.
public struct Condition: Sendable, Hashable {
  /// The comparison of a column with a value.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// Equal; on a list: has the element; on a date: falls in.
    case equal = "="
    /// Not equal. Null is neither equal nor not.
    case notEqual = "!="
    /// By value for numbers and times, by bytes for text, by the earliest day for dates.
    case less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    /// Contains, ignoring case and marks.
    case contains = "~", containsNot = "!~"
    /// Starts with, ignoring case and marks; on a list: one of its elements does.
    case startsWith = "starts with"
    /// Has a part that matches a regular expression; on a list: one of its elements has.
    case matches = "=~"
    /// Equal to one of several.
    case isIn = "in"
    case isNull = "is null", isNotNull = "is not null"

    /// Whether it compares by order or equality, so that a column may take the place of the value.
    var isOrdering: Bool {
      switch self {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
      case .contains, .containsNot, .startsWith, .matches, .isIn, .isNull, .isNotNull: false
      }
    }
  }

  /// The column's name.
  public let column: String
  /// The comparison.
  public let comparison: Operator
  /// The operands: one value; several for `in`; none for `is null`, and for a comparison with a column.
  public let values: [String]
  /// The column that it is compared with; nil for values.
  public let otherColumn: String?

  /// A condition.
  public init(_ column: String, _ comparison: Operator, _ values: String...) {
    self.init(column, comparison, values)
  }
  /// A condition.
  public init(_ column: String, _ comparison: Operator, _ values: [String]) {
    self.column = column
    self.comparison = comparison
    self.values = values
    otherColumn = nil
  }
  /// A comparison of two columns.
  public init(_ column: String, _ comparison: Operator, column other: String) {
    self.column = column
    self.comparison = comparison
    values = []
    otherColumn = other
  }

  /// Reads a single condition, as `Predicate` reads several.
  /// - Throws: `usage` that says what was expected where.
  public init(parsing text: String) throws(Problem) {
    guard case .condition(let condition) = try Predicate(parsing: text) else {
      throw Problem(.usage, "expected a single condition, found “\(text)”", hint: "use COLUMN OP VALUE")
    }
    self = condition
  }
}

/// Conditions joined by `and`, `or` and `not`.
///
/// A comparison with null is neither true nor false, and neither is its negation, as in SQL.
public indirect enum Predicate: Sendable, Hashable {
  case condition(Condition)
  /// All must hold; one must hold.
  case all([Predicate]), any([Predicate])
  /// It must be false.
  case not(Predicate)

  /// Reads conditions such as `season = 1 or (season = 2 and not title ~ 'bit')`.
  ///
  /// A condition is `COLUMN OP VALUE`, where OP is one of `= != < <= > >= ~ !~ =~`, `starts with`, `in (a,b)`,
  /// `between A and B`, `is null`, `is not null`. VALUE is `'…'`, where `''` is one quote; or unquoted, up to the end
  /// or, if it is one word, up to `and`, `or` or a closing parenthesis; or another column, `"…"`. A column with other
  /// characters than letters, digits, `_` and `.` is `"…"`.
  /// - Throws: `usage` that says what was expected where.
  public init(parsing text: String) throws(Problem) {
    var conditions = Conditions()
    self = try conditions.read(text)
    if let column = conditions.lone.first {
      throw Problem(
        .usage, "invalid condition “\(text)”: missing operator after \(column)", hint: "use COLUMN OP VALUE")
    }
    guard conditions.computed.isEmpty else {
      throw Problem(.usage, "calculations cannot be used here: “\(text)”", hint: "compare a column with a value")
    }
  }

  /// Every condition in it.
  public var conditions: [Condition] {
    switch self {
    case .condition(let condition): [condition]
    case .all(let parts), .any(let parts): parts.flatMap(\.conditions)
    case .not(let part): part.conditions
    }
  }

  /// The columns it looks at.
  public var columns: [String] { conditions.flatMap { [$0.column] + ($0.otherColumn.map { [$0] } ?? []) } }

  /// The same with other conditions in place of each.
  func mapping(_ change: (Condition) -> Condition) -> Predicate {
    switch self {
    case .condition(let condition): .condition(change(condition))
    case .all(let parts): .all(parts.map { $0.mapping(change) })
    case .any(let parts): .any(parts.map { $0.mapping(change) })
    case .not(let part): .not(part.mapping(change))
    }
  }

  /// The conditions that must all hold, if it is nothing else.
  var conjunction: [Condition]? {
    switch self {
    case .condition(let condition): return [condition]
    case .all(let parts):
      let lists = parts.map(\.conjunction)
      return lists.contains { $0 == nil } ? nil : lists.flatMap { $0 ?? [] }
    case .any, .not: return nil
    }
  }
}

/// The context of conditions besides comparisons of columns.
struct Conditions: Sendable, Hashable {
  /// The calculations that they compare, by the names that stand for their columns.
  private(set) var computed: [String: Expression] = [:]
  /// Comparisons with numbers, dates and null without quotes.
  private(set) var bareValues: [Condition] = []
  private(set) var lone: Set<String> = []
  /// The prefix of the names of calculations: columns of no table have it.
  static let mark = "\u{1F}"

  /// Reads conditions.
  /// - Throws: `usage` that says what was expected where.
  mutating func read(_ text: String) throws(Problem) -> Predicate {
    var parser = try ExpressionParser(text, as: .condition)
    return predicate(try parser.whole())
  }

  private mutating func predicate(_ expression: Expression) -> Predicate {
    switch expression {
    case .call("not", let parts): return .not(predicate(parts[0]))
    case .call(let name, let parts) where name == "and" || name == "or":
      let isAll = name == "and"
      var all: [Predicate] = []
      for part in parts {
        switch predicate(part) {
        case .all(let parts) where isAll: all += parts
        case .any(let parts) where !isAll: all += parts
        case let other: all.append(other)
        }
      }
      return isAll ? .all(all) : .any(all)
    case .call(let name, let parts):
      guard let comparison = Condition.Operator(rawValue: name) else { break }
      let values = parts.dropFirst().compactMap { part -> String? in
        if case .value(let text, _) = part { text } else { nil }
      }
      if values.count == parts.count - 1 {
        let condition = Condition(column(parts[0]), comparison, values)
        let bare = parts.dropFirst().compactMap { if case .value(let text, false) = $0 { text } else { nil } }
        if let text = bare.last, comparison.isOrdering || comparison == .isIn {
          let bytes = Array(text.utf8), isTime = bytes.count >= 10 && DateBound(time: bytes) != nil
          if DecimalNumber(bytes) != nil || isTime { bareValues.append(condition) }
          if let null = bare.first(where: { $0.lowercased() == "null" }) {
            bareValues.append(Condition(condition.column, comparison, null))
          }
        }
        return .condition(condition)
      }
      if values.isEmpty, comparison.isOrdering {
        return .condition(Condition(column(parts[0]), comparison, column: column(parts[1])))
      }
    case .column(let name): lone.insert(name)
    default: break
    }
    return .condition(Condition(column(expression), .equal, "true"))
  }

  private mutating func column(_ expression: Expression) -> String {
    if case .column(let name) = expression { return name }
    let name = Self.mark + expression.text
    computed[name] = expression
    return name
  }
}
