import Rows

/// The groups that one worker has found lately, with the states of their aggregates.
final class GroupTable {
  private let plan: GroupPlan
  private let memoryLimit: Int
  private var index = GroupIndex()
  private var states: [any AggregateState]
  /// The number of rows added to the groups that are here.
  private var rows = 0
  /// Whether few rows were of a known group when there were many groups.
  private var hasFewRepeats = false

  /// From this number of groups on, a table grows only if enough rows are of known groups: a small one stays in the
  /// processor's cache, and merging costs less than looking in memory.
  private static let most = 1 << 15
  /// The same, when there were few rows of known groups before.
  private static let mostWithFewRepeats = 1 << 12

  init(_ plan: GroupPlan, memoryLimit: Int) {
    self.plan = plan
    self.memoryLimit = memoryLimit
    states = plan.aggregates.map { $0.state() }
    if plan.columns.isEmpty {
      // Without columns all rows are one group, also if there are none.
      index.addWhole()
      for state in states { state.reserve(1) }
    }
  }

  /// Adds the rows of a batch. `start` is the place of its first row in the input.
  func add(_ batch: RowBatch, start: UInt64) throws(Problem) {
    if plan.isRowCount {
      for case let state as CountState in states { state.add(rows: batch.count) }
      return
    }
    let grouped: GroupedBatch
    if plan.columns.isEmpty {
      grouped = GroupedBatch(
        reader: CellReader(batch), rows: Array(0..<Int32(batch.count)), start: start,
        groups: Array(repeating: 0, count: batch.count))
    } else {
      grouped = index.groups(of: batch, start, plan)
    }
    rows += grouped.rows.count
    for state in states {
      state.reserve(index.count)
      try state.add(grouped)
    }
  }

  /// Whether the groups should be taken before more rows are added.
  var isFull: Bool {
    if plan.columns.isEmpty { return false }
    if index.count >= (hasFewRepeats ? Self.mostWithFewRepeats : Self.most), rows - index.count < rows / 16 {
      hasFewRepeats = true
      return true
    }
    let memory = states.reduce(0) { $0 + $1.memory }
    // One group needs as much again after it was taken.
    return memory > memoryLimit || index.count > 1 && memory + index.memory > memoryLimit
  }

  /// Removes all groups, and calls `body` with sorted rows made of them.
  func takeRuns(_ body: (SortRun) throws(Problem) -> Void) throws(Problem) {
    var builder = RowBatchBuilder(width: plan.partialWidth)
    for group in 0..<index.count {
      index.append(group, plan, to: &builder)
      for state in states { state.appendPartial(group, to: &builder) }
      if builder.isFull { try body(SortRun(builder.takeBatch(), plan.order)) }
    }
    if builder.count > 0 { try body(SortRun(builder.finish(), plan.order)) }
    if index.memory > memoryLimit { index = GroupIndex() } else { index.removeAll() }
    states = plan.aggregates.map { $0.state() }
    rows = 0
  }
}
