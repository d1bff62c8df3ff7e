import Files
import Glibc
import Query
import Rows

/// A table of a directory store as its file is now.
struct DirectoryTable: Sendable {
  /// All its columns, those that a user added after the others.
  let schema: Schema
  /// The file, which stays this one when another takes its place.
  let file: FileByteSource
  /// The stamp that tells whether it was replaced.
  let stamp: FileStamp
  /// Whether the file is unchanged since bb wrote it: complete, and in key order.
  let isKnown: Bool
  private let format: DirectoryFormat

  /// Opens the table whose columns are known to be `columns`.
  static func open(
    _ file: FileByteSource, _ name: String, key: [String], _ columns: [ColumnDescription], _ format: DirectoryFormat,
    known: DirectoryState.File?
  ) async throws(Problem) -> DirectoryTable {
    guard let status = file.status(), let again = file.again() else {
      throw Problem(.badData, "not a regular file", at: file.name)
    }
    let stamp = FileStamp(status), isKnown = known?.stamp == stamp
    var extras: [String]
    if isKnown, let known {
      extras = known.extras
    } else {
      if let conflict = try MergeConflict.problem(in: file) { throw conflict }
      do throws(Problem) {
        extras = try await format.codec.columnNames(again, known: columns)
      } catch {
        throw ChangeDetectingRows.judged(error, file, stamp)
      }
    }
    let listed = Set(columns.map { Array($0.name.utf8) })
    extras.removeAll { listed.contains(Array($0.utf8)) }
    for name in key where !columns.has(name) {
      throw Problem(.badData, "no description of the key column “\(name)”", at: file.name)
    }
    let all = columns + extras.map { ColumnDescription($0, format.typeOfExtras, extra: true) }
    let schema = Schema(name, key: key, columns: all)
    return DirectoryTable(schema: schema, file: file, stamp: stamp, isKnown: isKnown, format: format)
  }

  /// The records in order of the key. A file that a user may have changed is checked whole first.
  /// - Throws: `badData` with the place of what is wrong: damage, a key twice, a null where there must be none.
  func rows(columns: [String]?, scratch: any ScratchSpace) async throws(Problem) -> any RowStream {
    if isKnown || schema.key.isEmpty {
      if !isKnown { try await look { _, _ throws(Problem) in } }
      return try stream(columns)
    }
    if try await isInOrder() { return try stream(columns) }
    try await checkForTwins(scratch)
    var selection = inOrder
    selection.columns = schema.columns.map(\.name).filter { columns?.contains($0) ?? true }
    return try selection.apply(to: try stream(nil), scratch: scratch)
  }

  /// Looks at every record.
  /// - Throws: `badData` for the first that is wrong.
  func check(scratch: any ScratchSpace) async throws(Problem) {
    if schema.key.isEmpty { return try await look { _, _ throws(Problem) in } }
    if try await !isInOrder() { try await checkForTwins(scratch) }
  }

  private func stream(_ columns: [String]?) throws(Problem) -> any RowStream {
    ChangeDetectingRows(try format.codec.rows(file.again() ?? file, schema, columns: columns), of: file, stamp)
  }

  private var inOrder: Selection {
    var selection = Selection()
    selection.sort = schema.key.map { Selection.SortKey(schema.columns[$0].name) }
    return selection
  }

