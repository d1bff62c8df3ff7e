internal import CMasks
import Rows

/// Parses the records of one piece into a batch.
///
/// The text stays as it is until all of it was found right; only then strings with escapes are decoded, nested values
/// put into canonical form and base64 decoded, each in its own place: none of them becomes longer.
@safe struct JSONRecordParser: ~Copyable {
  /// Values that are rewritten in place when the piece is known to be right.
  private struct Rewrite {
    enum Kind { case escapes, nested, base64 }
    let cell: Int
    let kind: Kind
    let start: Int
    let count: Int
  }

  private let layout: JSONLayout
  private let piece: JSONPiece.Context
  /// The text of the piece, and its end.
  private let base: UnsafeMutablePointer<UInt8>
  private let end: Int
  private var scanner: JSONScanner
  private var cells: CellsBuilder
  private var rewrites: [Rewrite] = []
  private let table: JSONColumnTable
  private var others = JSONKeys()
  private var keys = JSONKeys()
  private var rows = 0
  private var lineEnds = 0

  /// - Parameter piece: must be kept as long as the parser.
  @unsafe init(_ piece: borrowing JSONPiece, _ layout: JSONLayout) {
    self.piece = piece.context
    self.layout = layout
    unsafe base = piece.text.base
    end = piece.text.count
    scanner = unsafe JSONScanner(base, at: self.piece.start)
    cells = CellsBuilder(capacity: max(64, (end - self.piece.start) / 24) + layout.width)
    table = JSONColumnTable(layout)
  }

  deinit { table.deallocate() }

  /// Parses the piece; the position of the record at fault is `count` when it throws.
  mutating func parse() throws(JSONSyntaxError) {
    let count = end - piece.start
    let bad = unsafe Int(bb_first_not_utf8(base + piece.start, count))
    if bad < count {
      throw JSONSyntaxError(
        "invalid UTF-8 at byte \(piece.place.offset + bad) of the document", at: piece.start + bad,
        hint: .set(.inputEncoding, to: "windows-1252"))
    }
    if piece.form == .array { try elements() } else { try lines() }
  }

  /// The values that do not fit where they were found: cells find them after the text.
  private(set) var tail: [UInt8] = []
  private var followers: [(cell: Int, start: Int, count: Int)] = []

  /// The cells, after all values in the text were decoded. Called once, after `parse`; `tail` follows the text then.
  mutating func finish() -> Cells {
    rewrite()
    for (cell, start, count) in followers { cells[cell] = .text(UInt32(end + start), UInt32(count)) }
    var finished = CellsBuilder(capacity: 0)
    swap(&finished, &cells)
    return finished.freeze()
  }

  var count: Int { rows }

  private mutating func elements() throws(JSONSyntaxError) {
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
    if scanner.at != end { throw JSONSyntaxError("unexpected text after the end of the array", at: scanner.at) }
    guard piece.isLast else { return }
    if unsafe scanner.at == piece.start || scanner.base[end - 1] != UInt8(ascii: "]") {
      throw scanner.unexpected(wanted: "a comma or “]”")
    }
  }

  private mutating func lines() throws(JSONSyntaxError) {
    while true {
      while scanner.byte <= 0x20, scanner.byte != 0 {
        if scanner.byte == 0x0A { lineEnds &+= 1 }
        guard scanner.byte == 0x20 || scanner.byte == 0x0A || scanner.byte == 0x0D || scanner.byte == 0x09 else {
          break
        }
        scanner.at &+= 1
      }
      if scanner.at == end { break }
      if rows > 0, lineEnds < rows {
        throw JSONSyntaxError("unexpected text after the record; expected one record per line", at: scanner.at)
      }
      try record()
    }
    if lineEnds != piece.lines { throw brokenRecord() }
  }

