import Codecs
import Rows

extension DocumentFormat {
  /// `INSERT` statements.
  public static let sql = DocumentFormat("sql", ["sql"], SQLDocument.self)
}

/// The rows of `INSERT` statements, as bb and other programs write them; each table of the statements is a table.
///
/// Nothing is executed. A value that is not a literal is refused, but for the forms in which bb writes reals, control
/// characters and bytes.
struct SQLDocument: TableDocument {
  static let isInterleaved = true, isText = false
  private var text: DocumentText
  /// The columns of each table, from its definition.
  private var defined: [String: [[UInt8]]] = [:]
  /// The table of the current `INSERT`, and its columns.
  private var table: String?
  private var names: [[UInt8]] = []
  /// The parentheses that are open in a value.
  private var depth = 0
  /// Whether comments show that MySQL wrote the statements, whose backslashes escape characters; nil if unknown.
  private var escapes: Bool?

  init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  mutating func nextTable() throws(Problem) -> String? {
    while try nextRecord() != nil {}
    while true {
      try skipSpace()
      guard try text.peek() != nil else { return nil }
      if try takes(";") { continue }
      let word = try self.word()
      if word == "CREATE" {
        try create()
      } else if word == "INSERT" || word == "REPLACE" {
        while try self.word() != "INTO" {
          guard try text.peek() != nil else { throw text.problem("expected INTO") }
        }
        let name = try qualifiedName()
        names = try takes("(") ? nameList() : defined[name] ?? []
        guard try self.word() == "VALUES" else { throw text.problem("expected VALUES") }
        table = name
        return name
      } else {
        try skipStatement()
      }
    }
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard table != nil else { return nil }
    _ = try takes(",")
    guard try takes("(") else {
      try skipStatement()
      table = nil
      return nil
    }
    var members: [JSON.Member] = []
    repeat {
      let value = try self.value()
      guard names.isEmpty || members.count < names.count else {
        throw text.problem("expected \(names.count) values, found more")
      }
      members.append(
        JSON.Member(names.isEmpty ? Array("column\(members.count + 1)".utf8) : names[members.count], value))
    } while try takes(",")
    guard try takes(")") else { throw text.problem("expected a comma or the end of the row") }
    guard names.isEmpty || members.count == names.count else {
      throw text.problem("expected \(names.count) values, found \(members.count)")
    }
    return .object(.object(members))
  }

  // MARK: - Statements

  /// Keeps the columns of a table's definition.
  private mutating func create() throws(Problem) {
    var word = try self.word()
    while ["TEMP", "TEMPORARY", "UNLOGGED", "GLOBAL", "LOCAL"].contains(word) { word = try self.word() }
    guard word == "TABLE" else { return try skipStatement() }
    try skipSpace()
    if try text.comes("if") { for _ in 0..<3 { _ = try self.word() } }
    let name = try qualifiedName()
    guard try takes("(") else { return try skipStatement() }
    var columns: [[UInt8]] = []
    let constraints = ["PRIMARY", "UNIQUE", "KEY", "CONSTRAINT", "FOREIGN", "CHECK", "INDEX"]
    var mark: UInt8?
    repeat {
      try skipSpace()
      let isQuoted = try text.peek().map { "\"`[".utf8.contains($0) } ?? false
      let column = try identifier()
      if isQuoted || !constraints.contains(String(decoding: column, as: UTF8.self).uppercased()) {
        columns.append(column)
      }
      guard columns.count <= Schema.mostDocumentColumns else { throw text.problem("the table has too many columns") }
      mark = try skip(to: ",)")
    } while mark == UInt8(ascii: ",")
    guard mark != nil else { throw text.problem("unterminated definition") }
    defined[name] = columns
    guard defined.count <= 10_000 else { throw text.problem("there are too many tables") }
    try skipStatement()
  }

  /// Passes everything up to one of `ends` that is in no parentheses, and returns it; nil at the end of the document.
  private mutating func skip(to ends: String) throws(Problem) -> UInt8? {
    var depth = 0
    while true {
      try skipSpace()
      guard let byte = try text.peek() else { return nil }
      if "'\"`".utf8.contains(byte) {
        _ = try quoted()
        continue
      }
      try text.skip(1)
      if ends.utf8.contains(byte), depth == 0 || byte == UInt8(ascii: ";") { return byte }
      if byte == UInt8(ascii: "(") { depth += 1 } else if byte == UInt8(ascii: ")") { depth -= 1 }
    }
  }

