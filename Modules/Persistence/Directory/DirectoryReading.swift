import Domain
import Glibc
import Query
import Rows

/// The contents of a directory store at one moment.
struct DirectoryView {
  let path: String
  let manifest: DirectoryManifest
  /// The files as bb left them.
  var state: DirectoryState
  /// A change that was started and not completed: it counts as made.
  let journal: DirectoryJournal?

  /// The current location of a file's content; nil if it was deleted.
  func content(_ name: String) -> String? {
    guard let journal else { return "\(path)/\(name)" }
    return journal.content(name, in: path)
  }
}

extension DirectoryWork {
  /// The same view for writers, after an interrupted change was completed.
  var view: DirectoryView { DirectoryView(path: path, manifest: manifest, state: state, journal: nil) }
}

extension DirectoryStore {
  func fileName(of table: String) -> String { TableFileName.stem(of: table) + format.tableSuffix }

  /// The manifest of the directory at `path`; nil when it is not a store.
  static func manifest(of path: String, _ journal: DirectoryJournal?) throws(Problem) -> DirectoryManifest? {
    let name = DirectoryManifest.name
    guard let place = journal == nil ? "\(path)/\(name)" : journal?.content(name, in: path),
      try FileStamp.now(at: place) != nil
    else { return nil }
    let bytes = try FileByteSource(path: place).bytes(limit: DirectoryManifest.limit)
    return try DirectoryManifest(bytes, at: "\(path)/\(name)")
  }

  /// Passes the contents of the directory to `body`, nil if it is not a store. Writes nothing.
  ///
  /// If another process is publishing files, a temporary file may have been renamed after it was found, and is searched
  /// again.
  func reading<Result>(_ body: (DirectoryView?) async throws(Problem) -> Result) async throws(Problem) -> Result {
    var attempts = 0
    while true {
      let journal = try DirectoryJournal(in: path)
      do throws(Problem) {
        guard let manifest = try Self.manifest(of: path, journal) else { return try await body(nil) }
        try check(manifest)
        let state = DirectoryState(DirectoryLock.bytes(of: path)) ?? DirectoryState()
        return try await body(DirectoryView(path: path, manifest: manifest, state: state, journal: journal))
      } catch {
        attempts += 1
        guard journal != nil, error.kind == .noInput, attempts < 4 else { throw error }
      }
    }
  }

  /// Refuses a store of another kind: the directory would come to hold two tables of one name.
  func check(_ manifest: DirectoryManifest) throws(Problem) {
    if let storage = manifest.storage {
      if storage != format.scheme { throw otherKind(storage) }
      return
    }
    // Version 1 does not record the kind; its files show it.
    for (table, described) in manifest.tables where (described.columns == nil) == (format.sidecarSuffix == nil) {
      let stem = "\(path)/\(TableFileName.stem(of: table))"
      if try FileStamp.now(at: stem + format.tableSuffix) != nil { continue }
      for other in [DirectoryFormat.csv, .json] where other.scheme != format.scheme {
        if try FileStamp.now(at: stem + other.tableSuffix) != nil { throw otherKind(other.scheme) }
      }
    }
  }

  private func otherKind(_ scheme: String) -> Problem {
    Problem(.usage, "the store is a directory of \(scheme) files", at: name, hint: "use \(scheme):\(path)")
  }

  /// The table as it is now; nil when it has no file.
  func table(_ name: String, _ view: DirectoryView) async throws(Problem) -> DirectoryTable? {
    let file = fileName(of: name)
    guard let described = view.manifest.tables[name], let place = view.content(file),
      try FileStamp.now(at: place) != nil
    else { return nil }
    var columns = described.columns
    if columns == nil, let suffix = format.sidecarSuffix, let sidecar = view.content(file + suffix),
      try FileStamp.now(at: sidecar) != nil
    {
      let bytes = try FileByteSource(path: sidecar).bytes(limit: DirectoryManifest.limit)
      do throws(Problem) { columns = try format.codec.columns(ofSidecar: bytes, name: sidecar) } catch {
        throw MergeConflict.problem(in: bytes, at: sidecar) ?? error
      }
    }
    guard let columns = columns ?? known.first(where: { $0.name == name })?.columns else {
      let sidecar: Remedy = format.sidecarSuffix.map { "restore \(place)\($0)" } ?? ""
      throw Problem(.badData, "missing description of the columns", at: place, hint: sidecar)
    }
    return try await DirectoryTable.open(
      try FileByteSource(path: place), name, key: described.key,
      (columns.filter { !$0.isExtra } + columns.filter(\.isExtra)).map(\.withoutRequiredTime), format,
      known: view.state.files[file])
  }

  /// The tables that bb does not describe: files with the right suffix, whatever they are called.
  func foreign() throws(Problem) -> [(table: String, file: String)] {
    let suffix = format.tableSuffix
    let names = try DirectoryListing.names(path)?.filter {
      $0.hasSuffix(suffix) && !$0.hasPrefix(".") && $0 != DirectoryManifest.name
    }
    return (names ?? []).map { file in
      let stem = String(file.dropLast(suffix.utf8.count)), table = TableFileName.table(of: stem)
      // Other programs do not escape what bb does: such a name is meant as it is.
      return (TableFileName.stem(of: table) == stem ? table : stem, file)
    }.sorted { $0.table.utf8.lexicographicallyPrecedes($1.table.utf8) }
  }

  /// The outcome for a table without a key: replaced completely, or unchanged.
  func comparison(of count: Int, _ file: PendingFile, _ old: DirectoryTable) async throws(Problem) -> TableOutcome {
    var outcome = TableOutcome(), before = 0
    let stream = try await old.rows(columns: nil, scratch: scratch)
    while let batch = try await stream.next()?.batch() { before += batch.count }
    _ = try file.sink.flush()
    if try file.sink.holdsSame(as: old.file) {
      outcome.unchanged = count
    } else {
      (outcome.removed, outcome.added) = (before, count)
    }
    return outcome
  }
}
