import Codecs
public import Domain
public import Query
public import Rows

/// A JSON API described by an `APIDescription`, read over HTTP.
///
/// All records of a request are read and validated before the first row is returned, so an invalid response never
/// leaves half a table. Rows are in the order of the dataset's key; without a key, in the order of the source.
public struct RESTSource: RecordSource {
  let description: APIDescription
  let server: String
  let transport: any HTTPTransport
  let environment: [String: String]
  let pace: RateLimit
  let isAsWritten: Bool
  /// Whether a list that is shorter than the API says is an error rather than a warning.
  let isComplete: Bool
  /// Where the API is described, for hints.
  let definition: String
  let stored: (any RecordSource)?
  let secret: RESTSecret
  /// Counts the bytes of all responses.
  private let meter: RESTMeter
  /// The most bytes of all responses together, if nothing else is given: 4 GiB.
  public static let defaultMaximumBytes = 4 << 30
  /// Requests under way at one time; without HTTP/2 there are connections for as many.
  static let requestsAtATime = TransportOptions.usualConnections
  let report: @Sendable (String) -> Void
  let progress: (@Sendable (_ done: Int, _ all: Int) -> Void)?
  private let members: (@Sendable ([MemberFinding]) -> Void)?
  private let fetched: (@Sendable (_ seconds: Int64) -> Void)?

