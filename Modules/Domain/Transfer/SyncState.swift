import Query
public import Rows

/// The progress of the sync of a dataset, for each parent record: a row of the table `bb_sync` of the store, written
/// in the transaction of the records that it is about.
public struct SyncState: Sendable, Hashable {
  /// The name of the table.
  public static let table = "bb_sync"
  /// The table.
  public static let schema = Schema(
    table, "state of incremental syncs", key: ["dataset", "parent"],
    columns: [
      ColumnDescription("dataset", .text, nullable: false, "dataset"),
      ColumnDescription("parent", .text, nullable: false, "values of the parent record; empty for none"),
      ColumnDescription("cursor", .text, "greatest value of the cursor column among the stored records"),
      ColumnDescription("ties", .integer, nullable: false, "stored records whose value is the cursor"),
      ColumnDescription("last_key", .text, "key of the last of them"),
      ColumnDescription("window_end", .text, "end of the last window that was stored"),
      ColumnDescription("digest", .text, nullable: false, "digest of the requests"),
      ColumnDescription("parent_digest", .text, "digest of the parent record"),
      ColumnDescription("records", .integer, nullable: false, "records received so far"),
      ColumnDescription("requests", .integer, nullable: false, "requests so far"),
      ColumnDescription("complete", .boolean, nullable: false, "whether the last run came to the end"),
      ColumnDescription("compared_at", .timestamp, "time of the last comparison of all records"),
      ColumnDescription("synced_at", .timestamp, "time of the last run"),
    ])

  package var dataset: String
  var parent: String
  package var cursor: String?
  var ties = 0
  var lastKey: String?
  var windowEnd: String?
  var digest: String
  var parentDigest: String?
  var records = 0
  package var requests = 0
  var isComplete = false
  var comparedAt: String?
  var syncedAt: String?

  /// A state without a cursor.
  package init(_ dataset: String, parent: String, digest: String) {
    self.dataset = dataset
    self.parent = parent
    self.digest = digest
  }

  init(_ row: [Value]) {
    dataset = row[0].plainText ?? ""
    parent = row[1].plainText ?? ""
    cursor = row[2].plainText
    ties = row[3].count
    lastKey = row[4].plainText
    windowEnd = row[5].plainText
    digest = row[6].plainText ?? ""
    parentDigest = row[7].plainText
    records = row[8].count
    requests = row[9].count
    isComplete = row[10] == .boolean(true)
    comparedAt = row[11].plainText
    syncedAt = row[12].plainText
  }

  package var row: [Value] {
    func text(_ text: String?) -> Value { text.map { .text(Array($0.utf8)) } ?? .null }
    return [
      text(dataset), text(parent), text(cursor), .integer(Int64(ties)), text(lastKey), text(windowEnd), text(digest),
      text(parentDigest), .integer(Int64(records)), .integer(Int64(requests)), .boolean(isComplete), text(comparedAt),
      text(syncedAt),
    ]
  }

  /// The states in a store, in order of dataset and parent.
  public static func all(in store: any RecordStore) async throws(Problem) -> [SyncState] {
    guard try await store.contains(table) else { return [] }
    let stream = try await store.rows(of: table, RowRequest())
    let positions = schema.columns.map { stream.schema.position(of: $0.name) }
    var states: [SyncState] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        states.append(SyncState(positions.map { position in position.map { batch.value(row, $0) } ?? .null }))
      }
    }
    return states
  }

  /// A table of the states for users.
  public static func status(_ states: [SyncState]) -> any RowStream {
    let schema = Schema(
      "status", "state of incremental syncs",
      columns: [
        ColumnDescription("dataset", .text), ColumnDescription("parent", .text), ColumnDescription("cursor", .text),
        ColumnDescription("records", .integer), ColumnDescription("requests", .integer),
        ColumnDescription("synced_at", .timestamp), ColumnDescription("complete", .boolean),
      ])
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for state in states {
      var row = [state.row[0], state.row[1], state.row[2], state.row[8], state.row[9], state.row[12], state.row[10]]
      if state.parent.isEmpty { row[1] = .null }
      for value in row { builder.append(value: value) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    if builder.count > 0 { batches.append(builder.takeBatch()) }
    return BufferedRows(schema: schema, batches: batches)
  }
}

extension Value {
  fileprivate var count: Int {
    switch self {
    case .integer(let value): Int(clamping: value)
    case .number(let literal): Int(String(decoding: literal, as: UTF8.self)) ?? 0
    default: 0
    }
  }
  /// The text of a text; nil for other values.
  fileprivate var plainText: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }
}
