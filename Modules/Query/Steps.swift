import Codecs
public import Rows

/// Steps besides selection, in a fixed order: see `Selection`.
public struct Steps: Sendable, Hashable {
  /// The list of which each element becomes a row.
  public var explode: String?
  /// Constants for nulls: of a column, or of all columns that can have the value if there is no name.
  public var fill: [Filling] = []
  /// Columns that are calculated, in this order.
  public var assigned: [Assigned] = []
  var having: [Predicate] = []
  /// The column whose values become columns, and the column that fills them.
  public var pivot: NameListParser?
  /// The columns that become rows.
  public var unpivot: [String] = []
  /// The columns that are not written.
  public var dropped: [String] = []
  /// Whether only different rows are written.
  public var isDistinct = false
  /// The columns by which rows differ; nil for all that are written.
  public var distinct: [String]?
  /// The number of rows at the end that are written; nil for all.
  public var tail: Int?
  /// New names of columns.
  public var renamed: [NameListParser] = []
  /// The current date and time: `2024-05-17`, `2024-05-17T08:30:00Z`.
  public var today = "", now = ""

  /// A constant in place of null.
  public struct Filling: Sendable, Hashable {
    /// The column; nil for all.
    let column: String?
    let value: String

    /// A constant in place of null.
    public init(_ column: String?, _ value: String) { (self.column, self.value) = (column, value) }
  }

  init() {}

  /// Whether rows have other values after the first steps.
  var changesRows: Bool { explode != nil || !fill.isEmpty || !assigned.isEmpty }

  /// Whether a column may have other values after them.
  func changes(_ column: String) -> Bool {
    explode == column || fill.contains { $0.column == nil || $0.column == column }
      || assigned.contains { $0.name == column }
  }

  /// Whether there may be fewer or more rows after the later steps.
  var leavesFewer: Bool { isDistinct || pivot != nil || !unpivot.isEmpty || tail != nil }

  /// Whether they see the columns of relations.
  var comesAfterJoins: Bool { isDistinct || pivot != nil || !unpivot.isEmpty }

  /// Whether the command line says which columns there are.
  public var hasOwnColumns: Bool { !dropped.isEmpty || pivot != nil || !unpivot.isEmpty || !assigned.isEmpty }

  /// Whether they need memory for rows.
  public var keepsRows: Bool { isDistinct || pivot != nil }

  /// Whether the columns of a table change places with rows by this column.
  func names(_ column: String) -> Bool {
    unpivot.contains(column) || pivot.map { $0.name == column || $0.value == column } == true
  }

  /// Whether nothing is done.
  var isEmpty: Bool {
    !changesRows && !leavesFewer && having.isEmpty && dropped.isEmpty && renamed.isEmpty
  }

  /// The columns that a reader must have for them, of which those that they make are none; nil for all.
  public func needed(for columns: [String]) -> [String]? {
    if pivot != nil || !unpivot.isEmpty || !dropped.isEmpty || fill.contains(where: { $0.column == nil }) { return nil }
    var needed = columns + (distinct ?? []) + (explode.map { [$0] } ?? [])
    for one in assigned.reversed() {
      // A column that replaces another needs what it is calculated from.
      if needed.contains(one.name) { needed = needed.filter { $0 != one.name } }
      needed += one.expression.columns
    }
    return needed + fill.compactMap(\.column)
  }

  /// The rows after fill.
  func filled(
    _ rows: any RowStream, position: (String, Schema) throws(Problem) -> Int
  ) throws(Problem) -> any RowStream {
    if fill.isEmpty { return rows }
    var values: [(column: Int, value: Value)] = []
    for filling in fill {
      guard let name = filling.column else {
        if rows.schema.position(of: filling.value) != nil {
          throw Problem(
            .usage, "“\(filling.value)” is a column, and has no value",
            hint: .set(.filled, to: "\(NameListParser.written(filling.value))=VALUE"))
        }
        for (at, column) in rows.schema.columns.enumerated() {
          if let value = Self.value(filling.value, of: column) { values.append((at, value)) }
        }
        continue
      }
      let at = try position(name, rows.schema), column = rows.schema.columns[at]
      guard let value = Self.value(filling.value, of: column) else {
        throw Problem(
          .usage, "“\(filling.value)” is not a value of \(name), which is \(column.type.name)",
          hint: .set(.calculation, to: "\(name) = coalesce(cast(\(name) as text), '\(filling.value)')"))
      }
      values.append((at, value))
    }
    return ReshapedRows.filling(rows, values)
  }

  /// A text as a value of a column; nil if it is none.
  private static func value(_ text: String, of column: ColumnDescription) -> Value? {
    let bytes = Array(text.utf8)
    switch column.type {
    case .integer: return Int64(text).map { .integer($0) }
    case .decimal: return (try? JSON.parse(bytes, name: ""))?.numberLiteral == bytes ? .number(bytes) : nil
    case .real: return DecimalNumber(bytes) == nil ? nil : Double(text).map { .real($0) }
    case .boolean: return Bool(text).map { .boolean($0) }
    case .text, .url: return .text(bytes)
    case .date: return Dates.isDate(bytes) ? .text(bytes) : nil
    case .timestamp: return Dates.isTimestamp(bytes) ? .text(bytes) : nil
    case .datetime: return Dates.isDatetime(bytes) ? .text(bytes) : nil
    case .bytes, .list, .json: return nil
    }
  }
}
