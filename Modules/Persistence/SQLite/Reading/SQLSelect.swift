import Codecs
import Query
import Rows

/// A statement with one `SELECT`, as far as bb's own operators understand it as SQLite does.
///
/// They run it if it only selects rows and columns of one table; they make its groups, which SQLite then sorts; of any
/// other statement, they keep rows that it does not use from being loaded.
struct SQLSelect {
  private enum Clause: String, CaseIterable { case select, from, `where`, group, having, order, limit }

  private var clauses: [Clause: ArraySlice<SQLToken>] = [:]

  /// - Returns: nil for a statement that is not understood.
  init?(_ sql: String) {
    guard let tokens = SQLToken.all(of: Array(sql.utf8)) else { return nil }
    var depth = 0, clause = Clause.select, start = 1
    func place(_ clause: Clause) -> Int { Clause.allCases.firstIndex(of: clause) ?? 0 }
    for (position, token) in tokens.enumerated() {
      switch token {
      case .mark("("): depth += 1
      case .mark(")"): depth -= 1
      case .word(let word):
        if Self.foreign.contains(word.lowercased()) { return nil }
        guard let next = Clause(rawValue: word.lowercased()) else { continue }
        guard depth == 0, position == 0 ? next == .select : place(next) > place(clause) else { return nil }
        if position > 0 { clauses[clause] = tokens[start..<position] }
        (clause, start) = (next, position + 1)
      case .name(let name): if Self.foreign.contains(name.lowercased()) { return nil }
      case .text, .number, .mark: break
      }
    }
    guard tokens.first.map({ $0.isWord("select") }) == true else { return nil }
    clauses[clause] = tokens[start...]
  }

  /// Words of which any makes the statement one that is not understood: they begin other rows, count rows, or have an
  /// `and` or clauses of their own.
  private static let foreign: Set<String> = [
    "with", "union", "intersect", "except", "values", "window", "over", "filter", "exists", "case", "rowid", "oid",
    "_rowid_", "indexed",
  ]

  // MARK: - Parts

  /// A part of the list after `SELECT`: a column, or an aggregate of one.
  private struct Item {
    let tokens: [SQLToken]
    /// The function, in lower case; nil for a column itself.
    let function: String?
    /// Nil for the number of rows.
    let column: String?
    let alias: String?
  }

  private func items(of schema: Schema) -> [Item]? {
    var rest = clauses[.select] ?? [], items: [Item] = []
    if rest == [.mark("*")] {
      return schema.columns.map { Item(tokens: [], function: nil, column: $0.name, alias: nil) }
    }
    repeat {
      let start = rest
      var function: String?, column: String?
      if case .word(let word) = rest.first, rest.dropFirst().first == .mark("(") {
        rest = rest.dropFirst(2)
        function = word.lowercased()
        if function != "count" || !rest.take(.mark("*")) {
          guard let name = rest.column(of: [schema]) else { return nil }
          column = name.column.name
        }
        guard rest.take(.mark(")")) else { return nil }
      } else {
        guard let name = rest.column(of: [schema]) else { return nil }
        column = name.column.name
      }
      let tokens = Array(start[start.startIndex..<rest.startIndex])
      var alias: String?
      if rest.takes("as") {
        guard let name = rest.name() else { return nil }
        alias = name
      }
      items.append(Item(tokens: tokens, function: function, column: column, alias: alias))
    } while rest.take(.mark(","))
    return rest.isEmpty ? items : nil
  }

  /// The tables by the names that columns have before a point; nil if there is more than tables.
  private func tables() -> [(table: String, alias: String)]? {
    var rest = clauses[.from] ?? [], found: [(table: String, alias: String)] = []
    let joins: Set = ["join", "left", "right", "full", "inner", "outer", "cross", "natural", "on", "using"]
    while true {
      guard let table = rest.name(), rest.first != .mark("(") else { return nil }
      var alias = table
      if rest.takes("as") || rest.first.map({ $0.isAlias && !joins.contains(where: $0.isWord) }) == true {
        guard let name = rest.name() else { return nil }
        alias = name
      }
      found.append((table, alias))
      var depth = 0
      while let token = rest.first, depth > 0 || token != .mark(",") && !token.isWord("join") {
        if token == .mark("(") { depth += 1 }
        if token == .mark(")") { depth -= 1 }
        rest.removeFirst()
      }
      if rest.popFirst() == nil { return found }
    }
  }

