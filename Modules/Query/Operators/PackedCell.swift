import Rows

/// A cell in 8 bytes: its kind in 4 bits; then an integer, or the length (28 bits) and the offset from the beginning of
/// its row (32 bits) of what does not fit.
enum PackedCell {
  private enum Kind {
    static let null: UInt64 = 0, no: UInt64 = 1, yes: UInt64 = 2, integer: UInt64 = 3, wide: UInt64 = 4
    static let real: UInt64 = 5, text: UInt64 = 8, number: UInt64 = 9, json: UInt64 = 10, bytes: UInt64 = 11
    /// Added to the kind of a value whose length does not fit: it is in the 8 bytes before the value.
    static let long: UInt64 = 4
  }
  private static let longest = 1 << 28

  /// The bytes of a packed cell, with those outside the 8.
  @inline(__always) static func size(of cell: Cell) -> Int {
    switch cell {
    case .null, .boolean: 8
    case .integer(let value): isShort(value) ? 8 : 16
    case .real: 16
    case .text(_, let length), .number(_, let length), .json(_, let length), .bytes(_, let length):
      Int(length) < longest ? 8 + Int(length) : 16 + Int(length)
    }
  }

  @inline(__always) private static func isShort(_ value: Int64) -> Bool { value == (value << 4) >> 4 }

  /// Stores a cell whose bytes are in `text`.
  /// - Parameters:
  ///   - row: the beginning of the row.
  ///   - end: the end of the row so far; it moves past bytes that do not fit into the 8.
  @inline(__always) static func store(
    _ cell: Cell, _ text: UnsafePointer<UInt8>, at target: UnsafeMutablePointer<UInt8>,
    in row: UnsafeMutablePointer<UInt8>, _ end: inout UnsafeMutablePointer<UInt8>
  ) {
    let word: UInt64
    switch cell {
    case .null: word = Kind.null
    case .boolean(let value): word = value ? Kind.yes : Kind.no
    case .integer(let value) where isShort(value): word = UInt64(bitPattern: value) << 4 | Kind.integer
    case .integer(let value): word = unsafe append(UInt64(bitPattern: value), Kind.wide, row, &end)
    case .real(let value): word = unsafe append(value.bitPattern, Kind.real, row, &end)
    case .text(let start, let length): word = unsafe append(text + Int(start), length, Kind.text, row, &end)
    case .number(let start, let length): word = unsafe append(text + Int(start), length, Kind.number, row, &end)
    case .json(let start, let length): word = unsafe append(text + Int(start), length, Kind.json, row, &end)
    case .bytes(let start, let length): word = unsafe append(text + Int(start), length, Kind.bytes, row, &end)
    }
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
  }

  @inline(__always) private static func append(
    _ bits: UInt64, _ kind: UInt64, _ row: UnsafeMutablePointer<UInt8>, _ end: inout UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    let offset = unsafe UInt64(end - row)
    unsafe UnsafeMutableRawPointer(end).storeBytes(of: bits, as: UInt64.self)
    unsafe end += 8
    return offset << 32 | kind
  }

  @inline(__always) private static func append(
    _ text: UnsafePointer<UInt8>, _ length: UInt32, _ kind: UInt64, _ row: UnsafeMutablePointer<UInt8>,
    _ end: inout UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    guard Int(length) < longest else {
      let word = unsafe append(UInt64(length), kind + Kind.long, row, &end)
      unsafe end.update(from: text, count: Int(length))
      unsafe end += Int(length)
      return word
    }
    let offset = unsafe UInt64(end - row)
    unsafe copyBytes(text, to: end, Int(length))
    unsafe end += Int(length)
    return offset << 32 | UInt64(length) << 4 | kind
  }

  /// Loads a cell of the row at `row`.
  /// - Parameter position: where the row begins in what the ranges of the cell are of; below zero by the size of the
  ///   packed cells if only what follows them is there.
  @inline(__always) static func load(
    _ source: UnsafePointer<UInt8>, of row: UnsafePointer<UInt8>, at position: Int
  ) -> Cell {
    let word = unsafe UnsafeRawPointer(source).loadUnaligned(as: UInt64.self), kind = word & 15
    var offset = Int(word >> 32), length = UInt32(truncatingIfNeeded: word >> 4) & UInt32(longest - 1)
    switch kind {
    case Kind.null: return .null
    case Kind.no: return .boolean(false)
    case Kind.yes: return .boolean(true)
    case Kind.integer: return .integer(Int64(bitPattern: word) >> 4)
    default: break
    }
    if kind < Kind.text || kind >= Kind.text + Kind.long {
      let bits = unsafe UnsafeRawPointer(row).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if kind == Kind.wide { return .integer(Int64(bitPattern: bits)) }
      if kind == Kind.real { return .real(Double(bitPattern: bits)) }
      length = UInt32(truncatingIfNeeded: bits)
      offset += 8
    }
    let start = UInt32(truncatingIfNeeded: position &+ offset)
    switch kind & ~Kind.long {
    case Kind.text: return .text(start, length)
    case Kind.number: return .number(start, length)
    case Kind.json: return .json(start, length)
    default: return .bytes(start, length)
    }
  }
}

/// Copies bytes of an arena, 16 at once: up to 15 bytes after them are read and written too.
@inline(__always)
func copyBytes(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ count: Int) {
  if count <= 16 {
    let bytes = unsafe UnsafeRawPointer(source).loadUnaligned(as: SIMD16<UInt8>.self)
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
  } else if count <= 64 {
    for at in stride(from: 0, to: count, by: 16) {
      let bytes = unsafe UnsafeRawPointer(source).loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self)
      unsafe UnsafeMutableRawPointer(target).storeBytes(of: bytes, toByteOffset: at, as: SIMD16<UInt8>.self)
    }
  } else {
    unsafe target.update(from: source, count: count)
  }
}
