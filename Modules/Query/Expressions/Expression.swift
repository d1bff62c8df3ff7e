public import Rows

/// A calculation over the columns of a row: what `--put` and conditions say. Knows nothing of a schema until it is
/// compiled.
public indirect enum Expression: Sendable, Hashable {
  /// A constant and its type; null has none.
  case constant(Value, ColumnType?)
  /// A column.
  case column(String)
  /// A member of an object, an element of a list: from 1, or from the end, -1 is the last.
  case member(Expression, String), element(Expression, Int)
  /// A function or an operator: `+`, `and`, `upper`.
  case call(String, [Expression])
  /// A value as one of another type; without `strict` null if it is none.
  case cast(Expression, ColumnType, strict: Bool)

  /// The columns that it names.
  public var columns: [String] {
    switch self {
    case .constant: []
    case .column(let name): [name]
    case .member(let part, _), .element(let part, _), .cast(let part, _, _): part.columns
    case .call(_, let parts): parts.flatMap(\.columns)
    }
  }

  /// Whether it calls a function.
  func calls(_ function: String) -> Bool {
    switch self {
    case .constant, .column: false
    case .member(let part, _), .element(let part, _), .cast(let part, _, _): part.calls(function)
    case .call(let name, let parts): name == function || parts.contains { $0.calls(function) }
    }
  }

  /// The same with other expressions in place of columns, where there are some.
  func replacing(_ change: (String) -> Expression?) -> Expression {
    switch self {
    case .constant: self
    case .column(let name): change(name) ?? self
    case .member(let part, let name): .member(part.replacing(change), name)
    case .element(let part, let place): .element(part.replacing(change), place)
    case .cast(let part, let type, let strict): .cast(part.replacing(change), type, strict: strict)
    case .call(let name, let parts): .call(name, parts.map { $0.replacing(change) })
    }
  }

  /// Reads an expression.
  /// - Throws: `usage` that says what was expected where.
  public init(parsing text: String) throws(Problem) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// `NAME = EXPRESSION`: a column that is calculated.
public struct Assigned: Sendable, Hashable {
  /// The name of the column.
  public let name: String
  /// Its value.
  public let expression: Expression

  /// A column.
  public init(_ name: String, _ expression: Expression) {
    self.name = name
    self.expression = expression
  }

  /// Parses several assignments, separated by commas.
  /// - Throws: `usage` that says what was expected where.
  public static func list(parsing text: String) throws(Problem) -> [Assigned] {
    var parser = try ExpressionParser(text)
    return try parser.assignments()
  }
}
