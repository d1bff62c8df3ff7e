import AppShell
import Domain
import Query
import Rows

/// Writes a list of records to standard output, or to files.
struct Listing {
  private let plan: OutputPlan
  private let scripts: [String]?, first: [String], hidden: [String]

  /// Creates a list of `kind`, the name of the records in JSON.
  /// - Parameters:
  ///   - columns: the columns of lines for scripts; nil for all.
  ///   - first: the columns that come first in every format. Tables name the others in their last line.
  ///   - hidden: those of `first` that tables only name as well.
  ///   - format: the format unless another one is chosen; nil for a table on a terminal and CSV elsewhere.
  /// - Throws: `usage` for contradictory options and for an unknown format.
  init(
    _ context: CommandContext, kind: String, columns: [String]? = nil, first: [String] = [], hidden: [String] = [],
    format: String? = nil
  ) throws(Problem) {
    var policy = OutputPolicy()
    policy.kind = kind
    policy.threads = 1
    policy.showsLocalTimes = context.services.terminal.width != nil
    policy.columns = [.scripts: columns].compactMapValues { $0 }
    if let format { (policy.defaultFormat, policy.interactiveFormat) = (format, nil) }
    plan = try OutputPlan(context.invocation, context.services, policy)
    (scripts, self.first, self.hidden) = (columns, first, hidden)
  }

  /// Whether the selection, or the list, has one of the `computed` columns.
  func needs(_ computed: [String], for selection: Selection) -> Bool {
    var steps = selection.steps
    (steps.today, steps.now) = ("", "")
    if selection.search != nil || steps != Selection().steps
      || selection.namedColumns.contains(where: computed.contains)
    {
      return true
    }
    let isAll = selection.columns == nil && selection.grouping == nil
    return isAll && !plan.isDocument && (!isForScripts || scripts?.contains(where: computed.contains) ?? true)
  }

  /// Whether the list is of lines for scripts.
  var isForScripts: Bool { plan.audience == .scripts }

  /// Writes the rows that `selection` selects. The `computed` columns that do not come first are written by name only;
  /// documents of other programs have none.
  /// - Returns: the number of rows written.
  @discardableResult
  func write(
    _ rows: any RowStream, _ selection: Selection = Selection(), computed: [String] = []
  ) async throws(Problem) -> Int {
    guard selection.columns == nil, selection.grouping == nil, !isForScripts, !first.isEmpty else {
      return try await plan.write(rows, selection: selection).rows
    }
    let first = plan.isDocument ? first.filter { !computed.contains($0) } : first
    let rest = rows.schema.columns.map(\.name).filter { !first.contains($0) }
    let others = rest.filter { !computed.contains($0) },
      listed = ListedRows(rows, first + rest, hiding: hidden + others)
    var selection = selection
    let steps = selection.steps
    if steps.assigned.isEmpty, steps.pivot == nil, steps.unpivot.isEmpty {
      for name in steps.dropped { _ = try rows.schema.column(named: name) }
      selection.columns = (first + others).filter { !steps.dropped.contains($0) }
    }
    return try await plan.write(listed, selection: selection).rows
  }

  /// Writes records of `schema` in the order given.
  func write(
    _ records: [Record], of schema: Schema, _ selection: Selection = Selection(), computed: [String] = []
  ) async throws(Problem) {
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for record in records {
      for column in schema.columns { builder.append(value: record[column.name]) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    batches.append(builder.finish())
    try await write(BufferedRows(schema: schema, batches: batches), selection, computed: computed)
  }
}

/// Rows with their columns in another order, of which tables name some only.
private struct ListedRows: DerivedRowStream {
  let schema: Schema, inner: any RowStream
  private let positions: [Int]

  init(_ inner: any RowStream, _ names: [String], hiding hidden: [String]) {
    self.inner = inner
    positions = names.compactMap { inner.schema.position(of: $0) }
    let old = inner.schema.projected(to: positions)
    let columns = old.columns.map { column in
      let isHidden = hidden.contains(column.name)
      guard isHidden ? column.role?.isImage != true : column.role == .audit else { return column }
      return ColumnDescription(
        column.name, column.type, nullable: column.isNullable, column.summary, unit: column.unit,
        extra: column.isExtra, mixed: column.isMixed, role: isHidden ? .audit : nil)
    }
    schema = Schema(old.name, old.summary, key: old.key.map { old.columns[$0].name }, columns: columns)
  }

  func next() async throws(Problem) -> BatchTask? {
    let positions = self.positions
    return try await inner.next()?.followed { (batch) throws(Problem) in batch.projected(to: positions) }
  }
}
