/// Makes a batch value by value, left to right, row after row: for sources that have values rather than bytes.
///
/// Parsers fill chunks and cells themselves; this is for everything else.
public struct RowBatchBuilder {
  /// Cells a row.
  public let width: Int
  /// Cells put so far.
  private var used = 0
  private var cells: CellBlock
  private var chunk: Chunk

  /// An empty builder of rows of `width` cells.
  public init(width: Int) {
    self.width = width
    cells = CellBlock(capacity: max(width * 64, 64))
    chunk = Chunk()
  }

  /// Complete rows so far.
  public var count: Int { width == 0 ? 0 : used / width }
  /// Bytes of text so far.
  public var byteCount: Int { chunk.count }
  /// Whether the batch has its usual size and should be finished after this row.
  public var isFull: Bool { chunk.count >= Chunk.usualCapacity * 3 / 4 || used >= 1 << 15 }

  /// Appends a cell without bytes (or with a range of bytes appended before).
  public mutating func append(_ cell: Cell) {
    if used == cells.capacity { cells = cells.grown(keeping: used) }
    cells.put(used, cell)
    used += 1
  }
  /// Appends null.
  public mutating func appendNull() { append(.null) }
  /// Appends an integer.
  public mutating func append(integer value: Int64) { append(.integer(value)) }
  /// Appends a real, which must be finite.
  public mutating func append(real value: Double) { append(.real(value)) }
  /// Appends a Boolean.
  public mutating func append(boolean value: Bool) { append(.boolean(value)) }
  /// Appends text.
  public mutating func append(text value: String) {
    let range = copy(Array(value.utf8))
    append(.text(range.0, range.1))
  }
  /// Appends text that is valid UTF-8.
  public mutating func append(text value: [UInt8]) {
    let range = copy(value)
    append(.text(range.0, range.1))
  }
  /// Appends a number's literal, in JSON's grammar.
  public mutating func append(number literal: [UInt8]) {
    let range = copy(literal)
    append(.number(range.0, range.1))
  }
  /// Appends canonical JSON.
  public mutating func append(json value: [UInt8]) {
    let range = copy(value)
    append(.json(range.0, range.1))
  }
  /// Appends raw bytes.
  public mutating func append(bytes value: [UInt8]) {
    let range = copy(value)
    append(.bytes(range.0, range.1))
  }
  /// Appends an owned value.
  public mutating func append(value: Value) {
    switch value {
    case .null: append(.null)
    case .boolean(let value): append(.boolean(value))
    case .integer(let value): append(.integer(value))
    case .real(let value): append(.real(value))
    case .number(let literal): append(number: literal)
    case .text(let bytes): append(text: bytes)
    case .json(let bytes): append(json: bytes)
    case .bytes(let bytes): append(bytes: bytes)
    }
  }
  /// Appends one cell of a batch, copying its bytes.
  public mutating func append(_ row: Int, _ column: Int, of batch: RowBatch) {
    func copied(_ start: UInt32, _ length: UInt32) -> (UInt32, UInt32) {
      unsafe copy(batch.chunk.base + Int(start), Int(length))
    }
    switch batch[row, column] {
    case .text(let start, let length):
      let range = copied(start, length)
      append(.text(range.0, range.1))
    case .number(let start, let length):
      let range = copied(start, length)
      append(.number(range.0, range.1))
    case .json(let start, let length):
      let range = copied(start, length)
      append(.json(range.0, range.1))
    case .bytes(let start, let length):
      let range = copied(start, length)
      append(.bytes(range.0, range.1))
    case let cell: append(cell)
    }
  }
  /// Appends one row of a batch of the same width, copying its bytes.
  public mutating func append(row: Int, of batch: RowBatch) {
    precondition(batch.width == width, "internal error: batch has the wrong number of columns")
    for column in 0..<width { append(row, column, of: batch) }
  }

  /// The rows so far as a batch; the builder is empty afterwards.
  public mutating func finish() -> RowBatch {
    precondition(width == 0 || used % width == 0, "internal error: the last row is incomplete")
    let batch = RowBatch(width: width, count: count, cells: cells, chunk: chunk)
    cells = CellBlock(capacity: max(width * 64, 64))
    chunk = Chunk()
    used = 0
    return batch
  }

  private mutating func copy(_ bytes: [UInt8]) -> (UInt32, UInt32) {
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return (UInt32(chunk.count), 0) }
      return unsafe copy(start, source.count)
    }
  }

  /// Appends a copy of the bytes. A full chunk grows, so ranges stay valid.
  private mutating func copy(_ source: UnsafePointer<UInt8>, _ length: Int) -> (UInt32, UInt32) {
    let start = chunk.count
    if start + length > chunk.capacity {
      let larger = Chunk(capacity: max(chunk.capacity * 2, start + length))
      unsafe larger.base.update(from: chunk.base, count: start)
      chunk = larger
    }
    unsafe (chunk.base + start).update(from: source, count: length)
    chunk.count = start + length
    return (UInt32(start), UInt32(length))
  }
}
