public import Rows

/// Writes rows as SQL: one transaction that creates a table and fills it.
///
/// Dates and times have types of their own if the first rows fit them; URLs and lists are text. Whatever the dialect
/// cannot represent is refused with record and column.
public struct SQLWriter: Sendable {
  /// The most columns of a table in SQLite as it is usually built (SQLITE_MAX_COLUMN).
  public static let maximumColumns = 2000

  private let schema: Schema
  private let nonfinite: NonfinitePolicy
  private let dialect: SQLDialect
  /// The shapes of the numbers in columns of decimals, by position; only SQLite needs them.
  private let decimals: [Int: DecimalShape]
  /// The declared types, and the columns of dates and times that are not text.
  private let types: [String], native: [Bool]
  /// The columns of decimals whose sizes the user gave.
  private let sized: [Bool]
  /// `INSERT INTO "t" VALUES(`.
  private let insert: [UInt8]

  /// Creates a writer of rows of `schema`.
  /// - `dialect`: nil for the common subset, or for SQLite if no common text can express the table: a column
  ///   has bytes or values of several types, a name is too long, or there are too many columns.
  /// - Throws: `usage` for a table without columns; `badData` for columns that the dialect does not have.
  public init(
    _ schema: Schema, nonfinite: NonfinitePolicy = .error, dialect: SQLDialect? = nil,
    decimals: [Int: DecimalShape] = [:], types given: ColumnTypes = [:], head: [RowBatch] = []
  ) throws(Problem) {
    guard schema.width > 0 else { throw Problem(.usage, "sql: a table must have at least one column") }
    try schema.checkForSQL()
    let hasCommonTypes = !schema.columns.contains { $0.type == .bytes || $0.isMixed }
    let isCommon = hasCommonTypes && SQLDialect.ansi.obstacle(schema) == nil
    self.schema = schema
    self.nonfinite = nonfinite
    self.decimals = decimals
    self.dialect = dialect ?? (isCommon ? .ansi : .sqlite)
    for column in schema.columns where self.dialect.declared(column.type) == nil {
      throw Problem(
        .badData, "column \(column.name): no type for bytes is common to all database systems",
        hint: .set(.formatOption("sql.dialect"), to: "sqlite", "postgres", "mysql"))
    }
    if let obstacle = self.dialect.obstacle(schema) {
      throw Problem(
        .badData, obstacle,
        hint: [.set(.formatOption("sql.dialect"), to: "sqlite"), .set(.columns, for: "choose columns")])
    }
    var types: [String] = [], native = schema.columns.map { _ in false }, sized = native
    for (position, column) in schema.columns.enumerated() {
      let size = column.type == .decimal ? given.decimalSize(of: column.name) : nil
      if let size, let type = self.dialect.declared(size) {
        types.append(type)
        sized[position] = true
      } else if let type = self.dialect.native(column.type),
        head.allSatisfy({ batch in
          (0..<batch.count).allSatisfy { Self.fits(batch[$0, position], batch.arena, column.type) }
        })
      {
        types.append(type)
        native[position] = true
      } else {
        types.append(self.dialect.declared(column.type) ?? "TEXT")
      }
    }
    (self.types, self.native, self.sized) = (types, native, sized)
    insert = Array("INSERT INTO \(schema.name.quotedForSQL) VALUES(".utf8)
  }

  /// Appends the beginning of the transaction, and the definition of the table.
  public func begin(_ out: inout ByteBuffer) {
    out.append(dialect.opening)
    if dialect == .sqlite {
      let reals = schema.columns.indices.filter { schema.columns[$0].type == .real }
      out.append(SQLiteDefinition(schema, untypedReals: Set(reals), decimals: untold).text)
      return out.append(";\n")
    }
    var lines = zip(schema.columns, types).map { column, type in
      "  \(column.name.quotedForSQL) \(type)\(column.isNullable ? "" : " NOT NULL")"
    }
    if !schema.key.isEmpty { lines.append("  PRIMARY KEY(\(schema.key.map(keyPart).joined(separator: ", ")))") }
    let options = dialect == .postgres ? "" : " /*! CHARACTER SET utf8mb4 COLLATE utf8mb4_bin */"
    out.append(
      "CREATE TABLE \(schema.name.quotedForSQL) (\n\(lines.joined(separator: ",\n"))\n)\(options);\n")
  }

  /// The shapes of decimals, of which no number is the last one, so that none has a scale.
  private var untold: [Int: DecimalShape] { decimals.mapValues(\.unscaled) }

  /// A column of the primary key. MySQL needs the length of a prefix for text; its keys have at most 3,072 bytes.
  private func keyPart(_ position: Int) -> String {
    let column = schema.columns[position]
    let texts = schema.key.count { types[$0].hasPrefix("TEXT") }, isText = types[position].hasPrefix("TEXT")
    let prefix = isText && dialect != .postgres ? " /*! (\(min(255, 700 / max(1, texts)))) */" : ""
    return column.name.quotedForSQL + prefix
  }

