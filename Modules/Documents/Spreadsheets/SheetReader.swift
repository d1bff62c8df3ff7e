import Codecs
import Rows

/// Reads the cells of a sheet row by row.
///
/// Rows and cells may omit their place, which is then the next one; a place before the last is `badData`, as is one
/// outside the sheet. Of merged cells the first has the value. A formula is read as its stored result.
class SheetReader {
  /// The number of the current row, from 1.
  final private(set) var row = 0
  /// The cells with a value, from left to right.
  final var cells: [SheetCell] = []
  /// The bytes that values refer to.
  final var bytes = ByteBuffer(capacity: 64 << 10)
  /// Formulas so far whose result is not stored, and errors such as `#DIV/0!`.
  final var formulasWithoutResult = 0, errors = 0

  final let xml: XMLStream
  final let tab: Workbook.Sheet
  final let maximumField: Int
  private let sheet: String
  private let formats: [NumberFormat]
  private let isFrom1904: Bool
  private var isInData = false

  init(_ workbook: Workbook, _ sheet: Workbook.Sheet, maximumField: Int) throws(Problem) {
    guard let entry = try workbook.archive.entry(named: sheet.part) else {
      throw Problem(.badData, "missing part \(sheet.part)", at: workbook.archive.source.name)
    }
    xml = try XMLStream(try ZipEntryReader(workbook.archive, entry), limit: maximumField)
    tab = sheet
    self.sheet = "\(workbook.archive.source.name):\(sheet.name)"
    formats = workbook.formats
    isFrom1904 = workbook.isFrom1904
    self.maximumField = maximumField
  }

  /// Reads the next row that the sheet has, which may be without cells; false at the end, once the whole part was read.
  func next() throws(Problem) -> Bool {
    while true {
      switch try xml.next() {
      case .start:
        if !isInData {
          if xml.depth == 1, !xml.isNamed("worksheet") { throw xml.problem("expected a worksheet") }
          if xml.depth == 2, xml.isNamed("sheetData"), !xml.isForeign { isInData = true }
        } else if xml.isNamed("row"), !xml.isForeign {
          try readRow()
          return true
        } else {
          try xml.skip()
        }
      case .end: if isInData, xml.depth == 1 { isInData = false }
      case .finished: return false
      case .text: break
      }
    }
  }

  // MARK: - The parts of rows, also for readers of other formats

  final func clearRow() {
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll()
  }

  /// Appends a text of the document; the number of its bytes.
  final func add(_ range: XMLStream.ByteRange, isRaw: Bool) throws(Problem) -> Int {
    let start = bytes.count
    try xml.append(range, isRaw: isRaw, to: &bytes)
    return bytes.count - start
  }

  /// Counts rows without values.
  final func skipRows(_ count: Int) { row += count }

  final func advance(_ count: Int) throws(Problem) {
    row += count
    guard row <= SheetWriter.maximumRows else {
      throw xml.problem("more than \(SheetWriter.maximumRows) rows")
    }
  }

  /// Refuses a row that is too large.
  final func checkSize(_ column: Int) throws(Problem) {
    guard bytes.count <= 2 * maximumField else {
      throw problem("the row is larger than \(2 * maximumField >> 20) MiB", column, hint: .raise(.maximumField))
    }
  }

  private func readRow() throws(Problem) {
    clearRow()
    if let range = xml.attribute("r") {
      guard let number = Self.number(xml.run(range)), number > row else {
        throw xml.problem("invalid row number after row \(row)")
      }
      try advance(number - row)
    } else {
      try advance(1)
    }
    let outside = xml.depth - 1
    var column = -1
    while true {
      switch try xml.next() {
      case .start:
        guard xml.isNamed("c"), !xml.isForeign else {
          try xml.skip()
          continue
        }
        column = try place(after: column)
        if let value = try readCell(column) { cells.append(SheetCell(column: column, value: value)) }
        try checkSize(column)
      case .end: if xml.depth == outside { return }
      case .text: break
      case .finished: return
      }
    }
  }

