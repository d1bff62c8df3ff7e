import Domain
import Codecs
import CSQLite
import Files
import Glibc
import Rows

enum SQLiteProblem {
  /// The message when SQLite cannot open a file or its journal.
  static let cannotOpen = "cannot open the database"
  /// The message when a process was killed during a change, which only a writer can roll back.
  static let interrupted = "an interrupted transaction must be rolled back first"

  /// The error of a view, or of a table with computed columns, that returns no row within its time limit.
  static func exceeded(_ place: String) -> Problem {
    Problem(
      .unavailable, "the view exceeded its time limit", at: place,
      hint: .set(.viewTimeout, to: "0", for: "set no limit"))
  }

  private static func full(_ place: String) -> Problem {
    Problem(.io, "cannot write: no space left on device", at: place, hint: "free some space and run the command again")
  }

  /// Whether the disk is full. SQLite records no reason when a shared-memory file is too small; this is the reason.
  private static func isForWantOfRoom(_ handle: OpaquePointer?, _ code: Int32) -> Bool {
    if code == bb_sqlite3_ioerr_shmsize { return true }
    let reason = unsafe handle == nil ? 0 : sqlite3_system_errno(handle)
    return reason == ENOSPC || reason == EDQUOT
  }

  static func problem(_ handle: OpaquePointer?, _ code: Int32, at place: String) -> Problem {
    let message = unsafe handle == nil ? String(cString: sqlite3_errstr(code)) : String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      return Problem(
        .busy, "the database is locked by another process", at: place,
        hint: "run the command again when it has finished")
    case SQLITE_NOTADB: return Problem(.badData, "not an SQLite database", at: place)
    case SQLITE_CORRUPT: return Problem(.badData, "the database is damaged: \(message)", at: place)
    case SQLITE_READONLY where code == bb_sqlite3_readonly_rollback || code == bb_sqlite3_readonly_recovery:
      return Problem(.permission, interrupted, at: place, hint: "open it once with write permission")
    case SQLITE_AUTH:
      return Problem(
        .badData, "the database needs an operation that is not permitted: \(message)", at: place,
        hint: "if you trust the database, export the view with sqlite3")
    case SQLITE_INTERRUPT: return exceeded(place)
    case SQLITE_NOMEM:
      return Problem(
        .badData, "a row needs more memory than allowed", at: place,
        hint: .raise(.maximumField))
    case SQLITE_TOOBIG where unsafe handle != nil:
      let most = Int(unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)) >> 20
      return Problem(
        .badData, "a value or row is larger than \(most) MiB", at: place,
        hint: .raise(.maximumField))
    case SQLITE_READONLY, SQLITE_PERM: return Problem(.permission, message, at: place)
    case SQLITE_FULL: return full(place)
    case SQLITE_IOERR where unsafe isForWantOfRoom(handle, code): return full(place)
    case SQLITE_CANTOPEN where unsafe isForWantOfRoom(handle, code): return full(place)
    case SQLITE_CANTOPEN where unsafe access(place, F_OK) == 0 && access(place, R_OK) != 0:
      return Problem.posix(errno, "open", place)
    case SQLITE_CANTOPEN: return Problem(.io, cannotOpen, at: place)
    case SQLITE_IOERR: return Problem(.io, "I/O error: \(message)", at: place)
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG: return Problem(.badData, message, at: place)
    // The queried tables and columns are those of every store.
    case SQLITE_ERROR where message.hasPrefix("no such table: bb_") || message.contains("has no column named"):
      return Problem(.badData, "the store is damaged: \(message)", at: place, hint: "restore a backup")
    // A database says something that SQLite cannot do: a view of a missing table, an unknown function or format.
    case SQLITE_ERROR: return Problem(.badData, message, at: place)
    default: return Problem(.io, message, at: place)
    }
  }
}
