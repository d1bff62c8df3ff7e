import Codecs
import Rows

/// A sheet that is being read, with the texts that it refers to.
final class SheetCursor {
  let reader: SheetReader
  /// `people.xlsx:Sheet1`.
  let place: String
  private let strings: SharedStrings
  private let reading: SheetReading
  private var text = ByteBuffer(capacity: 4096)
  private var lastRow = 0
  /// The current table, and the last row with values, of those below each other.
  private var table = 1, filledRow = 0
  /// The titles of the first table.
  private var first: [Int: String] = [:]
  /// Whether the reader's row is still to be given.
  private var isWaiting = false

  init(
    _ workbook: Workbook, _ sheet: Workbook.Sheet, _ reading: SheetReading, scratch: any ScratchSpace
  ) throws(Problem) {
    self.reading = reading
    place = "\(workbook.archive.source.name):\(sheet.name)"
    reader =
      try workbook.isOpenDocument
      ? OpenDocumentReader(workbook, sheet, maximumField: reading.maximumField)
      : SheetReader(workbook, sheet, maximumField: reading.maximumField)
    strings = try SharedStrings(workbook, scratch: scratch, maximumField: reading.maximumField)
  }

  /// The titles in the rows of the header, by column; none without a header, and for a sheet without values.
  func header() throws(Problem) -> [Int: String] {
    var titles: [Int: String] = [:], rows = 0
    while rows < reading.headerRows, try next() {
      let row = try self.titles()
      // A title of merged cells belongs to all columns that have titles of their own below it.
      var group: Int?, before = -1
      for column in rows > 0 ? Set(titles.keys).union(row.keys).sorted() : [] {
        if titles[column] != nil || column > before + 1 { group = column }
        if let group, row[group] != nil { titles[column] = titles[group] }
        before = column
      }
      titles.merge(row) { "\($0) \($1)" }
      lastRow = reader.row
      if !titles.isEmpty { rows += 1 }
    }
    first = titles
    return titles
  }

  /// The texts of the row, by column.
  private func titles() throws(Problem) -> [Int: String] {
    var titles: [Int: String] = [:]
    for cell in reader.cells {
      if case .null = cell.value { continue }
      titles[cell.column] = String(decoding: try textBytes(cell), as: UTF8.self)
    }
    return titles
  }

  /// Reads the next row of the table; whether there is one.
  func next() throws(Problem) -> Bool {
    while try reader.next() {
      guard reader.row > reading.skippedRows else {
        lastRow = reader.row
        continue
      }
      guard let wanted = reading.table, !reader.cells.isEmpty else { return true }
      // A row of texts below an empty row is the header of another table.
      let begins = filledRow > 0 && reader.row > filledRow + 1 && isHeader
      if begins { table += 1 }
      filledRow = reader.row
      if wanted == 0, begins, try titles() != first {
        throw reader.problem(
          "the columns of table \(table) are not those of the first", reader.cells.first?.column ?? 0,
          hint: .set(Setting("csv.table"), to: "1", "\(table)"))
      }
      if wanted == 0 ? !begins : table == wanted { return true }
      if wanted > 0, table > wanted { return false }
      lastRow = reader.row
    }
    if let wanted = reading.table, wanted > table {
      throw Problem(
        .badData, "table \(wanted) not found; the sheet has \(table)", at: place, hint: .set(Setting("csv.table")))
    }
    return false
  }

  /// Whether the row has two or more values, all of them text.
  var isHeader: Bool {
    reader.cells.count > 1
      && reader.cells.allSatisfy {
        switch $0.value {
        case .text, .shared: true
        default: false
        }
      }
  }

  /// Whether a value means null.
  func isNull(_ value: SheetCell.Value) throws(Problem) -> Bool {
    switch value {
    case .null: return true
    case .text, .error, .shared:
      if reading.nullTexts.isEmpty { return false }
      return reading.nullTexts.contains(try textBytes(SheetCell(column: 0, value: value)))
    default: return false
    }
  }

  /// The next rows; nil at the end. Rows without a value between others are records of nulls; those at the end of the
  /// sheet are ignored.
  /// - Throws: `badData`, with the row counted in `record`.
  func batch(_ layout: SheetLayout) throws(Problem) -> RowBatch? {
    var builder = RowBatchBuilder(width: layout.types.count)
    while !builder.isFull {
      if !isWaiting {
        guard try next() else { break }
        if reader.cells.isEmpty { continue }
        isWaiting = true
      }
      lastRow += 1
      if lastRow < reader.row {
        for _ in layout.types { builder.appendNull() }
      } else {
        isWaiting = false
        do throws(Problem) { try append(layout, &builder) } catch {
          var problem = error
          problem.record = builder.count
          throw problem
        }
      }
    }
    return builder.count > 0 ? builder.finish() : nil
  }

