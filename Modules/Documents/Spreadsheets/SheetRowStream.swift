import Codecs
public import Rows
internal import Synchronization

/// The options for reading a sheet as a table.
public struct SheetReading: Sendable {
  /// Types of columns, by name, that are not to be inferred.
  public var types: ColumnTypes = [:]
  /// The names of the required columns; nil for all. Unknown names are ignored.
  public var columns: [String]?
  /// The rows above the table, by their numbers in the sheet, and the rows of the header.
  public var skippedRows = 0, headerRows = 1
  /// The names of the columns instead of those of the header.
  public var names: [String]?
  /// Which of several tables below each other is read, from 1; nil for all rows.
  public var table: Int?
  /// Whether rows above the table are found and skipped.
  public var findsHeader = false
  /// The texts and errors that mean null.
  public var nullTexts: [[UInt8]] = []
  /// The most bytes that one cell may have; a row may have twice as many.
  public var maximumField = 16 << 20

  /// Everything as it is found.
  public init() {}
}

/// The records of a sheet of an XLSX workbook.
///
/// The first row with a value names the columns, unless the options say otherwise; a sheet without values has no
/// columns. Numbers are integers if they have no fraction, else reals; a column with both keeps the shortest text of
/// each. A number that is shown as a date is a date or, with a time, text in ISO 8601 without a time zone. Errors such
/// as `#DIV/0!` are text. Memory does not depend on the size of the sheet or of its shared strings. Throws `badData`
/// with `file:sheet!cell`.
public final class SheetRowStream: RowStream {
  /// The columns that are needed.
  public let schema: Schema
  /// One warning per change of a name in the header.
  public let warnings: [Warning]

  private let workbook: Workbook
  private let sheet: Workbook.Sheet
  private let table: String
  private let reading: SheetReading
  private let scratch: any ScratchSpace
  private let layout: SheetLayout
  private let found: SheetTable
  private let cursor: Mutex<SheetCursor>

  /// The records of a sheet, whose types are inferred from its first rows; `widened` handles later values that
  /// contradict them.
  /// - `scratch`: where shared strings go that memory should not hold.
  /// - Throws: `badData` for a sheet without a header, or one that cannot be read; `usage` for an unknown column name
  ///   in `types`.
  public static func inferring(
    _ workbook: Workbook, _ sheet: Workbook.Sheet, table: String, _ reading: SheetReading = SheetReading(),
    scratch: any ScratchSpace
  ) throws(Problem) -> SheetRowStream {
    try SheetRowStream(workbook, sheet, table: table, reading, scratch: scratch, whole: false)
  }

  private init(
    _ workbook: Workbook, _ sheet: Workbook.Sheet, table: String, _ reading: SheetReading, scratch: any ScratchSpace,
    whole: Bool, found known: SheetTable? = nil
  ) throws(Problem) {
    let found: SheetTable
    if let known {
      found = known
    } else {
      let title = try SheetTitle(try SheetCursor(workbook, sheet, reading, scratch: scratch), reading)
      var body = reading
      if reading.findsHeader { (body.skippedRows, body.headerRows) = (title.rows, title.headerRows) }
      found = try SheetTable(
        try SheetCursor(workbook, sheet, body, scratch: scratch), body, whole: whole, warnings: title.warnings(reading))
    }
    self.found = found
    let names = found.header.names
    for name in reading.types.missing(found.header.has, isNested: { reading.types[$0]?.isNested == true }) {
      throw Problem(.usage, "“\(table)” has no column “\(name)”", hint: .choose(name, from: names, "available columns"))
    }
    let all = Schema(table, columns: zip(names, found.types).map { ColumnDescription($0, reading.types[$0] ?? $1) })
    let needed = reading.columns.map { Set($0.map { Array($0.utf8) }) }
    let wanted = names.indices.filter { needed?.contains(Array(names[$0].utf8)) ?? true }
    schema = all.projected(to: wanted)
    warnings = found.warnings
    layout = SheetLayout(found, wanted: wanted, schema, given: reading.types)
    self.workbook = workbook
    self.sheet = sheet
    self.table = table
    self.reading = reading
    self.scratch = scratch
    var reading = reading
    (reading.skippedRows, reading.headerRows) = (found.skippedRows, found.headerRows)
    let cursor = try SheetCursor(workbook, sheet, reading, scratch: scratch)
    _ = try cursor.header()
    self.cursor = Mutex(cursor)
  }

  /// Whether types were found by looking at the beginning alone.
  public var mayWiden: Bool { !found.isCertain }

  /// Formulas that have no value, and errors that are text.
  public var notes: [Warning] {
    let (formulas, errors) = cursor.withLock { ($0.reader.formulasWithoutResult, $0.reader.errors) }
    var notes: [Warning] = []
    if formulas > 0 {
      let what = formulas == 1 ? "1 formula has no stored result" : "\(formulas) formulas have no stored result"
      notes.append(
        Warning("\(workbook.archive.source.name): \(what), read as null", hint: "save the workbook in a spreadsheet"))
    }
    if errors > 0, reading.nullTexts.isEmpty {
      let what = errors == 1 ? "1 error value" : "\(errors) error values"
      notes.append(
        Warning(
          "\(workbook.archive.source.name): \(what) such as #N/A read as text",
          hint: .set(.inputNull, to: "#N/A", for: "read it as null")))
    }
    return notes
  }

  /// The next rows.
  public func next() async throws(Problem) -> BatchTask? { try nextWork() }

  /// The same for callers that do not wait for others.
  public func nextWork() throws(Problem) -> BatchTask? {
    let batch = try cursor.withLock { (cursor) throws(Problem) in try cursor.batch(layout) }
    return batch.map { BatchTask(ready: $0) }
  }

  /// The sheet from its beginning, with the same types.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    try SheetRowStream(workbook, sheet, table: table, reading, scratch: scratch, whole: false, found: found)
  }

  /// After a value that contradicts an inferred type: the sheet again, with types inferred from all of it.
  public func widened() async throws(Problem) -> (any RowStream)? {
    guard layout.isContradicted, !found.isCertain else { return nil }
    return try SheetRowStream(workbook, sheet, table: table, reading, scratch: scratch, whole: true)
  }
}

/// Where the columns of a sheet go, and which of their types were inferred.
final class SheetLayout: Sendable {
  /// Positions of columns that are not needed, and of columns that the table does not have.
  static let omitted = -1, unknown = -2

  let types: [ColumnType]
  private let positions: [Int]
  private let names: [Int: String]
  private let inferred: Set<Int>
  private let contradicted = Mutex(false)

  init(_ found: SheetTable, wanted: [Int], _ schema: Schema, given: ColumnTypes) {
    types = schema.columns.map(\.type)
    var positions = Array(repeating: Self.unknown, count: (found.columns.last ?? -1) + 1)
    for column in found.columns { positions[column] = Self.omitted }
    for (position, index) in wanted.enumerated() { positions[found.columns[index]] = position }
    self.positions = positions
    names = Dictionary(uniqueKeysWithValues: zip(found.columns, found.header.names))
    inferred = Set(zip(found.columns, found.header.names).filter { given[$0.1] == nil }.map(\.0))
  }

  @inline(__always) func position(of column: Int) -> Int {
    column < positions.count ? positions[column] : Self.unknown
  }
  func name(of column: Int) -> String { names[column] ?? "" }
  func isInferred(_ column: Int) -> Bool { inferred.contains(column) }

  /// Remembers that a value does not fit what was inferred.
  func contradict() { contradicted.withLock { $0 = true } }
  var isContradicted: Bool { contradicted.withLock { $0 } }
}