  private func look(_ visit: (RowBatch, Int) throws(Problem) -> Void) async throws(Problem) {
    let stream = try stream(nil)
    let required = schema.columns.indices.filter { !schema.columns[$0].isNullable || schema.key.contains($0) }
    var record = 0
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        for column in required where batch[row, column].isNull {
          let name = schema.columns[column].name
          throw Problem(.badData, "column “\(name)” must not be null", at: file.name, record: record + row)
        }
        try visit(batch, row)
      }
      record += batch.count
    }
  }

  private func isInOrder() async throws(Problem) -> Bool {
    var last: (batch: RowBatch, row: Int)?, result = true
    try await look { (batch, row) throws(Problem) in
      if let before = last, result {
        result = KeyOrder.compare(before.batch, before.row, batch, row, schema.key) < 0
      }
      last = (batch, row)
    }
    return result
  }

  /// Refuses two records with one key, naming their lines.
  private func checkForTwins(_ scratch: any ScratchSpace) async throws(Problem) {
    let names = schema.key.map { schema.columns[$0].name }
    let keys = try inOrder.apply(to: try stream(names), scratch: scratch)
    let places = names.compactMap(keys.schema.position(of:))
    var last: (batch: RowBatch, row: Int)?
    while let batch = try await keys.next()?.batch() {
      for row in 0..<batch.count {
        if let last, KeyOrder.compare(last.batch, last.row, batch, row, places) == 0 {
          throw try await twins(of: StoredKey(places.map { batch.value(row, $0) }))
        }
        last = (batch, row)
      }
    }
  }

  private func twins(of key: StoredKey) async throws(Problem) -> Problem {
    var records: [Int] = [], record = 0
    try await look { (batch, row) throws(Problem) in
      if StoredKey(schema.key.map { batch.value(row, $0) }) == key { records.append(record) }
      record += 1
    }
    let two = Array(records.prefix(2))
    guard let lines = try await format.codec.lines(of: two, file, schema), lines.count == 2 else {
      let numbers = two.map { String($0 + 1) }.joined(separator: " and ")
      return Problem(
        .badData, "records \(numbers) have the same key, \(key.text)", at: file.name,
        hint: "remove or change one of them")
    }
    return Problem(
      .badData, "lines \(lines[0]) and \(lines[1]) have the same key, \(key.text)", at: "\(file.name):\(lines[1])",
      hint: "remove or change one of them")
  }
}

/// The order of keys, compared in place.
enum KeyOrder {
  /// Below zero when the key of the first row comes first, zero when they are the same.
  static func compare(_ a: RowBatch, _ rowA: Int, _ b: RowBatch, _ rowB: Int, _ key: [Int]) -> Int {
    for column in key {
      let order = compare(a[rowA, column], a.arena, b[rowB, column], b.arena)
      if order != 0 { return order }
    }
    return 0
  }

  /// The same with a key that has been taken out.
  static func compare(_ a: RowBatch, _ row: Int, _ key: [Int], _ b: StoredKey) -> Int {
    for (column, value) in zip(key, b.values) {
      let cell = a[row, column]
      let order: Int
      switch (cell, value) {
      case (.text(let start, let length), .text(let bytes)):
        order = unsafe bytes.withUnsafeBytes { other in
          unsafe compare(bytesOf(a.arena, start, length), other)
        }
      default:
        let known = StoredKey([Self.plain(a.value(row, column))]), other = StoredKey([value])
        order = known == other ? 0 : known < other ? -1 : 1
      }
      if order != 0 { return order }
    }
    return 0
  }

  private static func compare(_ x: Cell, _ a: Arena, _ y: Cell, _ b: Arena) -> Int {
    switch (x, y) {
    case (.text(let start, let length), .text(let otherStart, let otherLength)):
      return unsafe compare(bytesOf(a, start, length), bytesOf(b, otherStart, otherLength))
    case (.boolean(let left), .boolean(let right)): return left == right ? 0 : left ? 1 : -1
    default:
      guard let left = integer(x, a), let right = integer(y, b) else { return 0 }
      return left < right ? -1 : left == right ? 0 : 1
    }
  }

  private static func integer(_ cell: Cell, _ arena: Arena) -> Int64? {
    switch cell {
    case .integer(let value): value
    case .number(let start, let length):
      unsafe Int64(String(decoding: bytesOf(arena, start, length), as: UTF8.self))
    case .null, .text, .json, .bytes, .real, .boolean: nil
    }
  }

  private static func plain(_ value: Value) -> Value {
    guard case .number(let literal) = value, let number = Int64(String(decoding: literal, as: UTF8.self)) else {
      return value
    }
    return .integer(number)
  }

  private static func bytesOf(_ arena: Arena, _ start: UInt32, _ length: UInt32) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: arena.base + Int(start), count: Int(length))
  }

  private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    if let left = a.baseAddress, let right = b.baseAddress {
      let order = unsafe memcmp(left, right, min(a.count, b.count))
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }
}
