internal import CMasks
import Rows

/// Parses one piece of a CSV file into a batch whose cells are ranges of the piece.
///
/// Blocks of 64 bytes become bit masks; a prefix xor of the quotes yields the quoted bytes; only delimiters and line
/// feeds outside quotes are visited. The text is changed (`CSVChanges`) after all of it was found valid.
@safe struct CSVRecordParser: ~Copyable {
  private let layout: CSVLayout
  /// The text of the piece, the offsets of its first byte and its end, and its place in the file.
  private let base: UnsafeMutablePointer<UInt8>
  private let start: Int, end: Int
  private let place: JSONPlace
  private let hasNulls: Bool, emptyIsText: Bool
  /// The spelling of numbers; nil for that of JSON.
  private let numbers: NumberPattern?
  private var cells: CellsBuilder
  private(set) var count = 0
  private var changes = CSVChanges()
  /// Unquoted fields that contain a quote.
  private(set) var strays = 0
  /// Fields in quotes between tabs: those that need the quotes, and the others.
  private(set) var needed = 0, needless = 0
  private var lastStray = -1
  /// The start of the last block so far that has a line feed in quotes.
  private var lastInnerFeed = -64
  /// Where a quoted field begins that holds whole records; nil if none does.
  private(set) var swallowing: Int?

  /// - Parameter piece: must be kept as long as the parser.
  @unsafe init(_ piece: borrowing CSVPiece, _ layout: CSVLayout) {
    self.layout = layout
    unsafe base = piece.text.base
    (start, end, place) = (piece.start, piece.text.count, piece.place)
    (hasNulls, emptyIsText) = (!layout.reading.nullTexts.isEmpty, layout.reading.emptyIsText)
    numbers = layout.reading.numbers
    let expected = max(1024, (end - start) / 24) / max(layout.width, 1)
    cells = CellsBuilder(capacity: (expected + 1) * layout.width)
  }

  /// Parses the piece. Its text is not changed before `finish`.
  mutating func parse() throws(CSVSyntaxError) {
    try checkEncoding()
    try layout.columns.withSpan { (columns) throws(CSVSyntaxError) in try parse(columns) }
    cells.truncate(to: count * layout.width)
  }

  /// The values that do not fit where they were found: cells will find them after the text.
  var tail: [UInt8] { changes.tail }

  /// The cells, after all values in the text were decoded.
  consuming func finish() -> Cells {
    unsafe changes.apply(to: base, end: end, &cells)
    return cells.freeze()
  }

  /// Adds the types of the values, which are those of the file as it is.
  func infer(_ inference: inout CSVInference) { unsafe inference.read(cells, rows: count, in: base, numbers) }

  private func checkEncoding() throws(CSVSyntaxError) {
    unsafe base[end] = 0
    let bad = unsafe Int(bb_first_not_utf8(base + start, end - start))
    guard bad == end - start else { throw CSVSyntaxError.notUTF8(byte: place.offset + bad, at: start + bad) }
  }

