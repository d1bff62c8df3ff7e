public import Rows

/// Rows as a table for display: columns aligned by display width, numbers to the right, no trailing spaces.
///
/// On a terminal the table is made to fit: long text is truncated with `…`, and columns that still do not fit are
/// replaced by one `…`. In a file every value is complete; a value much longer than a line extends beyond its column,
/// so that it does not widen all other rows.
public struct TableWriter: Sendable {
  private let schema: Schema
  /// The cells each shown column takes.
  private let widths: [Int]
  /// Whether values are shortened to their column.
  private let isFitted: Bool
  /// Columns that did not fit.
  public let hiddenCount: Int

  /// A writer of rows of `schema` whose values take up to `widths` cells (see `measure`); `terminalWidth` is nil for
  /// files.
  public init(_ schema: Schema, widths measured: [Int], terminalWidth: Int?) {
    self.schema = schema
    var wanted: [Int] = []
    for (position, column) in schema.columns.enumerated() {
      wanted.append(max(Self.nameWidth(column), position < measured.count ? measured[position] : 0))
    }
    isFitted = terminalWidth != nil
    widths = terminalWidth.map { Self.fit(wanted, schema, into: $0) } ?? wanted.map { min($0, Self.widest) }
    hiddenCount = wanted.count - widths.count
  }

  /// Widens `widths` to the values of a batch.
  public static func measure(_ batch: RowBatch, _ schema: Schema, into widths: inout [Int]) {
    while widths.count < batch.width { widths.append(0) }
    var text = ByteBuffer(capacity: 4096)
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        text.removeAll()
        _ = Self.append(batch[row, column], batch.arena, schema.columns[column], to: &text)
        widths[column] = max(widths[column], text.run(DisplayWidth.of))
      }
    }
  }

  /// Appends a cell as its column shows it: ratings with their stars.
  private static func append(
    _ cell: Cell, _ arena: Arena, _ column: ColumnDescription, to text: inout ByteBuffer
  ) -> Int {
    let noted = DisplayText.append(cell, arena, to: &text)
    if column.unit == Stars.unit, let stars = Stars.text(of: cell, arena) {
      text.append(" ")
      text.append(stars)
    }
    return noted
  }

  private static func nameWidth(_ column: ColumnDescription) -> Int {
    var name = ByteBuffer(capacity: 64)
    VisibleText.append(column.name, to: &name)
    return name.run(DisplayWidth.of)
  }

  /// ` │ `
  private static let gap = 3
  /// Columns of files are not aligned beyond this.
  private static let widest = 400
  /// Text is not shortened to less than this.
  private static let narrowest = 12

  /// Whether values of the type say something else, or nothing, when they are shortened.
  private static func isRigid(_ type: ColumnType) -> Bool { type.isNumeric || type == .date || type == .boolean }

  /// The widths of the columns that fit into a terminal of `total` cells: the widest are shortened first, numbers
  /// never.
  private static func fit(_ wanted: [Int], _ schema: Schema, into total: Int) -> [Int] {
    var kept = wanted
    func least(_ column: Int) -> Int {
      isRigid(schema.columns[column].type) ? wanted[column] : min(wanted[column], narrowest)
    }
    func sum(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(widths.count - 1, 0) }
    // Omit columns from the end until the narrowest form fits, with room for the `…` that replaces them.
    while kept.count > 1, sum(kept.indices.map(least)) + (kept.count < wanted.count ? gap + 1 : 0) > total {
      kept.removeLast()
    }
    let room = total - (kept.count < wanted.count ? gap + 1 : 0)
    guard sum(kept) > room else { return kept }
    // The largest limit on text that fits.
    var low = 1, high = kept.max() ?? 1
    func limited(_ limit: Int) -> [Int] {
      kept.indices.map { isRigid(schema.columns[$0].type) ? kept[$0] : min(kept[$0], max(limit, least($0))) }
    }
    while low < high {
      let middle = (low + high + 1) / 2
      if sum(limited(middle)) <= room { low = middle } else { high = middle - 1 }
    }
    var fitted = limited(low)
    // The first column that can use the remaining space gets it.
    for column in fitted.indices {
      let spare = room - sum(fitted)
      if spare > 0, fitted[column] < kept[column] { fitted[column] += min(spare, kept[column] - fitted[column]) }
    }
    // A single column wider than the terminal.
    if fitted.count == 1 { fitted[0] = min(fitted[0], max(room, 1)) }
    return fitted
  }

  /// The header and the line under it; a sentence when there are no columns.
  public func begin(_ out: inout ByteBuffer) {
    guard schema.width > 0 else { return out.append("No columns.\n") }
    var name = ByteBuffer(capacity: 64)
    for column in widths.indices {
      if column > 0 { out.append(" │ ") }
      name.removeAll()
      VisibleText.append(schema.columns[column].name, to: &name)
      put(name, column, &out)
    }
    endLine(" │ …", &out)
    for column in widths.indices {
      if column > 0 { out.append("─┼─") }
      for _ in 0..<widths[column] { out.append("─") }
    }
    endLine("─┼──", &out)
  }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had control characters, which are shown as their pictures.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    var noted = 0
    var text = ByteBuffer(capacity: 4096)
    guard batch.width > 0 else { return 0 }
    for row in 0..<batch.count {
      for column in widths.indices {
        if column > 0 { out.append(" │ ") }
        text.removeAll()
        noted += Self.append(batch[row, column], batch.arena, schema.columns[column], to: &text)
        put(text, column, &out)
      }
      endLine(" │ …", &out)
    }
    return noted
  }

  private func endLine(_ hidden: StaticString, _ out: inout ByteBuffer) {
    if hiddenCount > 0 { out.append(hidden) }
    out.append(byte: 0x0A)
  }

  /// Writes text in its column, shortened when it is too wide.
  private func put(_ text: borrowing ByteBuffer, _ column: Int, _ out: inout ByteBuffer) {
    text.run { text in
      let width = DisplayWidth.of(text), room = widths[column]
      if width > room, isFitted {
        let kept = DisplayWidth.prefix(of: text, width: room - 1)
        out.append(text.slice(from: 0, atMost: kept.count))
        out.append("…")
        out.append(blanks: room - 1 - kept.width)
      } else if schema.columns[column].type.isNumeric {
        out.append(blanks: room - width)
        out.append(text)
      } else {
        out.append(text)
        if column < schema.width - 1 { out.append(blanks: room - width) }
      }
      // Blanks that end a line are alignment only where there is no value; those of a value stay.
      if text.count == 0, column == schema.width - 1 { out.trimBlanks() }
    }
  }
}

extension ByteBuffer {
  /// Appends spaces.
  fileprivate mutating func append(blanks count: Int) {
    let start = unsafe room(max(count, 0))
    for position in 0..<max(count, 0) { unsafe start[position] = 0x20 }
    unsafe commit(start + max(count, 0))
  }
}
