import Query
public import Rows

/// Updates a table of a store from a source: fetches, compares, and writes only the differences, atomically.
///
/// A source that fails, or has suddenly lost most of its records, changes nothing.
public struct Sync: Sendable {
  /// The permitted changes.
  public struct Policy: Sendable, Hashable {
    /// Whether a source may have less than half of the records it had.
    public var allowsShrink = false
    /// Whether any number of stored values may become null.
    public var acceptsNulls = false
    /// The columns whose values may become null.
    var mayBeNull: Set<String> = []
    /// Whether a table that came from elsewhere may be replaced.
    public var replacesSource = false
    /// Whether nothing is written.
    public var isDryRun = false

    /// The careful way.
    public init() {}
  }

  private let store: any RecordStore
  private let policy: Policy
  private let time: String
  /// The identifier that the history entries share, so that one undo reverses the whole sync.
  private let command: String
  private let report: @Sendable (Warning) -> Void

  /// A sync into `store`; `time` is RFC 3339 in UTC, and `report` receives the notes of the rows that were stored.
  public init(
    into store: any RecordStore, _ policy: Policy = Policy(), time: String, command: String = Self.newCommand(),
    report: @escaping @Sendable (Warning) -> Void = { _ in }
  ) {
    self.store = store
    self.policy = policy
    self.time = time
    self.command = command
    self.report = report
  }

  /// A new identifier for the history entries of a command.
  public static func newCommand() -> String {
    (0..<16).map { _ in String(UInt8.random(in: 0...15), radix: 16) }.joined()
  }

  /// Makes the table of `schema` hold the rows of a stream, whose columns are some of the schema's, in any order.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - schema: nil for the stream's own, which may become wider.
  ///   - key: the columns by which rows are compared; empty for those of the schema.
  ///   - source: where the rows come from; nil for personal records, which the history keeps.
  ///   - scope: the columns whose values say which records the source owns; empty for all records of the table.
  ///   - mayBeNull: columns whose values may become null.
  /// - Returns: the outcome for the table, also of a dry run.
  /// - Throws: `badData` for a source that shrank, another source, rows that do not fit; the errors of the stream.
  public func run(
    _ rows: any RowStream, as schema: Schema?, key: [String] = [], from source: String?, scope: [String] = [],
    mayBeNull: Set<String> = []
  ) async throws(Problem) -> TableOutcome {
    var policy = policy
    policy.mayBeNull.formUnion(mayBeNull)
    let sync = Sync(into: store, policy, time: time, command: command, report: report)
    let name = rows.schema.name
    var known: Schema?
    if schema == nil, try await store.contains(name) {
      known = try await store.tables().first { $0.name.utf8.elementsEqual(name.utf8) }
    }
    return try await rows.withWidening { (rows) throws(Problem) in
      let rows = known.map { StoredTypeRows.of(rows, in: $0) } ?? rows
      let outcome: TableOutcome
      if key.isEmpty {
        outcome = try await sync.attempt(rows, schema ?? rows.schema, source, scope)
      } else {
        let keyed = KeyedRows(rows, key)
        do throws(Problem) {
          outcome = try await sync.attempt(keyed, (schema ?? rows.schema).keyed(by: key), source, scope)
        } catch {
          // The store has seen one of the records.
          if error.kind == .badData, let again = try await rows.reopened(),
            let problem = try await KeyedRows(again, key).duplicate()
          {
            throw problem
          }
          throw error
        }
      }
      for note in rows.notes { report(note) }
      return outcome
    }
  }

  private func attempt(
    _ rows: any RowStream, _ schema: Schema, _ source: String?, _ scope: [String]
  ) async throws(Problem) -> TableOutcome {
    if source == nil, !schema.key.isEmpty { return try await replace(rows, schema) }
    var load = TableLoad("sync \(schema.name)", time: time, schema, WidenedRows.of(rows, as: schema), from: source)
    load.replacesSource = policy.replacesSource
    if let source, !scope.isEmpty, try await store.contains(schema.name) {
      let table = try await ScopedTable(schema.name, scope, in: store)
      let merged = try table.merged(
        with: try await load.rows.collect(), of: schema, from: source, takesOver: policy.replacesSource)
      (load.rows, load.source) = (BufferedRows(schema: schema, batches: merged.rows), merged.source)
      load.replacesSource = true
    }
    load.command = command
    load.accepts = { [policy] (outcome) throws(Problem) in
      try Self.check(outcome, schema.name, policy)
      return !policy.isDryRun
    }
    do throws(Problem) { return try await store.load(load) } catch { throw await reported(error, load.title) }
  }

  /// The error of a change, with a note if the change was saved: then the history has it.
  private func reported(_ problem: Problem, _ title: String) async -> Problem {
    guard problem.kind == .io, let entries = try? await store.history(),
      entries.contains(where: { $0.command == command && $0.title == title })
    else { return problem }
    return problem.afterSaving()
  }

  /// Personal records: the history keeps their before-images.
  private func replace(_ rows: any RowStream, _ schema: Schema) async throws(Problem) -> TableOutcome {
    var change = TableChange(schema, replacesAll: true)
    let ordered = WidenedRows.of(rows, as: schema)
    while let batch = try await ordered.next()?.batch() {
      for row in 0..<batch.count { change.upserts.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    var step = StoreChange("sync \(schema.name)", time: time, [change])
    step.command = command
    step.accepts = { [policy] (outcomes) throws(Problem) in
      for var outcome in outcomes {
        // The user emptied these values.
        outcome.nulled = []
        try Self.check(outcome, schema.name, policy)
      }
      return !policy.isDryRun
    }
    do throws(Problem) { return try await store.apply(step).first ?? TableOutcome() } catch {
      throw await reported(error, step.title)
    }
  }

  private static func check(_ outcome: TableOutcome, _ name: String, _ policy: Policy) throws(Problem) {
    let after = outcome.added + outcome.changed + outcome.unchanged
    let before = outcome.removed + outcome.changed + outcome.unchanged
    guard policy.allowsShrink || after * 2 >= before else {
      throw Problem(
        .badData,
        "the source has \(after) \(after == 1 ? "record" : "records"), the store \(before); nothing was changed",
        at: name,
        hint: .set(.shrinking, for: "accept the smaller dataset"))
    }
    try NulledValues.check(outcome.nulled, of: name, least: 5, share: 5, policy)
  }
}
