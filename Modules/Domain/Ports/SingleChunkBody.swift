package import Rows

/// A body that is already in memory.
package struct SingleChunkBody: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = Problem
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.isEmpty ? nil : bytes) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var bytes: [UInt8]?
    package mutating func next() async throws(Problem) -> [UInt8]? {
      defer { bytes = nil }
      return bytes
    }
  }
}
