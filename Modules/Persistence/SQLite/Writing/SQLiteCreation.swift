import Files
import Glibc
import Rows

/// A database that is written to a temporary file without a journal, and appears when it is complete. It is removed
/// unless it is published.
struct SQLiteCreation: ~Copyable {
  let temporary: String
  private let target: String

  /// A database that is to be at `path`, where there is none.
  init(_ path: String) throws(Problem) {
    target = path
    temporary = Temporaries.name(beside: path)
    let descriptor = Temporaries.make(temporary, mode: 0o600)
    guard descriptor >= 0 else {
      let problem = Problem.posix(errno, "create", path)
      throw problem.kind == .noInput ? Problem(.cannotCreate, "no such directory", at: path) : problem
    }
    close(descriptor)
  }

  deinit {
    unsafe unlink(temporary)
    Temporaries.forget(temporary)
  }

  /// Sets the journal mode of a store, syncs the file, and renames it to its path.
  /// - Returns: false if another process created a file there.
  func publish() throws(Problem) -> Bool {
    do {
      let connection = try SQLiteConnection.open(path: temporary, .writing)
      try connection.execute("PRAGMA journal_mode=WAL")
    }
    let descriptor = unsafe open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", target) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", target) }
    // Unlike renaming, a link never takes the place of another file.
    guard unsafe link(temporary, target) == 0 else {
      if errno == EEXIST { return false }
      guard unsafe rename(temporary, target) == 0 else { throw Problem.posix(errno, "rename", target) }
      try flushDirectory()
      return true
    }
    try flushDirectory()
    return true
  }

  private func flushDirectory() throws(Problem) {
    do throws(Problem) { try DirectoryListing.flush(Temporaries.split(target).directory) } catch {
      throw error.afterSaving("the new store")
    }
  }
}
