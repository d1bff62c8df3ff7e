import Domain
import Query
import Rows

/// What it takes to reverse changes of the history, the same way in every store.
struct UndoPlan {
  /// Changes of rows, each made only when the rows are as the reversed change left them.
  private(set) var changes: [TableChange] = []
  /// Loads, whose tables become what they were before.
  private(set) var loads: [(id: String, images: TableRevisions)] = []
  private let place: String

  /// Reverses the entries that `undo` names, of the complete history `entries`.
  /// - Throws: `absent` for entries that do not exist or were undone; `busy` for a loaded table that was changed since.
  init(_ undo: StoreUndo, _ entries: [HistoryEntry], at place: String) throws(Problem) {
    self.place = place
    let undone = entries.undone, chosen = Set(undo.entries)
    let found = entries.filter { chosen.contains($0.id) }
    guard found.count == chosen.count,
      found.allSatisfy({ !undone.contains($0.id) && ($0.undoes.isEmpty || !$0.tables.contains(where: \.isLoad)) })
    else {
      throw Problem(.absent, "no such change to undo", at: place)
    }
    var names: Set<[UInt8]> = []
    for entry in found {
      for images in entry.tables {
        guard names.insert(Array(images.schema.name.utf8)).inserted else {
          throw Problem(.usage, "two changes of the table “\(images.schema.name)” cannot be undone together", at: place)
        }
        guard images.isLoad else {
          changes.append(Self.reversed(images))
          continue
        }
        let later = entries.last { other in
          other.id > entry.id && other.undoes.isEmpty && !undone.contains(other.id) && !chosen.contains(other.id)
            && other.tables.contains { $0.schema.name.utf8.elementsEqual(images.schema.name.utf8) }
        }
        if let later {
          throw Problem(.busy, "\(images.schema.name) was changed since, by “\(later.title)”", at: place)
        }
        loads.append((entry.id, images))
      }
    }
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
      change.expected.append(TableChange.Expectation(key: key.values, row: row.after))
      if let before = row.before { change.upserts.append(before) } else { change.deletes.append(key.values) }
    }
    return change
  }
}
