import CSQLite
import Codecs
import Query
import Rows

/// Inserts the rows of batches into a table without copies other than those of SQLite.
///
/// A statement inserts several rows, because starting and ending a statement costs SQLite as much as a row. Inserted
/// rows remain when a later row fails: the caller must then roll back.
struct SQLiteInsertion: ~Copyable {
  /// Values of one statement; far below what any SQLite allows.
  private static let most = 256

  private let one: SQLiteStatement
  private let many: SQLiteStatement
  /// Rows of a statement of `many`.
  private let rows: Int
  private let schema: Schema
  private let columns: [Column]
  private let isPlain: Bool
  /// Whether the table has constraints of its own.
  private let isForeign: Bool

  private struct Column {
    let type: ColumnType
    let isRequired: Bool
    /// Whether decimals are kept as text.
    let isText: Bool
    let isMixed: Bool
    /// Whether decimals are Doubles.
    let isReal: Bool
    /// Whether SQLite makes a number of every text that looks like one.
    let isNumeric: Bool
  }

  /// Rows of `schema` into `table`, a name in SQL.
  /// - Parameter isPlain: whether the table is one for any program (`SQLiteDefinition`) rather than one of a store:
  ///   infinities are kept, and JSON values are kept by value.
  /// - Parameter numeric: the columns that keep texts that look like numbers as numbers, in a table of another program;
  ///   nil for a table of bb.
  /// - Parameter conflict: the clause for a row whose key is there.
  init(
    _ schema: Schema, into table: String, isPlain: Bool = false, hasKey: Bool = true,
    decimals: [Int: DecimalShape] = [:], numeric: Set<Int>? = nil, conflict: String = "",
    _ connection: borrowing SQLiteConnection
  ) throws(Problem) {
    let names = schema.columns.map(\.name.quotedForSQL).joined(separator: ", ")
    let places = "(" + schema.columns.map { _ in "?" }.joined(separator: ", ") + ")"
    rows = max(1, Self.most / max(1, schema.columns.count))
    // Without OR FAIL, SQLite keeps what it needs to take a statement of many rows back.
    let start = "INSERT OR FAIL INTO \(table)(\(names)) VALUES"
    let one = try connection.prepare(start + places + conflict)
    many = try connection.prepare(start + Array(repeating: places, count: rows).joined(separator: ", ") + conflict)
    self.one = one
    self.schema = schema
    columns = schema.columns.enumerated().map { position, column in
      let isKey = hasKey && schema.key.contains(position)
      return Column(
        type: column.type, isRequired: !column.isNullable || isKey, isText: isKey && !isPlain, isMixed: column.isMixed,
        isReal: decimals[position]?.storage == .double, isNumeric: numeric?.contains(position) ?? false)
    }
    isForeign = numeric != nil
    self.isPlain = isPlain
  }

  /// Inserts every row of a batch.
  /// - Throws: `badData` for a value that does not fit its column, and for a key that is there.
  func insert(_ batch: RowBatch) throws(Problem) {
    var row = 0
    while batch.count - row >= rows {
      try insert(row..<row + rows, of: batch, many)
      row += rows
    }
    while row < batch.count {
      try insert(row..<row + 1, of: batch, one)
      row += 1
    }
  }

