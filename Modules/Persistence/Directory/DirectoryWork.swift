import Domain
import Files
import Query
import Rows

/// A directory store that is being changed.
struct DirectoryWork: ~Copyable {
  let lock: DirectoryLock
  let path: String
  var manifest: DirectoryManifest
  var state: DirectoryState
}

/// A new file of a table, not yet in its place.
struct PendingFile {
  let schema: Schema
  let sink: FileSink
  /// The table that it replaces, as it was when it was read; nil for none.
  let old: DirectoryTable?
  var name: String { Temporaries.split(sink.name).name }
}

/// The rows of a load as edits, in order of the key.
final class DirectoryEdits {
  private let schema: Schema
  private let rows: any RowStream
  /// Whether the rows begin with a column of their own: 1 for keys of records that go.
  private var isPart = false
  private var batch: RowBatch?
  private var row = 0
  private var count: Int64 = 0
  private var last: StoredKey?

  init(_ load: TableLoad, scratch: any ScratchSpace) throws(Problem) {
    schema = load.schema
    if load.schema.key.isEmpty {
      rows = load.rows
    } else {
      try StoredRow.check(schema)
      var selection = Selection()
      selection.sort = load.schema.key.map { Selection.SortKey(load.schema.columns[$0].name) }
      rows = try selection.apply(to: load.rows, scratch: scratch)
    }
  }

  /// Rows of `ReplacedTable.differences` as edits of a table of `schema`, which has a key.
  init(differences rows: any RowStream, of schema: Schema, scratch: any ScratchSpace) throws(Problem) {
    self.schema = schema
    isPart = true
    var selection = Selection()
    selection.sort = schema.key.map { Selection.SortKey(schema.columns[$0].name) }
    self.rows = try selection.apply(to: rows, scratch: scratch)
  }

  /// The next record; nil at the end. Without a key, its number is one.
  func next() async throws(Problem) -> DirectoryEdit? {
    while batch == nil || row == batch?.count ?? 0 {
      guard let work = try await rows.next() else { return nil }
      batch = try work.batch()
      row = 0
    }
    guard let batch else { return nil }
    defer { row += 1 }
    var values = (0..<batch.width).map { batch.value(row, $0) }
    if isPart, [.integer(1), .number([49])].contains(values.removeFirst()) {
      let key = try StoredRow.normalised(key: schema.key.map { values[$0] }, schema)
      return DirectoryEdit(key: key, action: .delete)
    }
    values = try StoredRow.normalised(values, schema)
    var key = StoredKey(of: values, schema)
    if schema.key.isEmpty {
      key = StoredKey([.integer(count)])
      count += 1
    } else if key == last {
      throw Problem(.badData, "two records have the key \(key.text)", at: schema.name)
    }
    last = key
    return DirectoryEdit(key: key, action: .put(values))
  }
}

extension TableRevisions {
  /// The same images in the order in which a change names their records, followed by the others.
  func ordered(as change: TableChange) -> TableRevisions {
    var places: [StoredKey: Int] = [:]
    for row in change.upserts { places[StoredKey(of: row, change.schema)] = places.count }
    for key in change.deletes { places[StoredKey(key)] = places.count }
    var result = self
    let keyed = rows.map { (places[StoredKey(of: $0.after ?? $0.before ?? [], schema)] ?? .max, $0) }
    result.rows = keyed.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    return result
  }
}
