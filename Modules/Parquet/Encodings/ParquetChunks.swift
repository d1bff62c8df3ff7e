import Codecs
import Rows

/// The values of a page, decoded some at a time.
///
/// Readers that are copies of each other share them, and may go back as far as values are not forgotten.
final class ParquetChunks {
  /// About the values, or the bytes of text, of a chunk.
  static let values = 1 << 14, bytes = 1 << 16

  private let next: () throws(ParquetFailure) -> ParquetDecoded
  /// The chunks that a reader may need, with the number of their first value.
  private var chunks: [(first: Int, decoded: ParquetDecoded)] = []
  /// The number of values that were decoded, and the chunk that was used last.
  private var end = 0, recent = 0

  /// - Parameter next: decodes at least one value.
  init(_ next: @escaping () throws(ParquetFailure) -> ParquetDecoded) { self.next = next }

  /// Values that are all decoded.
  convenience init(_ decoded: ParquetDecoded) {
    self.init { () throws(ParquetFailure) in throw .short }
    (chunks, end) = ([(0, decoded)], decoded.cells.count)
  }

  /// Values made of numbers, some at a time.
  static func parts<Number>(
    of numbers: [Number], _ decoded: @escaping (_ part: ArraySlice<Number>) throws(ParquetFailure) -> ParquetDecoded
  ) -> ParquetChunks {
    var rest = numbers[...]
    return ParquetChunks { () throws(ParquetFailure) in
      defer { rest = rest.dropFirst(values) }
      return try decoded(rest.prefix(values))
    }
  }

  /// The chunk with a value, by its number in the page, and its place there.
  func chunk(with number: Int) throws(ParquetFailure) -> (ParquetDecoded, at: Int) {
    while number >= end {
      let decoded = try next()
      guard !decoded.cells.isEmpty else { throw .damage("a page has fewer values than its header says") }
      chunks.append((end, decoded))
      end += decoded.cells.count
    }
    if recent >= chunks.count || !chunks[recent].decoded.cells.indices.contains(number - chunks[recent].first) {
      recent = chunks.lastIndex { $0.first <= number } ?? 0
    }
    return (chunks[recent].decoded, number - chunks[recent].first)
  }

  /// Drops the chunks before a value, to which no reader goes back.
  func forget(before number: Int) {
    chunks.removeFirst(chunks.prefix { $0.first + $0.decoded.cells.count <= number }.count)
  }

  /// Passes over the values before one.
  func skip(to number: Int) throws(ParquetFailure) {
    while end < number {
      chunks = []
      _ = try chunk(with: end)
    }
    forget(before: number)
  }
}
