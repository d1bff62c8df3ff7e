public import Query
public import Rows

/// A store of records. All adapters pass the same conformance checks, so they are interchangeable.
///
/// Changes are atomic: after an error, `SIGKILL` or power loss the store holds either the old or the new state. A
/// reader sees the state at the time it started. Tables are ordered by their key; keys are compared as values, text as
/// bytes.
public protocol RecordStore: RecordSource {
  var capabilities: StoreCapabilities { get }

  /// Applies a change atomically.
  ///
  /// Creates missing tables. Fails if a table lacks a column of the schema, or has other types or another key.
  /// - Returns: the outcome for each table, in the order of the change.
  /// - Throws: `busy` if an expectation does not hold or another process is writing; `badData` for rows that do not fit
  ///   their schema, a duplicate key or a null in a key; `configuration` for a store with a newer format; `permission`,
  ///   `io`.
  @discardableResult
  func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome]

  /// Makes a table hold the rows of a stream and no others, in one step; memory does not depend on their number. The
  /// history has an entry without the rows; what they replaced is kept outside it, of the last loads, so that they can
  /// be undone.
  /// - Throws: as `apply`, and what the stream or `accepts` throw.
  @discardableResult
  func load(_ load: TableLoad) async throws(Problem) -> TableOutcome

  func contains(_ table: String) async throws(Problem) -> Bool

  /// The source that a table was loaded from; nil if it was not loaded or does not exist.
  func source(of table: String) async throws(Problem) -> String?

  /// The changes so far, oldest first.
  func history() async throws(Problem) -> [HistoryEntry]

  /// Reverses changes of the history in one step, which becomes its own entry.
  /// - Throws: `absent` for unknown entries, and for loads whose tables are no longer kept; `busy` if a record or a
  ///   loaded table has changed since.
  func undo(_ undo: StoreUndo) async throws(Problem)

  /// The loads of the history that `undo` can reverse, by identifier of the entry: what they replaced is still kept.
  func undoableLoads() async throws(Problem) -> Set<String>

  /// The rows that `undo` needs to reverse a load, or to make it again; nil when they are no longer kept.
  /// - Parameters:
  ///   - load: the identifier of the load's entry.
  ///   - images: the table, from that entry.
  func replaced(by load: String, _ images: TableRevisions) async throws(Problem) -> ReplacedTable?

  /// Takes over the rows with which another store reverses a load of the history that was taken over.
  func keep(_ table: ReplacedTable) async throws(Problem)

  /// Takes over the history of another store.
  /// - Throws: `cannotCreate` when there is a history already.
  func adopt(_ history: [HistoryEntry]) async throws(Problem)

  /// Verifies the whole store.
  /// - Returns: one problem per defect; empty if the store is intact.
  func check() async throws(Problem) -> [Problem]
}

extension RecordStore {
  /// Whether there is a table.
  public func contains(_ table: String) async throws(Problem) -> Bool {
    try await tables().contains { $0.name == table }
  }

  /// Nothing is kept.
  public func replaced(by load: String, _ images: TableRevisions) async throws(Problem) -> ReplacedTable? { nil }

  /// Nothing is kept: the load cannot be undone.
  public func keep(_ table: ReplacedTable) async throws(Problem) {}
}

/// Guarantees of an adapter in addition to the conformance checks.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
  /// One bit per guarantee.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Data survives the end of the process.
  public static let durable = StoreCapabilities(rawValue: 1)
  /// Acknowledged changes survive power loss, and no change is torn.
  public static let crashSafe = StoreCapabilities(rawValue: 2)
  /// Several processes may use the store at the same time.
  public static let shared = StoreCapabilities(rawValue: 4)
  /// Text may contain U+0000. Without it such text is refused as `badData`, with the record and the column.
  public static let holdsNUL = StoreCapabilities(rawValue: 8)
  /// Names of tables and columns may have any length. Without it a name of more than 63 bytes is refused as `badData`.
  public static let holdsLongNames = StoreCapabilities(rawValue: 16)
  /// The capabilities of stores in files and in memory.
  public static let holdsEverything: StoreCapabilities = [.holdsNUL, .holdsLongNames]
}

/// A change of any number of tables, applied atomically.
public struct StoreChange: Sendable {
  /// The command that made the change, for example `notes edit`; kept in the history.
  public var title: String
  /// The time in UTC, as RFC 3339.
  public var time: String
  /// The changes per table; each table at most once.
  public var tables: [TableChange]
  /// An identifier that the entries of one command share; nil if the command makes one change.
  public var command: String?
  /// Called with the planned outcomes before anything is written. Return false to cancel the change.
  public var accepts: @Sendable ([TableOutcome]) throws(Problem) -> Bool = { _ throws(Problem) in true }

  /// Creates a change of `tables`.
  public init(_ title: String, time: String, _ tables: [TableChange]) {
    self.title = title
    self.time = time
    self.tables = tables
  }
}

/// A table to be replaced with the rows of a stream.
public struct TableLoad: Sendable {
  /// The command that made the change; kept in the history.
  public var title: String
  /// The time in UTC, as RFC 3339.
  public var time: String
  /// The table; columns are stored with these types. Stored columns that the schema does not name keep their values;
  /// without a key, where all rows are replaced and keep their order, they become null.
  public var schema: Schema
  /// The rows, as wide as the schema, in any order.
  public var rows: any RowStream
  /// The source of the rows, stored with the table.
  public var source: String?
  /// Whether a table that was loaded from another source may be replaced. If false, that throws `badData`.
  public var replacesSource = false
  /// Whether the history records the load.
  public var isRemembered = true
  /// An identifier that the entries of one command share; nil if the command makes one change.
  public var command: String?
  /// Called with the planned outcome before anything is written. Return false to cancel the load.
  public var accepts: @Sendable (TableOutcome) throws(Problem) -> Bool = { _ throws(Problem) in true }

