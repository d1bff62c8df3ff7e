import Codecs
import Rows

/// The values of `DELTA_BYTE_ARRAY`, one after the other.
struct ParquetPrefixes {
  private let prefixes: [Int64], suffixes: [Int64]
  private let page: Arena
  private var rest: ParquetCursor
  private var next = 0
  private(set) var text: [UInt8] = []

  /// Reads the lengths of `count` values at a cursor in a page.
  init(_ cursor: inout ParquetCursor, count: Int, _ page: Arena) throws(ParquetFailure) {
    prefixes = try ParquetIntegers.deltas(&cursor, limit: count)
    suffixes = try ParquetIntegers.deltas(&cursor, limit: count)
    guard prefixes.count == count, suffixes.count == count else {
      throw .damage("a page has fewer values than its header says")
    }
    (rest, self.page) = (cursor, page)
  }

  /// - Returns: false after the last value.
  mutating func advance() throws(ParquetFailure) -> Bool {
    guard next < prefixes.count else { return false }
    let prefix = prefixes[next], suffix = suffixes[next]
    guard prefix >= 0, prefix <= text.count, suffix >= 0, suffix <= rest.left else { throw .short }
    text.removeSubrange(Int(prefix)...)
    text += try rest.take(Int(suffix)).bytes
    next += 1
    return true
  }
}
