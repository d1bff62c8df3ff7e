import CSQLite
import Rows

/// A batch that is being filled with values as SQLite keeps them. One thread at a time.
@safe final class SQLiteFill {
  /// The state of the function that SQLite calls, without the exclusivity checks of classes.
  struct State: ~Copyable {
    var rows: RowBatchBuilder
    /// The row id of the last row.
    var last: Int64 = 0
    var isFull = false
    var isTooLarge = false

    /// Appends text or raw bytes; false if the batch would have more than 4 GiB.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer, isText: Bool) -> Bool {
      guard rows.byteCount &+ bytes.count < Int(UInt32.max) else { return false }
      let bytes = unsafe RawSpan(_unsafeBytes: bytes)
      if isText { rows.append(text: bytes) } else { rows.append(bytes: bytes) }
      return true
    }
  }

  let state: UnsafeMutablePointer<State>

  /// Rows of `width` cells.
  init(width: Int) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(rows: RowBatchBuilder(width: width)))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Whether the batch should be given out.
  var isFull: Bool { unsafe state.pointee.isFull }
  /// The row id of the last row taken by `bb_rows`.
  var last: Int64 { unsafe state.pointee.last }
  /// Whether a row did not fit into any batch.
  var isTooLarge: Bool { unsafe state.pointee.isTooLarge }

  func begin() {
    unsafe state.pointee.rows.removeAll()
    unsafe state.pointee.isFull = false
  }

  /// The batch; nil when it has no rows.
  func finish() -> RowBatch? { unsafe state.pointee.rows.count == 0 ? nil : state.pointee.rows.takeBatch() }

  /// What SQLite calls for each row: the row id, then the columns.
  static func take(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let data = unsafe sqlite3_user_data(context), let values = unsafe values else { return }
    let state = unsafe data.assumingMemoryBound(to: State.self)
    let width = unsafe state.pointee.rows.width
    for column in 1..<(width &+ 1) {
      let value = unsafe values[column]
      switch unsafe sqlite3_value_type(value) {
      case SQLITE_INTEGER: unsafe state.pointee.rows.append(integer: sqlite3_value_int64(value))
      case SQLITE_FLOAT: unsafe state.pointee.rows.append(real: sqlite3_value_double(value))
      case SQLITE_NULL: unsafe state.pointee.rows.appendNull()
      case let kind:
        let isText = kind == SQLITE3_TEXT
        let start =
          unsafe isText
          ? sqlite3_value_text(value).map { unsafe UnsafeRawPointer($0) }
          : sqlite3_value_blob(value).map { unsafe UnsafeRawPointer($0) }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        if unsafe start == nil, bytes.count > 0 { return unsafe sqlite3_result_error_nomem(context) }
        guard unsafe state.pointee.append(bytes, isText: isText) else {
          return unsafe sqlite3_result_error_toobig(context)
        }
      }
    }
    guard unsafe state.pointee.rows.isFull else { return }
    unsafe state.pointee.isFull = true
    unsafe state.pointee.last = sqlite3_value_int64(values[0])
    unsafe sqlite3_result_error_code(context, SQLITE_ABORT)
  }

  /// The current row of a statement, its first column being the row's first.
  func take(_ statement: OpaquePointer) {
    for column in unsafe 0..<Int32(state.pointee.rows.width) {
      switch unsafe sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: unsafe state.pointee.rows.append(integer: sqlite3_column_int64(statement, column))
      case SQLITE_FLOAT: unsafe state.pointee.rows.append(real: sqlite3_column_double(statement, column))
      case SQLITE_NULL: unsafe state.pointee.rows.appendNull()
      case let kind:
        let isText = kind == SQLITE3_TEXT
        let start =
          unsafe isText
          ? sqlite3_column_text(statement, column).map { unsafe UnsafeRawPointer($0) }
          : sqlite3_column_blob(statement, column).map { unsafe UnsafeRawPointer($0) }
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
        guard unsafe state.pointee.append(UnsafeRawBufferPointer(start: start, count: count), isText: isText) else {
          unsafe state.pointee.isTooLarge = true
          return
        }
      }
    }
    if unsafe state.pointee.rows.isFull { unsafe state.pointee.isFull = true }
  }
}
