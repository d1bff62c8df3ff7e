import Rows

/// Cells as a table on a terminal shows them: lists separated by commas, runs of integers as `1–5`, `yes` and `no`,
/// ratings with their stars.
enum TerminalText {
  /// Appends a cell; returns 1 when it had control characters, else 0.
  static func append(_ cell: Cell, _ chunk: Arena, _ column: ColumnDescription, to out: inout ByteBuffer) -> Int {
    switch cell {
    case .boolean(let value): out.append(value ? "yes" as StaticString : "no")
    case .json(let start, let length):
      let text = ByteRun(chunk, start, length)
      var plain = ByteBuffer(capacity: max(Int(length), 1))
      if column.type == .list(.integer) {
        appendRuns(text, to: &plain)
      } else {
        appendJoined(text, to: &plain)
      }
      return plain.run { VisibleText.append($0, to: &out) }
    default:
      let reportedCells = DisplayText.append(cell, chunk, to: &out)
      if column.unit == Stars.unit, let stars = Stars.text(of: cell, chunk) {
        out.append(" ")
        out.append(stars)
      }
      return reportedCells
    }
    return 0
  }

  private static func appendJoined(_ value: ByteRun, to out: inout ByteBuffer) {
    var walk = NestedText(value), isFirst = true
    guard walk.isArray else { return NestedText.appendPlain(value, to: &out) }
    while let element = walk.next() {
      if !isFirst { out.append(", ") }
      isFirst = false
      NestedText.appendPlain(element, to: &out)
    }
  }

  /// Three and more integers that follow one another become the first and the last.
  private static func appendRuns(_ value: ByteRun, to out: inout ByteBuffer) {
    var walk = NestedText(value), numbers: [Int64] = []
    while walk.isArray, let element = walk.next() {
      guard let number = Int64(String(decoding: element.bytes, as: UTF8.self)) else {
        return appendJoined(value, to: &out)
      }
      numbers.append(number)
    }
    var start = 0
    while start < numbers.count {
      var end = start
      while end + 1 < numbers.count, numbers[end] < .max, numbers[end + 1] == numbers[end] + 1 { end += 1 }
      if start > 0 { out.append(", ") }
      out.append(integer: numbers[start])
      if end == start + 1 { end = start }
      if end > start {
        out.append("–")
        out.append(integer: numbers[end])
      }
      start = end + 1
    }
  }
}
