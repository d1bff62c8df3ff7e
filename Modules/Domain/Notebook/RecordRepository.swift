import Codecs
public import Query
public import Rows

/// Access to a store for personal records: reads single records, and applies one change per command, which is recorded
/// in the history and can be undone.
public struct RecordRepository: Sendable {
  /// The storage.
  public let store: any RecordStore
  private let clock: any WallClock

  /// One record that is to be different, as it was read and as it should be.
  public struct Edit: Sendable, Hashable {
    /// The record as it was read; nil when there was none.
    let before: Record?
    /// The record as it should be; nil when it should be gone.
    let after: Record?

    /// A record that was `before` and should be `after`; both of one table and with one key.
    public init(from before: Record?, to after: Record?) {
      self.before = before
      self.after = after
    }
    var schema: Schema? { (after ?? before)?.schema }
    var isChange: Bool { before != after }
    var key: [Value] { (after ?? before)?.key ?? [] }
  }

  /// The records in `store`; changes are made at the time of `clock`.
  public init(_ store: any RecordStore, clock: any WallClock) {
    self.store = store
    self.clock = clock
  }

  /// The time of changes, RFC 3339 in UTC.
  public var now: String { clock.now().timestamp }

  /// The rows of a table, with the selection pushed down as far as the store supports; the caller applies `selection`.
  /// A missing table has no rows.
  public func rows(of schema: Schema, _ selection: Selection = Selection()) async throws(Problem) -> any RowStream {
    let request = RowRequest(selection: selection)
    do throws(Problem) {
      return try await store.rows(of: schema.name, request)
    } catch {
      guard error.kind == .noInput else { throw error }
      // A table whose file was deleted is not an empty table; a table that another process just created exists now.
      if try await store.contains(schema.name) {
        return try await store.rows(of: schema.name, request)
      }
      return BufferedRows(schema: schema, batches: [])
    }
  }

  /// The records that a selection without sorting and sampling gives, in order of the key.
  public func records(of schema: Schema, _ selection: Selection = Selection()) async throws(Problem) -> [Record] {
    let rows = try selection.apply(to: try await rows(of: schema, selection), scratch: NoScratch())
    var records: [Record] = []
    while let work = try await rows.next() { records += try work.batch().records(of: rows.schema) }
    return records
  }

  /// The record with this key; nil when there is none.
  public func record(of schema: Schema, key: [Value]) async throws(Problem) -> Record? {
    var selection = Selection()
    selection.conditions = zip(schema.key, key).map { position, value in
      Condition(schema.columns[position].name, .equal, StoredKey([value]).text)
    }
    selection.limit = 1
    return try await records(of: schema, selection).first
  }

  /// Makes all edits in one step, when every record still is as it was read.
  ///
  /// - Parameters:
  ///   - title: the action of the user, as the history shows it: `edit Breaking Bad S05E14`.
  ///   - edits: the edits.
  ///   - command: the identifier that the history entries of one command share; nil if it makes one.
  /// - Returns: false when nothing was to be changed; then nothing is written.
  /// - Throws: `busy` when a record has been changed since it was read.
  @discardableResult
  public func change(_ title: String, _ edits: [Edit], command: String? = nil) async throws(Problem) -> Bool {
    var tables: [TableChange] = []
    // In key order, as all stores keep their records, so that their histories are identical.
    let edits = edits.filter(\.isChange).sorted { StoredKey($0.key) < StoredKey($1.key) }
    for edit in edits {
      guard let schema = edit.schema else { continue }
      var position = tables.firstIndex { $0.schema.name == schema.name }
      if position == nil {
        tables.append(TableChange(schema))
        position = tables.count - 1
      }
      guard let position else { continue }
      tables[position].expected.append(TableChange.Expectation(key: edit.key, row: edit.before?.values))
      if let after = edit.after {
        tables[position].upserts.append(after.values)
      } else {
        tables[position].deletes.append(edit.key)
      }
    }
    guard !tables.isEmpty else { return false }
    var change = StoreChange(title, time: now, tables)
    change.command = command
    do throws(Problem) {
      try await store.apply(change)
    } catch {
      guard await wasSaved(change, edits, after: error) else { throw error }
      throw error.afterSaving()
    }
    return true
  }

  /// Whether the store made a change although it reported an error: the last entry of its history is this change.
  private func wasSaved(_ change: StoreChange, _ edits: [Edit], after problem: Problem) async -> Bool {
    // The other kinds are refusals, before anything is written.
    guard problem.kind == .io, let last = try? await store.history().last else { return false }
    guard last.title == change.title, last.time == change.time else { return false }
    let rows = last.tables.flatMap { table in table.rows.map { (table.schema, $0) } }
    return edits.allSatisfy { edit in
      rows.contains { schema, row in
        guard let values = row.after ?? row.before, (row.after == nil) == (edit.after == nil) else { return false }
        let record = Record(schema, values)
        return record.key == edit.key && edit.after.map { record.fitted(to: $0.schema) == $0 } ?? true
      }
    }
  }
}
