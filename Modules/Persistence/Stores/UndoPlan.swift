import Domain
import Query
import Rows

/// What it takes to reverse changes of the history, the same way in every store.
struct UndoPlan {
  /// Changes of rows, each made only when the rows are as the reversed change left them.
  private(set) var changes: [TableChange] = []
  /// Loads, whose tables become what they were before, or what they were until they were undone.
  private(set) var loads: [Load] = []
  private let place: String

  /// A load to be undone, or to be made again: what it takes is kept by the store, and replaced by its opposite.
  struct Load {
    let id: String
    /// The entry that is reversed: the load's, or that of an undo.
    let reversed: String
    /// Whether the load is made again.
    let isRedo: Bool
    let images: TableRevisions
  }

  /// Reverses the entries that `undo` names, of the complete history `entries`.
  /// - Throws: `absent` for entries that do not exist or were undone; `busy` for a loaded table that was changed since.
  init(_ undo: StoreUndo, _ entries: [HistoryEntry], at place: String) throws(Problem) {
    self.place = place
    let undone = entries.undone, chosen = Set(undo.entries)
    let found = entries.filter { chosen.contains($0.id) }
    guard found.count == chosen.count, found.allSatisfy({ !undone.contains($0.id) }) else {
      throw Problem(.absent, "no such change to undo", at: place)
    }
    var names: [String] = [], images: [String: TableRevisions] = [:]
    for entry in found {
      for revisions in entry.tables {
        let name = revisions.schema.name
        if revisions.isLoad {
          let images = try checked(revisions, of: entry, entries, undone: undone.union(chosen))
          let (id, steps) = Self.origin(of: entry, name, entries)
          loads.append(Load(id: id, reversed: entry.id, isRedo: steps % 2 == 1, images: images))
        }
        guard let known = images[name] else {
          names.append(name)
          images[name] = revisions
          continue
        }
        guard !known.isLoad, !revisions.isLoad, let known = known.widened(to: revisions.schema) else {
          throw Problem(.usage, "two changes of the table “\(name)” cannot be undone together", at: place)
        }
        images[name] = known.followed(by: revisions)
      }
    }
    changes = names.compactMap { images[$0] }.filter { !$0.isLoad }.map(Self.reversed)
  }

  /// The entry that loaded a table, and the number of times that the load was reversed until `entry`.
  private static func origin(
    of entry: HistoryEntry, _ table: String, _ entries: [HistoryEntry]
  ) -> (id: String, steps: Int) {
    var entry = entry, steps = 0
    while let before = entries.last(where: { other in
      entry.undoes.contains(other.id)
        && other.tables.contains { $0.isLoad && $0.schema.name.utf8.elementsEqual(table.utf8) }
    }) {
      (entry, steps) = (before, steps + 1)
    }
    return (entry.id, steps)
  }

  /// The images of a load, unless its table was changed since.
  private func checked(
    _ images: TableRevisions, of entry: HistoryEntry, _ entries: [HistoryEntry], undone: Set<String>
  ) throws(Problem) -> TableRevisions {
    // A later undo prevents this one, too; but not if it only makes a change again.
    let undoing = Set(entries.filter { !$0.undoes.isEmpty }.map(\.id))
    let later = entries.last { other in
      other.id > entry.id && !undone.contains(other.id)
        && (other.undoes.isEmpty || !entry.undoes.isEmpty && !undoing.isSuperset(of: other.undoes))
        && other.tables.contains { $0.schema.name.utf8.elementsEqual(images.schema.name.utf8) }
    }
    guard let later else { return images }
    throw Problem(.busy, "\(images.schema.name) was changed since, by “\(later.title)”", at: place)
  }

  /// The error for a load whose table is no longer kept.
  func notKept(_ images: TableRevisions) -> Problem {
    Problem(.absent, "the rows of \(images.schema.name) that were replaced are no longer kept", at: place)
  }

  private static func reversed(_ images: TableRevisions) -> TableChange {
    let schema = images.schema
    var change = TableChange(schema)
    // In order of the key, as every store keeps its records: then all histories are the same.
    let rows = images.rows.map { (StoredKey(of: $0.after ?? $0.before ?? [], schema), $0) }.sorted { $0.0 < $1.0 }
    for (key, row) in rows {
      // The state of a sync changes with each run; an earlier one only means that more is fetched.
      if schema.name != SyncState.table {
        change.expected.append(TableChange.Expectation(key: key.values, row: row.after))
      }
      if let before = row.before { change.upserts.append(before) } else { change.deletes.append(key.values) }
    }
    return change
  }
}

extension TableRevisions {
  /// The images as those of a table that has more columns; nil for another table.
  fileprivate func widened(to schema: Schema) -> TableRevisions? {
    if schema == self.schema { return self }
    guard schema == self.schema.adding(schema.columns) else { return nil }
    let nulls = Array(repeating: Value.null, count: schema.width - self.schema.width)
    return TableRevisions(
      schema: schema, rows: rows.map { Row(before: $0.before.map { $0 + nulls }, after: $0.after.map { $0 + nulls }) })
  }

  /// The images of two changes of the same table, the second after the first, as those of one.
  fileprivate func followed(by next: TableRevisions) -> TableRevisions {
    var result = self
    var places: [StoredKey: Int] = [:]
    for (place, row) in rows.enumerated() { places[StoredKey(of: row.after ?? row.before ?? [], schema)] = place }
    for row in next.rows {
      if let place = places[StoredKey(of: row.after ?? row.before ?? [], schema)] {
        result.rows[place].after = row.after
      } else {
        result.rows.append(row)
      }
    }
    result.rows.removeAll { $0.before == nil && $0.after == nil }
    return result
  }
}
