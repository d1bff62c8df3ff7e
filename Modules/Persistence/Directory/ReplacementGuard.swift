import Domain
import Files
import Glibc
import Rows

/// Refuses outputs and new stores that would damage a store.
enum ReplacementGuard {
  /// Checks that a path is not a file of a directory store: neither of a table, whatever its extension, nor one of bb's
  /// own, nor a new file that the store would read as a table; nor the database of a store, whatever its extension, or
  /// the log of any database.
  /// - Throws: `cannotCreate` for such a file; errors of reading the directory's `bb.json`.
  static func check(_ path: String) throws(Problem) {
    let resolved: String, directory: String, name: String
    do throws(Problem) {
      resolved = try FileSink.resolved(path)
      (directory, name) = Temporaries.split(resolved)
      _ = try FileStamp.now(at: directory)
    } catch {
      return  // An unreadable path cannot be created either; the creation reports the error.
    }
    try checkPlace(inStore: directory, name: path)
    // What replaces a database by its extension is a database, which is looked into.
    let isLookedInto = [".db", ".sqlite", ".sqlite3"].contains(where: name.lowercased().hasSuffix)
    for suffix in (isLookedInto ? [] : [""]) + ["-wal", "-shm", "-journal"] where resolved.hasSuffix(suffix) {
      guard isDatabase(String(resolved.dropLast(suffix.utf8.count)), ofStore: suffix.isEmpty) else { continue }
      throw suffix.isEmpty
        ? SQLiteReplacement.refusal(path)
        : Problem(.cannotCreate, "refusing to write to a database's log", at: path, hint: "choose another name")
    }
    guard let manifest = try manifest(directory) else { return }
    if name == DirectoryManifest.name || name == MergedManifest.attributesName { throw problem(path, directory) }
    // The part before each point may be a table's.
    for point in name.indices where name[point] == "." {
      let stem = String(name[..<point])
      if manifest.tables.keys.contains(where: { TableFileName.stem(of: $0).lowercased() == stem.lowercased() }) {
        throw problem(path, directory)
      }
    }
    if isTable(name, manifest) {
      throw Problem(
        .cannotCreate, "refusing to create a file that the store would read as a table", at: path,
        hint: ["choose another directory", .run(.sync(into: directory), "add to the store")])
    }
  }

  /// Whether a file is an SQLite database, as the first bytes of the format say: that of a store, or any.
  private static func isDatabase(_ path: String, ofStore: Bool) -> Bool {
    guard let file = try? FileByteSource.ifPresent(path), let start = try? file.bytes(at: 0, count: 72),
      start.count == 72, start.starts(with: "SQLite format 3\0".utf8)
    else { return false }
    return !ofStore || start[68..<72].reduce(0) { $0 << 8 | Int64($1) } == SQLiteFormat.applicationID
  }

  /// Whether a store reads a file of this name as a table. Upper case counts: some file systems ignore it.
  private static func isTable(_ name: String, _ manifest: DirectoryManifest) -> Bool {
    let name = name.lowercased()
    // Version 1 does not record the kind; a kind of a later program has the extension of its name.
    let kinds = manifest.storage.map { [$0] } ?? DirectoryFormat.all.map(\.scheme)
    return kinds.contains { kind in
      let format = DirectoryFormat.all.first { $0.scheme == kind }
      return name.hasSuffix(format?.tableSuffix ?? ".\(kind)") && !name.hasSuffix(DirectoryFormat.metadataSuffix)
        || (format?.sidecarSuffix).map { name.hasSuffix((format?.tableSuffix ?? "") + $0) } == true
    }
  }

  /// The manifest; nil also if it cannot be searched, which the creation of the file reports.
  private static func manifest(_ directory: String) throws(Problem) -> DirectoryManifest? {
    guard (try? FileStamp.now(at: "\(directory)/\(DirectoryManifest.name)")) != nil else { return nil }
    return try DirectoryStore.manifest(of: directory, nil)
  }

  /// Refuses to make a store inside a directory store.
  /// - Throws: `cannotCreate`.
  static func checkPlace(ofStore path: String, name: String) throws(Problem) {
    guard let above = store(around: Temporaries.split(path).directory) else { return }
    throw Problem(
      .cannotCreate, "refusing to create a store inside the store \(above)", at: name,
      hint: "choose another directory")
  }

  /// Refuses outputs in a directory below a directory store.
  /// - Parameter isItself: whether the directory must not be the store either.
  /// - Throws: `cannotCreate`.
  static func checkPlace(inStore directory: String, isItself: Bool = false, name: String) throws(Problem) {
    guard let above = store(around: isItself ? directory : Temporaries.split(whole(directory)).directory) else {
      return
    }
    throw Problem(
      .cannotCreate, "refusing to write inside the store \(above)", at: name, hint: "choose another directory")
  }

  /// The path of a directory by the names that the file system has for it, also of one that does not exist.
  private static func whole(_ path: String) -> String {
    if let whole = unsafe realpath(path.isEmpty ? "." : path, nil) {
      defer { unsafe free(whole) }
      return unsafe String(cString: whole)
    }
    let (above, name) = Temporaries.split(path)
    return above == path ? path : "\(whole(above))/\(name)"
  }

  private static func store(around directory: String) -> String? {
    var above = whole(directory)
    while above != "/", above != "." {
      if unsafe access(above + "/.bb", F_OK) == 0, unsafe access("\(above)/\(DirectoryManifest.name)", F_OK) == 0 {
        return above
      }
      above = Temporaries.split(above).directory
    }
    return nil
  }

  private static func problem(_ path: String, _ directory: String) -> Problem {
    Problem(
      .cannotCreate, "refusing to overwrite a file of a store", at: path,
      hint: ["choose another name", .run(.sync(into: directory), "add to the store")])
  }
}
