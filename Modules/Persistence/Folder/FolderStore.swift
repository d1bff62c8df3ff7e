public import Domain
import Glibc
public import Query
public import Rows

/// A folder of files: one for each table, in order of the key, to be read and edited by people as well.
///
/// Nothing is made before the first change. A change is in the history, on the disk, before the first file is replaced; who opens the folder
/// finishes what was begun. What a person did to a file is found, read, and put in order at the next change; a file that cannot be read whole is
/// never written.
public actor FolderStore: RecordStore {
  /// `csv:FOLDER` or `json:FOLDER`.
  public nonisolated let name: String
  /// Everything.
  public nonisolated let capabilities: StoreCapabilities = [.durable, .crashSafe, .shared]
  private let path: String
  private let format: any FolderFormat
  private let scratch: any ScratchSpace
  private let history: FolderHistory

  private init(_ path: String, _ format: any FolderFormat, _ scratch: any ScratchSpace) {
    self.path = path
    self.format = format
    self.scratch = scratch
    name = "\(format.name):\(path)"
    history = FolderHistory(folder: path)
  }

  /// The folder at `path` with a CSV file for each table. Nothing is opened yet.
  public static func csv(_ path: String, scratch: any ScratchSpace) -> FolderStore {
    FolderStore(path, CSVFolder(), scratch)
  }

  /// The folder at `path` with a JSON file for each table. Nothing is opened yet.
  public static func json(_ path: String, scratch: any ScratchSpace) -> FolderStore {
    FolderStore(path, JSONFolder(), scratch)
  }

  /// Every table, in order of name; none when the folder is missing.
  public func tables() async throws(Problem) -> [Schema] {
    guard let manifest = try await reading() else {
      return try foreign().map { Schema($0.table, columns: []) }
    }
    let state = FolderLock.state(of: path) ?? FolderState()
    var schemas: [Schema] = []
    for name in manifest.tables.keys {
      if let table = try await table(name, manifest, state) { schemas.append(table.schema) }
    }
    for (name, _) in try foreign() where manifest.tables[name] == nil { schemas.append(Schema(name, columns: [])) }
    return schemas.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The records of a table, as they are now.
  /// - Throws: `noInput` for a table that is not there.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    if let manifest = try await reading(),
      let known = try await self.table(table, manifest, FolderLock.state(of: path) ?? FolderState())
    {
      return try await known.rows(columns: request.columns, scratch: scratch)
    }
    guard let found = try foreign().first(where: { $0.table.utf8.elementsEqual(table.utf8) }) else {
      if try FolderListing.names(path) == nil { throw StoreRules.noStorage(name) }
      let known = try await tables().map(\.name)
      let near = Nearest.word(to: table, among: known).map { "did you mean \($0)?" }
      let others = known.isEmpty ? "it is empty" : "there are: \(known.joined(separator: ", "))"
      throw Problem(.noInput, "there is no table “\(table)”", at: name, hint: near ?? others)
    }
    var reading = FileSource.Reading()
    reading.table = table
    let source = try FileSource(path: "\(path)/\(found.file)", reading, scratch: scratch) { _ in }
    return try await source.rows(of: table, request)
  }

  /// Makes a change, in one step.
  @discardableResult
  public func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    var work = try await begin()
    var known: [String: FolderTable] = [:]
    for table in change.tables {
      known[table.schema.name] = try await self.table(table.schema.name, work.manifest, work.state)
    }
    try TableEditor.check(change) { (name) throws(Problem) in known[name]?.schema }
    var outcomes: [TableOutcome] = [], images: [TableImages] = [], pending: [PendingFile] = []
    for table in change.tables {
      let old = known[table.schema.name], kept = old?.schema ?? table.schema
      var edits = try Self.edits(of: table, kept: kept)[...]
      let file = try pendingFile(kept, old, work.manifest)
      var merge = FolderMerge(table.schema, kept: kept, format, file.sink)
      let rows = try await old?.rows(columns: nil, scratch: scratch)
      try await merge.run(rows, removesOthers: table.replacesAll) { () throws(Problem) in edits.popFirst() }
      outcomes.append(merge.outcome)
      // In the order in which the change names them.
      if merge.outcome.isDifferent { images.append(merge.images.ordered(as: table)) }
      if merge.outcome.isDifferent || old == nil { pending.append(file) }
    }
    guard try change.accepts(outcomes), !pending.isEmpty else { return outcomes }
    try work.prepare(pending, source: nil, format, at: path)
    try await commit(&work, pending, images.isEmpty ? nil : (change.title, change.time, images))
    return outcomes
  }

  /// Makes a table hold the rows of a stream, in one step.
  @discardableResult
  public func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    var work = try await begin()
    let name = load.schema.name
    let old = try await table(name, work.manifest, work.state)
    try StoreRules.check(load, known: old?.schema, from: old == nil ? nil : work.manifest.tables[name]?.source)
    let kept = load.schema.key.isEmpty ? load.schema : old?.schema ?? load.schema
    let file = try pendingFile(kept, old, work.manifest)
    var merge = FolderMerge(load.schema, kept: kept, format, file.sink)
    let rows = load.schema.key.isEmpty ? nil : try await old?.rows(columns: nil, scratch: scratch)
    let edits = try FolderEdits(load, scratch: scratch)
    try await merge.run(rows, removesOthers: true) { () async throws(Problem) in try await edits.next() }
    var outcome = merge.outcome
    if load.schema.key.isEmpty, let old { outcome = try await comparison(of: outcome.added, file, old) }
    guard try load.accepts(outcome) else { return outcome }
    let isMoved = old != nil && work.manifest.tables[name]?.source != load.source
    guard outcome.isDifferent || old == nil || isMoved else { return outcome }
    try work.prepare([file], source: load.source, format, at: path)
    let entry = (load.title, load.time, [TableImages(schema: kept)])
    let isRemembered = outcome.isDifferent && load.isRemembered
    if isRemembered {
      try file.flush()
      work.state.loading = file.stamp
      work.lock.remember(work.state, flushing: true)
    }
    try await commit(&work, [file], isRemembered ? entry : nil)
    return outcome
  }

  /// Where a table was loaded from.
  public func source(of table: String) async throws(Problem) -> String? {
    guard let manifest = try await reading(), try FileStamp.now(at: file(of: table)) != nil else { return nil }
    return manifest.tables[table]?.source
  }

  /// The changes made so far, oldest first.
  public func history() async throws(Problem) -> [HistoryEntry] {
    try await reading() == nil ? [] : try history.entries()
  }

  /// Takes over a history.
  public func adopt(_ entries: [HistoryEntry]) async throws(Problem) {
    var work = try await begin()
    guard try history.lastNumber() == 0 else { throw StoreRules.hasHistory(name) }
    try work.prepare([], source: nil, format, at: path)
    if entries.isEmpty { return }
    work.state.historySize = try history.append(entries).after
    work.state.finished = entries[entries.count - 1].number
    work.lock.remember(work.state)
  }

  /// Reads every table and the history to the end.
  public func check() async throws(Problem) -> [Problem] {
    guard let manifest = try await reading() else { return [] }
    var found: [Problem] = []
    for name in manifest.tables.keys.sorted() {
      do throws(Problem) {
        try await table(name, manifest, FolderState())?.check(scratch: scratch)
      } catch {
        found.append(error)
      }
    }
    do throws(Problem) { _ = try history.entries() } catch { found.append(error) }
    return found
  }
}

