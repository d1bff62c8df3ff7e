import Codecs
public import Rows

/// Rows as a GFM table: a header, numbers to the right, lists joined by `; `, null an empty cell, addresses clickable.
public struct MarkdownTable: Sendable {
  private let schema: Schema

  /// A table of rows of `schema`.
  public init(_ schema: Schema) { self.schema = schema }

  /// The header and the line under it; a sentence when there are no columns.
  public func begin(_ out: inout ByteBuffer) {
    guard schema.width > 0 else { return out.append("No columns.\n") }
    var cursor = WriteCursor(&out, margin: 16)
    for column in schema.columns {
      let name = Arena(Array(column.name.utf8))
      cursor.put("| ")
      _ = cursor.putMarkdown(ByteRun(name, 0, UInt32(name.count)), &out)
      cursor.ensure(0, &out)
      cursor.put(" ")
    }
    cursor.put("|\n")
    for column in schema.columns {
      cursor.ensure(0, &out)
      cursor.put(column.type.isNumeric ? "| ---: " : "| --- ")
    }
    cursor.put("|\n")
    cursor.commit(to: &out)
  }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had control characters, which are shown as U+FFFD (line ends as `<br>`).
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    let width = batch.width, arena = batch.arena
    precondition(width == schema.width, "internal error: batch has the wrong number of columns")
    guard width > 0 else { return 0 }
    var cursor = WriteCursor(&out, margin: width * (NumberWriter.longest + 4) + 16)
    var plain = ByteBuffer(capacity: 4096)
    var position = 0, noted = 0
    for _ in 0..<batch.count {
      cursor.ensure(0, &out)
      for _ in 0..<width {
        cursor.put("| ")
        switch unsafe batch.cells.base[position] {
        case .null: break
        case .text(let start, let length):
          noted &+= cursor.putMarkdownLinked(ByteRun(arena, start, length), &out)
        case .json(let start, let length):
          noted &+= putNested(ByteRun(arena, start, length), &plain, &cursor, &out)
        case .number(let start, let length):
          cursor.ensure(Int(length), &out)
          cursor.put(ByteRun(arena, start, length))
        case .integer(let value): cursor.put(value)
        case .real(let value):
          if value.isFinite { cursor.put(value) } else { cursor.put(NonfinitePolicy.word(for: value)) }
        case .boolean(let value): cursor.put(value ? "true" : "false")
        case .bytes(let start, let length):
          cursor.putBase64(ByteRun(arena, start, length), &out)
        }
        cursor.put(UInt8(ascii: " "))
        position &+= 1
      }
      cursor.put("|\n")
    }
    cursor.commit(to: &out)
    return noted
  }

  @inline(never)
  private func putNested(
    _ value: ByteRun, _ plain: inout ByteBuffer, _ cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) -> Int {
    var walk = NestedText(value), noted = 0, isFirst = true
    guard walk.isArray else { return putElement(value, &plain, &cursor, &out) }
    while let element = walk.next() {
      cursor.ensure(2, &out)
      if !isFirst { cursor.put("; ") }
      isFirst = false
      noted |= putElement(element, &plain, &cursor, &out)
    }
    return noted
  }

  private func putElement(
    _ element: ByteRun, _ plain: inout ByteBuffer, _ cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) -> Int {
    plain.removeAll()
    NestedText.appendPlain(element, to: &plain)
    return plain.run { cursor.putMarkdownLinked($0, &out) }
  }
}
