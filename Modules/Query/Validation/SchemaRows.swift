public import Rows

/// The columns of a table, a row for each.
public enum SchemaRows {
  /// Facts about columns that their source knows, by name; their keys are columns of the result.
  public typealias Details = (names: [(name: String, type: ColumnType)], values: [String: [Value]])

  /// Reads all rows of a stream.
  /// `details` are facts that the source knows; nil if there are none.
  /// - Returns: for each column its name, its type, whether it has a null, its place in the key, its description, its
  ///   unit, and the details.
  public static func rows(
    of stream: any RowStream, threads: Int, details: Details? = nil
  ) async throws(Problem) -> BufferedRows {
    let schema = stream.schema
    let found = (0..<max(1, threads)).map { _ in Nulls(width: schema.width) }
    try await BatchDispenser.forEach(of: stream, threads: found.count) { (worker, _, batch) throws(Problem) in
      found[worker].add(batch)
    }
    let result = Schema(
      schema.name,
      columns: [
        ColumnDescription("column", .text), ColumnDescription("type", .text), ColumnDescription("null", .boolean),
        ColumnDescription("key", .integer), ColumnDescription("description", .text), ColumnDescription("unit", .text),
      ] + (details?.names ?? []).map { ColumnDescription($0.name, $0.type) })
    var builder = RowBatchBuilder(width: result.width), batches: [RowBatch] = []
    for (position, column) in schema.columns.enumerated() {
      builder.append(text: column.name)
      builder.append(text: column.type.name)
      builder.append(boolean: found.contains { $0.columns[position] })
      builder.append(value: schema.key.firstIndex(of: position).map { .integer(Int64($0 + 1)) } ?? .null)
      for text in [column.summary, column.unit] {
        if text.isEmpty { builder.appendNull() } else { builder.append(text: text) }
      }
      let known = details?.values[column.name]
      for at in (details?.names ?? []).indices { builder.append(value: known?[at] ?? .null) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    return BufferedRows(schema: result, batches: batches + [builder.takeBatch()], notes: stream.notes)
  }

  /// The columns in which a worker found a null; used by one task at a time.
  private final class Nulls: @unchecked Sendable {
    var columns: [Bool]
    init(width: Int) { columns = Array(repeating: false, count: width) }
    func add(_ batch: RowBatch) {
      for column in columns.indices where !columns[column] {
        columns[column] = (0..<batch.count).contains { batch[$0, column].isNull }
      }
    }
  }
}
