internal import CMasks
import Rows

/// The arrangement of the records in a document.
public enum JSONForm: Sendable, Hashable {
  /// Whichever of the two the first bytes show.
  case automatic
  /// One array of objects.
  case array
  /// One object per line (NDJSON, JSON Lines); blank lines are skipped.
  case lines
}

/// Complete records of a document, followed by a NUL, to be parsed on any core.
struct JSONPiece: Sendable {
  /// Holds the text from `start` to `chunk.count`.
  let chunk: Chunk
  /// Where the text begins.
  let start: Int
  /// `array` or `lines`.
  let form: JSONForm
  /// Whether nothing of the array was given out before: no comma comes first.
  let isFirst: Bool
  /// Whether the array's end belongs to the piece.
  let isLast: Bool
  /// Where the text begins in the document.
  let place: JSONPlace
  /// Line feeds in the text.
  let lines: Int
  /// Whether all pieces so far were certainly cut between records.
  let isCertain: Bool

  /// `line:column` of an offset of the chunk.
  func place(of offset: Int) -> JSONPlace {
    unsafe place.advanced(over: chunk.base + start, count: min(offset, chunk.count) - start)
  }
}

/// A place in a document that is read piece by piece.
struct JSONPlace: Sendable, Hashable, CustomStringConvertible {
  /// Bytes before it.
  var offset = 0
  /// Line feeds before it.
  var lines = 0
  /// Offset of the first byte of its line.
  var lineStart = 0

  /// The position after `count` more bytes.
  func advanced(over bytes: UnsafePointer<UInt8>, count: Int) -> JSONPlace {
    let found = unsafe Int(bb_count_lines(bytes, count))
    guard found > 0 else { return JSONPlace(offset: offset + count, lines: lines, lineStart: lineStart) }
    var last = count - 1
    while unsafe bytes[last] != 0x0A { last -= 1 }
    return JSONPlace(offset: offset + count, lines: lines + found, lineStart: offset + last + 1)
  }

  /// `line:column`, both from 1, columns in bytes.
  var description: String { "\(lines + 1):\(offset - lineStart + 1)" }
}
