import Codecs
public import Domain
public import Query
public import Rows

/// A JSON API described by a `APIDescription`, read over HTTP.
///
/// All records of a request are read and validated before the first row is returned, so an invalid response never
/// leaves half a table. Rows are in the order of the dataset's key; without a key, in the order of the source.
public struct RESTSource: RecordSource {
  let description: APIDescription
  let server: String
  let transport: any HTTPTransport
  let environment: [String: String]
  let pace: RateLimit
  let credentials: RESTCredentials
  let isAsWritten: Bool
  /// Whether a list that is shorter than the API says is an error rather than a warning.
  let isComplete: Bool
  /// Where the API is described, for hints.
  let definition: String
  let stored: (any RecordSource)?
  let secret: Secrets
  /// Counts the bytes of all responses.
  let meter: RESTMeter
  /// The observations in the records of incremental requests, by dataset.
  let noticed = RESTNoticed()
  /// The most bytes of all responses together, if nothing else is given: 4 GiB.
  public static let defaultMaximumBytes = 4 << 30
  /// Requests under way at one time; without HTTP/2 there are connections for as many.
  var requestsAtATime: Int { description.requestsAtATime ?? HTTPRequest.usualAtATime }
  let report: @Sendable (String) -> Void
  let progress: (@Sendable (_ done: Int, _ all: Int) -> Void)?
  let members: (@Sendable ([MemberFinding]) -> Void)?
  private let fetched: (@Sendable (_ seconds: Int64) -> Void)?
  let services: Services

  /// The services that a source needs in addition to a transport, and its limits.
  public struct Services: Sendable {
    /// Temporary files for rows that do not fit into memory; nil to keep all rows in memory.
    public var scratch: (any ScratchSpace)?
    /// The values of variables that were given, by name.
    public var variables: [String: String] = [:]
    /// Reads the lines of a file that the description names.
    public var lines: @Sendable (_ path: String) throws(Problem) -> [String] = { (path) throws(Problem) in
      throw Problem(.configuration, "cannot read the lines of a file here", at: path)
    }
    /// Reads a secret from a file that the description names.
    public var secret: @Sendable (_ path: String) throws(Problem) -> String = { (path) throws(Problem) in
      throw Problem(.configuration, "cannot read a secret from a file here", at: path)
    }
    /// The secrets of the run.
    public var secrets = Secrets()
    /// The refresh token that a server issued last for a source; nil for none.
    public var refreshToken: @Sendable (_ source: String, _ origin: String) throws(Problem) -> String? = {
      (_, _) throws(Problem) in nil
    }
    /// Keeps a refresh token that a server issued.
    public var keepRefreshToken:
      @Sendable (_ token: String, _ source: String, _ origin: String) async throws(Problem) -> Void = {
        _, _, _ async throws(Problem) in
      }
    /// The current date, `2024-05-17`.
    public var today = "1970-01-01"
    /// The most errors of a response that are reported.
    public var errorLimit = 20
    /// Whether stored values may be replaced with null because the API lacks their members.
    public var acceptsDrift = false
    /// The total time for export jobs.
    public var deadline = Duration.seconds(900)
    /// Receives what a run waits for.
    public var waiting: @Sendable (String) -> Void = { _ in }
    /// Whether a detail request that fails is an error.
    public var failsOnPartial = false
    /// Of members that no column reads, by dataset and JSON Pointer, those that are new since the last sync.
    public var newMembers: @Sendable (_ dataset: String, _ pointers: [String]) -> Set<String> = { _, _ in [] }
    /// Receives the URL, status and key of each detail request that failed.
    public var failed: @Sendable (SourceFailure) -> Void = { _ in }
    /// The part to read; nil for everything.
    public var sample: SourceSample?
    /// Receives each request and its response, without secrets.
    public var exchanged: (@Sendable (SourceExchange) -> Void)?
    /// The response to a request, in place of the network; nil for the network.
    public var replayed: (@Sendable (SourceExchange) throws(Problem) -> SourceExchange)?
    /// The usual services.
    public init() {}
  }

