import Codecs
import Rows

/// Scans expressions, conditions, assignments and aggregates by scalars, so that a combining mark after a quote does
/// not hide the quote.
struct ExpressionParser {
  enum Kind: String {
    case expression, condition, aggregate
  }
  private let text: String
  private let kind: Kind
  var rest: Substring.UnicodeScalarView
  private var depth = 0
  /// Whether the right side of a comparison is a value of the type of the left side, which needs no quotes.
  private var takesValues: Bool
  /// The parentheses that are open, and whether a value without quotes ended at `and` or `or`: perhaps these belong to
  /// it.
  private var parentheses = 0, cutValue = false
  /// The operators so far, each of which may be a level of the tree.
  private var operators = 0
  private static let deepest = 100, longest = 64 << 10, mostOperators = 1000

  init(_ text: String, as kind: Kind = .expression) throws(Problem) {
    (self.text, self.kind, takesValues, rest) = (text, kind, kind == .condition, text[...].unicodeScalars)
    if text.utf8.count > Self.longest { throw problem("longer than 64 KiB", "shorten it") }
  }

  func problem(_ message: String, _ hint: Remedy) -> Problem {
    let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    let shown = text.utf8.count > 200 ? "\(text.prefix(100))…" : text
    return Problem(.usage, "invalid \(kind.rawValue) “\(shown)”: \(message) at character \(column)", hint: hint)
  }

  mutating func whole() throws(Problem) -> Expression {
    let expression = try alternatives()
    try end()
    return expression
  }

  /// Whether it is the call of a known function, and nothing else.
  var isCalculation: Bool {
    var parser = self
    switch try? parser.whole() {
    case .call(let name, _): return ExpressionFunction.isKnown(name)
    case .column(let name): return name.hasPrefix(Conditions.mark)
    default: return false
    }
  }

  /// `NAME = EXPRESSION`, several separated by commas.
  mutating func assignments() throws(Problem) -> [Assigned] {
    var list: [Assigned] = []
    repeat {
      let name = try column("use NAME = EXPRESSION")
      guard take("="), rest.first != "=" else { throw problem("missing =", "use NAME = EXPRESSION") }
      list.append(Assigned(name, try alternatives()))
    } while take(",")
    try end()
    return list
  }

  private mutating func end() throws(Problem) {
    skipBlanks()
    guard let next = rest.first else { return }
    if next == ")" { throw problem("unexpected )", cutValue ? Self.quoteValue : "remove it, or add (") }
    let hint: Remedy =
      switch (next, kind) {
      case ("&", _): "use and"
      case ("?", _): "use if(CONDITION, A, B)"
      case ("|", _): "use or"
      case (":", _) where rest.dropFirst().first == ":": "use cast(VALUE as TYPE)"
      case (_, .condition): "join conditions with and or or; quote a value that contains quotes: 'it''s'"
      default: "quote text as 'text'"
      }
    throw problem("unexpected text after the \(kind.rawValue)", hint)
  }
  private static let quoteValue: Remedy = "quote the value"
  private static let example: Remedy = "use COLUMN OP VALUE, for example 'season = 1'"

  /// Reads something that conditions do not change: arguments, calculations.
  private mutating func calculated<Result>(
    _ read: (inout ExpressionParser) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let known = takesValues
    takesValues = false
    defer { takesValues = known }
    return try read(&self)
  }