  /// A record continues after the end of its line. Whether that could be read depends on where pieces are split, so it
  /// is always rejected.
  private mutating func brokenRecord() -> JSONSyntaxError {
    var scanner = unsafe JSONScanner(base, at: piece.start)
    var keys = JSONKeys()
    var shape = JSONShape()
    // The reported record is the broken one, not the last one.
    rows = 0
    while scanner.at < end {
      scanner.skipSpace()
      let start = scanner.at
      do throws(JSONSyntaxError) {
        try scanner.skipValue(&keys, &shape)
      } catch {
        return error
      }
      for position in start..<scanner.at where unsafe scanner.base[position] == 0x0A {
        return JSONSyntaxError("the record continues on the next line; expected one record per line", at: position)
      }
      rows += 1
    }
    return JSONSyntaxError("the record continues on the next line; expected one record per line", at: piece.start)
  }

  // MARK: - One record

  private mutating func record() throws(JSONSyntaxError) {
    guard scanner.byte == UInt8(ascii: "{") else { throw scanner.unexpected(wanted: "an object (one record)") }
    let width = layout.width
    let firstCell = rows &* width
    // In registers while the record lasts.
    var scanner = scanner
    let table = table
    let cells = unsafe self.cells.appendRow(width)
    let row = rows
    var next = 0
    var seen = 0
    let otherKeys = others.begin()
    try scanner.enter(0)
    if scanner.byte == UInt8(ascii: "}") {
      scanner.at &+= 1
    } else {
      var goesOn: Bool
      repeat {
        let keyOffset = scanner.at
        var position = next
        if next < table.count, table.skipKey(next, &scanner) {
          scanner.skipSpace()
        } else {
          var other = scanner
          position = try otherColumn(&other, otherKeys)
          scanner = other
        }
        if position >= 0 {
          guard table.markSeen(position, in: row) else {
            throw JSONSyntaxError("duplicate key in record", at: keyOffset)
          }
          seen &+= 1
          next = position &+ 1
          let start = scanner.at
          let slot = table.slot(position)
          let cellAt = slot < 0 ? -1 : firstCell &+ slot
          let cell: Cell
          if scanner.byte == UInt8(ascii: "\""), table.kind(position) == .text {
            let escaped = try scanner.skipString()
            let count = scanner.at &- start &- 2
            if escaped { note(.escapes, start &+ 1, count, cellAt) }
            cell = .text(UInt32(truncatingIfNeeded: start &+ 1), UInt32(truncatingIfNeeded: count))
          } else {
            var other = scanner
            cell = try value(position, &other, cellAt: cellAt)
            scanner = other
          }
          if slot >= 0 { unsafe cells[slot] = cell }
          guard scanner.at &- start <= layout.maximumField else { throw tooLarge(position, start) }
        } else {
          var other = scanner
          var shape = JSONShape()
          try other.skipValue(&keys, &shape, depth: 1)
          scanner = other
        }
        goesOn = try scanner.another(UInt8(ascii: "}"))
      } while goesOn
    }
    others.end(otherKeys)
    self.scanner = scanner
    if seen < table.count { try fillAbsent(firstCell) }
    rows = row &+ 1
  }

  private mutating func fillAbsent(_ firstCell: Int) throws(JSONSyntaxError) {
    for position in 0..<table.count where !table.isSeen(position, in: rows) {
      guard layout.columns[position].isNullable else {
        throw JSONSyntaxError(
          "the record has no “\(layout.columns[position].name)”", at: scanner.at - 1, column: position)
      }
      let slot = table.slot(position)
      if slot >= 0 { cells[firstCell + slot] = .null }
    }
  }

  private func tooLarge(_ position: Int, _ offset: Int) -> JSONSyntaxError {
    JSONSyntaxError(
      "the value of “\(layout.columns[position].name)” is larger than \(layout.maximumField >> 20) MiB", at: offset,
      hint: .raise(.maximumField))
  }

