public import Rows

/// Rows as a table for display: columns aligned by display width, numbers to the right, no trailing spaces.
///
/// On a terminal the table is made to fit by a `TableLayout`, and long values are cut with `…`. In a file every column
/// is there and every value is complete; a value much longer than a line extends beyond its column, so that it does not
/// widen all other rows.
public struct TableWriter: Sendable {
  private let schema: Schema
  /// The columns shown, and the cells that each takes.
  private let columns: [Int]
  private let widths: [Int]
  /// Whether the table is for a terminal, so that values are shortened to their column.
  private let isFitted: Bool
  /// Whether long text takes several lines instead.
  private let isWrapped: Bool
  private let style: TerminalStyle

  /// A writer of a file with rows of `schema` whose values have the widths `measured` (see `measure`).
  public init(_ schema: Schema, widths measured: [ColumnWidths], style: TerminalStyle = .plain) {
    self.schema = schema
    columns = Array(schema.columns.indices)
    widths = schema.columns.enumerated().map { position, column in
      min(max(Self.nameWidth(column), position < measured.count ? measured[position].widest : 0), Self.widest)
    }
    isFitted = false
    isWrapped = false
    self.style = style
  }

  /// A writer for a terminal.
  /// - `isWrapped`: whether long text takes up to three lines instead of being cut to one.
  public init(_ schema: Schema, layout: TableLayout, style: TerminalStyle, isWrapped: Bool = false) {
    self.isWrapped = isWrapped
    self.schema = schema
    columns = layout.columns
    widths = layout.widths
    isFitted = true
    self.style = style
  }

