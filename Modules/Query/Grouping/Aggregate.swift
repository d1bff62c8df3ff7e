import Codecs
public import Rows

/// A value computed from all rows of a group: `count`, `sum(rating)`, `max(air_date) as latest`.
public struct Aggregate: Sendable, Hashable {
  /// The computation.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    /// Rows, or values that are not null.
    case count
    /// The exact sum of numbers, and their mean.
    case sum, avg
    /// The first and the last value in the order of `--sort`.
    case min, max
    /// The number of different values that are not null.
    case distinct
    /// The middle value, the value below which a part of the others lies, and the standard deviation of a sample.
    case median, quantile, stddev
    /// The first and the last value that is not null, in the order of the input.
    case first, last
  }
  /// The computation.
  let function: Function
  /// The column; nil for the number of rows.
  public let column: String?
  /// What is calculated for each row, if no column has this name.
  var expression: Expression?
  /// The part of a quantile, 0 to 1.
  var part = 0.5
  /// The name of the result's column.
  let name: String

  /// The columns that it needs.
  public var columns: [String] { expression?.columns ?? column.map { [$0] } ?? [] }

  /// An aggregate; without a name, it is called `count` or `sum(rating)`.
  public init(_ function: Function, of column: String? = nil, as name: String? = nil) {
    self.function = function
    self.column = column
    self.name = name ?? column.map { "\(function.rawValue)(\($0))" } ?? function.rawValue
  }

  /// Parses a list such as `count, avg(rating), max("air date") as latest`.
  /// - Throws: `usage`.
  public static func list(parsing text: String) throws(Problem) -> [Aggregate] {
    var scanner = AggregateScanner(text), aggregates: [Aggregate] = []
    repeat { aggregates.append(try scanner.aggregate()) } while try scanner.comma()
    return aggregates
  }

  /// The column of the result.
  /// - Throws: `usage` if the function does not apply to the type of the column.
  func result(of column: ColumnDescription?) throws(Problem) -> ColumnDescription {
    guard let column else { return ColumnDescription(name, .integer, nullable: false, "number of rows") }
    func refuse(_ types: String) -> Problem {
      Problem(
        .usage, "\(function.rawValue) applies only to \(types), and \(column.name) is \(column.type.name)",
        hint: "use count(\(column.name)) or distinct(\(column.name))")
    }
    switch function {
    case .count: return ColumnDescription(name, .integer, nullable: false, "number of values of \(column.name)")
    case .distinct: return ColumnDescription(name, .integer, nullable: false, "distinct values of \(column.name)")
    case .sum:
      guard column.type.isNumeric else { throw refuse("numbers") }
      return ColumnDescription(name, column.type, "sum of \(column.name)", unit: column.unit)
    case .avg:
      guard column.type.isNumeric else { throw refuse("numbers") }
      return ColumnDescription(name, .real, "mean of \(column.name)", unit: column.unit)
    case .median, .quantile, .stddev:
      guard column.type.isNumeric else { throw refuse("numbers") }
      let type: ColumnType = column.type == .real || function == .stddev ? .real : .decimal
      return ColumnDescription(name, type, "\(function.rawValue) of \(column.name)", unit: column.unit)
    case .first, .last:
      return ColumnDescription(name, column.type, "\(function.rawValue) value of \(column.name)", unit: column.unit)
    case .min, .max:
      if column.type.isNested || column.type == .bytes { throw refuse("numbers, text, dates and booleans") }
      let summary = "\(function == .min ? "least" : "greatest") value of \(column.name)"
      return ColumnDescription(name, column.type, summary, unit: column.unit).spelled(column.spelling)
    }
  }
}

/// Scans a list of aggregates by scalars.
private struct AggregateScanner {
  private let text: String
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  private func problem(_ message: String, _ hint: Remedy = "for example 'count, avg(rating) as mean'") -> Problem {
    let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    return Problem(.usage, "invalid aggregate “\(text)”: \(message) at character \(column)", hint: hint)
  }