  /// A source.
  /// - Parameters:
  ///   - description: the API.
  ///   - server: a server that speaks it, instead of the description's base URL.
  ///   - transport: sends the requests; it retries and caches.
  ///   - environment: variables that hold the secrets the description names.
  ///   - asWritten: for a `Check`: empty texts stay, a value that does not fit its column's type stays as its text, and
  ///     anomalies are not reported.
  ///   - complete: whether a list that is shorter than the API says is `badData` rather than a warning.
  ///   - definition: the path of the file that describes the API, for hints; nil for a built-in description.
  ///   - stored: the rows of an earlier request, whose columns stay where the source has no details any more.
  ///   - services: temporary files, variables and secrets.
  ///   - maximumBytes: of all responses of this source together, decoded; more is `badData`.
  ///   - progress: receives, from any task, the number of requests for one record each that are done, and of all.
  ///   - members: receives the members of records that differ from the description.
  ///   - fetched: receives, from any task, when each response was fetched, in seconds since 1970.
  ///   - report: receives one line for each anomaly that was accepted.
  /// - Throws: `usage` if the server is not an http or https URL.
  public init(
    _ description: APIDescription, server: String? = nil, transport: any HTTPTransport,
    environment: [String: String] = [:], asWritten: Bool = false, complete: Bool = false,
    definition: String? = nil, stored: (any RecordSource)? = nil,
    maximumBytes: Int = RESTSource.defaultMaximumBytes, services: Services = Services(),
    progress: (@Sendable (_ done: Int, _ all: Int) -> Void)? = nil,
    members: (@Sendable ([MemberFinding]) -> Void)? = nil,
    fetched: (@Sendable (_ seconds: Int64) -> Void)? = nil, report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    let description = try RESTVariables.resolved(description, environment, services.variables)
    var base = server ?? description.baseURL
    while base.hasSuffix("/") { base.removeLast() }
    guard URLText.isWeb(base) else {
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
    self.services = services
    let secret = services.secrets
    self.secret = secret
    // Variables from the environment hold accounts and keys.
    for variable in description.variables {
      guard let name = variable.environment else { continue }
      if let value = services.variables[variable.name] ?? environment[name] { secret.add(value) }
    }
    credentials = RESTCredentials(
      description, server: base, transport: transport, environment: environment, services: services, secret: secret)
    self.report = { line in report(secret.removed(from: line)) }
  }

  /// The description's name.
  public var name: String { description.name }

  /// By dataset, the columns in which records that a name relates must agree.
  public var joinColumns: [String: [String]] {
    var columns: [String: [String]] = [:]
    for dataset in description.datasets where !dataset.joinAlso.isEmpty {
      columns[dataset.schema.name] = dataset.joinAlso
    }
    return columns
  }

  /// By dataset, the columns that need not have a value in any record.
  public var optionalColumns: [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for dataset in description.datasets { columns[dataset.schema.name] = dataset.optionalColumns }
    return columns
  }

  /// The schemas of its datasets.
  public func tables() async throws(Problem) -> [Schema] { description.datasets.map(\.schema) }

  /// The rows of a dataset, whole and checked.
  ///
  /// Conditions of the selection spare detail requests for records that they exclude. Parameters are sent as far as the
  /// description knows them; `random` requests a random record. Status 404 for a parameter means no rows.
  /// Columns of detail requests are null if the request does not need them.
  /// - Throws: `noInput` for an unknown dataset, `unavailable` for a status other than 200, `badData` for a response
  ///   that contradicts the description, with record and column, `configuration` for a variable that is not set.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    do throws(Problem) { return try await checkedRows(of: table, request) } catch { throw secret.removed(from: error) }
  }

