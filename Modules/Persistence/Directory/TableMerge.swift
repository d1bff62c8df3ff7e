import Codecs
import Files
import Glibc
import Query
import Rows

/// Merges two versions of a table that have a common ancestor: by key, then by field. Additions never conflict; two
/// edits of one field do.
struct TableMerge: ~Copyable {
  private let schema: Schema
  private let codec: any DirectoryCodec
  private var builder: RowBatchBuilder
  private var isEmpty = true
  private(set) var bytes: [UInt8] = []
  private(set) var conflicts = 0

  init(_ schema: Schema, _ codec: any DirectoryCodec) {
    (self.schema, self.codec) = (schema, codec)
    builder = RowBatchBuilder(width: schema.width)
  }

  typealias Records = [StoredKey: [Value]]

  private enum Item {
    case record([Value])
    /// What either side has: records, or none.
    case conflict([[Value]], [[Value]])
  }

  mutating func run(base: Records, ours: Records, theirs: Records) throws(Problem) {
    var items: [Item] = [], lastRecord: Int?
    for key in Set(ours.keys).union(theirs.keys).sorted() {
      let (old, left, right) = (base[key], ours[key], theirs[key])
      let merged: [Value]?
      if left == right || right == old {
        merged = left
      } else if left == old {
        merged = right
      } else if let left, let right, let both = merging(old, left, right) {
        merged = both
      } else {
        items.append(.conflict([left].compactMap(\.self), [right].compactMap(\.self)))
        conflicts += 1
        continue
      }
      guard let merged else { continue }
      lastRecord = items.count
      items.append(.record(merged))
    }
    // A record comes last, so that a comma follows every other, whichever side of a conflict is kept.
    if conflicts > 0, let lastRecord {
      items.append(items.remove(at: lastRecord))
    } else if conflicts > 1 {
      func all(_ side: (Item) -> [[Value]]) -> [[Value]] { items.flatMap(side) }
      items = [
        .conflict(
          all { if case .conflict(let ours, _) = $0 { ours } else { [] } },
          all { if case .conflict(_, let theirs) = $0 { theirs } else { [] } })
      ]
    }
    let encoder = codec.encoder(schema)
    try write { (out) throws(Problem) in try encoder.begin(&out) }
    for item in items {
      switch item {
      case .record(let row):
        for value in row { builder.append(value: value) }
        if builder.isFull { try flush(encoder) }
      case .conflict(let ours, let theirs):
        try flush(encoder)
        if !isEmpty { bytes += encoder.separator.utf8 }
        mark("<<<<<<< ours")
        try add(ours, encoder, isLast: lastRecord == nil)
        mark("=======")
        try add(theirs, encoder, isLast: lastRecord == nil)
        mark(">>>>>>> theirs")
        isEmpty = true
      }
    }
    try flush(encoder)
    let isEmpty = self.isEmpty && items.isEmpty
    try write { (out) throws(Problem) in try encoder.finish(isEmpty: isEmpty, &out) }
  }

  /// Adds the records of one side of a conflict, one per line.
  private mutating func add(
    _ rows: [[Value]], _ encoder: any DirectoryEncoder, isLast: Bool
  ) throws(Problem) {
    for (position, row) in rows.enumerated() {
      for value in row { builder.append(value: value) }
      isEmpty = true
      try flush(encoder)
      if !isLast || position < rows.count - 1 {
        if bytes.last == 0x0A, !encoder.separator.isEmpty { bytes.removeLast() }
        bytes += encoder.separator.utf8
      }
    }
  }