// MARK: Reading

extension FolderStore {
  private func file(of table: String) -> String { "\(path)/\(FolderPath.stem(of: table)).\(format.name)" }

  /// What the folder says of its tables, after what was begun is finished; nil when there is no storage.
  private func reading() async throws(Problem) -> FolderManifest? {
    guard let manifest = try FolderManifest(folder: path) else { return nil }
    try manifest.check(format, folder: path)
    if let state = FolderLock.state(of: path), try history.size() != state.historySize,
      let lock = FolderLock.ifFree(path)
    {
      // Nobody is writing: somebody was killed. On a read-only medium the table stays as it is.
      var work = FolderWork(lock: lock, manifest: manifest, state: state)
      do throws(Problem) {
        try await finish(&work)
      } catch {
        guard error.kind == .permission else { throw error }
      }
    }
    return manifest
  }

  /// The table as it is now; nil when it has no file.
  private func table(
    _ name: String, _ manifest: FolderManifest, _ state: FolderState
  ) async throws(Problem) -> FolderTable? {
    let place = file(of: name)
    guard let described = manifest.tables[name], try FileStamp.now(at: place) != nil else { return nil }
    var columns = described.columns
    if columns == nil { columns = try format.described(at: place) ?? Catalog.all.first { $0.name == name }?.columns }
    guard let columns else {
      throw Problem(.badData, "nothing says what its columns are", at: place, hint: "put \(place)-metadata.json back")
    }
    return try await FolderTable.open(
      try FileByteSource(path: place), name, key: described.key,
      columns.filter { !$0.isExtra }
        + columns.filter(\.isExtra), format, known: state.files[Temporaries.split(place).name])
  }

