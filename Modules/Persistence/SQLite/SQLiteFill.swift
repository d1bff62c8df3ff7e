import CSQLite
import Rows

/// A batch that is being filled with values as SQLite keeps them. One thread at a time.
@safe final class SQLiteFill {
  /// What the function that SQLite calls changes, without the checks that fields of classes have.
  struct State {
    var chunk: Chunk
    var cells: CellBlock
    var rows = 0, used = 0
    let width: Int
    /// The row id of the last row.
    var last: Int64 = 0
    var isFull = false
    var isTooLarge = false
  }

  let state: UnsafeMutablePointer<State>

  /// Rows of `width` cells.
  init(width: Int) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(chunk: Chunk(), cells: CellBlock(capacity: 64 * width), width: width))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Whether the batch should be given out.
  var isFull: Bool { unsafe state.pointee.isFull }
  /// The row id of the last row taken by `bb_rows`.
  var last: Int64 { unsafe state.pointee.last }

  /// Begins a batch.
  func begin() {
    unsafe state.pointee.chunk = Chunk()
    unsafe state.pointee.cells = CellBlock(capacity: max(64 * state.pointee.width, state.pointee.cells.capacity))
    unsafe state.pointee.rows = 0
    unsafe state.pointee.used = 0
    unsafe state.pointee.isFull = false
  }

  /// The batch; nil when it has no rows.
  func finish() -> RowBatch? {
    let state = unsafe self.state.pointee
    guard state.rows > 0 else { return nil }
    state.chunk.count = state.used
    return RowBatch(width: state.width, count: state.rows, cells: state.cells, chunk: state.chunk)
  }

  /// What SQLite calls for each row: the row id, then the columns.
  static func take(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let data = unsafe sqlite3_user_data(context), let values = unsafe values else { return }
    let state = unsafe data.assumingMemoryBound(to: State.self)
    let width = unsafe state.pointee.width
    var at = unsafe state.pointee.rows &* width
    if unsafe at &+ width > state.pointee.cells.capacity { unsafe growCells(state, at, width) }
    let cells = unsafe state.pointee.cells
    var chunk = unsafe state.pointee.chunk, used = unsafe state.pointee.used
    for column in 1..<(width &+ 1) {
      let value = unsafe values[column]
      switch unsafe sqlite3_value_type(value) {
      case SQLITE_INTEGER: cells.put(at, .integer(unsafe sqlite3_value_int64(value)))
      case SQLITE_FLOAT: cells.put(at, .real(unsafe sqlite3_value_double(value)))
      case SQLITE_NULL: cells.put(at, .null)
      case let kind:
        let isText = kind == SQLITE3_TEXT
        let source =
          unsafe isText
          ? sqlite3_value_text(value).map { unsafe UnsafeRawPointer($0) }
          : sqlite3_value_blob(value).map { unsafe UnsafeRawPointer($0) }
        let count = unsafe Int(sqlite3_value_bytes(value))
        if used &+ count > chunk.capacity {
          guard unsafe growChunk(state, used, count) else { return unsafe sqlite3_result_error_toobig(context) }
          chunk = unsafe state.pointee.chunk
        }
        if count > 0 {
          guard let source = unsafe source else { return unsafe sqlite3_result_error_nomem(context) }
          unsafe UnsafeMutableRawPointer(chunk.base + used).copyMemory(from: source, byteCount: count)
        }
        let start = UInt32(truncatingIfNeeded: used), length = UInt32(truncatingIfNeeded: count)
        cells.put(at, isText ? .text(start, length) : .bytes(start, length))
        used &+= count
      }
      at &+= 1
    }
    unsafe state.pointee.used = used
    unsafe state.pointee.rows &+= 1
    if used >= Chunk.usualCapacity &* 3 / 4 || at >= 1 << 15 {
      unsafe state.pointee.isFull = true
      unsafe state.pointee.last = sqlite3_value_int64(values[0])
      unsafe sqlite3_result_error_code(context, SQLITE_ABORT)
    }
  }

  /// The current row of a statement, its first column being the row's first.
  func take(_ statement: OpaquePointer) {
    let width = unsafe state.pointee.width
    var at = unsafe state.pointee.rows &* width
    if unsafe at &+ width > state.pointee.cells.capacity { unsafe Self.growCells(state, at, width) }
    let cells = unsafe state.pointee.cells
    for column in 0..<Int32(width) {
      switch unsafe sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: cells.put(at, .integer(unsafe sqlite3_column_int64(statement, column)))
      case SQLITE_FLOAT: cells.put(at, .real(unsafe sqlite3_column_double(statement, column)))
      case SQLITE_NULL: cells.put(at, .null)
      case let kind:
        let isText = kind == SQLITE3_TEXT
        let source =
          unsafe isText
          ? sqlite3_column_text(statement, column).map { unsafe UnsafeRawPointer($0) }
          : sqlite3_column_blob(statement, column).map { unsafe UnsafeRawPointer($0) }
        let count = unsafe Int(sqlite3_column_bytes(statement, column)), used = unsafe state.pointee.used
        if unsafe used &+ count > state.pointee.chunk.capacity, unsafe !Self.growChunk(state, used, count) {
          unsafe state.pointee.isTooLarge = true
          return
        }
        if let source = unsafe source, count > 0 {
          unsafe UnsafeMutableRawPointer(state.pointee.chunk.base + used).copyMemory(from: source, byteCount: count)
        }
        let start = UInt32(truncatingIfNeeded: used), length = UInt32(truncatingIfNeeded: count)
        cells.put(at, isText ? .text(start, length) : .bytes(start, length))
        unsafe state.pointee.used = used &+ count
      }
      at &+= 1
    }
    unsafe state.pointee.rows &+= 1
    if unsafe state.pointee.used >= Chunk.usualCapacity &* 3 / 4 || at >= 1 << 15 { unsafe state.pointee.isFull = true }
  }

  /// Whether a row did not fit into any batch.
  var isTooLarge: Bool { unsafe state.pointee.isTooLarge }

  @inline(never) private static func growCells(_ state: UnsafeMutablePointer<State>, _ used: Int, _ width: Int) {
    unsafe state.pointee.cells = state.pointee.cells.grown(keeping: used, atLeast: used + width)
  }

  /// False when the batch would be larger than its ranges can say.
  @inline(never) private static func growChunk(
    _ state: UnsafeMutablePointer<State>, _ used: Int, _ count: Int
  ) -> Bool {
    guard used + count < Int(UInt32.max) else { return false }
    let larger = unsafe Chunk(capacity: max(min(state.pointee.chunk.capacity * 2, Int(UInt32.max)), used + count))
    unsafe larger.base.update(from: state.pointee.chunk.base, count: used)
    unsafe state.pointee.chunk = larger
    return true
  }
}
