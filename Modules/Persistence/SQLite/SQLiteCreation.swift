import Glibc
import Rows

/// A database that is built beside its place without a journal, and appears when it is whole. What is not published is removed.
struct SQLiteCreation: ~Copyable {
  /// The file that is built.
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

  /// Gives the file the journal of a storage, flushes it, and puts it in its place, where nothing may be meanwhile.
  /// - Throws: `busy` when somebody else made a storage there.
  func publish() throws(Problem) {
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
      if errno == EEXIST {
        throw Problem(
          .busy, "another process created a store at the same time", at: target, hint: "run the command again")
      }
      guard unsafe rename(temporary, target) == 0 else { throw Problem.posix(errno, "rename", target) }
      return try flushFolder()
    }
    try flushFolder()
  }

  private func flushFolder() throws(Problem) {
    let folder = unsafe open(Temporaries.split(target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Problem.posix(errno, "open the directory of", target) }
    defer { close(folder) }
    guard fsync(folder) == 0 || errno == EINVAL else { throw Problem.posix(errno, "sync the directory of", target) }
  }
}
