import CSQLite
import Rows

/// Owns a `sqlite3_stmt *`, finalised when it goes. Parameters count from 1, columns from 0, as in SQLite.
@safe struct SQLiteStatement: ~Copyable {
  /// For code that binds without a copy.
  let handle: OpaquePointer
  private let place: String

  init(_ handle: OpaquePointer, place: String) {
    unsafe self.handle = handle
    self.place = place
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Goes to the next row; false at the end.
  borrowing func step() throws(Problem) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw unsafe SQLiteProblem.problem(sqlite3_db_handle(handle), code, at: place)
    }
  }

  /// Runs to the end and starts over, with the same bindings.
  borrowing func run() throws(Problem) {
    defer { reset() }
    while try step() {}
  }

  /// Runs an INSERT with what is bound, and starts over.
  /// - Returns: SQLite's result code.
  borrowing func insertOnce() -> Int32 {
    let code = unsafe sqlite3_step(handle)
    unsafe sqlite3_reset(handle)
    return code
  }

  /// The number of rows that the last statement of the connection changed; if it failed under OR FAIL, those before the
  /// row that failed.
  var changes: Int { Int(unsafe sqlite3_changes(sqlite3_db_handle(handle))) }

  /// The error of a result code of this statement.
  borrowing func problem(_ code: Int32) -> Problem {
    unsafe SQLiteProblem.problem(sqlite3_db_handle(handle), code, at: place)
  }

  /// Starts over. What went wrong before has been thrown by `step`.
  borrowing func reset() { unsafe sqlite3_reset(handle) }

  /// Fills a whole batch in one step: the statement calls `bb_rows`, which stops it when the batch is full.
  borrowing func fill(_ fill: SQLiteFill) throws(Problem) -> RowBatch? {
    defer { reset() }
    fill.begin()
    let code = unsafe sqlite3_step(handle)
    if code != SQLITE_ROW, !fill.isFull {
      throw unsafe SQLiteProblem.problem(sqlite3_db_handle(handle), code, at: place)
    }
    return fill.finish()
  }

  /// The integer that a query with one parameter returns; nil if it returns no row.
  borrowing func first(from start: Int64) throws(Problem) -> Int64? {
    defer { reset() }
    try bind(1, integer: start)
    return try step() ? integer(0) : nil
  }

  /// Puts the current row's values at the end of a batch.
  borrowing func take(into fill: SQLiteFill) { unsafe fill.take(handle) }

  // MARK: Parameters

  borrowing func bind(_ index: Int, integer value: Int64) throws(Problem) {
    try check(unsafe sqlite3_bind_int64(handle, Int32(index), value))
  }
  borrowing func bind(_ index: Int, real value: Double) throws(Problem) {
    try check(unsafe sqlite3_bind_double(handle, Int32(index), value))
  }
  borrowing func bindNull(_ index: Int) throws(Problem) {
    try check(unsafe sqlite3_bind_null(handle, Int32(index)))
  }
  borrowing func bind(_ index: Int, text value: [UInt8]) throws(Problem) {
    let code = unsafe value.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe withUnsafePointer(to: CChar(0)) { empty in
        unsafe bb_sqlite3_bind_text_copying(handle, Int32(index), start ?? empty, UInt64(bytes.count))
      }
    }
    try check(code)
  }
  borrowing func bind(_ index: Int, text value: String) throws(Problem) { try bind(index, text: Array(value.utf8)) }
  borrowing func bind(_ index: Int, bytes value: [UInt8]) throws(Problem) {
    if value.isEmpty { return try check(unsafe sqlite3_bind_zeroblob(handle, Int32(index), 0)) }
    try check(
      unsafe value.withUnsafeBytes {
        unsafe bb_sqlite3_bind_blob_copying(handle, Int32(index), $0.baseAddress, UInt64($0.count))
      })
  }

  private borrowing func check(_ code: Int32) throws(Problem) {
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(sqlite3_db_handle(handle), code, at: place) }
  }

  // MARK: Columns

  borrowing func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(column)) }
  borrowing func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
  /// The column as text; NUL is a character like any other.
  borrowing func bytes(_ column: Int) -> [UInt8] {
    guard let text = unsafe sqlite3_column_text(handle, Int32(column)) else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
  borrowing func real(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(column)) }
  borrowing func isText(_ column: Int) -> Bool { unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE3_TEXT }
  borrowing func isReal(_ column: Int) -> Bool { unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_FLOAT }
  /// The column as raw bytes.
  borrowing func blob(_ column: Int) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
  borrowing func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
