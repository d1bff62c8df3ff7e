import Codecs
public import Rows

/// A condition made ready for a schema: the column found, the value understood by the column's type.
struct ConditionMatcher: Sendable {
  let column: Int
  /// The position of the column it is compared with, if there is one.
  let other: Int?
  /// Whether the condition must be false instead of true. Of null it is neither.
  let isNegated: Bool
  let test: Test

  /// The test of a cell that is not null.
  enum Test: Sendable {
    case isNull(Bool)
    case number(Condition.Operator, [NumberConstant], short: Int64?, NumberBounds?)
    case boolean(Bool)
    case text(Condition.Operator, [[UInt8]])
    case date(Condition.Operator, [DateBound])
    case time(Condition.Operator, [DateBound])
    case element(isThere: Bool, [[UInt8]])
    case numberElement(isThere: Bool, [DecimalNumber])
    case contains(Bool, FoldedNeedle)
    case begins(FoldedNeedle, isList: Bool)
    case pattern(PatternSearches, isList: Bool)
    case column(Condition.Operator, areTimes: Bool)
    /// Of a value within JSON: a string is its text, a list has elements.
    case json(Condition.Operator, [[UInt8]], [ExactNumber?])
  }

  /// A condition on the column at a position of a schema.
  /// - Parameter other: the position of `otherColumn`.
  /// - Throws: `usage`, with what kind of value the column takes.
  init(
    _ condition: Condition, at position: Int, other: Int? = nil, of schema: Schema, negated: Bool = false
  ) throws(Problem) {
    column = position
    self.other = other
    isNegated = negated
    if let other {
      test = try Self.comparison(condition, schema.columns[position], schema.columns[other])
    } else {
      test = try Self.test(condition, schema.columns[position], of: schema)
    }
  }

  /// The relative cost of the test: cheap ones come first.
  var cost: Int {
    switch test {
    case .isNull: 0
    case .boolean: 1
    case .number: 2
    case .date, .time: 3
    case .text: 4
    case .column: 5
    case .element, .numberElement, .json: 6
    case .begins: 7
    case .contains: 8
    case .pattern: 9
    }
  }

  private static func comparison(
    _ condition: Condition, _ left: ColumnDescription, _ right: ColumnDescription
  ) throws(Problem) -> Test {
    guard let kind = kind(of: left.type), kind == Self.kind(of: right.type) else {
      throw Problem(
        .usage, "\(left.name) (\(left.type.name)) and \(right.name) (\(right.type.name)) cannot be compared",
        hint: "compare columns of the same type, or quote a value as '…'")
    }
    return .column(
      condition.comparison, areTimes: kind == Self.kind(of: .timestamp) || kind == Self.kind(of: .datetime))
  }

  /// The way in which values of a type are compared; nil if they have no order.
  private static func kind(of type: ColumnType) -> Int? {
    switch type {
    case .integer, .real, .decimal: 0
    case .boolean: 1
    case .text, .url: 2
    case .date, .timestamp: 3
    case .bytes: 4
    case .datetime: 5
    case .list, .json: nil
    }
  }

  private static func test(
    _ condition: Condition, _ column: ColumnDescription, of schema: Schema
  ) throws(Problem) -> Test {
    let comparison = condition.comparison
    let bytes = condition.values.map { Array($0.utf8) }
    var isList = false
    if column.type.isNested { isList = true }
    switch comparison {
    case .isNull: return .isNull(true)
    case .isNotNull: return .isNull(false)
    case .contains: return .contains(true, FoldedNeedle(bytes[0]))
    case .containsNot: return .contains(false, FoldedNeedle(bytes[0]))
    case .startsWith: return .begins(FoldedNeedle(bytes[0]), isList: isList)
    case .matches: return .pattern(PatternSearches(try Pattern(condition.values[0])), isList: isList)
    default: break
    }
    func refuse(_ value: String, _ example: String) -> Problem {
      let kind = column.type.name
      let article = "aeiou".contains(kind.prefix(1)) ? "an" : "a"
      let hint: Remedy =
        switch value.lowercased() {
        case _ where column.type == .date && EverydayDate.complaint(value) != nil:
          .advice(EverydayDate.complaint(value) ?? "")
        case _ where Self.isCalculation(value, of: schema):
          .advice("put the calculation in parentheses: (\(value))")
        case "null": "use '\(column.name) is null' or '\(column.name) is not null'"
        default: "for example '\(column.name) \(comparison.rawValue) \(comparison == .isIn ? "(\(example))" : example)'"
        }
      return Problem(.usage, "invalid value “\(value)” for \(column.name): expected \(article) \(kind)", hint: hint)
    }
    func numbers(_ example: String) throws(Problem) -> [NumberConstant] {
      var numbers: [NumberConstant] = []
      for (value, literal) in zip(condition.values, bytes) {
        guard let number = NumberConstant(literal) else { throw refuse(value, example) }
        numbers.append(number)
      }
      return numbers
    }
    func bounds(_ example: String, _ bound: ([UInt8]) -> DateBound?) throws(Problem) -> [DateBound] {
      var bounds: [DateBound] = []
      for (value, text) in zip(condition.values, bytes) {
        guard let one = bound(text) else { throw refuse(value, example) }
        bounds.append(one)
      }
      return bounds
    }
    switch column.type {
    case .integer, .real, .decimal:
      let short = bytes.count == 1 && bytes[0].count < 19 ? Int64(condition.values[0]) : nil
      return .number(comparison, try numbers("1"), short: short, NumberBounds(bytes))
    case .boolean:
      guard comparison == .equal || comparison == .notEqual else {
        throw Problem(
          .usage, "\(column.name) is a boolean and cannot be compared with < or >", hint: "use '\(column.name) = true'")
      }
      guard let value = Bool(condition.values[0]) else { throw refuse(condition.values[0], "true") }
      return .boolean(value == (comparison == .equal))
    case .date:
      return .date(comparison, try bounds("1958-09", DateBound.init(date:)))
    case .list(let element):
      guard [.equal, .notEqual, .isIn].contains(comparison) else {
        throw Problem(
          .usage, "\(column.name) is a list and cannot be compared with < or >",
          hint: "use '\(column.name) = ELEMENT' or '\(column.name) ~ TEXT'")
      }
      let isThere = comparison != .notEqual
      return element == .integer
        ? .numberElement(isThere: isThere, try numbers("1").compactMap(\.exact)) : .element(isThere: isThere, bytes)
    case .timestamp:
      return .time(comparison, try bounds("2024-05-17", DateBound.init(time:)))
    case .datetime:
      return .time(comparison, try bounds("2024-05-17T08:15", DateBound.init(local:)))
    case .json: return .json(comparison, bytes, bytes.map { ExactNumber(literal: $0) })
    case .text, .bytes, .url: return .text(comparison, bytes)
    }
  }

