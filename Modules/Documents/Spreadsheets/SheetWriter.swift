internal import CMasks
public import Codecs
public import Rows

/// Rows as a spreadsheet sheet (SpreadsheetML, ISO/IEC 29500): the part of an XLSX file that contains the data.
///
/// Numbers, Booleans, and complete dates and timestamps of whole seconds from March 1900 on are written as such;
/// everything else is text. A text that is a URL becomes a link. Null is an empty cell, empty text is a text.
/// Characters that XML cannot hold (control characters, U+FFFE) are escaped as `_x0001_`, which spreadsheets decode.
public struct SheetWriter: Sendable {
  /// Rows of a sheet, the header counted.
  public static let maximumRows = 1 << 20
  /// Columns of a sheet.
  public static let maximumColumns = 1 << 14
  /// The longest text of a cell, in UTF-16 code units.
  public static let maximumText = 32_767

  /// The treatment of numbers with more digits than a spreadsheet keeps.
  public enum Numbers: String, Sendable, Hashable, CaseIterable {
    /// Refused, naming record and column.
    case error
    case text
  }

  private let schema: Schema
  private let numbers: Numbers
  private let nonfinite: NonfinitePolicy
  /// The widths of the columns, in characters.
  private let widths: [Int]

  /// A writer of rows of `schema`, which has at most `maximumColumns`.
  /// - `head`: the first rows, which determine the widths of the columns.
  public init(
    _ schema: Schema, numbers: Numbers = .error, nonfinite: NonfinitePolicy = .error, head: [RowBatch] = []
  ) {
    var measured: [ColumnWidths] = []
    for batch in head { TableWriter.measure(batch, schema, forTerminal: false, into: &measured) }
    widths = schema.columns.enumerated().map { position, column in
      // Most values fit; a long text does not widen its column without end.
      let usual = position < measured.count ? measured[position].percentile(95) : 0
      return min(max(TableWriter.nameWidth(column) + 2, usual + 1, 6), 60)
    }
    self.schema = schema
    self.numbers = numbers
    self.nonfinite = nonfinite
  }

