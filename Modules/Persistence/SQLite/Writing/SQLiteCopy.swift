internal import CSystem
import Files
import Glibc
import Rows

/// A private copy of a database whose last transaction was interrupted, in which SQLite rolls the transaction back:
/// the original is only read.
struct SQLiteCopy {
  private let directory: String
  /// The copy of the database.
  var path: String { directory + "/copy.db" }
  private static let suffixes = ["", "-journal", "-wal", "-shm"]

  /// Makes a private directory for a copy, in `$TMPDIR` or `/tmp`.
  init() throws(Problem) {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    directory = "\(base ?? "/tmp")/bb.\(getpid()).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    guard Temporaries.makeTemporaryDirectory(directory) == 0 else {
      throw Problem.posix(errno, "create a temporary directory", directory)
    }
    for suffix in Self.suffixes { Temporaries.expect(path + suffix) }
  }

  /// Copies the database at `original` and its journals.
  /// - Throws: `badData` for a journal that names another file, `busy` for a database that another program is
  ///   writing, `io`.
  func fill(from original: String) throws(Problem) {
    let original = SQLiteJournal.resolved(original)
    let database = try RegularFile.open(original, O_RDONLY)
    defer { close(database) }
    // The lock that SQLite's readers have; a program that rolls back needs it for itself.
    guard bb_lock_shared(database, 0x4000_0002, 510) == 0 else {
      throw Problem(
        .busy, "the database is locked by another process", at: original,
        hint: "run the command again when it has finished")
    }
    let before = try stamps(original)
    try Self.copy(database, original, to: path)
    for suffix in ["-journal", "-wal"] {
      let source: Int32
      do throws(Problem) { source = try RegularFile.open(original + suffix, O_RDONLY | O_NOFOLLOW) } catch {
        if error.kind == .noInput { continue }
        throw error
      }
      defer { close(source) }
      try Self.copy(source, original + suffix, to: path + suffix)
    }
    guard try stamps(original) == before else { throw Problem.changedMeanwhile(original) }
    let journal = try RegularFile.open(path + "-journal", O_RDONLY)
    defer { close(journal) }
    if try SQLiteJournal.namesAnother(journal, original) { throw SQLiteJournal.foreign(at: original + "-journal") }
  }

  /// Removes the copy. A connection to it can still be used.
  func remove() {
    for suffix in Self.suffixes {
      unsafe unlink(path + suffix)
      Temporaries.forget(path + suffix)
    }
    unsafe rmdir(directory)
    Temporaries.forget(directory)
  }

  private func stamps(_ original: String) throws(Problem) -> [FileStamp?] {
    var stamps: [FileStamp?] = []
    for suffix in ["", "-journal", "-wal"] { stamps.append(try FileStamp.now(at: original + suffix)) }
    return stamps
  }

  private static func copy(_ source: Int32, _ place: String, to path: String) throws(Problem) {
    let target = try RegularFile.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, action: "create")
    defer { close(target) }
    var block = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe read(source, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Problem.posix(errno, "read", place) }
      if count == 0 { return }
      let bytes = Array(block[..<count])
      try unsafe writeAll(bytes.span.bytes, to: target, place: path)
    }
  }
}
