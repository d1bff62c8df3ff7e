internal import CMasks
internal import Domain

/// Parses the records of one piece into a batch.
///
/// The text stays as it is until all of it was found right; only then strings with escapes are decoded, nested values put into canonical form
/// and base64 decoded, each in its own place: none of them becomes longer.
struct JSONRecordParser {
  /// Values that are rewritten in place when the piece is known to be right.
  private struct Rewrite {
    enum Kind { case escapes, nested, base64 }
    let cell: Int
    let kind: Kind
    let start: Int
    let count: Int
  }

  private let layout: JSONLayout
  private let piece: JSONPiece
  private var scanner: JSONScanner
  private var cells: CellBlock
  private var rewrites: [Rewrite] = []
  /// The row in which each column was last seen, to find keys that are missing or come twice.
  private var lastSeen: [Int]
  private var others = JSONKeys()
  private var keys = JSONKeys()
  private var rows = 0
  private var lineEnds = 0

  init(_ piece: JSONPiece, _ layout: JSONLayout) {
    self.piece = piece
    self.layout = layout
    scanner = unsafe JSONScanner(piece.chunk.base, at: piece.start)
    cells = CellBlock(capacity: max(64, (piece.chunk.count - piece.start) / 24) + layout.width)
    lastSeen = Array(repeating: -1, count: layout.columns.count)
  }

  /// The batch; the position of the record at fault is `rows` when it throws.
  mutating func batch() throws(JSONFault) -> RowBatch {
    let count = piece.chunk.count - piece.start
    let bad = unsafe Int(bb_first_not_utf8(piece.chunk.base + piece.start, count))
    if bad < count {
      throw JSONFault("not UTF-8: byte \(piece.place.offset + bad) of the document", at: piece.start + bad)
    }
    if piece.form == .array { try elements() } else { try lines() }
    rewrite()
    return RowBatch(width: layout.width, count: rows, cells: cells, chunk: piece.chunk)
  }

  /// Records parsed so far.
  var count: Int { rows }

  private mutating func elements() throws(JSONFault) {
    let end = piece.chunk.count
    scanner.skipSpace()
    if piece.isFirst {
      if scanner.byte == UInt8(ascii: "]") {
        scanner.at += 1
      } else {
        try record()
      }
    }
    while scanner.at < end {
      guard try scanner.another(UInt8(ascii: "]")) else { break }
      try record()
    }
    if scanner.at != end { throw JSONFault("more text behind the end of the array", at: scanner.at) }
    guard piece.isLast else { return }
    if unsafe scanner.at == piece.start || scanner.base[end - 1] != UInt8(ascii: "]") {
      throw scanner.unexpected(wanted: "a comma or “]”")
    }
  }

  private mutating func lines() throws(JSONFault) {
    let end = piece.chunk.count
    while true {
      while scanner.byte <= 0x20, scanner.byte != 0 {
        if scanner.byte == 0x0A { lineEnds &+= 1 }
        guard scanner.byte == 0x20 || scanner.byte == 0x0A || scanner.byte == 0x0D || scanner.byte == 0x09 else {
          break
        }
        scanner.at &+= 1
      }
      if scanner.at == end { break }
      if rows > 0, lineEnds < rows { throw JSONFault("more text behind the record on its line", at: scanner.at) }
      try record()
    }
    if lineEnds != piece.lines { throw brokenRecord() }
  }

  /// Some record goes on behind the end of its line; where pieces are cut decides whether that could be read, so it never is.
  private func brokenRecord() -> JSONFault {
    var scanner = unsafe JSONScanner(piece.chunk.base, at: piece.start)
    var keys = JSONKeys()
    var shape = JSONShape()
    while scanner.at < piece.chunk.count {
      scanner.skipSpace()
      let start = scanner.at
      do throws(JSONFault) {
        try scanner.skipValue(&keys, &shape)
      } catch {
        return error
      }
      for position in start..<scanner.at where unsafe scanner.base[position] == 0x0A {
        return JSONFault("a record that goes on behind the end of its line", at: position)
      }
    }
    return JSONFault("a record that goes on behind the end of its line", at: piece.start)
  }

  // MARK: - One record

