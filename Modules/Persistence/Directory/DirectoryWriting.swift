import Domain
import Files
import Glibc
import Query
import Rows

/// What takes its place in one step.
struct DirectoryCommit {
  let files: [PendingFile]
  /// Where the rows of the files come from; nil when that stays as it is known.
  var source: String?
  /// The history's entry, still without an identifier; nil when the history does not show the change.
  var entry: HistoryEntry?
  /// Tables that become what they were before a load, or until it was undone.
  var restored: [Restored] = []

  /// A table that becomes what it was.
  struct Restored {
    let load: UndoPlan.Load
    let table: String
    let old: ReplacedTables.Table
    let now: FileStamp?
    /// The new file; nil if it is the kept one.
    let file: PendingFile?
  }

  init(_ files: [PendingFile]) { self.files = files }
}

extension DirectoryStore {
  /// The files that version control ignores: the lock, changes that are being made, and tables that loads replaced.
  private static let ignored = """
    # Written by bb. The history is kept under version control; the rest is local.
    *
    !.gitignore
    !history/
    !history/*.json

    """

  /// The lock of the directory at `path`, after what a killed process began is finished.
  static func lock(_ path: String) async throws(Problem) -> DirectoryLock {
    let own = path + "/.bb"
    let lock = try await DirectoryLock.acquire(path)
    try DirectoryJournal.recover(path)
    for directory in [path, own] { DirectoryListing.removeLeftovers(directory) }
    return lock
  }

  /// Whether there is nothing of other programs, but hidden files as version control has them.
  private static func isEmpty(_ names: [String]) -> Bool { names.allSatisfy { $0.hasPrefix(".") || $0 == "images" } }

  /// The directory with its lock, in the format of this program.
  func begin() async throws(Problem) -> DirectoryWork {
    let isNew = try await reading { $0 == nil }
    if isNew {
      // Another process that makes the store just now has made the place of the lock first.
      let names = try DirectoryListing.names(path) ?? []
      guard names.contains(".bb") || Self.isEmpty(names) else { throw foreignDirectory }
      try ReplacementGuard.checkPlace(ofStore: path, name: name)
      try DirectoryListing.makeStore(path)
    }
    let lock = try await Self.lock(path)
    if isNew { try DirectoryListing.flush(path) }
    guard let manifest = try Self.manifest(of: path, nil) else {
      guard Self.isEmpty(try DirectoryListing.names(path) ?? []) else { throw foreignDirectory }
      return DirectoryWork(
        lock: lock, path: path, manifest: DirectoryManifest(storage: format.scheme), state: DirectoryState())
    }
    try check(manifest)
    let state = DirectoryState(try lock.bytes()) ?? DirectoryState()
    var work = DirectoryWork(lock: lock, path: path, manifest: manifest, state: state)
    if manifest.version == 1 { try await upgrade(&work) } else { LegacyHistory(path).remove() }
    return work
  }

  private var foreignDirectory: Problem {
    Problem(
      .permission, "the directory has files of other programs, and is only read", at: name,
      hint: [.run(.createStore(name), "make it a store"), "choose another directory"])
  }

  /// What changes of tables make of their files.
  func edited(
    _ changes: [TableChange], _ work: borrowing DirectoryWork
  ) async throws(Problem) -> (outcomes: [TableOutcome], images: [TableRevisions], files: [PendingFile]) {
    let view = work.view
    var known: [String: DirectoryTable] = [:]
    for table in changes { known[table.schema.name] = try await self.table(table.schema.name, view) }
    try TableEditor.check(changes) { (name) throws(Problem) in known[name]?.schema }
    var outcomes: [TableOutcome] = [], images: [TableRevisions] = [], files: [PendingFile] = []
    for table in changes {
      let old = known[table.schema.name], kept = TableEditor.kept(old?.schema, table.schema)
      var edits = try Self.edits(of: table, kept: kept)[...]
      let file = try pendingFile(kept, old, work.manifest)
      var merge = DirectoryMerge(table.schema, kept: kept, format, file.sink)
      let rows = try await old?.rows(columns: nil, scratch: scratch)
      try await merge.run(rows.map { WidenedRows.of($0, as: kept) }, removesOthers: table.replacesAll) {
        () throws(Problem) in edits.popFirst()
      }
      outcomes.append(merge.outcome)
      // In the order in which the change names them.
      if merge.outcome.isDifferent { images.append(merge.images.ordered(as: table)) }
      if merge.outcome.isDifferent || old == nil { files.append(file) }
    }
    return (outcomes, images, files)
  }

