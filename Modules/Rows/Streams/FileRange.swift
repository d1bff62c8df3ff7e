import Synchronization

/// A range of a file's bytes as a source.
public final class FileRange: ByteSource {
  /// The name of the file.
  public var name: String { file.name }
  /// The length of the range.
  public var size: Int? { range.count }
  private let file: any RandomAccessSource
  private let range: Range<Int>
  private let position: Mutex<Int>

  init(_ file: any RandomAccessSource, _ range: Range<Int>) {
    (self.file, self.range) = (file, range)
    position = Mutex(range.lowerBound)
  }

  /// The lines of a file that begin in a range of its bytes, without looking at what is in them.
  public static func lines(of file: any RandomAccessSource, in range: Range<Int>) throws(Problem) -> FileRange {
    let start = try line(of: file, from: range.lowerBound)
    return FileRange(file, start..<max(start, try line(of: file, from: range.upperBound)))
  }

  /// The place at or after `offset` where a line begins.
  private static func line(of file: any RandomAccessSource, from offset: Int) throws(Problem) -> Int {
    var at = offset - 1
    if at < 0 { return 0 }
    while at < file.length {
      var text = ArenaBuilder(capacity: 4096)
      guard try file.read(at: at, count: 4096, into: &text) > 0 else { break }
      if let end = text.bytes.firstIndex(of: 0x0A) { return at + end + 1 }
      at += text.count
    }
    return file.length
  }

  /// The first byte.
  public var start: Int { range.lowerBound }

  /// The number of lines before the range, for messages: all of them are read.
  public func linesBefore() throws(Problem) -> Int {
    var lines = 0
    try FileRange(file, 0..<start).forEachPiece { piece in
      for place in 0..<piece.byteCount where unsafe piece.unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0x0A {
        lines += 1
      }
    }
    return lines
  }

  /// The next bytes.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let at = position.withLock { $0 }
    let count = min(limit, range.upperBound - at)
    guard count > 0 else { return 0 }
    let found = try file.read(at: at, count: count, into: &text)
    guard found > 0 else {
      throw Problem(.busy, "another process cut the file while it was read", at: name, hint: "run the command again")
    }
    position.withLock { $0 += found }
    return found
  }

  /// The same range.
  public func reopened() -> (any ByteSource)? { FileRange(file, range) }
}
