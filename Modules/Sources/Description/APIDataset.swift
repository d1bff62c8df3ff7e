import Codecs
public import Domain
public import Rows

/// The requests for one dataset of a source, and the conversion of its records to rows.
public struct APIDataset: Sendable, Hashable {
  /// The schema of the rows. A column that `columns` does not fill is null.
  public var schema: Schema
  /// The path after the source's base URL, starting with a slash.
  public var path: String
  /// Query parameters that are always sent.
  public var parameters: [SourceParameter]
  /// The filters that a `RowRequest` can use: `name` is the word in the request, `value` the server's parameter.
  var filters: [SourceParameter]
  /// The path that returns one random record; used if the request has the parameter `random`.
  var randomPath: String?
  /// As `filters`, for `randomPath`.
  var randomFilters: [SourceParameter]
  /// JSON Pointer to the array of records in a response; empty if the response is that array.
  public var records: String
  /// The form of the records at `records`.
  public var recordForm = SourceRecordForm.list
  /// Whether the first of the rows has the names of the columns.
  var hasHeaderRow = false
  /// JSON Pointers to arrays within records, from the outside in, whose elements are the records in their place.
  var explode: [String] = []
  /// The method, body and headers of the requests.
  var request = SourceRequest.get
  /// The job that makes the records; nil for none.
  var job: SourceJob?
  var responseFormat = SourceResponseFormat()
  /// Values that the dataset is requested for; nil for none.
  var iteration: SourceIteration?
  /// The paging of a long list.
  public var paging: SourcePaging
  /// Where each column's values are found.
  public var columns: [SourceColumn]
  /// JSON Pointers of members that no column reads on purpose, with all that is within.
  public var ignored: [String]
  /// The key column that counts the records that share the rest of the key, from 1; nil when the source's own keys are
  /// unique.
  public var occurrence: String?
  /// The parent dataset, if there is one request per parent record; nil if one list holds everything.
  var parent: SourceParent?
  /// The statuses, and null for such a response, that mean an empty list of a parent or of a value.
  var absent: [JSON]?
  /// The columns whose values say which records of a table the source owns; empty for all of them.
  var scope: [String] = []
  /// Further columns in which records that a name relates must agree.
  var joinAlso: [String] = []
  /// Detail requests that complete the rows.
  public var supplements: [DetailRequest]
  /// The request that sends a new record; nil if the server accepts none.
  var submission: SourceSubmission?
  /// The way to request only changed records; nil if that is not possible.
  var increment: SourceIncrement?

  /// A dataset at `path`.
  public init(
    _ schema: Schema, path: String, parameters: [SourceParameter] = [], filters: [SourceParameter] = [],
    randomPath: String? = nil, randomFilters: [SourceParameter] = [], records: String = "",
    paging: SourcePaging = .none, occurrence: String? = nil, parent: SourceParent? = nil,
    supplements: [DetailRequest] = [], submission: SourceSubmission? = nil, ignored: [String] = [],
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

/// A dataset that is requested once per record of another: the comments of each movie.
public struct SourceParent: Sendable, Hashable {
  /// The dataset whose records are iterated.
  var dataset: String
  /// What carries each value, `{name}` in the path or else the query parameter, and the column whose value is sent.
  var parameters: [SourceParameter]
  /// Requests for every record of `dataset`.
  init(dataset: String, parameters: [SourceParameter]) {
    self.dataset = dataset
    self.parameters = parameters
  }
  /// Requests for every record of `dataset`, with the value of one column.
  public init(dataset: String, column: String, parameter: String) {
    self.init(dataset: dataset, parameters: [SourceParameter(parameter, column)])
  }
}

/// Detail requests that fill more columns of existing rows.
public struct DetailRequest: Sendable, Hashable {
  /// The kind of detail requests.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// One response for each row: an object.
    case each
    /// One list for all rows.
    case all
  }
  var scope: Scope
  /// The path after the source's base URL; empty with `link`.
  var path: String
  /// Query parameters that are always sent.
  var parameters: [SourceParameter]
  /// What carries the first key column's value for `each`, as for a `SourceParent`, and several of them for `all`; nil
  /// with `link`, and for one list.
  var parameter: String?
  /// The most values of a request for `all`; nil for one list.
  var batch: Int?
  /// The text between these values; nil for a comma.
  var separator: String?
  /// JSON Pointer to the URL in the record, for `each`; nil with `path`.
  var link: String?
  /// JSON Pointer to the list, for `all`.
  var records: String
  /// JSON Pointer to the value of a record of the list that the first key column of its row equals, for `all`.
  var id: String
  /// JSON Pointers to arrays within a response, whose elements become rows.
  var explode: [String] = []
  /// The statuses, and null for such a response, that mean that there are no details; nil for 404 and 410.
  var absent: [JSON]?
  /// The columns they fill.
  public var columns: [SourceColumn]
  /// Further responses from `path`.
  public init(
    _ scope: Scope, path: String = "", parameters: [SourceParameter] = [], parameter: String? = nil,
    records: String = "", id: String = "", columns: [SourceColumn]
  ) {
    (self.scope, self.path, self.parameters, self.parameter) = (scope, path, parameters, parameter)
    (self.records, self.id, self.columns) = (records, id, columns)
  }
}

/// The request that sends a new record: a JSON object, with POST.
public struct SourceSubmission: Sendable, Hashable {
  /// The path after the source's base URL, starting with a slash.
  var path: String
  /// The members of the object: `name` is the column, `value` the key.
  var members: [SourceParameter]
  /// Records that are sent to `path`.
  public init(path: String, members: [SourceParameter]) {
    self.path = path
    self.members = members
  }
}
