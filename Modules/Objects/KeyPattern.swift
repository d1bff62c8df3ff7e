/// A pattern of keys as shells have them: `*`, `?` and `[a-z]` within one part of a path, `**/` for any number of
/// parts; a backslash makes the next character literal.
public struct KeyPattern: Sendable {
  private enum Piece: Sendable {
    case byte(UInt8), any, run, parts
    case bytes([ClosedRange<UInt32>], isInverted: Bool)
  }
  private let pieces: [Piece]
  /// The text before the first special character.
  public let prefix: String

  /// Creates a pattern.
  public init(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    var pieces: [Piece] = [], prefix = String.UnicodeScalarView(), isPlain = true, at = 0
    while at < scalars.count {
      let scalar = scalars[at]
      at += 1
      switch scalar {
      case "*":
        isPlain = false
        let isStart = at < 2 || scalars[at - 2] == "/"
        if isStart, at + 1 < scalars.count, scalars[at] == "*", scalars[at + 1] == "/" {
          pieces.append(.parts)
          at += 2
        } else {
          pieces.append(.run)
        }
      case "?":
        isPlain = false
        pieces.append(.any)
      case "[":
        if let (piece, end) = Self.bracket(scalars, from: at) {
          isPlain = false
          pieces.append(piece)
          at = end
        } else {
          Self.add(scalar, &pieces, isPlain, &prefix)
        }
      case "\\" where at < scalars.count:
        Self.add(scalars[at], &pieces, isPlain, &prefix)
        at += 1
      default: Self.add(scalar, &pieces, isPlain, &prefix)
      }
    }
    self.pieces = pieces
    self.prefix = String(prefix)
  }

  private static func add(
    _ scalar: Unicode.Scalar, _ pieces: inout [Piece], _ isPlain: Bool, _ prefix: inout String.UnicodeScalarView
  ) {
    pieces += UTF8.encode(scalar).map { Array($0) }?.map { .byte($0) } ?? []
    if isPlain { prefix.append(scalar) }
  }

  /// The piece of `[…]`, and the position after it; nil if it is not closed.
  private static func bracket(_ scalars: [Unicode.Scalar], from start: Int) -> (Piece, Int)? {
    var at = start, ranges: [ClosedRange<UInt32>] = []
    let isInverted = at < scalars.count && (scalars[at] == "!" || scalars[at] == "^")
    if isInverted { at += 1 }
    let first = at
    while at < scalars.count, scalars[at] != "]" || at == first {
      let low = scalars[at].value
      if at + 2 < scalars.count, scalars[at + 1] == "-", scalars[at + 2] != "]" {
        let high = scalars[at + 2].value
        if low <= high { ranges.append(low...high) }
        at += 3
      } else {
        ranges.append(low...low)
        at += 1
      }
    }
    return at < scalars.count ? (.bytes(ranges, isInverted: isInverted), at + 1) : nil
  }

  /// Whether a key matches. A part that begins with a dot matches only a pattern that does.
  public func matches(_ key: String) -> Bool {
    let bytes = Array(key.utf8), slash = UInt8(ascii: "/")
    // The positions at which the pieces so far may end: each piece is compared once at each position.
    var ends: Set<Int> = [0]
    func isHidden(_ at: Int) -> Bool {
      at < bytes.count && bytes[at] == UInt8(ascii: ".") && (at == 0 || bytes[at - 1] == slash)
    }
    for piece in pieces {
      // In order, so that what a run has covered is not covered again.
      var next: Set<Int> = [], covered = -1
      for at in ends.sorted() {
        switch piece {
        case .byte(let byte): if at < bytes.count, bytes[at] == byte { next.insert(at + 1) }
        case .any, .bytes:
          guard at < bytes.count, bytes[at] != slash, !isHidden(at) else { continue }
          let (scalar, length) = Self.scalar(bytes, at)
          if case .bytes(let ranges, let isInverted) = piece,
            ranges.contains(where: { $0.contains(scalar) }) == isInverted
          {
            continue
          }
          next.insert(at + length)
        case .run:
          if isHidden(at) || at <= covered { continue }
          next.insert(at)
          covered = at
          while covered < bytes.count, bytes[covered] != slash {
            covered += 1
            next.insert(covered)
          }
        case .parts:
          next.insert(at)
          var end = at
          while end < bytes.count, !isHidden(end), let mark = bytes[end...].firstIndex(of: slash) {
            end = mark + 1
            next.insert(end)
          }
        }
      }
      ends = next
      if ends.isEmpty { return false }
    }
    return ends.contains(bytes.count)
  }

  private static func scalar(_ bytes: [UInt8], _ at: Int) -> (value: UInt32, length: Int) {
    let length = bytes[at] < 0x80 ? 1 : bytes[at] < 0xE0 ? 2 : bytes[at] < 0xF0 ? 3 : 4
    let text = String(decoding: bytes[at..<min(at + length, bytes.count)], as: UTF8.self)
    return (text.unicodeScalars.first?.value ?? 0, min(length, bytes.count - at))
  }
}
