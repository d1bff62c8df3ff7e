import Codecs
package import Rows

/// Reads cells of one batch for comparisons, without copies.
@safe package struct CellReader: @unchecked Sendable {
  private let cells: UnsafePointer<Cell>
  private let bytes: UnsafePointer<UInt8>
  private let width: Int

  package init(_ batch: RowBatch) {
    unsafe cells = batch.cells.base
    unsafe bytes = batch.arena.base
    width = batch.width
  }

  /// A reader of cells that are kept elsewhere, whose bytes are at `bytes`; it has no rows.
  init(bytes: UnsafePointer<UInt8>?) {
    unsafe cells = Self.noCells
    unsafe self.bytes = bytes ?? Self.noBytes
    width = 0
  }
  nonisolated(unsafe) private static let noCells = unsafe UnsafePointer(
    UnsafeMutablePointer<Cell>.allocate(capacity: 1))
  nonisolated(unsafe) private static let noBytes = unsafe UnsafePointer(
    UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  package func cell(_ row: Int, _ column: Int) -> Cell { unsafe cells[row &* width &+ column] }

  /// The bytes of a cell that has some.
  func bytes(_ start: UInt32, _ length: UInt32) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: bytes + Int(start), count: Int(length))
  }

  /// The cell's bytes: of text, a literal, nested JSON or raw bytes; nil for others.
  func bytes(of cell: Cell) -> UnsafeRawBufferPointer? {
    switch cell {
    case .text(let start, let length), .number(let start, let length), .json(let start, let length),
      .bytes(let start, let length):
      unsafe bytes(start, length)
    case .null, .integer, .real, .boolean: nil
    }
  }

  /// Calls `body` with a text's bytes, or with each text of a list.
  package func forEachText(of cell: Cell, _ body: ([UInt8]) -> Void) {
    switch cell {
    case .text(let start, let length): unsafe body(Array(bytes(start, length)))
    case .json(let start, let length):
      _ = unsafe ListText.first(in: bytes(start, length)) { text in
        body(text)
        return false
      }
    case .null, .number, .bytes, .integer, .real, .boolean: break
    }
  }

  /// The cell as an exact number; nil when it is none.
  func number(of cell: Cell) -> DecimalNumber? {
    switch cell {
    case .integer(let value): DecimalNumber(value)
    case .real(let value): DecimalNumber(value)
    case .number(let start, let length): unsafe DecimalNumber(bytes(start, length))
    case .null, .text, .json, .bytes, .boolean: nil
    }
  }

  /// The cell as an integer, when it is a short one: the fast way.
  func integer(of cell: Cell) -> Int64? {
    switch cell {
    case .integer(let value): return value
    case .number(let start, let length):
      guard length <= 18 else { return nil }
      let literal = unsafe bytes(start, length)
      var value: Int64 = 0, isNegative = false
      for index in literal.indices {
        let byte = unsafe literal[index]
        if index == 0, byte == 45 {
          isNegative = true
        } else if byte &- 48 < 10 {
          value = value &* 10 &+ Int64(byte &- 48)
        } else {
          return nil
        }
      }
      return isNegative ? -value : value
    case .null, .text, .json, .bytes, .boolean, .real: return nil
    }
  }
}

/// Compares bytes in the order that all stores use.
func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  let count = min(a.count, b.count)
  var at = 0
  while at &+ 8 <= count {
    let x = unsafe UInt64(bigEndian: a.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    let y = unsafe UInt64(bigEndian: b.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    if x != y { return x < y ? -1 : 1 }
    at &+= 8
  }
  while at < count {
    let x = unsafe a[at], y = unsafe b[at]
    if x != y { return x < y ? -1 : 1 }
    at &+= 1
  }
  return a.count == b.count ? 0 : a.count < b.count ? -1 : 1
}
