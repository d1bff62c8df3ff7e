public import Query
public import Rows

/// Where records live. Every adapter passes the same laws, so that one can take another's place.
///
/// A change is all or nothing: after an error, a kill or a power cut the storage is as before or as after. Reading sees the state at the time
/// it began. Tables are kept in order of their key; keys are compared as values, text as bytes.
public protocol RecordStore: RecordSource {
  /// What this adapter can promise.
  var capabilities: StoreCapabilities { get }

  /// Makes a change, in one step.
  ///
  /// A table that is not there is made; one that lacks a column, has other types or another key refuses.
  /// - Returns: what has changed, table by table, in the order of the change.
  /// - Throws: `busy` when a record is not as the change expects, or when somebody else is writing; `badData` for rows that do not fit their
  ///   schema, a key twice or a null in a key; `configuration` for a storage of a newer format; `permission`, `io`.
  @discardableResult
  func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome]

  /// Makes a table hold the rows of a stream and no others, in one step; memory does not depend on their number. The history has an entry without
  /// the rows; what they replaced is kept outside it, of the last loads, so that they can be undone.
  /// - Throws: as `apply`, and what the stream or `accepts` throw.
  @discardableResult
  func load(_ load: TableLoad) async throws(Problem) -> TableOutcome

  /// Where the rows of a table were loaded from; nil when they were not, or the table is not there.
  func source(of table: String) async throws(Problem) -> String?

  /// The changes made so far, oldest first.
  func history() async throws(Problem) -> [HistoryEntry]

  /// Reverses changes that the history has, in one step, which becomes an entry of its own.
  /// - Throws: `absent` for entries that are not there, and for loads whose tables are no longer kept; `busy` when a record or a loaded table is no
  ///   longer as the changes left it.
  func undo(_ undo: StoreUndo) async throws(Problem)

  /// The loads of the history that `undo` can reverse, by identifier of the entry: what they replaced is still kept.
  func undoableLoads() async throws(Problem) -> Set<String>

  /// Takes over the history of another store.
  /// - Throws: `cannotCreate` when there is a history already.
  func adopt(_ history: [HistoryEntry]) async throws(Problem)

  /// Looks at everything there is; what is wrong, in words; empty when all is well.
  func check() async throws(Problem) -> [Problem]
}

/// What an adapter promises beyond the laws.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
  /// One bit a promise.
  public let rawValue: UInt8
  /// Promises by their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// What was written is there after the process ends.
  public static let durable = StoreCapabilities(rawValue: 1)
  /// What was acknowledged is there after a power cut, and nothing is torn.
  public static let crashSafe = StoreCapabilities(rawValue: 2)
  /// Several programs may use it at once.
  public static let shared = StoreCapabilities(rawValue: 4)
}

/// What is to be different afterwards, in any number of tables, all or nothing.
public struct StoreChange: Sendable {
  /// What a person did, as a command would say it: `notes edit`; kept in the history.
  public var title: String
  /// When, RFC 3339 in UTC.
  public var time: String
  /// Table by table; each table once.
  public var tables: [TableChange]
  /// What the entries of one command have in common; nil when the command makes one change.
  public var command: String?
  /// Asked what would become of the tables before anything is changed; when it says no, nothing is.
  public var accepts: @Sendable ([TableOutcome]) throws(Problem) -> Bool = { _ throws(Problem) in true }

  /// A change of `tables`.
  public init(_ title: String, time: String, _ tables: [TableChange]) {
    self.title = title
    self.time = time
    self.tables = tables
  }
}