  /// The column of the current cell.
  private func place(after last: Int) throws(Problem) -> Int {
    var column = last + 1
    if let range = xml.attribute("r") {
      let reference = xml.run(range)
      var at = 0, number = 0
      while at < reference.count, at < 4, case let letter = (reference[at] | 32) &- 97, letter < 26 {
        number = number * 26 + Int(letter) + 1
        at += 1
      }
      guard at > 0, number <= SheetWriter.maximumColumns,
        Self.number(reference.slice(from: at, atMost: reference.count)) == row
      else {
        let shown = reference.slice(from: 0, atMost: 20).text
        throw xml.problem("invalid cell reference “\(shown)” in row \(row)")
      }
      guard number > last + 1 else { throw problem("cells are not in order", number - 1) }
      column = number - 1
    }
    guard column < SheetWriter.maximumColumns else {
      throw xml.problem("row \(row) has more than \(SheetWriter.maximumColumns) cells")
    }
    return column
  }

  /// Decimal digits as a number; nil for anything else.
  final class func number(_ text: ByteRun) -> Int? {
    guard text.count > 0, text.count <= 8 else { return nil }
    var number = 0
    for at in 0..<text.count {
      let digit = text[at] &- 48
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }

  private enum Kind { case number, shared, text, inline, boolean, error, date }

  /// The value of the current cell, read to its end; nil for an empty one that has a format.
  private func readCell(_ column: Int) throws(Problem) -> SheetCell.Value? {
    var kind = Kind.number, style: Int?
    if let type = xml.attribute("t") {
      if xml.isEqual(type, "s") {
        kind = .shared
      } else if xml.isEqual(type, "n") {
        kind = .number
      } else if xml.isEqual(type, "inlineStr") {
        kind = .inline
      } else if xml.isEqual(type, "str") {
        kind = .text
      } else if xml.isEqual(type, "b") {
        kind = .boolean
      } else if xml.isEqual(type, "e") {
        kind = .error
      } else if xml.isEqual(type, "d") {
        kind = .date
      } else {
        throw problem("unknown cell type", column)
      }
    }
    if let range = xml.attribute("s") { style = Self.number(xml.run(range)) }
    let hasReference = xml.attribute("r") != nil
    let outside = xml.depth - 1, start = bytes.count
    var hasFormula = false, hasValue = false, isValue = false
    while xml.depth > outside {
      switch try xml.next() {
      case .start:
        if xml.isForeign {
          try xml.skip()
        } else if xml.isNamed("v") {
          guard !hasValue else { throw problem("a cell with two values", column) }
          hasValue = true
          isValue = true
        } else if kind == .inline, xml.isNamed("is") {
          guard !hasValue else { throw problem("a cell with two values", column) }
          hasValue = true
          try RichText.append(xml, limit: maximumField, to: &bytes)
        } else {
          if xml.isNamed("f") { hasFormula = true }
          try xml.skip()
        }
      case .text:
        if isValue { try xml.append(xml.text, isRaw: xml.isRaw, to: &bytes) }
        guard bytes.count - start <= maximumField else { throw RichText.tooLarge(xml, maximumField) }
      case .end: isValue = false
      case .finished: return nil
      }
    }
    let count = bytes.count - start
    guard hasValue, count > 0 || kind == .text || kind == .inline else {
      if hasFormula { formulasWithoutResult += 1 }
      return hasFormula || style != nil || hasReference ? nil : .null
    }
    switch kind {
    case .inline: return .text(start, count)
    case .text:
      SheetEscapes.replace(in: &bytes, from: start)
      return .text(start, bytes.count - start)
    case .error:
      errors += 1
      return .error(start, count)
    case .number: return try number(start, count, format(style), column)
    case .shared:
      guard let index = Self.number(bytes.run(from: start)) else {
        throw problem("invalid number of a shared string", column)
      }
      bytes.truncate(to: start)
      return .shared(index)
    case .boolean:
      let text = bytes.run(from: start).bytes
      bytes.truncate(to: start)
      if text == [49] || text.elementsEqual("true".utf8) { return .boolean(true) }
      if text == [48] || text.elementsEqual("false".utf8) { return .boolean(false) }
      throw problem("invalid Boolean", column)
    case .date:
      let text = bytes.run(from: start).bytes
      if Dates.isDate(text) { return .date(start, count) }
      // A midnight that is shown as a day.
      if text.count >= 19, text[10...].starts(with: "T00:00:00".utf8), format(style) == .date,
        Dates.isDate(Array(text[..<10]))
      {
        bytes.truncate(to: start + 10)
        return .date(start, 10)
      }
      return moment(start, count)
    }
  }

