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
  let function: Function
  /// The column; nil for the number of rows.
  let column: String?
  /// The calculation for each row, if no column has this name.
  var expression: Expression?
  /// The part of a quantile, 0 to 1.
  var part = 0.5
  /// The name of the result's column.
  let name: String

  /// The columns that it needs.
  public var columns: [String] { expression?.columns ?? column.map { [$0] } ?? [] }

  /// Whether the result depends on the order of the values.
  var ordersValues: Bool { function == .min || function == .max }

  /// An aggregate; without a name, it is called `count` or `sum(rating)`.
  public init(_ function: Function, of column: String? = nil, as name: String? = nil) {
    self.function = function
    self.column = column
    self.name = name ?? column.map { "\(function.rawValue)(\($0))" } ?? function.rawValue
  }

  /// Parses a list such as `count, avg(rating), max("air date") as latest`.
  /// - Throws: `usage`.
  public static func list(parsing text: String) throws(Problem) -> [Aggregate] {
    var parser = try ExpressionParser(text, as: .aggregate)
    return try parser.aggregates()
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
      // A mean of decimals may have more digits than a Double.
      return ColumnDescription(
        name, column.type == .decimal ? .decimal : .real, "mean of \(column.name)", unit: column.unit)
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
