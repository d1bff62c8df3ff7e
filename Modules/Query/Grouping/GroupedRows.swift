import Rows
import Synchronization

/// A row for each group of the rows of a stream, in ascending order of the groups, null last.
///
/// Each worker groups the batches it gets. Its groups become rows, which are sorted and merged like those of a sort:
/// so there is one way for few and for many groups, in memory and above its limit. The result does not depend on the
/// number of workers.
final class GroupedRows: DerivedRowStream {
  var schema: Schema { plan.schema }
  let inner: any RowStream
  private let plan: GroupPlan
  private let threads: Int
  private let memoryLimit: Int
  private let scratch: any ScratchSpace
  private let result = Mutex<(any RowStream)?>(nil)

  /// - Parameter memoryLimit: the memory for all groups together, in bytes; those above it go to `scratch`.
  init(_ inner: any RowStream, _ plan: GroupPlan, threads: Int, memoryLimit: Int, scratch: any ScratchSpace) {
    self.inner = inner
    self.plan = plan
    self.threads = max(1, threads)
    self.memoryLimit = memoryLimit
    self.scratch = scratch
  }

  func next() async throws(Problem) -> BatchTask? {
    if let stream = result.withLock({ $0 }) { return try await stream.next() }
    let stream = try await grouped()
    result.withLock { $0 = stream }
    return try await stream.next()
  }

  /// The tables of the workers, each used by one task at a time, and the rows made of them.
  private final class Tables: @unchecked Sendable {
    let plan: GroupPlan
    let tables: [GroupTable]
    let runs: RunCollector
    init(_ plan: GroupPlan, threads: Int, memoryLimit: Int, scratch: any ScratchSpace) {
      self.plan = plan
      tables = (0..<threads).map { _ in GroupTable(plan, memoryLimit: memoryLimit / 8 / threads) }
      runs = RunCollector(
        plan.schema, plan.order, width: plan.partialWidth, scratch: scratch, memoryLimit: memoryLimit / 4 * 3)
    }

    var rows: any RowStream {
      get throws(Problem) {
        try RangedRows(schema: plan.schema, order: plan.order, parts: try runs.parts()) {
          [plan] (places, runs) throws(Problem) in
          try plan.merged(places, of: runs)
        } fold: { [plan] (places, runs) throws(Problem) in
          try plan.merged(places, of: runs, isPartial: true)
        }
      }
    }
  }

  private func grouped() async throws(Problem) -> any RowStream {
    let parts = plan.parts(of: inner.schema), plans = parts.map { [$0.groups] + $0.values } ?? [plan]
    let all = plans.map { plan in
      Tables(plan, threads: threads, memoryLimit: memoryLimit / plans.count, scratch: scratch)
    }
    try await BatchDispenser.forEach(of: inner, threads: threads) { (worker, index, batch) throws(Problem) in
      for part in all {
        let table = part.tables[worker]
        try table.add(batch, start: UInt64(index) << 32)
        if table.isFull { try table.takeRuns { (run) throws(Problem) in try part.runs.add(run) } }
      }
    } finish: { (worker) throws(Problem) in
      for part in all {
        try part.tables[worker].takeRuns { (run) throws(Problem) in try part.runs.add(run) }
      }
    }
    guard let parts else { return try all[0].rows }
    var values: [any RowStream] = []
    for part in all.dropFirst() { values.append(try part.rows) }
    return DistinctCounts(
      schema: plan.schema, width: plan.columns.count, areTimes: plan.areTimes, groups: try all[0].rows, values: values,
      sources: parts.sources)
  }
}
