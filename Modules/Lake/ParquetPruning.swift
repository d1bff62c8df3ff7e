import Codecs
public import Parquet
public import Query
import Rows

/// A test of the row groups of a Parquet file, or of files, which may have a row that a selection needs.
public struct ParquetPruning: Sendable {
  private let predicates: [Predicate]

  /// - Parameter selection: what is needed; nil for everything.
  public init(_ selection: Selection?) { predicates = selection?.allPredicates ?? [] }

  /// The test of a row group by the bounds of its columns; nil if all are needed.
  public var test: (@Sendable ((String) -> ParquetGroupBounds?) -> Bool)? {
    if predicates.isEmpty { return nil }
    let predicates = self.predicates
    return { bounds in predicates.allSatisfy { Self.mayHold($0, bounds) } }
  }

  private static func mayHold(_ predicate: Predicate, _ bounds: (String) -> ParquetGroupBounds?) -> Bool {
    switch predicate {
    case .condition(let condition): mayHold(condition, bounds)
    case .all(let parts): parts.allSatisfy { mayHold($0, bounds) }
    case .any(let parts): parts.contains { mayHold($0, bounds) }
    // The negation of what may be false for some rows may hold for them.
    case .not: true
    }
  }

  private static func mayHold(_ condition: Condition, _ bounds: (String) -> ParquetGroupBounds?) -> Bool {
    guard let bounds = bounds(condition.column) else { return true }
    if condition.comparison == .isNull { return bounds.hasNull }
    guard bounds.hasValue else { return false }
    guard condition.otherColumn == nil else { return true }
    let values = condition.values
    func lowest(_ isEnough: (Int) -> Bool) -> Bool {
      guard let least = bounds.least, let value = values.first, let order = order(of: least, value) else { return true }
      return isEnough(order)
    }
    func highest(_ isEnough: (Int) -> Bool) -> Bool {
      guard let greatest = bounds.greatest, let value = values.first, let order = order(of: greatest, value) else {
        return true
      }
      return isEnough(order)
    }
    switch condition.comparison {
    case .less: return lowest { $0 < 0 }
    case .lessOrEqual: return lowest { $0 <= 0 }
    case .greater: return highest { $0 > 0 }
    case .greaterOrEqual: return highest { $0 >= 0 }
    case .equal, .isIn:
      return values.contains { value in
        let low = bounds.least.flatMap { order(of: $0, value) } ?? 0
        let high = bounds.greatest.flatMap { order(of: $0, value) } ?? 0
        return low <= 0 && high >= 0 && bounds.mayContain?(value) ?? true
      }
    default: return true
    }
  }

  /// Negative, zero or positive as a bound is before, equal to or after a value; nil if they cannot be compared.
  private static func order(of bound: Value, _ text: String) -> Int? {
    switch bound {
    case .integer(let number):
      guard let value = DecimalNumber(Array(text.utf8)) else { return nil }
      let bound = DecimalNumber(number)
      return bound < value ? -1 : bound == value ? 0 : 1
    case .text(let bytes):
      let value = Array(text.utf8)
      return bytes.lexicographicallyPrecedes(value) ? -1 : bytes == value ? 0 : 1
    default: return nil
    }
  }
}