  mutating func aggregate() throws(Problem) -> Aggregate {
    let start = rest
    let word = name(until: "(,")
    guard let function = Aggregate.Function(rawValue: word.lowercased()) else {
      rest = start
      let names = Aggregate.Function.allCases.map(\.rawValue)
      let hint: Remedy =
        switch word.lowercased() {
        case "mean", "average": "use avg"
        case let other:
          Remedy.choose(other, from: names, "available functions")
        }
      throw problem(word.isEmpty ? "missing function" : "unknown function “\(word)”", hint)
    }
    var column: String?, expression: Expression?, part = 0.5
    skipBlanks()
    if rest.first == "(" {
      rest = rest.dropFirst()
      skipBlanks()
      (column, expression) = try argument()
      skipBlanks()
      if function == .quantile {
        guard rest.first == "," else { throw problem("missing part", "use quantile(COLUMN, 0.9)") }
        rest = rest.dropFirst()
        guard let value = Double(name(until: ")")), value >= 0, value <= 1 else {
          throw problem("invalid part", "use a number from 0 to 1")
        }
        part = value
      }
      guard rest.first == ")" else { throw problem("missing )") }
      rest = rest.dropFirst()
      if column == "" || column == "*", function == .count { column = nil }
    }
    guard column?.isEmpty != true, column != nil || function == .count else {
      throw problem("missing column", "use \(function.rawValue)(COLUMN)")
    }
    skipBlanks()
    var alias: String?
    if String(rest.prefix(3)).lowercased() == "as " {
      rest = rest.dropFirst(3)
      skipBlanks()
      alias = rest.first == "\"" ? try quoted() : name(until: ",")
      if alias?.isEmpty != false { throw problem("missing name") }
    }
    let suffix = function == .quantile ? "quantile(\(column ?? ""), \(part))" : nil
    var result = Aggregate(function, of: column, as: alias ?? suffix)
    (result.expression, result.part) = (expression, part)
    return result
  }

  /// A column, or a calculation and its text.
  private mutating func argument() throws(Problem) -> (String?, Expression?) {
    let start = rest
    if rest.first == "\"" {
      let column = try quoted()
      skipBlanks()
      if rest.first == ")" || rest.first == "," { return (column, nil) }
      rest = start
    }
    var parser = ExpressionParser(text, at: rest)
    if rest.first != "*", rest.first != ")", let expression = try? parser.argument(),
      let next = parser.rest.first(where: { $0 != " " }), next == ")" || next == ","
    {
      var source = String(rest[..<parser.rest.startIndex])
      while source.last == " " { source.removeLast() }
      rest = parser.rest
      if case .column(let name) = expression { return (name, nil) }
      return (source, expression)
    }
    rest = start
    let name = name(until: ")")
    // A name that is written like a calculation, which says what is wrong with it.
    if name.contains("(") {
      var again = ExpressionParser(text, at: start)
      _ = try again.argument()
    }
    return (name, nil)
  }

  /// Skips a comma; false at the end.
  mutating func comma() throws(Problem) -> Bool {
    skipBlanks()
    if rest.isEmpty { return false }
    guard rest.first == "," else { throw problem("missing comma") }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  /// Text up to one of some marks, or up to `as`, without blanks at its ends.
  private mutating func name(until marks: String) -> String {
    skipBlanks()
    var name = rest.prefix { !marks.unicodeScalars.contains($0) }
    if marks.contains("("), let blank = name.firstIndex(of: " ") { name = name[..<blank] }
    rest = rest[name.endIndex...]
    while name.last == " " { name = name.dropLast() }
    return String(name)
  }

  private mutating func quoted() throws(Problem) -> String {
    let start = rest
    var name = "".unicodeScalars
    rest = rest.dropFirst()
    while let scalar = rest.first {
      rest = rest.dropFirst()
      if scalar == "\"" {
        guard rest.first == "\"" else { return String(name) }
        rest = rest.dropFirst()
      }
      name.append(scalar)
    }
    rest = start
    throw problem("unterminated \"", #"write "" for a quote inside"#)
  }
}

/// The way to group rows: a row for each different combination of values of some columns.
public struct Grouping: Sendable, Hashable {
  /// The columns that rows of a group have in common; none for one group of all rows.
  public var columns: [String]
  /// The values computed for each group, at least one.
  public var aggregates: [Aggregate]
  /// Whether each element of a list is a group of its own, so that a row counts once for each of its elements.
  var splitsLists = false

  /// A grouping by `columns`.
  public init(by columns: [String], _ aggregates: [Aggregate], splittingLists: Bool = false) {
    self.columns = columns
    self.aggregates = aggregates
    splitsLists = splittingLists
  }

  /// The number of all rows.
  public static let count = Grouping(by: [], [Aggregate(.count)])
}
