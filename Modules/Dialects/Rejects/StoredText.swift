internal import Rows

/// The bytes of a long record in a temporary file.
struct StoredText: Sendable {
  var file: any ScratchFile, range: Range<Int>

  /// Bytes that are read or written at once: whole units of every encoding.
  private static let portion = 1 << 18

  /// Stores bytes after those of an earlier text, or in a new file.
  init(_ bytes: RawSpan, after last: StoredText?, in scratch: any ScratchSpace) throws(Problem) {
    file = if let last { last.file } else { try scratch.makeFile() }
    let start = last?.range.lowerBound ?? file.count
    var buffer = ByteBuffer(capacity: Self.portion)
    for at in stride(from: 0, to: bytes.byteCount, by: Self.portion) {
      buffer.append(bytes.extracting(at..<min(at + Self.portion, bytes.byteCount)))
      try file.append(buffer)
      buffer.removeAll()
    }
    range = start..<file.count
  }

  /// The bytes, part by part.
  /// - Parameter body: returns how many of the bytes it took; 0 for an end.
  func forEachPart(_ body: (RawSpan) throws(Problem) -> Int) throws(Problem) {
    var at = range.lowerBound, part = ArenaBuilder(capacity: Self.portion)
    while at < range.upperBound {
      part.removeAll()
      let limit = min(Self.portion, range.upperBound - at)
      while part.count < limit, try file.read(at: at + part.count, length: limit - part.count, into: &part) > 0 {}
      guard part.count == limit else { throw Problem(.io, "a temporary file was truncated", at: "temporary file") }
      let taken = try part.read(body)
      if taken == 0 { return }
      at += taken
    }
  }
}