  private mutating func skipStatement() throws(Problem) { _ = try skip(to: ";") }

  /// Passes white space and a mark; false if something else follows, which stays.
  private mutating func takes(_ mark: Unicode.Scalar) throws(Problem) -> Bool {
    try skipSpace()
    guard try text.peek() == UInt8(ascii: mark) else { return false }
    try text.skip(1)
    return true
  }

  /// Passes white space and comments; what MySQL takes from a comment `/*! … */` is a comment here too.
  private mutating func skipSpace() throws(Problem) {
    while let byte = try text.peek() {
      if byte <= 0x20 {
        try text.skip(1)
      } else if byte == UInt8(ascii: "-"), try text.comes("--") {
        _ = try text.nextLine()
      } else if byte == UInt8(ascii: "/"), try text.comes("/*") {
        if escapes == nil, try text.comes("/*!") { escapes = true }
        while try text.peek() != nil, try !text.comes("*/") {
          if try text.comes("no_backslash_escapes") { escapes = false }
          try text.skip(1)
        }
        try text.skip(2)
      } else {
        return
      }
    }
  }

  // MARK: - Names

  private static func isWord(_ byte: UInt8) -> Bool {
    byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || byte >= 0x80
  }

  /// A word in capital letters; any other character is passed, and is an empty word.
  private mutating func word() throws(Problem) -> String {
    try skipSpace()
    let word = try text.prefix { !Self.isWord($0) }
    if word.isEmpty { try text.skip(1) }
    return String(decoding: word, as: UTF8.self).uppercased()
  }