  /// Whether a value without quotes was probably meant to be calculated: `cost * 1.2`.
  private static func isCalculation(_ value: String, of schema: Schema) -> Bool {
    switch try? Expression(parsing: value) {
    case .call(_, let parts): parts.contains { !$0.columns.isEmpty }
    case .column(let name): schema.position(of: name) != nil
    case .constant(_, let type): type?.isTemporal == true
    default: false
    }
  }

  /// Whether a row matches: one row after the other, the law for `filter`.
  func matches(_ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool {
    let cell = reader.cell(row, column)
    if case .isNull(let wanted) = test { return (cell.isNull == wanted) != isNegated }
    if cell.isNull { return false }
    guard let holds = holds(cell, reader, row, &scratch) else { return false }
    return holds != isNegated
  }

  /// Whether a cell that is not null passes the test; nil if it cannot be compared.
  private func holds(_ cell: Cell, _ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool? {
    switch test {
    case .isNull: return nil
    case .boolean(let wanted):
      if case .boolean(let value) = cell { return value == wanted }
      return nil
    case .number(let comparison, let wanted, let short, _):
      if let short, let value = reader.integer(of: cell) {
        return Self.holds(comparison, value < short ? -1 : value == short ? 0 : 1)
      }
      guard let order = reader.order(of: cell, to: wanted[0]) else { return nil }
      if comparison == .isIn { return wanted.contains { reader.order(of: cell, to: $0) == 0 } }
      return Self.holds(comparison, order)
    case .text(let comparison, let wanted):
      guard let value = unsafe reader.bytes(of: cell) else { return nil }
      if comparison == .isIn { return wanted.contains { unsafe Self.order(value, $0) == 0 } }
      return unsafe Self.holds(comparison, Self.order(value, wanted[0]))
    case .date(let comparison, let wanted):
      return reader.text(of: cell).map { Self.dateHolds(comparison, $0, wanted) }
    case .time(let comparison, let wanted):
      return reader.text(of: reader.time(cell)).map { Self.dateHolds(comparison, $0, wanted) }
    case .element(let isThere, let wanted):
      guard let list = unsafe reader.bytes(of: cell) else { return nil }
      return unsafe ListText.first(in: list) { wanted.contains($0) } == isThere
    case .numberElement(let isThere, let wanted):
      guard let list = unsafe reader.bytes(of: cell) else { return nil }
      return unsafe ListText.first(in: list) { DecimalNumber($0).map(wanted.contains) ?? false } == isThere
    case .json(let comparison, let wanted, let numbers):
      return Self.holds(comparison, ExpressionValue(cell, reader).text, wanted, numbers)
    case .contains(let wanted, let needle):
      guard let bytes = unsafe reader.bytes(of: cell) else {
        return needle.isContained(inFolded: Fold.folded(cell.plainText)) == wanted
      }
      scratch.removeAll(keepingCapacity: true)
      unsafe Fold.append(bytes, to: &scratch)
      return needle.isContained(inFolded: scratch) == wanted
    case .begins(let needle, let isList):
      return unsafe Self.anyText(of: cell, reader, isList) { unsafe needle.begins($0, &scratch) }
    case .pattern(let searches, let isList):
      return searches.with { search in unsafe Self.anyText(of: cell, reader, isList) { unsafe search.matches($0) } }
    case .column(let comparison, let areTimes):
      guard let other else { return nil }
      let value = reader.cell(row, other)
      if value.isNull { return nil }
      if areTimes {
        return Self.holds(comparison, SortOrder.compare(reader, reader.time(cell), reader, reader.time(value)))
      }
      return Self.holds(comparison, SortOrder.compare(reader, cell, reader, value))
    }
  }

  /// Whether a value within JSON passes a comparison: its text as well as the value of a string or a number; if it is a
  /// list, one of its elements may be the value that is wanted.
  private static func holds(
    _ comparison: Condition.Operator, _ json: [UInt8], _ wanted: [[UInt8]], _ numbers: [ExactNumber?]
  ) -> Bool {
    func order(_ value: [UInt8], _ isString: Bool, _ at: Int) -> Int {
      if !isString, let wanted = numbers[at], let number = ExactNumber(literal: value) {
        return ExactNumber.order(number, wanted)
      }
      return value == wanted[at] ? 0 : value.lexicographicallyPrecedes(wanted[at]) ? -1 : 1
    }
    let isString = json.first == UInt8(ascii: "\""), isList = json.first == UInt8(ascii: "[")
    let value = isString ? Array((ListText.elements(of: json).first ?? "").utf8) : json
    guard [.equal, .notEqual, .isIn].contains(comparison) else { return holds(comparison, order(value, isString, 0)) }
    let parts = isList ? (try? JSON.parse(json, name: ""))?.arrayValue ?? [] : []
    let isThere = wanted.indices.contains { at in
      order(value, isString, at) == 0 || json == wanted[at]
        || parts.contains { part in
          let value = ExpressionValue(part)
          if case .text(let text) = value { return order(text, true, at) == 0 }
          return order(value.text, false, at) == 0
        }
    }
    return isThere == (comparison != .notEqual)
  }

  /// Whether `body` holds for the text of a cell, or for one of the elements of a list.
  static func anyText(
    of cell: Cell, _ reader: CellReader, _ isList: Bool, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard let bytes = unsafe reader.bytes(of: cell) else {
      return unsafe Array(cell.plainText.utf8).withUnsafeBytes { unsafe body($0) }
    }
    guard isList, case .json = cell else { return unsafe body(bytes) }
    return unsafe ListText.first(in: bytes) { element in unsafe element.withUnsafeBytes { unsafe body($0) } }
  }

  @inline(__always)
  static func dateHolds(_ comparison: Condition.Operator, _ value: ValueBytes, _ wanted: [DateBound]) -> Bool {
    switch comparison {
    case .equal, .isIn: wanted.contains { $0.holds(value) }
    case .notEqual: !wanted.contains { $0.holds(value) }
    case .lessOrEqual: wanted[0].holds(value) || wanted[0].order(value) < 0
    default: holds(comparison, wanted[0].order(value))
    }
  }

  @inline(__always) static func holds(_ comparison: Condition.Operator, _ order: Int) -> Bool {
    switch comparison {
    case .equal, .isIn: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    case .contains, .containsNot, .startsWith, .matches, .isNull, .isNotNull: false
    }
  }
  static func order(_ a: UnsafeRawBufferPointer, _ b: [UInt8]) -> Int {
    unsafe b.withUnsafeBytes { unsafe precedes(a, $0) }
  }
}

extension Cell {
  /// The text of a cell that holds a value itself; empty for others.
  var plainText: String {
    switch self {
    case .integer(let value): String(value)
    case .real(let value): String(decoding: value.canonicalText, as: UTF8.self)
    case .boolean(let value): String(value)
    case .null, .text, .number, .json, .bytes: ""
    }
  }
}

extension Schema {
  /// The position of the column called `name`.
  /// - Throws: `usage` with the nearest right name.
  public func column(named name: String) throws(Problem) -> Int {
    if let position = position(of: name) { return position }
    throw Problem(.usage, "\(self.name) has no column “\(name)”", hint: remedy(for: name))
  }

  /// The advice for the name of a column that there is not.
  package func remedy(for name: String) -> Remedy {
    let names = columns.map(\.name).filter { !$0.hasPrefix(Conditions.mark) }
    let known = { (name: String) in position(of: name) != nil || CompiledExpression.base(of: name, in: self) != nil }
    let member = ["->>", "->", "/", "::"].reduce(name) { $0.replacing($1, with: ".") }
    if member != name, known(member) { return "use \(member)" }
    let first = name.replacing("[0]", with: "[1]")
    if first != name, known(first) { return "use \(first) for the first element" }
    if name.hasPrefix("-"), known(String(name.dropFirst())) { return .set(.dropped, to: String(name.dropFirst())) }
    if let near = Remedy.nearest(name, among: names) { return near }
    let isCalculation = name.last == ")" && (try? ExpressionParser(name))?.isCalculation == true
    if isCalculation || known(name) {
      let new = isCalculation ? "x" : name.split { ".[]".contains($0) }.last { Int($0) == nil }.map(String.init) ?? "x"
      return .set(.calculation, to: "\(new) = \(name)", for: "calculate it as a column")
    }
    return .choose(name, from: names.map(NameListParser.written), "available columns")
  }
}
