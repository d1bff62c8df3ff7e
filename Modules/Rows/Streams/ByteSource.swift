import Synchronization

/// Bytes from a file, a pipe or a buffer, read once from the beginning to the end by one reader at a time.
public protocol ByteSource: Sendable {
  /// The name in messages: a path, `standard input`, a URL.
  var name: String { get }
  /// All the bytes there will be, when that is known before reading.
  var size: Int? { get }
  /// Appends the next bytes, at most `limit`. Returns how many; 0 only at the end.
  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int
  /// The same bytes again, from the beginning; nil if they cannot be read again (a pipe).
  func reopened() throws(Problem) -> (any ByteSource)?
  /// Warnings about the bytes for the user, complete when all of them were read.
  var notes: [Warning] { get }
}

extension ByteSource {
  /// Nothing.
  public var notes: [Warning] { [] }
  /// Calls `body` with all bytes that are left, in pieces of any size.
  public func forEachPiece(_ body: (RawSpan) throws(Problem) -> Void) throws(Problem) {
    var piece = ArenaBuilder()
    while try read(into: &piece, limit: piece.room) > 0 {
      try piece.read(body)
      piece.removeAll()
    }
  }
}

/// Bytes in memory as a source.
public final class MemoryByteSource: ByteSource {
  /// The name in messages.
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
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    position.withLock { position in
      let count = copy(from: position, count: limit, into: &text)
      position += count
      return count
    }
  }

  /// Appends up to `limit` bytes from `offset` on; returns how many.
  func copy(from offset: Int, count limit: Int, into text: inout ArenaBuilder) -> Int {
    let count = max(0, min(limit, bytes.count - offset))
    if count > 0 { text.append(bytes[offset..<offset + count]) }
    return count
  }

  /// The same bytes.
  public func reopened() throws(Problem) -> (any ByteSource)? { MemoryByteSource(bytes, name: name) }
}
