import Codecs
import Query
import Rows

/// A table of which several sources own records: those with certain values in the columns of its scope.
struct ScopedTable {
  private let columns: [String]
  /// The values of the scope, and who owns them: none for records that no sync loaded.
  private var owners: [String: String] = [:]
  private let schema: Schema
  private let batches: [RowBatch]

  init(_ name: String, _ columns: [String], in store: any RecordStore) async throws(Problem) {
    self.columns = columns
    let rows = try await store.rows(of: name, RowRequest())
    (schema, batches) = (rows.schema, try await rows.collect())
    let source = try await store.source(of: name) ?? "", shared = Self.owners(source)
    for value in Self.values(of: batches, schema, columns) { owners[value] = shared.map { $0[value] ?? "" } ?? source }
  }

  /// The owners by value in the source of a table that several own; nil if one owns all.
  private static func owners(_ source: String) -> [String: String]? {
    guard source.hasPrefix("{"), let members = (try? JSON.parse(Array(source.utf8), name: "source"))?.objectMembers
    else { return nil }
    var owners: [String: String] = [:]
    for member in members {
      for value in member.value.arrayValue ?? [] {
        owners[value.stringValue ?? ""] = String(decoding: member.key, as: UTF8.self)
      }
    }
    return owners
  }

  private static func values(of batches: [RowBatch], _ schema: Schema, _ columns: [String]) -> Set<String> {
    var values: Set<String> = []
    for batch in batches { for row in 0..<batch.count { values.insert(value(of: row, in: batch, schema, columns)) } }
    return values
  }

  private static func value(of row: Int, in batch: RowBatch, _ schema: Schema, _ columns: [String]) -> String {
    RecordKey.text(of: columns.map { name in schema.position(of: name).map { batch.value(row, $0) } ?? .null })
  }

  /// The rows of a source, with the rows of the table that others own; and the sources of all, as a store keeps them.
  /// - Parameter takesOver: whether the source may take records that another source owns.
  /// - Throws: `badData` if it may not.
  func merged(
    with rows: [RowBatch], of schema: Schema, from source: String, takesOver: Bool
  ) throws(Problem) -> (rows: [RowBatch], source: String) {
    let mine = Self.values(of: rows, schema, columns)
    if !takesOver, let other = mine.sorted().first(where: { owners[$0] ?? source != source }), let owner = owners[other]
    {
      throw Problem(
        .badData, owner.isEmpty ? "\(other) was not loaded by sync" : "\(other) was loaded from \(owner)",
        at: schema.name, hint: .set(.sourceReplacement, for: "replace it"))
    }
    var builder = RowBatchBuilder(width: schema.width), merged = rows
    let positions = schema.columns.map { self.schema.position(of: $0.name) }
    for batch in batches {
      for row in 0..<batch.count where !mine.contains(Self.value(of: row, in: batch, self.schema, columns)) {
        for position in positions { builder.append(value: position.map { batch.value(row, $0) } ?? .null) }
        if builder.isFull { merged.append(builder.takeBatch()) }
      }
    }
    if builder.count > 0 { merged.append(builder.takeBatch()) }
    let all = owners.merging(mine.map { ($0, source) }) { $1 }
    let sources = Dictionary(grouping: all.keys) { all[$0] ?? "" }.sorted { $0.key < $1.key }
    guard sources.count > 1 else { return (merged, source) }
    let text = JSON.object(
      sources.map { JSON.Member(Array($0.key.utf8), .array($0.value.sorted().map { .string($0) })) })
    return (merged, String(decoding: text.canonicalBytes, as: UTF8.self))
  }
}