  private func checkedRows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    let dataset = try description.dataset(named: table)
    let reader = try RESTRecordReader(
      dataset, asWritten: isAsWritten, errorLimit: services.errorLimit, keepsSamples: stored != nil)
    let isPartial = !request.parameters.isEmpty || dataset.parent != nil && request.selection != nil
    var collector = RESTCollector(reader, scratch: services.scratch)
    try await collect(request, reader, &collector)
    var findings = collector.findings(isPartial: isPartial)
    if !isPartial {
      try await checkDrift(of: dataset, dataset.columns, collector.members, collector.samples, &findings)
    }
    let supplements = dataset.supplements.filter { supplement in
      !supplement.explode.isEmpty
        || request.columns.map { wanted in supplement.columns.contains { wanted.contains($0.name) } } ?? true
    }
    var complete: ((inout [[Value]]) async throws(Problem) -> Void)?
    if !dataset.supplements.isEmpty {
      let later = Set(dataset.supplements.flatMap { $0.columns.map(\.name) })
      complete = { (rows) async throws(Problem) in
        rows = try await RESTPushdown.rows(rows, of: reader, for: request.selection, without: later)
        for supplement in supplements {
          findings += try await self.complete(&rows, of: reader, by: supplement, isPartial: request.selection != nil)
        }
      }
    }
    let stream = try await collector.finish(complete)
    if !isAsWritten { for line in collector.notes.lines(dataset.schema.name) { report(line) } }
    findings = Self.concerning(request.columns, of: dataset, MemberFinding.merged(findings))
    members?(findings)
    if !isAsWritten, let line = line(findings, of: dataset.schema.name) {
      if services.failsOnPartial, findings.contains(where: { ![.unmapped, .short].contains($0.kind) }) {
        throw Problem(.badData, line, hint: "correct \(definition)")
      }
      report(line)
    }
    return stream
  }

  /// The findings of a dataset as one line; nil for none.
  func line(_ findings: [MemberFinding], of table: String) -> String? {
    let new = services.newMembers(table, findings.filter { $0.kind == .unmapped }.map(\.pointer))
    return MemberFinding.line(findings) { new.contains($0.pointer) }
  }

  /// The findings that matter to a reader of some columns: that what these read has vanished.
  private static func concerning(
    _ columns: [String]?, of dataset: APIDataset, _ findings: [MemberFinding]
  ) -> [MemberFinding] {
    guard let columns else { return findings }
    let read = (dataset.columns + dataset.supplements.flatMap(\.columns)).filter { columns.contains($0.name) }
    let vanished = findings.filter { finding in
      finding.kind == .vanished && read.contains { $0.pointers.contains(finding.pointer) }
    }
    return vanished.isEmpty ? [] : vanished + findings.filter { $0.kind == .unmapped }
  }

  /// Collects the rows of every record there is for a request.
  private func collect(
    _ request: RowRequest, _ reader: RESTRecordReader, _ collector: inout RESTCollector
  ) async throws(Problem) {
    let dataset = reader.dataset
    var query = RESTQuery(dataset)
    if request.parameters["random"] != nil {
      guard let path = dataset.randomPath else {
        throw Problem(
          .usage, "\(name) does not support random records of \(dataset.schema.name)", hint: .set(.sample, to: "1"))
      }
      query.path = path
      query.add(dataset.randomFilters, request)
      if let page = try await randomPage(of: dataset, query) {
        try collector.add(try reader.rows(of: page))
        page.commit()
      }
      return
    }
    query.add(dataset.filters, request)
    var parent = dataset.parent
    if let parameters = parent?.parameters,
      parameters.allSatisfy({ pair in query.parameters.contains { $0.name == pair.name } })
    {
      parent = nil
    }
    guard parent != nil || dataset.iteration != nil else {
      return try await read(dataset, query, RESTContext(), reader) { (rows) throws(Problem) in try collector.add(rows) }
    }
    try await readEach(parent, reader, query, for: request.selection) { (rows) throws(Problem) in
      try collector.add(rows)
    }
  }

  /// Passes the rows of each page of a list to `take`.
  func read(
    _ dataset: APIDataset, _ query: RESTQuery, _ context: RESTContext, _ reader: RESTRecordReader,
    shelf: String? = nil, take: (RESTRows) throws(Problem) -> Void
  ) async throws(Problem) {
    // The pages of an invalid list do not replace those of a valid one in the cache, unless the list is long.
    let most = shelf == nil ? 8 << 20 : 256 << 10
    var held: [@Sendable () -> Void] = [], bytes = 0
    defer { for commit in held { commit() } }
    do {
      _ = try await walk(dataset, query, context, shelf: shelf) { (page) throws(Problem) in
        held.append(page.commit)
        bytes += page.bytes
        try take(try reader.rows(of: page))
        if bytes > most {
          for commit in held { commit() }
          held = []
        }
        return true
      }
    } catch {
      if error.kind == .badData { held = [] }
      throw error
    }
  }

  /// The values of a dataset's iteration, for each request.
  func iterations(of dataset: APIDataset) throws(Problem) -> [[SourceParameter]] {
    try RESTIterations.combinations(dataset.iteration, today: services.today, lines: services.lines)
  }

  private func randomPage(of dataset: APIDataset, _ query: RESTQuery) async throws(Problem) -> RESTPage? {
    var call = RESTCall(dataset.request, dataset.responseFormat)
    call.url = server + query.text
    (call.body, call.headers) = (query.body, query.headers)
    call.isStorable = false
    guard let reply = try await reply(call, absentIsNothing: query.isFiltered, emptyIsNothing: query.isFiltered) else {
      return nil
    }
    var context = RESTContext()
    (context.url, context.document, context.isXML) = (call.url, reply.document, reply.isXML)
    if case .object = reply.document {
      return RESTPage(context: context, records: [RESTRecord(value: reply.document)], commit: reply.commit)
    }
    return RESTPage(
      context: context, records: try RESTRecords(dataset).records(in: context).records, commit: reply.commit)
  }

  /// The response of a request; nil if the server reports that the record does not exist and that is allowed.
  /// - Parameter endsAt404: whether any response with status 404 means that.
  func reply(
    _ call: RESTCall, absentIsNothing: Bool, emptyIsNothing: Bool = false, endsAt404: Bool = false
  ) async throws(Problem) -> JSONResponse? {
    var tries = 0
    while true {
      tries += 1
      let (response, body) = try await exchange(call, mayBeAbsent: absentIsNothing || endsAt404)
      let document = RESTDocument(
        url: call.url, status: response.status, body: body, definition: definition,
        format: call.format, contentType: description.grammar > 1 ? response.header("Content-Type") : nil)
      if endsAt404, response.status == 404 { return nil }
      if call.absent.contains(response.status) { return nil }
      if absentIsNothing, document.saysNothingFound { return nil }
      if emptyIsNothing, document.status == 200, document.isEmpty { return nil }
      let (parsed, isXML) = try await document.parsed()
      if let refusal = refusal(parsed, call.url) {
        guard description.errorRule?.isRetried == true, tries < 4 else { throw refusal }
        do { try await Task.sleep(for: .milliseconds(500 << (tries - 1))) } catch {
          throw Problem(.cancelled, "interrupted", at: URLText.redacted(call.url))
        }
        continue
      }
      var reply = JSONResponse(
        document: parsed, isXML: isXML, headers: response.headers, commit: response.commitToCache)
      reply.bytes = body.count
      // Data read as written is not validated, so it must not replace a valid response in the cache.
      if isAsWritten { reply.commit = {} }
      return reply
    }
  }

  /// Sends a request; once more with another key or token if the server refuses the first.
  func exchange(_ call: RESTCall, mayBeAbsent: Bool) async throws(Problem) -> (HTTPResponse, [UInt8]) {
    if let replayed = services.replayed {
      let known = try replayed(call.exchange(secret))
      let response = HTTPResponse(
        status: known.status, headers: HTTPFields(known.headers), url: call.url, body: SingleChunkBody(known.body))
      return (response, known.body)
    }
    while true {
      let signed = try await credentials.signed(call)
      try await pace.wait()
      meter.noteRequest()
      var request = call.request(signed.url, signed.headers)
      request.mayBeAbsent = mayBeAbsent || !call.absent.isEmpty
      request.endsWhenThrottled = signed.hasOthers
      let response = try await transport.send(request)
      if [401, 403, 429].contains(response.status), try await credentials.recover(from: response.status, signed) {
        continue
      }
      let body = try await response.bytes()
      try meter.take(body.count, from: call.url)
      if let exchanged = services.exchanged { exchanged(call.exchange(secret, response, body)) }
      if let seconds = response.fetchedAt { fetched?(seconds) }
      return (response, body)
    }
  }

  /// The error that a response with status 200 is; nil if it is none.
  private func refusal(_ document: JSON, _ url: String) -> Problem? {
    if let rule = description.errorRule, rule.sign.holds(in: document) {
      let message = rule.message.flatMap { document.value(at: $0) }.map(RESTText.shown)
      return RESTDocument.refusal(message ?? "\(rule.sign.pointer) is \(RESTText.shown(rule.sign.value))", at: url)
    }
    guard description.grammar > 1, let message = document.errorsMessage else { return nil }
    return RESTDocument.refusal(message, at: url)
  }
}

struct JSONResponse: Sendable {
  var document: JSON
  var isXML = false
  /// Its header fields, of which only some ways of paging need one.
  var headers: HTTPFields
  /// Commits the response to the cache, once its records are valid.
  var commit: @Sendable () -> Void
  var bytes = 0
}
