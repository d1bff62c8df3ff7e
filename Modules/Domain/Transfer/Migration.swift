import Query
public import Rows

/// Copies everything in a store to a new one: every table with its columns and its source, the
/// history, and what it takes to undo loads.
public enum Migration {
  /// Copies `old` into `new`, which is empty.
  /// - Returns: the tables, and how many records each has.
  public static func copy(
    _ old: any RecordStore, to new: any RecordStore
  ) async throws(Problem) -> [(table: String, records: Int)] {
    var copied: [(table: String, records: Int)] = []
    for schema in try await old.tables() {
      let source = try await old.source(of: schema.name)
      // A table that bb did not make has the types that its values show.
      let records = try await old.rows(of: schema.name, RowRequest()).withWidening { (rows) throws(Problem) in
        var load = TableLoad("migrate", time: "", rows.schema, rows, from: source)
        load.isRemembered = false
        return try await new.load(load).added
      }
      copied.append((schema.name, records))
    }
    let history = try await old.history()
    try await new.adopt(history)
    for entry in history where entry.undoes.isEmpty {
      for images in entry.tables where images.isLoad {
        if let table = try await old.replaced(by: entry.id, images) { try await new.keep(table) }
      }
    }
    return copied
  }
}
