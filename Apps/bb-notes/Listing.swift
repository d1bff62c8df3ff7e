import AppShell
import Domain
import Query
import Rows

/// Writes a list of records to standard output.
struct Listing {
  private let plan: OutputPlan
  /// The columns that the user sees; nil for all.
  private let visible: [String]?

  /// Creates a list of `kind`, the name of the records in JSON. Files get all columns, scripts `columns`, and the user
  /// `userColumns`; `format` is the format unless another one is chosen, nil for a table on a terminal and CSV
  /// elsewhere.
  /// - Throws: `usage` for contradictory options and for an unknown format.
  init(
    _ context: CommandContext, kind: String, columns: [String]? = nil, user userColumns: [String]? = nil,
    format: String? = nil
  ) throws(Problem) {
    var policy = OutputPolicy()
    policy.kind = kind
    policy.threads = 1
    policy.showsLocalTimes = true
    policy.columns = [.user: userColumns ?? columns, .scripts: columns].compactMapValues { $0 }
    if let format { (policy.defaultFormat, policy.interactiveFormat) = (format, nil) }
    plan = try OutputPlan(context.invocation, context.services, policy)
    visible = userColumns ?? columns
  }

  /// Whether the records are written as they are stored: to files, unless the selection names a computed column. So
  /// the same rows are selected for every format.
  func isPlain(_ selection: Selection, computed: [String]) -> Bool {
    let named = selection.namedColumns + selection.steps.dropped
    return plan.audience == .files && selection.search == nil && !named.contains(where: computed.contains)
  }

  /// Whether the records are shown to the user.
  var isForUser: Bool { plan.audience == .user }

  /// Writes the rows that `selection` selects; files get computed columns only by name.
  /// - Returns: the number of rows written.
  @discardableResult
  func write(
    _ rows: any RowStream, _ selection: Selection = Selection(), computed: [String] = []
  ) async throws(Problem) -> Int {
    var selection = selection
    let steps = selection.steps, isOwn = !steps.assigned.isEmpty || steps.pivot != nil || !steps.unpivot.isEmpty
    if selection.columns == nil, selection.grouping == nil, !isOwn, plan.audience != .scripts, !computed.isEmpty {
      for name in steps.dropped { _ = try rows.schema.column(named: name) }
      let stored = rows.schema.columns.map(\.name).filter { !computed.contains($0) }
      selection.columns = (plan.audience == .files ? stored : visible ?? stored).filter { !steps.dropped.contains($0) }
    }
    return try await plan.write(rows, selection: selection).rows
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
