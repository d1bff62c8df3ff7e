import Codecs
import Rows

/// Scans an expression by scalars.
struct ExpressionParser {
  private let text: String
  private(set) var rest: Substring.UnicodeScalarView
  private var depth = 0
  private static let deepest = 100, longest = 64 << 10

  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else {
      throw Problem(.usage, "the expression is longer than 64 KiB", hint: "shorten it")
    }
    self.init(text, at: text[...].unicodeScalars)
  }

  /// A parser of a part of a text.
  init(_ text: String, at rest: Substring.UnicodeScalarView) { (self.text, self.rest) = (text, rest) }

  func problem(_ message: String, _ hint: Remedy) -> Problem {
    let column = text.unicodeScalars.distance(from: text.unicodeScalars.startIndex, to: rest.startIndex) + 1
    let shown = text.utf8.count > 100 ? "\(text.prefix(100))…" : text
    return Problem(.usage, "invalid expression “\(shown)”: \(message) at character \(column)", hint: hint)
  }

  mutating func whole() throws(Problem) -> Expression {
    let expression = try alternatives()
    try end()
    return expression
  }

  /// An expression that other text follows.
  mutating func argument() throws(Problem) -> Expression { try alternatives() }

  mutating func assignments() throws(Problem) -> [Assigned] {
    var list: [Assigned] = []
    repeat {
      skipBlanks()
      let name = rest.first == "\"" ? try quoted("\"") : self.name()
      guard !name.isEmpty else { throw problem("missing column", "use NAME = EXPRESSION") }
      guard take("="), rest.first != "=" else { throw problem("missing =", "use NAME = EXPRESSION") }
      list.append(Assigned(name, try alternatives()))
    } while take(",")
    try end()
    return list
  }

  private mutating func end() throws(Problem) {
    skipBlanks()
    guard let next = rest.first else { return }
    let hint: Remedy =
      switch next {
      case "&": "use and"
      case "|": "use or, or || to join text"
      case ")": "remove it, or add ("
      default: "quote text as 'text'"
      }
    throw problem("unexpected “\(rest.prefix(1))”", hint)
  }

  // MARK: - Connectives

  private mutating func alternatives() throws(Problem) -> Expression {
    var result = try conjunction()
    while takeWord("or") { result = .call("or", [result, try conjunction()]) }
    return result
  }

  private mutating func conjunction() throws(Problem) -> Expression {
    var result = try negation()
    while takeWord("and") { result = .call("and", [result, try negation()]) }
    return result
  }

  private mutating func negation() throws(Problem) -> Expression {
    try nested { (parser) throws(Problem) in
      parser.takeWord("not") ? .call("not", [try parser.negation()]) : try parser.test()
    }
  }

  private mutating func nested(
    _ body: (inout ExpressionParser) throws(Problem) -> Expression
  ) throws(Problem) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw problem("nesting deeper than \(Self.deepest)", "simplify it") }
    return try body(&self)
  }

  private static let comparisons = ["!=", "<>", "<=", ">=", "=~", "!~", "==", "=", "<", ">", "~"]

  private mutating func test() throws(Problem) -> Expression {
    let left = try sum()
    if takeWord("is") {
      let isNegated = takeWord("not")
      guard takeWord("null") else { throw problem("missing null", "use is null, or is not null") }
      return .call(isNegated ? "is not null" : "is null", [left])
    }
    var ahead = self
    let isNegated = ahead.takeWord("not")
    if ahead.takeWord("in") {
      self = ahead
      var values = [left]
      guard take("(") else { throw problem("missing (", "use in (a, b)") }
      repeat { values.append(try sum()) } while take(",")
      guard take(")") else { throw problem("missing )", "use in (a, b)") }
      return Self.negated(.call("in", values), isNegated)
    }
    if ahead.takeWord("between") {
      self = ahead
      let low = try sum()
      guard takeWord("and") else { throw problem("missing and", "use between A and B") }
      return Self.negated(.call("and", [.call(">=", [left, low]), .call("<=", [left, try sum()])]), isNegated)
    }
    if ahead.takeWord("starts"), ahead.takeWord("with") {
      self = ahead
      return Self.negated(.call("starts with", [left, try sum()]), isNegated)
    }
    skipBlanks()
    for word in Self.comparisons where rest.starts(with: word.unicodeScalars) {
      if word == "==" { throw problem("unknown operator “==”", "use =") }
      rest = rest.dropFirst(word.unicodeScalars.count)
      let right = try sum()
      return word == "!~"
        ? .call("not", [.call("~", [left, right])]) : .call(word == "<>" ? "!=" : word, [left, right])
    }
    return left
  }

  private static func negated(_ expression: Expression, _ isNegated: Bool) -> Expression {
    isNegated ? .call("not", [expression]) : expression
  }

  // MARK: - Arithmetic

  mutating func sum() throws(Problem) -> Expression {
    var result = try product()
    while true {
      skipBlanks()
      if rest.starts(with: "||".unicodeScalars) {
        rest = rest.dropFirst(2)
        result = .call("||", [result, try product()])
      } else if rest.first == "+" || rest.first == "-" {
        let sign = String(rest.removeFirst())
        result = .call(sign, [result, try product()])
      } else {
        return result
      }
    }
  }

  private mutating func product() throws(Problem) -> Expression {
    var result = try unary()
    while true {
      skipBlanks()
      guard let sign = rest.first, "*/%".unicodeScalars.contains(sign) else { return result }
      rest = rest.dropFirst()
      result = .call(String(sign), [result, try unary()])
    }
  }

  private mutating func unary() throws(Problem) -> Expression {
    guard take("-") else { return try primary() }
    let part = try nested { (parser) throws(Problem) in try parser.unary() }
    if case .constant(.number(let literal), let type) = part { return .constant(.number([45] + literal), type) }
    return .call("negate", [part])
  }

  private mutating func primary() throws(Problem) -> Expression {
    var result = try nested { (parser) throws(Problem) in try parser.simple() }
    while true {
      if rest.first == "." {
        rest = rest.dropFirst()
        let member = rest.first == "\"" ? try quoted("\"") : String(takeName(dots: false))
        guard !member.isEmpty else { throw problem("missing member", "use NAME.MEMBER") }
        result = .member(result, member)
      } else if rest.first == "[" {
        rest = rest.dropFirst()
        let digits = rest.prefix { $0 == "-" || $0.properties.numericType == .decimal }
        rest = rest[digits.endIndex...]
        guard let place = Int(String(digits)), place != 0, rest.first == "]" else {
          throw problem("missing position", "use NAME[1] for the first element")
        }
        rest = rest.dropFirst()
        result = .element(result, place)
      } else {
        return result
      }
    }
  }

  private mutating func simple() throws(Problem) -> Expression {
    skipBlanks()
    guard let next = rest.first else { throw problem("missing value", "use a number, 'text', a column or a function") }
    switch next {
    case "(":
      rest = rest.dropFirst()
      let inner = try alternatives()
      guard take(")") else { throw problem("missing )", "close the parenthesis") }
      return inner
    case "'": return .constant(.text(try quoted("'")), .text)
    case "\"": return .column(try quoted("\""))
    case "0"..."9": return try number()
    default: break
    }
    let start = rest, word = takeName(dots: true)
    guard !word.isEmpty else {
      throw problem("unexpected “\(String(next))”", "use a number, 'text', a column or a function")
    }
    let lower = word.lowercased()
    skipBlanks()
    if rest.first == "(" {
      rest = rest.dropFirst()
      return try call(lower, from: start)
    }
    if (lower == "date" || lower == "timestamp"), rest.first == "'" {
      let text = Array(try quoted("'").utf8)
      guard lower == "date" ? Dates.isDate(text) : Dates.isTimestamp(text) else {
        throw problem(
          "invalid \(lower)", lower == "date" ? "use date '2024-01-31'" : "use timestamp '2024-01-31T08:00:00Z'")
      }
      return .constant(.text(text), lower == "date" ? .date : .timestamp)
    }
    switch lower {
    case "true", "false": return .constant(.boolean(lower == "true"), .boolean)
    case "null": return .constant(.null, nil)
    case "case": return try cases()
    default: return .column(word)
    }
  }

  private mutating func number() throws(Problem) -> Expression {
    let start = rest
    func digits() { rest = rest.drop { $0.value &- 48 < 10 } }
    digits()
    if rest.first == ".", let next = rest.dropFirst().first, next.value &- 48 < 10 {
      rest = rest.dropFirst()
      digits()
    }
    if rest.first == "e" || rest.first == "E" {
      var ahead = rest.dropFirst()
      if ahead.first == "-" || ahead.first == "+" { ahead = ahead.dropFirst() }
      if let next = ahead.first, next.value &- 48 < 10 {
        rest = ahead
        digits()
      }
    }
    let literal = Array(String(start[..<rest.startIndex]).utf8)
    if literal.count > 1, literal[0] == 48, literal[1] &- 48 < 10 {
      throw problem("invalid number", "quote text as '…'")
    }
    let isInteger = literal.allSatisfy { $0 &- 48 < 10 } && literal.count < 19
    return .constant(.number(literal), isInteger ? .integer : .decimal)
  }

  private mutating func call(_ name: String, from start: Substring.UnicodeScalarView) throws(Problem) -> Expression {
    if name == "cast" || name == "try_cast" {
      let value = try alternatives()
      guard takeWord("as") else { throw problem("missing as", "use \(name)(VALUE as TYPE)") }
      skipBlanks()
      let word = String(rest.prefix { $0 == "-" || Self.isPartOfName($0) })
      guard let type = ColumnType(alias: word) else {
        let names = ColumnType.allCases.map(\.name)
        throw problem("unknown type “\(word)”", .choose(word, from: names, "available types"))
      }
      rest = rest.dropFirst(word.unicodeScalars.count)
      guard take(")") else { throw problem("missing )", "use \(name)(VALUE as TYPE)") }
      return .cast(value, type, strict: name == "cast")
    }
    var parts: [Expression] = []
    if !take(")") {
      repeat { parts.append(try alternatives()) } while take(",")
      guard take(")") else { throw problem("missing ) after the arguments of \(name)", "close the parenthesis") }
    }
    guard let function = ExpressionFunction.all[name] else {
      rest = start
      let names = ExpressionFunction.names
      throw problem("unknown function “\(name)”", .choose(name, from: names, "available functions"))
    }
    guard function.count.contains(parts.count) else {
      rest = start
      throw problem("\(name) has the wrong number of arguments", "use \(function.usage)")
    }
    return .call(name, parts)
  }

  /// `case when A then B … else C end`, `case X when A then B … end`.
  private mutating func cases() throws(Problem) -> Expression {
    var value: Expression?
    if !peeks("when") { value = try alternatives() }
    var parts: [Expression] = []
    while takeWord("when") {
      let condition = try alternatives()
      guard takeWord("then") else { throw problem("missing then", "use case when A then B else C end") }
      parts.append(value.map { .call("=", [$0, condition]) } ?? condition)
      parts.append(try alternatives())
    }
    guard !parts.isEmpty else { throw problem("missing when", "use case when A then B else C end") }
    if takeWord("else") { parts.append(try alternatives()) }
    guard takeWord("end") else { throw problem("missing end", "use case when A then B else C end") }
    return .call("case", parts)
  }

  // MARK: - Words

  private mutating func skipBlanks() { rest = rest.drop { $0.properties.isWhitespace } }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard rest.first == mark else { return false }
    rest = rest.dropFirst()
    return true
  }

  private func peeks(_ word: String) -> Bool {
    var ahead = self
    return ahead.takeWord(word)
  }

  private mutating func takeWord(_ word: String) -> Bool {
    skipBlanks()
    let next = rest.prefix(while: Self.isPartOfName)
    guard String(next).lowercased() == word else { return false }
    rest = rest[next.endIndex...]
    return true
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isAlphabetic || properties.numericType != nil || scalar == "_"
      || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  /// A name without quotes; with dots, `user.name` is one: whether it is a column or a member the schema says.
  private mutating func takeName(dots: Bool) -> String {
    let name = rest.prefix { Self.isPartOfName($0) || dots && $0 == "." }
    rest = rest[name.endIndex...]
    return String(name)
  }
  private mutating func name() -> String { takeName(dots: true) }

  mutating func quoted(_ quote: Unicode.Scalar) throws(Problem) -> String {
    let start = rest
    rest = rest.dropFirst()
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
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
