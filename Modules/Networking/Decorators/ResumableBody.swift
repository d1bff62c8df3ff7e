import Rows

/// A body of which the beginning was read already. As every body it is read at most once, by one reader.
struct ResumableBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Problem

  /// The iterator that read the beginning. It goes from the one who read that to the one reader of this body, never to
  /// two at a time.
  @safe fileprivate final class Rest: @unchecked Sendable {
    var iterator: any AsyncIteratorProtocol<[UInt8], Problem>
    init(_ iterator: any AsyncIteratorProtocol<[UInt8], Problem>) { self.iterator = iterator }
  }

  private let beginning: [[UInt8]]
  private let rest: Rest?

  /// Reads up to about `limit` bytes; a body that ends within them needs nothing else.
  init(_ body: any AsyncSequence<[UInt8], Problem> & Sendable, limit: Int) async throws(Problem) {
    var iterator: any AsyncIteratorProtocol<[UInt8], Problem> = body.makeAsyncIterator()
    var chunks: [[UInt8]] = [], count = 0
    while count < limit {
      guard let chunk = try await iterator.next(isolation: #isolation) else {
        beginning = chunks
        rest = nil
        return
      }
      chunks.append(chunk)
      count += chunk.count
    }
    beginning = chunks
    rest = Rest(iterator)
  }

  func makeAsyncIterator() -> Iterator { Iterator(beginning: beginning[...], rest: rest) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var beginning: ArraySlice<[UInt8]>
    fileprivate let rest: Rest?

    mutating func next() async throws(Problem) -> [UInt8]? {
      if let chunk = beginning.popFirst() { return chunk }
      return try await rest?.iterator.next(isolation: #isolation)
    }
  }
}