  /// Whether it reads this table alone, by its own name.
  private func reads(only schema: Schema) -> Bool {
    guard let tables = tables(), tables.count == 1, let table = tables.first else { return false }
    return table.table.lowercased() == schema.name.lowercased() && table.alias.lowercased() == schema.name.lowercased()
  }

  /// The conditions on one table that must hold for a row to be used.
  /// - Returns: `isWhole` if there are no others.
  private func conditions(on schema: Schema, among all: [Schema]) -> (conditions: [Condition], isWhole: Bool) {
    guard var rest = clauses[.where] else { return ([], true) }
    var found: [Condition] = [], isWhole = true, depth = 0
    if rest.contains(where: { token in
      if token == .mark("(") { depth += 1 }
      if token == .mark(")") { depth -= 1 }
      return depth == 0 && token.isWord("or")
    }) {
      return ([], false)
    }
    while !rest.isEmpty {
      var own = rest
      if let parsed = own.conditions(of: all), own.isEmpty || own.takes("and") {
        rest = own
        // An outer join adds nulls.
        let isUsed = parsed.table == schema.name && (all.count == 1 || parsed.conditions[0].comparison != .isNull)
        if isUsed { found += parsed.conditions }
        isWhole = isWhole && isUsed
        continue
      }
      isWhole = false
      depth = 0
      while let token = rest.popFirst(), depth > 0 || !token.isWord("and") {
        // Its `and` does not join conditions.
        if token.isWord("between") { return ([], false) }
        if token == .mark("(") { depth += 1 }
        if token == .mark(")") { depth -= 1 }
      }
    }
    return (found, isWhole)
  }

  private struct Term {
    let tokens: [SQLToken]
    let isDescending: Bool
  }

  /// The terms of `ORDER BY` or `GROUP BY`; none if there is no such clause, nil for terms that are not understood.
  private func terms(_ clause: Clause) -> [Term]? {
    guard var rest = clauses[clause] else { return [] }
    guard rest.takes("by") else { return nil }
    var terms: [Term] = []
    repeat {
      var tokens: [SQLToken] = []
      while let token = rest.first, token != .mark(","), !token.isWord("asc"), !token.isWord("desc") {
        if token.isWord("collate") || token.isWord("nulls") { return nil }
        tokens.append(token)
        rest.removeFirst()
      }
      let isDescending = rest.takes("desc")
      if !isDescending { _ = rest.takes("asc") }
      if tokens.isEmpty { return nil }
      terms.append(Term(tokens: tokens, isDescending: isDescending))
    } while rest.take(.mark(","))
    return rest.isEmpty ? terms : nil
  }

  private func limits() -> (limit: Int?, offset: Int)? {
    guard var rest = clauses[.limit] else { return (nil, 0) }
    guard let limit = rest.count() else { return nil }
    var offset = 0
    if rest.takes("offset") {
      guard let count = rest.count() else { return nil }
      offset = count
    }
    return rest.isEmpty ? (limit, offset) : nil
  }

  // MARK: - Uses

  /// All that it does with the rows of its only table, if it returns rows of it in their order; nil for any other
  /// statement. Numbers are those that SQLite holds.
  func selection(of schema: Schema) -> Selection? {
    let (conditions, isWhole) = conditions(on: schema, among: [schema])
    guard isWhole, reads(only: schema), clauses[.group] == nil, clauses[.having] == nil, clauses[.order] == nil,
      let limits = limits(), let items = items(of: schema)
    else { return nil }
    let columns = items.compactMap(\.column)
    guard items.allSatisfy({ $0.function == nil && $0.alias == nil }), Set(columns).count == items.count,
      columns.allSatisfy({ schema.exact($0)?.isSimple == true })
    else { return nil }
    var selection = Selection()
    selection.conditions = conditions
    (selection.limit, selection.offset, selection.columns) = (limits.limit, limits.offset, columns)
    return selection
  }