  /// Steps over a key that is not the expected one, and its colon; the column it names, -1 for a key that is skipped.
  @inline(never) private mutating func otherColumn(
    _ scanner: inout JSONScanner, _ otherKeys: Int
  ) throws(JSONSyntaxError) -> Int {
    guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a double-quoted key") }
    let start = scanner.at + 1
    let escaped = try scanner.skipString()
    let end = scanner.at - 1
    let key = unsafe JSONScanner.text(scanner.base, from: start, to: end, escaped: escaped)
    if let position = layout.position(of: key) {
      try scanner.skipColon()
      return position
    }
    guard unsafe others.insert(scanner.base, from: start, to: end, escaped: escaped, objectAt: otherKeys) else {
      throw JSONSyntaxError(others.refusal, at: start - 1)
    }
    if !layout.ignoresOtherKeys {
      let name = String(decoding: key.prefix(80), as: UTF8.self)
      throw JSONSyntaxError("unknown key “\(name)”", at: start - 1, column: -1)
    }
    try scanner.skipColon()
    return -1
  }

  // MARK: - One value

  /// Steps over the value of the column at `position`, anything but a string where text is wanted; `cellAt` is where
  /// its cell goes, -1 for nowhere.
  private mutating func value(
    _ position: Int, _ scanner: inout JSONScanner, cellAt: Int
  ) throws(JSONSyntaxError) -> Cell {
    let start = scanner.at
    let kind = table.kind(position)
    switch scanner.byte {
    case UInt8(ascii: "\""):
      let escaped = try scanner.skipString()
      return try string(position, from: start, to: scanner.at, escaped: escaped, cellAt: cellAt)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let isWhole = try scanner.skipNumber()
      let count = scanner.at &- start
      let literal = Cell.number(UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: count))
      switch kind {
      case .decimal: return literal
      case .json: return .json(UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: count))
      case .integer, .real:
        let found = unsafe JSONNumberKind(scanner.base + start, count: count, isWhole: isWhole)
        if found == (kind == .integer ? .integer : .real) { return literal }
        if kind == .real, let other = unsafe otherReal(position, scanner.base + start, count, literal) { return other }
      case .text, .boolean, .other: break
      }
      throw misfit(position, start, scanner.at)
    case UInt8(ascii: "n"):
      try scanner.skipWord("null")
      guard table.isNullable(position) else { throw misfit(position, start, scanner.at) }
      return .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      let isTrue = scanner.byte == UInt8(ascii: "t")
      try scanner.skipWord(isTrue ? "true" : "false")
      if kind == .boolean { return .boolean(isTrue) }
      guard kind == .json else { throw misfit(position, start, scanner.at) }
      return .json(UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: scanner.at &- start))
    default: return try nested(position, &scanner, cellAt: cellAt)
    }
  }

  /// A string in a column that is not text.
  @inline(never) private mutating func string(
    _ position: Int, from start: Int, to end: Int, escaped: Bool, cellAt: Int
  ) throws(JSONSyntaxError) -> Cell {
    let type = layout.columns[position].type
    // Patterns: the equality of types is a call to another module.
    if case .date = type, end - start == 12, !escaped, layout.columns[position].spelling == .usual,
      unsafe Dates.isDay(base + start + 1)
    {
      return .text(UInt32(truncatingIfNeeded: start + 1), 10)
    }
    if case .json = type {
      if escaped { note(.nested, start, end - start, cellAt) }
      return .json(UInt32(start), UInt32(end - start))
    }
    // A text that is a number is read as one, to its end.
    if layout.columns[position].isGiven, type.isNumeric, !escaped,
      unsafe JSONScanner.isWholeNumber(base + start + 1, end - start - 2) != nil
    {
      var inner = scanner
      inner.at = start + 1
      return try value(position, &inner, cellAt: cellAt)
    }
    let text = unsafe JSONScanner.text(scanner.base, from: start + 1, to: end - 1, escaped: escaped)
    let spelling = layout.columns[position].spelling
    if spelling.isRespelled {
      guard let value = spelling.value(text.span, of: type) else { throw misfit(position, start, end) }
      if cellAt >= 0 { followers.append((cellAt, tail.count, value.count)) }
      tail += value
      return .text(UInt32(start + 1), UInt32(end - start - 2))
    }
    let fits =
      switch type {
      case .date: Dates.isDate(text)
      case .timestamp: Dates.isTimestamp(text)
      case .datetime:
        unsafe !escaped
          && Dates.acceptLocal(
            base + start + 1, text.count, Dates.timeForm(text.span),
            spelling: layout.columns[position].isInferred ? layout.columns[position].spelling : nil)
      case .bytes: Base64.decode(text) != nil
      default: false
      }
    guard fits else { throw misfit(position, start, end) }
    if escaped { note(.escapes, start + 1, end - start - 2, cellAt) }
    if type == .bytes {
      note(.base64, start + 1, text.count, cellAt)
      return .bytes(UInt32(start + 1), 0)
    }
    return .text(UInt32(start + 1), UInt32(text.count))
  }

  /// An array or object, or a mistake.
  @inline(never) private mutating func nested(
    _ position: Int, _ scanner: inout JSONScanner, cellAt: Int
  ) throws(JSONSyntaxError) -> Cell {
    let start = scanner.at
    let isArray = scanner.byte == UInt8(ascii: "[")
    var shape = JSONShape()
    try scanner.skipValue(&keys, &shape)
    let fits =
      switch layout.columns[position].type {
      case .json: true
      case .list(.integer): isArray && shape.isList(integers: true)
      case .list: isArray && shape.isList(integers: false)
      default: false
      }
    guard fits else { throw misfit(position, start, scanner.at) }
    let count = scanner.at - start
    if !shape.isCanonical { note(.nested, start, count, cellAt) }
    return .json(UInt32(start), UInt32(count))
  }

  /// A real in another spelling: the same number if the type was given; otherwise kept unchanged if only its exponent
  /// differs.
  @inline(never)
  private func otherReal(_ position: Int, _ literal: UnsafePointer<UInt8>, _ count: Int, _ cell: Cell) -> Cell? {
    if layout.columns[position].isRounded {
      return unsafe NumberSpelling.value(literal, count).flatMap { $0.isFinite ? .real($0) : nil }
    }
    if !layout.columns[position].isInferred { return unsafe NumberSpelling.exactReal(literal, count).map { .real($0) } }
    return unsafe NumberSpelling.isRealWithExponent(literal, count) ? cell : nil
  }

  private func misfit(_ position: Int, _ start: Int, _ end: Int) -> JSONSyntaxError {
    let column = layout.columns[position]
    let text = unsafe JSONScanner.text(scanner.base, from: start, to: min(end, start + 60), escaped: false)
    let shown = String(decoding: text, as: UTF8.self) + (end > start + 60 ? "…" : "")
    return JSONSyntaxError(
      "invalid value \(shown) for “\(column.name)”: expected \(column.type.name)", at: start, column: position)
  }

  // MARK: - Rewriting

  @inline(never) private mutating func note(_ kind: Rewrite.Kind, _ start: Int, _ count: Int, _ cell: Int) {
    if cell >= 0 { rewrites.append(Rewrite(cell: cell, kind: kind, start: start, count: count)) }
  }

  private mutating func rewrite() {
    for rewrite in rewrites {
      let text = unsafe base + rewrite.start
      let start = UInt32(rewrite.start)
      switch rewrite.kind {
      case .escapes:
        let count = unsafe JSONEscapes.decode(text, count: rewrite.count, to: text)
        cells[rewrite.cell] = .text(start, UInt32(count))
      case .nested:
        let count = unsafe JSONEscapes.canonicalise(text, count: rewrite.count, to: text)
        cells[rewrite.cell] = .json(start, UInt32(count))
      case .base64:
        let count = unsafe Base64.decode(text, count: rewrite.count, to: text) ?? 0
        cells[rewrite.cell] = .bytes(start, UInt32(count))
      }
    }
  }
}
