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
    /// An `Int64`, a Boolean: one word, always decided.
    case integer, boolean
    /// The nearest Double: one word, decided if no other number has the same nearest Double.
    case number
    /// The first 15 bytes and the length: two words, decided if the text is shorter than 16 bytes.
    case text
    /// The kind of the value and how it begins.
    case other

    init(_ type: ColumnType) {
      switch type {
      case .integer: self = .integer
      case .boolean: self = .boolean
      case .real, .decimal: self = .number
      case .text, .url, .date, .timestamp: self = .text
      case .bytes, .list, .json: self = .other
      }
    }
  }

  /// The words of a row. The first one is of the first column. The second one is of the rest of a text, or of the
  /// second column if the first word always decides; otherwise two rows whose first values differ could be ordered by
  /// their second ones.
  @inline(__always) func words(_ reader: CellReader, _ row: Int) -> SortWords {
    guard let key = keys.first else { return SortWords(head: 0, next: 0, isDecided: true) }
    let cell = reader.cell(row, key.column)
    if cell.isNull, kinds[0] != .integer, kinds[0] != .boolean {
      return SortWords(head: .max, next: kinds[0] == .text ? .max : 0, isDecided: keys.count == 1)
    }
    let flip: UInt64 = key.isDescending ? .max : 0
    switch kinds[0] {
    case .integer, .boolean:
      let (word, isDecided) = Self.word(cell, reader, kinds[0])
      // Null is the largest word both ways. A value with the same word is compared, and comes before null or with it.
      let head = cell.isNull ? .max : word ^ flip
      guard isDecided, cell.isNull || head != .max else { return SortWords(head: head, next: 0, isDecided: false) }
      guard keys.count > 1 else { return SortWords(head: head, next: 0, isDecided: true) }
      let (next, isNextDecided) = secondWord(reader, row)
      return SortWords(head: head, next: next, isDecided: isNextDecided && keys.count == 2)
    case .number:
      let (word, isDecided) = Self.word(cell, reader, .number)
      return SortWords(head: word ^ flip, next: 0, isDecided: isDecided && keys.count == 1)
    case .text:
      guard let text = unsafe reader.bytes(of: cell) else {
        return SortWords(head: head(reader, row), next: 0, isDecided: false)
      }
      let first = unsafe OrderWord.word(of: text) ^ flip, rest = unsafe Self.rest(of: text) ^ flip
      let isDecided = text.count < 16 && keys.count == 1 && first != .max
      return SortWords(head: first, next: rest, isDecided: isDecided)
    case .other: return SortWords(head: head(reader, row), next: 0, isDecided: false)
    }
  }

  /// The word of the second column, and whether it decides.
  @inline(__always) private func secondWord(_ reader: CellReader, _ row: Int) -> (UInt64, Bool) {
    let key = keys[1], cell = reader.cell(row, key.column)
    if cell.isNull { return (.max, true) }
    let flip: UInt64 = key.isDescending ? .max : 0
    switch kinds[1] {
    case .integer, .boolean, .number:
      let (word, isDecided) = Self.word(cell, reader, kinds[1])
      return (word ^ flip, isDecided && word ^ flip != .max)
    case .text:
      guard let text = unsafe reader.bytes(of: cell) else { return (0, false) }
      return (unsafe OrderWord.word(of: text) ^ flip, false)
    case .other: return (0, false)
    }
  }

  /// The word of a number or Boolean, ascending, and whether it decides.
  @inline(__always) private static func word(_ cell: Cell, _ reader: CellReader, _ kind: WordKind) -> (UInt64, Bool) {
    switch kind {
    case .integer:
      guard let value = reader.integer(of: cell) ?? reader.longInteger(of: cell) else { return (0, cell.isNull) }
      return (UInt64(bitPattern: value) ^ 1 << 63, true)
    case .boolean:
      if case .boolean(let value) = cell { return (value ? 1 : 0, true) }
      return (0, cell.isNull)
    case .number:
      guard let number = reader.nearestDouble(of: cell) else { return (0, false) }
      let pattern = (number.value == 0 ? 0 : number.value).bitPattern
      return (pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern, number.isWhole)
    case .text, .other: return (0, false)
    }
  }

  /// Bytes 9 to 15 of a text, and its length as far as 16.
  @inline(__always) private static func rest(of text: UnsafeRawBufferPointer) -> UInt64 {
    if text.count >= 16 {
      return unsafe UInt64(bigEndian: text.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) & ~255 | 16
    }
    var word: UInt64 = 0
    for at in 8..<15 { word = unsafe word << 8 | (at < text.count ? UInt64(text[at]) : 0) }
    return word << 8 | UInt64(text.count)
  }
}

extension CellReader {
  /// The integer of a literal of 19 digits.
  fileprivate func longInteger(of cell: Cell) -> Int64? {
    guard case .number(let start, let length) = cell else { return nil }
    return unsafe Int64(String(decoding: bytes(start, length), as: UTF8.self))
  }
}