  private mutating func record() throws(JSONFault) {
    guard scanner.byte == UInt8(ascii: "{") else { throw scanner.unexpected(wanted: "a record, which is an object") }
    let width = layout.width
    let firstCell = rows &* width
    if firstCell &+ width > cells.capacity { cells = cells.grown(keeping: firstCell, atLeast: firstCell &+ width) }
    try scanner.enter(0)
    var next = 0
    var seen = 0
    let otherKeys = others.begin()
    if scanner.byte == UInt8(ascii: "}") {
      scanner.at &+= 1
    } else {
      var goesOn: Bool
      repeat {
        let keyOffset = scanner.at
        if let position = try column(expected: next, otherKeys) {
          guard lastSeen[position] != rows else { throw JSONFault("a key that the record has already", at: keyOffset) }
          lastSeen[position] = rows
          seen &+= 1
          next = position &+ 1
          let valueOffset = scanner.at
          let cell = try value(position, firstCell)
          if let slot = layout.columns[position].slot {
            cells.put(firstCell &+ slot, cell)
          }
          guard scanner.at &- valueOffset <= layout.maximumField else { throw tooLarge(position, valueOffset) }
        } else {
          var shape = JSONShape()
          try scanner.skipValue(&keys, &shape, depth: 1)
        }
        goesOn = try scanner.another(UInt8(ascii: "}"))
      } while goesOn
    }
    others.end(otherKeys)
    if seen < lastSeen.count { try fillAbsent(firstCell) }
    rows &+= 1
  }

  private mutating func fillAbsent(_ firstCell: Int) throws(JSONFault) {
    for (position, column) in layout.columns.enumerated() where lastSeen[position] != rows {
      guard column.isNullable else {
        throw JSONFault("the record has no “\(column.name)”", at: scanner.at - 1, column: position)
      }
      if let slot = column.slot { cells.put(firstCell + slot, .null) }
    }
  }

  private func tooLarge(_ position: Int, _ offset: Int) -> JSONFault {
    JSONFault("a value of “\(layout.columns[position].name)” with more than \(layout.maximumField) bytes", at: offset)
  }

  /// Steps over a key and its colon; the column it names, nil for a key that is skipped.
  @inline(__always) private mutating func column(expected: Int, _ otherKeys: Int) throws(JSONFault) -> Int? {
    if expected < layout.columns.count {
      let column = layout.columns[expected]
      let isExpected = unsafe layout.keyText.withUnsafeBufferPointer { text in
        guard let start = text.baseAddress else { return false }
        return unsafe bb_same(scanner.base + scanner.at, start + column.keyStart, column.keyCount) != 0
      }
      if isExpected {
        scanner.at &+= column.keyCount
        scanner.skipSpace()
        return expected
      }
    }
    return try otherColumn(otherKeys)
  }

  @inline(never) private mutating func otherColumn(_ otherKeys: Int) throws(JSONFault) -> Int? {
    guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a key in double quotes") }
    let start = scanner.at + 1
    let escaped = try scanner.skipString()
    let end = scanner.at - 1
    let key = unsafe JSONScanner.text(scanner.base, from: start, to: end, escaped: escaped)
    if let position = layout.position(of: key) {
      try scanner.skipColon()
      return position
    }
    guard unsafe others.insert(scanner.base, from: start, to: end, escaped: escaped, objectAt: otherKeys) else {
      throw JSONFault("a key that the record has already", at: start - 1)
    }
    if !layout.ignoresOtherKeys {
      throw JSONFault(
        "a key that is no column: “\(String(decoding: key.prefix(80), as: UTF8.self))”", at: start - 1, column: -1)
    }
    try scanner.skipColon()
    return nil
  }

  // MARK: - One value

