import Codecs
import Rows

/// Statements that replace the rows of a table of a database, keep what they replace, and put it back.
///
/// In conditions `a` is a row of the table, `b` a row of the load, and `r` one that was kept: its columns are `c0`,
/// `c1`…, and its kind is 0 for rows as they were, 1 for keys of rows that were added.
struct TableReplacementSQL {
  /// The words of a database.
  struct Dialect: Sendable {
    /// The table that a load fills first, and the rows that are about to be put back.
    let loaded: String, before: String
    /// The columns of kept rows for their kind and their order.
    let kind: String, keptOrder: String
    /// A join that looks up each row of its left side on the right.
    let join: String
  }

  let dialect: Dialect
  let schema: Schema
  /// The name of the table.
  let table: String
  /// The order of the rows of a table without a key.
  let order: String

  private var columns: [String] { schema.columns.map(\.name.quotedForSQL) }
  private var places: [String] { columns.indices.map { "c\($0)" } }
  private func key(_ names: [String]) -> String { schema.key.map { names[$0] }.joined(separator: ", ") }
  private func all(_ row: String) -> String { columns.map { "\(row).\($0)" }.joined(separator: ", ") }

  /// Whether a row of the table and a row of the load have the same key.
  var matches: String { matches("b", columns) }
  private func matches(_ other: String, _ names: [String]) -> String {
    schema.key.map { "a.\(columns[$0]) = \(other).\(names[$0])" }.joined(separator: " AND ")
  }

  /// Makes the table hold the rows of a load.
  /// - Parameter differs: whether rows `a` and `b` of one key differ.
  func load(differs: String) -> [String] {
    let names = columns.joined(separator: ", "), loaded = dialect.loaded
    guard !schema.key.isEmpty else {
      return [
        "DELETE FROM \(table)", "INSERT INTO \(table)(\(names)) SELECT \(names) FROM \(loaded) ORDER BY \(order)",
      ]
    }
    let sets = columns.indices.filter { !schema.key.contains($0) }.map { "\(columns[$0]) = b.\(columns[$0])" }
      .joined(separator: ", ")
    var statements = ["DELETE FROM \(table) AS a WHERE NOT EXISTS (SELECT 1 FROM \(loaded) AS b WHERE \(matches))"]
    if !sets.isEmpty {
      statements.append("UPDATE \(table) AS a SET \(sets) FROM \(loaded) AS b WHERE \(matches) AND (\(differs))")
    }
    return statements + [
      "INSERT INTO \(table)(\(names)) SELECT \(all("b")) FROM \(loaded) AS b "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(table) AS a WHERE \(matches))"
    ]
  }

  /// Keeps the rows that a load will replace in the table `kept`.
  func keep(in kept: String, differs: String) -> [String] {
    let insert = insert(kept), loaded = dialect.loaded
    if schema.key.isEmpty { return ["\(insert) 0, \(all("a")) FROM \(table) AS a ORDER BY \(order)"] }
    return [
      "\(insert) 0, \(all("a")) FROM \(table) AS a WHERE NOT EXISTS (SELECT 1 FROM \(loaded) AS b WHERE \(matches))",
      "\(insert) 0, \(all("a")) FROM \(loaded) AS b JOIN \(table) AS a ON \(matches) WHERE \(differs)",
      "\(insert) 1, \(keys("b", columns)) FROM \(loaded) AS b "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(table) AS a WHERE \(matches))",
    ]
  }

  /// Keeps the rows that `restore` will replace in the table `kept`.
  /// - Parameter isWhole: whether these are all rows.
  func keepCurrent(in kept: String, isWhole: Bool) -> [String] {
    let insert = insert(kept), matches = matches("r", places)
    if isWhole {
      return ["\(insert) 0, \(all("a")) FROM \(table) AS a" + (schema.key.isEmpty ? " ORDER BY \(order)" : "")]
    }
    return [
      "\(insert) 0, \(all("a")) FROM \(dialect.before) AS r \(dialect.join) \(table) AS a ON \(matches)",
      "\(insert) 1, \(keys("r", places)) FROM \(dialect.before) AS r "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(table) AS a WHERE \(matches))",
    ]
  }

  /// Puts rows back. The index of the key finds them: nothing depends on the number of other rows.
  func restore(isWhole: Bool) -> [String] {
    let before = dialect.before
    let some = isWhole ? "" : " WHERE (\(key(columns))) IN (SELECT \(key(places)) FROM \(before))"
    return [
      "DELETE FROM \(table)\(some)",
      "INSERT INTO \(table)(\(columns.joined(separator: ", "))) SELECT \(places.joined(separator: ", ")) FROM \(before) "
        + "WHERE \(dialect.kind) = 0 ORDER BY \(dialect.keptOrder)",
      "DROP TABLE \(before)",
    ]
  }

  private func insert(_ kept: String) -> String {
    "INSERT INTO \(kept)(\(dialect.kind), \(places.joined(separator: ", "))) SELECT"
  }

  /// The key of a row among nulls.
  private func keys(_ row: String, _ names: [String]) -> String {
    names.indices.map { schema.key.contains($0) ? "\(row).\(names[$0])" : "NULL" }.joined(separator: ", ")
  }
}
