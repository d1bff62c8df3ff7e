public import Rows
import Synchronization

/// A pipe's bytes, copied to a private file as they are read, so that they can be read more than once.
public final class SpooledByteSource: ByteSource {
  /// The pipe's name.
  public let name: String
  private let tape: Tape
  private let position = Mutex(0)

  /// Will copy `source` as far as it is read.
  public convenience init(_ source: any ByteSource, scratch: any ScratchSpace) throws(Problem) {
    self.init(Tape(source, try scratch.makeFile()), name: source.name)
  }

  private init(_ tape: Tape, name: String) {
    self.tape = tape
    self.name = name
  }

  /// The bytes that were copied; nil until the pipe has ended.
  public var size: Int? { tape.size }

  /// Reads from the copy what was copied, else from the pipe.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let at = position.withLock { $0 }
    let count = try tape.read(at: at, into: &text, limit: limit)
    position.withLock { $0 = at + count }
    return count
  }

  /// Copies all there is, which then can be read from any position.
  package func readAll() throws(Problem) {
    var piece = ArenaBuilder(), at = 0
    while true {
      piece.removeAll()
      let count = try tape.read(at: at, into: &piece, limit: piece.room)
      if count == 0 { return }
      at += count
    }
  }

  /// The same bytes, from the beginning.
  public func reopened() throws(Problem) -> (any ByteSource)? { SpooledByteSource(tape, name: name) }
}

extension SpooledByteSource: RandomAccessSource {
  /// The bytes that were copied; all of them after `readAll`.
  public var length: Int { size ?? 0 }

  /// Reads from the copy.
  public func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    try tape.read(at: offset, into: &text, limit: count)
  }
}

/// A pipe and the copy of the bytes read from it.
private final class Tape: Sendable {
  private let source: any ByteSource
  private let file: any ScratchFile
  private let isAtEnd = Mutex(false)

  init(_ source: any ByteSource, _ file: any ScratchFile) {
    self.source = source
    self.file = file
  }

  var size: Int? { isAtEnd.withLock { $0 ? file.count : nil } }

  func read(at offset: Int, into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try isAtEnd.withLock { (isAtEnd) throws(Problem) in
      if offset < file.count { return try file.read(at: offset, length: limit, into: &text) }
      if isAtEnd { return 0 }
      let start = text.count
      let count = try source.read(into: &text, limit: limit)
      if count == 0 {
        isAtEnd = true
        return 0
      }
      var bytes = ByteBuffer(capacity: count)
      text.read { bytes.append($0.extracting(start..<start + count)) }
      try file.append(bytes)
      return count
    }
  }
}