  /// Both edits of a record; nil if one field was edited twice. Of two times of an update, the later one counts, of
  /// two numbers the lower; a list has what either side added, and not what either removed.
  private func merging(_ old: [Value]?, _ left: [Value], _ right: [Value]) -> [Value]? {
    var merged = left
    for (place, column) in schema.columns.enumerated() where left[place] != right[place] {
      if right[place] == old?[place] ?? .null { continue }
      if left[place] == old?[place] ?? .null {
        merged[place] = right[place]
      } else if case .list = column.type {
        merged[place] = Self.union(old?[place], left[place], right[place])
      } else if column.role == .audit {
        let isLater = StoredKey([left[place]]) < StoredKey([right[place]])
        merged[place] = isLater == (column.type == .timestamp) ? right[place] : left[place]
      } else {
        return nil
      }
    }
    return merged
  }

  private static func union(_ old: Value?, _ left: Value, _ right: Value) -> Value {
    func elements(_ value: Value?) -> [String] {
      if case .json(let list) = value { ListText.elements(of: list) } else { [] }
    }
    let (old, left, right) = (elements(old), elements(left), elements(right))
    var union = left.filter { right.contains($0) || !old.contains($0) }
    for element in right where !left.contains(element) && !old.contains(element) { union.append(element) }
    if left == left.sorted(), right == right.sorted() { union.sort() }
    return .json(JSON.array(union.map { .string($0) }).canonicalBytes)
  }

  private mutating func flush(_ encoder: any DirectoryEncoder) throws(Problem) {
    guard builder.count > 0 else { return }
    let batch = builder.takeBatch(), isFirst = isEmpty
    try write { (out) throws(Problem) in try encoder.write(batch, isFirst: isFirst, &out) }
    isEmpty = false
  }

  private mutating func mark(_ text: String) {
    if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
    bytes += Array((text + "\n").utf8)
  }

  private mutating func write(_ body: (inout ByteBuffer) throws(Problem) -> Void) throws(Problem) {
    var out = ByteBuffer()
    try body(&out)
    // No empty line after a mark.
    bytes += out.bytes().drop { $0 == 0x0A && bytes.last == 0x0A }
  }
}

extension DirectoryStore {
  /// Writes a merge of three versions of the file of a table over `ours`; an empty file has no records.
  /// - Returns: the number of conflicts; nil if the store has no such table with a key.
  func merge(base: String, ours: String, theirs: String, of file: String) async throws(Problem) -> Int? {
    guard file.hasSuffix(format.tableSuffix) else { return nil }
    let name = TableFileName.table(of: String(file.dropLast(format.tableSuffix.utf8.count)))
    let known = try await reading { (view) throws(Problem) -> Schema? in
      guard let view else { return nil }
      return try await self.table(name, view)?.schema
    }
    guard let known, !known.key.isEmpty else { return nil }
    var tables: [DirectoryTable?] = [], schema = known
    for path in [base, ours, theirs] {
      let source = try FileByteSource(path: path)
      guard source.status()?.st_size != 0 else {
        tables.append(nil)
        continue
      }
      let table = try await DirectoryTable.open(
        source, name, key: known.key.map { known.columns[$0].name }, known.columns, format, known: nil)
      let more = table.schema.columns.filter { !schema.columns.has($0.name) }
      schema = Schema(name, key: known.key.map { known.columns[$0].name }, columns: schema.columns + more)
      tables.append(table)
    }
    var rows: [TableMerge.Records] = []
    for table in tables {
      var found: TableMerge.Records = [:]
      if let table {
        let places = schema.columns.map { table.schema.position(of: $0.name) }
        let stream = try await table.rows(columns: nil, scratch: scratch)
        while let batch = try await stream.next()?.batch() {
          for row in 0..<batch.count {
            let values = try StoredRow.normalised(
              places.map { $0.map { batch.value(row, $0) } ?? .null }, schema)
            found[StoredKey(of: values, schema)] = values
          }
        }
      }
      rows.append(found)
    }
    var merge = TableMerge(schema, format.codec)
    try merge.run(base: rows[0], ours: rows[1], theirs: rows[2])
    let sink = try FileSink(path: ours)
    try sink.append(merge.bytes)
    try await sink.commit()
    return merge.conflicts
  }
}
