public import Rows

/// A table as a load replaced it, or as it was until the load was undone: what one store hands to another, so that the
/// load can be undone, or made again, there as well.
public struct ReplacedTable: Sendable {
  /// The identifier of the load's entry.
  public let load: String
  /// The table.
  public let name: String
  /// Its columns and key; nil if there was no table.
  public let schema: Schema?
  /// Where its rows came from.
  public let source: String?
  /// Whether `rows` are all rows of the table, as wide as `schema`. If not, they are the rows that are different now,
  /// with a column before the others: 0 for a row as it was, 1 for the key of a row that did not exist.
  public let isWhole: Bool
  /// The rows.
  public let rows: any RowStream

  /// A table `name` as it was before, or until the undo of, the load of the entry `load`.
  public init(
    load: String, name: String, schema: Schema?, source: String?, isWhole: Bool, rows: any RowStream
  ) {
    self.load = load
    self.name = name
    self.schema = schema
    self.source = source
    self.isWhole = isWhole
    if let schema {
      self.rows = NamedRows(inner: rows, schema: isWhole ? schema : Self.differences(schema))
    } else {
      self.rows = rows
    }
  }

  /// A table that did not exist.
  public static func missing(_ name: String, load: String) -> ReplacedTable {
    let rows = BufferedRows(schema: Schema(name, columns: []), batches: [])
    return ReplacedTable(load: load, name: name, schema: nil, source: nil, isWhole: true, rows: rows)
  }

  /// The columns of `rows` for the differences of a table of `schema`: without a key, and with nulls next to keys.
  public static func differences(_ schema: Schema) -> Schema {
    var kind = "bb_kind"
    while schema.position(of: kind) != nil { kind += "_" }
    let columns = schema.columns.map { column in
      ColumnDescription(column.name, column.type, column.summary, unit: column.unit, extra: column.isExtra)
    }
    return Schema(schema.name, columns: [ColumnDescription(kind, .integer)] + columns)
  }
}

/// Rows under the names of the table: stores keep them under others.
private struct NamedRows: DerivedRowStream {
  let inner: any RowStream
  let schema: Schema

  func next() async throws(Problem) -> BatchTask? { try await inner.next() }
}