  /// The rows of one of its tables that it uses: those that meet its conditions, and the first ones if only they are
  /// returned; nil for all.
  func needed(of schema: Schema, among all: [Schema]) -> Selection? {
    guard let tables = tables() else { return nil }
    let read = all.filter { one in tables.contains { $0.table.lowercased() == one.name.lowercased() } }
    guard read.count == tables.count, tables.allSatisfy({ $0.alias.lowercased() == $0.table.lowercased() }) else {
      return nil
    }
    let (conditions, isWhole) = conditions(on: schema, among: read)
    var selection = Selection()
    selection.conditions = conditions
    if isWhole, read.count == 1, clauses[.group] == nil, clauses[.having] == nil, let terms = self.terms(.order),
      !terms.isEmpty, let limits = limits(), let limit = limits.limit, limit + limits.offset <= 100_000,
      let items = items(of: schema), items.allSatisfy({ $0.function == nil && $0.alias == nil })
    {
      for (number, term) in terms.enumerated() {
        var rest = term.tokens[...]
        guard let column = rest.column(of: [schema])?.column, rest.isEmpty, column.isSimple else {
          selection = Selection()
          selection.conditions = conditions
          break
        }
        if !term.isDescending {
          // Null is first in SQLite, and last here.
          let name = "\u{1F}\(number)"
          selection.steps.assigned.append(
            Assigned(name, .call("is not null", [.column(column.name)])))
          selection.sort.append(Selection.SortKey(name))
        }
        selection.sort.append(Selection.SortKey(column.name, descending: term.isDescending))
        selection.limit = limit + limits.offset
      }
      if selection.limit != nil { selection.columns = schema.columns.map(\.name) }
    }
    return selection == Selection() ? nil : selection
  }

  /// The groups of a statement: how to make them, and the statement that returns the same from a table of them.
  struct Groups {
    let selection: Selection
    /// For a table of the name that `groups` was given.
    let statement: String
  }

  /// - Parameters:
  ///   - table: the name of the table of groups.
  ///   - names: the names of the columns of the result.
  func groups(of schema: Schema, table: String, names: [String]) -> Groups? {
    let (conditions, isWhole) = conditions(on: schema, among: [schema])
    guard isWhole, reads(only: schema), clauses[.having] == nil, let limits = limits(),
      let items = items(of: schema), items.count == names.count, items.contains(where: { $0.function != nil }),
      Set(names.map { $0.lowercased() }).count == names.count, let terms = self.terms(.group),
      let orders = self.terms(.order)
    else { return nil }
    var keys: [String] = [], aggregates: [Aggregate] = [], results: [String] = []
    for term in terms {
      var rest = term.tokens[...]
      guard !term.isDescending, let column = rest.column(of: [schema])?.column, rest.isEmpty, column.isGroupable,
        // An alias stands for what it names.
        !items.contains(where: { $0.alias?.lowercased() == column.name.lowercased() && $0.column != column.name }),
        !keys.contains(column.name)
      else { return nil }
      keys.append(column.name)
    }
    for (number, item) in items.enumerated() {
      let column = item.column.flatMap(schema.exact)
      guard let word = item.function else {
        guard let column, keys.contains(column.name) else { return nil }
        results.append(column.name.quotedForSQL)
        continue
      }
      guard let function = Aggregate.Function(rawValue: word), [.count, .sum, .avg, .min, .max].contains(function),
        column.map({ $0.isSimple && ($0.type.isNumeric || ![.sum, .avg].contains(function)) }) ?? (function == .count)
      else { return nil }
      aggregates.append(Aggregate(function, of: item.column, as: "\u{1F}\(number)"))
      // Without the type of the column: that of the values counts.
      results.append("+" + "\u{1F}\(number)".quotedForSQL)
    }
    var sorted: [String] = []
    for order in orders {
      let place = items.indices.first { number in
        if case .number(let digits) = order.tokens.first, order.tokens.count == 1 { return Int(digits) == number + 1 }
        if let alias = items[number].alias {
          return order.tokens == [.word(alias)] || order.tokens == [.name(alias)]
        }
        return order.tokens == items[number].tokens
      }
      guard let place else { return nil }
      sorted.append("\(place + 1)\(order.isDescending ? " DESC" : "")")
    }
    var selection = Selection()
    selection.conditions = conditions
    selection.grouping = Grouping(by: keys, aggregates)
    // SQLite returns equal groups in the order of their keys; if both clauses have as many terms, in their directions.
    sorted += keys.enumerated().map { number, key in
      key.quotedForSQL + (orders.count == keys.count && orders[number].isDescending ? " DESC" : "")
    }
    let statement =
      "SELECT \(results.joined(separator: ", ")) FROM \(table.quotedForSQL)"
      + (sorted.isEmpty ? "" : " ORDER BY \(sorted.joined(separator: ", "))")
      + " LIMIT \(limits.limit ?? -1) OFFSET \(limits.offset)"
    return Groups(selection: selection, statement: statement)
  }
}