  /// The sheet up to the first row: the names of the columns, which stay in sight.
  public func begin(_ out: inout ByteBuffer) throws(Problem) {
    out.append(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" \
      xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheetViews><sheetView \
      workbookViewId="0">\
      <pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
      """)
    if !widths.isEmpty { out.append("<cols>") }
    for (place, width) in widths.enumerated() {
      out.append("<col min=\"")
      out.append(integer: Int64(place + 1))
      out.append("\" max=\"")
      out.append(integer: Int64(place + 1))
      out.append("\" width=\"")
      out.append(integer: Int64(width))
      out.append("\" customWidth=\"1\"/>")
    }
    if !widths.isEmpty { out.append("</cols>") }
    out.append("<sheetData>\n<row>")
    var cursor = WriteCursor(&out, margin: 64)
    for column in schema.columns {
      let name = Arena(Array(column.name.utf8))
      try putText(ByteRun(name, 0, UInt32(name.count)), style: " s=\"1\"", column.name, nil, &cursor, &out)
    }
    cursor.put("</row>\n")
    cursor.commit(to: &out)
  }

  /// The sheet from the last row on. If there are links, a NUL and the part with their addresses follow.
  /// - `links`: at most `SheetLink.maximum`.
  /// - Throws: `badData` for more rows than a sheet has.
  public func finish(rows: Int, links: [SheetLink], _ out: inout ByteBuffer) throws(Problem) {
    guard rows < Self.maximumRows else {
      throw Problem(
        .badData, "xlsx: the table has \(rows) records; the maximum is \(Self.maximumRows - 1)",
        hint: [.set(.limit, for: "write fewer"), .set(.outputFormat, for: "use another format")])
    }
    out.append("</sheetData>")
    if !schema.columns.isEmpty {
      out.append("<autoFilter ref=\"A1:\(Self.letters(schema.width))\(rows + 1)\"/>")
    }
    append(links, to: &out)
    out.append("</worksheet>\n")
    if links.isEmpty { return }
    out.append(byte: 0)
    appendAddresses(of: links, to: &out)
  }

  /// The name of a column by its number, from 1: `A`, `Z`, `AA`.
  static func letters(_ number: Int) -> String {
    var left = number, letters = ""
    while left > 0 {
      letters = String(UnicodeScalar(UInt8(65 + (left - 1) % 26))) + letters
      left = (left - 1) / 26
    }
    return letters
  }

  /// The rows of a batch.
  /// - Returns: the links among their cells.
  /// - Throws: `badData` for what a cell cannot hold.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> [SheetLink] {
    var links: [SheetLink] = []
    var cursor = WriteCursor(&out, margin: batch.width * 96 + 32)
    for row in 0..<batch.count {
      cursor.ensure(0, &out)
      cursor.put("<row>")
      for column in 0..<batch.width { try put(batch[row, column], batch.arena, row, column, &links, &cursor, &out) }
      cursor.put("</row>\n")
    }
    cursor.commit(to: &out)
    return links
  }

  private func put(
    _ cell: Cell, _ arena: Arena, _ row: Int, _ column: Int, _ links: inout [SheetLink], _ cursor: inout WriteCursor,
    _ out: inout ByteBuffer
  ) throws(Problem) {
    let description = schema.columns[column]
    func text(_ run: ByteRun) throws(Problem) { try putText(run, description.name, row, &cursor, &out) }
    if description.type == .json, case .json(let start, let length) = cell {
      // Each value by itself: a text has no quotes, unless it would be read as another value.
      func string(_ bytes: [UInt8]) throws(Problem) {
        let isAmbiguous = !description.isMixed && JSONByValue.isAmbiguous(bytes)
        let copy = Arena(isAmbiguous ? ByteRun(arena, start, length).bytes : bytes)
        try text(ByteRun(copy, 0, UInt32(copy.count)))
      }
      switch unsafe JSONScalar(arena.base + Int(start), Int(length)) {
      case .null: return cursor.put("<c/>")
      case .boolean(let value): return try put(.boolean(value), arena, row, column, &links, &cursor, &out)
      case .number: return try put(.number(start, length), arena, row, column, &links, &cursor, &out)
      case .plainText: return try string(ByteRun(arena, start + 1, length - 2).bytes)
      case .text(let bytes): return try string(bytes)
      case .nested: return try text(ByteRun(arena, start, length))
      }
    }
    switch cell {
    case .null: cursor.put("<c/>")
    case .boolean(let value): cursor.put(value ? "<c t=\"b\"><v>1</v></c>" : "<c t=\"b\"><v>0</v></c>")
    case .integer(let value):
      guard value.magnitude <= 1 << 53 else {
        return try putLong(Array(String(value).utf8), row, column, &cursor, &out)
      }
      cursor.put("<c><v>")
      cursor.put(value)
      cursor.put("</v></c>")
    case .real(let value):
      guard value.isFinite else { return try putNonfinite(value, row, column, &cursor) }
      // Its text is the one of a literal that ends with “.0”.
      let isWhole = value.magnitude < 1e15 && value == value.rounded(.towardZero)
      open(isWhole ? 1 : nil, &cursor)
      cursor.put(value)
      cursor.put("</v></c>")
    case .number(let start, let length):
      let literal = ByteRun(arena, start, length)
      guard Self.isKept(literal) else { return try putLong(literal.bytes, row, column, &cursor, &out) }
      cursor.ensure(literal.count, &out)
      open(Self.shownFraction(literal), &cursor)
      cursor.put(literal)
      cursor.put("</v></c>")
    case .text(let start, let length):
      let run = ByteRun(arena, start, length)
      switch description.type {
      case .date:
        guard let day = Self.serial(run) else { break }
        cursor.put("<c s=\"2\"><v>")
        cursor.put(Int64(day))
        return cursor.put("</v></c>")
      case .timestamp:
        guard let time = Self.serialTime(run) else { break }
        cursor.put("<c s=\"18\"><v>")
        cursor.put(time)
        return cursor.put("</v></c>")
      case .datetime:
        guard let time = Self.serialTime(run, isLocal: true) else { break }
        cursor.put("<c s=\"20\"><v>")
        cursor.put(time)
        return cursor.put("</v></c>")
      case .text, .url:
        guard let link = SheetLink(row: row, column: column, run) else { break }
        links.append(link)
        return try putText(run, style: " s=\"19\"", description.name, row, &cursor, &out)
      default: break
      }
      try text(run)
    case .json(let start, let length): try text(ByteRun(arena, start, length))
    case .bytes(let start, let length):
      let encoded = Arena(Base64.encoded(ByteRun(arena, start, length).bytes))
      try text(ByteRun(encoded, 0, UInt32(encoded.count)))
    }
  }

  // MARK: - Numbers

  /// Whether a spreadsheet, which has Doubles, keeps the number that is written.
  private static func isKept(_ literal: ByteRun) -> Bool {
    // Fifteen digits always come back.
    if literal.count <= 15, literal.bytes.allSatisfy({ $0 | 0x20 != UInt8(ascii: "e") }) { return true }
    guard let value = Double(String(decoding: literal.bytes, as: UTF8.self)), value.isFinite else { return false }
    return DecimalNumber(literal.bytes) == DecimalNumber(value)
  }

  /// The style of cells that show one digit after the decimal point; those that follow show one more each.
  package static let firstFractionStyle = 3
  /// Digits after the decimal point that the last style shows. The styles of timestamps and of links follow it.
  package static let maximumFraction = 15

  /// Opens the cell of a number that is shown with `fraction` digits after the decimal point; nil for those it has.
  private func open(_ fraction: Int?, _ cursor: inout WriteCursor) {
    guard let fraction else { return cursor.put("<c><v>") }
    cursor.put("<c s=\"")
    cursor.put(Int64(Self.firstFractionStyle + fraction - 1))
    cursor.put("\"><v>")
  }

  /// Digits after the decimal point of a literal that ends with a zero (`1.10`), which a spreadsheet would not show;
  /// nil for others, and for those of 16 and more digits before the point, which it shows as zeros.
  private static func shownFraction(_ literal: ByteRun) -> Int? {
    guard literal.count > 2, literal[literal.count - 1] == UInt8(ascii: "0") else { return nil }
    for position in 0..<literal.count where literal[position] == UInt8(ascii: ".") {
      let digits = literal.count - position - 1, before = position - (literal[0] == UInt8(ascii: "-") ? 1 : 0)
      guard before <= 15 else { return nil }
      let isPlain = (position + 1..<literal.count).allSatisfy { literal[$0] &- 48 < 10 }
      return isPlain && digits <= maximumFraction ? digits : nil
    }
    return nil
  }

  /// A number with too many digits.
  private func putLong(
    _ literal: [UInt8], _ row: Int, _ column: Int, _ cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) throws(Problem) {
    let name = schema.columns[column].name
    guard numbers == .text else {
      throw Problem(
        .badData,
        "column \(name): a spreadsheet cannot represent every digit of "
          + "\(String(decoding: literal.prefix(60), as: UTF8.self))",
        hint: .set(.formatOption("numbers"), to: "text", for: "write such numbers as text"), record: row)
    }
    let copy = Arena(literal)
    try putText(ByteRun(copy, 0, UInt32(copy.count)), name, row, &cursor, &out)
  }

  private func putNonfinite(
    _ value: Double, _ row: Int, _ column: Int, _ cursor: inout WriteCursor
  ) throws(Problem) {
    switch nonfinite {
    case .error:
      throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: row, format: "a spreadsheet")
    case .null: cursor.put("<c/>")
    case .string:
      cursor.put("<c t=\"inlineStr\"><is><t>")
      cursor.put(NonfinitePolicy.word(for: value))
      cursor.put("</t></is></c>")
    }
  }

  /// The number of a day as spreadsheets count it; nil for part of a date and for days before March 1900, which they
  /// count wrongly.
  private static func serial(_ text: ByteRun) -> Int? {
    guard text.count == 10, let days = Dates.daysSince1970(text.bytes) else { return nil }
    return days >= -25_508 ? days + 25_569 : nil
  }

  /// The number of a timestamp or a local time of whole seconds; nil for other text and before March 1900.
  private static func serialTime(_ text: ByteRun, isLocal: Bool = false) -> Double? {
    var bytes = text.bytes
    if isLocal {
      if bytes.count == 10 { bytes += Array("T00:00".utf8) }
      if bytes.count == 16 { bytes += Array(":00".utf8) }
      bytes.append(UInt8(ascii: "Z"))
    }
    guard bytes.count == 20, Dates.isTimestamp(bytes), let days = serial(text.slice(from: 0, atMost: 10))
    else { return nil }
    func number(_ position: Int) -> Int { Int(bytes[position] &- 48) * 10 + Int(bytes[position + 1] &- 48) }
    let second = number(17)
    return second < 60 ? Double(days) + Double((number(11) * 60 + number(14)) * 60 + second) / 86_400 : nil
  }

  // MARK: - Text

  private func putText(
    _ text: ByteRun, style: StaticString = "", _ column: String, _ row: Int?, _ cursor: inout WriteCursor,
    _ out: inout ByteBuffer
  ) throws(Problem) {
    guard text.count <= Self.maximumText || Self.codeUnits(text) <= Self.maximumText else {
      throw Problem(
        .badData,
        "xlsx: column \(column): the text has \(Self.codeUnits(text)) characters; the maximum is \(Self.maximumText)",
        hint: "use another format", record: row)
    }
    cursor.ensure(96, &out)
    cursor.put("<c")
    cursor.put(style)
    cursor.put(" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
    cursor.putSheetText(text, &out)
    cursor.ensure(0, &out)
    cursor.put("</t></is></c>")
  }

  /// The length of a text in UTF-16: a code point of four bytes counts as two.
  private static func codeUnits(_ text: ByteRun) -> Int {
    var units = 0
    for position in 0..<text.count {
      let byte = text[position]
      if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    }
    return units
  }
}

extension WriteCursor {
  /// Writes text for an element of a sheet. Asks for room itself.
  fileprivate mutating func putSheetText(_ text: ByteRun, _ out: inout ByteBuffer) {
    var position = 0
    while position < text.count {
      let stop = min(position &+ 1024, text.count)
      ensure(1024 * 8, &out)
      while position < stop {
        unsafe next.store16(text.start + position)
        var mask = unsafe bb_write_markup_mask16(text.start + position)
        mask |= unsafe bb_write_equal_mask16(text.start + position, UInt8(ascii: "_"))
        let left = stop &- position
        if left < 16 { mask &= 1 &<< UInt32(truncatingIfNeeded: left) &- 1 }
        let plain = mask == 0 ? min(left, 16) : mask.trailingZeroBitCount
        unsafe next += plain
        position &+= plain
        if mask != 0 { position &+= putSheetSpecial(text, position) }
      }
    }
  }

  /// Writes the byte at `position` in the form required in a sheet. Returns the number of bytes consumed.
  @inline(never) private mutating func putSheetSpecial(_ text: ByteRun, _ position: Int) -> Int {
    let byte = text[position]
    switch byte {
    case UInt8(ascii: "&"): put("&amp;")
    case UInt8(ascii: "<"): put("&lt;")
    case UInt8(ascii: ">"): put("&gt;")
    case UInt8(ascii: "_"): put(Self.looksEscaped(text, position) ? "_x005F_" : "_")
    case 0x0A, 0x09: put(byte)
    case 0..<0x20:
      put("_x00")
      for digit in [byte >> 4, byte & 15] { put(digit < 10 ? 48 &+ digit : 55 &+ digit) }
      put("_")
    case 0xEF where position + 2 < text.count && text[position + 1] == 0xBF && text[position + 2] >= 0xBE:
      put(text[position + 2] == 0xBE ? "_xFFFE_" : "_xFFFF_")
      return 3
    default: put(byte)
    }
    return 1
  }

  /// Whether the text at `position` looks like an escape such as `_x0041_`.
  private static func looksEscaped(_ text: ByteRun, _ position: Int) -> Bool {
    guard position + 6 < text.count, text[position + 1] == UInt8(ascii: "x"), text[position + 6] == UInt8(ascii: "_")
    else { return false }
    return (2...5).allSatisfy { offset in
      let byte = text[position + offset]
      return byte &- 48 < 10 || (byte | 0x20) &- 97 < 6
    }
  }
}