  private func append(_ layout: SheetLayout, _ builder: inout RowBatchBuilder) throws(Problem) {
    var filled = 0
    for cell in reader.cells {
      if case .null = cell.value { continue }
      let position = layout.position(of: cell.column)
      if position == SheetLayout.omitted { continue }
      if try isNull(cell.value) { continue }
      guard position != SheetLayout.unknown else {
        layout.contradict()
        throw reader.problem("a value in a column without a header", cell.column)
      }
      while filled < position {
        builder.appendNull()
        filled += 1
      }
      try append(cell, layout.types[position], layout, &builder)
      filled += 1
    }
    while filled < layout.types.count {
      builder.appendNull()
      filled += 1
    }
  }

  private func append(
    _ cell: SheetCell, _ type: ColumnType, _ layout: SheetLayout, _ builder: inout RowBatchBuilder
  ) throws(Problem) {
    switch (type, cell.value) {
    case (.integer, .integer(let value)): return builder.append(integer: value)
    case (.real, .real(let value)): return builder.append(real: value)
    case (.boolean, .boolean(let value)): return builder.append(boolean: value)
    case (.real, .integer(let value)) where Int64(exactly: Double(value)) == value && !layout.isInferred(cell.column):
      return builder.append(real: Double(value))
    case (.text, _), (.url, _), (.date, .date), (.datetime, .dateTime), (.datetime, .date),
      (.timestamp, .instant):
      try write(cell)
    case (.decimal, .integer), (.decimal, .real), (.decimal, .literal):
      try write(cell)
      return text.read { builder.append(number: $0) }
    case (.timestamp, .dateTime):
      // The user says that the times are in UTC.
      try write(cell)
      if text.count == 19 || text.count == 23 { text.append(byte: UInt8(ascii: "Z")) }
      guard Dates.isTimestamp(text.bytes()) else { throw misfit(cell, type, layout) }
    default:
      try write(cell)
      guard !layout.isInferred(cell.column), let value = Self.value(text.bytes(), type) else {
        throw misfit(cell, type, layout)
      }
      return builder.append(value: value)
    }
    text.read { builder.append(text: $0) }
  }

  private func misfit(_ cell: SheetCell, _ type: ColumnType, _ layout: SheetLayout) -> Problem {
    let shown = text.bytes()
    let excerpt = String(decoding: shown.prefix(60), as: UTF8.self) + (shown.count > 60 ? "…" : "")
    let name = layout.name(of: cell.column)
    var problem = reader.problem(
      "invalid value “\(excerpt)” for column “\(name)”: expected \(type.name)", cell.column)
    if layout.isInferred(cell.column) {
      layout.contradict()
      problem.hint = .set(.columnTypes, to: "\(NameListParser.written(name))=text", for: "set the column type")
    }
    return problem
  }

  /// Text as a value of a type that the user gave; nil when it does not fit.
  private static func value(_ text: [UInt8], _ type: ColumnType) -> Value? {
    switch type {
    case .integer: if case .integer(let value) = StoredNumber(text) { return .integer(value) }
    case .real: if case .real(let value) = StoredNumber(text) { return .real(value) }
    case .decimal: if (try? JSON.parse(text, name: ""))?.numberLiteral == text { return .number(text) }
    case .boolean:
      if text.elementsEqual("true".utf8) { return .boolean(true) }
      if text.elementsEqual("false".utf8) { return .boolean(false) }
    case .date: if Dates.isDate(text) { return .text(text) }
    case .timestamp: if Dates.isTimestamp(text) { return .text(text) }
    case .datetime: if Dates.isDatetime(text) { return .text(text) }
    case .bytes: return Base64.decode(text).map { .bytes($0) }
    case .json, .list: return type.canonicalJSON(text).map { .json($0) }
    case .text, .url: return .text(text)
    }
    return nil
  }

  private func textBytes(_ cell: SheetCell) throws(Problem) -> [UInt8] {
    try write(cell)
    return text.bytes()
  }

  /// Makes `text` the text of a value.
  private func write(_ cell: SheetCell) throws(Problem) {
    text.removeAll()
    switch cell.value {
    case .null: break
    case .text(let start, let count), .error(let start, let count), .literal(let start, let count),
      .date(let start, let count), .dateTime(let start, let count), .instant(let start, let count),
      .time(let start, let count):
      reader.copy(start, count, to: &text)
    case .shared(let index):
      guard try strings.append(index, to: &text) else {
        throw reader.problem("shared string \(index) does not exist", cell.column)
      }
    case .boolean(let value): text.append(value ? "true" : "false")
    case .integer(let value): text.append(integer: value)
    case .real(let value): text.append(real: value)
    }
  }
}
