public import Rows

/// Rows as CSV, in the style asked for.
///
/// Without state between batches: a batch gives the same bytes whatever was written before it. Numbers are written as
/// their literal, dates and URLs as text, bytes in base64, lists and JSON values as JSON text unless the style says
/// otherwise.
public struct CSVWriter: Sendable {
  let schema: Schema
  let style: CSVStyle
  let fields: CSVFieldWriter
  /// The text for null and the record end, in chunks, so that they can be copied in registers.
  private let null: Arena, lineEnd: Arena
  /// Columns whose cells take the long way: JSON columns, and nested ones when the style does not write them as JSON.
  private let isUnusual: [Bool]
  /// For the flatten style, the parts of each column.
  let parts: [[String]]

  /// A writer of rows of `schema`. `parts` are the columns that nested values fall into, for the flatten style.
  public init(_ schema: Schema, style: CSVStyle = CSVStyle(), parts: [[String]] = []) {
    self.schema = schema
    self.style = style
    // A column without parts is a column all the same.
    let measured = parts.count == schema.width ? parts : schema.columns.map { _ in [""] }
    let parts = style.nested == .flatten ? measured.map { $0.isEmpty ? [""] : $0 } : []
    self.parts = parts
    let width = parts.isEmpty ? schema.width : parts.reduce(0) { $0 + $1.count }
    let quotedText = style.nullText.isEmpty && width == 1 ? CSVStyle.loneNull : style.nullText
    fields = CSVFieldWriter(delimiter: style.delimiter, nullText: quotedText)
    null = Arena(style.nullText)
    lineEnd = Arena(style.lineEnding == .lf ? [0x0A] : [0x0D, 0x0A])
    isUnusual = schema.columns.map {
      $0.type == .json || $0.type.isNested && style.nested != .json || $0.spelling != .usual
    }
  }

  /// The byte order mark and the header, as far as the style has them.
  public func begin(_ out: inout ByteBuffer) throws(Problem) {
    if style.hasByteOrderMark { out.append(bytes: [0xEF, 0xBB, 0xBF]) }
    try checkParts()
    guard style.hasHeader else { return }
    var cursor = WriteCursor(&out, margin: 16)
    var isFirst = true
    let own = schema.columns.map(\.name), source = schema.columns.map { $0.title ?? $0.name }
    let titles = style.keepsTitles && parts.isEmpty && CSVHeader(source).names == own ? source : own
    for column in schema.columns.indices {
      let names = parts.isEmpty ? [""] : parts[column]
      for part in names {
        if !isFirst { cursor.put(style.delimiter) }
        let name = Arena(Array((part.isEmpty ? titles[column] : "\(own[column]).\(part)").utf8))
        let run = ByteRun(name, 0, UInt32(name.count))
        if name.count == 0, !own[column].isEmpty, own.count > 1 {
          // As in the source, without quotes.
        } else if isFirst, !style.hasByteOrderMark, run.first == 0xEF {
          fields.putQuoted(run, at: &cursor, &out)
        } else {
          _ = try putText(run, row: nil, column: column, at: &cursor, &out)
        }
        isFirst = false
        cursor.ensure(0, &out)
      }
    }
    cursor.put(ByteRun(lineEnd, 0, UInt32(lineEnd.count)))
    cursor.commit(to: &out)
  }

  /// Refuses parts that would be called as another column.
  private func checkParts() throws(Problem) {
    var names: Set<[UInt8]> = []
    for (column, parts) in zip(schema.columns, parts) {
      for part in parts {
        let name = part.isEmpty ? column.name : "\(column.name).\(part)"
        guard names.insert(Array(name.utf8)).inserted else {
          throw Self.collision("duplicate column name “\(name)”")
        }
      }
    }
  }

