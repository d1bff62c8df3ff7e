import Domain
import Files
import Glibc
import Query
import Rows

/// A directory of files: one per table, in key order, which users can read, edit and keep under version control.
///
/// Nothing is created before the first change. A change is published in one step with its history entry; the next
/// writer completes the change of a killed process. User edits are detected, read, and sorted at the next change; a
/// file that cannot be read completely is never written.
actor DirectoryStore: RecordStore {
  /// `csv:DIR`.
  public nonisolated let name: String
  /// Everything.
  public nonisolated let capabilities: StoreCapabilities = [
    .durable, .crashSafe, .shared, .holdsEverything,
  ]
  let path: String
  let format: DirectoryFormat
  private let maximumField: Int?
  let scratch: any ScratchSpace
  /// Datasets whose columns need no description in the directory.
  let known: [Schema]

  /// The directory at `path`. Nothing is opened yet.
  /// - Parameters:
  ///   - known: datasets whose columns need no description in the directory.
  ///   - maximumField: bytes of a field of a file that bb did not write; nil for 16 MiB.
  package init(
    _ path: String, _ format: DirectoryFormat, scratch: any ScratchSpace, known: [Schema] = [],
    maximumField: Int? = nil
  ) {
    self.path = path
    self.maximumField = maximumField
    self.format = format
    self.scratch = scratch
    self.known = known
    name = "\(format.scheme):\(path)"
  }

  var historyFiles: DirectoryHistory { DirectoryHistory(path) }
  var replaced: ReplacedTables { ReplacedTables(path) }

  /// Every table, in order of name; none when the directory is missing.
  public func tables() async throws(Problem) -> [Schema] {
    try await reading { (view) throws(Problem) in
      guard let view else { return try foreign().map { Schema($0.table, columns: []) } }
      var schemas: [Schema] = []
      for name in view.manifest.tables.keys {
        if let table = try await table(name, view) { schemas.append(table.schema) }
      }
      for (name, _) in try foreign() where view.manifest.tables[name] == nil {
        schemas.append(Schema(name, columns: []))
      }
      return schemas.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }

  /// The current records of a table.
  /// - Throws: `noInput` for a table that does not exist.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    let known = try await reading { (view) throws(Problem) -> (any RowStream)? in
      guard let view, let known = try await self.table(table, view) else { return nil }
      return try await known.rows(columns: request.someColumns, scratch: scratch)
    }
    if let known { return known }
    guard let found = try foreign().first(where: { $0.table.utf8.elementsEqual(table.utf8) }) else {
      if try DirectoryListing.names(path) == nil { throw StoreRules.noStorage(name) }
      let known = try await tables().map(\.name)
      throw Problem(
        .noInput, "table not found: “\(table)”", at: name,
        hint: known.isEmpty ? "the store is empty" : .choose(table, from: known, "available tables"))
    }
    var reading = FileInputOptions()
    reading.table = table
    reading.maximumField = maximumField
    try RegularFile.check("\(path)/\(found.file)", follows: true)
    let source = try FileSource(path: "\(path)/\(found.file)", reading, scratch: scratch) { _ in }
    return try await source.rows(of: table, request)
  }

  /// Makes a change, in one step.
  @discardableResult
  public func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    var work = try await begin()
    let made = try await edited(change.tables, work)
    guard try change.accepts(made.outcomes), !made.files.isEmpty else { return made.outcomes }
    var commit = DirectoryCommit(made.files)
    if made.images.concernRecords {
      commit.entry = HistoryEntry(
        id: "", time: change.time, title: change.title, tables: made.images, command: change.command)
    }
    try self.commit(commit, &work)
    return made.outcomes
  }

  /// Makes a table hold the rows of a stream, in one step.
  @discardableResult
  public func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    var work = try await begin()
    let name = load.schema.name
    let old = try await table(name, work.view), known = work.manifest.tables[name]
    try StoreRules.check(load, known: old?.schema, from: old == nil ? nil : known?.source)
    let kept = old?.schema ?? load.schema
    let file = try pendingFile(kept, old, work.manifest)
    var merge = DirectoryMerge(load.schema, kept: kept, format, file.sink, keepsImages: false)
    let rows = load.schema.key.isEmpty ? nil : try await old?.rows(columns: nil, scratch: scratch)
    let edits = try DirectoryEdits(load, scratch: scratch)
    try await merge.run(rows, removesOthers: true) { () async throws(Problem) in try await edits.next() }
    var outcome = merge.outcome
    if load.schema.key.isEmpty, let old { outcome = try await comparison(of: outcome.added, file, old) }
    guard try load.accepts(outcome) else { return outcome }
    let isMoved = old != nil && known?.source != load.source
    guard outcome.isDifferent || old == nil || isMoved else { return outcome }
    var commit = DirectoryCommit([file])
    commit.source = load.source
    // A new table without rows is a change as well: its undo removes it.
    if load.isRemembered, outcome.isDifferent {
      let images = TableRevisions(schema: kept, loaded: outcome.added + outcome.changed + outcome.removed)
      commit.entry = HistoryEntry(id: "", time: load.time, title: load.title, tables: [images], command: load.command)
    }
    try self.commit(commit, &work)
    return outcome
  }

  /// Where a table was loaded from.
  public func source(of table: String) async throws(Problem) -> String? {
    try await reading { (view) throws(Problem) in
      guard let view, try view.open(fileName(of: table)) != nil else { return nil }
      return view.manifest.tables[table]?.source
    }
  }

  /// The changes made so far, oldest first.
  public func history() async throws(Problem) -> [HistoryEntry] {
    try await reading { (view) throws(Problem) in
      guard let view else { return [] }
      guard view.manifest.version > 1 else { return HistoryEntry.numbered(try LegacyHistory(path).entries()) }
      return try historyFiles.entries(view.journal)
    }
  }

  /// The loads whose tables are kept as they were before.
  public func undoableLoads() async throws(Problem) -> Set<String> {
    let loads = try await history().filter { $0.undoes.isEmpty && $0.tables.contains(where: \.isLoad) }
    return Set(loads.filter(replaced.has).map(\.id))
  }

  /// Reverses changes, in one step.
  public func undo(_ undo: StoreUndo) async throws(Problem) {
    var work = try await begin()
    let plan = try UndoPlan(undo, try historyFiles.entries(nil), at: name)
    let made = try await edited(plan.changes, work)
    var commit = DirectoryCommit(made.files)
    commit.entry = HistoryEntry(
      id: "", time: undo.time, title: undo.title, tables: made.images + plan.loads.map(\.images), undoes: undo.entries)
    for load in plan.loads {
      let table = load.images.schema.name, file = fileName(of: table), id = load.isRedo ? load.reversed : load.id
      guard let old = try replaced.table(table, of: id) else { throw plan.notKept(load.images) }
      let now = try FileStamp.now(at: "\(path)/\(file)"), known = work.state.files[file]?.stamp
      guard now == (work.manifest.tables[table] == nil ? nil : known), now != nil || load.isRedo else {
        throw Problem.changedMeanwhile("\(path)/\(file)")
      }
      let merged = old.isPart ? try await merged(old, table, for: id, work) : nil
      commit.restored.append(
        DirectoryCommit.Restored(load: load, table: table, old: old, now: now, file: merged))
    }
    try self.commit(commit, &work)
    for load in plan.loads { replaced.forget(load.reversed) }
  }

  /// Takes over a history.
  public func adopt(_ entries: [HistoryEntry]) async throws(Problem) {
    var work = try await begin()
    guard try historyFiles.identifiers().isEmpty else { throw StoreRules.hasHistory(name) }
    try commit(DirectoryCommit([]), &work)
    try historyFiles.adopt(entries)
  }

  /// Reads every table and the history to the end.
  public func check() async throws(Problem) -> [Problem] {
    try await reading { (view) throws(Problem) in
      guard var view else { return [] }
      view.state = DirectoryState()
      var found: [Problem] = []
      for name in view.manifest.tables.keys.sorted() {
        do throws(Problem) { try await table(name, view)?.check(scratch: scratch) } catch { found.append(error) }
      }
      do throws(Problem) { _ = try await history() } catch { found.append(error) }
      do throws(Problem) { try RegularFile.check(path + "/.bb/lock") } catch { found.append(error) }
      return found
    }
  }
}
