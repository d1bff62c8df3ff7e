/// Bytes that can be read from any position, by several readers at once: a file, or the private copy of a pipe.
public protocol RandomAccessSource: Sendable {
  var name: String { get }
  /// The number of bytes.
  var length: Int { get }
  /// Appends up to `count` bytes at `offset`; returns how many, 0 at the end.
  /// - Throws: `io`.
  func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int
}

/// Bytes that are fetched when they are read, and earlier if it is known that they will be.
public protocol PlannedSource: RandomAccessSource {
  /// Announces the bytes that are read next, by parts of the file in the order in which they are read.
  /// If it `mayEnd`, reading may end before the last of them.
  func willRead(_ parts: [[Range<Int>]], mayEnd: Bool)
}

extension RandomAccessSource {
  /// Exactly `count` bytes at `offset`; nil if there are fewer.
  public func bytes(at offset: Int, count: Int) throws(Problem) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= length, offset <= length - count else { return nil }
    var bytes = ArenaBuilder(capacity: count)
    while bytes.count < count {
      guard try read(at: offset + bytes.count, count: count - bytes.count, into: &bytes) > 0 else { return nil }
    }
    return bytes.bytes
  }
}

extension MemoryByteSource: RandomAccessSource {
  /// The number of bytes.
  public var length: Int { size ?? 0 }

  /// Copies.
  public func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    copy(from: offset, count: count, into: &text)
  }
}
