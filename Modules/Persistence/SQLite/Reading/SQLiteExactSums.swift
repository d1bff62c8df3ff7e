import CSQLite
import Query
import Rows

extension SQLiteConnection {
  /// Replaces `sum` and `avg` by functions that add decimal numbers exactly.
  ///
  /// Reals are added as their shortest literals, and text as the number that it spells. SQLite's own `total` rounds.
  /// - Parameter isStrict: whether a sum that no number of SQLite holds is an error even if no text was added.
  borrowing func registerExactSums(isStrict: Bool) throws(Problem) {
    let strictness = unsafe UnsafeMutableRawPointer(bitPattern: isStrict ? 1 : 0)
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    let sum = unsafe sqlite3_create_window_function(
      handle, "sum", 1, flags, strictness, { unsafe ExactSum.add($0, $2, removing: false) },
      { unsafe ExactSum.sum($0, ends: true) }, { unsafe ExactSum.sum($0, ends: false) },
      { unsafe ExactSum.add($0, $2, removing: true) }, nil)
    let mean = unsafe sqlite3_create_window_function(
      handle, "avg", 1, flags, strictness, { unsafe ExactSum.add($0, $2, removing: false) },
      { unsafe ExactSum.mean($0, ends: true) }, { unsafe ExactSum.mean($0, ends: false) },
      { unsafe ExactSum.add($0, $2, removing: true) }, nil)
    for code in [sum, mean] where code != SQLITE_OK { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }
}

/// The state of a call of `sum` or `avg`, which SQLite keeps for each group.
private final class ExactSum {
  private var sum = RunningSum()
  /// The numbers added that are not integers.
  private var reals = 0
  private var isStrict = false
  private var isExact = true

  private static let tooLarge = "the sum is out of range; use total()"

  /// The state of the group; SQLite's memory has a reference to it.
  private static func state(_ context: OpaquePointer?, creates: Bool) -> ExactSum? {
    let size = Int32(creates ? MemoryLayout<Int>.size : 0)
    guard let memory = unsafe sqlite3_aggregate_context(context, size) else { return nil }
    let place = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let known = unsafe place.pointee { return unsafe Unmanaged<ExactSum>.fromOpaque(known).takeUnretainedValue() }
    if !creates { return nil }
    let state = ExactSum()
    unsafe place.pointee = unsafe Unmanaged.passRetained(state).toOpaque()
    return state
  }

  static func add(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?, removing: Bool) {
    guard let state = unsafe state(context, creates: true), let value = unsafe values?[0] else { return }
    if unsafe sqlite3_user_data(context) != nil { state.isStrict = true }
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_NULL: return
    case SQLITE_INTEGER:
      state.isExact = state.sum.add(unsafe sqlite3_value_int64(value), removing: removing) && state.isExact
    case SQLITE3_TEXT:
      state.isStrict = true
      state.reals += removing ? -1 : 1
      let text = unsafe sqlite3_value_text(value), count = unsafe Int(sqlite3_value_bytes(value))
      if state.sum.add(unsafe Array(UnsafeBufferPointer(start: text, count: count)), removing: removing) { return }
      state.isExact = state.sum.add(unsafe sqlite3_value_double(value), removing: removing) && state.isExact
    default:
      state.reals += removing ? -1 : 1
      state.isExact = state.sum.add(unsafe sqlite3_value_double(value), removing: removing) && state.isExact
    }
  }

  static func sum(_ context: OpaquePointer?, ends: Bool) {
    defer { if ends { unsafe release(context) } }
    guard let state = unsafe state(context, creates: false), state.sum.count > 0 else {
      return unsafe sqlite3_result_null(context)
    }
    if !state.isExact { return unsafe sqlite3_result_error(context, tooLarge, -1) }
    let literal = state.sum.literal, text = String(decoding: literal, as: UTF8.self)
    if state.reals == 0 {
      guard let number = Int64(text) else { return unsafe sqlite3_result_error(context, "integer overflow", -1) }
      return unsafe sqlite3_result_int64(context, number)
    }
    guard let number = Double(text), number.isFinite else { return unsafe sqlite3_result_error(context, tooLarge, -1) }
    if state.isStrict, !SQLQuery.holds(literal) {
      return unsafe sqlite3_result_error(context, SQLQuery.tooLongSum(literal), -1)
    }
    unsafe sqlite3_result_double(context, number)
  }

  static func mean(_ context: OpaquePointer?, ends: Bool) {
    defer { if ends { unsafe release(context) } }
    guard let state = unsafe state(context, creates: false), state.sum.count > 0 else {
      return unsafe sqlite3_result_null(context)
    }
    if !state.isExact { return unsafe sqlite3_result_error(context, tooLarge, -1) }
    unsafe sqlite3_result_double(context, state.sum.mean)
  }

  private static func release(_ context: OpaquePointer?) {
    guard let memory = unsafe sqlite3_aggregate_context(context, 0) else { return }
    let place = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let known = unsafe place.pointee { unsafe Unmanaged<ExactSum>.fromOpaque(known).release() }
    unsafe place.pointee = nil
  }
}
