import Domain
import Files
import Glibc
import Rows

/// The contents of a directory store at one moment.
struct DirectoryView {
  let path: String
  let manifest: DirectoryManifest
  /// The files as bb left them.
  var state: DirectoryState
  /// A change that was started and not completed: it counts as made.
  let journal: DirectoryJournal?

  /// A file of the directory; nil if it does not exist.
  func open(_ name: String) throws(Problem) -> FileByteSource? {
    guard let journal else { return try FileByteSource.ifPresent("\(path)/\(name)") }
    return try journal.open(name, in: path)
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
    let name = DirectoryManifest.name, place = "\(path)/\(name)"
    let file = if let journal { try journal.open(name, in: path) } else { try FileByteSource.ifPresent(place) }
    guard let file else { return nil }
    return try DirectoryManifest(try file.bytes(limit: DirectoryManifest.limit), at: place)
  }

  /// Passes the contents of the directory to `body`, nil if it is not a store. Writes nothing.
  ///
  /// Readers hold no lock: `body` is called again, at most three times, when another process changed the directory
  /// concurrently, so that the rows and their description belong together.
  func reading<Result>(_ body: (DirectoryView?) async throws(Problem) -> Result) async throws(Problem) -> Result {
    var attempts = 0
    while true {
      attempts += 1
      let before = stamps()
      do throws(Problem) {
        let result = try await body(try view())
        if attempts == 4 || stamps() == before { return result }
      } catch {
        if attempts == 4 || stamps() == before { throw error }
      }
    }
  }

  private func view() throws(Problem) -> DirectoryView? {
    let journal = try DirectoryJournal(in: path)
    guard let manifest = try Self.manifest(of: path, journal) else { return nil }
    try check(manifest)
    let state = DirectoryState(DirectoryLock.bytes(of: path)) ?? DirectoryState()
    return DirectoryView(path: path, manifest: manifest, state: state, journal: journal)
  }

  /// Tells whether files came to their places between two calls.
  private func stamps() -> [FileStamp?] { [path, path + "/.bb/begun"].map { (try? FileStamp.now(at: $0)) ?? nil } }

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
    guard let described = view.manifest.tables[name], let rows = try view.open(file) else { return nil }
    var columns = described.columns
    if columns == nil, let suffix = format.sidecarSuffix, let sidecar = try view.open(file + suffix) {
      let bytes = try sidecar.bytes(limit: DirectoryManifest.limit)
      do throws(Problem) { columns = try format.codec.columns(ofSidecar: bytes, name: sidecar.name) } catch {
        throw MergeConflict.problem(in: bytes, at: sidecar.name) ?? error
      }
    }
    guard let columns = columns ?? known.first(where: { $0.name == name })?.columns else {
      let sidecar: Remedy = format.sidecarSuffix.map { "restore \(rows.name)\($0)" } ?? ""
      throw Problem(.badData, "missing description of the columns", at: rows.name, hint: sidecar)
    }
    return try await DirectoryTable.open(
      rows, name, key: described.key,
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