  /// The date and time written at `start`.
  final func moment(_ start: Int, _ count: Int) -> SheetCell.Value {
    switch Dates.timeForm(bytes.run(from: start).bytes.span) {
    case .local: .dateTime(start, count)
    case .instant: .instant(start, count)
    case .spaced, nil: .text(start, count)
    }
  }

  private func format(_ style: Int?) -> NumberFormat {
    // A style that is missing counts as the first, as in spreadsheets.
    let style = style ?? 0
    return style < formats.count ? formats[style] : .number
  }

  /// The number written at `start`, a date if the cell is shown as one.
  final func number(
    _ start: Int, _ count: Int, _ format: NumberFormat, _ column: Int
  ) throws(Problem) -> SheetCell.Value {
    let value: SheetCell.Value
    let literal = bytes.run(from: start)
    switch unsafe StoredNumber(literal.start, literal.count) {
    case .integer(let integer): value = .integer(integer)
    case .real(let real): value = Self.shortest(real)
    case .literal: value = try unusual(start, count, column)
    }
    if format != .number {
      var serial: Double?
      if case .integer(let integer) = value { serial = Double(integer) }
      if case .real(let real) = value { serial = real }
      if let serial, let text = SerialDate.text(serial, as: format, from1904: isFrom1904) {
        bytes.truncate(to: start)
        bytes.append(bytes: text)
        switch text.count {
        case 10 where text[4] == UInt8(ascii: "-"): return .date(start, text.count)
        case 19... where text[4] == UInt8(ascii: "-"): return moment(start, text.count)
        default: return .time(start, text.count)
        }
      }
    }
    if case .literal = value {} else { bytes.truncate(to: start) }
    return value
  }

  /// A real without a fraction is an integer, as it is shown.
  private static func shortest(_ real: Double) -> SheetCell.Value {
    guard real.magnitude <= 9_007_199_254_740_992, let integer = Int64(exactly: real) else { return .real(real) }
    return .integer(integer)
  }

  /// A number in another spelling than the shortest: `0.10000000000000001`, `1E+3`, thirty digits.
  private func unusual(_ start: Int, _ count: Int, _ column: Int) throws(Problem) -> SheetCell.Value {
    let run = bytes.run(from: start), literal = run.bytes
    let isWhole = unsafe JSONScanner.isWholeNumber(run.start, count)
    if isWhole == true {
      guard let integer = Int64(String(decoding: literal, as: UTF8.self)) else { return .literal(start, count) }
      return .integer(integer)
    }
    let isNumber = literal.allSatisfy { $0 &- 48 < 10 || "+-.eE".utf8.contains($0) }
    guard isNumber, let real = Double(String(decoding: literal, as: UTF8.self)) else {
      throw problem("invalid number “\(String(decoding: literal.prefix(40), as: UTF8.self))”", column)
    }
    if real.isFinite { return Self.shortest(real) }
    guard isWhole != nil else { throw problem("invalid number", column) }
    return .literal(start, count)
  }

  /// Appends a range of the row's bytes to `out`.
  final func copy(_ start: Int, _ count: Int, to out: inout ByteBuffer) {
    out.append(bytes.run(from: start).slice(from: 0, atMost: count))
  }

  /// `people.xlsx:Sheet1!B5: message`.
  final func problem(_ message: String, _ column: Int, hint: Remedy = "") -> Problem {
    Problem(.badData, message, at: "\(sheet)!\(Self.name(of: column))\(row)", hint: hint)
  }

  static func name(of column: Int) -> String {
    var letters = "", rest = column + 1
    while rest > 0 {
      letters = String(UnicodeScalar(UInt8(65 + (rest - 1) % 26))) + letters
      rest = (rest - 1) / 26
    }
    return letters
  }
}