  /// Creates a load of `rows` into the table of `schema`.
  public init(_ title: String, time: String, _ schema: Schema, _ rows: any RowStream, from source: String? = nil) {
    self.title = title
    self.time = time
    self.schema = schema
    self.rows = rows
    self.source = source
  }
}

/// A change of one table.
public struct TableChange: Sendable {
  /// The table, which has a key. Stored columns that the schema does not name keep their values.
  public var schema: Schema
  /// Rows to insert, or to replace the row with the same key. As wide as the schema.
  public var upserts: [[Value]]
  /// Keys of rows to delete; missing keys are ignored.
  public var deletes: [[Value]]
  /// Preconditions (optimistic locking): the row expected for each key, or nil if it must not exist. If one does not
  /// hold, `apply` throws `busy`.
  public var expected: [Expectation]
  /// Whether rows that are not in `upserts` are deleted.
  public var replacesAll: Bool

  /// The expected state of one record.
  public struct Expectation: Sendable, Hashable {
    /// The key, in the order of the schema's key.
    public var key: [Value]
    /// The row; nil if the record must not exist.
    public var row: [Value]?
    /// Creates an expectation of `row` at `key`.
    public init(key: [Value], row: [Value]?) {
      self.key = key
      self.row = row
    }
  }

  /// Creates a change of the table of `schema`.
  public init(
    _ schema: Schema, upserts: [[Value]] = [], deletes: [[Value]] = [], expected: [Expectation] = [],
    replacesAll: Bool = false
  ) {
    self.schema = schema
    self.upserts = upserts
    self.deletes = deletes
    self.expected = expected
    self.replacesAll = replacesAll
  }
}

/// The outcome of a change for one table.
public struct TableOutcome: Sendable, Hashable {
  /// Rows whose key is new.
  public var added = 0
  /// Rows whose values changed.
  public var changed = 0
  /// Rows that were deleted.
  public var removed = 0
  /// Rows that were replaced by an equal row.
  public var unchanged = 0
  /// The columns whose stored values become null; of a change of records, also those whose values all stay.
  public var nulled: [NulledValues] = []
  /// Creates an outcome without changes.
  public init() {}
}

/// Changes that are to be reversed.
public struct StoreUndo: Sendable {
  /// The entries' identifiers, in any order; none of a table that another of them loads.
  public var entries: [String]
  /// The command that made the change; kept in the history.
  public var title: String
  /// The time in UTC, as RFC 3339.
  public var time: String

  /// Reverses `entries`.
  public init(_ entries: [String], title: String, time: String) {
    self.entries = entries
    self.title = title
    self.time = time
  }
}

/// One change as the history keeps it: enough to reverse it.
public struct HistoryEntry: Sendable, Hashable {
  /// A UUID of version 7, in lower case; entries are in order of it.
  public var id: String
  /// Its position in the history, from 1: for display only, as it changes when histories are merged.
  public var number = 0
  /// When, RFC 3339 in UTC.
  public var time: String
  /// The command that made the change.
  public var title: String
  /// The changed rows per table.
  public var tables: [TableRevisions]
  /// The entries that it reverses; empty for all but an undo.
  public var undoes: [String]
  /// An identifier that the entries of one command share; nil if the command has only this entry.
  public var command: String?

  /// An entry without a number.
  public init(
    id: String, time: String, title: String, tables: [TableRevisions], undoes: [String] = [], command: String? = nil
  ) {
    self.id = id
    self.time = time
    self.title = title
    self.tables = tables
    self.undoes = undoes
    self.command = command
  }

  /// Entries that are in order, with their numbers.
  public static func numbered(_ entries: [HistoryEntry]) -> [HistoryEntry] {
    var entries = entries
    for place in entries.indices { entries[place].number = place + 1 }
    return entries
  }
}

extension Sequence<HistoryEntry> {
  /// The identifiers of the entries that are undone: by an entry that is not itself undone. The entries are oldest
  /// first.
  public var undone: Set<String> {
    var undone: Set<String> = []
    for entry in reversed() where !undone.contains(entry.id) { undone.formUnion(entry.undoes) }
    return undone
  }
}

/// The rows of one table that a change modified.
public struct TableRevisions: Sendable, Hashable {
  /// The schema of the table at that time.
  public var schema: Schema
  /// The rows, each once; empty for a load.
  public var rows: [Row]
  /// The number of rows that a load added, changed or removed; 0 for a change of rows.
  public var loaded = 0
  /// Whether a load replaced the table: its rows are not here.
  public var isLoad: Bool { rows.isEmpty }

  /// One row, before and after the change.
  public struct Row: Sendable, Hashable {
    /// The row before; nil if it did not exist.
    public var before: [Value]?
    /// The row after; nil if it was deleted.
    public var after: [Value]?
    /// Creates a pair of row images.
    public init(before: [Value]?, after: [Value]?) {
      self.before = before
      self.after = after
    }
  }

  /// Creates the images of the rows of a table.
  public init(schema: Schema, rows: [Row] = [], loaded: Int = 0) {
    self.schema = schema
    self.rows = rows
    self.loaded = loaded
  }
}