  /// Counts the widths of the values of a batch.
  /// - `forTerminal`: whether the table is for a terminal, which shows some values in another way.
  public static func measure(
    _ batch: RowBatch, _ schema: Schema, forTerminal: Bool, into widths: inout [ColumnWidths]
  ) {
    while widths.count < batch.width { widths.append(ColumnWidths()) }
    var text = ByteBuffer(capacity: 4096)
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        text.removeAll()
        _ = append(batch[row, column], batch.arena, schema.columns[column], forTerminal, to: &text)
        widths[column].add(text.run(DisplayWidth.of))
      }
    }
  }

  /// Appends a cell as its column shows it: ratings with their stars.
  package static func append(
    _ cell: Cell, _ chunk: Arena, _ column: ColumnDescription, _ forTerminal: Bool, to text: inout ByteBuffer
  ) -> Int {
    if forTerminal { return TerminalText.append(cell, chunk, column, to: &text) }
    let reportedCells = DisplayText.append(cell, chunk, to: &text)
    if column.unit == Stars.unit, let stars = Stars.text(of: cell, chunk) {
      text.append(" ")
      text.append(stars)
    }
    return reportedCells
  }

  package static func nameWidth(_ column: ColumnDescription) -> Int {
    var name = ByteBuffer(capacity: 64)
    VisibleText.append(column.name, to: &name)
    return name.run(DisplayWidth.of)
  }

  /// Columns of files are not aligned beyond this.
  private static let widest = 400

  /// The header and the line under it; a sentence when there are no columns.
  public func begin(_ out: inout ByteBuffer) {
    guard schema.width > 0 else { return out.append("No columns.\n") }
    var name = ByteBuffer(capacity: 64)
    for shown in columns.indices {
      if shown > 0 { putBar(&out) }
      name.removeAll()
      VisibleText.append(schema.columns[columns[shown]].name, to: &name)
      put(name, shown, .strong, isLink: false, &out)
    }
    out.append(byte: 0x0A)
    style.begin(.dim, &out)
    for shown in columns.indices {
      if shown > 0 { out.append("─┼─") }
      for _ in 0..<widths[shown] { out.append("─") }
    }
    style.end(.dim, &out)
    out.append(byte: 0x0A)
  }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had control characters, which are shown as their pictures.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    var reportedCells = 0
    var text = ByteBuffer(capacity: 4096)
    guard batch.width > 0 else { return 0 }
    for row in 0..<batch.count {
      if isWrapped {
        reportedCells += writeWrapped(batch, row, &out)
        continue
      }
      for shown in columns.indices {
        if shown > 0 { putBar(&out) }
        text.removeAll()
        let column = columns[shown]
        reportedCells += Self.append(batch[row, column], batch.arena, schema.columns[column], isFitted, to: &text)
        put(text, shown, TerminalStyle.Part(schema.columns[column].type), isLink: true, &out)
      }
      out.append(byte: 0x0A)
    }
    return reportedCells
  }

  /// Writes a row whose texts may take several lines.
  private func writeWrapped(_ batch: RowBatch, _ row: Int, _ out: inout ByteBuffer) -> Int {
    var reportedCells = 0, height = 1, all = ByteBuffer(capacity: 1024), starts: [Int] = []
    for column in columns {
      starts.append(all.count)
      reportedCells += Self.append(batch[row, column], batch.arena, schema.columns[column], true, to: &all)
    }
    starts.append(all.count)
    all.run { text in
      let cells = columns.indices.map { text.slice(from: starts[$0], atMost: starts[$0 + 1] - starts[$0]) }
      let lines = columns.indices.map { WrappedText.lines(of: cells[$0], width: max(widths[$0], 1)) }
      height = lines.map(\.count).max() ?? 1
      for number in 0..<height {
        for shown in columns.indices {
          if shown > 0 { putBar(&out) }
          let line = number < lines[shown].count ? lines[shown][number] : nil
          put(line, of: cells[shown], shown, &out)
        }
        out.trimBlanks()
        out.append(byte: 0x0A)
      }
    }
    return reportedCells
  }

  /// Writes a line of a text in its column; nil for a text that has no more lines.
  private func put(_ line: WrappedText.Line?, of text: ByteRun, _ shown: Int, _ out: inout ByteBuffer) {
    let isLast = shown == columns.count - 1, type = schema.columns[columns[shown]].type
    guard let line, line.count > 0 || line.isCut else {
      if !isLast { out.append(blanks: widths[shown]) }
      return
    }
    let width = line.width + (line.isCut ? 1 : 0), part = TerminalStyle.Part(type)
    if type.isNumeric { out.append(blanks: widths[shown] - width) }
    style.begin(part, &out)
    let hasLink = style.beginLink(text, &out)
    out.append(text.slice(from: line.start, atMost: line.count))
    if line.isCut { out.append("…") }
    if hasLink { style.endLink(&out) }
    style.end(part, &out)
    if !type.isNumeric, !isLast { out.append(blanks: widths[shown] - width) }
  }

  private func putBar(_ out: inout ByteBuffer) {
    guard style.isColored else { return out.append(" │ ") }
    out.append(" ")
    style.begin(.dim, &out)
    out.append("│")
    style.end(.dim, &out)
    out.append(" ")
  }

  /// Writes text in its column, shortened when it is too wide.
  private func put(
    _ text: borrowing ByteBuffer, _ shown: Int, _ part: TerminalStyle.Part, isLink: Bool, _ out: inout ByteBuffer
  ) {
    let isLast = shown == columns.count - 1, isRight = schema.columns[columns[shown]].type.isNumeric
    text.run { text in
      let width = DisplayWidth.of(text), room = widths[shown]
      let isCut = width > room && isFitted
      let part = text.count == 0 ? TerminalStyle.Part.plain : part
      if isRight, !isCut { out.append(blanks: room - width) }
      style.begin(part, &out)
      let hasLink = isLink && style.beginLink(text, &out)
      let kept = isCut ? DisplayWidth.prefix(of: text, width: room - 1) : (text.count, width)
      out.append(text.slice(from: 0, atMost: kept.0))
      if isCut { out.append("…") }
      if hasLink { style.endLink(&out) }
      style.end(part, &out)
      if isCut {
        if !isLast { out.append(blanks: room - 1 - kept.1) }
      } else if !isRight, !isLast {
        out.append(blanks: room - width)
      }
      // Blanks that end a line are alignment only where there is no value; those of a value stay.
      if text.count == 0, isLast { out.trimBlanks() }
    }
  }
}

extension ByteBuffer {
  package mutating func append(blanks count: Int) {
    let start = unsafe room(max(count, 0))
    for position in 0..<max(count, 0) { unsafe start[position] = 0x20 }
    unsafe commit(start + max(count, 0))
  }
}
