import Synchronization

/// Bytes from a file, a pipe or a buffer, read once from the beginning to the end by one reader at a time.
public protocol ByteSource: Sendable {
  /// How messages name it: a path, `standard input`, a URL.
  var name: String { get }
  /// All the bytes there will be, when that is known before reading.
  var size: Int? { get }
  /// Appends up to `limit` bytes to `chunk`, within its capacity; returns how many, 0 only at the end.
  func read(into chunk: Chunk, limit: Int) throws(Problem) -> Int
  /// The same bytes again, from the beginning; nil if they cannot be read again (a pipe).
  func reopened() throws(Problem) -> (any ByteSource)?
}

/// Bytes in memory as a source.
public final class MemoryByteSource: ByteSource {
  /// How messages name it.
  public let name: String
  private let bytes: [UInt8]
  private let position = Mutex(0)

  /// A source of `bytes`.
  public init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }
  /// A source of the text's bytes.
  public convenience init(_ text: String, name: String) { self.init(Array(text.utf8), name: name) }

  /// Known.
  public var size: Int? { bytes.count }

  /// Copies.
  public func read(into chunk: Chunk, limit: Int) throws(Problem) -> Int {
    position.withLock { position in
      let count = min(limit, bytes.count - position, chunk.capacity - chunk.count)
      for i in 0..<count { unsafe chunk.base[chunk.count + i] = bytes[position + i] }
      chunk.count += count
      position += count
      return count
    }
  }
  /// The same bytes.
  public func reopened() throws(Problem) -> (any ByteSource)? { MemoryByteSource(bytes, name: name) }
}
