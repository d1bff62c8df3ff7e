import Domain
import Query
import Codecs
import Rows

/// A table whose records can be found and changed by key. Rows are in the form of `StoredRow`.
protocol EditableTable: ~Copyable {
  /// The row with this key; nil for none.
  borrowing func row(_ key: StoredKey) throws(Problem) -> [Value]?
  /// Inserts the row, or replaces the one with its key.
  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem)
  mutating func remove(_ key: StoredKey) throws(Problem)
  borrowing func keys() throws(Problem) -> [StoredKey]
}

/// Applies a change to one table, in the same way for all stores.
enum TableEditor {
  /// Checks the change, makes it, and says what has changed.
  ///
  /// After an error the table may be half changed: the storage throws it away.
  /// - Parameter kept: the table as it is kept, which may have columns that the change does not know; they stay as they
  ///   are.
  /// - Throws: `busy` when a record is not as expected; `badData` for rows that do not fit, a key twice.
  static func apply<Table: EditableTable & ~Copyable>(
    _ change: TableChange, kept: Schema, to table: inout Table
  ) throws(Problem) -> (outcome: TableOutcome, images: TableRevisions) {
    let plan = try TablePlan(change, kept: kept)
    for (key, wanted) in plan.expected { try plan.expect(try table.row(key), at: key, wanted) }
    var outcome = TableOutcome(), images = TableRevisions(schema: kept)
    var nulls = NullTally(kept)
    for (key, upsert) in plan.upserts {
      let before = try table.row(key), after = plan.columns.widened(upsert, over: before)
      if let before { nulls.add(before, after) }
      guard outcome.count(before, after, &images) else { continue }
      try table.put(after, key)
    }
    var gone = plan.deletes
    if change.replacesAll { gone += try table.keys().filter { !plan.mentions($0) } }
    for key in gone {
      guard let before = try table.row(key) else { continue }
      try table.remove(key)
      _ = outcome.count(before, nil, &images)
    }
    outcome.nulled = nulls.found
    return (outcome, images)
  }

  /// Refuses a change that has a table twice, or a schema that does not fit the one that is kept.
  static func check(_ changes: [TableChange], kept: (String) throws(Problem) -> Schema?) throws(Problem) {
    var names: Set<[UInt8]> = []
    for table in changes {
      guard names.insert(Array(table.schema.name.utf8)).inserted else {
        throw Problem(.badData, "internal error: table appears twice in one change", at: table.schema.name)
      }
      try StoredRow.check(table.schema)
      if let known = try kept(table.schema.name) { try check(table.schema, fits: known, addsColumns: true) }
    }
  }

  /// The table as it is kept after a change: with the columns that may be null and that are not in it.
  static func kept(_ known: Schema?, _ change: Schema) -> Schema { known?.adding(change.columns) ?? change }

  /// Refuses a schema with another type, another key, or a column that is not kept.
  /// - Parameter addsColumns: whether columns that may be null are added to the table.
  static func check(_ schema: Schema, fits known: Schema, addsColumns: Bool = false) throws(Problem) {
    let isSame =
      schema.columns.allSatisfy { column in
        known.position(of: column.name).map { known.columns[$0].type == column.type }
          ?? (addsColumns && column.isNullable)
      } && known.key.map { known.columns[$0].name } == schema.key.map { schema.columns[$0].name }
    guard isSame else {
      let stored = known.columns.map { "\($0.name) \($0.type.name)" }.joined(separator: ", ")
      let others = schema.columns.compactMap { column -> String? in
        guard let type = known.position(of: column.name).map({ known.columns[$0].type }), type != column.type else {
          return nil
        }
        return "\(NameListParser.written(column.name))=\(type.name)"
      }
      let hint: Remedy = others.isEmpty ? "" : .set(.columnTypes, to: others.joined(separator: ","))
      throw Problem(
        .badData, "the stored table has different columns, types or a different key", at: schema.name,
        hint: hint.after("stored columns: \(stored)"))
    }
  }
}

extension TableOutcome {
  /// Counts one record and keeps its images.
  /// - Returns: whether it is different now.
  mutating func count(_ before: [Value]?, _ after: [Value]?, _ images: inout TableRevisions) -> Bool {
    switch (before, after) {
    case (nil, nil): return false
    case (nil, _): added += 1
    case (_, nil): removed += 1
    default:
      guard !StoredRow.areSame(before, after) else {
        unchanged += 1
        return false
      }
      changed += 1
    }
    images.rows.append(TableRevisions.Row(before: before, after: after))
    return true
  }
}