  /// A source.
  /// - Parameters:
  ///   - description: the API.
  ///   - server: a server that speaks it, instead of the description's base URL.
  ///   - transport: sends the requests; it retries and caches.
  ///   - environment: variables that hold the secrets the description names.
  ///   - asWritten: for a `Check`: empty texts stay, a value that does not fit its column's type stays as its text, and
  ///     nothing odd is told of.
  ///   - complete: whether a list that is shorter than the API says is `badData` rather than a warning.
  ///   - definition: the path of the file that describes the API, for hints; nil for a built-in description.
  ///   - stored: what an earlier request gave: where the source has no further answer for a record any more, those
  ///     columns stay.
  ///   - maximumBytes: of all responses of this source together, decoded; more is `badData`.
  ///   - progress: is told, from any task, how many answers to requests for one record each are there, and how many
  ///     there will be.
  ///   - members: receives which members the records of a dataset have that no column reads, and the other way round.
  ///   - fetched: receives, from any task, when each response was fetched, in seconds since 1970.
  ///   - report: is told, in one line each, what was odd but kept.
  /// - Throws: `usage` when the server is no http or https URL.
  public init(
    _ description: APIDescription, server: String? = nil, transport: any HTTPTransport,
    environment: [String: String] = [:], asWritten: Bool = false, complete: Bool = false,
    definition: String? = nil, stored: (any RecordSource)? = nil,
    maximumBytes: Int = RESTSource.defaultMaximumBytes,
    progress: (@Sendable (_ done: Int, _ all: Int) -> Void)? = nil,
    members: (@Sendable ([MemberFinding]) -> Void)? = nil,
    fetched: (@Sendable (_ seconds: Int64) -> Void)? = nil, report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    var base = server ?? description.baseURL
    while base.hasSuffix("/") { base.removeLast() }
    guard base.lowercased().hasPrefix("http://") || base.lowercased().hasPrefix("https://") else {
      throw Problem(.usage, "invalid server URL “\(URLText.redacted(base))”", hint: "use a URL: https://host/path")
    }
    // Paths are appended to it, and would become part of a query or fragment.
    guard !base.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw Problem(
        .usage, "the base URL must not have a query or fragment: “\(URLText.redacted(base))”",
        hint: "remove everything from ? or # on")
    }
    self.description = description
    self.server = base
    self.transport = transport
    self.environment = environment
    isAsWritten = asWritten
    isComplete = complete
    self.definition = definition ?? "the source definition"
    self.progress = progress
    self.fetched = fetched
    self.members = members
    self.stored = stored
    meter = RESTMeter(limit: maximumBytes)
    pace = RateLimit(perSecond: description.requestsPerSecond)
    let secret = RESTSecret(description.authorization, environment)
    self.secret = secret
    self.report = { line in report(secret.removed(from: line)) }
  }

  /// The description's name.
  public var name: String { description.name }

  /// The schemas of its datasets.
  public func tables() async throws(Problem) -> [Schema] { description.datasets.map(\.schema) }

  /// The rows of a dataset, whole and checked.
  ///
  /// Of the request's selection, conditions spare the requests for records that it leaves out. The request's parameters
  /// are sent as far as the description knows them; `random` asks for one record by chance. A server that answers 404
  /// to a parameter has no such record: no rows. Columns that take further requests are null when the request does
  /// without them.
  /// - Throws: `noInput` for a dataset the source does not have, `unavailable` for a status other than 200, `badData`
  ///   for an answer that is not what the description says, naming record and column, `configuration` for a variable
  ///   that is not set.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    do throws(Problem) { return try await checkedRows(of: table, request) } catch { throw secret.removed(from: error) }
  }

  private func checkedRows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    let dataset = try description.dataset(named: table)
    let reader = try RESTRecordReader(dataset, asWritten: isAsWritten, report: report)
    let isPartial = !request.parameters.isEmpty || dataset.parent != nil && request.selection != nil
    var (rows, findings) = reader.whole(try await rows(for: request, reader), isPartial: isPartial)
    if !dataset.supplements.isEmpty {
      let later = Set(dataset.supplements.flatMap { $0.columns.map(\.name) })
      rows = try await RESTPushdown.rows(rows, of: reader, for: request.selection, without: later)
    }
    for supplement in dataset.supplements {
      guard request.columns.map({ wanted in supplement.columns.contains { wanted.contains($0.name) } }) ?? true else {
        continue
      }
      findings += try await complete(&rows, of: dataset, by: supplement, isPartial: request.selection != nil)
    }
    findings = Self.concerning(request.columns, of: dataset, findings)
    members?(findings)
    if !isAsWritten, let line = MemberFinding.line(findings) { report(line) }
    return BufferedRows(schema: dataset.schema, batches: reader.batches(of: rows))
  }

  /// The findings that matter to a reader of some columns: that what these read has vanished.
  private static func concerning(
    _ columns: [String]?, of dataset: APIDataset, _ findings: [MemberFinding]
  ) -> [MemberFinding] {
    guard let columns else { return findings }
    let read = (dataset.columns + dataset.supplements.flatMap(\.columns)).filter { columns.contains($0.name) }
    let vanished = findings.filter { finding in
      finding.kind == .vanished && read.contains { $0.from == finding.pointer }
    }
    return vanished.isEmpty ? [] : vanished + findings.filter { $0.kind == .unmapped }
  }

  /// The rows of every record there is for a request, in parts.
  private func rows(for request: RowRequest, _ reader: RESTRecordReader) async throws(Problem) -> [RESTRows] {
    let dataset = reader.dataset
    var query = RESTQuery(path: dataset.path, parameters: dataset.parameters)
    if request.parameters["random"] != nil {
      guard let path = dataset.randomPath else {
        throw Problem(
          .usage, "\(name) does not support random records of \(dataset.schema.name)", hint: "use --sample 1")
      }
      query.path = path
      query.add(dataset.randomFilters, request)
      return [try reader.rows(of: [try await answerByChance(to: query, of: dataset)])]
    }
    query.add(dataset.filters, request)
    guard let parent = dataset.parent, !query.parameters.contains(where: { $0.name == parent.parameter }) else {
      return [try reader.rows(of: try await pages(of: dataset, query))]
    }
    return try await children(of: parent, reader, query, for: request.selection)
  }

  private func answerByChance(to query: RESTQuery, of dataset: APIDataset) async throws(Problem) -> RESTAnswer {
    let url = server + query.text
    guard let reply = try await reply(url, absentIsNothing: query.isFiltered, isStorable: false) else {
      return RESTAnswer(url: url, records: [])
    }
    if case .object = reply.document { return RESTAnswer(url: url, records: [reply.document]) }
    return RESTAnswer(url: url, records: try RESTDocument.records(in: reply.document, at: dataset.records, url: url))
  }

  /// The response of a URL; nil if the server reports that the record does not exist and that is allowed.
  /// - Parameters:
  ///   - endsAt404: whether any response with status 404 means that.
  ///   - shelf: the collection of the response, for the cache.
  func reply(
    _ url: String, absentIsNothing: Bool, endsAt404: Bool = false, isStorable: Bool = true, shelf: String? = nil
  ) async throws(Problem) -> RESTReply? {
    let (signed, headers) = try authorized(url)
    try await pace.wait()
    var request = HTTPRequest(
      .get, signed, headers: headers, maximumBytes: 32 << 20)
    request.isStorable = isStorable
    request.mayBeAbsent = absentIsNothing
    request.shelf = shelf
    let response = try await transport.send(request)
    let body = try await response.bytes()
    try meter.take(body.count, from: url)
    if let seconds = response.fetchedAt { fetched?(seconds) }
    let document = RESTDocument(url: url, status: response.status, body: body, definition: definition)
    if endsAt404, response.status == 404 { return nil }
    if absentIsNothing, document.saysNothingFound { return nil }
    var reply = RESTReply(document: try document.parsed(), headers: response.headers, believe: response.believe)
    // Data read as written is not validated, so it must not replace a valid response in the cache.
    if isAsWritten { reply.believe = {} }
    return reply
  }
}

/// A valid response.
struct RESTReply {
  /// The body.
  var document: JSON
  /// Its header fields, of which only some ways of paging need one.
  var headers: HTTPFields
  /// To be called when the body is what it should be.
  var believe: @Sendable () -> Void
}

/// The records of one response.
struct RESTAnswer {
  /// Who answered, for messages.
  var url: String
  /// Objects, as they came.
  var records: [JSON]
  /// The value of the parent record of the request.
  var parent: JSON?
  /// To be called when the records are what they should be.
  var believe: @Sendable () -> Void = {}
}
