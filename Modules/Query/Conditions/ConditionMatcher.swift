import Codecs
public import Rows

/// A condition made ready for a schema: the column found, the value understood by the column's type.
struct ConditionMatcher: Sendable {
  /// The column's position.
  let column: Int
  private let test: Test

  /// The test of a cell that is not null.
  private enum Test: Sendable {
    case isNull(Bool)
    case number(Condition.Operator, [DecimalNumber], short: Int64?, nearest: NearestDouble?)
    case boolean(Bool)
    case text(Condition.Operator, [[UInt8]])
    case date(Condition.Operator, [[UInt8]])
    case element(isThere: Bool, [[UInt8]])
    case numberElement(isThere: Bool, [DecimalNumber])
    case contains(Bool, [UInt8])
  }

  /// A condition on the column at a position of a schema.
  /// - Throws: `usage`, with what kind of value the column takes.
  init(_ condition: Condition, at position: Int, of schema: Schema) throws(Problem) {
    column = position
    let description = schema.columns[column]
    test = try Self.test(condition, description)
  }

  private static func test(_ condition: Condition, _ column: ColumnDescription) throws(Problem) -> Test {
    let comparison = condition.comparison
    let bytes = condition.values.map { Array($0.utf8) }
    switch comparison {
    case .isNull: return .isNull(true)
    case .isNotNull: return .isNull(false)
    case .contains: return .contains(true, Fold.folded(bytes[0]))
    case .containsNot: return .contains(false, Fold.folded(bytes[0]))
    default: break
    }
    func refuse(_ value: String, _ example: String) -> Problem {
      let kind = column.type.name
      let article = "aeiou".contains(kind.prefix(1)) ? "an" : "a"
      let hint =
        switch value.lowercased() {
        case "null": "use '\(column.name) is null' or '\(column.name) is not null'"
        case let text where text.contains(" and "): Condition.oneEach
        default: "for example '\(column.name) \(comparison.rawValue) \(comparison == .isIn ? "(\(example))" : example)'"
        }
      return Problem(.usage, "invalid value “\(value)” for \(column.name): expected \(article) \(kind)", hint: hint)
    }
    func numbers(_ example: String) throws(Problem) -> [DecimalNumber] {
      var numbers: [DecimalNumber] = []
      for (value, literal) in zip(condition.values, bytes) {
        guard let number = DecimalNumber(literal) else { throw refuse(value, example) }
        numbers.append(number)
      }
      return numbers
    }
    switch column.type {
    case .integer, .real, .decimal:
      let short = bytes.count == 1 && bytes[0].count < 19 ? Int64(condition.values[0]) : nil
      let wanted = try numbers("1")
      let nearest = bytes.count == 1 ? unsafe bytes[0].withUnsafeBytes { unsafe NearestDouble($0) } : nil
      return .number(comparison, wanted, short: short, nearest: nearest)
    case .boolean:
      guard comparison == .equal || comparison == .notEqual else {
        throw Problem(
          .usage, "\(column.name) is a boolean and cannot be compared with < or >", hint: "use '\(column.name) = true'")
      }
      guard let value = Bool(condition.values[0]) else { throw refuse(condition.values[0], "true") }
      return .boolean(value == (comparison == .equal))
    case .date:
      for (value, text) in zip(condition.values, bytes) where !Dates.isDate(text) {
        throw refuse(value, "1958-09")
      }
      return .date(comparison, bytes)
    case .list(let element):
      guard [.equal, .notEqual, .isIn].contains(comparison) else {
        throw Problem(
          .usage, "\(column.name) is a list and cannot be compared with < or >",
          hint: "use '\(column.name) = ELEMENT' or '\(column.name) ~ TEXT'")
      }
      let isThere = comparison != .notEqual
      return element == .integer
        ? .numberElement(isThere: isThere, try numbers("1")) : .element(isThere: isThere, bytes)
    case .timestamp:
      for (value, text) in zip(condition.values, bytes) where !beginsTime(text) { throw refuse(value, "2024-05-17") }
      return .date(comparison, bytes)
    case .text, .bytes, .url, .json: return .text(comparison, bytes)
    }
  }