  /// Inserts rows with a statement for as many.
  private func insert(
    _ rows: Range<Int>, of batch: RowBatch, _ statement: borrowing SQLiteStatement
  ) throws(Problem) {
    var index = 0
    for row in rows {
      for (column, description) in columns.enumerated() {
        let cell = batch[row, column]
        index += 1
        if bind(index, cell, description, batch.arena, statement), !(cell.isNull && description.isRequired) {
          continue
        }
        if description.isNumeric, case .number(let start, let length) = cell {
          throw Problem(
            .badData,
            "the table would change \(String(decoding: batch.arena.bytes(start, length), as: UTF8.self)) in column "
              + schema.columns[column].name, hint: "declare the column as TEXT", record: row)
        }
        // Whatever cannot be bound as it is is converted, or refused.
        let value = try values(row, of: batch)[column]
        try statement.bind(index, value, typedAs: description.isText ? nil : description.type)
      }
    }
    let code = statement.insertOnce()
    guard code == SQLITE_DONE else {
      let first = rows.lowerBound + min(statement.changes, rows.count - 1)
      if isForeign, [SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(code & 0xFF) {
        var problem = statement.problem(code)
        (problem.message, problem.record) = ("the table refuses the record: \(problem.message)", first)
        throw problem
      }
      if code & 0xFF == SQLITE_CONSTRAINT, !schema.key.isEmpty {
        let refused = try values(first, of: batch)
        throw Problem(.badData, "two records have the key \(StoredKey(of: refused, schema).text)", at: schema.name)
      }
      throw statement.problem(code)
    }
  }

  private func values(_ row: Int, of batch: RowBatch) throws(Problem) -> [Value] {
    try StoredRow.normalised((0..<batch.width).map { batch.value(row, $0) }, schema)
  }

  /// Binds a cell that fits its column's type without conversion. Returns whether it does.
  private func bind(
    _ place: Int, _ cell: Cell, _ column: Column, _ arena: Arena, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    let index = Int32(place)
    if isPlain, column.type == .json { return bindByValue(index, cell, column.isMixed, arena, statement) }
    switch (cell, column.type) {
    case (.null, _): return unsafe sqlite3_bind_null(statement.handle, index) == SQLITE_OK
    // Columns of text in tables of other programs.
    case (.number(let start, let length), .text), (.json(let start, let length), .text):
      return bindText(index, arena, start, length, statement)
    case (.integer(let number), .text): return bindCopy(index, Array(String(number).utf8), statement)
    case (.real(let number), .text): return bindCopy(index, Array("\(number)".utf8), statement)
    case (.boolean(let truth), .text): return bindCopy(index, Array("\(truth)".utf8), statement)
    case (.text(let start, let length), .text), (.text(let start, let length), .url),
      (.text(let start, let length), .date), (.text(let start, let length), .timestamp),
      (.text(let start, let length), .datetime),
      (.json(let start, let length), .json):
      return bindText(index, arena, start, length, statement)
    // The word for NaN or an infinity.
    case (.text(let start, let length), .real) where isPlain, (.text(let start, let length), .decimal) where isPlain:
      return bindText(index, arena, start, length, statement)
    case (.json(let start, let length), .list): return bindText(index, arena, start, length, statement)
    case (.bytes(let start, let length), .bytes):
      return unsafe bb_sqlite3_bind_blob_static(statement.handle, index, arena.base + Int(start), UInt64(length))
        == SQLITE_OK
    case (.boolean(let truth), .boolean):
      return unsafe sqlite3_bind_int64(statement.handle, index, truth ? 1 : 0) == SQLITE_OK
    case (.integer(let number), .integer):
      return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case (.real(let number), .real):
      return unsafe (isPlain || number.isFinite) && sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    case (.number(let start, let length), .integer):
      guard case .integer(let number) = unsafe StoredNumber(arena.base + Int(start), Int(length)) else { return false }
      return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case (.number(let start, let length), .real):
      var real = isPlain ? ByteRun(arena, start, length).heldReal : nil
      if !isPlain, case .real(let stored) = unsafe StoredNumber(arena.base + Int(start), Int(length)) { real = stored }
      guard let real else { return false }
      return unsafe sqlite3_bind_double(statement.handle, index, real) == SQLITE_OK
    case (.number(let start, let length), .decimal):
      if column.isText { return bindText(index, arena, start, length, statement) }
      let literal = unsafe arena.base + Int(start)
      let isReal = unsafe column.isReal || isPlain && StoredNumber(literal, Int(length)) == .literal
      if isReal, let value = unsafe NumberSpelling.held(literal, Int(length)) {
        return unsafe sqlite3_bind_double(statement.handle, index, value) == SQLITE_OK
      }
      if column.isNumeric, case .literal = unsafe StoredNumber(literal, Int(length)) { return false }
      return bindNumber(index, arena, start, length, statement)
    case (.integer(let number), .decimal):
      return unsafe !column.isText && sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case (.real(let number), .decimal):
      return unsafe !column.isText && (isPlain || number.isFinite)
        && sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    default: return false
    }
  }

  /// Binds a literal as the number that it spells, or as text if SQLite would change it.
  private func bindNumber(
    _ index: Int32, _ arena: Arena, _ start: UInt32, _ length: UInt32, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    switch unsafe StoredNumber(arena.base + Int(start), Int(length)) {
    case .integer(let number): return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case .real(let number): return unsafe sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    case .literal: return bindText(index, arena, start, length, statement)
    }
  }

  /// Binds a value of a column that holds values of several types, each by itself.
  private func bindByValue(
    _ index: Int32, _ cell: Cell, _ isMixed: Bool, _ arena: Arena, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(statement.handle, index) == SQLITE_OK
    case .integer(let number): return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case .real(let number): return unsafe sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    case .boolean(let truth): return bindCopy(index, Array((truth ? "true" : "false").utf8), statement)
    case .number(let start, let length): return bindNumber(index, arena, start, length, statement)
    case .bytes(let start, let length):
      return unsafe bb_sqlite3_bind_blob_static(statement.handle, index, arena.base + Int(start), UInt64(length))
        == SQLITE_OK
    case .text(let start, let length):
      let text = arena.bytes(start, length)
      if isMixed || !JSONByValue.isAmbiguous(text) { return bindText(index, arena, start, length, statement) }
      return bindCopy(index, JSON.string(text).canonicalBytes, statement)
    case .json(let start, let length):
      switch unsafe JSONScalar(arena.base + Int(start), Int(length)) {
      case .null: return unsafe sqlite3_bind_null(statement.handle, index) == SQLITE_OK
      case .number: return bindNumber(index, arena, start, length, statement)
      case .boolean, .nested: return bindText(index, arena, start, length, statement)
      case .plainText: return bindByValue(index, .text(start + 1, length - 2), isMixed, arena, statement)
      case .text(let text):
        let isAmbiguous = !isMixed && JSONByValue.isAmbiguous(text)
        return isAmbiguous ? bindText(index, arena, start, length, statement) : bindCopy(index, text, statement)
      }
    }
  }

  private func bindCopy(_ index: Int32, _ text: [UInt8], _ statement: borrowing SQLiteStatement) -> Bool {
    do throws(Problem) {
      try statement.bind(Int(index), text: text)
      return true
    } catch { return false }
  }

  private func bindText(
    _ index: Int32, _ arena: Arena, _ start: UInt32, _ length: UInt32, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    let text = unsafe UnsafeRawPointer(arena.base + Int(start)).assumingMemoryBound(to: CChar.self)
    return unsafe bb_sqlite3_bind_text_static(statement.handle, index, text, UInt64(length)) == SQLITE_OK
  }
}