  /// Makes a change, with its entry of the history.
  func commit(_ commit: DirectoryCommit, _ work: inout DirectoryWork) throws(Problem) {
    var next = work.manifest.upgraded(to: format.scheme), sidecars: [(name: String, bytes: [UInt8])] = []
    for file in commit.files {
      // A column that the user added needs no description, unless it came from another kind of store.
      let isForeign = file.schema.columns.contains { $0.isExtra && $0.type != format.typeOfExtras }
      let columns = file.schema.columns.filter { !$0.isExtra || isForeign }.map(\.withoutRequiredTime)
      let key = file.schema.key.map { file.schema.columns[$0].name }
      let sidecar = format.codec.sidecar(of: Schema(file.schema.name, key: key, columns: columns), file: file.name)
      var table = next.tables[file.schema.name] ?? DirectoryManifest.Table(key: key)
      table.key = key
      table.source = commit.source ?? table.source
      table.columns = sidecar == nil ? columns : nil
      next.tables[file.schema.name] = table
      if let sidecar, let suffix = format.sidecarSuffix { sidecars.append((file.name + suffix, sidecar)) }
    }
    for restored in commit.restored { next.tables[restored.table] = restored.old.described }
    try FileSink.write(Array(Self.ignored.utf8), toMissing: path + "/.bb/.gitignore")
    try FileSink.write(Array(MergedManifest.attributes.utf8), toMissing: "\(path)/\(MergedManifest.attributesName)")
    let transaction = DirectoryTransaction(path)
    try transaction.add(DirectoryManifest.name, next.bytes)
    for sidecar in sidecars { try transaction.add(sidecar.name, sidecar.bytes) }
    for file in commit.files { transaction.add(file.sink, replacing: file.old?.stamp) }
    for restored in commit.restored { try restore(restored, transaction) }
    if transaction.isEmpty { return }
    let entry = try numbered(commit, work)
    do throws(Problem) {
      try transaction.commit(entry.map { ($0.id, DirectoryHistory.line($0)) })
    } catch {
      if let entry, !transaction.isPublished { for id in Set(kept(by: commit, entry)) { replaced.forget(id) } }
      throw error
    }
    for restored in commit.restored { work.state.files[fileName(of: restored.table)] = restored.old.known }
    for file in commit.files + commit.restored.compactMap(\.file) {
      let extras = file.schema.columns.filter(\.isExtra).map(\.name)
      work.state.files[file.name] = transaction.stamps[file.name].map { DirectoryState.File(stamp: $0, extras: extras) }
    }
    work.manifest = next
    work.lock.remember(work.state)
    if entry?.tables.contains(where: \.isLoad) == true { replaced.trim() }
  }

  /// The entry with its identifier, after the tables that a load replaces are kept.
  private func numbered(_ commit: DirectoryCommit, _ work: borrowing DirectoryWork) throws(Problem) -> HistoryEntry? {
    guard var entry = commit.entry else { return nil }
    entry.id = HistoryIdentifier.make(time: entry.time, after: try historyFiles.identifiers().last)
    if DirectoryHistory.line(entry).count > DirectoryHistory.limit {
      entry.tables = entry.tables.map { TableRevisions(schema: $0.schema, loaded: $0.rows.count + $0.loaded) }
    }
    for images in entry.tables where images.isLoad {
      guard let file = commit.files.first(where: { $0.schema.name == images.schema.name }) else { continue }
      try keep(images.schema.name, exists: file.old != nil, for: entry.id, work)
    }
    for (restored, id) in zip(commit.restored, kept(by: commit, entry)) {
      // A killed undo may have left something here.
      if id != entry.id { replaced.forget(id) }
      try keep(restored.table, exists: restored.now != nil, for: id, work)
    }
    return entry
  }

