import Codecs
import Query
import Rows

/// The part of a selection that a database evaluates as bb does, as SQL. It excludes only rows that the selection
/// excludes as well.
struct SQLFilter: Sendable {
  /// A column of the database.
  struct Column: Sendable {
    /// What values are compared as.
    enum Kind: Sendable { case integer, text, time }
    let name: String
    /// Nil for values that the database compares in another way.
    let kind: Kind?
    /// The column as an operand of a comparison.
    let operand: String
  }

  /// Conditions for a WHERE, each of them in brackets; empty for none.
  private(set) var conditions: [String] = []
  /// The values of the parameters, if the database takes any.
  private(set) var values: [Value] = []
  /// The most rows that are needed, in the usual order; nil for all.
  private(set) var limit: Int?

  /// No condition.
  init() {}

  /// The part of `selection` that can be done; nothing for nil.
  /// - Parameters:
  ///   - place: a value in SQL, noted if it is a parameter; nil if the database cannot have it.
  ///   - search: the condition for a search; nil if the database has none.
  init(
    _ selection: Selection?, on columns: [Column], search: (_ text: String, inout [Value]) -> String? = { _, _ in nil },
    place: (Value, inout [Value]) -> String?
  ) {
    guard let selection else { return }
    var isWhole = selection.keys == nil && selection.relations.isEmpty && selection.grouping == nil
    for predicate in selection.allPredicates {
      guard let (text, isExact) = predicate.sql(&values, { Self.condition($0, columns, place, &$1) }) else {
        isWhole = false
        continue
      }
      restrict(to: text)
      isWhole = isWhole && isExact
    }
    if let text = selection.search {
      if let condition = search(text, &values) { restrict(to: condition) } else { isWhole = false }
    }
    if isWhole, selection.sample == nil, selection.sort.isEmpty, let wanted = selection.limit {
      let (sum, isTooMuch) = wanted.addingReportingOverflow(selection.offset)
      limit = isTooMuch ? nil : sum
    }
  }

  /// Adds a condition, which the rows have to satisfy in addition.
  mutating func restrict(to condition: String) { conditions.append("(\(condition))") }

  /// Whether no row is excluded.
  var isEverything: Bool { conditions.isEmpty && limit == nil }
  /// ` WHERE …`; empty without conditions.
  var whereClause: String { conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ") }
  /// ` LIMIT N`; empty without a limit.
  var limitClause: String { limit.map { " LIMIT \($0)" } ?? "" }

  /// A condition in SQL; nil when SQL would compare in another way.
  private static func condition(
    _ condition: Condition, _ columns: [Column], _ place: (Value, inout [Value]) -> String?, _ noted: inout [Value]
  ) -> String? {
    func find(_ name: String) -> Column? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
    guard let column = find(condition.column) else { return nil }
    if condition.comparison == .isNull { return "\(column.name.quotedForSQL) IS NULL" }
    if condition.comparison == .isNotNull { return "\(column.name.quotedForSQL) IS NOT NULL" }
    guard let kind = column.kind else { return nil }
    if let otherName = condition.otherColumn {
      guard kind != .time, let other = find(otherName), other.kind == kind else { return nil }
      return "\(column.operand) \(condition.comparison.rawValue) \(other.operand)"
    }
    var places: [String] = [], values = noted
    for text in condition.values {
      var value = Value.text(text)
      switch kind {
      case .integer:
        guard let number = Int64(text) else { return nil }
        value = .integer(number)
      case .text: break
      case .time:
        // Of a partial time, all times within are equal to it.
        guard let instant = Dates.utc(Array(text.utf8)) else { return nil }
        value = .text(TimeText.ordered(instant))
      }
      guard let place = place(value, &values) else { return nil }
      places.append(place)
    }
    let text: String
    switch condition.comparison {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard places.count == 1 else { return nil }
      text = "\(column.operand) \(condition.comparison.rawValue) \(places[0])"
    case .isIn where (1...100).contains(places.count): text = "\(column.operand) IN (\(places.joined(separator: ", ")))"
    case .isIn, .contains, .containsNot, .startsWith, .matches, .isNull, .isNotNull: return nil
    }
    noted = values
    return text
  }
}

extension SQLFilter {
  /// The part for SQLite, on a table whose values are kept as bb keeps them. Of any other, columns may hold values of
  /// other types than they are compared as, and nothing is done.
  ///
  /// Parameters count from 2: the first is the reader's own.
  init(_ selection: Selection?, on table: SQLiteTable, _ index: SQLiteSearchIndex?) {
    guard table.isOwn else {
      self.init()
      return
    }
    func search(_ text: String, _ values: inout [Value]) -> String? {
      index?.match(text).map { match in
        values.append(.text(match.query))
        return match.condition(parameter: values.count + 1)
      }
    }
    self.init(selection, on: table.columns.compactMap(Column.init), search: search) { value, values in
      values.append(value)
      return "?\(values.count + 1)"
    }
  }

  /// The part for PostgreSQL. COPY takes no parameters: values are literals.
  init(_ selection: Selection?, onServer columns: [Column]) {
    self.init(selection, on: columns) { value, _ in
      switch value {
      case .integer(let number): "'\(number)'::bigint"
      case .text(let text): PostgresText.literal(String(decoding: text, as: UTF8.self))
      default: nil
      }
    }
  }
}

extension SQLFilter.Column {
  /// A column of a table of SQLite; nil if its type is not known.
  fileprivate init?(_ column: SQLiteTable.Column) {
    guard let type = column.type else { return nil }
    let operand = column.name.quotedForSQL
    switch type {
    case .integer: self.init(name: column.name, kind: .integer, operand: operand)
    case .text, .url: self.init(name: column.name, kind: .text, operand: operand)
    // As `TimeText` does.
    case .timestamp:
      let time = "(substr(\(operand),1,19)||rtrim(substr(\(operand),20),'.0Z'))"
      self.init(name: column.name, kind: .time, operand: time)
    case .real, .decimal, .boolean, .bytes, .date, .datetime, .list, .json:
      self.init(name: column.name, kind: nil, operand: operand)
    }
  }

  /// A column of a table of PostgreSQL. Text is compared by its bytes.
  /// - Parameter isComparable: whether values are text in SQL, or integers as SQL has them.
  init(_ name: String, _ type: ColumnType, isComparable: Bool = true) {
    let operand = name.quotedForSQL
    switch type {
    case .integer where isComparable: self.init(name: name, kind: .integer, operand: operand)
    case .text where isComparable, .url where isComparable:
      self.init(name: name, kind: .text, operand: "\(operand) COLLATE \"C\"")
    default: self.init(name: name, kind: nil, operand: operand)
    }
  }
}
