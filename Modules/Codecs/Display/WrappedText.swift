/// A text on a few lines of limited width.
struct WrappedText: Sendable {
  /// One line: bytes of the text, the cells they take, and whether `…` follows because the rest is not shown.
  struct Line: Sendable, Hashable {
    let start: Int
    let count: Int
    let width: Int
    let isCut: Bool
  }

  static let maximumLines = 3

  /// The lines of a text, at least one: broken at spaces where that is possible.
  /// - Parameter width: the cells of a line, at least 1.
  static func lines(of text: ByteRun, width: Int) -> [Line] {
    var lines: [Line] = [], start = 0
    while true {
      let rest = text.slice(from: start, atMost: text.count - start), whole = DisplayWidth.of(rest)
      if whole <= width {
        lines.append(Line(start: start, count: rest.count, width: whole, isCut: false))
        return lines
      }
      if lines.count == maximumLines - 1 {
        let kept = DisplayWidth.prefix(of: rest, width: width - 1)
        lines.append(Line(start: start, count: kept.count, width: kept.width, isCut: true))
        return lines
      }
      let fitting = DisplayWidth.prefix(of: rest, width: width)
      // A character that is wider than the line.
      guard fitting.count > 0 else {
        lines.append(Line(start: start, count: 0, width: 0, isCut: true))
        return lines
      }
      var end = fitting.count, next = fitting.count
      if let space = lastSpace(rest, before: fitting.count + 1) {
        end = space
        next = space + 1
      }
      let line = text.slice(from: start, atMost: end)
      lines.append(Line(start: start, count: end, width: DisplayWidth.of(line), isCut: false))
      start += next
    }
  }

  /// The last space in front of `end` that does not begin the text; nil if there is none.
  private static func lastSpace(_ text: ByteRun, before end: Int) -> Int? {
    var position = min(end, text.count) - 1
    while position > 0 {
      if text[position] == 0x20 { return position }
      position -= 1
    }
    return nil
  }
}
