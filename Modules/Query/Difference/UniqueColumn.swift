public import Rows

/// The key of the rows of two tables that are compared.
public enum RowIdentity: Sendable, Hashable {
  /// One of the tables declares a key.
  case declared
  /// The first column that is unique and never null in both tables.
  case column(String)
  /// No column is unique in both.
  case none

  /// The bytes of a value in a set, with the room that it leaves free.
  private static let valueBytes = 24

  /// Reads both tables, until no column can be unique.
  /// If `memoryLimit`, the memory for values in bytes, is too small, the last columns are not read.
  public static func find(
    in old: UnionRows.Part, _ new: UnionRows.Part, types: ColumnTypes, memoryLimit: Int
  ) async throws(Problem) -> RowIdentity {
    var names: [String]?
    for part in [old, new] {
      var known = ColumnTypes()
      let rows = try await part.rows(&known, given: types)
      if !rows.schema.key.isEmpty { return .declared }
      let candidates = names ?? rows.schema.columns.map(\.name)
      names = try await rows.withWidening { (stream) async throws(Problem) in
        try await unique(in: stream, among: candidates, memoryLimit)
      }
    }
    return names?.first.map { .column($0) } ?? .none
  }

  private static func unique(
    in rows: any RowStream, among names: [String], _ memoryLimit: Int
  ) async throws(Problem) -> [String] {
    var alive = names.compactMap { name in rows.schema.position(of: name).map { (name: name, column: $0) } }
      .filter { !rows.schema.columns[$0.column].type.isNested }
    var seen = Array(repeating: Set<UInt64>(), count: alive.count), count = 0
    while !alive.isEmpty, let task = try await rows.next() {
      let batch = try task.batch(), reader = CellReader(batch)
      for at in alive.indices.reversed() {
        let column = alive[at].column
        var keys = KeyBuffer(), isUnique = true
        for row in 0..<batch.count where isUnique {
          let cell = reader.cell(row, column)
          keys.put(cell, reader)
          keys.finishKey()
          isUnique = !cell.isNull && seen[at].insert(keys.hash(row)).inserted
        }
        if isUnique { continue }
        alive.remove(at: at)
        seen.remove(at: at)
      }
      count += batch.count
      while count * alive.count * valueBytes > memoryLimit, !alive.isEmpty {
        alive.removeLast()
        seen.removeLast()
      }
    }
    return count == 0 ? [] : alive.map(\.name)
  }
}
