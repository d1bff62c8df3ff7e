import Codecs
import Rows

/// The columns of a sheet: those that its first row with a value names, and those that have a value below it.
struct SheetTable {
  /// The columns of the sheet, from left to right.
  let columns: [Int]
  /// The names of the columns, and the changes made to them.
  let header: CSVHeader
  let types: [ColumnType]
  /// Whether the whole sheet was read to know them.
  let isCertain: Bool
  /// The rows above the table and those of the header, and the warnings for the user.
  let skippedRows: Int, headerRows: Int, warnings: [Warning]

  /// Rows and cells that are read to guess the types.
  private static let sampleRows = 1000, sampleCells = 100_000

  /// Reads the header and as much as the types need.
  /// - Parameter whole: whether to read the whole sheet.
  /// - Throws: `badData` for a sheet that cannot be read.
  init(_ cursor: SheetCursor, _ reading: SheetReading, whole: Bool, warnings: [Warning]) throws(Problem) {
    let titles = try cursor.header()
    var kinds: [ValueKinds] = [], rows = 0, cells = 0, isAtEnd = false
    while whole || rows < Self.sampleRows && cells < Self.sampleCells {
      guard try cursor.next() else {
        isAtEnd = true
        break
      }
      rows += 1
      cells += cursor.reader.cells.count
      for cell in cursor.reader.cells where try !cursor.isNull(cell.value) {
        while kinds.count <= cell.column { kinds.append([]) }
        kinds[cell.column].formUnion(ValueKinds(cell.value))
      }
    }
    let width = max(kinds.count, (titles.keys.max() ?? -1) + 1)
    columns = (0..<width).filter { titles[$0] != nil || $0 < kinds.count && !kinds[$0].isEmpty }
    guard columns.count <= CSVReading.maximumColumns else {
      throw Problem(
        .badData, "the table has \(columns.count) columns; the maximum is \(CSVReading.maximumColumns)",
        at: cursor.place)
    }
    if let names = reading.names, names.count != columns.count {
      throw Problem(
        .badData, "expected \(names.count) column\(names.count == 1 ? "" : "s") as named, found \(columns.count)",
        at: cursor.place,
        hint: .set(Setting("csv.names")))
    }
    let isNamed = reading.names != nil || reading.headerRows == 0
    header = CSVHeader(
      reading.names ?? columns.enumerated().map { isNamed ? "column\($0.offset + 1)" : titles[$0.element] ?? "" })
    (skippedRows, headerRows) = (reading.skippedRows, reading.headerRows)
    let isSkipped = columns.isEmpty && reading.skippedRows > 0 && cursor.reader.row > 0
    let skipped = Warning("all rows are skipped", hint: .omit(Setting("csv.skippedRows")))
    self.warnings = isSkipped ? [skipped] : warnings + header.warnings
    types = columns.map { $0 < kinds.count ? kinds[$0].type(else: .text) : .text }
    isCertain = isAtEnd
  }
}

/// Rows above the header of a sheet, and tables below the first, as its beginning shows.
struct SheetTitle {
  private(set) var rows = 0
  /// The rows of the header.
  private(set) var headerRows: Int
  /// The rows that may begin another table, and the number of the table that is read.
  private var others: [Int] = [], table = 1

  private static let sample = 60

  init(_ cursor: SheetCursor, _ reading: SheetReading) throws(Problem) {
    (rows, headerRows) = (reading.skippedRows, reading.headerRows)
    guard reading.headerRows == 1, reading.table == nil, reading.names == nil else { return }
    var filled: [(row: Int, cells: Int, isText: Bool, columns: Set<Int>)] = []
    while filled.count < Self.sample, try cursor.next() {
      var columns: Set<Int> = []
      for cell in cursor.reader.cells where try !cursor.isNull(cell.value) { columns.insert(cell.column) }
      guard !columns.isEmpty else { continue }
      if let last = filled.last, cursor.reader.row > last.row + 1, cursor.isHeader { others.append(cursor.reader.row) }
      filled.append((cursor.reader.row, columns.count, cursor.isHeader, columns))
    }
    defer { findHeader(filled.drop { $0.row <= rows }) }
    // The widest of the frequent widths, as in CSV.
    var counts: [Int: Int] = [:]
    for row in filled { counts[row.cells, default: 0] += 1 }
    let width = counts.max { ($0.value * ($0.key - 1), $0.key) < ($1.value * ($1.key - 1), $1.key) }?.key ?? 0
    guard width >= 3, let first = filled.firstIndex(where: { $0.cells >= width - 1 }), first > 0,
      filled[..<first].allSatisfy({ $0.cells * 3 <= width })
    else { return }
    rows = filled[first].row - 1
    // The rows after the title are the first table.
    table += others.count { $0 <= filled[first].row }
    others.removeFirst(table - 1)
  }

  /// Two rows of texts are the header if the first has gaps, as merged cells leave them, and other values follow, or
  /// if all rows that follow have other values.
  private mutating func findHeader(_ filled: ArraySlice<(row: Int, cells: Int, isText: Bool, columns: Set<Int>)>) {
    let top = Array(filled.prefix(3))
    guard top.count == 3, top[0].isText, top[1].isText, !top[2].isText, top[1].row == top[0].row + 1,
      top[2].row == top[1].row + 1
    else { return }
    let isCovered = top[2].columns.isSubset(of: top[0].columns.union(top[1].columns))
    let hasGaps = top[0].cells < max(top[1].cells, top[2].cells) && isCovered
    let isAlone = filled.count >= 5 && !filled.dropFirst(3).contains { $0.isText }
    if hasGaps || isAlone && top[1].cells * 5 >= top[0].cells * 3 { headerRows = 2 }
  }

  func warnings(_ reading: SheetReading) -> [Warning] {
    var warnings: [Warning] = []
    if rows > reading.skippedRows {
      let hint = Remedy.set(Setting("csv.skippedRows"), to: "\(rows)")
      warnings.append(
        reading.findsHeader
          ? Warning("skipped \(rows) rows above the header", hint: hint)
          : Warning("the rows above row \(rows + 1) look like a title", hint: hint))
    }
    if headerRows > reading.headerRows {
      let hint = Remedy.set(Setting("csv.headerRows"), to: "\(headerRows)")
      warnings.append(
        Warning(
          "rows \(rows + 1) and \(rows + 2) \(reading.findsHeader ? "are read as" : "look like") the header", hint: hint
        ))
    }
    if let other = others.first {
      let hint = Remedy.set(Setting("csv.table"), to: "\(table)", "\(table + 1)")
      warnings.append(Warning("row \(other) looks like the header of another table", hint: hint))
    }
    return warnings
  }
}
