import Codecs
import Rows

/// The functions of expressions by their names in SQL, and operators.
struct ExpressionFunction: Sendable {
  /// The permitted types of an argument.
  enum Kind: Sendable { case number, text, date, boolean, list, any }
  enum Result: Sendable {
    case type(ColumnType)
    case first, common(from: Int)
    /// Integer if all arguments are, real if one is, else decimal.
    case numeric
    /// A date for a date, a timestamp for a timestamp, a number for two dates.
    case moved
  }
  typealias Body = @Sendable ([ExpressionValue], ExpressionContext) throws(Problem) -> ExpressionValue

  let count: ClosedRange<Int>
  let usage: String
  /// The last one also applies to all further arguments.
  let accepts: [Kind]
  let gives: Result
  /// Whether it is called with nulls; else null is the result if an argument is null.
  var takesNull = false
  let body: Body

  private init(
    _ usage: String, _ count: ClosedRange<Int>, _ accepts: [Kind], _ gives: Result, takesNull: Bool = false,
    _ body: @escaping Body
  ) {
    (self.usage, self.count, self.accepts, self.gives) = (usage, count, accepts, gives)
    (self.takesNull, self.body) = (takesNull, body)
  }

  static var names: [String] { all.keys.sorted() + ["cast", "try_cast"] }

  static func isKnown(_ name: String) -> Bool { all[name] != nil || name == "cast" || name == "try_cast" }

  // MARK: - Helpers

  private static func number(_ value: ExpressionValue) -> ExactNumber? {
    switch value {
    case .number(let number): number
    case .real(let value): ExactNumber(literal: value.canonicalText)
    default: nil
    }
  }
  private static func integer(_ value: ExpressionValue) -> Int { number(value)?.integer.map(Int.init) ?? 0 }
  private static func whole(_ value: Int) -> ExpressionValue { .number(ExactNumber(Int128(value))) }
  private static func scalars(_ value: ExpressionValue) -> [Unicode.Scalar] { Array(value.string.unicodeScalars) }
  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> ExpressionValue {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return .text(Array(String(view).utf8))
  }
  private static func invalid(_ value: ExpressionValue, _ type: String) -> Problem {
    Problem(.badData, "“\(value.string)” is not \(type)", hint: "use try_cast, or nullif")
  }
  private static func seconds(_ value: ExpressionValue) throws(Problem) -> Int64 {
    guard let seconds = Dates.seconds(value.text) else { throw invalid(value, "a date") }
    return seconds
  }
  /// A date or time in the form of another one.
  private static func date(_ seconds: Int64, like text: [UInt8]) throws(Problem) -> ExpressionValue {
    guard let stamp = Dates.timestamp(epochSeconds: seconds) else {
      throw Problem(.badData, "the date is outside the years 0000 to 9999")
    }
    return .text(form(stamp, like: text))
  }
  private static func form(_ stamp: [UInt8], like text: [UInt8]) -> [UInt8] {
    text.count <= 10 ? Array(stamp.prefix(10)) : text.last == UInt8(ascii: "Z") ? stamp : stamp.dropLast()
  }
  private static func part(_ from: Int, _ count: Int) -> Body {
    { (values, _) throws(Problem) in
      let text = values[0].text
      guard Dates.seconds(text) != nil else { throw invalid(values[0], "a date") }
      guard text.count >= from + count else { return from >= 11 && text.count >= 10 ? whole(0) : .null }
      return Int(String(decoding: text[from..<from + count], as: UTF8.self)).map(whole) ?? .null
    }
  }
  private static func rounding(_ rounding: ExactNumber.Rounding, _ real: FloatingPointRoundingRule) -> Body {
    { (values, _) throws(Problem) in
      let places = values.count > 1 ? integer(values[1]) : 0
      if case .real(let value) = values[0] {
        guard value.isFinite, places != 0, let number = number(values[0]) else { return .real(value.rounded(real)) }
        return .real(number.rounded(to: places, rounding).double)
      }
      return number(values[0]).map { .number($0.rounded(to: places, rounding)) } ?? .null
    }
  }
  private static func extreme(_ sign: Int) -> Body {
    { (values, _) throws(Problem) in
      values.filter { !$0.isNull }.reduce(.null) { best, value in
        guard let order = ExpressionValue.order(value, best) else { return best.isNull ? value : best }
        return order * sign > 0 ? value : best
      }
    }
  }
  private static func trimming(_ start: Bool, _ end: Bool) -> Body {
    { (values, _) throws(Problem) in
      let marks = values.count > 1 ? scalars(values[1]) : [" "]
      var text = scalars(values[0])[...]
      while start, let first = text.first, marks.contains(first) { text.removeFirst() }
      while end, let last = text.last, marks.contains(last) { text.removeLast() }
      return Self.text(text)
    }
  }
  private static func padding(atStart: Bool) -> Body {
    { (values, _) throws(Problem) in
      let text = scalars(values[0]), width = max(integer(values[1]), 0)
      guard width <= 1 << 20 else { throw Problem(.badData, "the text would have more than \(1 << 20) characters") }
      let marks = values.count > 2 ? scalars(values[2]) : [" "]
      if text.count >= width || marks.isEmpty { return Self.text(text.prefix(width)) }
      let fill = (0..<width - text.count).map { marks[$0 % marks.count] }
      return Self.text(atStart ? fill + text : text + fill)
    }
  }
  private static func comparison(_ holds: @escaping @Sendable (Int) -> Bool) -> ExpressionFunction {
    ExpressionFunction("A = B", 2...2, [.any], .type(.boolean)) { (values, _) throws(Problem) in
      ExpressionValue.order(values[0], values[1]).map { .boolean(holds($0)) } ?? .null
    }
  }
  /// The bytes by which a text may be longer than the longest of those that it is made of.
  static let mostGrowth = 16 << 20
  static let tooLong = Problem(.badData, "the text would be more than \(mostGrowth >> 20) MiB longer")

