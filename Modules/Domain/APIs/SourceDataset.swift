public import Rows

/// How one dataset of a source is asked for, and how its records become rows.
public struct SourceDataset: Sendable, Hashable {
  /// What the rows are. A column that `columns` does not fill is null.
  public var schema: Schema
  /// What follows the source's base URL, beginning with a slash.
  public var path: String
  /// Query parameters that are always sent.
  public var parameters: [SourceParameter]
  /// What a `RowRequest` may ask for: `name` is the request's word, `value` the server's parameter.
  public var filters: [SourceParameter]
  /// The path that answers with one record by chance; asked when the request has the parameter `random`.
  public var randomPath: String?
  /// As `filters`, for `randomPath`.
  public var randomFilters: [SourceParameter]
  /// JSON Pointer to the array of records in an answer; empty when the answer is that array.
  public var records: String
  /// How the rest of a long list is asked for.
  public var paging: SourcePaging
  /// Where each column's values are found.
  public var columns: [SourceColumn]
  /// JSON Pointers of members that no column reads on purpose, with all that is within.
  public var ignored: [String]
  /// The key column that counts the records that share the rest of the key, from 1; nil when the source's own keys are unique.
  public var occurrence: String?
  /// The dataset whose every record is asked about; nil when one list holds everything.
  public var parent: SourceParent?
  /// Further answers that complete the rows.
  public var supplements: [SourceSupplement]
  /// How a new record is sent to the server; nil when it takes none.
  public var submission: SourceSubmission?

  /// A dataset at `path`.
  public init(
    _ schema: Schema, path: String, parameters: [SourceParameter] = [], filters: [SourceParameter] = [],
    randomPath: String? = nil, randomFilters: [SourceParameter] = [], records: String = "",
    paging: SourcePaging = .none, occurrence: String? = nil, parent: SourceParent? = nil,
    supplements: [SourceSupplement] = [], submission: SourceSubmission? = nil, ignored: [String] = [],
    columns: [SourceColumn]
  ) {
    self.schema = schema
    self.path = path
    self.parameters = parameters
    self.filters = filters
    self.randomPath = randomPath
    self.randomFilters = randomFilters
    self.records = records
    self.paging = paging
    self.occurrence = occurrence
    self.parent = parent
    self.supplements = supplements
    self.submission = submission
    self.columns = columns
    self.ignored = ignored
  }
}

/// A name and what stands for it.
public struct SourceParameter: Sendable, Hashable {
  /// The name.
  public var name: String
  /// What is sent, or the server's name for it.
  public var value: String
  /// A pair.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A dataset that is asked for record by record of another: the comments of each film.
public struct SourceParent: Sendable, Hashable {
  /// The dataset whose records are gone through.
  public var dataset: String
  /// Its column whose value is sent.
  public var column: String
  /// What carries the value: `{parameter}` in the path, or else the query parameter.
  public var parameter: String
  /// Requests for every record of `dataset`.
  public init(dataset: String, column: String, parameter: String) {
    self.dataset = dataset
    self.column = column
    self.parameter = parameter
  }
}

/// Further answers that fill more columns of rows which are there already.
public struct SourceSupplement: Sendable, Hashable {
  /// Which answers these are.
  public enum Scope: Sendable, Hashable {
    /// One answer for each row: an object, asked for with the first key column's value, as for a `SourceParent`.
    case eachRow(parameter: String)
    /// One list for all rows, at the JSON Pointer `records`; a record is the row's whose first key column is what stands at the pointer `id`.
    case list(records: String, id: String)
  }
  /// What follows the source's base URL.
  public var path: String
  /// Query parameters that are always sent.
  public var parameters: [SourceParameter]
  /// Which answers these are.
  public var scope: Scope
  /// The columns they fill.
  public var columns: [SourceColumn]
  /// Further answers from `path`.
  public init(path: String, parameters: [SourceParameter] = [], scope: Scope, columns: [SourceColumn]) {
    self.path = path
    self.parameters = parameters
    self.scope = scope
    self.columns = columns
  }
}

/// How a new record is sent: as a JSON object, with POST.
public struct SourceSubmission: Sendable, Hashable {
  /// What follows the source's base URL, beginning with a slash.
  public var path: String
  /// What is sent: `name` is the column, `value` the object's key.
  public var members: [SourceParameter]
  /// Records that are sent to `path`.
  public init(path: String, members: [SourceParameter]) {
    self.path = path
    self.members = members
  }
}
