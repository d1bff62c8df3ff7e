/// Makes a batch value by value, left to right, row after row: for sources that have values rather than bytes.
///
/// Parsers collect bytes and cells themselves; this is for everything else.
public struct RowBatchBuilder: ~Copyable {
  /// The number of cells per row.
  public let width: Int
  @usableFromInline var cells: CellsBuilder
  @usableFromInline var arena: ArenaBuilder

  /// Creates an empty builder of rows of `width` cells.
  public init(width: Int) { self.init(width: width, capacity: max(width * 64, 64)) }

  /// Creates an empty builder with room for `capacity` cells, and for `bytes` of text.
  package init(width: Int, capacity: Int, bytes: Int = Arena.usualCapacity) {
    precondition(width >= 0, "internal error: fewer than no columns")
    self.width = width
    cells = CellsBuilder(capacity: capacity)
    arena = ArenaBuilder(capacity: bytes)
  }

  /// The number of complete rows so far.
  public var count: Int { width == 0 ? 0 : cells.count / width }
  /// The number of bytes of text so far.
  @inlinable public var byteCount: Int { arena.count }
  /// Whether the batch has its usual size and should be finished after this row.
  @inlinable public var isFull: Bool { arena.count >= Arena.usualCapacity * 3 / 4 || cells.count >= 1 << 15 }

  /// Appends a cell, whose range, if it has one, must be inside the bytes so far.
  public mutating func append(_ cell: Cell) {
    precondition(cell.end <= arena.count, "internal error: range outside the arena")
    cells.append(cell)
  }
  /// Appends null.
  @inlinable public mutating func appendNull() { cells.append(.null) }
  /// Appends an integer.
  @inlinable public mutating func append(integer value: Int64) { cells.append(.integer(value)) }
  /// Appends a real, which must be finite.
  @inlinable public mutating func append(real value: Double) { cells.append(.real(value)) }
  /// Appends a Boolean.
  public mutating func append(boolean value: Bool) { cells.append(.boolean(value)) }
  /// Appends text.
  public mutating func append(text value: String) { append(text: value.utf8.span) }
  /// Appends text that is valid UTF-8.
  public mutating func append(text value: [UInt8]) { append(text: value.span) }
  private mutating func append(text value: Span<UInt8>) { unsafe append(text: value.bytes) }
  /// Appends text that is valid UTF-8.
  @inlinable public mutating func append(text value: RawSpan) {
    let start = UInt32(arena.count)
    arena.append(value)
    cells.append(.text(start, UInt32(value.byteCount)))
  }
  /// Appends a number's literal, in JSON's grammar.
  public mutating func append(number literal: [UInt8]) {
    cells.append(.number(UInt32(arena.count), UInt32(literal.count)))
    arena.append(literal)
  }
  /// Appends a number's literal, in JSON's grammar.
  public mutating func append(number literal: RawSpan) {
    cells.append(.number(UInt32(arena.count), UInt32(literal.byteCount)))
    arena.append(literal)
  }
  /// Appends canonical JSON.
  public mutating func append(json value: [UInt8]) {
    cells.append(.json(UInt32(arena.count), UInt32(value.count)))
    arena.append(value)
  }
  /// Appends canonical JSON.
  public mutating func append(json value: RawSpan) {
    cells.append(.json(UInt32(arena.count), UInt32(value.byteCount)))
    arena.append(value)
  }
  /// Appends raw bytes.
  public mutating func append(bytes value: [UInt8]) { unsafe append(bytes: value.span.bytes) }
  /// Appends raw bytes.
  @inlinable public mutating func append(bytes value: RawSpan) {
    let start = UInt32(arena.count)
    arena.append(value)
    cells.append(.bytes(start, UInt32(value.byteCount)))
  }
  /// Appends an owned value.
  public mutating func append(value: Value) {
    switch value {
    case .null: appendNull()
    case .boolean(let value): append(boolean: value)
    case .integer(let value): append(integer: value)
    case .real(let value): append(real: value)
    case .number(let literal): append(number: literal)
    case .text(let bytes): append(text: bytes)
    case .json(let bytes): append(json: bytes)
    case .bytes(let bytes): append(bytes: bytes)
    }
  }
  /// Appends one cell of a batch, copying its bytes.
  public mutating func append(_ row: Int, _ column: Int, of batch: RowBatch) {
    let at = UInt32(arena.count)
    switch batch[row, column] {
    case .text(let start, let length):
      arena.append(start, length, of: batch.arena)
      cells.append(.text(at, length))
    case .number(let start, let length):
      arena.append(start, length, of: batch.arena)
      cells.append(.number(at, length))
    case .json(let start, let length):
      arena.append(start, length, of: batch.arena)
      cells.append(.json(at, length))
    case .bytes(let start, let length):
      arena.append(start, length, of: batch.arena)
      cells.append(.bytes(at, length))
    case let cell: cells.append(cell)
    }
  }
  /// Appends one row of a batch of the same width, copying its bytes.
  public mutating func append(row: Int, of batch: RowBatch) {
    precondition(batch.width == width, "internal error: batch has the wrong number of columns")
    for column in 0..<width { append(row, column, of: batch) }
  }
  /// Removes all rows; the memory stays.
  public mutating func removeAll() {
    cells.truncate(to: 0)
    arena.removeAll()
  }

  /// The rows as a batch.
  public consuming func finish() -> RowBatch {
    precondition(width == 0 || cells.count % width == 0, "internal error: the last row is incomplete")
    let count = count
    return unsafe RowBatch(width: width, count: count, uncheckedCells: cells.freeze(), arena: arena.freeze())
  }

  /// The rows so far as a batch; the builder is empty afterwards.
  public mutating func takeBatch() -> RowBatch {
    let full = self
    self = RowBatchBuilder(width: full.width, capacity: full.cells.count)
    return full.finish()
  }
}