  /// Writes the rows of a batch. Without a header, a field of the first column that begins with U+FEFF is quoted, lest
  /// it be taken for a byte order mark at the start of a file.
  /// - Returns: the number of cells that look like a formula (and were kept or escaped).
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> Int {
    let width = batch.width, arena = batch.arena
    precondition(width == schema.width, "internal error: batch has the wrong number of columns")
    if width == 0, batch.count > 0 {
      throw Problem(
        .badData, "cannot write a table without columns as CSV", hint: .set(.outputFormat, to: "json"), record: 0)
    }
    let usual = width * (NumberWriter.longest + null.count + 1) + 16
    var cursor = WriteCursor(&out, margin: usual)
    var position = 0, risky = 0
    let delimiter = style.delimiter
    let nullRun = ByteRun(null, 0, UInt32(null.count)), endRun = ByteRun(lineEnd, 0, UInt32(lineEnd.count))
    for row in 0..<batch.count {
      cursor.ensure(0, &out)
      for column in 0..<width {
        if column != 0 { cursor.put(delimiter) }
        let cell = unsafe batch.cells.base[position]
        position &+= 1
        if isUnusual[column] {
          if case .json(let start, let length) = cell, style.nested == .json {
            fields.put(ByteRun(arena, start, length), at: &cursor, &out)
            continue
          }
          risky += try putUnusual(cell, arena, row: row, column: column, at: &cursor, &out)
          continue
        }
        switch cell {
        case .null: cursor.put(nullRun)
        case .text(let start, let length):
          let text = ByteRun(arena, start, length)
          if CSVFieldWriter.looksLikeFormula(text) {
            risky += try putText(text, row: row, column: column, at: &cursor, &out)
          } else if column == 0, !style.hasHeader, !style.hasByteOrderMark, text.first == 0xEF {
            fields.putQuoted(text, at: &cursor, &out)
          } else {
            fields.put(text, at: &cursor, &out)
          }
        case .json(let start, let length): fields.put(ByteRun(arena, start, length), at: &cursor, &out)
        case .number(let start, let length):
          cursor.ensure(Int(length), &out)
          cursor.put(ByteRun(arena, start, length))
        case .integer(let value): cursor.put(value)
        case .real(let value):
          if value.isFinite {
            cursor.put(value)
          } else {
            try putNonfinite(value, row: row, column: column, at: &cursor)
          }
        case .boolean(let value): cursor.put(value ? "true" : "false")
        case .bytes(let start, let length): putBytes(ByteRun(arena, start, length), at: &cursor, &out)
        }
      }
      cursor.put(endRun)
    }
    cursor.commit(to: &out)
    return risky
  }

  /// Text, which may look like a formula, of `row`, or of the header when there is none; returns 1 when it does.
  func putText(
    _ text: ByteRun, row: Int?, column: Int, at cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) throws(Problem) -> Int {
    guard CSVFieldWriter.looksLikeFormula(text) else {
      fields.put(text, at: &cursor, &out)
      return 0
    }
    switch style.formulas {
    case .keep: fields.put(text, at: &cursor, &out)
    case .escape: fields.putQuoted(text, prefix: UInt8(ascii: "'"), at: &cursor, &out)
    case .reject:
      throw Problem(
        .badData,
        "column \(schema.columns[column].name): the \(row == nil ? "name" : "value") starts like a spreadsheet formula",
        hint: [
          .set(.formatOption("formulas"), to: "escape", for: "make it safe"),
          .set(.formatOption("formulas"), to: "keep", for: "write it unchanged"),
        ], record: row)
    }
    return 1
  }

  func putNull(at cursor: inout WriteCursor) { cursor.put(ByteRun(null, 0, UInt32(null.count))) }

  private func putBytes(_ bytes: ByteRun, at cursor: inout WriteCursor, _ out: inout ByteBuffer) {
    if bytes.count == 0 { return fields.putQuoted(bytes, at: &cursor, &out) }
    cursor.putBase64(bytes, &out)
    cursor.ensure(0, &out)
  }

  @inline(never)
  func putNonfinite(_ value: Double, row: Int, column: Int, at cursor: inout WriteCursor) throws(Problem) {
    switch style.nonfinite {
    case .error:
      throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: row, format: "CSV")
    case .null: putNull(at: &cursor)
    case .string: cursor.put(NonfinitePolicy.word(for: value))
    }
  }
}
