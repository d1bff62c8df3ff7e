public import Rows
import Synchronization

/// A pipe's bytes, copied to a private file first, so that they can be read more than once.
public final class SpooledByteSource: ByteSource {
  /// The pipe's name.
  public let name: String
  private let file: any ScratchFile
  private let position = Mutex(0)

  /// Copies `source` to its end.
  public convenience init(_ source: any ByteSource, scratch: any ScratchSpace) throws(Problem) {
    let file = try scratch.makeFile()
    let chunk = Chunk()
    var bytes = ByteBuffer(capacity: chunk.capacity)
    while true {
      chunk.count = 0
      let count = try source.read(into: chunk, limit: chunk.capacity)
      if count == 0 { break }
      bytes.removeAll()
      let room = unsafe bytes.room(count)
      unsafe room.update(from: chunk.base, count: count)
      unsafe bytes.commit(room + count)
      try file.append(bytes)
    }
    self.init(file, name: source.name)
  }

  private init(_ file: any ScratchFile, name: String) {
    self.file = file
    self.name = name
  }

  /// The bytes that were copied.
  public var size: Int? { file.count }

  /// Reads from the copy.
  public func read(into chunk: Chunk, limit: Int) throws(Problem) -> Int {
    let at = position.withLock { $0 }
    let count = try file.read(at: at, length: limit, into: chunk)
    position.withLock { $0 = at + count }
    return count
  }

  /// The copy, from its beginning.
  public func reopened() throws(Problem) -> (any ByteSource)? { SpooledByteSource(file, name: name) }
}