  /// The tables that nobody described: files with the right suffix, whatever they are called.
  private func foreign() throws(Problem) -> [(table: String, file: String)] {
    let suffix = "." + format.name
    let names = try FolderListing.names(path)?.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") && $0 != "bb.json" }
    return (names ?? []).map { file in
      let stem = String(file.dropLast(suffix.utf8.count)), table = FolderPath.table(of: stem)
      // Others do not escape what bb does: such a name is meant as it stands.
      return (FolderPath.stem(of: table) == stem ? table : stem, file)
    }.sorted { $0.table.utf8.lexicographicallyPrecedes($1.table.utf8) }
  }

  /// What becomes of a table without a key: all of it, or nothing.
  private func comparison(
    of count: Int, _ file: PendingFile, _ old: FolderTable
  ) async throws(Problem) -> TableOutcome {
    var outcome = TableOutcome(), before = 0
    let stream = try await old.rows(columns: nil, scratch: scratch)
    while let batch = try await stream.next()?.batch() { before += batch.count }
    try file.flush()
    if try file.sink.holdsSame(as: old.file) {
      outcome.unchanged = count
    } else {
      (outcome.removed, outcome.added) = (before, count)
    }
    return outcome
  }
}

// MARK: Writing

extension FolderStore {
  /// The lock of the folder, and what is in it, after what was begun is finished.
  private func begin() async throws(Problem) -> FolderWork {
    let isNew = try FolderManifest(folder: path) == nil
    if isNew {
      // Whoever makes the storage just now has made the place of the lock first.
      let names = try FolderListing.names(path) ?? []
      guard names.contains(".bb") || names.allSatisfy({ $0 == "images" }) else { throw foreignFolder }
      try FolderListing.make(path)
    }
    let lock = try await FolderLock.acquire(path)
    FolderListing.removeLeftovers(path)
    var work = FolderWork(
      lock: lock, manifest: try FolderManifest(folder: path) ?? FolderManifest(), state: FolderState())
    try work.manifest.check(format, folder: path)
    if let state = try work.lock.state() {
      work.state = state
      if try history.size() != state.historySize { try await finish(&work) }
    } else {
      work.state.finished = try history.lastNumber()
      work.state.historySize = try history.size()
      work.lock.remember(work.state, flushing: true)
    }
    if isNew, work.manifest.tables.isEmpty {
      let others = try FolderListing.names(path)?.filter { $0 != ".bb" && $0 != "images" } ?? []
      guard others.isEmpty else { throw foreignFolder }
    }
    return work
  }

  private var foreignFolder: Problem {
    Problem(
      .permission, "the folder belongs to somebody else, and is only read", at: name,
      hint: "make it a storage with bb-notes init --storage \(name), or name another folder")
  }

  /// Makes the change that the last entry of the history says, where that was not done.
  private func finish(_ work: inout FolderWork) async throws(Problem) {
    let number = try history.lastNumber()
    if number > work.state.finished, let entry = try history.last(), try isUndoneLoad(entry, work.state) {
      // The rows are not in the history: what was begun cannot be finished, and is not said to be done.
      try history.removeLast()
    } else if number > work.state.finished, let entry = try history.last() {
      var pending: [PendingFile] = []
      for images in entry.tables where !images.rows.isEmpty {
        let old = try await table(images.schema.name, work.manifest, work.state)
        let kept = old?.schema ?? images.schema
        var edits = images.rows.map { row in
          let key = StoredKey(of: row.after ?? row.before ?? [], images.schema)
          return FolderEdit(key: key, action: .finish(before: row.before, after: row.after))
        }.sorted { $0.key < $1.key }[...]
        let file = try pendingFile(kept, old, work.manifest)
        var merge = FolderMerge(images.schema, kept: kept, format, file.sink)
        let rows = try await old?.rows(columns: nil, scratch: scratch)
        try await merge.run(rows, removesOthers: false) { () throws(Problem) in edits.popFirst() }
        if merge.outcome.isDifferent { pending.append(file) }
      }
      try work.prepare(pending, source: nil, format, at: path)
      try publish(&work, pending)
      work.state.finished = number
    }
    work.state.historySize = try history.size()
    work.state.loading = nil
    work.lock.remember(work.state)
  }

