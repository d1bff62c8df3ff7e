public import Codecs
public import Query
public import Rows

/// A source that can return only the records that changed.
public protocol IncrementalSource: RecordSource {
  /// The columns whose values say which records of a table of a store the source owns; empty for all of them.
  func scope(of table: String) -> [String]
  /// The way to request only the changed records of a table; nil if its description does not say.
  func increment(of table: String) throws(Problem) -> SyncPlan?
  /// The parent records that the table is requested for, each combination of their values once; one without values if
  /// it has no parent.
  /// - `stored`: the source of the parent records; nil to request them.
  func parents(of table: String, from stored: (any RecordSource)?) async throws(Problem) -> [SyncParent]
  /// Passes the rows of each page to `take`, before the next page is requested, until `take` returns false.
  /// - Throws: as `rows(of:_:)`, and what `take` throws.
  func read(
    _ request: SyncRequest, take: (SyncPage) async throws(Problem) -> Bool
  ) async throws(Problem) -> SyncReading
  /// Reports what was noticed in the records of a table that were read.
  func finish(_ table: String)
  /// The number of requests so far, without repeated ones.
  var requestCount: Int { get }
}

/// The way to request only the changed records of a table.
public struct SyncPlan: Sendable {
  var schema: Schema
  var increment: SourceIncrement
  /// A digest of what decides about the requests: with another, a stored cursor has another meaning.
  var digest: String
  /// The records of a page if pages are requested by the number of records before them; nil for others.
  public var offsetLimit: Int?
  /// Whether a response is a page, and the next page is requested by its last cursor.
  public var isKeyset: Bool
  /// The columns whose values may become null.
  public var mayBeNull: Set<String> = []
  /// Creates a plan.
  public init(
    _ schema: Schema, _ increment: SourceIncrement, digest: String, offsetLimit: Int? = nil, isKeyset: Bool = false
  ) {
    (self.schema, self.increment, self.digest) = (schema, increment, digest)
    (self.offsetLimit, self.isKeyset) = (offsetLimit, isKeyset)
  }
}

/// A parent record that a table is requested for.
public struct SyncParent: Sendable {
  /// The parameters of the requests.
  public var parameters: [SourceParameter]
  /// Values of columns of the parent record, by name.
  public var columns: [String: JSON]
  var digest: String
  /// The values of the parameters as one text; empty for none.
  var key: String {
    parameters.count < 2
      ? parameters.first?.value ?? ""
      : String(decoding: JSON.array(parameters.map { .string($0.value) }).canonicalBytes, as: UTF8.self)
  }
  /// Creates a parent.
  public init(_ parameters: [SourceParameter] = [], columns: [String: JSON] = [:], digest: String = "") {
    (self.parameters, self.columns, self.digest) = (parameters, columns, digest)
  }
}

/// A request for the records of a table whose cursors are in a range.
public struct SyncRequest: Sendable {
  /// The table.
  public var table: String
  /// The parent record.
  public var parent: SyncParent
  /// The parameters with the ends of the range.
  public var parameters: [SourceParameter]
  /// The number of records at the beginning that are not requested; only if pages are requested by their number.
  public var skipped = 0
  init(_ table: String, _ parent: SyncParent, _ parameters: [SourceParameter]) {
    (self.table, self.parent, self.parameters) = (table, parent, parameters)
  }
}

/// A page of records.
public struct SyncPage: Sendable {
  var rows: [[Value]]
  var deleted: [[Value]]
  /// Whether no page follows.
  var isLast: Bool
  /// The number of pages, if the server announces the number of records.
  var pages: Int?
  /// Creates a page.
  public init(rows: [[Value]], deleted: [[Value]], isLast: Bool, pages: Int? = nil) {
    (self.rows, self.deleted, self.isLast, self.pages) = (rows, deleted, isLast, pages)
  }
}

/// The end of the reading of pages.
public enum SyncReading: Sendable {
  /// With the last page.
  case complete
  /// `take` returned false.
  case stopped
  /// With more records left: the API returns no more, or there are more pages than allowed.
  case full
}