  /// Whether a text is a time or the beginning of one: `2024`, `2024-05-17`, `2024-05-17T08:15`.
  private static func beginsTime(_ text: [UInt8]) -> Bool {
    let clock = text.dropFirst(10)
    return Dates.isDate(Array(text.prefix(10)))
      && (clock.isEmpty
        || clock.first == UInt8(ascii: "T") && clock.dropFirst().allSatisfy { ":.Z0123456789".utf8.contains($0) })
  }

  func matches(_ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool {
    let cell = reader.cell(row, column)
    if case .isNull(let wanted) = test { return cell.isNull == wanted }
    if cell.isNull { return false }
    switch test {
    case .isNull: return false
    case .boolean(let wanted):
      if case .boolean(let value) = cell { return value == wanted }
      return false
    case .number(let comparison, let wanted, let short, let nearest):
      if let short, let value = reader.integer(of: cell) {
        return Self.holds(comparison, value < short ? -1 : value == short ? 0 : 1)
      }
      if let nearest, let order = reader.nearestDouble(of: cell)?.order(to: nearest) {
        return Self.holds(comparison, order)
      }
      guard let value = reader.number(of: cell) else { return false }
      if comparison == .isIn { return wanted.contains(value) }
      return Self.holds(comparison, value < wanted[0] ? -1 : value == wanted[0] ? 0 : 1)
    case .text(let comparison, let wanted):
      guard let value = unsafe reader.bytes(of: cell) else { return false }
      if comparison == .isIn { return wanted.contains { unsafe Self.order(value, $0) == 0 } }
      return unsafe Self.holds(comparison, Self.order(value, wanted[0]))
    case .date(let comparison, let wanted):
      guard let value = unsafe reader.bytes(of: cell) else { return false }
      let fallsIn = wanted.contains { day in unsafe value.starts(with: day) }
      switch comparison {
      case .equal, .isIn: return fallsIn
      case .notEqual: return !fallsIn
      case .lessOrEqual: return unsafe fallsIn || Self.order(value, wanted[0]) < 0
      default: return unsafe Self.holds(comparison, Self.order(value, wanted[0]))
      }
    case .element(let isThere, let wanted):
      guard let list = unsafe reader.bytes(of: cell) else { return false }
      return unsafe ListText.first(in: list) { wanted.contains($0) } == isThere
    case .numberElement(let isThere, let wanted):
      guard let list = unsafe reader.bytes(of: cell) else { return false }
      return unsafe ListText.first(in: list) { DecimalNumber($0).map(wanted.contains) ?? false } == isThere
    case .contains(let wanted, let needle):
      if let bytes = unsafe reader.bytes(of: cell) {
        scratch.removeAll(keepingCapacity: true)
        unsafe Fold.append(bytes, to: &scratch)
        return Self.find(needle, in: scratch) == wanted
      }
      return Self.find(needle, in: Array(cell.plainText.utf8)) == wanted
    }
  }

  private static func holds(_ comparison: Condition.Operator, _ order: Int) -> Bool {
    switch comparison {
    case .equal, .isIn: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    case .contains, .containsNot, .isNull, .isNotNull: false
    }
  }
  private static func order(_ a: UnsafeRawBufferPointer, _ b: [UInt8]) -> Int {
    unsafe b.withUnsafeBytes { unsafe precedes(a, $0) }
  }
  private static func find(_ needle: [UInt8], in text: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    guard text.count >= needle.count else { return false }
    return unsafe text.withUnsafeBufferPointer { text in
      var at = 0
      while at <= text.count - needle.count {
        if unsafe text[at] == first {
          var same = 1
          while same < needle.count, unsafe text[at + same] == needle[same] { same += 1 }
          if same == needle.count { return true }
        }
        at += 1
      }
      return false
    }
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
    let names = columns.map(\.name)
    let hint =
      SpellingSuggestion.word(to: name, among: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "" : "available columns: \(names.map(ListedName.written).joined(separator: ", "))")
    throw Problem(.usage, "\(self.name) has no column “\(name)”", hint: hint)
  }
}