  private mutating func nested(
    _ read: (inout ExpressionParser) throws(Problem) -> Expression
  ) throws(Problem) -> Expression {
    guard depth < Self.deepest else { throw problem("too many parentheses", "use at most \(Self.deepest)") }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func countOperator() throws(Problem) {
    operators += 1
    guard operators <= Self.mostOperators else {
      throw problem("more than \(Self.mostOperators) operators", "calculate it in several steps")
    }
  }

  // MARK: - Connectives

  mutating func alternatives() throws(Problem) -> Expression {
    try joined(by: "or") { (parser) throws(Problem) in
      try parser.joined(by: "and") { (parser) throws(Problem) in try parser.negation() }
    }
  }

  private mutating func joined(
    by word: String, _ part: (inout ExpressionParser) throws(Problem) -> Expression
  ) throws(Problem) -> Expression {
    var parts = [try part(&self)]
    while takeWords(word) { parts.append(try part(&self)) }
    return parts.count == 1 ? parts[0] : .call(word, parts)
  }

  private mutating func negation() throws(Problem) -> Expression {
    var ahead = self
    guard ahead.takeWords("not") else { return try test() }
    ahead.skipBlanks()
    // The name of a column precedes an operator.
    guard let next = ahead.rest.first, !"=<>!~".unicodeScalars.contains(next) else { return try test() }
    self = ahead
    return .call("not", [try nested { (parser) throws(Problem) in try parser.negation() }])
  }

  private mutating func test() throws(Problem) -> Expression {
    // Text after a value without quotes may have been meant as a part of it.
    let afterCut = cutValue, start = self
    guard takesValues else {
      let left = try sum()
      return try comparison().map { (found) throws(Problem) in try compared(left, found) } ?? left
    }
    do throws(Problem) {
      let left = Expression.column(try column(Self.example))
      guard let found = try comparison() else { throw missingOperator }
      return try compared(left, found)
    } catch {
      let reached = rest.startIndex
      // What has an operator is a comparison of a column.
      if start.isPlain { throw error }
      self = start
      do throws(Problem) {
        let left = try sum()
        if let found = try comparison() { return try compared(left, found) }
        skipBlanks()
        guard rest.isEmpty || rest.first == ")" || peeks("and") || peeks("or") else { throw missingOperator }
        if afterCut, case .column = left { throw error }
        return left
      } catch let other {
        if !afterCut { throw rest.startIndex > reached || start.isCall ? other : error }
        var problem = error
        problem.hint = Self.quoteValue
        throw problem
      }
    }
  }

  /// Whether a column and an operator follow.
  private var isPlain: Bool {
    var ahead = self
    guard (try? ahead.column("")) != nil else { return false }
    return (try? ahead.comparison()) != nil
  }

  /// Whether a parenthesis follows, or a name and a parenthesis, as in the call of a function.
  private var isCall: Bool {
    var ahead = self
    ahead.skipBlanks()
    _ = ahead.takeName()
    return ahead.rest.first == "("
  }

  // MARK: - Comparisons

  private var missingOperator: Problem {
    problem(
      "missing operator",
      "valid operators: =  !=  <  <=  >  >=  ~  !~  =~  in  between  starts with  is null  is not null")
  }
  // The longer ones first, so that `<=` is not read as `<`.
  private static let comparisons = ["!=", "<=", ">=", "!~", "=~", "=", "<", ">", "~"]

  /// The spellings of other languages, and their equivalents here.
  private static let foreign: KeyValuePairs<String, String> = [
    "==": "=", "<>": "!=", "like": "~ or starts with", "ilike": "~ or starts with", "contains": "~", "matches": "=~",
    "regexp": "=~", "rlike": "=~", "begins with": "starts with", "startswith": "starts with", "equals": "=",
    "is": "=, is null or is not null", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
  ]

  /// An operator between two values or after one; nil if there is none.
  private mutating func comparison() throws(Problem) -> (isNegated: Bool, word: String)? {
    skipBlanks()
    for word in ["is not null", "is null"] where takeWords(word) { return (false, word) }
    for word in ["in", "between", "starts with"] {
      if takeWords(word) { return (false, word) }
      if takeWords("not " + word) { return (true, word) }
    }
    let ahead = String(rest.prefix(12)).lowercased()
    for (word, ours) in Self.foreign where ahead.hasPrefix(word) {
      guard word.first?.isLetter != true || ahead.dropFirst(word.count).first?.isLetter != true else { continue }
      throw problem("unknown operator “\(word)”", "use \(ours)")
    }
    for word in Self.comparisons where rest.starts(with: word.unicodeScalars) {
      rest = rest.dropFirst(word.unicodeScalars.count)
      return (false, word)
    }
    return nil
  }

  private mutating func compared(
    _ left: Expression, _ comparison: (isNegated: Bool, word: String)
  ) throws(Problem) -> Expression {
    let word = comparison.word, result: Expression
    switch word {
    case "is null", "is not null": result = .call(word, [left])
    case "between":
      let low = try side(of: ">=", isLast: false)
      guard takeWords("and") else { throw problem("missing and", "use between A and B") }
      result = .call("and", [.call(">=", [left, low]), .call("<=", [left, try side(of: "<=")])])
    case "in":
      guard take("(") else { throw problem("missing (", "use in (a,b)") }
      var values = [left]
      repeat { values.append(try side(of: word)) } while take(",")
      guard take(")") else { throw problem("missing , or )", "use in (a,b)") }
      result = .call(word, values)
    default: result = .call(word, [left, try side(of: word)])
    }
    return comparison.isNegated ? .call("not", [result]) : result
  }

  /// The right side of an operator: in conditions a value, unless it begins with a parenthesis, with a column in quotes
  /// or with the call of a function.
  private mutating func side(of word: String, isLast: Bool = true) throws(Problem) -> Expression {
    skipBlanks()
    if takesValues {
      var ahead = self
      let name = ahead.takeName(dots: false)
      let isCall = ahead.rest.first == "(" && ExpressionFunction.isKnown(name.lowercased())
      if rest.first == "'" { return .value(try quoted("'"), isQuoted: true) }
      if rest.first == "\"", Condition.Operator(rawValue: word)?.isOrdering == false {
        throw problem("expected a value, found a column", "quote a value as '…'; \"…\" is a column")
      }
      guard isCall || rest.first == "(" || rest.first == "\"" else {
        return .value(try word == "in" ? element() : value(isLast: isLast), isQuoted: false)
      }
    }
    return try calculated { (parser) throws(Problem) in try parser.sum() }
  }

  /// A value without quotes, up to the end, or one word up to a connective or a parenthesis.
  private mutating func value(isLast: Bool) throws(Problem) -> String {
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

  /// A value without quotes in a list.
  private mutating func element() throws(Problem) -> String {
    var value = rest.prefix { $0 != "," && $0 != ")" }
    rest = rest[value.endIndex...]
    while value.last == " " { value = value.dropLast() }
    guard !value.isEmpty else { throw problem("missing value", "use in (a,b)") }
    try refuseConnective(in: value)
    return String(value)
  }

  /// Refuses what joins conditions in other languages.
  private func refuseConnective(in value: Substring.UnicodeScalarView) throws(Problem) {
    for word in ["&&", "||"] where String(value).contains(word) {
      throw problem("“\(word)” in a value without quotes", "use \(word == "&&" ? "and" : "or"), or quote the value")
    }
  }

  // MARK: - Arithmetic

  private mutating func sum() throws(Problem) -> Expression {
    try chain(["||", "+", "-"]) { (parser) throws(Problem) in
      try parser.chain(["*", "/", "%"]) { (parser) throws(Problem) in try parser.unary() }
    }
  }

  private mutating func chain(
    _ signs: [String], _ part: (inout ExpressionParser) throws(Problem) -> Expression
  ) throws(Problem) -> Expression {
    var result = try part(&self)
    while true {
      skipBlanks()
      guard let sign = signs.first(where: { rest.starts(with: $0.unicodeScalars) }) else { return result }
      try countOperator()
      rest = rest.dropFirst(sign.unicodeScalars.count)
      result = .call(sign, [result, try part(&self)])
    }
  }

  private mutating func unary() throws(Problem) -> Expression {
    skipBlanks()
    guard rest.first == "-" else { return try primary() }
    let part = try nested { (parser) throws(Problem) in
      parser.rest = parser.rest.dropFirst()
      return try parser.unary()
    }
    if case .constant(.number(let literal), let type) = part { return .constant(.number([45] + literal), type) }
    return .call("negate", [part])
  }

  private mutating func primary() throws(Problem) -> Expression {
    var result = try simple()
    while true {
      if rest.first == "." || rest.first == "[" { try countOperator() }
      if rest.first == "." {
        rest = rest.dropFirst()
        let member = rest.first == "\"" ? try quoted("\"") : takeName(dots: false)
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
      return try nested { (parser) throws(Problem) in
        parser.rest = parser.rest.dropFirst()
        parser.parentheses += 1
        let inner = try parser.alternatives()
        guard parser.take(")") else { throw parser.problem("missing )", "close the parenthesis") }
        parser.parentheses -= 1
        return inner
      }
    case "'": return .constant(.text(try quoted("'")), .text)
    case "\"": return .column(try quoted("\""))
    case "0"..."9": return try number()
    default: break
    }
    let start = rest, word = takeName()
    guard !word.isEmpty else {
      let hint: Remedy =
        switch next {
        case "*": "use A * A for a power, or count for the number of rows"
        case "/": "use floor(A / B)"
        default: "use a number, 'text', a column or a function"
        }
      throw problem("unexpected “\(String(next))”", hint)
    }
    let lower = word.lowercased()
    skipBlanks()
    if rest.first == "(" {
      return try nested { (parser) throws(Problem) in
        try parser.calculated { (parser) throws(Problem) in
          parser.rest = parser.rest.dropFirst()
          return try parser.call(lower, from: start)
        }
      }
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
    case "case":
      return try nested { (parser) throws(Problem) in
        try parser.calculated { (parser) throws(Problem) in try parser.cases() }
      }
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
    guard ExactNumber(literal: literal) != nil else {
      throw problem("a number of more than \(ExactNumber.mostDigits) digits", "use fewer digits")
    }
    let isInteger = literal.allSatisfy { $0 &- 48 < 10 } && literal.count < 19
    return .constant(.number(literal), isInteger ? .integer : .decimal)
  }

  private mutating func call(_ name: String, from start: Substring.UnicodeScalarView) throws(Problem) -> Expression {
    if name == "cast" || name == "try_cast" {
      let value = try alternatives()
      guard takeWords("as") else { throw problem("missing as", "use \(name)(VALUE as TYPE)") }
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
      if Aggregate.Function(rawValue: name) != nil {
        let call = name == "count" ? name : "\(name)(COLUMN)"
        throw problem(
          "\(name) is about groups of rows",
          .set(.aggregates, to: call).or(.advice("name its column in conditions on groups: \"\(call)\"")))
      }
      let names = ExpressionFunction.names
      let other =
        name == "isnull" && parts.count == 1
        ? "use VALUE is null" : Self.otherNames[name].map { Remedy.advice("did you mean \($0)?") }
      throw problem("unknown function “\(name)”", other ?? .choose(name, from: names, "available functions"))
    }
    guard function.count.contains(parts.count) else {
      rest = start
      throw problem("\(name) has the wrong number of arguments", "use \(function.usage)")
    }
    return name == "filename" ? .column(FileNamedRows.column) : .call(name, parts)
  }

  /// Names of functions elsewhere, and their names here.
  private static let otherNames = [
    "ceiling": "ceil", "char_length": "length", "character_length": "length", "strlen": "length", "ifnull": "coalesce",
    "nvl": "coalesce", "isnull": "coalesce", "substring": "substr", "mid": "substr", "ucase": "upper",
    "lcase": "lower", "pow": "*", "instr": "~", "iif": "if", "to_date": "strptime", "date_format": "strftime",
    "date_part": "year", "dayofweek": "weekday", "list_length": "len", "array_length": "len", "current_date": "today",
  ]

  /// `case when A then B … else C end`, `case X when A then B … end`.
  private mutating func cases() throws(Problem) -> Expression {
    var value: Expression?
    if !peeks("when") { value = try alternatives() }
    var parts: [Expression] = []
    while takeWords("when") {
      let condition = try alternatives()
      guard takeWords("then") else { throw problem("missing then", "use case when A then B else C end") }
      parts.append(value.map { .call("=", [$0, condition]) } ?? condition)
      parts.append(try alternatives())
    }
    guard !parts.isEmpty else { throw problem("missing when", "use case when A then B else C end") }
    if takeWords("else") { parts.append(try alternatives()) }
    guard takeWords("end") else { throw problem("missing end", "use case when A then B else C end") }
    return .call("case", parts)
  }

  // MARK: - Words

  mutating func skipBlanks() {
    rest = rest.drop { takesValues ? $0 == " " || $0 == "\t" : $0.properties.isWhitespace }
  }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard rest.first == mark else { return false }
    rest = rest.dropFirst()
    return true
  }

  func peeks(_ word: String) -> Bool {
    var ahead = self
    return ahead.takeWords(word)
  }

  /// Skips words, in any case and with blanks between them; false if they are not there.
  mutating func takeWords(_ words: String) -> Bool {
    var ahead = self
    for word in words.split(at: " ") {
      ahead.skipBlanks()
      guard ahead.takeName().lowercased() == word else { return false }
    }
    self = ahead
    return true
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isAlphabetic || properties.numericType != nil || scalar == "_"
      || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  /// A name without quotes; with dots, `user.name` is one: whether it is a column or a member the schema says.
  mutating func takeName(dots: Bool = true) -> String {
    let name = rest.prefix { Self.isPartOfName($0) || dots && $0 == "." }
    rest = rest[name.endIndex...]
    return String(name)
  }

  private mutating func column(_ hint: Remedy) throws(Problem) -> String {
    skipBlanks()
    if rest.first == "\"" { return try quoted("\"") }
    let name = takeName()
    if name.isEmpty { throw problem("missing column", hint) }
    return name
  }

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

// MARK: - Aggregates
