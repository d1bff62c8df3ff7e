import Query
import Rows

/// A statement that a `Selection` can express, with the same meaning:
/// `SELECT COLUMNS FROM TABLE [WHERE CONDITION [AND …]] [LIMIT N [OFFSET N]]`.
///
/// Conditions compare a column of integers with integers, or one of text with texts. Columns are named exactly as they
/// are, and have types that SQLite returns as they were.
struct SQLSelect {
  private(set) var selection = Selection()

  private enum Token: Equatable { case word(String), name(String), text(String), integer(String), mark(String) }
  private var tokens: ArraySlice<Token>
  private let schema: Schema

  /// The selection of a statement that SQLite accepts; nil for any other statement, and if there is a doubt.
  init?(_ sql: String, of schema: Schema) {
    guard let tokens = Self.tokens(of: Array(sql.utf8)) else { return nil }
    (self.tokens, self.schema) = (tokens[...], schema)
    let names = schema.columns.map { $0.name.lowercased() }
    guard Set(names).count == names.count, takes("select") else { return nil }
    var columns: [String] = []
    if take(.mark("*")) {
      columns = schema.columns.map(\.name)
    } else {
      repeat {
        guard let column = column(), !columns.contains(column.name) else { return nil }
        columns.append(column.name)
      } while take(.mark(","))
    }
    guard columns.allSatisfy({ (schema.column($0)?.isKeptBySQLite) == true }), takes("from"), let table = name(),
      table.lowercased() == schema.name.lowercased()
    else { return nil }
    selection.columns = columns
    if takes("where") {
      repeat {
        guard let condition = condition() else { return nil }
        selection.conditions.append(condition)
      } while takes("and")
    }
    if takes("limit") {
      guard let limit = number() else { return nil }
      selection.limit = limit
      if takes("offset") {
        guard let offset = number() else { return nil }
        selection.offset = offset
      }
    }
    guard self.tokens.isEmpty else { return nil }
  }

  private mutating func take(_ token: Token) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }
  private mutating func takes(_ word: String) -> Bool {
    guard case .word(let found) = tokens.first, found.lowercased() == word else { return false }
    tokens.removeFirst()
    return true
  }
  private mutating func name() -> String? {
    switch tokens.popFirst() {
    case .name(let name): name
    // Words that are values, whatever the columns are called.
    case .word(let word)
    where !["null", "current_date", "current_time", "current_timestamp"].contains(word.lowercased()):
      word
    default: nil
    }
  }
  private mutating func column() -> ColumnDescription? { name().flatMap { schema.column($0) } }
  private mutating func number() -> Int? {
    if case .integer(let digits) = tokens.popFirst() { Int(digits) } else { nil }
  }

  /// A value of the column's type.
  private mutating func value(of column: ColumnDescription) -> String? {
    let isNegative = column.type == .integer && take(.mark("-"))
    return switch tokens.popFirst() {
    case .integer(let digits) where column.type == .integer: (isNegative ? "-" : "") + digits
    case .text(let text) where column.type == .text: text
    default: nil
    }
  }

  private mutating func condition() -> Condition? {
    guard let column = column(), !column.isMixed, column.type == .integer || column.type == .text else { return nil }
    if takes("is") {
      let comparison: Condition.Operator = takes("not") ? .isNotNull : .isNull
      return takes("null") ? Condition(column.name, comparison) : nil
    }
    if takes("in") {
      guard take(.mark("(")) else { return nil }
      var values: [String] = []
      repeat {
        guard let value = value(of: column) else { return nil }
        values.append(value)
      } while take(.mark(","))
      return take(.mark(")")) ? Condition(column.name, .isIn, values) : nil
    }
    guard case .mark(let mark) = tokens.popFirst(), let value = value(of: column),
      let comparison = Condition.Operator(rawValue: ["==": "=", "<>": "!="][mark] ?? mark)
    else { return nil }
    return Condition(column.name, comparison, value)
  }

  private static func tokens(of sql: [UInt8]) -> [Token]? {
    var tokens: [Token] = [], rest = sql[...]
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
    func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    func isPart(_ byte: UInt8) -> Bool { isDigit(byte) || byte == 95 || (byte | 32) &- 97 < 26 }
    while let byte = rest.first {
      switch byte {
      case 9, 10, 13, 32: rest.removeFirst()
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        rest.removeFirst()
        guard let end = rest.firstIndex(of: byte) else { return nil }
        let inner = text(rest[..<end])
        rest = rest[(end + 1)...]
        if rest.first == byte { return nil }
        tokens.append(byte == UInt8(ascii: "'") ? .text(inner) : .name(inner))
      case _ where isPart(byte):
        let word = rest.prefix(while: isPart)
        rest = rest[word.endIndex...]
        if !isDigit(byte) {
          tokens.append(.word(text(word)))
        } else if word.allSatisfy(isDigit), word.count < 19, rest.first != UInt8(ascii: ".") {
          tokens.append(.integer(text(word)))
        } else {
          return nil
        }
      case _ where "=<>!".utf8.contains(byte):
        let mark = rest.prefix { "=<>!".utf8.contains($0) }
        rest = rest[mark.endIndex...]
        guard ["=", "==", "!=", "<>", "<", "<=", ">", ">="].contains(text(mark)) else { return nil }
        tokens.append(.mark(text(mark)))
      case _ where "*,()-".utf8.contains(byte):
        rest.removeFirst()
        // Not a comment.
        if byte == UInt8(ascii: "-"), rest.first == byte { return nil }
        tokens.append(.mark(text([byte])))
      default: return nil
      }
    }
    return tokens
  }
}

extension Schema {
  fileprivate func column(_ name: String) -> ColumnDescription? {
    columns.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

extension ColumnDescription {
  /// Whether values return from SQLite as they were written.
  fileprivate var isKeptBySQLite: Bool {
    guard !isMixed else { return false }
    return switch type {
    case .integer, .boolean, .text, .url, .date: true
    case .real, .decimal, .bytes, .timestamp, .datetime, .list, .json: false
    }
  }
}
