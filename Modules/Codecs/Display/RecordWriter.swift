public import Rows

/// Rows with one field per line, aligned names, and a blank line between records: for few rows with many columns.
public struct RecordWriter: Sendable {
  /// Each name, padded to the same width.
  private let names: [[UInt8]]

  /// A writer of rows of `schema`.
  public init(_ schema: Schema) {
    let shown = schema.columns.map { column in
      var name = ByteBuffer(capacity: 64)
      VisibleText.append(column.name, to: &name)
      return (bytes: name.bytes(), width: name.run(DisplayWidth.of))
    }
    let widest = shown.map(\.width).max() ?? 0
    names = shown.map { $0.bytes + [UInt8](repeating: 0x20, count: widest - $0.width + 2) }
  }

  /// The empty line between records.
  public var separator: StaticString { "\n" }

  /// Writes the rows of a batch.
  /// - Returns: the number of cells with control characters, which are shown as control pictures.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    var noted = 0
    for row in 0..<batch.count {
      if row > 0 { out.append(separator) }
      for column in 0..<batch.width {
        out.append(bytes: names[column])
        let start = out.count
        noted += DisplayText.append(batch[row, column], batch.arena, to: &out)
        // Without a value the line ends with the name.
        if out.count == start { out.trimBlanks() }
        out.append(byte: 0x0A)
      }
    }
    return noted
  }
}

extension ByteBuffer {
  /// Takes spaces at the end back.
  mutating func trimBlanks() {
    let end = unsafe room(0)
    var kept = count
    while kept > 0, unsafe (end - (count - kept) - 1).pointee == 0x20 { kept -= 1 }
    unsafe commit(end - (count - kept))
  }
}
