internal import CSystem
import Glibc
package import Rows

package enum DirectoryListing {
  /// The names in the directory; nil when there is none.
  package static func names(_ path: String) throws(Problem) -> [String]? {
    guard let directory = unsafe opendir(path) else {
      if errno == ENOENT { return nil }
      if errno == ENOTDIR { try check(path) }
      throw Problem.posix(errno, "read the directory", path)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The advice for a file that does not exist: the nearest name in its directory, else one that is the same up to its
  /// first dot.
  static func hint(for path: String) -> Remedy {
    let (directory, name) = Temporaries.split(path)
    func stem(_ name: String) -> Substring.UTF8View { name.utf8.prefix { $0 != UInt8(ascii: ".") } }
    guard let names = try? Self.names(directory) else { return "" }
    let near =
      SpellingSuggestion.word(to: name, among: names)
      ?? names.filter { stem($0).elementsEqual(stem(name)) }.min()
    let prefix = path.hasSuffix("/" + name) ? String(path.dropLast(name.count)) : ""
    return near.map { .advice("did you mean \(prefix)\($0)?") }
      ?? .advice("list the files with: ls" + (prefix.isEmpty ? "" : " \(Remedy.shellWord(prefix))"))
  }

  /// Refuses a file in place of a directory; a missing one is none.
  /// - Throws: `badData`.
  package static func check(_ path: String) throws(Problem) {
    guard let status = RegularFile.status(path, follows: true), status.st_mode & S_IFMT != S_IFDIR else { return }
    throw Problem(
      .badData, "is \(Problem.kindOfFile(status.st_mode & S_IFMT)), not a directory", at: path,
      hint: "rename or remove it")
  }

  /// Makes the directory and those above it, for its owner alone, unless they exist; what is made is on the disk when
  /// this returns.
  package static func make(_ path: String) throws(Problem) {
    if try makeOne(path) { return }
    let above = Temporaries.split(path).directory
    guard above != path, above != "." else { throw Problem.posix(ENOENT, "create the directory", path) }
    try make(above)
    guard try makeOne(path) else { throw Problem.posix(ENOENT, "create the directory", path) }
  }

  /// False when the directory above is missing.
  private static func makeOne(_ path: String) throws(Problem) -> Bool {
    if unsafe mkdir(path, 0o700) == 0 {
      try flush(Temporaries.split(path).directory)
      return true
    }
    if errno == EEXIST { return true }
    guard errno == ENOENT else { throw Problem.posix(errno, "create the directory", path) }
    return false
  }

  /// Makes a directory and those above it; returns those that were missing.
  package static func makeAll(_ directory: String) throws(Problem) -> [String] {
    var made = directory.hasPrefix("/") ? "/" : "", new: [String] = []
    for part in directory.split(at: "/") {
      let above = made.isEmpty ? "." : made
      made += (made.isEmpty || made == "/" ? "" : "/") + part
      if Temporaries.makeDirectory(made, mode: 0o777) == 0 {
        new.append(made)
        try flush(above)
      } else if errno != EEXIST {
        throw Problem.posix(errno, "create the directory", made)
      }
    }
    return new
  }

  /// Makes the directory of a new store. A process that made it before may have been killed before it was on the disk:
  /// so all above it are flushed.
  package static func makeStore(_ path: String) throws(Problem) {
    try make(path)
    guard let whole = unsafe realpath(path, nil) else { throw Problem.posix(errno, "read the directory", path) }
    defer { unsafe free(whole) }
    var above = unsafe String(cString: whole)
    while above != "/" {
      above = Temporaries.split(above).directory
      try flush(above)
    }
  }

  /// Waits until the names in a directory are on the disk.
  ///
  /// A directory that may be written and not read cannot be flushed; nor can those of some file systems.
  /// - Parameter isWhole: whether to wait for the files in it and below it as well, and all others of the file system.
  package static func flush(_ path: String, isWhole: Bool = false) throws(Problem) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw Problem.posix(errno, "open the directory", path) }
    defer { close(descriptor) }
    if (isWhole ? bb_syncfs(descriptor) : fsync(descriptor)) != 0, errno != EINVAL, errno != EROFS {
      throw Problem.posix(errno, "flush the directory", path)
    }
  }

  /// Removes the temporary files of processes that no longer exist. Requires the lock.
  package static func removeLeftovers(_ path: String) {
    for name in (try? names(path)) ?? [] where name.hasPrefix(".") {
      let parts = (name.hasSuffix(".files") ? name.dropLast(6) : name[...]).split(at: ".")
      guard parts.count >= 4, parts[parts.count - 3] == "tmp", let process = pid_t(parts[parts.count - 2]),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      removeAll(path + "/" + name)
    }
  }

  /// Removes a file with SQLite's companion files, or a directory with its contents; does not follow links.
  package static func removeAll(_ path: String) {
    for suffix in ["-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
    if unsafe unlink(path) == 0 { return }
    for name in (try? names(path)) ?? [] { removeAll(path + "/" + name) }
    unsafe rmdir(path)
  }
}
