internal import Rows
internal import Synchronization

/// The bytes of a long record in a temporary file.
struct StoredText: Sendable {
  private let file: any ScratchFile, part: Part
  var range: Range<Int>

  /// Bytes that are read or written at once: whole units of every encoding.
  private static let portion = 1 << 18

  /// Stores bytes after those of an earlier text, or in a new file.
  init(_ bytes: RawSpan, after last: StoredText?, in scratch: any ScratchSpace) throws(Problem) {
    file = if let last { last.file } else { try scratch.makeFile() }
    part = last?.part ?? Part()
    let start = last?.range.lowerBound ?? file.count
    var buffer = ByteBuffer(capacity: Self.portion)
    for at in stride(from: 0, to: bytes.byteCount, by: Self.portion) {
      buffer.append(bytes.extracting(at..<min(at + Self.portion, bytes.byteCount)))
      try file.append(buffer)
      buffer.removeAll()
    }
    range = start..<file.count
  }

  /// The part that was read last, of a file that several texts share.
  private final class Part: Sendable {
    struct State: ~Copyable {
      var start = 0, bytes = ArenaBuilder()
    }
    let state = Mutex(State())
  }

  /// The bytes, part by part.
  /// - Parameter body: returns how many of the bytes it took; 0 for an end.
  func forEachPart(_ body: (RawSpan) throws(Problem) -> Int) throws(Problem) {
    try part.state.withLock { (part) throws(Problem) in
      var at = range.lowerBound, isCut = false
      while at < range.upperBound {
        if isCut || !(part.start..<part.start + part.bytes.count).contains(at) { try read(at, &part) }
        let places = at - part.start..<min(part.bytes.count, range.upperBound - part.start)
        let taken = try part.bytes.read { (bytes) throws(Problem) in try body(bytes.extracting(places)) }
        if taken == 0 { return }
        isCut = taken < places.count
        at += taken
      }
    }
  }

  private func read(_ at: Int, _ part: inout Part.State) throws(Problem) {
    part.bytes.removeAll()
    part.start = at
    let limit = min(Self.portion, range.upperBound - at)
    while case let count = part.bytes.count, count < limit {
      guard try file.read(at: at + count, length: limit - count, into: &part.bytes) > 0 else {
        throw Problem(.io, "a temporary file was truncated", at: "temporary file")
      }
    }
  }
}
