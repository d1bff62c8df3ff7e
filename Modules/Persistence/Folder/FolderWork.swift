import Domain
import Query
import Rows

/// A folder that is being changed.
struct FolderWork: ~Copyable {
  let lock: FolderLock
  var manifest: FolderManifest
  var state: FolderState

  /// Writes what describes new files, before any of them is there.
  mutating func prepare(
    _ files: [PendingFile], source: String?, _ format: any FolderFormat, at path: String
  ) throws(Problem) {
    // The first thing that is there says that the folder is bb's, so that a kill leaves nobody else's.
    let isThere = try FileStamp.now(at: path + "/bb.json") != nil
    if !isThere { try Self.replace(path + "/bb.json", manifest.bytes) }
    var next = manifest
    for file in files {
      // What a person added needs no description, unless it came from a storage of another kind.
      let schema = file.schema
      let isForeign = schema.columns.contains { $0.isExtra && $0.type != format.typeOfExtras }
      let listed = schema.columns.filter { !$0.isExtra || isForeign }
      let listedSchema = Schema(schema.name, key: schema.key.map { schema.columns[$0].name }, columns: listed)
      let name = Temporaries.split(file.sink.name).name
      let metadata = format.metadata(of: listedSchema, file: name)
      next.tables[schema.name] = FolderManifest.Table(
        key: schema.key.map { schema.columns[$0].name }, source: source ?? next.tables[schema.name]?.source,
        columns: metadata == nil ? listed : nil)
      if let metadata { try Self.replace(file.sink.name + "-metadata.json", metadata) }
    }
    if next != manifest { try Self.replace(path + "/bb.json", next.bytes) }
    manifest = next
  }

  /// Replaces a small file, unless it is so already.
  private static func replace(_ path: String, _ bytes: [UInt8]) throws(Problem) {
    if try FileStamp.now(at: path) != nil, try FileByteSource(path: path).bytes(limit: 1 << 30) == bytes { return }
    let sink = try FileSink(path: path, mode: 0o600)
    try sink.append(bytes)
    _ = try sink.flush()
    try sink.publish()
  }
}

/// A new file of a table, not yet in its place.
final class PendingFile {
  let schema: Schema
  let sink: FileSink
  /// The file that it replaces, as it was when it was read; nil for none.
  let replaced: FileStamp?
  /// What it is, once it is flushed.
  private(set) var stamp: FileStamp?
  /// Whether it is in its place.
  var isPublished: Bool { sink.isPublished }

  init(schema: Schema, sink: FileSink, replaced: FileStamp?) {
    self.schema = schema
    self.sink = sink
    self.replaced = replaced
  }

  /// Flushes it, once.
  func flush() throws(Problem) {
    if stamp == nil { stamp = FileStamp(try sink.flush()) }
  }

  /// Puts it in its place.
  func publish() throws(Problem) {
    try flush()
    try sink.publish()
  }
}

/// The rows of a load as edits, in order of the key.
final class FolderEdits {
  private let schema: Schema
  private let rows: any RowStream
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

  /// The next record; nil at the end. Without a key, its number is one.
  func next() async throws(Problem) -> FolderEdit? {
    while batch == nil || row == batch?.count ?? 0 {
      guard let work = try await rows.next() else { return nil }
      batch = try work.batch()
      row = 0
    }
    guard let batch else { return nil }
    defer { row += 1 }
    let values = try StoredRow.normalised((0..<batch.width).map { batch.value(row, $0) }, schema)
    var key = StoredKey(of: values, schema)
    if schema.key.isEmpty {
      key = StoredKey([.integer(count)])
      count += 1
    } else if key == last {
      throw Problem(.badData, "two records have the key \(key.text)", at: schema.name)
    }
    last = key
    return FolderEdit(key: key, action: .put(values))
  }
}

extension TableImages {
  /// The same images in the order in which a change names their records, those that it does not name behind them.
  func ordered(as change: TableChange) -> TableImages {
    var places: [StoredKey: Int] = [:]
    for row in change.upserts { places[StoredKey(of: row, change.schema)] = places.count }
    for key in change.deletes { places[StoredKey(key)] = places.count }
    var result = self
    let keyed = rows.map { (places[StoredKey(of: $0.after ?? $0.before ?? [], schema)] ?? .max, $0) }
    result.rows = keyed.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    return result
  }
}
