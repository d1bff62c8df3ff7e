package import Rows

/// Cells as a terminal shows them, on one line: text made visible, lists joined by `; `, null as nothing.
package enum DisplayText {
  /// Appends a cell as it is, control characters and all: what other formats escape in their own way.
  package static func appendPlain(_ cell: Cell, _ arena: Arena, to out: inout ByteBuffer) {
    switch cell {
    case .text(let start, let length): out.append(ByteRun(arena, start, length))
    case .json(let start, let length): NestedText.appendJoined(ByteRun(arena, start, length), to: &out)
    default: _ = append(cell, arena, to: &out)
    }
  }

  /// Appends a cell; returns 1 when it had control characters, else 0.
  package static func append(_ cell: Cell, _ arena: Arena, to out: inout ByteBuffer) -> Int {
    switch cell {
    case .null: return 0
    case .text(let start, let length): return VisibleText.append(ByteRun(arena, start, length), to: &out)
    case .json(let start, let length):
      var plain = ByteBuffer(capacity: max(Int(length), 1))
      NestedText.appendJoined(ByteRun(arena, start, length), to: &plain)
      return plain.run { VisibleText.append($0, to: &out) }
    case .number(let start, let length): out.append(ByteRun(arena, start, length))
    case .integer(let value): out.append(integer: value)
    case .real(let value):
      if value.isFinite { out.append(real: value) } else { out.append(NonfinitePolicy.word(for: value)) }
    case .boolean(let value): out.append(value ? "true" as StaticString : "false")
    case .bytes(let start, let length):
      var cursor = WriteCursor(&out, margin: 0)
      cursor.putBase64(ByteRun(arena, start, length), &out)
      cursor.commit(to: &out)
    }
    return 0
  }
}
