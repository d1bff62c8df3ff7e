import CSQLite
import Query
import Rows

/// Puts the rows of batches into a table, from where they stand: nothing is copied that SQLite does not copy itself.
///
/// Several rows are one statement, because beginning and ending a statement costs SQLite as much as a row. What was put stays when a later row
/// fails: who uses this takes the whole change back then.
struct SQLiteInsertion: ~Copyable {
  /// Values of one statement; far below what any SQLite allows.
  private static let most = 256

  private let one: SQLiteStatement
  private let many: SQLiteStatement
  /// Rows of a statement of `many`.
  private let rows: Int
  private let schema: Schema
  private let columns: [(type: ColumnType, isRequired: Bool)]

  /// Rows of `schema` into `table`, a name in SQL.
  init(_ schema: Schema, into table: String, _ connection: borrowing SQLiteConnection) throws(Problem) {
    let names = schema.columns.map(\.name.quotedForSQL).joined(separator: ", ")
    let places = "(" + schema.columns.map { _ in "?" }.joined(separator: ", ") + ")"
    rows = max(1, Self.most / max(1, schema.columns.count))
    // Without OR FAIL, SQLite keeps what it needs to take a statement of many rows back.
    let start = "INSERT OR FAIL INTO \(table)(\(names)) VALUES"
    let one = try connection.prepare(start + places)
    many = try connection.prepare(start + Array(repeating: places, count: rows).joined(separator: ", "))
    self.one = one
    self.schema = schema
    columns = schema.columns.enumerated().map { position, column in
      (column.type, !column.isNullable || schema.key.contains(position))
    }
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
        if bind(index, cell, description.type, batch.chunk, statement), !(cell.isNull && description.isRequired) {
          continue
        }
        // What cannot be bound as it stands is looked at by the book.
        try statement.bind(index, values(row, of: batch)[column])
      }
    }
    let code = statement.insertOnce()
    guard code == SQLITE_DONE else {
      if code & 0xFF == SQLITE_CONSTRAINT, !schema.key.isEmpty {
        let refused = try values(rows.lowerBound + min(statement.changes, rows.count - 1), of: batch)
        throw Problem(.badData, "two records have the key \(StoredKey(of: refused, schema).text)", at: schema.name)
      }
      throw statement.problem(code)
    }
  }

  private func values(_ row: Int, of batch: RowBatch) throws(Problem) -> [Value] {
    try StoredRow.normalised((0..<batch.width).map { batch.value(row, $0) }, schema)
  }

  /// Binds a cell that fits its column's type as it stands; says whether it does.
  private func bind(
    _ place: Int, _ cell: Cell, _ type: ColumnType, _ chunk: Chunk, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    let index = Int32(place)
    switch (cell, type) {
    case (.null, _): return unsafe sqlite3_bind_null(statement.handle, index) == SQLITE_OK
    case (.text(let start, let length), .text), (.text(let start, let length), .url),
      (.text(let start, let length), .date), (.text(let start, let length), .timestamp),
      (.number(let start, let length), .decimal), (.json(let start, let length), .json):
      return bindText(index, chunk, start, length, statement)
    case (.json(let start, let length), .list): return bindText(index, chunk, start, length, statement)
    case (.bytes(let start, let length), .bytes):
      return unsafe bb_sqlite3_bind_blob_static(statement.handle, index, chunk.base + Int(start), UInt64(length))
        == SQLITE_OK
    case (.boolean(let truth), .boolean):
      return unsafe sqlite3_bind_int64(statement.handle, index, truth ? 1 : 0) == SQLITE_OK
    case (.integer(let number), .integer):
      return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case (.real(let number), .real):
      return unsafe number.isFinite && sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    case (.number(let start, let length), .integer):
      guard let number = unsafe PlainNumber.integer(chunk.base + Int(start), Int(length)) else { return false }
      return unsafe sqlite3_bind_int64(statement.handle, index, number) == SQLITE_OK
    case (.number(let start, let length), .real):
      guard let number = unsafe PlainNumber.real(chunk.base + Int(start), Int(length)) else { return false }
      return unsafe sqlite3_bind_double(statement.handle, index, number) == SQLITE_OK
    default: return false
    }
  }

  private func bindText(
    _ index: Int32, _ chunk: Chunk, _ start: UInt32, _ length: UInt32, _ statement: borrowing SQLiteStatement
  ) -> Bool {
    let text = unsafe UnsafeRawPointer(chunk.base + Int(start)).assumingMemoryBound(to: CChar.self)
    return unsafe bb_sqlite3_bind_text_static(statement.handle, index, text, UInt64(length)) == SQLITE_OK
  }
}

/// Literals that are surely canonical, read the short way.
private enum PlainNumber {
  /// An integer of at most 18 digits without a leading zero; nil for anything else.
  static func integer(_ text: UnsafePointer<UInt8>, _ length: Int) -> Int64? {
    let sign = unsafe length > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard length > sign, length - sign <= 18, unsafe text[sign] != UInt8(ascii: "0") || length == 1 else { return nil }
    var value: Int64 = 0
    for place in sign..<length {
      let digit = unsafe text[place] &- 48
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return sign == 1 ? -value : value
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// A real of at most 15 digits with a fraction that does not end with a zero, or is a single one, and no zeros before it that would be an exponent:
  /// one exact division gives it, and it is written the same again. Nil for anything else.
  static func real(_ text: UnsafePointer<UInt8>, _ length: Int) -> Double? {
    let sign = unsafe length > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard length - sign >= 3, length - sign <= 16 else { return nil }
    var mantissa: UInt64 = 0, point = -1
    for place in sign..<length {
      let byte = unsafe text[place]
      if byte == UInt8(ascii: "."), point < 0, place > sign {
        point = place
      } else {
        guard byte &- 48 < 10 else { return nil }
        mantissa = mantissa &* 10 &+ UInt64(byte &- 48)
      }
    }
    let fraction = length - point - 1, isLarge = point - sign > 1
    guard point > 0, fraction > 0, mantissa > 0, unsafe !(isLarge && text[sign] == UInt8(ascii: "0")) else {
      return nil
    }
    let endsWithZero = unsafe text[length - 1] == UInt8(ascii: "0")
    guard !endsWithZero || fraction == 1 else { return nil }
    let value = Double(mantissa) / powers[fraction]
    // Below this, the canonical form has an exponent.
    guard value >= 1e-4 else { return nil }
    return sign == 1 ? -value : value
  }
}
