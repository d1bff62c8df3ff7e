public import Rows

/// A calculation over the columns of a row: what `--put` and conditions say. Knows nothing of a schema until it is
/// compiled.
public indirect enum Expression: Sendable, Hashable {
  /// A constant and its type; null has none.
  case constant(Value, ColumnType?)
  /// Text in a condition that is a value of the type of what it is compared with.
  case value(String, isQuoted: Bool)
  case column(String)
  /// A member of an object, an element of a list: from 1, or from the end, -1 is the last.
  case member(Expression, String), element(Expression, Int)
  /// A function or an operator: `+`, `and`, `upper`.
  case call(String, [Expression])
  /// A value as one of another type; without `strict` null if it is none.
  case cast(Expression, ColumnType, strict: Bool)

  var columns: [String] {
    switch self {
    case .constant, .value: []
    case .column(let name): [name]
    case .member(let part, _), .element(let part, _), .cast(let part, _, _): part.columns
    case .call(_, let parts): parts.flatMap(\.columns)
    }
  }

  /// The column of a member or an element; nil for other expressions.
  var base: String? {
    switch self {
    case .column(let name): name
    case .member(let part, _), .element(let part, _): part.base
    case .constant, .value, .call, .cast: nil
    }
  }

  /// Whether a result may be many times longer than what it is calculated from.
  var mayGrow: Bool {
    func isShort(_ part: Expression) -> Bool {
      switch part {
      case .constant(.number(let literal), _): literal.count < 3
      case .constant(.text(let text), _): text.count <= 8
      default: false
      }
    }
    switch self {
    case .constant, .value, .column: return false
    case .member(let part, _), .element(let part, _), .cast(let part, _, _): return part.mayGrow
    case .call(let name, let parts):
      let deciding = ["lpad": 1, "rpad": 1, "replace": 2, "regexp_replace": 2][name]
      return deciding.map { !isShort(parts[$0]) } == true || parts.contains(where: \.mayGrow)
    }
  }

  func calls(_ function: String) -> Bool {
    switch self {
    case .constant, .value, .column: false
    case .member(let part, _), .element(let part, _), .cast(let part, _, _): part.calls(function)
    case .call(let name, let parts): name == function || parts.contains { $0.calls(function) }
    }
  }

  /// The same with other expressions in place of columns, where there are some.
  func replacing(_ change: (String) -> Expression?) -> Expression {
    switch self {
    case .constant, .value: self
    case .column(let name): change(name) ?? self
    case .member(let part, let name): .member(part.replacing(change), name)
    case .element(let part, let place): .element(part.replacing(change), place)
    case .cast(let part, let type, let strict): .cast(part.replacing(change), type, strict: strict)
    case .call(let name, let parts): .call(name, parts.map { $0.replacing(change) })
    }
  }

  var text: String {
    func part(_ expression: Expression) -> String {
      if case .call(let name, _) = expression, ExpressionFunction.all[name] == nil { return "(\(expression.text))" }
      return expression.text
    }
    switch self {
    case .constant(.text(let text), let type):
      let quoted = "'\(String(decoding: text, as: UTF8.self).replacing("'", with: "''"))'"
      return type == .text ? quoted : "\(type?.name ?? "") \(quoted)"
    case .constant(.null, _): return "null"
    case .constant(let value, _): return ExpressionValue(value).string
    case .value(let text, _): return "'\(text.replacing("'", with: "''"))'"
    case .column(let name): return name
    case .member(let inner, let name): return "\(part(inner)).\(name)"
    case .element(let inner, let place): return "\(part(inner))[\(place)]"
    case .cast(let inner, let type, let isStrict):
      return "\(isStrict ? "" : "try_")cast(\(inner.text) as \(type.name))"
    case .call("negate", let parts): return "-\(part(parts[0]))"
    case .call("not", let parts): return "not \(part(parts[0]))"
    case .call(let name, let parts) where name.hasPrefix("is "): return "\(part(parts[0])) \(name)"
    case .call("in", let parts):
      return "\(part(parts[0])) in (\(parts.dropFirst().map(\.text).joined(separator: ", ")))"
    case .call(let name, let parts) where ExpressionFunction.all[name] == nil && parts.count >= 2 && name != "case":
      return parts.map(part).joined(separator: " \(name) ")
    case .call(let name, let parts): return "\(name)(\(parts.map(\.text).joined(separator: ", ")))"
    }
  }

  /// Whether there is a function with a name in lower case.
  package static func has(function name: String) -> Bool { ExpressionFunction.isKnown(name) }

  /// Reads an expression.
  /// - Throws: `usage` that says what was expected where.
  public init(parsing text: String) throws(Problem) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// `NAME = EXPRESSION`: a column that is calculated.
public struct Assigned: Sendable, Hashable {
  let name: String
  let expression: Expression

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
