import Glibc
import Rows

/// What is in a folder.
enum FolderListing {
  /// The names in the folder; nil when there is none.
  static func names(_ path: String) throws(Problem) -> [String]? {
    guard let folder = unsafe opendir(path) else {
      if errno == ENOENT { return nil }
      if errno == ENOTDIR { throw Problem(.usage, "is not a folder", at: path) }
      throw Problem.posix(errno, "read the folder", path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes the folder and those above it, for its owner alone, unless they are there.
  static func make(_ path: String) throws(Problem) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let above = Temporaries.split(path).folder
    guard errno == ENOENT, above != path, above != "." else { throw Problem.posix(errno, "make the folder", path) }
    try make(above)
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw Problem.posix(errno, "make the folder", path) }
  }

  /// Removes the temporaries of processes that are gone. Only who holds the lock may.
  static func removeLeftovers(_ path: String) {
    for name in (try? names(path)) ?? [] where name.hasPrefix(".") {
      let parts = (name.hasSuffix(".files") ? name.dropLast(6) : name[...]).split(separator: ".")
      guard parts.count >= 4, parts[parts.count - 3] == "tmp", let process = pid_t(parts[parts.count - 2]),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      removeAll(path + "/" + name)
    }
  }

  /// Removes a file with what SQLite keeps beside it, or a folder with all that is in it; links are not followed.
  static func removeAll(_ path: String) {
    for suffix in ["-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
    if unsafe unlink(path) == 0 { return }
    for name in (try? names(path)) ?? [] { removeAll(path + "/" + name) }
    unsafe rmdir(path)
  }
}