  private static func joined(_ values: [ExpressionValue]) throws(Problem) -> ExpressionValue {
    var result = values[0].text, longest = result.count
    for value in values.dropFirst() {
      let text = value.text
      longest = max(longest, text.count)
      guard result.count + text.count - longest <= mostGrowth else { throw tooLong }
      result += text
    }
    return .text(result)
  }
  private static func replaced(_ text: [UInt8], _ old: [UInt8], _ new: [UInt8]) throws(Problem) -> [UInt8] {
    if old.isEmpty { return text }
    var result: [UInt8] = [], at = 0
    while at < text.count {
      guard result.count <= at + mostGrowth else { throw tooLong }
      if text[at] == old[0], text[at...].starts(with: old) {
        result += new
        at += old.count
      } else {
        result.append(text[at])
        at += 1
      }
    }
    return result
  }

  // MARK: - The functions

  static let all: [String: ExpressionFunction] = [
    "abs": .init("abs(x)", 1...1, [.number], .first) { (values, _) throws(Problem) in
      if case .real(let value) = values[0] { return .real(value.magnitude) }
      return number(values[0]).map { .number($0.isNegative ? -$0 : $0) } ?? .null
    },
    "round": .init("round(x, n)", 1...2, [.number], .first, rounding(.halfAway, .toNearestOrAwayFromZero)),
    "floor": .init("floor(x)", 1...1, [.number], .first, rounding(.down, .down)),
    "ceil": .init("ceil(x)", 1...1, [.number], .first, rounding(.up, .up)),
    "sign": .init("sign(x)", 1...1, [.number], .type(.integer)) { (values, _) throws(Problem) in
      values[0].double.map { whole($0 > 0 ? 1 : $0 < 0 ? -1 : 0) } ?? .null
    },
    "greatest": .init("greatest(a, b)", 1...100, [.any], .common(from: 0), takesNull: true, extreme(1)),
    "least": .init("least(a, b)", 1...100, [.any], .common(from: 0), takesNull: true, extreme(-1)),
    "upper": .init("upper(text)", 1...1, [.text], .type(.text)) { (values, _) throws(Problem) in
      text(scalars(values[0]).flatMap { $0.properties.uppercaseMapping.unicodeScalars })
    },
    "lower": .init("lower(text)", 1...1, [.text], .type(.text)) { (values, _) throws(Problem) in
      text(scalars(values[0]).flatMap { $0.properties.lowercaseMapping.unicodeScalars })
    },
    "trim": .init("trim(text)", 1...2, [.text], .type(.text), trimming(true, true)),
    "ltrim": .init("ltrim(text)", 1...2, [.text], .type(.text), trimming(true, false)),
    "rtrim": .init("rtrim(text)", 1...2, [.text], .type(.text), trimming(false, true)),
    "length": .init("length(text)", 1...1, [.text], .type(.integer)) { (values, _) throws(Problem) in
      whole(scalars(values[0]).count)
    },
    "substr": .init("substr(text, start, n)", 2...3, [.text, .number], .type(.text)) { (values, _) throws(Problem) in
      let text = scalars(values[0]), start = integer(values[1])
      let first = start < 0 ? text.count + start : start - 1
      let end = values.count > 2 ? first.addingReportingOverflow(max(integer(values[2]), 0)).partialValue : text.count
      let low = min(max(first, 0), text.count)
      return Self.text(text[low..<max(low, min(end, text.count))])
    },
    "replace": .init("replace(text, from, to)", 3...3, [.text], .type(.text)) { (values, _) throws(Problem) in
      .text(try replaced(values[0].text, values[1].text, values[2].text))
    },
    "split_part": .init("split_part(text, separator, n)", 3...3, [.text, .text, .number], .type(.text)) {
      (values, _) throws(Problem) in
      let separator = values[1].string
      let parts =
        separator.isEmpty
        ? [values[0].string]
        : values[0].string.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      let place = integer(values[2]), at = place < 0 ? parts.count + place : place - 1
      return .text(parts.indices.contains(at) ? Array(parts[at].utf8) : [])
    },
    "regexp_extract": .init("regexp_extract(text, pattern, group)", 2...3, [.text, .text, .number], .type(.text)) {
      (values, context) throws(Problem) in
      let groups = try context.kept(values[1].string, PatternGroups.init),
        number = values.count > 2 ? integer(values[2]) : 0
      guard (0..<groups.count).contains(number) else {
        throw Problem(.usage, "the pattern “\(values[1].string)” has no group \(number)", hint: "count its parentheses")
      }
      let text = values[0].text
      return .text(groups.first(in: text, from: 0)?[number].map { Array(text[$0]) } ?? [])
    },
    "regexp_replace": .init("regexp_replace(text, pattern, text, 'g')", 3...4, [.text], .type(.text)) {
      (values, context) throws(Problem) in
      let isAll = values.count > 3 && values[3].string.contains("g"),
        groups = try context.kept(values[1].string, PatternGroups.init)
      return .text(try groups.replacing(in: values[0].text, with: values[2].text, all: isAll))
    },
    "lpad": .init("lpad(text, n, fill)", 2...3, [.text, .number, .text], .type(.text), padding(atStart: true)),
    "rpad": .init("rpad(text, n, fill)", 2...3, [.text, .number, .text], .type(.text), padding(atStart: false)),
    "starts_with": .init("starts_with(text, prefix)", 2...2, [.text], .type(.boolean)) { (values, _) throws(Problem) in
      .boolean(values[0].text.starts(with: values[1].text))
    },
    "concat": .init("concat(a, b)", 1...100, [.text], .type(.text), takesNull: true) { (values, _) throws(Problem) in
      try joined(values)
    },
    "sha256": .init("sha256(text)", 1...1, [.text], .type(.text)) { (values, _) throws(Problem) in
      .text(Array(SHA256.hex(values[0].text).utf8))
    },
    "nullif": .init("nullif(a, b)", 2...2, [.any], .first, takesNull: true) { (values, _) throws(Problem) in
      ExpressionValue.order(values[0], values[1]) == 0 ? .null : values[0]
    },
    "year": .init("year(date)", 1...1, [.date], .type(.integer), part(0, 4)),
    "month": .init("month(date)", 1...1, [.date], .type(.integer), part(5, 2)),
    "day": .init("day(date)", 1...1, [.date], .type(.integer), part(8, 2)),
    "hour": .init("hour(time)", 1...1, [.date], .type(.integer), part(11, 2)),
    "minute": .init("minute(time)", 1...1, [.date], .type(.integer), part(14, 2)),
    "second": .init("second(time)", 1...1, [.date], .type(.integer), part(17, 2)),
    "weekday": .init("weekday(date)", 1...1, [.date], .type(.integer)) { (values, _) throws(Problem) in
      let day = Int(try seconds(values[0])).quotientAndRemainderRoundedDown(86_400).0
      return whole((day + 4).quotientAndRemainderRoundedDown(7).1)
    },
    "date_trunc": .init("date_trunc('month', date)", 2...2, [.text, .date], .moved) { (values, _) throws(Problem) in
      let unit = values[0].string.lowercased(), text = values[1].text
      let start = try seconds(values[1]), day = Int(start).quotientAndRemainderRoundedDown(86_400).0
      guard let stamp = Dates.timestamp(epochSeconds: start) else { throw invalid(values[1], "a date") }
      let lengths = ["year": 4, "month": 7, "day": 10, "hour": 13, "minute": 16, "second": 19]
      if unit == "week" {
        return try date(Int64(day - (day + 3).quotientAndRemainderRoundedDown(7).1) * 86_400, like: text)
      }
      guard let length = lengths[unit] else {
        throw Problem(.usage, "unknown part “\(unit)”", hint: "use year, month, week, day, hour, minute or second")
      }
      let whole = Array(stamp.prefix(length)) + Array("0000-01-01T00:00:00Z".utf8.dropFirst(length))
      return .text(form(whole, like: text))
    },
    "strptime": .init("strptime(text, format)", 2...2, [.text], .type(.timestamp)) {
      (values, context) throws(Problem) in
      let format = try context.kept(values[1].string, DateFormat.init)
      guard let result = format.parse(values[0].text) else {
        throw Problem(
          .badData, "“\(values[0].string)” does not have the form \(values[1].string)", hint: "use try_cast, or nullif")
      }
      return .text(result)
    },
    "strftime": .init("strftime(date, format)", 2...2, [.date, .text], .type(.text)) {
      (values, context) throws(Problem) in
      let seconds = try seconds(values[0])
      return .text(try context.kept(values[1].string, DateFormat.init).text(of: seconds, values[0].text))
    },
    "today": .init("today()", 0...0, [], .type(.date)) { (_, context) throws(Problem) in
      .text(Array(context.today.utf8))
    },
    "now": .init("now()", 0...0, [], .type(.timestamp)) { (_, context) throws(Problem) in .text(Array(context.now.utf8))
    },
    // A column that the rows of files have.
    "filename": .init("filename()", 0...0, [], .type(.text)) { (_, _) throws(Problem) in .null },
    "row_number": .init("row_number()", 0...0, [], .type(.integer)) { (_, context) throws(Problem) in whole(context.row)
    },
    "typeof": .init("typeof(x)", 1...1, [.any], .type(.text), takesNull: true) { (values, _) throws(Problem) in
      let name =
        switch values[0] {
        case .null: "null"
        case .boolean: "boolean"
        case .number(let number): number.scale == 0 ? "integer" : "decimal"
        case .real: "real"
        case .text: "text"
        case .json: "json"
        case .bytes: "bytes"
        }
      return .text(Array(name.utf8))
    },
    "len": .init("len(list)", 1...1, [.list], .type(.integer)) { (values, _) throws(Problem) in
      values[0].elements.map { whole($0.count) } ?? .null
    },
    "array_to_string": .init("array_to_string(list, separator)", 2...2, [.list, .text], .type(.text)) {
      (values, _) throws(Problem) in
      guard let elements = values[0].elements else { return .null }
      let texts = elements.filter { !$0.isNull }.map { ExpressionValue($0).text }
      return .text(Array(texts.joined(separator: values[1].text)))
    },
    "list_contains": .init("list_contains(list, value)", 2...2, [.list, .any], .type(.boolean)) {
      (values, _) throws(Problem) in
      values[0].elements.map { .boolean($0.contains { ExpressionValue.order(ExpressionValue($0), values[1]) == 0 }) }
        ?? .null
    },
    "json": .init("json(text)", 1...1, [.text], .type(.json)) { (values, _) throws(Problem) in
      guard let value = try? JSON.parse(values[0].text, name: "") else { throw invalid(values[0], "JSON") }
      return .json(value.canonicalBytes)
    },
    // Calculated only as far as needed: see `CompiledExpression`.
    "if": .init("if(condition, a, b)", 2...3, [.boolean, .any], .common(from: 1), takesNull: true) {
      (_, _) throws(Problem) in .null
    },
    "coalesce": .init("coalesce(a, b)", 1...100, [.any], .common(from: 0), takesNull: true) {
      (_, _) throws(Problem) in .null
    },
  ]

