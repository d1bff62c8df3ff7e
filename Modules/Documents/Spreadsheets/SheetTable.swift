import Codecs
import Rows

/// The columns of a sheet: those that its first row with a value names, and those that have a value below it.
struct SheetTable {
  /// The columns of the sheet, from left to right.
  let columns: [Int]
  /// The names of the columns, and the changes made to them.
  let header: CSVHeader
  /// The type of each column.
  let types: [ColumnType]
  /// Whether the whole sheet was read to know them.
  let isCertain: Bool

  /// Rows and cells that are read to guess the types.
  private static let sampleRows = 1000, sampleCells = 100_000

  /// Reads the header and as much as the types need.
  /// - Parameter whole: whether to read the whole sheet.
  /// - Throws: `badData` for a sheet without a header, or one that cannot be read.
  init(_ cursor: SheetCursor, whole: Bool) throws(Problem) {
    let titles = try cursor.header()
    var kinds: [ValueKinds] = [], rows = 0, cells = 0, isAtEnd = false
    while whole || rows < Self.sampleRows && cells < Self.sampleCells {
      guard try cursor.reader.next() else {
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
    header = CSVHeader(columns.map { titles[$0] ?? "" })
    types = columns.map { $0 < kinds.count ? kinds[$0].type(else: .text) : .text }
    isCertain = isAtEnd
  }
}
