import Rows
import Synchronization

/// The records of an incremental sync that are not stored yet, and the store that takes them with the cursor.
final class SyncStep {
  private let store: any RecordStore
  private let plan: SyncPlan
  private let policy: Sync.Policy
  /// The stored values of each column that became null in this run.
  private var nulled: [NulledValues] = []
  private let time: String
  private let command: String
  private let source: any IncrementalSource
  private let column: Int
  private let type: ColumnType
  /// By key: a row, or nil for a deleted record; and their order.
  private var pending: [[Value]: [Value]?] = [:]
  private var order: [[Value]] = []
  private var counted: Int
  private var lastEnd = ContinuousClock.now
  private var lastLength = Duration.zero
  private(set) var outcome = TableOutcome()
  private(set) var commits = 0
  /// Records that wait at most, and at most of a window.
  static let most = 20_000, mostOfWindow = 100_000

  init(
    _ store: any RecordStore, _ plan: SyncPlan, _ policy: Sync.Policy, time: String, command: String,
    _ source: any IncrementalSource
  ) {
    (self.store, self.plan, self.policy) = (store, plan, policy)
    (self.time, self.command, self.source) = (time, command, source)
    column = plan.schema.position(of: plan.increment.column) ?? 0
    type = plan.schema.columns[column].type
    counted = source.requestCount
  }

  /// The number of records that wait.
  var count: Int { order.count }

  /// Whether it is time for a step: a store that takes long for one gets fewer.
  var isDue: Bool {
    order.count >= Self.most || lastLength < .milliseconds(100) || ContinuousClock.now - lastEnd >= lastLength
  }

  /// The cursor of a row; nil for null.
  func cursor(of row: [Value]) -> SyncCursor? { SyncCursor(row[column], type) }
  func key(of row: [Value]) -> [Value] { plan.schema.key.map { row[$0] } }

  /// Adds the records of a page. Of two versions of a record the later one stays.
  func add(_ page: SyncPage) {
    for row in page.rows {
      let key = key(of: row)
      if let known = pending[key] {
        if let known, let old = cursor(of: known), let new = cursor(of: row), new < old { continue }
      } else {
        order.append(key)
      }
      pending[key] = .some(row)
    }
    for key in page.deleted {
      if pending[key] == nil { order.append(key) }
      pending[key] = .some(nil)
    }
  }

  /// Forgets the records that wait.
  func drop() {
    pending = [:]
    order = []
  }

  /// Stores what waits, with the state.
  /// - Parameter state: nil to leave the stored state unchanged.
  func commit(_ state: inout SyncState, keeping isKept: Bool) async throws(Problem) {
    var change = TableChange(plan.schema)
    for key in order {
      guard let row = pending[key] else { continue }
      if let row { change.upserts.append(row) } else { change.deletes.append(key) }
    }
    state.requests += source.requestCount - counted
    counted = source.requestCount
    state.syncedAt = time
    drop()
    var tables = [change]
    if !isKept { tables.append(TableChange(SyncState.schema, upserts: [state.row])) }
    var step = StoreChange("sync \(plan.schema.name)", time: time, tables)
    step.command = command
    var policy = policy
    policy.mayBeNull.formUnion(plan.mayBeNull)
    step.accepts = { [policy, plan, nulled] (outcomes) throws(Problem) in
      let all = NulledValues.sum(nulled, outcomes[0].nulled)
      try NulledValues.check(all, of: plan.schema.name, least: 20, share: 2, policy)
      return !policy.isDryRun
    }
    let begin = ContinuousClock.now
    let outcome = try await store.apply(step)[0]
    lastEnd = ContinuousClock.now
    lastLength = lastEnd - begin
    commits += 1
    self.outcome.added += outcome.added
    self.outcome.changed += outcome.changed
    self.outcome.removed += outcome.removed
    self.outcome.unchanged += outcome.unchanged
    nulled = NulledValues.sum(nulled, outcome.nulled)
  }
}

/// Rows, and the greatest of their cursors so far.
final class CursorRows: DerivedRowStream {
  let inner: any RowStream
  private let name: String
  private let last = Mutex<SyncCursor?>(nil)

  init(_ inner: any RowStream, _ plan: SyncPlan) {
    self.inner = inner
    name = plan.increment.column
  }

  var schema: Schema { inner.schema }
  var greatest: SyncCursor? { last.withLock { $0 } }

  func next() async throws(Problem) -> BatchTask? {
    guard let column = schema.position(of: name) else { return try await inner.next() }
    let type = schema.columns[column].type
    return try await inner.next()?.followed { [self] (batch) throws(Problem) in
      let greatest = (0..<batch.count).lazy.compactMap { SyncCursor(batch.value($0, column), type) }.max()
      last.withLock { last in
        if let greatest { last = last.map { max($0, greatest) } ?? greatest }
      }
      return batch
    }
  }
}
