import Files
import Rows

/// The bytes of a file and of what is written after them, in place of the file when it is complete.
final class AppendingSink: ByteSink, @unchecked Sendable {
  let name: String
  private let inner: FileSink
  /// The file as it was; nil after it was copied. One task at a time writes.
  private var source: FileByteSource?
  private let stamp: FileStamp?

  /// - Throws: the errors of opening the file, and of creating one next to it.
  init(_ path: String) throws(Problem) {
    name = path
    stamp = try FileStamp.now(at: path)
    inner = try FileSink(path: path, follows: true)
    source = try FileByteSource(input: path)
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    try await copy()
    try await inner.write(bytes)
  }

  private func copy() async throws(Problem) {
    guard let file = source else { return }
    source = nil
    var piece = ArenaBuilder(), bytes = ByteBuffer(capacity: Arena.usualCapacity), isLineOpen = false
    while try file.read(into: &piece, limit: piece.room) > 0 {
      isLineOpen = piece.bytes.last != UInt8(ascii: "\n")
      piece.read { bytes.append($0) }
      try await inner.write(bytes)
      piece.removeAll()
      bytes.removeAll()
    }
    guard isLineOpen else { return }
    bytes.append("\n")
    try await inner.write(bytes)
  }

  func commit() async throws(Problem) {
    try await copy()
    guard try FileStamp.now(at: name) == stamp else { throw Problem.changedMeanwhile(name) }
    try await inner.commit()
  }

  func abandon() async { await inner.abandon() }
}
