public import Rows

/// Anything that rows can be read from: a live API, the snapshot, a file, a store.
public protocol RecordSource: Sendable {
  /// The name in messages: `breaking-bad`, `quotes.csv`, `sqlite:notes.db`.
  var name: String { get }
  func tables() async throws(Problem) -> [Schema]
  /// The columns of a table as a user names it; nil if there is no such table.
  func schema(of table: String) async throws(Problem) -> Schema?
  /// The table that is read if none is named; nil if one must be.
  func mainTable() async throws(Problem) -> String?
  /// Whether fewer rows are read if a request states the selection.
  var usesSelection: Bool { get }
  /// By table, the columns in which records that a name relates must agree.
  var joinColumns: [String: [String]] { get }
  /// The columns that a description declares to be the key of a table, each with the names that it may have there.
  func declaredKey(of table: String) async throws(Problem) -> [[String]]
  /// The rows of a part of a table, whose types do not depend on the part; nil if all rows have to be read for it.
  func part(_ shard: Shard, of table: String, _ request: RowRequest) async throws(Problem) -> (any RowStream)?
  /// By table, the columns that need not have a value in any record.
  var optionalColumns: [String: Set<String>] { get }
  /// The rows of a table. The request may be pushed down as far as the stream's own `RowRequest` says; the caller does
  /// the rest.
  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream
}

extension RecordSource {
  /// That of `tables()`.
  public func schema(of table: String) async throws(Problem) -> Schema? {
    try await tables().first { $0.name == table }
  }
  /// No.
  public var usesSelection: Bool { false }
  /// None.
  public var joinColumns: [String: [String]] { [:] }
  /// None.
  public func declaredKey(of table: String) async throws(Problem) -> [[String]] { [] }
  /// None.
  public func part(_ shard: Shard, of table: String, _ request: RowRequest) async throws(Problem) -> (any RowStream)? {
    nil
  }
  /// None.
  public var optionalColumns: [String: Set<String>] { [:] }
  /// The only table.
  public func mainTable() async throws(Problem) -> String? {
    let tables = try await tables()
    return tables.count == 1 ? tables[0].name : nil
  }
}

/// The work that a reader offers for push-down; a source may do all, some or none of it.
public struct RowRequest: Sendable, Hashable {
  /// The names of the required columns; nil for all, none if only the number of rows matters. A source may return all
  /// columns anyway.
  public var columns: [String]?
  /// The columns whose types are needed; nil for all. A text file may give the others as text.
  public var types: NeededTypes?
  /// The selection that the reader applies to the rows afterwards; nil if unknown. A source may omit only rows that
  /// this selection excludes, and returns the others in their usual order.
  public var selection: Selection? {
    get { pushed }
    set { pushed = newValue?.pushed }
  }
  private var pushed: Selection?
  /// Whether times may end with the spellings that they have in a file: see `RowBatch.unspelled`.
  public var keepsSpellings = false
  /// Parameters for sources that can ask for less: `name`, `production`.
  public var parameters: [String: String]
  /// On how many cores the source may read at once, at least 1. The rows and their order do not depend on it.
  public var cores: Int

  /// The names of the required columns, for sources that cannot return rows without columns; nil for all.
  public var someColumns: [String]? { columns.flatMap { $0.isEmpty ? nil : $0 } }

  /// A request; without arguments, everything.
  public init(columns: [String]? = nil, selection: Selection? = nil, parameters: [String: String] = [:], cores: Int = 1)
  {
    self.columns = columns
    pushed = selection?.pushed
    self.parameters = parameters
    self.cores = cores
  }
}
