public import Rows

/// Buffers output until it is complete: for standard output if the rows may have to be read again with other types.
public final class SpooledSink: ByteSink {
  /// The inner sink's name.
  public var name: String { inner.name }
  private let inner: any ByteSink
  private let file: any ScratchFile

  /// Bytes for `inner`, kept in `scratch` until `commit`.
  public init(_ inner: any ByteSink, scratch: any ScratchSpace) throws(Problem) {
    self.inner = inner
    file = try scratch.makeFile()
  }

  /// Keeps the bytes.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { try file.append(bytes) }

  /// Hands everything on.
  public func commit() async throws(Problem) {
    // Both are used for all pieces: new memory costs more than the copies.
    var offset = 0
    if let output = inner as? DescriptorSink, let file = file as? TemporaryFile { offset = try output.send(file) }
    var piece = ArenaBuilder(), bytes = ByteBuffer()
    while true {
      piece.removeAll()
      let count = try file.read(at: offset, length: piece.room, into: &piece)
      if count == 0 { break }
      offset += count
      bytes.removeAll()
      piece.read { bytes.append($0) }
      try await inner.write(bytes)
    }
    try await inner.commit()
  }

  /// Forgets the bytes.
  public func abandon() async { await inner.abandon() }
}
