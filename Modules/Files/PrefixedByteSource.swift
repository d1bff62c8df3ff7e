package import Rows

/// A pipe whose first bytes have been read.
package final class PrefixedByteSource: ByteSource {
  package let name: String
  package var size: Int? { nil }
  private let prefix: MemoryByteSource
  private let rest: any ByteSource

  /// The bytes of `prefix`, then those of `rest`.
  package init(_ prefix: [UInt8], _ rest: any ByteSource) {
    name = rest.name
    self.prefix = MemoryByteSource(prefix, name: rest.name)
    self.rest = rest
  }

  package func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let count = try prefix.read(into: &text, limit: limit)
    return count > 0 || limit == 0 ? count : try rest.read(into: &text, limit: limit)
  }

  package func reopened() throws(Problem) -> (any ByteSource)? { nil }
}
