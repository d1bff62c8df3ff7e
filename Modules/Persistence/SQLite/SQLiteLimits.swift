import CSQLite
import CSQLiteGuard
import Rows

/// Resources that a database which bb did not create may use.
struct SQLiteLimits: Sendable {
  /// Bytes of a value, and of a row of a table.
  var field = 16 << 20
  /// Seconds that a view may run without returning a row, and that a recursive view may run in all; 0 for no limit.
  var seconds = 30

  /// Bytes that SQLite may allocate in this process.
  var heap: Int { 3 * field + 16 << 20 }
}

/// The time limit of a connection's statements.
@safe final class SQLiteWatch: @unchecked Sendable {
  let state: UnsafeMutablePointer<bb_sqlite3_watch>

  init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: bb_sqlite3_watch())
  }

  deinit { unsafe state.deallocate() }

  /// Limits the statements that are prepared from now on.
  func limit(seconds: Int) {
    unsafe state.pointee.limit = Int64(seconds) * 1_000_000_000
    unsafe state.pointee.is_recursive = 0
  }
  /// Runs part of a statement within the limit.
  func during<Result>(_ work: () throws(Problem) -> Result) throws(Problem) -> Result {
    unsafe bb_sqlite3_start(state)
    defer { unsafe bb_sqlite3_stop(state) }
    return try work()
  }
  /// Tells that a statement returned a row.
  func countRow() { unsafe bb_sqlite3_row(state) }
  var hasLimit: Bool { unsafe state.pointee.limit > 0 }
  /// Whether a statement should have ended a second ago; any thread may ask.
  var isOverdue: Bool { unsafe bb_sqlite3_is_overdue(state) != 0 }
}