  /// Under which entries the tables that a change restores are kept as they are: what makes a load again keeps them for
  /// the load, which then can be undone as before.
  private func kept(by commit: DirectoryCommit, _ entry: HistoryEntry) -> [String] {
    commit.restored.map { $0.load.isRedo ? $0.load.id : entry.id }
  }

  private func keep(
    _ table: String, exists: Bool, for id: String, _ work: borrowing DirectoryWork
  ) throws(Problem) {
    let file = fileName(of: table), sidecar = format.sidecarSuffix.map { "\(path)/\(file)\($0)" }
    var old = ReplacedTables.Table(described: nil, rows: nil, sidecar: nil, known: nil)
    if exists {
      let bytes = try sidecar.flatMap { (path) throws(Problem) in try FileByteSource.ifPresent(path) }?
        .bytes(limit: DirectoryManifest.limit)
      old = ReplacedTables.Table(
        described: work.manifest.tables[table], rows: "\(path)/\(file)", sidecar: bytes, known: work.state.files[file])
    }
    try replaced.keep(table, old, for: id)
  }

  /// Makes a table what it was before a load.
  private func restore(
    _ restored: DirectoryCommit.Restored, _ transaction: DirectoryTransaction
  ) throws(Problem) {
    let file = fileName(of: restored.table), old = restored.old
    if let suffix = format.sidecarSuffix {
      if let sidecar = old.sidecar {
        try transaction.add(file + suffix, sidecar)
      } else {
        try transaction.remove(file + suffix)
      }
    }
    if let merged = restored.file {
      transaction.add(merged.sink, replacing: restored.now)
    } else if let rows = old.rows {
      transaction.addLink(to: rows, as: file, replacing: restored.now)
    } else {
      try transaction.remove(file)
    }
  }

  func pendingFile(
    _ schema: Schema, _ old: DirectoryTable?, _ manifest: DirectoryManifest
  ) throws(Problem) -> PendingFile {
    let place = "\(path)/\(fileName(of: schema.name))"
    if old == nil {
      try StoreRules.checkNotReserved(schema.name, at: name)
      try StoreRules.check(schema.name, among: manifest.tables.keys, at: name)
    }
    // The manifest names a table before its file is there.
    if manifest.tables[schema.name] == nil, try FileStamp.now(at: place) != nil {
      throw Problem(
        .permission, "the file was made by another program, and is only read", at: place, hint: "rename it")
    }
    return PendingFile(schema: schema, sink: try FileSink(path: place, mode: 0o600), old: old)
  }

  /// A change's records in order of the key.
  private static func edits(of change: TableChange, kept: Schema) throws(Problem) -> [DirectoryEdit] {
    let plan = try TablePlan(change, kept: kept)
    var edits: [StoredKey: DirectoryEdit] = [:]
    for (key, row) in plan.upserts { edits[key] = DirectoryEdit(key: key, action: .put(row)) }
    for key in plan.deletes { edits[key] = DirectoryEdit(key: key, action: .delete) }
    for (key, wanted) in plan.expected {
      // A record that is only checked stays when all others go, as it is not mentioned.
      var edit = edits[key] ?? DirectoryEdit(key: key, action: change.replacesAll ? .delete : .look)
      edit.check = { (before) throws(Problem) in try plan.expect(before, at: key, wanted) }
      edits[key] = edit
    }
    return edits.values.sorted { $0.key < $1.key }
  }
}