  private mutating func parse(_ columns: Span<CSVLayout.Column>) throws(CSVSyntaxError) {
    let end = end, delimiter = layout.reading.delimiter
    let width = columns.count, rowWidth = layout.width, isPlain = !hasNulls && numbers == nil
    var fieldStart = start, column = 0, firstCell = 0, block = start
    var row = unsafe cells.appendRow(rowWidth)
    // All ones while inside quotes; bit 0: whether the byte before the block ends a field.
    var inside: UInt64 = 0, before: UInt64 = 1
    while block < end {
      var masks = unsafe bb_read_csv_block(base + block, delimiter)
      if end &- block < 64 {
        let valid = (UInt64(1) &<< UInt64(truncatingIfNeeded: end &- block)) &- 1
        masks.quotes &= valid
        masks.delimiters &= valid
        masks.feeds &= valid
        masks.returns &= valid
      }
      var quoted = bb_prefix_xor(masks.quotes) ^ inside
      let ends = masks.delimiters | masks.feeds
      // An opening quote is at the beginning of a field, or right after one that seemed to close (a doubled
      // quote).
      let stray = masks.quotes & quoted & ~((ends | masks.quotes) &<< 1 | before)
      if stray | (masks.returns & ~quoted) != 0 {
        if stray != 0 {
          try keepStrays(&masks, block, fieldStart, inside, before)
          quoted = bb_prefix_xor(masks.quotes) ^ inside
        }
        try checkReturns(masks.returns & ~quoted, masks.feeds & ~quoted, block)
      }
      inside = UInt64(bitPattern: Int64(bitPattern: quoted) &>> 63)
      before = (ends | masks.quotes) &>> 63
      if masks.feeds & quoted != 0 { lastInnerFeed = block }
      var visits = ends & ~quoted
      while visits != 0 {
        let at = block &+ visits.trailingZeroBitCount
        visits &= visits &- 1
        let isEnd = unsafe base[at] == 0x0A
        var length = at &- fieldStart
        if isEnd {
          if length > 0, unsafe base[at &- 1] == 0x0D { length &-= 1 }
          if length == 0, column == 0, width > 1 {
            // A blank line is not a record.
            fieldStart = at &+ 1
            continue
          }
        }
        guard column < width else { throw ragged(from: fieldStart, column: column, width) }
        let slot = columns[column].slot
        if slot >= 0 {
          let kind = columns[column].kind
          if isPlain, length &- 1 < 64, length > 0, unsafe base[fieldStart] != UInt8(ascii: "\""),
            unsafe kind == .text || Self.isUsual(kind, base + fieldStart, length)
          {
            unsafe row[slot] = Self.cell(kind, fieldStart, length)
          } else {
            let cell = try value(
              kind, isNullable: columns[column].isNullable, column, fieldStart, length, cellAt: firstCell &+ slot)
            unsafe row[slot] = cell
          }
        } else if length > 0, unsafe base[fieldStart] == UInt8(ascii: "\"") {
          try checkQuotes(fieldStart, length)
        }
        fieldStart = at &+ 1
        column &+= 1
        if isEnd {
          guard column == width else { throw ragged(from: at, column: column, width) }
          column = 0
          count &+= 1
          firstCell &+= rowWidth
          unsafe row = cells.appendRow(rowWidth)
        }
      }
      block &+= 64
    }
    guard inside == 0 else { throw CSVSyntaxError.unclosedQuote(at: fieldStart) }
  }

  /// Whether a field, which is neither empty nor quoted, is a number or a date of its column as most are written.
  // Static: the parser, which is large, would be copied for each call.
  @inline(__always)
  private static func isUsual(_ kind: CSVLayout.Kind, _ field: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    if kind == .date { return unsafe length == 10 && Dates.isDay(field) }
    guard kind.isNumber else { return false }
    if length > 16 { return unsafe isLongNumber(field, length, kind) }
    let point = unsafe point(field, length)
    guard point >= 0 else { return false }
    if kind == .decimal { return true }
    if kind == .integer { return unsafe point == length && (field[1] != 48 || field[0] != UInt8(ascii: "-")) }
    guard point < length else { return false }
    if point &+ 2 == length { return true }
    // A number that begins with 0.00 may be written with an exponent.
    let first = unsafe field[0] == UInt8(ascii: "-") ? field[1] : field[0]
    return unsafe field[length &- 1] != 48 && (first != 48 || field[point &+ 1] != 48 || field[point &+ 2] != 48)
  }