  /// Appends the end of the transaction.
  public func finish(_ out: inout ByteBuffer) { out.append(dialect.closing) }

  /// Appends the rows of a batch.
  /// - Throws: `badData` with `record` set for a value that the dialect cannot represent.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    for row in 0..<batch.count {
      out.append(bytes: insert)
      for column in 0..<batch.width {
        if column > 0 { out.append(",") }
        do throws(Problem) {
          try append(batch[row, column], batch.arena, column, &out)
        } catch {
          var problem = error
          problem.record = row
          throw problem
        }
      }
      out.append(");\n")
    }
  }

  private func append(
    _ cell: Cell, _ arena: Arena, _ column: Int, _ out: inout ByteBuffer
  ) throws(Problem) {
    let type = schema.columns[column].type
    if type == .json, !cell.isNull { return try append(json: cell, arena, column, &out) }
    switch cell {
    case .null: out.append("NULL")
    case .text(let start, let length) where native[column] && !Self.fits(cell, arena, type):
      let name = NameListParser.written(schema.columns[column].name)
      throw Problem(
        .badData, "column \(name): \(types[column]) cannot be \(ByteRun(arena, start, length).text)",
        hint: .set(.columnTypes, to: "\(name)=text"))
    case .integer(let value): out.append(integer: value)
    case .boolean(let value):
      let word: StaticString = dialect == .sqlite ? value ? "1" : "0" : value ? "TRUE" : "FALSE"
      out.append(word)
    case .real(let value): try append(value, column, &out)
    case .text(let start, let length), .json(let start, let length):
      try append(text: ByteRun(arena, start, length), column, &out)
    case .bytes(let start, let length): append(bytes: ByteRun(arena, start, length), &out)
    case .number(let start, let length):
      try append(literal: ByteRun(arena, start, length), type, column, &out)
    }
  }

  /// Whether a date or a time is one in every database system.
  private static func fits(_ cell: Cell, _ arena: Arena, _ type: ColumnType) -> Bool {
    guard case .text(let start, let length) = cell else { return true }
    let text = ByteRun(arena, start, length)
    return EpochTime.value(of: text, in: type == .date ? .days : .microseconds, isExact: false) != nil
      && !text.slice(from: 0, atMost: 4).equals("0000")
  }

  // MARK: JSON

  /// Appends a value of a JSON column: for PostgreSQL as JSON, else by value.
  private func append(
    json cell: Cell, _ arena: Arena, _ column: Int, _ out: inout ByteBuffer
  ) throws(Problem) {
    if case .real(let value) = cell, !value.isFinite { return try append(value, column, &out) }
    if case .bytes(let start, let length) = cell {
      guard dialect == .sqlite else {
        throw problem(column, "bytes and text cannot be distinguished in one column", ["sqlite"])
      }
      return append(bytes: ByteRun(arena, start, length), &out)
    }
    var json = ByteBuffer(capacity: 256)
    json.append(jsonOf: cell, arena)
    let copy = Arena(json.bytes()), text = ByteRun(copy, 0, UInt32(copy.count))
    guard dialect != .postgres else { return try append(text: text, column, &out) }
    switch unsafe JSONScalar(text.start, text.count) {
    case .null: out.append("NULL")
    case .number where dialect == .sqlite: try append(literal: text, .decimal, column, &out)
    case .number, .boolean, .nested: try append(text: text, column, &out)
    case .plainText: try append(string: text.slice(from: 1, atMost: text.count - 2).bytes, text, column, &out)
    case .text(let string): try append(string: string, text, column, &out)
    }
  }

  /// Appends a string of a JSON column, as JSON text if it would be read as another value.
  private func append(
    string: [UInt8], _ json: ByteRun, _ column: Int, _ out: inout ByteBuffer
  ) throws(Problem) {
    let isUntyped = dialect != .sqlite
    if isUntyped || !schema.columns[column].isMixed, JSONByValue.isAmbiguous(string, isUntyped: isUntyped) {
      return try append(text: json, column, &out)
    }
    let copy = Arena(string)
    try append(text: ByteRun(copy, 0, UInt32(copy.count)), column, &out)
  }

  // MARK: Numbers

  private func append(
    literal: ByteRun, _ type: ColumnType, _ column: Int, _ out: inout ByteBuffer
  ) throws(Problem) {
    if type == .integer {
      let text = String(decoding: literal.bytes, as: UTF8.self)
      guard Int64(text).map(String.init) == text else {
        throw Problem(
          .badData, "column \(schema.columns[column].name): \(text.prefix(40)) is out of range for a 64-bit integer")
      }
      return out.append(literal)
    }
    let stored = unsafe StoredNumber(literal.start, literal.count)
    switch (dialect, type, stored) {
    case (.postgres, .decimal, _): out.append(literal)
    // With an exponent it would be a double.
    case (.mysql, .decimal, _)
    where sized[column] && !literal.bytes.contains { $0 | 0x20 == UInt8(ascii: "e") }:
      out.append(literal)
    case (.sqlite, .decimal, .integer), (_, .decimal, .integer(-999_999_999_999_999...999_999_999_999_999)):
      out.append(literal)
    // The canonical text of few digits, which SQLite reads exactly.
    case (.sqlite, _, .real(let value)) where literal.count <= 16 && 1e-4..<1e15 ~= value.magnitude: out.append(literal)
    case (_, _, .real(let value)): try append(value, column, &out)
    default:
      // Another spelling, or a number that no Double is.
      let held = unsafe NumberSpelling.held(literal.start, literal.count), isKept = held != nil
      let value = held ?? Double(String(decoding: literal.bytes, as: UTF8.self)) ?? .infinity
      if dialect == .sqlite {
        if type == .decimal, decimals[column]?.storage == .double {
          if isKept { return try append(value, column, &out) }
          var problem = problem(column, "a REAL column cannot keep \(literal.text)", ["postgres"])
          problem.needsAllRows = true
          throw problem
        }
        if type == .real, isKept { return try append(value, column, &out) }
        return try append(text: literal, column, &out)
      }
      guard isKept else {
        let shown = String(decoding: literal.bytes.prefix(40), as: UTF8.self)
        throw problem(column, "a double cannot keep all digits of \(shown)", ["sqlite", "postgres"])
      }
      try append(value, column, &out)
    }
  }

  private func append(_ value: Double, _ column: Int, _ out: inout ByteBuffer) throws(Problem) {
    guard value.isFinite else {
      switch nonfinite {
      case .error:
        throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: 0, format: "SQL")
      case .null: return out.append("NULL")
      case .string: return out.append("'\(NonfinitePolicy.word(for: value))'")
      }
    }
    switch dialect {
    case .sqlite: SQLReal.append(value, scaledBy: .literal, &out)
    case .ansi: SQLReal.append(value, scaledBy: .rounded, &out)
    case .postgres: out.append("'\(String(decoding: value.canonicalText, as: UTF8.self))'")
    case .mysql:
      let text = value.canonicalText
      out.append(bytes: text)
      // Without an exponent it would be a decimal.
      if !text.contains(UInt8(ascii: "e")) { out.append("e0") }
    }
  }

  // MARK: Text and bytes

  /// Appends text in quotes. A NUL would end the statement in most systems, and SQLite's shell drops a carriage return
  /// before a line feed.
  private func append(text: ByteRun, _ column: Int, _ out: inout ByteBuffer) throws(Problem) {
    var position = 0
    while position < text.count, text[position] != 0, text[position] != 0x0D { position += 1 }
    if position == text.count { return appendQuoted(text, &out) }
    let bytes = text.bytes, hasNUL = bytes.contains(0)
    switch dialect {
    case .sqlite:
      out.append("CAST(")
      append(bytes: text, &out)
      out.append(" AS TEXT)")
    case .mysql where hasNUL:
      out.append("CONVERT(")
      append(bytes: text, &out)
      out.append(" USING utf8mb4)")
    case .ansi, .postgres, .mysql:
      if hasNUL { throw problem(column, "a text has a NUL character", ["sqlite", "mysql"]) }
      let unused = (UInt8(1)..<127).reversed().first { $0 != 39 && $0 != 92 && $0 != 0x0D && !bytes.contains($0) }
      guard let mark = unused else {
        throw problem(column, "a text has a carriage return and every character of ASCII", ["sqlite"])
      }
      let marked = Arena(bytes.map { $0 == 0x0D ? mark : $0 })
      out.append("replace(")
      appendQuoted(ByteRun(marked, 0, UInt32(marked.count)), &out)
      out.append(bytes: [44, 39, mark, 39, 44, 39, 0x0D, 39, 41])
    }
  }

  private func appendQuoted(_ text: ByteRun, _ out: inout ByteBuffer) {
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

  private func append(bytes: ByteRun, _ out: inout ByteBuffer) {
    out.append(dialect == .postgres ? "'\\x" as StaticString : "X'")
    for position in 0..<bytes.count {
      for digit in [bytes[position] >> 4, bytes[position] & 15] {
        out.append(byte: digit < 10 ? 48 + digit : 55 + digit)
      }
    }
    out.append("'")
  }

  private func problem(_ column: Int, _ what: String, _ dialects: [String]) -> Problem {
    Problem(
      .badData, "column \(schema.columns[column].name): \(what) in this SQL",
      hint: Remedy(steps: [.set(.formatOption("sql.dialect"), to: dialects, purpose: nil)]))
  }
}