  /// The operators that are not arithmetic.
  static let operators: [String: ExpressionFunction] = [
    "=": comparison { $0 == 0 }, "!=": comparison { $0 != 0 }, "<": comparison { $0 < 0 },
    "<=": comparison { $0 <= 0 }, ">": comparison { $0 > 0 }, ">=": comparison { $0 >= 0 },
    "||": .init("A || B", 2...2, [.text], .type(.text)) { (values, _) throws(Problem) in
      try joined(values)
    },
    "~": .init("A ~ B", 2...2, [.text], .type(.boolean)) { (values, _) throws(Problem) in
      let part = Fold.folded(values[1].text)
      return .boolean(part.isEmpty || Fold.folded(values[0].text).firstRange(of: part) != nil)
    },
    "!~": .init("A !~ B", 2...2, [.text], .type(.boolean)) { (values, _) throws(Problem) in
      let part = Fold.folded(values[1].text)
      return .boolean(!part.isEmpty && Fold.folded(values[0].text).firstRange(of: part) == nil)
    },
    "=~": .init("A =~ B", 2...2, [.text], .type(.boolean)) { (values, context) throws(Problem) in
      .boolean(
        try context.kept(values[1].string) { (text) throws(Problem) in TextPattern(try Pattern(text)) }.matches(
          values[0].text))
    },
    "starts with": .init("A starts with B", 2...2, [.text], .type(.boolean)) { (values, _) throws(Problem) in
      .boolean(Fold.folded(values[0].text).starts(with: Fold.folded(values[1].text)))
    },
    "is null": .init("A is null", 1...1, [.any], .type(.boolean), takesNull: true) { (values, _) throws(Problem) in
      .boolean(values[0].isNull)
    },
    "is not null": .init("A is not null", 1...1, [.any], .type(.boolean), takesNull: true) {
      (values, _) throws(Problem) in .boolean(!values[0].isNull)
    },
    "in": .init("A in (B, C)", 2...10_000, [.any], .type(.boolean), takesNull: true) { (values, _) throws(Problem) in
      if values[0].isNull { return .null }
      if values.dropFirst().contains(where: { ExpressionValue.order(values[0], $0) == 0 }) { return .boolean(true) }
      return values.dropFirst().contains { $0.isNull } ? .null : .boolean(false)
    },
    "not": .init("not A", 1...1, [.boolean], .type(.boolean)) { (values, _) throws(Problem) in
      .boolean(!values[0].isTrue)
    },
    "and": .init("A and B", 2...2, [.boolean], .type(.boolean), takesNull: true) { (_, _) throws(Problem) in .null },
    "or": .init("A or B", 2...2, [.boolean], .type(.boolean), takesNull: true) { (_, _) throws(Problem) in .null },
    "case": .init("case", 2...10_000, [.any], .common(from: 1), takesNull: true) { (_, _) throws(Problem) in .null },
  ]
}

extension Dates {
  /// Seconds since 1970 of the beginning of a date or a time; without a zone on the clock that shows it. Nil for other
  /// text.
  static func seconds(_ text: [UInt8]) -> Int64? {
    if let seconds = epochSeconds(of: text) { return seconds }
    if text.count > 10, isDatetime(text) {
      return epochSeconds(of: text + Array(text.count == 16 ? ":00Z".utf8 : "Z".utf8))
    }
    return isDate(text) ? day(of: text).map { Int64($0) * 86_400 } : nil
  }
}

extension Int {
  fileprivate func quotientAndRemainderRoundedDown(_ divisor: Int) -> (Int, Int) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}

/// The state of functions: the row, and values kept from row to row.
final class ExpressionContext {
  let today: String, now: String
  /// The number of the row in the input, from 1.
  var row = 0
  private var kept: [String: Any] = [:]

  init(today: String, now: String) { (self.today, self.now) = (today, now) }

  /// The compiled form of a pattern or a format.
  func kept<Made>(_ text: String, _ make: (String) throws(Problem) -> Made) throws(Problem) -> Made {
    if let known = kept[text] as? Made { return known }
    let made = try make(text)
    if kept.count < 100 { kept[text] = made }
    return made
  }
}
