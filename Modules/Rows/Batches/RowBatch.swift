/// Some rows of one schema: what crosses every boundary. Only batches are awaited, never rows.
///
/// `count` rows of `width` cells, row by row, in `cells`; their text is in `arena`. Neither ever changes, so a batch
/// may be read on any core. About 256 KiB of text per batch, except where one record is larger.
public struct RowBatch: Sendable {
  /// The number of cells per row.
  public let width: Int
  /// The number of rows.
  public let count: Int
  /// The cells.
  public let cells: Cells
  /// The bytes that text cells refer to.
  public let arena: Arena

  /// Creates a batch of `count` rows. There must be `count * width` cells, and their ranges must be inside `arena`.
  public init(width: Int, count: Int, cells: Cells, arena: Arena) {
    for position in 0..<cells.count {
      precondition(cells[position].end <= arena.count, "internal error: range outside the arena")
    }
    unsafe self.init(width: width, count: count, uncheckedCells: cells, arena: arena)
  }

  /// Creates a batch of cells whose ranges are known to be inside `arena`.
  @unsafe package init(width: Int, count: Int, uncheckedCells cells: Cells, arena: Arena) {
    precondition(count >= 0 && cells.count == count * width, "internal error: wrong number of cells")
    self.width = width
    self.count = count
    self.cells = cells
    self.arena = arena
  }

  /// The memory in use, in bytes.
  public var memory: Int { arena.capacity + cells.capacity * MemoryLayout<Cell>.stride }

  /// The cell of `row` and `column`.
  @inlinable public subscript(row: Int, column: Int) -> Cell {
    precondition(row >= 0 && row < count && column >= 0 && column < width, "internal error: cell index out of range")
    return unsafe cells.base[row &* width &+ column]
  }

  /// A copy of the bytes of a range of the arena.
  public func bytes(_ start: UInt32, _ length: UInt32) -> [UInt8] { arena.bytes(start, length) }

  /// The cell as a value that owns its bytes: for display, keys and tests, not for hot paths.
  public func value(_ row: Int, _ column: Int) -> Value {
    switch self[row, column] {
    case .null: .null
    case .text(let start, let length): .text(bytes(start, length))
    case .number(let start, let length): .number(bytes(start, length))
    case .json(let start, let length): .json(bytes(start, length))
    case .bytes(let start, let length): .bytes(bytes(start, length))
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .boolean(let value): .boolean(value)
    }
  }

  /// A batch with only the columns at `positions`, in that order; the bytes are shared.
  /// - Parameter positions: nil for a column of nulls.
  public func projected(to positions: [Int?]) -> RowBatch {
    var cells = CellsBuilder(capacity: count * positions.count)
    for row in 0..<count {
      for column in positions { cells.append(column.map { self[row, $0] } ?? .null) }
    }
    return unsafe RowBatch(width: positions.count, count: count, uncheckedCells: cells.freeze(), arena: arena)
  }

  /// The bytes of text in a row.
  public func textBytes(ofRow row: Int) -> Int {
    (0..<width).reduce(0) { sum, column in
      switch self[row, column] {
      case .text(_, let length), .number(_, let length), .json(_, let length), .bytes(_, let length): sum + Int(length)
      default: sum
      }
    }
  }

  /// Rows without columns.
  public init(rows: Int) {
    self.init(
      width: 0, count: rows, cells: CellsBuilder(capacity: 0).freeze(), arena: ArenaBuilder(capacity: 1).freeze())
  }

  /// A batch with only the rows at `rows`, in that order; the bytes are shared.
  public func selecting(_ rows: some Collection<Int>) -> RowBatch {
    var cells = CellsBuilder(capacity: rows.count * width)
    for row in rows {
      for column in 0..<width { cells.append(self[row, column]) }
    }
    return unsafe RowBatch(width: width, count: rows.count, uncheckedCells: cells.freeze(), arena: arena)
  }
}

/// One value that owns its bytes: what conditions, keys and tests hold. Equality is of bytes, never of characters.
public enum Value: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case number([UInt8])
  /// UTF-8 text.
  case text([UInt8])
  case json([UInt8])
  /// Raw bytes.
  case bytes([UInt8])

  /// Text.
  public static func text(_ string: String) -> Value { .text(Array(string.utf8)) }
}
