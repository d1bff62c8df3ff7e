import Rows

/// Two words that order a row as far as they go: if the words of two rows differ, the rows differ in the same way.
struct SortWords: Equatable {
  let head: UInt64, next: UInt64
  /// Whether rows that have these words, and are decided as well, are equal.
  let isDecided: Bool
}

extension SortOrder {
  /// The way in which the values of a column become words.
  enum WordKind: Sendable {
    case integer, boolean
    /// The nearest Double, which decides if no other number has the same one.
    case number
    case text
    /// A timestamp: its text as far as that has the order of time.
    case time
    /// The kind of the value and how it begins.
    case other

    init(_ type: ColumnType) {
      switch type {
      case .integer: self = .integer
      case .boolean: self = .boolean
      case .real, .decimal: self = .number
      case .text, .url, .date: self = .text
      case .timestamp: self = .time
      case .bytes, .list, .json: self = .other
      }
    }
  }

  /// The words of a row: the first 16 bytes of its values, written one after the other so that their bytes have the
  /// order of the values. A number of which the nearest Double may not tell everything ends them, as do JSON and bytes.
  @inline(__always) func words(_ reader: CellReader, _ row: Int) -> SortWords {
    var words = WordBuilder()
    for (key, kind) in zip(keys, kinds) {
      let cell = reader.cell(row, key.column), flip: UInt64 = key.isDescending ? .max : 0
      var isDecided = true
      switch kind {
      case .integer: isDecided = words.append(integer: cell, reader, flip)
      case .boolean:
        // Null comes last both ways.
        if case .boolean(let value) = cell { words.append((value ? 2 : 1) << 56 ^ flip, 1) } else { words.appendNull() }
        isDecided = cell.isBoolean || cell.isNull
      case .number:
        isDecided = words.append(number: cell, reader, flip)
        return words.words(after: isDecided && key.column == keys.last?.column)
      case .text, .time:
        var isTime = false
        if case .time = kind { isTime = true }
        if cell.isNull {
          words.appendNull()
        } else if let text = unsafe reader.bytes(of: isTime ? reader.time(cell) : cell) {
          isDecided = unsafe words.append(text: text, flip)
        } else {
          return words.words(after: false)
        }
      case .other:
        words.append(cell.isNull ? .max : Self.head(cell, reader) ^ flip, 8)
        return words.words(after: false)
      }
      if !isDecided || words.used >= 16 { return words.words(after: isDecided && key.column == keys.last?.column) }
    }
    return words.words(after: true)
  }

  /// A number that orders values of any kind by how they begin: 3 bits for the kind, the others for the first bytes.
  private static func head(_ cell: Cell, _ reader: CellReader) -> UInt64 {
    var bits: UInt64 = 0
    if let number = reader.nearestDouble(of: cell) {
      bits = number.orderedBits
    } else if case .boolean(let value) = cell {
      bits = value ? 1 << 63 : 0
    } else if let bytes = unsafe reader.bytes(of: cell) {
      bits = unsafe OrderWord.word(of: bytes)
    }
    return UInt64(rank(cell)) << 61 | bits >> 3
  }
}

/// Bytes from the left in two words; what does not fit is dropped.
private struct WordBuilder {
  private var head: UInt64 = 0, next: UInt64 = 0
  /// The number of bytes, with those that did not fit.
  private(set) var used = 0

  /// - Parameter isDecided: whether all that decides was appended.
  @inline(__always) func words(after isDecided: Bool) -> SortWords {
    SortWords(head: head, next: next, isDecided: isDecided && used <= 16)
  }

  /// Appends the first `count` bytes of a word, at most 8; the others are ignored.
  @inline(__always) mutating func append(_ word: UInt64, _ count: Int) {
    let word = count == 8 ? word : word & ~(UInt64.max &>> UInt64(count &* 8))
    if used < 8 {
      head |= word &>> UInt64(used &* 8)
      if used > 0 { next |= word &<< UInt64(64 &- used &* 8) }
    } else if used < 16 {
      next |= word &>> UInt64((used &- 8) &* 8)
    }
    used &+= count
  }

  /// Null comes after all values of integers, Booleans and texts.
  @inline(__always) mutating func appendNull() { append(.max, 1) }

  /// Appends an integer: a byte for the sign and the number of bytes that follow, then those.
  /// - Returns: whether this decides.
  @inline(__always) mutating func append(integer cell: Cell, _ reader: CellReader, _ flip: UInt64) -> Bool {
    if cell.isNull {
      appendNull()
      return true
    }
    guard let value = reader.integer(of: cell) ?? reader.longInteger(of: cell) else { return false }
    let bits = UInt64(bitPattern: value < 0 ? ~value : value)
    let count = (64 &- bits.leadingZeroBitCount &+ 7) &>> 3
    let sign = UInt64(value < 0 ? 0x7F &- count : 0x80 &+ count)
    append(sign << 56 ^ flip, 1)
    if count > 0 { append((value < 0 ? ~bits : bits) &<< UInt64(64 &- count &* 8) ^ flip, count) }
    return true
  }

  /// Appends the nearest Double.
  /// - Returns: whether this decides.
  @inline(__always) mutating func append(number cell: Cell, _ reader: CellReader, _ flip: UInt64) -> Bool {
    if cell.isNull {
      append(.max, 8)
      return true
    }
    guard let number = reader.nearestDouble(of: cell) else { return false }
    append(number.orderedBits ^ flip, 8)
    return number.isWhole
  }

  /// Appends a text and its end: two zeros, where a zero in the text is a zero and 255.
  /// - Returns: whether this decides.
  @inline(__always) mutating func append(text: UnsafeRawBufferPointer, _ flip: UInt64) -> Bool {
    // Descending, an empty text would begin like null.
    if flip != 0 { append(1 << 56 ^ flip, 1) }
    var at = 0
    while at < text.count, used < 16 {
      // After a text there are at least 7 readable bytes: `Arena.slack`.
      let count = min(8, text.count &- at)
      guard let start = text.baseAddress else { break }
      let word = unsafe UInt64(bigEndian: start.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let filled = count == 8 ? word : word | UInt64.max &>> UInt64(count &* 8)
      if filled.hasZeroByte {
        for index in 0..<count {
          let byte = word &<< UInt64(index &* 8)
          append(byte ^ flip, 1)
          if byte >> 56 == 0 { append(.max ^ flip, 1) }
        }
      } else {
        append(word ^ flip, count)
      }
      at &+= count
    }
    if at < text.count { return false }
    append(flip, 2)
    return true
  }
}

extension UInt64 {
  /// Whether one of the eight bytes is zero.
  @inline(__always) fileprivate var hasZeroByte: Bool {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 != 0
  }
}

extension Cell {
  fileprivate var isBoolean: Bool { if case .boolean = self { true } else { false } }
}

extension NearestDouble {
  /// A word that has the order of the numbers: −Infinity, finite numbers, Infinity, NaN.
  @inline(__always) var orderedBits: UInt64 {
    let pattern = value.ordered.bitPattern
    return pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
  }
}

extension CellReader {
  /// The integer of a literal of 19 digits.
  fileprivate func longInteger(of cell: Cell) -> Int64? {
    guard case .number(let start, let length) = cell else { return nil }
    return unsafe Int64(String(decoding: bytes(start, length), as: UTF8.self))
  }
}
