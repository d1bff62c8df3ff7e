import Codecs
import Query
import Rows

/// The part of a selection that PostgreSQL evaluates as bb does, as SQL. It excludes only rows that the selection
/// excludes as well.
///
/// COPY takes no parameters: values are literals.
struct PostgresFilter: Sendable {
  /// Conditions for a WHERE, each of them in brackets; empty for none.
  private(set) var conditions: [String] = []
  /// The most rows that are needed, in the usual order; nil for all.
  private(set) var limit: Int?

  struct Column: Sendable {
    let name: String
    let type: ColumnType
    /// Whether values are text in SQL, or integers or Booleans as SQL has them.
    let isComparable: Bool
  }

  /// What can be done of `selection`; nothing for nil.
  init(_ selection: Selection?, on columns: [Column]) {
    guard let selection else { return }
    var isWhole =
      selection.keys == nil && selection.relations.isEmpty && selection.grouping == nil && selection.search == nil
    for predicate in selection.allPredicates {
      var state: Void = ()
      guard let (text, isExact) = predicate.sql(&state, { condition, _ in Self.condition(condition, columns) }) else {
        isWhole = false
        continue
      }
      conditions.append("(\(text))")
      isWhole = isWhole && isExact
    }
    if isWhole, selection.sample == nil, selection.sort.isEmpty, let wanted = selection.limit {
      let (sum, isTooMuch) = wanted.addingReportingOverflow(selection.offset)
      limit = isTooMuch ? nil : sum
    }
  }

  /// ` WHERE …`; empty without conditions.
  var whereClause: String { conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ") }
  /// ` LIMIT N`; empty without a limit.
  var limitClause: String { limit.map { " LIMIT \($0)" } ?? "" }

  /// Text as a literal, whatever it has; nil for text that the server cannot have.
  static func literal(_ text: String) -> String? {
    if text.utf8.contains(0) { return nil }
    let quote = UInt8(ascii: "'")
    var bytes = [quote]
    for byte in text.utf8 { bytes += byte == quote ? [quote, quote] : [byte] }
    return String(decoding: bytes + [quote], as: UTF8.self)
  }

  /// A condition in SQL; nil when SQL would compare in another way.
  private static func condition(_ condition: Condition, _ columns: [Column]) -> String? {
    guard let column = columns.first(where: { $0.name.utf8.elementsEqual(condition.column.utf8) }) else { return nil }
    let name = column.name.quotedForSQL
    if condition.comparison == .isNull { return "\(name) IS NULL" }
    if condition.comparison == .isNotNull { return "\(name) IS NOT NULL" }
    guard column.isComparable, let left = comparable(column) else { return nil }
    if let otherName = condition.otherColumn {
      guard let other = columns.first(where: { $0.name.utf8.elementsEqual(otherName.utf8) }), other.isComparable,
        (column.type == .integer) == (other.type == .integer), let right = comparable(other)
      else { return nil }
      return "\(left) \(condition.comparison.rawValue) \(right)"
    }
    var values: [String] = []
    for text in condition.values {
      switch column.type {
      case .integer:
        guard let number = Int64(text) else { return nil }
        values.append("'\(number)'::bigint")
      default:
        guard let literal = literal(text) else { return nil }
        values.append(literal)
      }
    }
    switch condition.comparison {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      return values.count == 1 ? "\(left) \(condition.comparison.rawValue) \(values[0])" : nil
    case .isIn where (1...100).contains(values.count): return "\(left) IN (\(values.joined(separator: ", ")))"
    case .isIn, .contains, .containsNot, .startsWith, .matches, .isNull, .isNotNull: return nil
    }
  }

  /// The column as SQL compares it in bb's way: text by its bytes.
  private static func comparable(_ column: Column) -> String? {
    switch column.type {
    case .integer: column.name.quotedForSQL
    case .text, .url: "\(column.name.quotedForSQL) COLLATE \"C\""
    default: nil
    }
  }
}
