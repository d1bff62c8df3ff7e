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

  mutating func run(base: Records, ours: Records, theirs: Records) throws(Problem) {
    let encoder = codec.encoder(schema)
    try write { (out) throws(Problem) in try encoder.begin(&out) }
    for key in Set(ours.keys).union(theirs.keys).sorted() {
      let (old, left, right) = (base[key], ours[key], theirs[key])
      if left == right || right == old {
        if let left { try add(left, encoder) }
      } else if left == old {
        if let right { try add(right, encoder) }
      } else if let left, let right, let merged = merging(old, left, right) {
        try add(merged, encoder)
      } else {
        try mark("<<<<<<< ours", encoder)
        if let left { try add(left, encoder) }
        try mark("=======", encoder)
        if let right { try add(right, encoder, isOther: left != nil) }
        try mark(">>>>>>> theirs", encoder)
        conflicts += 1
      }
    }
    try flush(encoder)
    let isEmpty = self.isEmpty
    try write { (out) throws(Problem) in try encoder.finish(isEmpty: isEmpty, &out) }
  }

  /// Both edits of a record; nil if one field was edited twice. Of two times of an update, the later one counts.
  private func merging(_ old: [Value]?, _ left: [Value], _ right: [Value]) -> [Value]? {
    var merged = left
    for (place, column) in schema.columns.enumerated() where left[place] != right[place] {
      if let old, right[place] == old[place] { continue }
      if let old, left[place] == old[place] {
        merged[place] = right[place]
      } else if column.role == .audit, column.type == .timestamp {
        merged[place] = StoredKey([left[place]]) < StoredKey([right[place]]) ? right[place] : left[place]
      } else {
        return nil
      }
    }
    return merged
  }

  private mutating func add(
    _ row: [Value], _ encoder: any DirectoryEncoder, isOther: Bool = false
  ) throws(Problem) {
    for value in row { builder.append(value: value) }
    // The other side of a conflict takes the place of the first: no comma is between them.
    if isOther { try flush(encoder, isFirst: true) } else if builder.isFull { try flush(encoder) }
  }

  private mutating func flush(_ encoder: any DirectoryEncoder, isFirst: Bool = false) throws(Problem) {
    guard builder.count > 0 else { return }
    let batch = builder.takeBatch(), begins = isFirst || isEmpty
    try write { (out) throws(Problem) in try encoder.write(batch, isFirst: begins, &out) }
    isEmpty = false
  }

  private mutating func mark(_ text: String, _ encoder: any DirectoryEncoder) throws(Problem) {
    try flush(encoder)
    if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
    bytes += Array((text + "\n").utf8)
  }

  private mutating func write(_ body: (inout ByteBuffer) throws(Problem) -> Void) throws(Problem) {
    var out = ByteBuffer()
    try body(&out)
    bytes += out.bytes()
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
