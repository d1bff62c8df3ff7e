public import Rows

/// The order in which the rows of each partition come one after another.
public enum PartitionOrder {
  /// The rows of a stream, sorted by columns; rows with equal values keep their order.
  /// - `scratch`: temporary files for what does not fit into `memory`, in bytes.
  /// - `threads`: tasks that sort at once, at least 1.
  /// - Throws: `usage` for a column that the stream does not have.
  public static func rows(
    of stream: any RowStream, by columns: [String], scratch: any ScratchSpace, threads: Int, memory: Int = 64 << 20
  ) throws(Problem) -> any RowStream {
    var keys: [SortOrder.Key] = []
    for name in columns {
      keys.append(SortOrder.Key(column: try stream.schema.column(named: name), isDescending: false))
    }
    if keys.isEmpty { return stream }
    // The key of the table does not decide the order of equal rows.
    let schema = Schema(stream.schema.name, columns: stream.schema.columns)
    return SortedRows(
      stream, by: SortOrder(keys, schema), keeping: nil, scratch: scratch, memoryLimit: memory, threads: threads)
  }
}
