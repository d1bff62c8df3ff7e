public import Rows

/// Anything rows can be read from: a live API, the snapshot, a file, a storage.
public protocol RecordSource: Sendable {
  /// How messages name it: `breaking-bad`, `quotes.csv`, `sqlite:notes.db`.
  var name: String { get }
  /// The tables it has, with their schemas.
  func tables() async throws(Problem) -> [Schema]
  /// The rows of a table. The request may be pushed down as far as the stream's own `RowRequest` says; the caller does the rest.
  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream
}

/// What a reader would like pushed down; a source may do all, some or none of it.
public struct RowRequest: Sendable, Hashable {
  /// Columns that somebody needs, by name; nil for all. A source that does less gives all.
  public var columns: [String]?
  /// What the reader applies to the rows afterwards; nil when that is not known. A source may leave out rows that this leaves out anyway, and no
  /// others; it gives the rest in their usual order.
  public var selection: Selection?
  /// Parameters for sources that can ask for less: `name`, `production`.
  public var parameters: [String: String]
  /// On how many cores the source may read at once, at least 1. The rows and their order do not depend on it.
  public var cores: Int

  /// A request; without arguments, everything.
  public init(columns: [String]? = nil, selection: Selection? = nil, parameters: [String: String] = [:], cores: Int = 1)
  {
    self.columns = columns
    self.selection = selection
    self.parameters = parameters
    self.cores = cores
  }
}
