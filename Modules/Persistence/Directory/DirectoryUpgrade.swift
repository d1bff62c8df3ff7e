import Domain
import Files
import Glibc
import Query
import Rows

extension DirectoryStore {
  /// Upgrades a store of version 1 to this version. If it is interrupted, the next one starts again: the manifest,
  /// which contains the version, is written last.
  func upgrade(_ work: inout DirectoryWork) async throws(Problem) {
    let legacy = LegacyHistory(path)
    var entries = try legacy.entries(), commit = DirectoryCommit([])
    // A change whose entry was written and whose files may not be in their places.
    if let state = LegacyHistory.State(try work.lock.bytes()), let last = entries.last, last.number > state.finished {
      if last.tables.first?.isLoad == true {
        let file = fileName(of: last.tables[0].schema.name)
        let now = try FileStamp.now(at: "\(path)/\(file)")
        if let loading = state.loading, now != loading { entries.removeLast() }
      } else {
        commit = DirectoryCommit(try await finished(last, work))
      }
    }
    DirectoryListing.removeAll(path + "/.bb/history")
    try historyFiles.adopt(entries)
    try self.commit(commit, &work)
    legacy.remove()
  }

  /// The files that an entry makes different, where that was not done.
  private func finished(_ entry: HistoryEntry, _ work: borrowing DirectoryWork) async throws(Problem) -> [PendingFile] {
    var files: [PendingFile] = []
    let view = work.view
    for images in entry.tables {
      let old = try await table(images.schema.name, view), kept = old?.schema ?? images.schema
      var edits = images.rows.map { row in
        let key = StoredKey(of: row.after ?? row.before ?? [], images.schema)
        return DirectoryEdit(key: key, action: .finish(before: row.before, after: row.after))
      }.sorted { $0.key < $1.key }[...]
      let file = try pendingFile(kept, old, work.manifest)
      var merge = DirectoryMerge(images.schema, kept: kept, format, file.sink)
      let rows = try await old?.rows(columns: nil, scratch: scratch)
      try await merge.run(rows, removesOthers: false) { () throws(Problem) in edits.popFirst() }
      if merge.outcome.isDifferent { files.append(file) }
    }
    return files
  }
}
