import Query
public import Rows

/// Deleted records, from the history, that were not created again.
public struct DeletedRecords: Sendable {
  /// The records.
  public let repository: RecordRepository

  /// The trash of `repository`'s storage.
  public init(_ repository: RecordRepository) { self.repository = repository }

  /// A deleted record.
  public struct Item: Sendable, Hashable {
    /// The record as it was.
    public let record: Record
    /// When it was deleted, RFC 3339 in UTC.
    public let deletedAt: String
    let title: String
  }

  private struct Place: Hashable {
    let table: String
    let key: [Value]
  }

  /// The records in the trash, as they were at their last deletion, latest deletion last.
  public func items() async throws(Problem) -> [Item] {
    var items: [Place: (order: Int, item: Item)] = [:], order = 0
    for entry in try await repository.store.history() {
      for table in entry.tables {
        let rows = table.rows.compactMap { row in
          (row.after ?? row.before).map { (Record(table.schema, $0), row.after == nil) }
        }
        for (record, isGone) in rows.sorted(by: { StoredKey($0.0.key) < StoredKey($1.0.key) }) {
          let place = Place(table: table.schema.name, key: record.key)
          order += 1
          items[place] =
            isGone ? (order, Item(record: record, deletedAt: entry.time, title: entry.title)) : nil
        }
      }
    }
    // A record may have come back by another way than a change: a table that was loaded, a file that was edited.
    var result: [Item] = []
    for item in items.values.sorted(by: { $0.order < $1.order }).map(\.item) {
      if try await repository.record(of: item.record.schema, key: item.record.key) == nil { result.append(item) }
    }
    return result
  }

  /// Puts records back where they were.
  /// - Throws: `busy` when one of them is there again.
  public func restore(_ items: [Item]) async throws(Problem) {
    let names = items.map(\.record.label).joined(separator: ", ")
    try await repository.change("restore \(names)", items.map { RecordRepository.Edit(from: nil, to: $0.record) })
  }
}
