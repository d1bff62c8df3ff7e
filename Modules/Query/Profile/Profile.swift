import Codecs
public import Rows

/// A table with the figures of each column of another table: nulls, different values, extremes, quartiles, the most
/// frequent values. The same for any number of threads and any batches.
public enum Profile {
  /// The columns that readers see, and the others.
  public static let shownColumns = ["column", "type", "null", "distinct", "values"]
  /// The columns of a table in a file.
  public static let tableColumns = ["column", "type", "filled", "distinct", "distribution", "frequent"]
  /// The columns for programs.
  public static let fileColumns = [
    "column", "type", "rows", "nulls", "distinct_count", "distinct_is_exact", "min", "p25", "median", "p75", "max",
    "min_length", "max_length", "top", "histogram", "note",
  ]

  /// The notes on columns of text in a profile, each after the name of the column.
  public static func notes(in profile: [RowBatch]) -> [String] {
    let column = schema(of: "").columns.count - 1
    return profile.flatMap { batch in
      (0..<batch.count).compactMap { row in
        guard case .text(let note) = batch.value(row, column), case .text(let name) = batch.value(row, 0) else {
          return nil
        }
        return "\(String(decoding: name, as: UTF8.self)): \(String(decoding: note, as: UTF8.self))"
      }
    }
  }

  static func schema(of table: String) -> Schema {
    func integer(_ name: String, _ summary: String) -> ColumnDescription { ColumnDescription(name, .integer, summary) }
    return Schema(
      table, "profile of the columns",
      columns: [
        ColumnDescription("column", .text, nullable: false, "name of the column", role: .title),
        ColumnDescription("type", .text, nullable: false, "type of the column"),
        ColumnDescription("null", .text, "share of nulls; all for a column without values"),
        ColumnDescription(
          "distinct", .text, "number of distinct values; = if every value is different, ~ if estimated"),
        ColumnDescription("values", .text, "distribution, extremes or the most frequent values"),
        integer("rows", "number of rows"), integer("nulls", "number of nulls"),
        integer("distinct_count", "number of distinct values; of lists, of their elements"),
        ColumnDescription("distinct_is_exact", .boolean, "whether the number is exact; otherwise within about 2 %"),
        ColumnDescription("min", .text, "least value"), ColumnDescription("p25", .text, "first quartile"),
        ColumnDescription("median", .text, "median"), ColumnDescription("p75", .text, "third quartile"),
        ColumnDescription("max", .text, "greatest value"), integer("min_length", "length of the shortest value"),
        integer("max_length", "length of the longest value"),
        ColumnDescription("top", .json, "the most frequent values and their counts, if distinct_is_exact"),
        ColumnDescription(
          "histogram", .list(.integer), "counts in 16 equal intervals from min to max", unit: Histogram.unit),
        ColumnDescription("filled", .text, "share of values that are not null"),
        ColumnDescription("distribution", .text, "least value, median and greatest value, or the lengths"),
        ColumnDescription("frequent", .text, "the most frequent values and their counts"),
        ColumnDescription("note", .text, "what the values of a text column look like, and the option to read them so"),
      ])
  }

  /// The most workers: each has figures of its own.
  private static let mostWorkers = 4

  /// The limits of what is counted exactly: they depend on the table, not on the machine.
  private static func limit(columns: Int) -> ColumnProfile.Limit {
    let values = min(65_536, max(256, 98_304 / max(columns, 1)))
    return ColumnProfile.Limit(values: values, bytes: values * 64)
  }

  private final class Column {
    var profile: ColumnProfile
    /// The type that the values of a column of text nearly have; nil for others.
    var near: NearType?
    /// The digits of numbers as they are spelled; nil for columns of other types, and for values without a spelling.
    var shape: DecimalShape?
    init(_ column: ColumnDescription, _ limit: ColumnProfile.Limit) {
      profile = ColumnProfile(column.type, limit: limit)
      near = column.type == .text ? NearType() : nil
      shape = column.type == .decimal || column.type == .real ? DecimalShape() : nil
    }
    func measure(_ position: Int, of batch: RowBatch) {
      for row in 0..<batch.count where shape != nil {
        switch batch[row, position] {
        case .null: break
        case .number(let start, let length): shape?.add(.number(start, length), batch.arena)
        default: shape = nil
        }
      }
    }
  }

  /// The profiles of the columns that a worker sees; used by one task at a time.
  private final class Worker: @unchecked Sendable {
    let columns: [Column]
    var rows = 0
    init(_ schema: Schema) {
      let limit = Profile.limit(columns: schema.width)
      columns = schema.columns.map { Column($0, limit) }
    }
    func merge(_ other: Worker) {
      rows += other.rows
      for (column, more) in zip(columns, other.columns) {
        column.profile.merge(more.profile)
        if let other = more.near { column.near?.merge(other) }
        if let other = more.shape { column.shape?.merge(other) } else { column.shape = nil }
      }
    }
  }

  /// Reads all rows of a stream.
  /// - `threads`: tasks at once, at least 1.
  /// - `option`: the option of a setting with a value, for notes.
  /// - Returns: a row for each column.
  public static func rows(
    of stream: any RowStream, threads: Int, option: (Setting, String) -> String = { "\($0.name) \($1)" }
  ) async throws(Problem) -> BufferedRows {
    let schema = stream.schema
    let workers = (0..<(schema.width > 500 ? 1 : max(1, min(threads, mostWorkers)))).map { _ in Worker(schema) }
    try await BatchDispenser.forEach(of: stream, threads: workers.count) { (worker, _, batch) throws(Problem) in
      workers[worker].rows += batch.count
      for (position, column) in workers[worker].columns.enumerated() {
        column.profile.add(position, of: batch)
        column.measure(position, of: batch)
        guard column.near != nil else { continue }
        for row in 0..<batch.count { column.near?.add(batch[row, position], batch.arena) }
      }
    }
    for other in workers.dropFirst() { workers[0].merge(other) }
    let result = Self.schema(of: schema.name)
    var builder = RowBatchBuilder(width: result.width), batches: [RowBatch] = []
    for (column, figures) in zip(schema.columns, workers[0].columns) {
      figures.profile.summary(scale: figures.shape?.scale).append(column, rows: workers[0].rows, to: &builder)
      builder.append(value: figures.near?.note(column.name, option: option).map { .text(Array($0.utf8)) } ?? .null)
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    return BufferedRows(schema: result, batches: batches + [builder.takeBatch()], notes: stream.notes)
  }
}
