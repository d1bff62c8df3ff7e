internal import CMasks
import Rows

/// The arrangement of the records in a document.
public enum JSONForm: Sendable, Hashable {
  /// Whichever of the two the first bytes show.
  case automatic
  case array
  /// One object per line (NDJSON, JSON Lines); blank lines are skipped.
  case lines
}

/// Complete records of a document, to be parsed on any core.
struct JSONPiece: ~Copyable, Sendable {
  /// The text, which begins at `context.start` and is followed by a NUL.
  var text: ArenaBuilder
  let context: Context

  /// The position of the text in the document and among the records.
  struct Context: Sendable {
    /// The offset of the first byte.
    let start: Int
    /// `array` or `lines`.
    let form: JSONForm
    /// Whether it is the first piece of the array: no comma comes first.
    let isFirst: Bool
    /// Whether the array's end belongs to the piece.
    let isLast: Bool
    /// The place of the first byte in the document.
    let place: JSONPlace
    let lines: Int
    /// Whether all pieces so far were certainly cut between records.
    let isCertain: Bool
  }

  func place(of offset: Int) -> JSONPlace {
    context.place.advanced(over: text, from: context.start, to: max(context.start, min(offset, text.count)))
  }
}

/// A place in a document that is read piece by piece.
struct JSONPlace: Sendable, Hashable, CustomStringConvertible {
  var offset = 0
  var lines = 0
  /// Offset of the first byte of its line.
  var lineStart = 0

  /// The position after the bytes of `text` from `start` to `end`, which must be inside it.
  func advanced(over text: borrowing ArenaBuilder, from start: Int, to end: Int) -> JSONPlace {
    precondition(start >= 0 && start <= end && end <= text.count, "internal error: offset outside the text")
    let count = end - start
    let bytes = unsafe UnsafePointer(text.base) + start, found = unsafe Int(bb_count_lines(bytes, count))
    guard found > 0 else { return JSONPlace(offset: offset + count, lines: lines, lineStart: lineStart) }
    var last = count - 1
    while unsafe bytes[last] != 0x0A { last -= 1 }
    return JSONPlace(offset: offset + count, lines: lines + found, lineStart: offset + last + 1)
  }

  /// `line:column`, both from 1, columns in bytes.
  var description: String { "\(lines + 1):\(offset - lineStart + 1)" }
}
