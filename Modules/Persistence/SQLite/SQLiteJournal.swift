import Files
import Glibc
import Rows

/// The files next to a database that SQLite reads and writes: the rollback journal, the log (WAL) and the log's index.
enum SQLiteJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Refuses a database whose companions are not regular files.
  /// - Parameter writing: whether SQLite may roll the journal back, and remove what it names.
  /// - Throws: `badData`.
  static func check(_ path: String, writing: Bool) throws(Problem) {
    let path = resolved(path)
    for suffix in ["-journal", "-wal", "-shm"] { try RegularFile.check(path + suffix) }
    guard writing else { return }
    let descriptor: Int32
    do throws(Problem) { descriptor = try RegularFile.open(path + "-journal", O_RDONLY | O_NOFOLLOW) } catch {
      if error.kind == .noInput { return }
      throw error
    }
    defer { close(descriptor) }
    if try namesAnother(descriptor, path + "-journal") { throw foreign(at: path + "-journal") }
  }

  /// The path of the file that SQLite opens: it follows symbolic links, and looks for companions next to the target.
  static func resolved(_ path: String) -> String {
    guard let whole = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole)
  }

  /// Whether a journal ends with the name of a super-journal, a file that SQLite reads and removes when it rolls the
  /// journal back.
  static func namesAnother(_ descriptor: Int32, _ place: String) throws(Problem) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Problem.posix(errno, "read", place) }
    var tail = [UInt8](repeating: 0, count: 16)
    guard status.st_size >= 16 else { return false }
    guard unsafe pread(descriptor, &tail, 16, status.st_size - 16) == 16 else {
      throw Problem(.busy, "the journal changed while it was read", at: place, hint: "run again")
    }
    // The length of the name, its checksum, and the mark of a journal.
    return Array(tail[8...]) == magic && tail[..<4] != [0, 0, 0, 0]
  }

  /// The problem of a journal that names a super-journal.
  static func foreign(at place: String) -> Problem {
    Problem(
      .badData, "the rollback journal names another file", at: place,
      hint: "if you trust the database, open it with sqlite3 to complete the interrupted transaction")
  }
}
