public import Query
import Rows

/// The stored values of a column that a change replaces with null.
public struct NulledValues: Sendable, Hashable {
  let column: String
  /// The number of these values.
  public var count: Int
  /// The number of stored values of the column in all rows that are compared.
  public var stored: Int
  /// The keys of the first three.
  public var keys: [StoredKey]

  /// Creates a count.
  public init(_ column: String, count: Int = 0, stored: Int = 0, keys: [StoredKey] = []) {
    (self.column, self.count, self.stored, self.keys) = (column, count, stored, keys)
  }

  /// The values of two sets of rows.
  static func sum(_ some: [NulledValues], _ others: [NulledValues]) -> [NulledValues] {
    var sum = some
    for other in others {
      guard let place = sum.firstIndex(where: { $0.column == other.column }) else {
        sum.append(other)
        continue
      }
      sum[place].count += other.count
      sum[place].stored += other.stored
      sum[place].keys = Array((sum[place].keys + other.keys).prefix(3))
    }
    return sum
  }

  /// Refuses nulls in place of so many values that the source, not the records, must have changed.
  /// - Parameters:
  ///   - least: the number of values that may always become null, and one more.
  ///   - share: the part of the column's values, as the divisor.
  /// - Throws: `badData` with the count and the first keys of each column.
  static func check(
    _ columns: [NulledValues], of table: String, least: Int, share: Int, _ policy: Sync.Policy
  ) throws(Problem) {
    var problems: [Problem] = []
    for column in columns
    where column.count >= least && column.count * share >= column.stored && !policy.mayBeNull.contains(column.column) {
      let keys = column.keys.map(\.text).joined(separator: "; ")
      problems.append(
        Problem(
          .badData,
          "refusing to replace \(column.count) of \(column.stored) stored values of \(column.column) with null, "
            + "for example of \(keys)",
          at: table, hint: .set(.drift, for: "accept the nulls")))
    }
    guard !policy.acceptsNulls, var first = problems.first else { return }
    first.others = Array(problems.dropFirst())
    throw first
  }
}
