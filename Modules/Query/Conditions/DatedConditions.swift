import Codecs
public import Rows

extension Selection {
  /// The selection with dates in ISO 8601: what a column of dates or times is compared with may be a date such as
  /// `yesterday` or `may 2024`.
  /// - Parameters:
  ///   - schema: the columns that conditions name; other conditions stay as they are.
  ///   - today: the current date, `2024-05-17`.
  public func dated(in schema: Schema, today: String) -> Selection {
    var selection = self
    selection.conditions = conditions.map { $0.dated(in: schema, today: today) }
    selection.alternatives = alternatives.map { $0.map { $0.dated(in: schema, today: today) } }
    selection.predicates = predicates.map { $0.mapping { $0.dated(in: schema, today: today) } }
    return selection
  }
}

extension Predicate {
  /// The same with dates in ISO 8601.
  func dated(in schema: Schema, today: String) -> Predicate {
    today.isEmpty ? self : mapping { $0.dated(in: schema, today: today) }
  }
}

extension Condition {
  fileprivate func dated(in schema: Schema, today: String) -> Condition {
    guard let position = schema.position(of: column), schema.columns[position].type.isTemporal,
      otherColumn == nil
    else { return self }
    switch comparison {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn:
      return Condition(column, comparison, values.map { EverydayDate.date($0, today: today) ?? $0 })
    case .contains, .containsNot, .startsWith, .matches, .isNull, .isNotNull: return self
    }
  }
}
