internal import CMasks
import Rows

/// Cuts a file into pieces of whole records, without looking at more than quotes and line feeds.
///
/// A record ends at a line feed outside quotes, and outside is where the number of quotes before is even; so the quotes of a piece are counted, and its
/// last border is found from behind.
struct CSVSplitter: Sendable {
  private let source: any ByteSource
  /// The beginning of the record that was cut off.
  private var rest: Chunk?
  private var place = JSONPlace()
  private var isAtEnd = false
  private var isAtStart = true

  init(_ source: any ByteSource) { self.source = source }

  /// The next piece; nil at the end.
  mutating func next() throws(Problem) -> CSVPiece? {
    var chunk = rest ?? Chunk()
    rest = nil
    var border = 0
    while true {
      while !isAtEnd, chunk.count < chunk.capacity {
        if try source.read(into: chunk, limit: chunk.capacity - chunk.count) == 0 { isAtEnd = true }
      }
      border = isAtEnd ? chunk.count : lastBorder(chunk)
      if border > 0 || isAtEnd { break }
      guard chunk.capacity < 1 << 31 else {
        throw Problem(
          .badData, "a record is longer than 2 GiB", at: "\(source.name):\(place)", hint: "a quote may be missing")
      }
      chunk = Self.copy(chunk, from: 0, capacity: chunk.capacity * 2)
    }
    guard chunk.count > 0 else { return nil }
    let start = isAtStart ? Self.markLength(chunk) : 0
    isAtStart = false
    let end = border
    if !isAtEnd { rest = Self.copy(chunk, from: border, capacity: Chunk.usualCapacity) }
    let piece = CSVPiece(
      chunk: chunk, start: start,
      place: JSONPlace(offset: place.offset + start, lines: place.lines, lineStart: place.lineStart + start))
    place = unsafe place.advanced(over: chunk.base, count: end)
    chunk.count = end
    if isAtEnd, unsafe chunk.base[end - 1] != 0x0A {
      unsafe chunk.base[end] = 0x0A
      chunk.count += 1
    }
    return piece
  }

  /// The place behind the last line feed outside quotes; 0 when there is none.
  private func lastBorder(_ chunk: Chunk) -> Int {
    var isInside = unsafe bb_count_byte(chunk.base, chunk.count, UInt8(ascii: "\"")) & 1 == 1
    var at = chunk.count
    while at > 0 {
      at -= 1
      let byte = unsafe chunk.base[at]
      if byte == UInt8(ascii: "\"") { isInside.toggle() }
      if byte == 0x0A, !isInside { return at + 1 }
    }
    return 0
  }

  /// The bytes of a byte order mark.
  private static func markLength(_ chunk: Chunk) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard chunk.count >= 3, unsafe mark.elementsEqual(UnsafeBufferPointer(start: chunk.base, count: 3)) else {
      return 0
    }
    return 3
  }

  private static func copy(_ chunk: Chunk, from start: Int, capacity: Int) -> Chunk {
    let copy = Chunk(capacity: max(capacity, chunk.count - start))
    unsafe copy.base.update(from: chunk.base + start, count: chunk.count - start)
    copy.count = chunk.count - start
    return copy
  }
}
