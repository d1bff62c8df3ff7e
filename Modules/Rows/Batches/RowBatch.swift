/// Some rows of one schema: what crosses every boundary. Only batches are awaited, never rows.
///
/// `count` rows × `width` cells, row-major, in `cells`; their text is in `chunk`. Both are shared and never change, so
/// a batch may be read on any core. About 256 KiB of text a batch, except where one record is larger.
public struct RowBatch: Sendable {
  /// Cells a row.
  public let width: Int
  /// Rows.
  public let count: Int
  /// The cells.
  public let cells: CellBlock
  /// The bytes that text cells point into.
  public let chunk: Chunk

  /// A batch of `count` rows whose cells and bytes are filled.
  @inlinable public init(width: Int, count: Int, cells: CellBlock, chunk: Chunk) {
    self.width = width
    self.count = count
    self.cells = cells
    self.chunk = chunk
  }

  /// Direct access for codecs and encoders: all cells and all bytes, without a copy.
  @inlinable public func read<Result, Failure: Error>(
    _ body: (Span<Cell>, RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(
      Span(_unsafeStart: UnsafePointer(cells.base), count: count &* width),
      RawSpan(_unsafeStart: UnsafeRawPointer(chunk.base), byteCount: chunk.count))
  }

  /// The cell of `row` and `column`.
  @inlinable public subscript(row: Int, column: Int) -> Cell {
    precondition(row >= 0 && row < count && column >= 0 && column < width, "internal error: cell index out of range")
    return unsafe cells.base[row &* width &+ column]
  }

  /// The bytes of a range of the chunk, copied.
  public func bytes(_ start: UInt32, _ length: UInt32) -> [UInt8] {
    precondition(Int(start) + Int(length) <= chunk.count, "internal error: range outside the chunk")
    return unsafe Array(UnsafeBufferPointer(start: chunk.base + Int(start), count: Int(length)))
  }

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
  public func projected(to positions: [Int]) -> RowBatch {
    let block = CellBlock(capacity: count * positions.count)
    var at = 0
    for row in 0..<count {
      for column in positions {
        block.put(at, self[row, column])
        at += 1
      }
    }
    return RowBatch(width: positions.count, count: count, cells: block, chunk: chunk)
  }

  /// A batch with only the rows at `rows`, in that order; the bytes are shared.
  public func selecting(_ rows: some Collection<Int>) -> RowBatch {
    let block = CellBlock(capacity: rows.count * width)
    var at = 0
    for row in rows {
      for column in 0..<width {
        block.put(at, self[row, column])
        at += 1
      }
    }
    return RowBatch(width: width, count: rows.count, cells: block, chunk: chunk)
  }
}

/// One value that owns its bytes: what conditions, keys and tests hold. Equality is of bytes, never of characters.
public enum Value: Sendable, Hashable {
  /// No value.
  case null
  /// A Boolean.
  case boolean(Bool)
  /// An integer.
  case integer(Int64)
  /// A finite real.
  case real(Double)
  /// The literal of a number.
  case number([UInt8])
  /// UTF-8 text.
  case text([UInt8])
  /// Canonical JSON.
  case json([UInt8])
  /// Raw bytes.
  case bytes([UInt8])

  /// Text.
  public static func text(_ string: String) -> Value { .text(Array(string.utf8)) }
}
