extension Predicate {
  /// The predicate in SQL, and whether it selects no other rows; nil if it has no SQL.
  ///
  /// Comparisons with NULL are neither true nor false in both languages. Negations are carried to the conditions, so
  /// that without a part more rows are selected, never fewer.
  /// - Parameters:
  ///   - state: what `condition` notes, such as the values of parameters, without those of parts that are omitted.
  ///   - condition: a condition in SQL; nil if SQL would compare in another way.
  package func sql<State>(
    negated: Bool = false, _ state: inout State, _ condition: (Condition, inout State) -> String?
  ) -> (text: String, isExact: Bool)? {
    let parts: [Predicate], isConjunction: Bool
    switch self {
    case .condition(let one):
      return condition(one, &state).map { (negated ? "NOT (\($0))" : $0, true) }
    case .not(let part): return part.sql(negated: !negated, &state, condition)
    case .all(let all): (parts, isConjunction) = (all, !negated)
    case .any(let all): (parts, isConjunction) = (all, negated)
    }
    let known = state
    var texts: [String] = [], isExact = true
    for part in parts {
      let before = state
      if let (text, isPartExact) = part.sql(negated: negated, &state, condition) {
        texts.append("(\(text))")
        isExact = isExact && isPartExact
      } else if isConjunction {
        state = before
        isExact = false
      } else {
        state = known
        return nil
      }
    }
    return texts.isEmpty ? nil : (texts.joined(separator: isConjunction ? " AND " : " OR "), isExact)
  }
}
