import Domain

/// A table whose records can be found and changed by key. Rows are in the form of `StoredRow`.
protocol EditableTable: ~Copyable {
  /// The row with this key; nil for none.
  borrowing func row(_ key: StoredKey) throws(Problem) -> [Value]?
  /// Inserts the row, or puts it in the place of the one with its key.
  mutating func put(_ row: [Value], _ key: StoredKey) throws(Problem)
  /// Removes the row with this key, which is there.
  mutating func remove(_ key: StoredKey) throws(Problem)
  /// All keys.
  borrowing func keys() throws(Problem) -> [StoredKey]
}

/// Makes a change of one table, the same way in every storage.
enum TableEditor {
  /// Checks the change, makes it, and says what has changed.
  ///
  /// After an error the table may be half changed: the storage throws it away.
  /// - Throws: `busy` when a record is not as expected; `badData` for rows that do not fit, a key twice.
  static func apply<Table: EditableTable & ~Copyable>(
    _ change: TableChange, to table: inout Table
  ) throws(Problem) -> (outcome: TableOutcome, images: TableImages) {
    let schema = change.schema
    try StoredRow.check(schema)
    for expectation in change.expected {
      let key = try StoredRow.normalised(key: expectation.key, schema)
      var wanted: [Value]?
      if let row = expectation.row { wanted = try StoredRow.normalised(row, schema) }
      guard StoredRow.areSame(try table.row(key), wanted) else {
        throw Problem(
          .busy, "record \(key.text) has been changed meanwhile", at: schema.name, hint: "look at it and try again")
      }
    }
    var outcome = TableOutcome(), images = TableImages(schema: schema)
    var mentioned: Set<StoredKey> = []
    for row in change.upserts {
      let row = try StoredRow.normalised(row, schema), key = StoredKey(of: row, schema)
      guard mentioned.insert(key).inserted else {
        throw Problem(.badData, "two records have the key \(key.text)", at: schema.name)
      }
      let before = try table.row(key)
      if StoredRow.areSame(before, row) {
        outcome.unchanged += 1
        continue
      }
      try table.put(row, key)
      if before == nil { outcome.added += 1 } else { outcome.changed += 1 }
      images.rows.append(TableImages.Row(before: before, after: row))
    }
    var gone: [StoredKey] = []
    for key in change.deletes {
      let key = try StoredRow.normalised(key: key, schema)
      guard mentioned.insert(key).inserted else {
        throw Problem(.badData, "the key \(key.text) comes twice", at: schema.name)
      }
      gone.append(key)
    }
    if change.replacesAll { gone += try table.keys().filter { !mentioned.contains($0) } }
    for key in gone {
      guard let before = try table.row(key) else { continue }
      try table.remove(key)
      outcome.removed += 1
      images.rows.append(TableImages.Row(before: before, after: nil))
    }
    return (outcome, images)
  }

  /// Refuses a change that has a table twice, or a schema other than the one that is kept.
  static func check(_ change: StoreChange, kept: (String) -> Schema?) throws(Problem) {
    var names: Set<[UInt8]> = []
    for table in change.tables {
      let schema = table.schema
      guard names.insert(Array(schema.name.utf8)).inserted else {
        throw Problem(.badData, "the table comes twice in one change", at: schema.name)
      }
      guard let known = kept(schema.name) else { continue }
      let isSame =
        known.columns.map(\.name) == schema.columns.map(\.name)
        && known.columns.map(\.type) == schema.columns.map(\.type) && known.key == schema.key
      guard isSame else {
        throw Problem(
          .badData, "the table is kept with other columns, types or another key", at: schema.name,
          hint: "its columns are: \(known.columns.map { "\($0.name) \($0.type.name)" }.joined(separator: ", "))")
      }
    }
  }
}
