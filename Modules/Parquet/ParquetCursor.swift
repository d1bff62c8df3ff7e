import Codecs
import Rows

/// The reason why a Parquet file cannot be read.
enum ParquetFailure: Error {
  /// The file is damaged, or has a feature that is not supported.
  case damage(String, hint: Remedy = Remedy())
  /// The file or a library cannot be read.
  case problem(Problem)

  static let short = ParquetFailure.damage("the data ends early")

  func problem(_ name: String) -> Problem {
    switch self {
    case .damage(let what, let hint): Problem(.badData, what, at: name, hint: hint)
    case .problem(let problem): problem
    }
  }

  func problem(_ name: String, _ column: String, _ group: ParquetFile.Group) -> Problem {
    guard case .damage(let what, let hint) = self else { return problem(name) }
    let first = group.firstRow &+ 1, rows = "rows \(first) to \(group.firstRow &+ group.rowCount)"
    return Problem(
      .badData, "column \(column): \(what) (\(group.rowCount == 1 ? "row \(first)" : rows))", at: name, hint: hint)
  }
}

/// Reads numbers and bytes one after the other, none of them beyond the end.
struct ParquetCursor {
  let bytes: ByteRun
  private(set) var at = 0

  init(_ bytes: ByteRun) { self.bytes = bytes }

  /// The number of bytes that are left.
  var left: Int { bytes.count - at }

  /// The next `count` bytes.
  mutating func take(_ count: Int) throws(ParquetFailure) -> ByteRun {
    guard count >= 0, count <= left else { throw .short }
    defer { at += count }
    return bytes.slice(from: at, atMost: count)
  }

  mutating func byte() throws(ParquetFailure) -> UInt8 {
    guard left > 0 else { throw .short }
    defer { at += 1 }
    return bytes[at]
  }

  /// An unsigned number in groups of seven bits, the lowest first.
  mutating func variable() throws(ParquetFailure) -> UInt64 {
    var value: UInt64 = 0, shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || (shift == 63 && next <= 1) else { throw .damage("a number is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  /// A signed number, whose lowest bit is the sign.
  mutating func zigzag() throws(ParquetFailure) -> Int64 {
    let value = try variable()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A count or a size: a number that is at most `limit`.
  mutating func count(_ limit: Int = Int(Int32.max)) throws(ParquetFailure) -> Int {
    let value = try variable()
    guard value <= UInt64(limit) else { throw .damage("a count is too large") }
    return Int(value)
  }

  /// A number of `size` bytes, at most eight, the lowest first.
  mutating func littleEndian(_ size: Int) throws(ParquetFailure) -> UInt64 { try take(size).littleEndian }
}

extension ByteRun {
  /// The number that the bytes, at most eight, are, the lowest first.
  var littleEndian: UInt64 {
    var value: UInt64 = 0
    for place in (0..<count).reversed() { value = value << 8 | UInt64(self[place]) }
    return value
  }
}

/// Decoders of Parquet's integer encodings.
enum ParquetIntegers {
  /// `count` numbers of the hybrid of run lengths and bit packing, each at most `limit`.
  static func hybrid<Number: FixedWidthInteger & UnsignedInteger>(
    _ cursor: inout ParquetCursor, bits: Int, count: Int, limit: Number = .max
  ) throws(ParquetFailure) -> [Number] {
    guard (0...Number.bitWidth).contains(bits) else { throw .damage("a bit width is out of range") }
    var values: [Number] = []
    values.reserveCapacity(count)
    while values.count < count {
      let header = try cursor.count()
      if header & 1 == 1 {
        let groups = header >> 1, size = groups.multipliedReportingOverflow(by: bits)
        guard groups > 0, !size.overflow else { throw .damage("a run is empty") }
        // Some writers cut the last group where the values end.
        let packed = try cursor.take(min(size.partialValue, cursor.left))
        let wanted = min(groups * 8, count - values.count)
        guard packed.count * 8 >= wanted * bits else { throw .short }
        unpack(packed, bits: bits, count: wanted) { values.append(Number(truncatingIfNeeded: $0)) }
      } else {
        let run = header >> 1, value = Number(truncatingIfNeeded: try cursor.littleEndian((bits + 7) / 8))
        guard run > 0 else { throw .damage("a run is empty") }
        values.append(contentsOf: repeatElement(value, count: min(run, count - values.count)))
      }
    }
    if limit < .max, let most = values.max(), most > limit { throw .damage("an index or level is out of range") }
    return values
  }

  /// `count` numbers of `bits` bits, the highest first: the deprecated encoding of levels.
  static func bitPacked(_ cursor: inout ParquetCursor, bits: Int, count: Int) throws(ParquetFailure) -> [UInt8] {
    let packed = try cursor.take((count * bits + 7) / 8)
    return (0..<count).map { number in
      (0..<bits).reduce(UInt8(0)) { value, bit in
        let place = number * bits + bit
        return value << 1 | packed[place / 8] >> (7 - UInt8(place % 8)) & 1
      }
    }
  }

  /// Calls `body` with numbers of `bits` bits, at most 64, the lowest first. There must be enough bytes.
  @inline(__always) static func unpack(_ packed: ByteRun, bits: Int, count: Int, _ body: (UInt64) -> Void) {
    let mask = bits == 64 ? UInt64.max : (1 << UInt64(bits)) - 1
    var place = 0
    for _ in 0..<count {
      let byte = place >> 3, shift = place & 7
      var value: UInt64 = 0
      if byte + 9 <= packed.count {
        value = unsafe UnsafeRawPointer(packed.start + byte).loadUnaligned(as: UInt64.self).littleEndian
        value >>= UInt64(shift)
        if shift > 0 { value |= UInt64(packed[byte + 8]) << UInt64(64 - shift) }
      } else {
        for next in 0..<min(9, packed.count - byte) {
          let part = UInt64(packed[byte + next]), position = next * 8 - shift
          if position >= 64 { break }
          value |= position >= 0 ? part << UInt64(position) : part >> UInt64(-position)
        }
      }
      body(value & mask)
      place += bits
    }
  }

  /// The numbers of `DELTA_BINARY_PACKED`, at most `limit`.
  static func deltas(_ cursor: inout ParquetCursor, limit: Int) throws(ParquetFailure) -> [Int64] {
    let blockSize = try cursor.count(1 << 20), groups = try cursor.count(1 << 14)
    let total = try cursor.count()
    guard groups > 0, blockSize % groups == 0, blockSize / groups % 8 == 0, blockSize > 0 else {
      throw .damage("a block of differences has a wrong size")
    }
    guard total <= limit else { throw .damage("there are more values than the page has") }
    var value = try cursor.zigzag()
    guard total > 0 else { return [] }
    var values = [value]
    values.reserveCapacity(total)
    let groupSize = blockSize / groups
    while values.count < total {
      let least = try cursor.zigzag(), widths = try cursor.take(groups)
      for group in 0..<groups where values.count < total {
        let bits = Int(widths[group])
        guard bits <= 64 else { throw .damage("a bit width is out of range") }
        let wanted = min(groupSize, total - values.count)
        let packed = try cursor.take(min(groupSize * bits / 8, cursor.left))
        guard packed.count * 8 >= wanted * bits else { throw .short }
        unpack(packed, bits: bits, count: wanted) { delta in
          value = value &+ least &+ Int64(bitPattern: delta)
          values.append(value)
        }
      }
    }
    return values
  }
}
