public import Rows

/// The part of a source that is read to try its definition.
public struct SourceSample: Sendable, Hashable {
  var pages: Int
  /// The most detail requests of each dataset.
  var details = 3
  /// The most parent records, or combinations of values, whose lists are requested.
  var parents = 3

  /// A sample of `pages` pages, at least 1.
  public init(pages: Int = 2) { self.pages = max(1, pages) }
}

/// The conclusions from a sample of a dataset's records: one row for each column and each remark.
public struct SourceTrial: Sendable {
  /// A row.
  public struct Row: Sendable, Hashable {
    /// The column, or the JSON Pointer of a member that no column reads; nil for the dataset.
    var column: String?
    /// The share of records with a value, in percent: 0 only for none, 100 only for all.
    var filled: Int?
    /// The number of distinct values.
    var distinct: Int?
    var example: String?
    /// The advice to check; empty if there is none.
    var note: String

    /// Creates a row.
    public init(
      _ column: String?, filled: Int? = nil, distinct: Int? = nil, example: String? = nil, note: String = ""
    ) {
      (self.column, self.filled, self.distinct, self.example, self.note) = (column, filled, distinct, example, note)
    }
  }
  /// The dataset.
  public var dataset: String
  /// The rows.
  public var rows: [Row] = []
  /// The columns with values that do not fit.
  var misfits: [String] = []
  /// The contradiction to the definition, or the reason why there was no response; nil if there is none.
  public var problem: Problem?

  /// Creates a trial without rows.
  init(_ dataset: String) { self.dataset = dataset }

  /// The schema of the trials of datasets as a table.
  static let schema = Schema(
    "trial", "what a sample of records shows about a source definition",
    columns: [
      ColumnDescription("dataset", .text, nullable: false, "dataset"),
      ColumnDescription("column", .text, "column, or member that no column reads"),
      ColumnDescription("filled", .integer, "share of records with a value", unit: "%"),
      ColumnDescription("distinct", .integer, "number of distinct values"),
      ColumnDescription("example", .text, "example"),
      ColumnDescription("note", .text, "what to look at"),
    ])

  /// The trials as rows of `schema`.
  public static func rows(of trials: [SourceTrial]) -> any RowStream {
    var builder = RowBatchBuilder(width: schema.width)
    for trial in trials {
      for row in trial.rows {
        builder.append(text: trial.dataset)
        if let column = row.column { builder.append(text: column) } else { builder.appendNull() }
        for number in [row.filled, row.distinct] {
          if let number { builder.append(integer: Int64(number)) } else { builder.appendNull() }
        }
        if let example = row.example { builder.append(text: example) } else { builder.appendNull() }
        if row.note.isEmpty { builder.appendNull() } else { builder.append(text: row.note) }
      }
    }
    return BufferedRows(schema: schema, batches: builder.count == 0 ? [] : [builder.finish()])
  }
}
