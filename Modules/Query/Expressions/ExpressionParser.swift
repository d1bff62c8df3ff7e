import Codecs
import Rows

/// Parses expressions, conditions, assignments and aggregates.
struct ExpressionParser {
  enum Kind: String {
    case expression, condition, aggregate
  }
  private let kind: Kind
  var scan: ExpressionScanner
  private var depth = 0
  /// The parentheses that are open, and whether a value without quotes ended at `and` or `or`: perhaps these belong to
  /// it.
  private var parentheses = 0, cutValue = false
  /// The operators so far, each of which may be a level of the tree.
  private var operators = 0
  private static let deepest = 100, longest = 64 << 10, mostOperators = 1000

  init(_ text: String, as kind: Kind = .expression) throws(Problem) {
    self.kind = kind
    scan = ExpressionScanner(text, kind.rawValue, takesValues: kind == .condition)
    if text.utf8.count > Self.longest { throw scan.problem("longer than 64 KiB", "shorten it") }
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
      let name = try scan.column("use NAME = EXPRESSION")
      guard scan.take("="), scan.rest.first != "=" else { throw scan.problem("missing =", "use NAME = EXPRESSION") }
      list.append(Assigned(name, try alternatives()))
    } while scan.take(",")
    try end()
    return list
  }

  private mutating func end() throws(Problem) {
    scan.skipBlanks()
    guard let next = scan.rest.first else { return }
    if next == ")" { throw scan.problem("unexpected )", cutValue ? Self.quoteValue : "remove it, or add (") }
    let hint: Remedy =
      switch (next, kind) {
      case ("&", _): "use and"
      case ("?", _): "use if(CONDITION, A, B)"
      case ("|", _): "use or"
      case (":", _) where scan.rest.dropFirst().first == ":": "use cast(VALUE as TYPE)"
      case (_, .condition): "join conditions with and or or; quote a value that contains quotes: 'it''s'"
      default: "use an operator, such as + - * / ||, or quote text as 'text'"
      }
    throw scan.problem("unexpected text after the \(kind.rawValue)", hint)
  }
  private static let quoteValue: Remedy = "quote the value"
  private static let example: Remedy = "use COLUMN OP VALUE, for example 'season = 1'"

  /// Reads something that conditions do not change: arguments, calculations.
  private mutating func calculated<Result>(
    _ read: (inout ExpressionParser) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let known = scan.takesValues
    scan.takesValues = false
    defer { scan.takesValues = known }
    return try read(&self)
  }

  private mutating func nested(
    _ read: (inout ExpressionParser) throws(Problem) -> Expression
  ) throws(Problem) -> Expression {
    guard depth < Self.deepest else { throw scan.problem("too many parentheses", "use at most \(Self.deepest)") }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func countOperator() throws(Problem) {
    operators += 1
    guard operators <= Self.mostOperators else {
      throw scan.problem("more than \(Self.mostOperators) operators", "calculate it in several steps")
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
    while scan.takeWords(word) { parts.append(try part(&self)) }
    return parts.count == 1 ? parts[0] : .call(word, parts)
  }

  private mutating func negation() throws(Problem) -> Expression {
    var ahead = self
    guard ahead.scan.takeWords("not") else { return try test() }
    ahead.scan.skipBlanks()
    // The name of a column precedes an operator.
    guard let next = ahead.scan.rest.first, !"=<>!~".unicodeScalars.contains(next) else { return try test() }
    self = ahead
    return .call("not", [try nested { (parser) throws(Problem) in try parser.negation() }])
  }

  private mutating func test() throws(Problem) -> Expression {
    // Text after a value without quotes may have been meant as a part of it.
    let afterCut = cutValue, start = self
    guard scan.takesValues else {
      let left = try sum()
      return try comparison().map { (found) throws(Problem) in try compared(left, found) } ?? left
    }
    do throws(Problem) {
      let left = Expression.column(try scan.column(Self.example))
      guard let found = try comparison() else { throw missingOperator }
      return try compared(left, found)
    } catch {
      let reached = scan.rest.startIndex
      // What has an operator is a comparison of a column.
      if start.isPlain { throw error }
      self = start
      do throws(Problem) {
        let left = try sum()
        if let found = try comparison() { return try compared(left, found) }
        scan.skipBlanks()
        guard scan.rest.isEmpty || scan.rest.first == ")" || scan.peeks("and") || scan.peeks("or") else {
          throw missingOperator
        }
        if afterCut, case .column = left { throw error }
        return left
      } catch let other {
        if !afterCut { throw scan.rest.startIndex > reached || start.isCall ? other : error }
        var problem = error
        problem.hint = Self.quoteValue
        throw problem
      }
    }
  }

  /// Whether a column and an operator follow.
  private var isPlain: Bool {
    var ahead = self
    guard (try? ahead.scan.column("")) != nil else { return false }
    return (try? ahead.comparison()) != nil
  }

  /// Whether a parenthesis follows, or a name and a parenthesis, as in the call of a function.
  private var isCall: Bool {
    var ahead = self
    ahead.scan.skipBlanks()
    _ = ahead.scan.takeName()
    return ahead.scan.rest.first == "("
  }

  // MARK: - Comparisons

  private var missingOperator: Problem {
    scan.problem(
      "missing operator",
      "valid operators: =  !=  <  <=  >  >=  ~  !~  =~  in  between  starts with  is null  is not null")
  }
  // The longer ones first, so that `<=` is not read as `<`.
  private static let comparisons = ["!=", "<=", ">=", "!~", "=~", "=", "<", ">", "~"]

  /// The spellings of other languages, and their equivalents here.
  private static let foreign: KeyValuePairs<String, String> = [
    "==": "=", "<>": "!=", "=>": ">=", "=<": "<=", "endswith": "=~ 'TEXT$'", "ends with": "=~ 'TEXT$'",
    "like": "~ or starts with", "ilike": "~ or starts with", "contains": "~", "matches": "=~",
    "regexp": "=~", "rlike": "=~", "begins with": "starts with", "startswith": "starts with", "equals": "=",
    "is": "=, is null or is not null", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
  ]

  /// An operator between two values or after one; nil if there is none.
  private mutating func comparison() throws(Problem) -> (isNegated: Bool, word: String)? {
    scan.skipBlanks()
    for word in ["is not null", "is null"] where scan.takeWords(word) { return (false, word) }
    for word in ["in", "between", "starts with"] {
      if scan.takeWords(word) { return (false, word) }
      if scan.takeWords("not " + word) { return (true, word) }
    }
    let ahead = String(scan.rest.prefix(12)).lowercased()
    for (word, ours) in Self.foreign where ahead.hasPrefix(word) {
      let isWord = word.first?.isLetter == true, next = ahead.dropFirst(word.count).first
      // A value may begin with > or <.
      guard isWord ? next?.isLetter != true : !["=>", "=<"].contains(word) || next == " " else { continue }
      throw scan.problem("unknown operator “\(word)”", "use \(ours)")
    }
    for word in Self.comparisons where scan.rest.starts(with: word.unicodeScalars) {
      scan.rest = scan.rest.dropFirst(word.unicodeScalars.count)
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
      guard scan.takeWords("and") else { throw scan.problem("missing and", "use between A and B") }
      result = .call("and", [.call(">=", [left, low]), .call("<=", [left, try side(of: "<=")])])
    case "in":
      guard scan.take("(") else { throw scan.problem("missing (", "use in (a,b)") }
      var values = [left]
      repeat { values.append(try side(of: word)) } while scan.take(",")
      guard scan.take(")") else { throw scan.problem("missing , or )", "use in (a,b)") }
      result = .call(word, values)
    default: result = .call(word, [left, try side(of: word)])
    }
    return comparison.isNegated ? .call("not", [result]) : result
  }

  /// The right side of an operator: in conditions a value, unless it begins with a parenthesis, with a column in quotes
  /// or with the call of a function.
  private mutating func side(of word: String, isLast: Bool = true) throws(Problem) -> Expression {
    scan.skipBlanks()
    if scan.takesValues {
      var ahead = self
      let name = ahead.scan.takeName(dots: false)
      let isCall = ahead.scan.rest.first == "(" && ExpressionFunction.isKnown(name.lowercased())
      if scan.rest.first == "'" { return .value(try scan.quoted("'"), isQuoted: true) }
      if scan.rest.first == "\"", Condition.Operator(rawValue: word)?.isOrdering == false {
        throw scan.problem("expected a value, found a column", "quote a value as '…'; \"…\" is a column")
      }
      guard isCall || scan.rest.first == "(" || scan.rest.first == "\"" else {
        return .value(try word == "in" ? element() : value(isLast: isLast), isQuoted: false)
      }
    }
    return try calculated { (parser) throws(Problem) in try parser.sum() }
  }

  /// A value without quotes, up to the end, or one word up to a connective or a parenthesis.
  private mutating func value(isLast: Bool) throws(Problem) -> String {
    let start = scan.rest
    var end = scan.rest.startIndex, words = 0
    scan: while true {
      let here = scan.rest
      scan.skipBlanks()
      let word = scan.rest.prefix { $0 != " " && $0 != "\t" && $0 != "(" && $0 != ")" }
      switch scan.rest.first {
      case nil: break scan
      case "(": throw scan.problem("parenthesis in a value without quotes", Self.quoteValue)
      case ")":
        if parentheses == 0 { throw scan.problem("unexpected )", Self.quoteValue) }
        break scan
      default: break
      }
      if words > 0, ["and", "or"].contains(String(word).lowercased()) {
        if words > 1 { throw scan.problem("“\(String(word))” in a value without quotes", Self.quoteValue) }
        scan.rest = here
        cutValue = true
        break scan
      }
      try refuseConnective(in: word)
      words += 1
      end = word.endIndex
      scan.rest = scan.rest[end...]
      if !isLast { break scan }
      // What other languages write between conditions, before another one.
      if let mark = word.last, mark == "," || word.count == 1 && "&|".unicodeScalars.contains(mark), isPlain {
        throw scan.problem("“\(mark)” before a condition", "use \(mark == "|" ? "or" : "and"), or quote the value")
      }
    }
    guard words > 0 else { throw scan.problem("missing value", "use '' for an empty string") }
    return String(start[..<end])
  }

  /// A value without quotes in a list.
  private mutating func element() throws(Problem) -> String {
    var value = scan.rest.prefix { $0 != "," && $0 != ")" }
    scan.rest = scan.rest[value.endIndex...]
    while value.last == " " { value = value.dropLast() }
    guard !value.isEmpty else { throw scan.problem("missing value", "use in (a,b)") }
    try refuseConnective(in: value)
    return String(value)
  }

  /// Refuses what joins conditions in other languages.
  private func refuseConnective(in value: Substring.UnicodeScalarView) throws(Problem) {
    for word in ["&&", "||"] where String(value).contains(word) {
      throw scan.problem(
        "“\(word)” in a value without quotes", "use \(word == "&&" ? "and" : "or"), or quote the value")
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
      scan.skipBlanks()
      guard let sign = signs.first(where: { scan.rest.starts(with: $0.unicodeScalars) }) else { return result }
      try countOperator()
      scan.rest = scan.rest.dropFirst(sign.unicodeScalars.count)
      result = .call(sign, [result, try part(&self)])
    }
  }

  private mutating func unary() throws(Problem) -> Expression {
    scan.skipBlanks()
    guard scan.rest.first == "-" else { return try primary() }
    let part = try nested { (parser) throws(Problem) in
      parser.scan.rest = parser.scan.rest.dropFirst()
      return try parser.unary()
    }
    if case .constant(.number(let literal), let type) = part { return .constant(.number([45] + literal), type) }
    return .call("negate", [part])
  }

  private mutating func primary() throws(Problem) -> Expression {
    var result = try simple()
    while true {
      if scan.rest.first == "." || scan.rest.first == "[" { try countOperator() }
      if scan.rest.first == "." {
        scan.rest = scan.rest.dropFirst()
        let member = scan.rest.first == "\"" ? try scan.quoted("\"") : scan.takeName(dots: false)
        guard !member.isEmpty else { throw scan.problem("missing member", "use NAME.MEMBER") }
        result = .member(result, member)
      } else if scan.rest.first == "[" {
        scan.rest = scan.rest.dropFirst()
        let digits = scan.rest.prefix { $0 == "-" || $0.properties.numericType == .decimal }
        scan.rest = scan.rest[digits.endIndex...]
        guard let place = Int(String(digits)), place != 0, scan.rest.first == "]" else {
          throw scan.problem("missing position", "use NAME[1] for the first element")
        }
        scan.rest = scan.rest.dropFirst()
        result = .element(result, place)
      } else {
        return result
      }
    }
  }

  private mutating func simple() throws(Problem) -> Expression {
    scan.skipBlanks()
    guard let next = scan.rest.first else {
      throw scan.problem("missing value", "use a number, 'text', a column or a function")
    }
    switch next {
    case "(":
      return try nested { (parser) throws(Problem) in
        parser.scan.rest = parser.scan.rest.dropFirst()
        parser.parentheses += 1
        let inner = try parser.alternatives()
        guard parser.scan.take(")") else { throw parser.scan.problem("missing )", "close the parenthesis") }
        parser.parentheses -= 1
        return inner
      }
    case "'": return .constant(.text(try scan.quoted("'")), .text)
    case "\"": return .column(try scan.quoted("\""))
    case "0"..."9": return try number()
    default: break
    }
    let start = scan.rest, word = scan.takeName()
    guard !word.isEmpty else {
      let hint: Remedy =
        switch next {
        case "*": "use A * A for a power, or count for the number of rows"
        case "/": "use floor(A / B)"
        default: "use a number, 'text', a column or a function"
        }
      throw scan.problem("unexpected “\(String(next))”", hint)
    }
    let lower = word.lowercased()
    scan.skipBlanks()
    if scan.rest.first == "(" {
      return try nested { (parser) throws(Problem) in
        try parser.calculated { (parser) throws(Problem) in
          parser.scan.rest = parser.scan.rest.dropFirst()
          return try parser.call(lower, from: start)
        }
      }
    }
    if (lower == "date" || lower == "timestamp"), scan.rest.first == "'" {
      let text = Array(try scan.quoted("'").utf8)
      guard lower == "date" ? Dates.isDate(text) : Dates.isTimestamp(text) else {
        throw scan.problem(
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
    let start = scan.rest
    func digits() { scan.rest = scan.rest.drop { $0.value &- 48 < 10 } }
    digits()
    if scan.rest.first == ".", let next = scan.rest.dropFirst().first, next.value &- 48 < 10 {
      scan.rest = scan.rest.dropFirst()
      digits()
    }
    if scan.rest.first == "e" || scan.rest.first == "E" {
      var ahead = scan.rest.dropFirst()
      if ahead.first == "-" || ahead.first == "+" { ahead = ahead.dropFirst() }
      if let next = ahead.first, next.value &- 48 < 10 {
        scan.rest = ahead
        digits()
      }
    }
    let literal = Array(String(start[..<scan.rest.startIndex]).utf8)
    if literal.count > 1, literal[0] == 48, literal[1] &- 48 < 10 {
      throw scan.problem("invalid number", "quote text as '…'")
    }
    guard ExactNumber(literal: literal) != nil else {
      throw scan.problem("a number of more than \(ExactNumber.mostDigits) digits", "use fewer digits")
    }
    let isInteger = literal.allSatisfy { $0 &- 48 < 10 } && literal.count < 19
    return .constant(.number(literal), isInteger ? .integer : .decimal)
  }

  private mutating func call(_ name: String, from start: Substring.UnicodeScalarView) throws(Problem) -> Expression {
    if name == "cast" || name == "try_cast" {
      let value = try alternatives()
      guard scan.takeWords("as") else { throw scan.problem("missing as", "use \(name)(VALUE as TYPE)") }
      scan.skipBlanks()
      let word = String(scan.rest.prefix { $0 == "-" || ExpressionScanner.isPartOfName($0) })
      guard let type = ColumnType(alias: word) else {
        let names = ColumnType.allCases.map(\.name)
        throw scan.problem("unknown type “\(word)”", .choose(word, from: names, "available types"))
      }
      scan.rest = scan.rest.dropFirst(word.unicodeScalars.count)
      guard scan.take(")") else { throw scan.problem("missing )", "use \(name)(VALUE as TYPE)") }
      return .cast(value, type, strict: name == "cast")
    }
    var parts: [Expression] = []
    if !scan.take(")") {
      repeat { parts.append(try alternatives()) } while scan.take(",")
      guard scan.take(")") else {
        throw scan.problem("missing ) after the arguments of \(name)", "close the parenthesis")
      }
    }
    guard let function = ExpressionFunction.all[name] else {
      scan.rest = start
      if Aggregate.Function(rawValue: name) != nil {
        let call = name == "count" ? name : "\(name)(COLUMN)"
        throw scan.problem(
          "\(name) is about groups of rows",
          .set(.aggregates, to: call).or(.advice("name its column in conditions on groups: \"\(call)\"")))
      }
      let names = ExpressionFunction.names
      let other =
        name == "isnull" && parts.count == 1
        ? "use VALUE is null" : Self.otherNames[name].map { Remedy.advice("did you mean \($0)?") }
      throw scan.problem("unknown function “\(name)”", other ?? .choose(name, from: names, "available functions"))
    }
    guard function.count.contains(parts.count) else {
      scan.rest = start
      throw scan.problem("\(name) has the wrong number of arguments", "use \(function.usage)")
    }
    return name == "filename" ? .column(FileNamedRows.column) : .call(name, parts)
  }

  /// Names of functions elsewhere, and their names here.
  private static let otherNames = [
    "ceiling": "ceil", "char_length": "length", "character_length": "length", "strlen": "length", "ifnull": "coalesce",
    "nvl": "coalesce", "isnull": "coalesce", "substring": "substr", "mid": "substr", "ucase": "upper",
    "lcase": "lower", "pow": "*", "instr": "~", "iif": "if", "to_date": "strptime", "date_format": "strftime",
    "to_char": "strftime", "format": "strftime", "date_part": "year", "dayofweek": "weekday", "list_length": "len",
    "array_length": "len", "current_date": "today",
    "power": "*", "mod": "%", "trunc": "floor", "left": "substr", "right": "substr", "split": "split_part",
    "concat_ws": "||", "position": "~", "md5": "sha256", "iff": "if", "date": "cast(VALUE as date)",
    "int": "cast(VALUE as integer)", "float": "cast(VALUE as real)", "str": "cast(VALUE as text)",
    "datediff": "LATER - EARLIER", "dateadd": "DATE + DAYS", "date_add": "DATE + DAYS",
  ]

  /// `case when A then B … else C end`, `case X when A then B … end`.
  private mutating func cases() throws(Problem) -> Expression {
    var value: Expression?
    if !scan.peeks("when") { value = try alternatives() }
    var parts: [Expression] = []
    while scan.takeWords("when") {
      let condition = try alternatives()
      guard scan.takeWords("then") else { throw scan.problem("missing then", "use case when A then B else C end") }
      parts.append(value.map { .call("=", [$0, condition]) } ?? condition)
      parts.append(try alternatives())
    }
    guard !parts.isEmpty else { throw scan.problem("missing when", "use case when A then B else C end") }
    if scan.takeWords("else") { parts.append(try alternatives()) }
    guard scan.takeWords("end") else { throw scan.problem("missing end", "use case when A then B else C end") }
    return .call("case", parts)
  }
}
