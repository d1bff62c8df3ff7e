import Domain
import Files
import Rows

/// The rows that loads replaced, as stores hand them to each other.
extension DirectoryStore {
  /// The rows that a load replaced, or that its undo did.
  public func replaced(by load: String, _ images: TableRevisions) async throws(Problem) -> ReplacedTable? {
    let table = images.schema.name, id = keptName(of: load, table, try await history())
    guard let old = try replaced.table(table, of: id) else { return nil }
    guard let known = try await opened(old, table, for: id) else { return .missing(table, load: load) }
    let rows = try await known.rows(columns: nil, scratch: scratch)
    let columns = old.isPart ? try self.columns(old, table) : known.schema.columns
    let schema = Schema(table, key: old.described?.key ?? [], columns: columns)
    return ReplacedTable(
      load: load, name: table, schema: schema, source: old.described?.source, isWhole: !old.isPart, rows: rows)
  }

  /// Takes over what another store kept.
  public func keep(_ table: ReplacedTable) async throws(Problem) {
    let work = try await begin(), id = keptName(of: table.load, table.name, try historyFiles.entries(nil))
    var old = ReplacedTables.Table(described: nil, rows: nil, sidecar: nil, known: nil)
    guard let schema = table.schema else { return try replaced.keep(table.name, old, for: id) }
    let columns = schema.columns.map(\.withoutRequiredTime), key = schema.key.map { schema.columns[$0].name }
    let file = fileName(of: table.name)
    let sidecar = format.codec.sidecar(of: Schema(table.name, key: key, columns: columns), file: file)
    var described = DirectoryManifest.Table(key: key)
    described.source = table.source
    described.columns = sidecar == nil ? columns : nil
    old = ReplacedTables.Table(
      described: described, rows: nil, sidecar: sidecar, known: nil, isPart: !table.isWhole)
    try replaced.keep(table.name, old, for: id)
    // A file of this directory can take its place in one step.
    let kept = table.isWhole ? schema : ReplacedTable.differences(schema)
    let place = replaced.directory(id, table.name) + "/rows", sink = try FileSink(path: place, mode: 0o600)
    var load = TableLoad("", time: "", kept, table.rows)
    load.isRemembered = false
    var merge = DirectoryMerge(kept, kept: kept, format, sink, keepsImages: false)
    let edits = try DirectoryEdits(load, scratch: scratch)
    try await merge.run(nil, removesOthers: true) { () async throws(Problem) in try await edits.next() }
    let stamp = try sink.flush()
    try sink.place()
    if table.isWhole { old.known = DirectoryState.File(stamp: stamp, extras: columns.filter(\.isExtra).map(\.name)) }
    try replaced.keep(table.name, old, for: id)
    _ = consume work
  }

  /// The entry for which a table is kept: the load's, or that of the undo which reversed it last.
  private func keptName(of load: String, _ table: String, _ entries: [HistoryEntry]) -> String {
    var id = load, steps = 0
    while let next = entries.last(where: { entry in
      entry.undoes.contains(id) && entry.tables.contains { $0.schema.name.utf8.elementsEqual(table.utf8) }
    }) {
      (id, steps) = (next.id, steps + 1)
    }
    return steps % 2 == 1 ? id : load
  }

  /// A kept table; nil if there was none.
  private func opened(
    _ old: ReplacedTables.Table, _ table: String, for id: String
  ) async throws(Problem) -> DirectoryTable? {
    guard let path = old.rows, let described = old.described else { return nil }
    let columns = try columns(old, table)
    let all = old.isPart ? ReplacedTable.differences(Schema(table, columns: columns)).columns : columns
    return try await DirectoryTable.open(
      try FileByteSource(path: path), table, key: old.isPart ? [] : described.key, all, format, known: old.known)
  }

  private func columns(_ old: ReplacedTables.Table, _ table: String) throws(Problem) -> [ColumnDescription] {
    let path = old.rows ?? table
    let columns = try old.sidecar.map { (bytes) throws(Problem) in
      try format.codec.columns(ofSidecar: bytes, name: path)
    }
    guard let columns = old.described?.columns ?? columns ?? known.first(where: { $0.name == table })?.columns else {
      throw Problem(.badData, "missing description of the columns", at: path)
    }
    return columns
  }

  /// The new file of a table when the rows that another kind of store kept are put back.
  func merged(
    _ old: ReplacedTables.Table, _ table: String, for id: String, _ work: borrowing DirectoryWork
  ) async throws(Problem) -> PendingFile {
    guard let now = try await self.table(table, work.view), let part = try await opened(old, table, for: id),
      now.schema.columns.map(\.name) == part.schema.columns.dropFirst().map(\.name)
    else { throw Problem(.busy, "\(table) was changed since", at: name) }
    let file = try pendingFile(now.schema, now, work.manifest)
    var merge = DirectoryMerge(now.schema, kept: now.schema, format, file.sink, keepsImages: false)
    let edits = try DirectoryEdits(
      differences: try await part.rows(columns: nil, scratch: scratch), of: now.schema, scratch: scratch)
    let rows = try await now.rows(columns: nil, scratch: scratch)
    try await merge.run(rows, removesOthers: false) { () async throws(Problem) in try await edits.next() }
    return file
  }
}
