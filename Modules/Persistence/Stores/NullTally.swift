import Codecs
import Domain
import Query
import Rows

/// Counts the stored values that new rows replace with null.
struct NullTally {
  private let schema: Schema
  private var columns: [NulledValues]

  init(_ schema: Schema) {
    self.schema = schema
    columns = schema.columns.map { NulledValues($0.name) }
  }

  /// Counts the values of a row and of the row with its key that replaces it.
  mutating func add(_ before: [Value], _ after: [Value]) {
    for column in columns.indices where before[column] != .null {
      columns[column].stored += 1
      guard after[column] == .null else { continue }
      columns[column].count += 1
      if columns[column].keys.count < 3 { columns[column].keys.append(StoredKey(of: before, schema)) }
    }
  }

  /// The columns with stored values, without the key.
  var found: [NulledValues] {
    columns.indices.filter { columns[$0].stored > 0 && !schema.key.contains($0) }.map { columns[$0] }
  }
}

extension TableOutcome {
  /// Counts the rows of a load in SQL: stored rows are `a`, those with the same key in the load are `b`.
  /// - Parameters:
  ///   - join: both tables with the condition that the keys are equal.
  ///   - differs: whether `a` and `b` differ.
  ///   - numbers: the first `count` columns of the only row of a query.
  ///   - keys: the keys in the rows of a query.
  mutating func count(
    _ schema: Schema, _ join: String, differs: String,
    numbers: (_ query: String, _ count: Int) throws(Problem) -> [Int],
    keys: (_ query: String) throws(Problem) -> [StoredKey]
  ) throws(Problem) {
    let names = schema.columns.map(\.name.quotedForSQL), others = names.indices.filter { !schema.key.contains($0) }
    let nulls = others.map { ", count(CASE WHEN b.\(names[$0]) IS NULL THEN a.\(names[$0]) END)" }.joined()
    let counts = try numbers(
      "SELECT count(*), count(CASE WHEN \(differs) THEN 1 END)\(nulls) FROM \(join)", others.count + 2)
    (changed, unchanged) = (counts[1], counts[0] - counts[1])
    let key = schema.key.map { "a.\(names[$0])" }.joined(separator: ", ")
    for (column, count) in zip(others, counts.dropFirst(2)) where count > 0 {
      let name = names[column]
      nulled.append(
        NulledValues(
          schema.columns[column].name, count: count,
          stored: try numbers("SELECT count(a.\(name)) FROM \(join)", 1)[0],
          keys: try keys(
            "SELECT \(key) FROM \(join) WHERE a.\(name) IS NOT NULL AND b.\(name) IS NULL ORDER BY \(key) LIMIT 3")))
    }
  }
}
