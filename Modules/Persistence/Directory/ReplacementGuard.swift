import Domain
import Glibc
import Rows

/// Refuses outputs and new stores that would damage a directory store.
enum ReplacementGuard {
  /// Checks that a path is not a file of a directory store: neither of a table, whatever its extension, nor one of bb's
  /// own, nor a new file that the store would read as a table.
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
    // `.bb` and what is below it, by the name that the file system has for it.
    var below =
      unsafe realpath(directory, nil).map { whole in
        defer { unsafe free(whole) }
        return unsafe String(cString: whole)
      } ?? directory
    while below != "/", below != "." {
      let (above, last) = Temporaries.split(below)
      if last == ".bb", try manifest(above) != nil { throw problem(path, above) }
      below = above
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
    var above = Temporaries.split(path).directory
    // A path that does not exist has no other name.
    while above != "/", above != ".", unsafe access(above, F_OK) != 0 { above = Temporaries.split(above).directory }
    guard let whole = unsafe realpath(above, nil) else { return }
    defer { unsafe free(whole) }
    above = unsafe String(cString: whole)
    while true {
      if unsafe access(above + "/.bb", F_OK) == 0, unsafe access("\(above)/\(DirectoryManifest.name)", F_OK) == 0 {
        throw Problem(
          .cannotCreate, "refusing to create a store inside the store \(above)", at: name,
          hint: "choose another directory")
      }
      if above == "/" { return }
      above = Temporaries.split(above).directory
    }
  }

  private static func problem(_ path: String, _ directory: String) -> Problem {
    Problem(
      .cannotCreate, "refusing to overwrite a file of a store", at: path,
      hint: ["choose another name", .run(.sync(into: directory), "add to the store")])
  }
}