  @inline(__always)
  private static func cell(_ kind: CSVLayout.Kind, _ start: Int, _ length: Int) -> Cell {
    let (start, length) = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: length))
    return kind.isNumber ? .number(start, length) : .text(start, length)
  }

  private mutating func value(
    _ kind: CSVLayout.Kind, isNullable: Bool, _ position: Int, _ start: Int, _ length: Int, cellAt: Int
  ) throws(CSVSyntaxError) -> Cell {
    if length == 0 { return isNullable && !emptyIsText ? .null : try empty(position, start) }
    let field = unsafe base + start
    if unsafe field[0] != UInt8(ascii: "\"") {
      if length > 64 || hasNulls, try isNull(position, start, length) { return .null }
      guard unsafe kind == .text || numbers == nil && Self.isUsual(kind, field, length) else {
        return try other(position, start, length, isQuoted: false, cellAt)
      }
      return Self.cell(kind, start, length)
    }
    try checkQuotes(start, length)
    let inner = length &- 2
    if inner > layout.reading.maximumField { throw tooLong(position, start) }
    if kind == .text {
      if inner > 0, unsafe Self.hasQuote(field + 1, inner) { changes.fold(cell: cellAt) }
      return .text(UInt32(truncatingIfNeeded: start &+ 1), UInt32(truncatingIfNeeded: inner))
    }
    return try other(position, start &+ 1, inner, isQuoted: true, cellAt)
  }

  /// The position of the point in a number of at most sixteen bytes that has no exponent and no zeros before it that
  /// could be omitted; the length if it has no point, -1 for any other field.
  @inline(__always) private static func point(_ field: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let sign = unsafe field[0] == UInt8(ascii: "-") ? 1 : 0
    let others = unsafe ~bb_digit_mask16(field) & (1 &<< UInt32(truncatingIfNeeded: length) &- 1) & ~UInt32(sign)
    let point = others == 0 ? length : others.trailingZeroBitCount
    guard point > sign, unsafe field[sign] != 48 || point == sign &+ 1 else { return -1 }
    if point == length { return length }
    guard others & (others &- 1) == 0, unsafe field[point] == UInt8(ascii: "."), point &+ 1 < length else { return -1 }
    return point
  }

  /// Whether a field of more than sixteen bytes is a decimal without an exponent, or an integer that fits surely.
  @inline(never)
  private static func isLongNumber(_ field: UnsafePointer<UInt8>, _ length: Int, _ kind: CSVLayout.Kind) -> Bool {
    guard kind == .decimal || kind == .integer && length <= 18 else { return false }
    let field = unsafe Span(_unsafeStart: field, count: length)
    let first = field[0] == UInt8(ascii: "-") ? 1 : 0
    var at = first
    while at < length, field[at] &- 48 < 10 { at &+= 1 }
    guard at > first, field[first] != 48 || at == first &+ 1 else { return false }
    if at == length { return true }
    guard kind == .decimal, field[at] == UInt8(ascii: "."), at &+ 1 < length else { return false }
    at &+= 1
    while at < length, field[at] &- 48 < 10 { at &+= 1 }
    return at == length
  }

  @inline(never) private func empty(_ position: Int, _ start: Int) throws(CSVSyntaxError) -> Cell {
    let column = layout.columns[position]
    if layout.reading.emptyIsText, column.kind == .text { return .text(UInt32(start), 0) }
    guard column.isNullable else {
      throw CSVSyntaxError(message: "column “\(column.name)” must not be null", offset: start, column: position)
    }
    return .null
  }

  @inline(never) private func isNull(_ position: Int, _ start: Int, _ length: Int) throws(CSVSyntaxError) -> Bool {
    if length > layout.reading.maximumField { throw tooLong(position, start) }
    let field = unsafe ByteRun(start: base + start, count: length)
    guard layout.reading.nullTexts.contains(where: field.equals) else { return false }
    let column = layout.columns[position]
    guard column.isNullable else {
      throw CSVSyntaxError(message: "column “\(column.name)” must not be null", offset: start, column: position)
    }
    return true
  }

  /// A field in a column that is not text.
  @inline(never)
  private mutating func other(
    _ position: Int, _ start: Int, _ length: Int, isQuoted: Bool, _ cellAt: Int
  ) throws(CSVSyntaxError) -> Cell {
    let column = layout.columns[position]
    var length = length
    if let numbers, [.integer, .real, .decimal].contains(column.kind) {
      let field = unsafe ByteRun(start: base + start, count: length)
      guard let literal = numbers.strictLiteral(field.bytes) else { throw misfit(column, position, start, length) }
      for (place, byte) in literal.enumerated() { unsafe base[start + place] = byte }
      // The rest of the field is not part of the number.
      if literal.count < length { unsafe base[start + literal.count] = 0x20 }
      length = literal.count
    }
    let range = (UInt32(start), UInt32(length))
    switch column.kind {
    case .text: return .text(range.0, range.1)
    case .integer, .real, .decimal:
      guard length > 0, let kind = numberKind(start, length) else {
        if length > 0, column.kind == .decimal, unsafe NumberSpelling.isBare(base + start, length) {
          return .number(range.0, range.1)
        }
        throw misfit(column, position, start, length)
      }
      switch (column.kind, kind) {
      case (.decimal, _) where column.isInferred && kind == .other:
        // An exponent of many digits is not that of a number.
        if unsafe ValueKinds(number: base + start, length) != nil { return .number(range.0, range.1) }
      case (.decimal, _), (.integer, .integer), (.real, .real): return .number(range.0, range.1)
      case (.real, _) where !column.isInferred:
        if column.isRounded, let value = unsafe NumberSpelling.value(base + start, length), value.isFinite {
          return .real(value)
        }
        if let value = unsafe NumberSpelling.exactReal(base + start, length) { return .real(value) }
      case (.real, .other) where unsafe NumberSpelling.isRealWithExponent(base + start, length):
        return .number(range.0, range.1)
      default: break
      }
    case .boolean:
      let field = unsafe ByteRun(start: base + start, count: length)
      if field.equals(column.spelling.word(true)) { return .boolean(true) }
      if field.equals(column.spelling.word(false)) { return .boolean(false) }
    case .date:
      if unsafe Dates.isDate(Span(_unsafeStart: base + start, count: length)) { return .text(range.0, range.1) }
    case .time:
      if isTime(column, start, length) { return .text(range.0, range.1) }
      if column.type == .timestamp, !column.isInferred {
        let field = unsafe ByteRun(start: base + start, count: length)
        if let utc = Dates.utc(field.bytes) {
          changes.append(utc, cell: cellAt)
          return .text(range.0, range.1)
        }
      }
    case .respelled:
      let field = unsafe Span(_unsafeStart: base + start, count: length)
      if let value = column.spelling.value(field, of: column.type) {
        changes.append(value, cell: cellAt)
        return .text(range.0, range.1)
      }
    case .other:
      if let cell = decoded(column.type, start, length, isQuoted: isQuoted) { return cell }
    }
    throw misfit(column, position, start, length)
  }

  /// The cell of a value that is not spelled as it is kept; nil when it does not fit the type.
  private mutating func decoded(_ type: ColumnType, _ start: Int, _ length: Int, isQuoted: Bool) -> Cell? {
    var text = unsafe Array(UnsafeBufferPointer(start: base + start, count: length))
    if isQuoted, length > 0, unsafe Self.hasQuote(base + start, length) {
      let count = unsafe text.withUnsafeMutableBufferPointer { text in
        unsafe text.baseAddress.map { unsafe CSVChanges.fold($0, length) } ?? 0
      }
      text.removeLast(length - count)
    }
    switch type {
    case .bytes:
      guard let value = Base64.decode(text) else { return nil }
      changes.put(value, at: start)
      return .bytes(UInt32(start), UInt32(value.count))
    case .json, .list:
      guard let canonical = type.canonicalJSON(text), canonical.count <= length else { return nil }
      changes.put(canonical, at: start)
      return .json(UInt32(start), UInt32(canonical.count))
    default: return nil
    }
  }

  /// The kind of number a field is; nil when it is none.
  private func numberKind(_ start: Int, _ length: Int) -> JSONNumberKind? {
    guard let isWhole = unsafe JSONScanner.isWholeNumber(base + start, length) else { return nil }
    return unsafe JSONNumberKind(base + start, count: length, isWhole: isWhole)
  }

  /// Whether a field is a time of its column's type.
  private func isTime(_ column: CSVLayout.Column, _ start: Int, _ length: Int) -> Bool {
    let field = unsafe Span(_unsafeStart: base + start, count: length), form = Dates.timeForm(field)
    if column.type == .timestamp { return form == .instant }
    return unsafe Dates.acceptLocal(base + start, length, form, spelling: column.isInferred ? column.spelling : nil)
  }

  // MARK: - Quotes

  @inline(__always) private static func hasQuote(_ text: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    unsafe bb_has_byte(text, length, UInt8(ascii: "\"")) != 0
  }

  /// A quoted field ends with its quote, and every quote inside is doubled.
  @inline(__always) private mutating func checkQuotes(_ start: Int, _ length: Int) throws(CSVSyntaxError) {
    let text = unsafe ByteRun(start: base + start, count: length)
    guard length >= 2, text[length &- 1] == UInt8(ascii: "\"") else {
      throw CSVSyntaxError.textBehindQuote(at: start)
    }
    if lastInnerFeed &+ 63 >= start, swallowing == nil, holdsRecords(text) { swallowing = start }
    if layout.reading.delimiter == 0x09 { judgeQuotes(text) }
  }

  /// Counts a field in quotes between tabs, by whether it needs them.
  @inline(never) private mutating func judgeQuotes(_ text: ByteRun) {
    let isNeeded = (1..<(text.count - 1)).contains { Self.quotable.contains(text[$0]) }
    if isNeeded || text.count == 2 { needed += 1 } else { needless += 1 }
  }
  private static let quotable: [UInt8] = [0x09, 0x0A, 0x0D, 0x22, 0x2C]

  /// Whether the lines of a quoted field, except the first and the last, look like records: two quotes may be missing.
  @inline(never) private func holdsRecords(_ text: ByteRun) -> Bool {
    let width = layout.columns.count
    guard width > 1, text.count > 2 * width, unsafe bb_count_byte(text.start, text.count, 0x0A) > 1 else {
      return false
    }
    var lines = 0, delimiters = 0
    for index in 0..<text.count {
      if text[index] == layout.reading.delimiter {
        delimiters += 1
      } else if text[index] == 0x0A {
        if lines > 0, delimiters != width - 1 { return false }
        lines += 1
        delimiters = 0
      }
    }
    return lines > 1
  }

  // MARK: - Faults

  /// Removes quotes inside unquoted fields from the masks, from left to right: each changes the meaning of the next.
  /// - Parameters:
  ///   - fieldStart: where the field begins that the block begins in.
  ///   - inside: all ones when that is inside quotes.
  ///   - before: whether the byte before the block ends a field or is a quote.
  @inline(never) private mutating func keepStrays(
    _ masks: inout bb_csv_block, _ block: Int, _ fieldStart: Int, _ inside: UInt64, _ before: UInt64
  ) throws(CSVSyntaxError) {
    let ends = masks.delimiters | masks.feeds
    while true {
      let quoted = bb_prefix_xor(masks.quotes) ^ inside
      let stray = masks.quotes & quoted & ~((ends | masks.quotes) &<< 1 | before)
      if stray == 0 { return }
      let bit = stray & ~(stray &- 1)
      let earlier = ends & ~quoted & (bit &- 1)
      let start = earlier == 0 ? fieldStart : block + 64 - earlier.leadingZeroBitCount
      let isClosed = byte(start) == UInt8(ascii: "\"")
      guard !isClosed, layout.strayQuotes == .kept else {
        countRecords(masks.feeds & ~quoted & (bit &- 1), block)
        if isClosed { throw CSVSyntaxError.textBehindQuote(at: start) }
        throw CSVSyntaxError.strayQuote(at: block + stray.trailingZeroBitCount)
      }
      if start != lastStray { strays += 1 }
      lastStray = start
      masks.quotes &= ~bit
    }
  }

  private func byte(_ at: Int) -> UInt8 { unsafe base[at] }

  /// Counts the records that end in a block before a fault, which is found before them.
  private mutating func countRecords(_ feeds: UInt64, _ block: Int) {
    var rest = feeds
    while rest != 0 {
      var last = block + rest.trailingZeroBitCount - 1
      rest &= rest &- 1
      if last >= start, byte(last) == 0x0D { last -= 1 }
      let isBlank = last < start || byte(last) == 0x0A
      if !isBlank || layout.columns.count == 1 { count += 1 }
    }
  }

  @inline(never) private mutating func checkReturns(
    _ returns: UInt64, _ feeds: UInt64, _ block: Int
  ) throws(CSVSyntaxError) {
    var rest = returns
    while rest != 0 {
      let at = block + rest.trailingZeroBitCount
      rest &= rest &- 1
      guard at + 1 < end, byte(at + 1) == 0x0A else {
        countRecords(feeds & ((1 << UInt64(at - block)) &- 1), block)
        throw CSVSyntaxError.bareReturn(at: at)
      }
    }
  }

  @inline(never) private func ragged(from start: Int, column: Int, _ width: Int) -> CSVSyntaxError {
    var fields = column, at = start, isInside = false, isStart = true, isQuoted = false
    if column >= width {
      fields += 1
      while at < end {
        let byte = unsafe base[at]
        at += 1
        if byte == UInt8(ascii: "\"") {
          if isStart { isQuoted = true }
          if isQuoted { isInside.toggle() }
        }
        isStart = false
        if isInside { continue }
        if byte == 0x0A { break }
        if byte == layout.reading.delimiter {
          fields += 1
          (isStart, isQuoted) = (true, false)
        }
      }
    }
    // Another table may begin after a blank line.
    var feed = unsafe start > 0 && base[start - 1] == 0x0A ? start - 2 : start - 1
    while unsafe feed >= 0 && base[feed] != 0x0A { feed -= 1 }
    feed -= unsafe feed > 0 && base[feed - 1] == 0x0D ? 2 : 1
    return CSVSyntaxError.ragged(
      fields, of: width, at: start, isAfterBlank: unsafe feed >= 0 && fields > 1 && base[feed] == 0x0A)
  }

  @inline(never) private func tooLong(_ position: Int, _ start: Int) -> CSVSyntaxError {
    CSVSyntaxError.fieldTooLong(layout.columns[position].name, maximum: layout.reading.maximumField, at: start)
  }

  @inline(never) private func misfit(_ column: CSVLayout.Column, _ position: Int, _ start: Int, _ length: Int)
    -> CSVSyntaxError
  {
    let value = unsafe ByteRun(start: base + start, count: length), shown = value.slice(from: 0, atMost: 60).text
    var near = NearType()
    near.add(value)
    return CSVSyntaxError(
      message:
        "invalid value “\(shown)\(length > 60 ? "…" : "")” for column “\(column.name)”: expected \(column.type.name)",
      offset: start, hint: column.type == .text ? Remedy() : near.remedy(column.name) ?? Remedy(), column: position,
      value: length > 20 || shown.utf8.contains { $0 &- 48 < 10 } ? nil : shown)
  }
}

extension Array {
  fileprivate func withSpan<Failure: Error>(_ body: (Span<Element>) throws(Failure) -> Void) throws(Failure) {
    try body(span)
  }
}