/// A table that is to hold the rows of a stream.
public struct TableLoad: Sendable {
  /// What a person did; kept in the history.
  public var title: String
  /// When, RFC 3339 in UTC.
  public var time: String
  /// The table. Without a key it is replaced whole and keeps the order of the rows; columns that it does not know stay as they are.
  public var schema: Schema
  /// The rows, as wide as the schema, in any order.
  public var rows: any RowStream
  /// Where they come from, to be remembered.
  public var source: String?
  /// Whether a table that was loaded from somewhere else may be replaced; else that is `badData`.
  public var replacesSource = false
  /// Whether the history says that it was done.
  public var isRemembered = true
  /// What the entries of one command have in common; nil when the command makes one change.
  public var command: String?
  /// Asked what would become of the table before anything is changed; when it says no, nothing is.
  public var accepts: @Sendable (TableOutcome) throws(Problem) -> Bool = { _ throws(Problem) in true }

  /// A table of `schema` that is to hold `rows`.
  public init(_ title: String, time: String, _ schema: Schema, _ rows: any RowStream, from source: String? = nil) {
    self.title = title
    self.time = time
    self.schema = schema
    self.rows = rows
    self.source = source
  }
}

/// What is to be different in one table.
public struct TableChange: Sendable {
  /// The table; it has a key. Columns that are kept and that it does not name stay as they are.
  public var schema: Schema
  /// Rows to insert, or to put in the place of those with the same key. As wide as the schema.
  public var upserts: [[Value]]
  /// Keys of rows to delete; a key that is not there is nothing.
  public var deletes: [[Value]]
  /// Records that must be so when the change is made: a key, and the row it has, nil for none. Otherwise the change is refused as `busy`.
  public var expected: [Expectation]
  /// Whether rows that are not in `upserts` are deleted.
  public var replacesAll: Bool

  /// A record that must be so.
  public struct Expectation: Sendable, Hashable {
    /// The key, in the order of the schema's key.
    public var key: [Value]
    /// The row; nil when there must be none.
    public var row: [Value]?
    /// That `key` has `row`.
    public init(key: [Value], row: [Value]?) {
      self.key = key
      self.row = row
    }
  }

  /// A change of the rows of `schema`.
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

/// What became of a table.
public struct TableOutcome: Sendable, Hashable {
  /// Rows whose key was not there.
  public var added = 0
  /// Rows that are different now.
  public var changed = 0
  /// Rows that are gone.
  public var removed = 0
  /// Rows that were put in the place of the same row.
  public var unchanged = 0
  /// Nothing became of it.
  public init() {}
}

/// Changes that are to be reversed.
public struct StoreUndo: Sendable {
  /// The entries' identifiers, in any order; no two of them concern the same table.
  public var entries: [String]
  /// What a user did; kept in the history.
  public var title: String
  /// When, RFC 3339 in UTC.
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
  /// What a user did.
  public var title: String
  /// The rows that changed, table by table.
  public var tables: [TableImages]
  /// The entries that it reverses; empty for all but an undo.
  public var undoes: [String]
  /// What the entries of one command have in common; nil when the command has this entry only.
  public var command: String?

  /// An entry without a number.
  public init(
    id: String, time: String, title: String, tables: [TableImages], undoes: [String] = [], command: String? = nil
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

/// The rows of one table that a change touched.
public struct TableImages: Sendable, Hashable {
  /// The table as it was described then.
  public var schema: Schema
  /// The rows, each once; empty for a load.
  public var rows: [Row]
  /// How many rows a load added, changed or removed; 0 for a change of rows.
  public var loaded = 0
  /// Whether a load replaced the table: its rows are not here.
  public var isLoad: Bool { rows.isEmpty }

  /// One row, before and after.
  public struct Row: Sendable, Hashable {
    /// The row before; nil when there was none.
    public var before: [Value]?
    /// The row after; nil when it was deleted.
    public var after: [Value]?
    /// A row that was touched.
    public init(before: [Value]?, after: [Value]?) {
      self.before = before
      self.after = after
    }
  }

  /// The touched rows of a table.
  public init(schema: Schema, rows: [Row] = [], loaded: Int = 0) {
    self.schema = schema
    self.rows = rows
    self.loaded = loaded
  }
}
