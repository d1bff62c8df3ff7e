import CSQLite
import CSQLiteGuard
import Codecs
import Query
import Rows

extension SQLiteConnection {
  /// Registers what SQL statements of the user may call and SQLite lacks: `regexp`, `sha256`, `median`, `quantile`,
  /// `stddev` and the table `generate_series`.
  borrowing func registerFunctions() throws(Problem) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    let codes = unsafe [
      sqlite3_create_function_v2(
        handle, "regexp", 2, flags, nil, { unsafe SQLiteFunctions.matches($0, $2) }, nil, nil, nil),
      sqlite3_create_function_v2(
        handle, "sha256", 1, flags, nil, { unsafe SQLiteFunctions.digest($0, $2) }, nil, nil, nil),
      sqlite3_create_function_v2(
        handle, "median", 1, flags, nil, nil, { unsafe ListedNumbers.add($0, $1, $2) },
        { unsafe ListedNumbers.finish($0) { $0.quantile(0.5) } }, nil),
      sqlite3_create_function_v2(
        handle, "quantile", 2, flags, nil, nil, { unsafe ListedNumbers.add($0, $1, $2) },
        { unsafe ListedNumbers.finish($0) { $0.quantile($0.fraction) } }, nil),
      sqlite3_create_function_v2(
        handle, "stddev", 1, flags, nil, nil, { unsafe ListedNumbers.add($0, $1, $2) },
        { unsafe ListedNumbers.finish($0) { $0.deviation } }, nil),
      bb_sqlite3_add_series(handle),
    ]
    for code in codes where code != SQLITE_OK { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }
}

private enum SQLiteFunctions {
  /// `text REGEXP pattern`. The compiled pattern is kept while it is constant.
  static func matches(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let pattern = unsafe bytes(values?[0]), let text = unsafe bytes(values?[1]) else {
      return unsafe sqlite3_result_null(context)
    }
    if let kept = unsafe sqlite3_get_auxdata(context, 0) {
      let searches = unsafe Unmanaged<KeptPattern>.fromOpaque(kept).takeUnretainedValue()
      return unsafe sqlite3_result_int(context, searches.pattern.matches(text) ? 1 : 0)
    }
    do throws(Problem) {
      let made = KeptPattern(TextPattern(try Pattern(String(decoding: pattern, as: UTF8.self))))
      unsafe sqlite3_result_int(context, made.pattern.matches(text) ? 1 : 0)
      unsafe sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(made).toOpaque()) {
        if let kept = unsafe $0 { unsafe Unmanaged<KeptPattern>.fromOpaque(kept).release() }
      }
    } catch { unsafe sqlite3_result_error(context, error.message, -1) }
  }

  static func digest(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let text = unsafe bytes(values?[0]) else { return unsafe sqlite3_result_null(context) }
    let digest = SHA256.hex(text)
    unsafe sqlite3_result_text64(
      context, digest, UInt64(digest.utf8.count), bb_sqlite3_transient(), UInt8(SQLITE_UTF8))
  }

  /// The bytes of a value as text; nil for null.
  private static func bytes(_ value: OpaquePointer?) -> [UInt8]? {
    guard unsafe sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    let text = unsafe sqlite3_value_blob(value), count = unsafe Int(sqlite3_value_bytes(value))
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: count))
  }
}

private final class KeptPattern {
  let pattern: TextPattern
  init(_ pattern: TextPattern) { self.pattern = pattern }
}

/// The numbers of a group, for figures that need all of them.
private final class ListedNumbers {
  private var numbers: [Double] = []
  private(set) var fraction = 0.5

  static func add(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let memory = unsafe sqlite3_aggregate_context(context, Int32(MemoryLayout<Int>.size)),
      let value = unsafe values?[0]
    else { return }
    let place = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if unsafe place.pointee == nil { unsafe place.pointee = Unmanaged.passRetained(ListedNumbers()).toOpaque() }
    guard let known = unsafe place.pointee, unsafe sqlite3_value_numeric_type(value) != SQLITE_NULL else { return }
    let state = unsafe Unmanaged<ListedNumbers>.fromOpaque(known).takeUnretainedValue()
    state.numbers.append(unsafe sqlite3_value_double(value))
    if count > 1, let fraction = unsafe values?[1] { state.fraction = unsafe sqlite3_value_double(fraction) }
  }

  static func finish(_ context: OpaquePointer?, _ figure: (ListedNumbers) -> Double?) {
    guard let memory = unsafe sqlite3_aggregate_context(context, 0),
      let known = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    else { return unsafe sqlite3_result_null(context) }
    let state = unsafe Unmanaged<ListedNumbers>.fromOpaque(known).takeRetainedValue()
    guard let result = figure(state) else {
      // The result is null unless another is given.
      if (0...1).contains(state.fraction) { return }
      return unsafe sqlite3_result_error(context, "quantile needs a number from 0 to 1", -1)
    }
    unsafe sqlite3_result_double(context, result)
  }

  func quantile(_ fraction: Double) -> Double? { Quantile.value(of: &numbers, at: fraction) }
  var deviation: Double? { Quantile.deviation(of: numbers) }
}
