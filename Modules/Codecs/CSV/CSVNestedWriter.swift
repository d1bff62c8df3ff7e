public import Rows

/// Nested values in CSV: as JSON text, joined, or spread over columns (`a.1`, `a.2` for lists, `b.city`, `b.geo.lat`
/// for objects).
extension CSVWriter {
  /// A cell of a JSON column, where a text is a JSON string, or of a nested column that is not written as JSON;
  /// returns how many fields look like a formula.
  @inline(never)
  func putUnusual(
    _ cell: Cell, _ arena: Arena, row: Int, column: Int, at cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) throws(Problem) -> Int {
    if case .real(let value) = cell, !value.isFinite {
      try putNonfinite(value, row: row, column: column, at: &cursor)
      return 0
    }
    let spelling = schema.columns[column].spelling
    if spelling != .usual {
      switch cell {
      case .boolean(let value):
        cursor.put(spelling.word(value))
        return 0
      case .text(let start, let length):
        let text = ByteRun(arena, start, length), copy = Arena(spelling.text(of: text) ?? text.bytes)
        fields.put(ByteRun(copy, 0, UInt32(copy.count)), at: &cursor, &out)
        return 0
      case .null:
        putNull(at: &cursor)
        return 0
      default: break
      }
    }
    if style.nested == .flatten { return try putParts(cell, arena, row: row, column: column, at: &cursor, &out) }
    var text = ByteBuffer(capacity: 1024)
    // Only text may be taken for a formula, and JSON text never begins like one.
    var isText = false
    switch cell {
    case .null:
      putNull(at: &cursor)
      return 0
    case .json(let start, let length) where style.nested == .join:
      isText = true
      NestedText.appendJoined(ByteRun(arena, start, length), to: &text)
    case .text(let start, let length) where style.nested == .join:
      isText = true
      text.append(ByteRun(arena, start, length))
    default: text.append(jsonOf: cell, arena)
    }
    let copy = Arena(text.bytes()), run = ByteRun(copy, 0, UInt32(copy.count))
    if isText { return try putText(run, row: row, column: column, at: &cursor, &out) }
    fields.put(run, at: &cursor, &out)
    return 0
  }

  /// Adds to `parts` the columns that the nested values of a batch fall into, in the order seen.
  ///
  /// A column that holds no nested value has one part without a name: the column itself.
  public static func collectParts(of batch: RowBatch, _ schema: Schema, into parts: inout [[String]]) {
    if parts.isEmpty { parts = schema.columns.map { $0.type.isNested ? [] : [""] } }
    for column in schema.columns.indices where schema.columns[column].type.isNested {
      var known = Set(parts[column].map { Array($0.utf8) })
      for row in 0..<batch.count {
        visit(batch[row, column], batch.arena) { name, _ in
          if known.insert(Array(name.utf8)).inserted { parts[column].append(name) }
        }
      }
    }
  }

  /// Calls `body` with the name of every leaf of a cell, and its text as written in the value. A value that is not
  /// nested is one leaf without a name.
  private static func visit(_ cell: Cell, _ arena: Arena, _ body: (String, ByteRun) -> Void) {
    switch cell {
    case .null: break
    case .json(let start, let length): visit(ByteRun(arena, start, length), "", body)
    default: body("", unsafe ByteRun(start: arena.base, count: 0))
    }
  }

  private static func visit(_ value: ByteRun, _ name: String, _ body: (String, ByteRun) -> Void) {
    var walk = NestedText(value)
    let dotted = name.isEmpty ? "" : "\(name)."
    if walk.isArray {
      var index = 1
      while let element = walk.next() {
        visit(element, "\(dotted)\(index)", body)
        index += 1
      }
    } else if walk.isObject {
      while let key = walk.next(), let element = walk.next() {
        var plain = ByteBuffer(capacity: 64)
        NestedText.appendPlain(key, to: &plain)
        visit(element, dotted + String(decoding: plain.bytes(), as: UTF8.self), body)
      }
    } else {
      body(name, value)
    }
  }

  /// The error for a column name with dots that equals the name of a part.
  static func collision(_ what: String, record: Int? = nil) -> Problem {
    Problem(
      .badData, what, hint: [.omit(.formatOption("nested")), .set(.columns, for: "exclude a column")], record: record)
  }

  private func putParts(
    _ cell: Cell, _ arena: Arena, row: Int, column: Int, at cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) throws(Problem) -> Int {
    var leaves: [[UInt8]: [UInt8]] = [:], names: Set<[UInt8]> = []
    var twice: String?
    switch cell {
    case .null: break
    case .json(let start, let length):
      Self.visit(ByteRun(arena, start, length), "") { name, text in
        var plain = ByteBuffer(capacity: 64)
        NestedText.appendPlain(text, to: &plain)
        leaves[Array(name.utf8)] = text.equals(Array("null".utf8)) ? nil : plain.bytes()
        if !names.insert(Array(name.utf8)).inserted { twice = name }
      }
    case .text(let start, let length):
      leaves[[]] = arena.bytes(start, length)
    default:
      var plain = ByteBuffer(capacity: 64)
      plain.append(jsonOf: cell, arena)
      leaves[[]] = plain.bytes()
    }
    if let twice {
      throw Self.collision(
        "flattening would produce two columns named \(schema.columns[column].name).\(twice)", record: row)
    }
    var risky = 0
    for (index, part) in parts[column].enumerated() {
      if index > 0 { cursor.put(style.delimiter) }
      if let leaf = leaves[Array(part.utf8)] {
        let text = Arena(leaf)
        risky += try putText(ByteRun(text, 0, UInt32(text.count)), row: row, column: column, at: &cursor, &out)
      } else {
        putNull(at: &cursor)
      }
      cursor.ensure(0, &out)
    }
    return risky
  }
}