  @inline(__always) private mutating func value(_ position: Int, _ firstCell: Int) throws(JSONFault) -> Cell {
    let start = scanner.at
    let type = layout.columns[position].type
    switch scanner.byte {
    case UInt8(ascii: "\""):
      let escaped = try scanner.skipString()
      if type == .text || type == .url {
        let count = scanner.at &- start &- 2
        if escaped { note(.escapes, start &+ 1, count, position, firstCell) }
        return .text(UInt32(truncatingIfNeeded: start &+ 1), UInt32(truncatingIfNeeded: count))
      }
      return try string(type, from: start, escaped: escaped, position, firstCell)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let isWhole = try scanner.skipNumber()
      let count = scanner.at &- start
      let literal = Cell.number(UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: count))
      switch type {
      case .decimal: return literal
      case .json: return .json(UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: count))
      case .integer:
        let kind = unsafe JSONNumberKind(scanner.base + start, count: count, isWhole: isWhole)
        if kind == .integer { return literal }
      case .real:
        let kind = unsafe JSONNumberKind(scanner.base + start, count: count, isWhole: isWhole)
        if kind == .real { return literal }
        if !layout.columns[position].isInferred, let value = exactReal(start, count) { return .real(value) }
      default: break
      }
      throw misfit(position, start)
    case UInt8(ascii: "n"):
      try scanner.skipWord("null")
      guard layout.columns[position].isNullable else { throw misfit(position, start) }
      return .null
    case UInt8(ascii: "t"):
      try scanner.skipWord("true")
      if type == .boolean { return .boolean(true) }
      return try jsonWord(type, position, start)
    case UInt8(ascii: "f"):
      try scanner.skipWord("false")
      if type == .boolean { return .boolean(false) }
      return try jsonWord(type, position, start)
    default: return try nested(type, position, firstCell)
    }
  }

  private func jsonWord(_ type: ColumnType, _ position: Int, _ start: Int) throws(JSONFault) -> Cell {
    guard type == .json else { throw misfit(position, start) }
    return .json(UInt32(start), UInt32(scanner.at - start))
  }

  /// A string in a column that is not text.
  @inline(never) private mutating func string(
    _ type: ColumnType, from start: Int, escaped: Bool, _ position: Int, _ firstCell: Int
  ) throws(JSONFault) -> Cell {
    let count = scanner.at - start
    if type == .json {
      if escaped { note(.nested, start, count, position, firstCell) }
      return .json(UInt32(start), UInt32(count))
    }
    let text = unsafe JSONScanner.text(scanner.base, from: start + 1, to: scanner.at - 1, escaped: escaped)
    let fits =
      switch type {
      case .date: Dates.isDate(text)
      case .timestamp: Dates.isTimestamp(text)
      case .bytes: Base64.decode(text) != nil
      default: false
      }
    guard fits else { throw misfit(position, start) }
    if escaped { note(.escapes, start + 1, count - 2, position, firstCell) }
    if type == .bytes {
      note(.base64, start + 1, text.count, position, firstCell)
      return .bytes(UInt32(start + 1), 0)
    }
    return .text(UInt32(start + 1), UInt32(text.count))
  }

  /// An array or object, or a mistake.
  @inline(never) private mutating func nested(
    _ type: ColumnType, _ position: Int, _ firstCell: Int
  ) throws(JSONFault) -> Cell {
    let start = scanner.at
    let isArray = scanner.byte == UInt8(ascii: "[")
    var shape = JSONShape()
    try scanner.skipValue(&keys, &shape)
    let fits =
      switch type {
      case .json: true
      case .list(.integer): isArray && shape.isList(integers: true)
      case .list: isArray && shape.isList(integers: false)
      default: false
      }
    guard fits else { throw misfit(position, start) }
    let count = scanner.at - start
    if !shape.isCanonical { note(.nested, start, count, position, firstCell) }
    return .json(UInt32(start), UInt32(count))
  }

  /// The Double that is exactly the number which is written, however it is spelled.
  private func exactReal(_ start: Int, _ count: Int) -> Double? {
    let literal = unsafe Array(UnsafeBufferPointer(start: scanner.base + start, count: count))
    guard let value = Double(String(decoding: literal, as: UTF8.self)), value.isFinite,
      DecimalLiteral(literal)?.significance == DecimalLiteral(value.canonicalText)?.significance
    else { return nil }
    return value
  }

  private func misfit(_ position: Int, _ start: Int) -> JSONFault {
    let column = layout.columns[position]
    let text = unsafe JSONScanner.text(scanner.base, from: start, to: min(scanner.at, start + 60), escaped: false)
    let shown = String(decoding: text, as: UTF8.self) + (scanner.at > start + 60 ? "…" : "")
    return JSONFault("“\(column.name)” is \(column.type.name), and \(shown) is not", at: start, column: position)
  }

  // MARK: - Rewriting

  @inline(never) private mutating func note(
    _ kind: Rewrite.Kind, _ start: Int, _ count: Int, _ position: Int, _ firstCell: Int
  ) {
    guard let slot = layout.columns[position].slot else { return }
    rewrites.append(Rewrite(cell: firstCell + slot, kind: kind, start: start, count: count))
  }

  private mutating func rewrite() {
    let base = unsafe piece.chunk.base
    for rewrite in rewrites {
      let text = unsafe base + rewrite.start
      let start = UInt32(rewrite.start)
      switch rewrite.kind {
      case .escapes:
        let count = unsafe JSONEscapes.decode(text, count: rewrite.count, to: text)
        cells.put(rewrite.cell, .text(start, UInt32(count)))
      case .nested:
        let count = unsafe JSONEscapes.canonicalise(text, count: rewrite.count, to: text)
        cells.put(rewrite.cell, .json(start, UInt32(count)))
      case .base64:
        let count = unsafe Base64.decode(text, count: rewrite.count, to: text) ?? 0
        cells.put(rewrite.cell, .bytes(start, UInt32(count)))
      }
    }
  }
}
