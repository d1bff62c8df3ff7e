import Query
public import Rows

/// Updates a table of a store with the records that changed in a source since the last time.
///
/// Records are stored in steps, each with the cursor up to which it goes: a run that is killed is continued after its
/// last step. Records that the source no longer has stay, unless it reports their deletion.
public struct IncrementalSync: Sendable {
  /// The alternative to continuing after the cursor.
  public struct Options: Sendable, Hashable {
    /// Whether everything is fetched again.
    public var isFull = false
    /// Whether a cursor is used although the description of the source has changed.
    public var keepsCursor = false
    /// The range of cursors to fetch, without moving the stored cursor; nil for no end.
    public var since: String?, until: String?
    /// The most requests of this run; nil for no limit.
    public var maximumRequests: Int?
    /// Continues after the cursor.
    public init() {}
  }

  /// The result of a run.
  public struct Result: Sendable {
    /// The changes of the table.
    public var outcome = TableOutcome()
    /// Why the table is not up to date; nil if it is.
    public var problem: Problem?
  }

  private let store: any RecordStore
  private let policy: Sync.Policy
  private let options: Options
  private let time: String
  private let command: String
  private let report: @Sendable (Warning) -> Void

  /// A sync into `store`.
  /// - `time`: the time of the run, RFC 3339 in UTC.
  /// - `command`: the identifier that the history entries share, so that one undo reverses the whole sync.
  /// - `report`: receives one line for each peculiarity.
  public init(
    into store: any RecordStore, _ policy: Sync.Policy, _ options: Options, time: String, command: String,
    report: @escaping @Sendable (Warning) -> Void
  ) {
    (self.store, self.policy, self.options) = (store, policy, options)
    (self.time, self.command, self.report) = (time, command, report)
  }

  /// Updates the table of a plan.
  /// - `firstRequest`: the number of the source's requests before this run.
  /// - Throws: `configuration` if the description changed since the cursor was stored, or for a range that is not of
  ///   the column's type; `badData` for records in another order; the errors of the source and the store.
  public func run(
    _ plan: SyncPlan, from source: any IncrementalSource, firstRequest: Int = 0
  ) async throws(Problem) -> Result {
    let name = plan.schema.name, increment = plan.increment
    defer { source.finish(name) }
    let states = try await SyncState.all(in: store).filter { $0.dataset == name }
    if !options.isFull, !options.keepsCursor, options.since == nil, states.contains(where: { $0.digest != plan.digest })
    {
      throw Problem(
        .configuration, "the description changed since the last sync", at: name,
        hint: [.set(.fullSync, for: "fetch everything"), .set(.cursorKeeping, for: "continue")])
    }
    if states.isEmpty, increment.deletedAt == nil, increment.fullEvery == nil {
      report("\(name): the API does not report deleted records; they stay in the store")
    }
    let hasTable = try await prepare(plan, source.name)
    var result = Result()
    if let span = increment.fullEvery, options.since == nil, options.until == nil,
      isDue(states.first?.comparedAt, span)
    {
      result.outcome = try await compare(plan, source, states.first)
      return result
    }
    let step = SyncStep(store, plan, policy, time: time, command: command, source)
    let walk = SyncWalk(plan, source, step, options, time: time, firstRequest: firstRequest)
    let stored: (any RecordSource)? = increment.isOnlyForChanged && hasTable ? store : nil
    var failures: [Problem] = [], isFinished = true
    do throws(Problem) {
      for parent in try await source.parents(of: name, from: stored) {
        var state = states.first { $0.parent == parent.key } ?? SyncState(name, parent: parent.key, digest: plan.digest)
        if stored != nil, !options.isFull, state.isComplete, state.parentDigest == parent.digest { continue }
        if options.isFull { state = SyncState(name, parent: parent.key, digest: plan.digest) }
        state.digest = plan.digest
        if stored != nil { state.parentDigest = parent.digest }
        do throws(Problem) { isFinished = try await walk.run(parent, state) } catch {
          // A refused key concerns all parents.
          guard !parent.parameters.isEmpty, error.kind == .unavailable, ![401, 403].contains(error.status) else {
            throw error
          }
          failures.append(error)
          guard failures.count < 10 || step.commits > 0 else { throw error }
        }
        if !isFinished { break }
      }
    } catch {
      guard error.kind == .unavailable, step.commits > 0, !policy.isDryRun else { throw error }
      var partial = error
      partial.kind = .busy
      partial.hint = "what was fetched is stored; run the command again to continue"
      throw partial
    }
    result.outcome = step.outcome
    if let last = failures.last {
      result.problem = Problem(
        .busy, "\(failures.count) of the lists failed: \(last.message)", at: last.place,
        hint: "run the command again to retry")
    } else if !isFinished {
      let all = walk.pages.map { " of about \($0) pages" } ?? ""
      let count = source.requestCount - firstRequest
      // The cursor of other lists moves at their end.
      let continues = increment.window != nil || increment.order == .ascending
      result.problem = Problem(
        .busy, "stopped after \(count) \(count == 1 ? "request" : "requests")\(all)", at: name,
        hint: continues
          ? "run the command again to continue"
          : .advice("a list without ascending order is continued only at its end").or(
            .set(.maximumRequests, for: "allow more")))
    }
    return result
  }

  /// Makes the table with its source, unless it exists.
  /// - Returns: whether there is a table, which a dry run does not make.
  private func prepare(_ plan: SyncPlan, _ source: String) async throws(Problem) -> Bool {
    let name = plan.schema.name
    let exists = try await store.contains(name)
    if exists, try await store.source(of: name) == source { return true }
    var load = TableLoad(
      "sync \(name)", time: time, plan.schema, BufferedRows(schema: plan.schema, batches: []), from: source)
    load.replacesSource = policy.replacesSource
    load.accepts = { [policy] _ throws(Problem) in !policy.isDryRun }
    try await store.load(load)
    return exists || !policy.isDryRun
  }

  /// Whether all records are to be compared again.
  private func isDue(_ last: String?, _ span: SourceIncrement.Span) -> Bool {
    if options.isFull { return true }
    guard let last = last.flatMap({ SyncCursor($0, .timestamp) }), let now = SyncCursor(time, .timestamp) else {
      return true
    }
    return last.distance(to: now) >= span.amount
  }

  /// Replaces all records, and takes the cursor from them.
  private func compare(
    _ plan: SyncPlan, _ source: any IncrementalSource, _ known: SyncState?
  ) async throws(Problem) -> TableOutcome {
    let name = plan.schema.name
    let rows = CursorRows(try await source.rows(of: name, RowRequest()), plan)
    let outcome = try await Sync(into: store, policy, time: time, command: command, report: report)
      .run(rows, as: plan.schema, from: source.name, mayBeNull: plan.mayBeNull)
    var state = known ?? SyncState(name, parent: "", digest: plan.digest)
    state.digest = plan.digest
    if let greatest = rows.greatest { (state.cursor, state.ties, state.lastKey) = (greatest.text, 0, nil) }
    (state.windowEnd, state.isComplete, state.comparedAt, state.syncedAt) = (nil, true, time, time)
    state.records += outcome.added + outcome.changed + outcome.unchanged
    state.requests += source.requestCount
    var change = StoreChange("sync \(name)", time: time, [TableChange(SyncState.schema, upserts: [state.row])])
    change.command = command
    change.accepts = { [policy] _ throws(Problem) in !policy.isDryRun }
    try await store.apply(change)
    return outcome
  }
}
