import Domain
import Query
import Rows

/// A change of one table, checked, its rows and keys in the form that is kept.
struct TablePlan {
  /// Where the change's columns are in the table.
  let columns: ColumnMap
  /// Records that must be so, by key; nil for none.
  private(set) var expected: [(StoredKey, [Value]?)] = []
  /// Rows as wide as the change's schema, in the order given.
  private(set) var upserts: [(StoredKey, [Value])] = []
  /// Keys to delete, in the order given.
  private(set) var deletes: [StoredKey] = []
  private var mentioned: Set<StoredKey> = []
  private let schema: Schema

  /// The plan of `change` on a table that is kept as `kept`, which it fits.
  /// - Throws: `badData` for rows that do not fit, a key twice.
  init(_ change: TableChange, kept: Schema) throws(Problem) {
    schema = change.schema
    columns = ColumnMap(change.schema, in: kept)
    for expectation in change.expected {
      let key = try StoredRow.normalised(key: expectation.key, schema)
      var wanted: [Value]?
      if let row = expectation.row { wanted = try StoredRow.normalised(row, schema) }
      expected.append((key, wanted))
    }
    for row in change.upserts {
      let row = try StoredRow.normalised(row, schema), key = StoredKey(of: row, schema)
      guard mentioned.insert(key).inserted else {
        throw Problem(.badData, "two records have the key \(key.text)", at: schema.name)
      }
      upserts.append((key, row))
    }
    for key in change.deletes {
      let key = try StoredRow.normalised(key: key, schema)
      guard mentioned.insert(key).inserted else {
        throw Problem(.badData, "duplicate key \(key.text)", at: schema.name)
      }
      deletes.append(key)
    }
  }

  /// Whether the change puts or deletes the record.
  func mentions(_ key: StoredKey) -> Bool { mentioned.contains(key) }

  /// Refuses a record that is not as the change expects.
  /// - Throws: `busy`.
  func expect(_ row: [Value]?, at key: StoredKey, _ wanted: [Value]?) throws(Problem) {
    guard StoredRow.areSame(row.map(columns.narrowed), wanted) else {
      throw Problem(
        .busy, "record \(key.text) was changed by another process", at: schema.name, hint: "reload it and try again")
    }
  }
}

/// Where the columns of one schema are in another that has them all.
struct ColumnMap {
  private let positions: [Int]
  private let width: Int

  /// The columns of `schema` in `kept`.
  init(_ schema: Schema, in kept: Schema) {
    positions = schema.columns.compactMap { kept.position(of: $0.name) }
    width = kept.width
  }

  /// A row of the narrow schema as one of the wide, which has the rest from `before`, else null.
  func widened(_ row: [Value], over before: [Value]?) -> [Value] {
    var result = before ?? Array(repeating: .null, count: width)
    for (value, position) in zip(row, positions) { result[position] = value }
    return result
  }

  /// A row of the wide schema as one of the narrow.
  func narrowed(_ row: [Value]) -> [Value] { positions.map { row[$0] } }
}
