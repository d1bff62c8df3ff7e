import Codecs
import Domain
import Rows

/// The effect of a load on a table, as databases store it in `bb_meta`. The rows are in the table `bb_replaced_N`,
/// where N is the number of the entry.
struct ReplacedLoad {
  /// Whether there was no such table.
  var isNew = false
  /// Where the rows came from before.
  var source: String?
  var rows = 0
  /// Whether the rows are the whole table; so are those of tables without a key.
  var isWhole = false
  /// The table, if there is none because its first load was undone.
  var removed: Schema?

  /// Rows of all such tables that are kept.
  static let keptRows = 1_000_000
  static func table(_ number: Int64) -> String { "bb_replaced_\(number)" }
  static func name(_ number: Int64) -> String { "replaced:\(number)" }

  var json: [UInt8] {
    JSON.object([
      "new": .boolean(isNew), "source": source.map { .string($0) } ?? .null, "rows": .number(Int64(rows)),
      "whole": .boolean(isWhole), "removed": removed.map { DirectoryManifest.Table($0).json } ?? .null,
    ]).canonicalBytes
  }

  /// The columns and key of the rows, and whether they are the whole table.
  func content(_ schema: Schema) -> (schema: Schema, isWhole: Bool) {
    let schema = removed ?? schema
    return (schema, isWhole || removed != nil || schema.key.isEmpty)
  }

  /// The table that the undo of the load changes.
  /// - Parameter known: the table as it is; nil if there is none.
  func schema(_ known: Schema?, _ images: TableRevisions, at place: String) throws(Problem) -> Schema {
    // A column that was added since is a change that is not in the history.
    guard let schema = known ?? removed, (known == nil) == (removed != nil),
      isNew || schema.columns.map(\.name) == images.schema.columns.map(\.name)
    else { throw Problem(.busy, "\(images.schema.name) was changed since", at: place) }
    return schema
  }
}

extension ReplacedLoad {
  /// Reads `json`; nil for other text.
  init?(_ text: [UInt8], of table: String) {
    guard let document = try? JSON.parse(text, name: "") else { return nil }
    isNew = document["new"]?.booleanValue == true
    source = document["source"]?.stringValue
    rows = document["rows"]?.countValue ?? 0
    isWhole = document["whole"]?.booleanValue == true
    removed = document["removed"].flatMap(DirectoryManifest.Table.init)?.schema(table)
  }

  /// What another store kept.
  init(_ table: ReplacedTable, isThere: Bool, rows: Int) {
    (isNew, source, isWhole, self.rows) = (table.schema == nil, table.source, table.isWhole, rows)
    removed = isThere ? nil : table.schema
  }
}
