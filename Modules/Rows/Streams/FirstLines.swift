import Synchronization

/// The first lines of a text.
package final class FirstLines: ByteSource {
  package let name: String
  private let inner: any ByteSource
  private let count: Int
  private let isArray: Bool
  private let left: Mutex<Int>

  /// The first `count` lines of `inner`.
  /// - Parameter isArray: whether the comma at the end of the last one becomes the end of a JSON array.
  package init(_ count: Int, of inner: any ByteSource, isArray: Bool = false) {
    (name, self.inner, self.count, self.isArray) = (inner.name, inner, count, isArray)
    left = Mutex(count)
  }

  /// Unknown.
  package var size: Int? { nil }

  package func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try left.withLock { (left) throws(Problem) in
      guard left > 0 else { return 0 }
      var piece = ArenaBuilder(capacity: limit)
      _ = try inner.read(into: &piece, limit: limit)
      var bytes = piece.bytes
      for (at, byte) in bytes.enumerated() where byte == 0x0A {
        left -= 1
        guard left == 0 else { continue }
        bytes.removeSubrange((at + 1)...)
        if isArray, at > 0, bytes[at - 1] == UInt8(ascii: ",") { bytes[at - 1] = UInt8(ascii: "]") }
        break
      }
      text.append(bytes)
      return bytes.count
    }
  }

  package func reopened() throws(Problem) -> (any ByteSource)? {
    try inner.reopened().map { FirstLines(count, of: $0, isArray: isArray) }
  }
}
