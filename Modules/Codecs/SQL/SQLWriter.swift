public import Rows

/// Rows as SQL for SQLite 3.37 or later: one transaction that creates a table and fills it.
///
/// The database returns every value unchanged: reals bit for bit, text byte for byte, decimals as text, lists and JSON
/// values as JSON text, Booleans as 1 and 0.
public struct SQLWriter: Sendable {
  /// The most columns of a table in SQLite as it is usually built (SQLITE_MAX_COLUMN).
  public static let maximumColumns = 2000

  private let schema: Schema
  private let nonfinite: NonfinitePolicy
  /// `INSERT INTO "t" VALUES(`.
  private let insert: [UInt8]

  /// A writer of rows of `schema`.
  /// - Throws: `usage` for a table without columns, which SQL does not have; `badData` for names of columns that SQLite
  ///   does not.
  public init(_ schema: Schema, nonfinite: NonfinitePolicy = .error) throws(Problem) {
    guard schema.width > 0 else { throw Problem(.usage, "sql: a table must have at least one column") }
    try schema.checkForSQL()
    self.schema = schema
    self.nonfinite = nonfinite
    insert = Array("INSERT INTO \(Self.quoted(schema.name)) VALUES(".utf8)
  }

  /// Writes the text before the first row: the start of the transaction, and the table.
  public func begin(_ out: inout ByteBuffer) {
    let columns = schema.columns.map { column in
      "  \(Self.quoted(column.name)) \(Self.typeName(column.type))\(column.isNullable ? "" : " NOT NULL")"
    }
    let keys = schema.key.map { Self.quoted(schema.columns[$0].name) }
    let lines = columns + (keys.isEmpty ? [] : ["  PRIMARY KEY(\(keys.joined(separator: ", ")))"])
    out.append("BEGIN;\nCREATE TABLE \(Self.quoted(schema.name)) (\n\(lines.joined(separator: ",\n"))\n) STRICT;\n")
  }

  /// Writes the text after the last row.
  public func finish(_ out: inout ByteBuffer) { out.append("COMMIT;\n") }

  /// Writes the rows of a batch.
  /// - Throws: `badData` for a real that is not finite, and for a value that is not an integer in an integer column.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    for row in 0..<batch.count {
      out.append(bytes: insert)
      for column in 0..<batch.width {
        if column > 0 { out.append(",") }
        try append(batch[row, column], batch.chunk, row, column, &out)
      }
      out.append(");\n")
    }
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  private static func typeName(_ type: ColumnType) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    // Without affinity: 1e22 stays a real, -0.0 keeps its sign, a decimal its digits.
    case .real, .decimal: "ANY"
    case .bytes: "BLOB"
    case .text, .date, .timestamp, .url, .list, .json: "TEXT"
    }
  }

  private func append(
    _ cell: Cell, _ chunk: Chunk, _ row: Int, _ column: Int, _ out: inout ByteBuffer
  ) throws(Problem) {
    let type = schema.columns[column].type
    if type == .json, !cell.isNull {
      if case .real(let value) = cell, !value.isFinite { return try append(value, row, column, &out) }
      var json = ByteBuffer(capacity: 256)
      json.append(jsonOf: cell, chunk)
      return json.run { Self.append(text: $0, &out) }
    }
    switch cell {
    case .null: out.append("NULL")
    case .integer(let value): out.append(integer: value)
    case .boolean(let value): out.append(value ? "1" as StaticString : "0")
    case .real(let value): try append(value, row, column, &out)
    case .text(let start, let length), .json(let start, let length):
      Self.append(text: ByteRun(chunk, start, length), &out)
    case .bytes(let start, let length): Self.append(hexadecimal: ByteRun(chunk, start, length), &out)
    case .number(let start, let length):
      let literal = ByteRun(chunk, start, length), text = String(decoding: literal.bytes, as: UTF8.self)
      if type == .integer {
        guard Int64(text).map(String.init) == text else {
          throw Problem(
            .badData, "column \(schema.columns[column].name): \(text.prefix(40)) is out of range for a 64-bit integer",
            record: row)
        }
        out.append(literal)
      } else if type == .real, let value = Double(text), value.isFinite,
        literal.equals(value.canonicalText) || DecimalNumber(literal.bytes) == DecimalNumber(value)
      {
        try append(value, row, column, &out)
      } else {
        Self.append(text: literal, &out)
      }
    }
  }

  private func append(_ value: Double, _ row: Int, _ column: Int, _ out: inout ByteBuffer) throws(Problem) {
    if value.isFinite { return Self.append(real: value, &out) }
    switch nonfinite {
    case .error:
      throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: row, format: "SQL")
    case .null: out.append("NULL")
    case .string:
      out.append("'")
      out.append(NonfinitePolicy.word(for: value))
      out.append("'")
    }
  }

  /// Text between quotes. NUL would end the statement, and the shell drops a carriage return before a line feed: such
  /// text goes as hexadecimal.
  private static func append(text: ByteRun, _ out: inout ByteBuffer) {
    var position = 0
    while position < text.count, text[position] != 0, text[position] != 0x0D { position += 1 }
    if position < text.count {
      out.append("CAST(")
      append(hexadecimal: text, &out)
      return out.append(" AS TEXT)")
    }
    out.append("'")
    var start = 0
    for position in 0..<text.count where text[position] == UInt8(ascii: "'") {
      out.append(text.slice(from: start, atMost: position - start))
      out.append("'")
      start = position
    }
    out.append(text.slice(from: start, atMost: text.count - start))
    out.append("'")
  }

  private static func append(hexadecimal bytes: ByteRun, _ out: inout ByteBuffer) {
    out.append("X'")
    for position in 0..<bytes.count {
      for digit in [bytes[position] >> 4, bytes[position] & 15] {
        out.append(byte: digit < 10 ? 48 + digit : 55 + digit)
      }
    }
    out.append("'")
  }

  /// A real that SQLite reads to the last bit. Its reader is exact for up to 15 digits and small exponents; any other
  /// number is an integer of 53 bits, multiplied or divided by powers of two, which is exact as well.
  private static func append(real value: Double, _ out: inout ByteBuffer) {
    let text = value.canonicalText
    let mantissa = text.prefix { $0 != UInt8(ascii: "e") }.filter { $0 &- 48 < 10 }
    let isSmall = value == 0 || (1e-5...1e21).contains(value.magnitude)
    if mantissa.drop(while: { $0 == 48 }).count <= 15, isSmall { return out.append(bytes: text) }
    var exponent = Int(value.exponent) - Double.significandBitCount
    var integer = value.significand.magnitude
    for _ in 0..<Double.significandBitCount { integer *= 2 }
    if value < 0 { out.append("-") }
    out.append(bytes: integer.canonicalText)
    while exponent != 0 {
      let step = min(abs(exponent), 50)
      out.append(exponent > 0 ? "*" as StaticString : "/")
      out.append(integer: 1 << Int64(step))
      out.append(".0")
      exponent -= exponent > 0 ? step : -step
    }
  }
}