  /// Whether an entry says that a table was loaded, and the new file did not come to its place.
  private func isUndoneLoad(_ entry: HistoryEntry, _ state: FolderState) throws(Problem) -> Bool {
    guard let stamp = state.loading, let images = entry.tables.first, images.rows.isEmpty else { return false }
    return try FileStamp.now(at: file(of: images.schema.name)) != stamp
  }

  /// Puts files in their places, after the history says what they will hold.
  private func commit(
    _ work: inout FolderWork, _ files: [PendingFile], _ entry: (title: String, time: String, tables: [TableImages])?
  ) async throws(Problem) {
    for file in files { try file.flush() }
    try checkForOthers(files)
    var sizes = (before: work.state.historySize, after: work.state.historySize)
    if let entry {
      let number = max(try history.lastNumber(), work.state.finished) + 1
      sizes = try history.append([
        HistoryEntry(number: number, time: entry.time, title: entry.title, tables: entry.tables)
      ])
      work.state.finished = number
    }
    do throws(Problem) {
      try checkForOthers(files)
      try publish(&work, files)
    } catch {
      if !files.contains(where: \.isPublished) { history.truncate(to: sizes.before) }
      throw error
    }
    work.state.historySize = sizes.after
    work.state.loading = nil
    work.lock.remember(work.state)
  }

  private func publish(_ work: inout FolderWork, _ files: [PendingFile]) throws(Problem) {
    for file in files {
      try file.publish()
      work.state.files[Temporaries.split(file.sink.name).name] = file.stamp.map {
        FolderState.File(stamp: $0, extras: file.schema.columns.filter(\.isExtra).map(\.name))
      }
    }
  }

  /// Refuses when an editor saved a file since it was read.
  private func checkForOthers(_ files: [PendingFile]) throws(Problem) {
    for file in files where try FileStamp.now(at: file.sink.name) != file.replaced {
      throw Problem.changedMeanwhile(file.sink.name)
    }
  }

  private func pendingFile(
    _ schema: Schema, _ old: FolderTable?, _ manifest: FolderManifest
  ) throws(Problem) -> PendingFile {
    let place = file(of: schema.name)
    if old == nil { try StoreRules.check(schema.name, among: manifest.tables.keys, at: name) }
    // The manifest names a table before its file is there.
    if manifest.tables[schema.name] == nil, try FileStamp.now(at: place) != nil {
      throw Problem(.permission, "the file belongs to somebody else, and is only read", at: place, hint: "rename it")
    }
    let sink = try FileSink(path: place, mode: 0o600)
    return PendingFile(schema: schema, sink: sink, replaced: old?.stamp)
  }

  /// A change's records in order of the key.
  private static func edits(of change: TableChange, kept: Schema) throws(Problem) -> [FolderEdit] {
    let plan = try TablePlan(change, kept: kept)
    var edits: [StoredKey: FolderEdit] = [:]
    for (key, row) in plan.upserts { edits[key] = FolderEdit(key: key, action: .put(row)) }
    for key in plan.deletes { edits[key] = FolderEdit(key: key, action: .delete) }
    for (key, wanted) in plan.expected {
      let known = edits[key]
      // A record that is only looked at stays when all others go, as it is not mentioned.
      var edit = known ?? FolderEdit(key: key, action: change.replacesAll ? .delete : .look)
      edit.check = { (before) throws(Problem) in try plan.expect(before, at: key, wanted) }
      edits[key] = edit
    }
    return edits.values.sorted { $0.key < $1.key }
  }
}
