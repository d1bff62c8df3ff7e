import Query
public import Rows

/// Copies everything in a store to a new one: every table with its columns and its source, and the history.
public enum Migration {
  /// Copies `old` into `new`, which is empty.
  /// - Returns: the tables, and how many records each has.
  public static func copy(
    _ old: any RecordStore, to new: any RecordStore
  ) async throws(Problem) -> [(table: String, records: Int)] {
    var copied: [(table: String, records: Int)] = []
    for schema in try await old.tables() {
      var rows = try await old.rows(of: schema.name, RowRequest())
      while true {
        // A table that bb did not make has the types that its values show.
        var load = TableLoad("migrate", time: "", rows.schema, rows, from: try await old.source(of: schema.name))
        load.isRemembered = false
        do throws(Problem) {
          copied.append((schema.name, try await new.load(load).added))
          break
        } catch {
          guard error.kind == .badData, let wider = try await rows.widened() else { throw error }
          rows = wider
        }
      }
    }
    try await new.adopt(try await old.history())
    return copied
  }
}