  private mutating func identifier() throws(Problem) -> [UInt8] {
    try skipSpace()
    switch try text.peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return try quoted()
    case UInt8(ascii: "["):
      try text.skip(1)
      let name = try text.prefix { $0 == UInt8(ascii: "]") }
      try text.skip(1)
      return name
    default:
      let name = try text.prefix { !Self.isWord($0) }
      guard !name.isEmpty else { throw text.problem("expected a name") }
      return name
    }
  }

  /// The name of a table, without that of its schema.
  private mutating func qualifiedName() throws(Problem) -> String {
    var name = try identifier()
    while try text.peek() == UInt8(ascii: ".") {
      try text.skip(1)
      name = try identifier()
    }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func nameList() throws(Problem) -> [[UInt8]] {
    var names: [[UInt8]] = []
    repeat { names.append(try identifier()) } while try takes(",") && names.count <= Schema.mostDocumentColumns
    guard try takes(")") else { throw text.problem("expected a comma or a closing parenthesis") }
    return names
  }

  /// Text in quotes of any kind, in which two of them stand for one.
  private mutating func quoted() throws(Problem) -> [UInt8] {
    guard let quote = try text.next() else { return [] }
    var out: [UInt8] = []
    while true {
      out += try text.prefix { $0 == quote }
      let isAtEnd = try text.next() == nil, next = try text.peek()
      // After a value there is a mark or white space.
      let isOdd = next.map { $0 > 0x20 && $0 != quote && !",);".utf8.contains($0) } ?? isAtEnd
      if table != nil, quote == UInt8(ascii: "'"), escapes ?? isOdd, out.contains(UInt8(ascii: "\\")) {
        throw text.problem(
          "text has backslashes, which MySQL takes for escapes", hint: "export the table as CSV or JSON")
      }
      if isAtEnd { throw text.problem("unterminated text") }
      guard next == quote else { return out }
      try text.skip(1)
      out.append(quote)
      guard out.count <= text.mostBytes else { throw text.tooLarge }
    }
  }

  // MARK: - Values

  /// A literal, or one of the expressions that bb writes.
  private mutating func value() throws(Problem) -> JSON {
    try skipSpace()
    guard let first = try text.peek() else { throw text.problem("unexpected end of document") }
    if first == UInt8(ascii: "'") { return .string(try quoted()) }
    if first &- 48 < 10 || "+-.(".utf8.contains(first) { return try number() }
    let line = text.line, word = try self.word()
    try skipSpace()
    switch (word, try text.peek()) {
    case ("NULL", _): return .null
    case ("TRUE", _): return .boolean(true)
    case ("FALSE", _): return .boolean(false)
    case ("X", UInt8(ascii: "'")): return .string(Base64.encoded(try hexadecimal()))
    case ("CAST", UInt8(ascii: "(")), ("CONVERT", UInt8(ascii: "(")):
      try text.skip(1)
      guard try self.word() == "X" else { break }
      let bytes = try hexadecimal()
      guard try text.prefix(until: { $0 == UInt8(ascii: ")") }).count < 64 else { break }
      try text.skip(1)
      return .string(bytes)
    case ("REPLACE", UInt8(ascii: "(")):
      var parts: [[UInt8]] = []
      while parts.count < 3, try takes(parts.isEmpty ? "(" : ",") {
        try skipSpace()
        guard try text.peek() == UInt8(ascii: "'") else { break }
        parts.append(try quoted())
      }
      guard parts.count == 3, parts[1].count == 1, try takes(")") else { break }
      return .string(
        Array(parts[0].split(separator: parts[1][0], omittingEmptySubsequences: false).joined(separator: parts[2])))
    case ("ROUND", UInt8(ascii: "(")): return Self.json(try real())
    default: break
    }
    throw text.problem("expected a literal, found an expression (\(word.prefix(40)))", line: line)
  }

  /// The bytes of `'0AFF'`.
  private mutating func hexadecimal() throws(Problem) -> [UInt8] {
    let digits = try quoted().map { $0 &- 48 < 10 ? $0 - 48 : ($0 | 0x20) &- 87 }
    guard digits.count % 2 == 0, digits.allSatisfy({ $0 < 16 }) else {
      throw text.problem("invalid hexadecimal digits")
    }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// A number as it is written, or the product that bb writes for a real that no decimal literal gives exactly.
  private mutating func number() throws(Problem) -> JSON {
    let start = try digits()
    try skipSpace()
    if !start.isEmpty, let next = try text.peek(), ",)".utf8.contains(next) {
      guard let literal = Self.literal(start) else {
        throw text.problem("invalid number “\(String(decoding: start.prefix(40), as: UTF8.self))”")
      }
      return .number(literal)
    }
    return Self.json(try product(after: try factor(start)))
  }

  private mutating func digits() throws(Problem) -> [UInt8] {
    try text.prefix { !($0 &- 48 < 10 || "+-.eE".utf8.contains($0)) }
  }

  private static func literal(_ text: [UInt8]) -> [UInt8]? {
    var digits = text[...], sign: [UInt8] = []
    while let first = digits.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
      if first == UInt8(ascii: "-") { sign = [first] }
      digits = digits.dropFirst()
    }
    if digits.first == UInt8(ascii: ".") { digits = [UInt8(ascii: "0")] + digits }
    if digits.last == UInt8(ascii: ".") { digits = digits.dropLast() }
    // MySQL takes a number without an exponent for a decimal.
    if digits.suffix(2).elementsEqual("e0".utf8) { digits = digits.dropLast(2) }
    let literal = sign + digits
    guard case .number? = try? JSON.parse(literal, name: "") else { return nil }
    return literal
  }

  private static func json(_ value: Double) -> JSON {
    value.isFinite ? .number(value.canonicalText) : .string("\(NonfinitePolicy.word(for: value))")
  }

  /// A product whose first factor is known.
  private mutating func product(after first: Double) throws(Problem) -> Double {
    var value = first
    while true {
      if try takes("*") {
        value *= try factor([])
      } else if try takes("/") {
        value /= try factor([])
      } else {
        return value
      }
    }
  }

  /// A number, `round(N)`, or a product in parentheses, which may have been read up to its first space.
  private mutating func factor(_ read: [UInt8]) throws(Problem) -> Double {
    try skipSpace()
    let digits = try read.isEmpty || read == [UInt8(ascii: "-")] ? read + digits() : read
    let isNegative = digits == [UInt8(ascii: "-")]
    if !digits.isEmpty, !isNegative {
      guard let value = Double(String(decoding: digits, as: UTF8.self)) else { throw text.problem("invalid number") }
      return value
    }
    if try text.comes("round") { try text.skip(5) }
    let value = try real()
    return isNegative ? -value : value
  }

  /// A product in parentheses.
  private mutating func real() throws(Problem) -> Double {
    guard try takes("(") else { throw text.problem("expected a number") }
    depth += 1
    defer { depth -= 1 }
    guard depth < 64 else { throw text.problem("nested deeper than 64") }
    let value = try product(after: try factor([]))
    guard value.isFinite, try takes(")") else { throw text.problem("expected a number and a closing parenthesis") }
    return value
  }
}
