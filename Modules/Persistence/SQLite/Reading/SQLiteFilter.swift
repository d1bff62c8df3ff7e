import Codecs
import Query
import Rows

/// The part of a selection that SQLite can evaluate, as SQL with bound values. It excludes only rows that the selection
/// excludes as well.
struct SQLiteFilter: Sendable {
  /// Conditions for a WHERE, each of them in brackets; empty for none. Parameters count from 2: the first is the
  /// reader's own.
  private(set) var conditions: [String] = []

  /// Adds a condition, which the rows have to satisfy in addition.
  mutating func restrict(to condition: String) { conditions.append(condition) }
  private(set) var values: [Value] = []
  /// The most rows that are needed, in order of the key; nil for all.
  private(set) var limit: Int?

  /// Whether no row is excluded.
  var isEverything: Bool { conditions.isEmpty && limit == nil }

  static let none = SQLiteFilter()
  private init() {}

  /// What can be done of `selection` on a table whose values are kept as bb keeps them. Of any other, columns may hold
  /// values of other types than they are compared as, and nothing is done.
  init(_ selection: Selection?, on table: SQLiteTable, _ index: SQLiteSearchIndex?) {
    guard let selection, table.isOwn else { return }
    var isWhole = selection.keys == nil && selection.relations.isEmpty && selection.grouping == nil
    for predicate in selection.allPredicates {
      guard let (text, isExact) = predicate.sql(&values, { Self.condition(on: $0, table, &$1) }) else {
        isWhole = false
        continue
      }
      conditions.append("(\(text))")
      isWhole = isWhole && isExact
    }
    if let search = selection.search {
      if let match = index?.match(search) {
        values.append(.text(match.query))
        conditions.append("(" + match.condition(parameter: values.count + 1) + ")")
      } else {
        isWhole = false
      }
    }
    if isWhole, selection.sample == nil, selection.sort.isEmpty, let wanted = selection.limit {
      let (sum, isTooMuch) = wanted.addingReportingOverflow(selection.offset)
      limit = isTooMuch ? nil : sum
    }
  }

  /// A condition in SQL, its values noted; nil when SQL would compare in another way.
  private static func condition(
    on condition: Condition, _ table: SQLiteTable, _ values: inout [Value]
  ) -> String? {
    guard let column = table.columns.first(where: { $0.name.utf8.elementsEqual(condition.column.utf8) }),
      let type = column.type
    else { return nil }
    var name = column.name.quotedForSQL
    if condition.comparison == .isNull { return "\(name) IS NULL" }
    if condition.comparison == .isNotNull { return "\(name) IS NOT NULL" }
    if let otherName = condition.otherColumn {
      guard let other = table.columns.first(where: { $0.name.utf8.elementsEqual(otherName.utf8) }),
        type == .integer && other.type == .integer
          || [.text, .url].contains(type) && other.type.map([ColumnType.text, .url].contains) == true
      else { return nil }
      return "\(name) \(condition.comparison.rawValue) \(other.name.quotedForSQL)"
    }
    var bound: [Value] = []
    for text in condition.values {
      switch type {
      case .integer:
        guard let number = Int64(text) else { return nil }
        bound.append(.integer(number))
      case .text, .url: bound.append(.text(text))
      case .timestamp:
        // Of a partial time, all times within are equal to it.
        guard let instant = Dates.utc(Array(text.utf8)) else { return nil }
        bound.append(.text(TimeText.ordered(instant)))
      case .real, .decimal, .boolean, .bytes, .date, .datetime, .list, .json: return nil
      }
    }
    // As `TimeText` does.
    if type == .timestamp { name = "(substr(\(name),1,19)||rtrim(substr(\(name),20),'.0Z'))" }
    let parameters = bound.indices.map { "?\(values.count + 2 + $0)" }
    switch condition.comparison {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      values += bound
      return "\(name) \(condition.comparison.rawValue) \(parameters[0])"
    case .isIn where bound.count <= 100:
      values += bound
      return "\(name) IN (\(parameters.joined(separator: ", ")))"
    case .isIn, .contains, .containsNot, .startsWith, .matches, .isNull, .isNotNull: return nil
    }
  }
}
