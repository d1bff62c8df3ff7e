public import Rows

/// Rows with one field per line, aligned names, and a blank line between records: for few rows with many columns.
///
/// On a terminal a record begins with a line that has its title, long values continue under their beginning, images are
/// counted, and columns without a value are listed at the end.
public struct RecordWriter: Sendable {
  /// The terminal that records are shown on.
  public struct Terminal: Sendable, Hashable {
    let width: Int
    let style: TerminalStyle
    let showsAll: Bool
    /// - `width`: in cells.
    /// - `showsAll`: whether images are shown by their addresses.
    public init(width: Int, style: TerminalStyle, showsAll: Bool) {
      self.width = width
      self.style = style
      self.showsAll = showsAll
    }
  }

  private let schema: Schema
  private let terminal: Terminal?
  /// Each name, padded to the same width.
  private let names: [[UInt8]]
  /// The width of a name with its padding.
  private let indent: Int
  private let roles: [ColumnRole?]

  /// A writer of rows of `schema`.
  /// - `terminal`: nil for files.
  public init(_ schema: Schema, terminal: Terminal? = nil) {
    self.schema = schema
    self.terminal = terminal
    roles = schema.roles
    let shown = schema.columns.map { column in
      var name = ByteBuffer(capacity: 64)
      VisibleText.append(column.name, to: &name)
      return (bytes: name.bytes(), width: name.run(DisplayWidth.of))
    }
    let widest = shown.map(\.width).max() ?? 0
    indent = widest + 2
    names = shown.map {
      let blanks = [UInt8](repeating: 0x20, count: widest - $0.width), gap = [UInt8](repeating: 0x20, count: 2)
      return terminal == nil ? $0.bytes + blanks + gap : blanks + $0.bytes + gap
    }
  }

  /// The empty line between records.
  public var separator: StaticString { "\n" }

  /// Writes the rows of a batch.
  /// - Returns: the number of cells with control characters, which are shown as control pictures.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    var reportedCells = 0
    for row in 0..<batch.count {
      if row > 0 { out.append(separator) }
      if let terminal {
        reportedCells += write(batch, row, terminal, &out)
        continue
      }
      for column in 0..<batch.width {
        out.append(bytes: names[column])
        let start = out.count
        reportedCells += DisplayText.append(batch[row, column], batch.arena, to: &out)
        // Without a value the line ends with the name.
        if out.count == start { out.trimBlanks() }
        out.append(byte: 0x0A)
      }
    }
    return reportedCells
  }

  // MARK: - Terminal

  private func write(_ batch: RowBatch, _ row: Int, _ terminal: Terminal, _ out: inout ByteBuffer) -> Int {
    var reportedCells = 0, nulls: [String] = []
    putRule(batch, row, terminal, &out)
    var text = ByteBuffer(capacity: 4096)
    for column in 0..<batch.width {
      let cell = batch[row, column]
      text.removeAll()
      let images = terminal.showsAll || roles[column]?.isImage != true ? 0 : Self.count(cell, batch)
      if images > 1 {
        text.append(integer: Int64(images))
        text.append(" images")
      } else {
        reportedCells += TerminalText.append(cell, batch.arena, schema.columns[column], to: &text)
      }
      guard text.count > 0 else {
        nulls.append(schema.columns[column].name)
        continue
      }
      terminal.style.begin(.dim, &out)
      out.append(bytes: names[column])
      terminal.style.end(.dim, &out)
      put(text, column, terminal, &out)
    }
    if !nulls.isEmpty {
      text.removeAll()
      VisibleText.append("(no value: \(nulls.joined(separator: ", ")))", to: &text)
      out.append(blanks: indent)
      terminal.style.begin(.dim, &out)
      putLines(text, terminal, .dim, &out)
    }
    return reportedCells
  }

  /// `── Walter White ───────`
  private func putRule(_ batch: RowBatch, _ row: Int, _ terminal: Terminal, _ out: inout ByteBuffer) {
    var text = ByteBuffer(capacity: 256), used = 0
    if let title = schema.title {
      _ = TerminalText.append(batch[row, title], batch.arena, schema.columns[title], to: &text)
    }
    terminal.style.begin(.dim, &out)
    if text.count > 0 {
      out.append("── ")
      terminal.style.end(.dim, &out)
      terminal.style.begin(.strong, &out)
      text.run { text in
        let room = max(terminal.width - 6, 1)
        let kept = DisplayWidth.prefix(of: text, width: DisplayWidth.of(text) > room ? room - 1 : room)
        out.append(text.slice(from: 0, atMost: kept.count))
        used = kept.width + 4
        if kept.count < text.count {
          out.append("…")
          used += 1
        }
      }
      terminal.style.end(.strong, &out)
      out.append(" ")
      terminal.style.begin(.dim, &out)
    }
    for _ in 0..<max(terminal.width - used, 0) { out.append("─") }
    terminal.style.end(.dim, &out)
    out.append(byte: 0x0A)
  }

  private static func count(_ cell: Cell, _ batch: RowBatch) -> Int {
    guard case .json(let start, let length) = cell else { return 0 }
    var walk = NestedText(ByteRun(batch.arena, start, length)), count = 0
    guard walk.isArray else { return 0 }
    while walk.next() != nil { count += 1 }
    return count
  }

  private func put(_ text: borrowing ByteBuffer, _ column: Int, _ terminal: Terminal, _ out: inout ByteBuffer) {
    let part = roles[column] == .title ? .strong : TerminalStyle.Part(schema.columns[column].type)
    terminal.style.begin(part, &out)
    let hasLink = text.run { terminal.style.beginLink($0, &out) }
    if hasLink {
      text.run { out.append($0) }
      terminal.style.endLink(&out)
      terminal.style.end(part, &out)
      out.append(byte: 0x0A)
    } else {
      putLines(text, terminal, part, &out)
    }
  }

  /// Writes text in lines that fit, after a beginning of `indent` cells.
  private func putLines(
    _ text: borrowing ByteBuffer, _ terminal: Terminal, _ part: TerminalStyle.Part, _ out: inout ByteBuffer
  ) {
    let room = max(terminal.width - indent, 10)
    text.run { text in
      var start = 0
      while start < text.count {
        let rest = text.slice(from: start, atMost: text.count - start)
        var count = max(DisplayWidth.prefix(of: rest, width: room).count, 1)
        if count < rest.count {
          // At the last blank, unless there is none.
          var blank = count
          while blank > 0, rest[blank] != 0x20 { blank -= 1 }
          if blank > 0 { count = blank }
        }
        if start > 0 { out.append(blanks: indent) }
        out.append(rest.slice(from: 0, atMost: count))
        start += count
        if start < text.count, text[start] == 0x20 { start += 1 }
        if start >= text.count { terminal.style.end(part, &out) }
        out.append(byte: 0x0A)
      }
    }
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