/// Tokens are taken from the front.
extension ArraySlice<SQLToken> {
  fileprivate mutating func take(_ token: Element) -> Bool {
    guard first == token else { return false }
    removeFirst()
    return true
  }
  fileprivate mutating func takes(_ word: String) -> Bool {
    guard first?.isWord(word) == true else { return false }
    removeFirst()
    return true
  }
  fileprivate mutating func name() -> String? {
    switch popFirst() {
    case .name(let name): name
    // Words that mean something else, whatever the columns are called.
    case .word(let word)
    where !["null", "not", "distinct", "all", "current_date", "current_time", "current_timestamp"].contains(
      word.lowercased()):
      word
    default: nil
    }
  }
  fileprivate mutating func count() -> Int? { if case .number(let digits) = popFirst() { Int(digits) } else { nil } }

  /// `COLUMN` or `TABLE.COLUMN`; nil if no table has it by exactly this name, or several have it.
  fileprivate mutating func column(of schemas: [Schema]) -> (table: String, column: ColumnDescription)? {
    guard var name = name() else { return nil }
    var candidates = schemas
    if take(.mark(".")) {
      candidates = schemas.filter { $0.name.lowercased() == name.lowercased() }
      guard let column = self.name() else { return nil }
      name = column
    }
    candidates.removeAll { schema in !schema.columns.contains { $0.name.lowercased() == name.lowercased() } }
    guard candidates.count == 1, let schema = candidates.first, let column = schema.exact(name) else { return nil }
    return (schema.name, column)
  }

  /// A value of the column's type.
  private mutating func value(of column: ColumnDescription) -> String? {
    let isNegative = column.type.isNumeric && take(.mark("-"))
    return switch popFirst() {
    case .number(let digits) where column.type == .integer && digits.utf8.contains(UInt8(ascii: ".")): nil
    case .number(let digits) where column.type.isNumeric: (isNegative ? "-" : "") + digits
    case .text(let text) where column.type == .text: text
    case .text(let text) where column.type == .date && text.utf8.count == 10 && Dates.isDate(Array(text.utf8)): text
    default: nil
    }
  }

  fileprivate mutating func conditions(of schemas: [Schema]) -> (table: String, conditions: [Condition])? {
    guard let (table, column) = column(of: schemas), column.isSimple, column.type != .boolean else { return nil }
    func condition(_ comparison: Condition.Operator, _ values: String...) -> (String, [Condition]) {
      (table, [Condition(column.name, comparison, values)])
    }
    if takes("is") {
      let comparison: Condition.Operator = takes("not") ? .isNotNull : .isNull
      return takes("null") ? condition(comparison) : nil
    }
    if takes("in") {
      guard take(.mark("(")) else { return nil }
      var values: [String] = []
      repeat {
        guard let value = value(of: column) else { return nil }
        values.append(value)
      } while take(.mark(","))
      return take(.mark(")")) ? (table, [Condition(column.name, .isIn, values)]) : nil
    }
    if takes("between") {
      guard let least = value(of: column), takes("and"), let greatest = value(of: column) else { return nil }
      return (
        table, [Condition(column.name, .greaterOrEqual, least), Condition(column.name, .lessOrEqual, greatest)]
      )
    }
    guard case .mark(let mark) = popFirst(), let value = value(of: column),
      let comparison = Condition.Operator(rawValue: ["==": "=", "<>": "!="][mark] ?? mark), comparison.isSQL
    else { return nil }
    return condition(comparison, value)
  }
}

extension Condition.Operator {
  fileprivate var isSQL: Bool { [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(self) }
}

extension Schema {
  /// The column of exactly this name.
  fileprivate func exact(_ name: String) -> ColumnDescription? {
    columns.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

extension ColumnDescription {
  /// Whether SQLite compares and returns its values as bb does, if numbers are those that it holds.
  fileprivate var isSimple: Bool {
    guard !isMixed else { return false }
    return switch type {
    case .integer, .boolean, .text, .url, .date, .real, .decimal: true
    case .bytes, .timestamp, .datetime, .list, .json: false
    }
  }
  fileprivate var isGroupable: Bool { isSimple && type != .real && type != .decimal }
}
