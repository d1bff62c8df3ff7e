import Codecs
import Rows

/// An expression made ready for a schema: columns found, types checked.
final class CompiledExpression: Sendable {
  private enum Work: Sendable {
    case constant(ExpressionValue), column(Int)
    case arithmetic(UInt8), negation
    case and, or, choice, first, cases
    case member(String), element(Int), cast(ColumnType, strict: Bool)
    case function(ExpressionFunction), moved(UInt8)
  }
  private let work: Work
  private let parts: [CompiledExpression]
  /// The positions of the columns that the first two parts are; -1 for other parts. Most calculations need no more.
  private let columns: (Int, Int)
  /// The type of the result; nil for null.
  let type: ColumnType?
  private let label: String
  /// The expression as messages show it.
  var name: String { label }

  private init(_ work: Work, _ type: ColumnType?, _ parts: [CompiledExpression] = [], _ label: String) {
    (self.work, self.type, self.parts, self.label) = (work, type, parts, label)
    func column(_ number: Int) -> Int {
      if number < parts.count, case .column(let column) = parts[number].work { column } else { -1 }
    }
    columns = (column(0), column(1))
  }

  /// - Parameter position: finds a column; nil if the name is a path of members.
  /// - Throws: `usage` for an unknown column, and for a value of a type that a function does not take.
  static func compile(
    _ expression: Expression, of schema: Schema, position: (String) throws(Problem) -> Int
  ) throws(Problem) -> CompiledExpression {
    func compile(_ part: Expression) throws(Problem) -> CompiledExpression {
      try Self.compile(part, of: schema, position: position)
    }
    switch expression {
    case .constant(let value, let type):
      let constant = ExpressionValue(value)
      return CompiledExpression(.constant(constant), type, [], constant.string)
    case .value(let text, _):
      return CompiledExpression(.constant(.text(Array(text.utf8))), .text, [], text)
    case .column(let name):
      if schema.position(of: name) == nil, let path = Self.path(name, in: schema) { return try compile(path) }
      let column: Int
      do throws(Problem) { column = try position(name) } catch {
        var problem = error
        if Remedy.nearest(name, among: schema.columns.map(\.name)) == nil {
          let columns = schema.columns.map { NameListParser.written($0.name) }
          problem.hint = .choose(
            name, from: columns, "quote text as '\(name.replacing("'", with: "''"))'; available columns")
        }
        throw problem
      }
      let isPlain = name.hasPrefix(Conditions.mark) || (try? Expression(parsing: name)) == expression
      let label = isPlain ? name : "\"\(name.replacing("\"", with: "\"\""))\""
      return CompiledExpression(.column(column), schema.columns[column].type, [], label)
    case .member(let part, let name):
      let inner = try compile(part)
      return CompiledExpression(.member(name), .json, [inner], "\(inner.label).\(name)")
    case .element(let part, let place):
      let inner = try compile(part)
      var type = ColumnType.json
      if case .list(let element)? = inner.type { type = element == .integer ? .integer : .text }
      return CompiledExpression(.element(place), type, [inner], "\(inner.label)[\(place)]")
    case .cast(let part, let type, let strict):
      let inner = try compile(part)
      return CompiledExpression(.cast(type, strict: strict), type, [inner], inner.label)
    case .call(let name, let arguments):
      var parts: [CompiledExpression] = []
      for argument in arguments {
        let part = try compile(argument)
        parts.append(part)
        // In conditions, text is a value of the type of what it is compared with.
        guard case .value(let text, _) = argument, let type = parts[0].type else { continue }
        guard let value = Self.cast(.text(Array(text.utf8)), to: type) else {
          throw Problem(
            .usage, "invalid value “\(text)” for \(parts[0].label): expected \(type.name)", hint: "quote text as 'text'"
          )
        }
        parts[parts.count - 1] = CompiledExpression(.constant(value), type, [], text)
      }
      return try call(name, parts)
    }
  }

  /// `user.name` as a member of the column `user`, `tags[1].name` as one of an element; nil if the schema has no such
  /// column.
  private static func path(_ name: String, in schema: Schema) -> Expression? {
    func isNested(_ name: String) -> Bool {
      schema.position(of: name).map { schema.columns[$0].type.isNested } ?? (path(name, in: schema) != nil)
    }
    if name.utf8.contains(UInt8(ascii: "[")), let expression = try? Expression(parsing: name) {
      return expression.base.flatMap { $0 != name && isNested($0) ? expression : nil }
    }
    for (at, byte) in name.utf8.enumerated().reversed() where byte == UInt8(ascii: ".") {
      let head = String(decoding: name.utf8.prefix(at), as: UTF8.self)
      guard let column = schema.position(of: head), schema.columns[column].type.isNested else { continue }
      let members = String(decoding: name.utf8.dropFirst(at + 1), as: UTF8.self).split(at: ".")
      return members.reduce(.column(head)) { .member($0, String($1)) }
    }
    return nil
  }

  /// The column of which a name is one of a member, or of an element; nil for other names.
  static func base(of name: String, in schema: Schema) -> String? {
    path(name, in: schema)?.base.map { base(of: $0, in: schema) ?? $0 }
  }

  /// Whether only the values show the type: of members, of elements, and of choices between them.
  var isLoose: Bool {
    guard type == .json else { return false }
    switch work {
    case .column, .constant, .cast: return false
    case .function(let function): if case .type = function.gives { return false } else { return true }
    default: return true
    }
  }

  /// The member that it is, and its siblings in a row; nil for another expression, and without an object.
  func members(
    _ reader: CellReader, _ row: Int, _ context: ExpressionContext
  ) throws(Problem) -> (name: String, all: [String])? {
    guard case .member(let name) = work, case .json(let text) = try parts[0].value(reader, row, context),
      case .object(let members)? = try? JSON.parse(text, name: "")
    else { return nil }
    return (name, members.map(\.name))
  }

  private static func call(_ name: String, _ parts: [CompiledExpression]) throws(Problem) -> CompiledExpression {
    let label = parts.first?.label ?? name
    let sign = name.utf8.first ?? 0
    if name.utf8.count == 1, "+-*/%".utf8.contains(sign) {
      if let moved = try movedDate(name, sign, parts) { return moved }
      for part in parts { try part.check(.number, name) }
      let type = sign == UInt8(ascii: "/") && numeric(parts) == .integer ? .decimal : numeric(parts)
      return CompiledExpression(.arithmetic(sign), type, parts, label)
    }
    if name == "negate" {
      try parts[0].check(.number, "-")
      return CompiledExpression(.negation, parts[0].type, parts, label)
    }
    guard let function = ExpressionFunction.all[name] ?? ExpressionFunction.operators[name] else {
      throw Problem(.bug, "internal error: unknown operator \(name)")
    }
    if name == "case" {
      // Conditions and values take turns; the last value may have no condition.
      for at in stride(from: 0, to: parts.count - 1, by: 2) { try parts[at].check(.boolean, "when") }
      let values = parts.indices.filter { $0 % 2 == 1 || $0 == parts.count - 1 }.map { parts[$0] }
      return CompiledExpression(.cases, common(values), parts, name)
    }
    for (at, part) in parts.enumerated() {
      try part.check(function.accepts[min(at, function.accepts.count - 1)], name)
    }
    if ["=", "!=", "<", "<=", ">", ">=", "in", "nullif", "greatest", "least"].contains(name) {
      try checkComparison(parts, name)
    }
    let type: ColumnType? =
      switch function.gives {
      case .type(let type): type
      case .first: parts[0].type
      case .common(let from): common(Array(parts.dropFirst(from)))
      case .numeric: numeric(parts)
      case .moved: parts[1].type.flatMap { $0.isTime ? $0 : nil } ?? .date
      }
    switch name {
    case "and": return CompiledExpression(.and, type, parts, label)
    case "or": return CompiledExpression(.or, type, parts, label)
    case "if": return CompiledExpression(.choice, type, parts, label)
    case "coalesce": return CompiledExpression(.first, type, parts, label)
    case "strptime":
      // A column that was read as dates has the form of its file.
      if case .constant = parts[0].work {} else if parts[0].type?.isTemporal == true { return parts[0] }
      // The form says what the result is.
      if case .constant(let format) = parts[1].work {
        return CompiledExpression(.function(function), try DateFormat(format.string).type, parts, label)
      }
    case "typeof":
      // A column has the type of all its values.
      guard let known = parts[0].type, known != .json, let isNull = ExpressionFunction.operators["is null"] else {
        break
      }
      func name(_ text: String) -> CompiledExpression {
        CompiledExpression(.constant(.text(Array(text.utf8))), .text, [], text)
      }
      let test = CompiledExpression(.function(isNull), .boolean, parts, label)
      return CompiledExpression(.choice, .text, [test, name("null"), name(known.name)], label)
    case "=~", "regexp_extract", "regexp_replace":
      if case .constant(let pattern) = parts[1].work { _ = try Pattern(pattern.string) }
    case "strftime":
      if case .constant(let format) = parts[1].work { _ = try DateFormat(format.string) }
    default: break
    }
    return CompiledExpression(.function(function), type, parts, label)
  }

  /// A date and a number of days, or two dates.
  private static func movedDate(
    _ name: String, _ sign: UInt8, _ parts: [CompiledExpression]
  ) throws(Problem) -> CompiledExpression? {
    let areDates = parts.map { $0.type?.isTemporal == true }
    guard areDates.contains(true), name == "+" || name == "-" else { return nil }
    if areDates == [true, true], name == "-" { return CompiledExpression(.moved(sign), .integer, parts, "-") }
    guard areDates == [true, false], parts[1].type == .integer || parts[1].type == nil else {
      throw Problem(
        .usage, "\(name) of a date takes a number of days", hint: "use d + 30, d - 30, or the difference of two dates")
    }
    return CompiledExpression(.moved(sign), parts[0].type, parts, parts[0].label)
  }

  private static func numeric(_ parts: [CompiledExpression]) -> ColumnType {
    let types = parts.compactMap(\.type)
    return types.contains(.real) ? .real : types.allSatisfy { $0 == .integer } ? .integer : .decimal
  }

  /// The type that holds all values: text if they have nothing else in common.
  private static func common(_ parts: [CompiledExpression]) -> ColumnType? {
    let types = parts.compactMap(\.type)
    guard let first = types.first else { return nil }
    if types.allSatisfy({ $0 == first }) { return first }
    return types.allSatisfy(\.isNumeric) ? numeric(parts) : .text
  }

  private func check(_ kind: ExpressionFunction.Kind, _ name: String) throws(Problem) {
    guard let type else { return }
    let (fits, words, target): (Bool, String, String) =
      switch kind {
      case .number: (type.isNumeric || type == .json, "numbers", "decimal")
      case .boolean: (type == .boolean || type == .json, "conditions", "boolean")
      case .date: (type.isTemporal || type == .text || type == .json, "dates", "date")
      case .list: (type.isNested, "lists", "json")
      case .text, .any: (true, "", "")
      }
    if fits { return }
    let hint: Remedy =
      switch (kind, name) {
      case (.list, "len") where type == .text: "use length(\(label)), or len(json(\(label)))"
      case (.list, _): "use json(\(label))"
      case (_, "+") where type == .text: "use cast(\(label) as \(target)), or || to join texts"
      default: "use cast(\(label) as \(target))"
      }
    throw Problem(.usage, "\(name) applies only to \(words), and \(label) is \(type.name)", hint: hint)
  }

  private static func checkComparison(_ parts: [CompiledExpression], _ name: String) throws(Problem) {
    func kind(_ type: ColumnType) -> Int {
      type.isNumeric ? 0 : type == .boolean ? 1 : type.isNested || type == .bytes ? 3 : 2
    }
    guard let first = parts.first(where: { $0.type != nil && $0.type != .json }), let type = first.type else { return }
    for part in parts {
      guard let other = part.type, other != .json, kind(other) != kind(type) else { continue }
      throw Problem(
        .usage, "\(first.label) (\(type.name)) and \(part.label) (\(other.name)) cannot be compared",
        hint: other == .text ? "use cast(\(part.label) as \(type.name))" : "use cast(\(first.label) as \(other.name))")
    }
  }

  // MARK: - Values

  /// The value for a row.
  /// - Throws: `badData` for what cannot be calculated.
  func value(_ reader: CellReader, _ row: Int, _ context: ExpressionContext) throws(Problem) -> ExpressionValue {
    switch work {
    case .constant(let value): return value
    case .column(let column):
      let cell = reader.cell(row, column)
      return ExpressionValue(type?.isTime == true ? reader.unspelled(cell) : cell, reader)
    case .arithmetic(let sign):
      let (first, second) = columns
      let a = first < 0 ? try parts[0].value(reader, row, context) : ExpressionValue(reader.cell(row, first), reader)
      let b = second < 0 ? try parts[1].value(reader, row, context) : ExpressionValue(reader.cell(row, second), reader)
      return try calculated(sign, a, b)
    case .negation:
      switch try parts[0].value(reader, row, context) {
      case .number(let number): return .number(-number)
      case .real(let value): return .real(-value)
      default: return .null
      }
    case .and, .or:
      var isAnd = false
      if case .and = work { isAnd = true }
      var hasNull = false
      for part in parts {
        let value = try part.value(reader, row, context)
        if case .boolean(let truth) = value, truth != isAnd { return value }
        if value.isNull { hasNull = true }
      }
      return hasNull ? .null : .boolean(isAnd)
    case .choice:
      if try parts[0].value(reader, row, context).isTrue { return try parts[1].value(reader, row, context) }
      return parts.count > 2 ? try parts[2].value(reader, row, context) : .null
    case .first:
      for part in parts {
        let value = try part.value(reader, row, context)
        if !value.isNull { return value }
      }
      return .null
    case .cases:
      for at in stride(from: 0, to: parts.count - 1, by: 2)
      where try parts[at].value(reader, row, context).isTrue {
        return try parts[at + 1].value(reader, row, context)
      }
      return parts.count % 2 == 1 ? try parts[parts.count - 1].value(reader, row, context) : .null
    case .member(let name):
      guard case .json(let text) = try parts[0].value(reader, row, context),
        let value = try? JSON.parse(text, name: "")
      else { return .null }
      return ExpressionValue(value[name])
    case .element(let place):
      guard let elements = try parts[0].value(reader, row, context).elements else { return .null }
      let at = place < 0 ? elements.count + place : place - 1
      return elements.indices.contains(at) ? ExpressionValue(elements[at]) : .null
    case .cast(let type, let strict):
      let value = try parts[0].value(reader, row, context)
      if value.isNull { return .null }
      if let cast = Self.cast(value, to: type) { return cast }
      if !strict { return .null }
      throw Problem(
        .badData, "“\(String(value.string.prefix(100)))” is not \(type.name)", hint: "use try_cast for null instead")
    case .moved(let sign): return try moved(sign, reader, row, context)
    case .function(let function):
      var values: [ExpressionValue] = []
      values.reserveCapacity(parts.count)
      for part in parts {
        let value = try part.value(reader, row, context)
        if value.isNull, !function.takesNull { return .null }
        values.append(value)
      }
      return try function.body(values, context)
    }
  }

  @inline(__always)
  private func calculated(
    _ sign: UInt8, _ a: ExpressionValue, _ b: ExpressionValue
  ) throws(Problem) -> ExpressionValue {
    if case .number(let x) = a, case .number(let y) = b, type != .real {
      let result: ExactNumber?
      switch sign {
      case UInt8(ascii: "+"): result = x + y
      case UInt8(ascii: "-"): result = x + -y
      case UInt8(ascii: "*"): result = x * y
      case UInt8(ascii: "/"): result = x / y
      default: result = x % y
      }
      guard let result else { throw Self.impossible(sign, x, y) }
      return .number(result)
    }
    if a.isNull || b.isNull { return .null }
    guard let x = a.double, let y = b.double else {
      let value = a.double == nil ? a : b
      throw Problem(.badData, "“\(String(value.string.prefix(100)))” is not a number", hint: "use try_cast")
    }
    switch sign {
    case UInt8(ascii: "+"): return .real(x + y)
    case UInt8(ascii: "-"): return .real(x - y)
    case UInt8(ascii: "*"): return .real(x * y)
    default:
      if y == 0 { throw Self.divisionByZero(a.string) }
      return .real(sign == UInt8(ascii: "/") ? x / y : x.truncatingRemainder(dividingBy: y))
    }
  }

  private static func impossible(_ sign: UInt8, _ x: ExactNumber, _ y: ExactNumber) -> Problem {
    if sign == UInt8(ascii: "/") || sign == UInt8(ascii: "%"), y.isZero { return divisionByZero(x.shown) }
    return Problem(.badData, "the result has more than \(ExactNumber.mostDigits) digits")
  }
  private static func divisionByZero(_ value: String) -> Problem {
    Problem(.badData, "division of \(value) by zero", hint: "use nullif(b, 0)")
  }

  private func moved(
    _ sign: UInt8, _ reader: CellReader, _ row: Int, _ context: ExpressionContext
  ) throws(Problem) -> ExpressionValue {
    let a = try parts[0].value(reader, row, context), b = try parts[1].value(reader, row, context)
    if a.isNull || b.isNull { return .null }
    guard let day = Dates.day(of: a.text) else { throw Problem(.badData, "“\(a.string)” is not a date") }
    guard case .number(let number) = b else {
      guard let other = Dates.day(of: b.text) else { throw Problem(.badData, "“\(b.string)” is not a date") }
      return .number(ExactNumber(Int128(day - other)))
    }
    let days = number.integer.map { $0.magnitude < 10_000_000 ? Int($0) : 10_000_000 } ?? 0
    let moved = sign == UInt8(ascii: "-") ? day - days : day + days
    guard let stamp = Dates.timestamp(epochSeconds: Int64(moved) * 86_400) else {
      throw Problem(.badData, "the date is outside the years 0000 to 9999")
    }
    return .text(Array(stamp.prefix(10)) + a.text.dropFirst(10))
  }

  /// A value as one of another type; nil if it is none.
  private static func cast(_ value: ExpressionValue, to type: ColumnType) -> ExpressionValue? {
    let text = value.text
    func trimmed() -> [UInt8] { Array(text.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed()) }
    switch type {
    case .integer, .decimal:
      if case .boolean(let truth) = value { return .number(ExactNumber(truth ? 1 : 0)) }
      guard let number = ExactNumber(literal: trimmed()) else { return nil }
      if type == .decimal { return .number(number) }
      let whole = number.rounded(to: 0, .halfAway)
      return whole.integer == nil ? nil : .number(whole)
    case .real:
      if let double = value.double { return .real(double) }
      return DecimalNumber(trimmed()) == nil
        ? nil : Double(String(decoding: trimmed(), as: UTF8.self)).map { .real($0) }
    case .boolean:
      if case .number(let number) = value { return .boolean(!number.isZero) }
      return Bool(value.string.lowercased()).map { .boolean($0) }
    case .text, .url: return .text(text)
    case .bytes: return .bytes(text)
    case .date:
      if Dates.isTimestamp(text) || Dates.isDatetime(text) { return .text(Array(text.prefix(10))) }
      return Dates.isDate(text) ? .text(text) : nil
    case .datetime:
      if Dates.isDatetime(text) { return .text(text) }
      return Dates.isTimestamp(text) ? .text(text.dropLast()) : nil
    case .timestamp:
      if Dates.isTimestamp(text) { return .text(text) }
      if let utc = Dates.utc(text) { return .text(utc) }
      return Dates.seconds(text).flatMap { Dates.timestamp(epochSeconds: $0) }.map { .text($0) }
    case .json, .list:
      if case .json = value { return value }
      return (try? JSON.parse(text, name: "")).map { .json($0.canonicalBytes) }
    }
  }
}

extension ExactNumber {
  fileprivate var shown: String { String(decoding: literal.prefix(100), as: UTF8.self) }
}
