internal import CSystem
package import Glibc
package import Rows

/// Files below a directory that the user named, by paths that come from data or from files that bb reads back.
///
/// No component of such a path is a symbolic link, and none leads out of the directory: the owner of the directory does
/// not choose what is changed elsewhere.
package enum Beneath {
  /// Opens a path below a directory.
  /// - Returns: a descriptor; nil if there is nothing.
  /// - Throws: `cannotCreate` for a link, and for a path that leaves the directory.
  package static func open(_ root: String, _ path: String, _ flags: Int32) throws(Problem) -> Int32? {
    let descriptor = unsafe bb_open_beneath(root, path, flags)
    if descriptor >= 0 { return descriptor }
    let code = errno
    if code == ENOENT { return nil }
    throw refusal(code, "\(root)/\(path)")
  }

  private static func refusal(_ code: Int32, _ place: String) -> Problem {
    switch code {
    case ELOOP: linked(place)
    case EXDEV: Problem(.cannotCreate, "refusing a path that leaves the directory", at: place)
    case ENOTDIR: Problem(.cannotCreate, "is not in a directory", at: place, hint: "rename or remove the file above it")
    default: Problem.posix(code, "open", place)
    }
  }

  /// The problem of a symbolic link in a place where bb writes.
  package static func linked(_ place: String) -> Problem {
    Problem(.cannotCreate, "refusing to follow a symbolic link", at: place, hint: "remove the link")
  }

  /// Returns the status of the file at a path; nil if it does not exist.
  /// - Throws: `cannotCreate` as for `open`.
  package static func status(_ root: String, _ path: String) throws(Problem) -> stat? {
    guard let descriptor = try open(root, path, BB_O_PATH) else { return nil }
    defer { close(descriptor) }
    guard let status = stat.of(descriptor) else { throw Problem.posix(errno, "read", "\(root)/\(path)") }
    return status
  }

  /// The regular file at a path; nil if there is none.
  /// - Throws: `cannotCreate` for anything else, and as for `open`.
  package static func file(_ root: String, _ path: String) throws(Problem) -> FileStamp? {
    guard let status = try status(root, path) else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Problem(
        .cannotCreate, "is \(Problem.kindOfFile(status.st_mode & S_IFMT)), not a regular file", at: "\(root)/\(path)",
        hint: "rename or remove it")
    }
    return FileStamp(status)
  }

  /// Makes the directories of a path that are missing.
  /// - Parameter isDurable: whether they are on the disk when this returns.
  /// - Returns: those that were made, by their paths.
  /// - Throws: `cannotCreate` for a link or a file in their place; `permission`, `io`.
  @discardableResult
  package static func make(_ root: String, _ path: String, mode: UInt32, isDurable: Bool = false) throws(Problem)
    -> [String]
  {
    if path == "." { return [] }
    let descriptor = try open(root, path, BB_O_PATH | O_DIRECTORY)
    if let descriptor {
      close(descriptor)
      return []
    }
    let above = Temporaries.split(path).directory, place = "\(root)/\(path)"
    var made = try make(root, above, mode: mode, isDurable: isDurable)
    if Temporaries.makeDirectory(place, mode: mode) == 0 {
      made.append(place)
    } else if errno != EEXIST {
      throw Problem.posix(errno, "create the directory", place)
    }
    if isDurable { try DirectoryListing.flush(above == "." ? root : "\(root)/\(above)") }
    return made
  }

  /// Renames a file within its directory; removes it if there is no other name. Returns whether it was done; otherwise
  /// `errno` tells why.
  package static func move(_ root: String, _ path: String, to name: String?) -> Bool {
    let (above, old) = Temporaries.split(path)
    let directory = unsafe bb_open_beneath(root, above, BB_O_PATH | O_DIRECTORY)
    guard directory >= 0 else { return false }
    let result = unsafe name.map { unsafe renameat(directory, old, directory, $0) } ?? unlinkat(directory, old, 0)
    let code = errno
    close(directory)
    errno = code
    return result == 0
  }
}
