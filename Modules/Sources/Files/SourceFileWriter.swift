import Domain
import Codecs
import Rows

extension SourceFile {
  /// A source as the text of a file, with a line feed at its end; reading it gives the same source. The file declares
  /// the lowest version of the grammar that suffices.
  public static func text(of source: APIDescription) -> [UInt8] {
    let first = document(source, grammar: 1), problems = SourceProblems(grammar: 1)
    SourceForm.object(form).check(SourceNode(first, file: ""), problems)
    let isLater = source.grammar > 1 || !problems.all.isEmpty
    return (isLater ? document(source, grammar: 2) : first).indentedBytes()
  }

  private static func document(_ source: APIDescription, grammar: Int64) -> JSON {
    var document: [JSON.Member] = [
      JSON.Member("bb_source", .number(grammar)), JSON.Member("name", .string(source.name)),
    ]
    document.add("summary", source.summary)
    document.add("base_url", source.baseURL)
    if !source.variables.isEmpty {
      let variables = source.variables.map { variable in
        var members: [JSON.Member] = []
        members.add("env", variable.environment ?? "")
        if let usual = variable.usual { members.append(JSON.Member("default", .string(usual))) }
        return JSON.Member(variable.name, .object(members))
      }
      document.append(JSON.Member("variables", .object(variables)))
    }
    document.add("headers", source.headers)
    if let authorization = authorization(source.authorization) {
      document.append(JSON.Member("auth", authorization))
    }
    var rate: [JSON.Member] = []
    if let number = source.requestsPerSecond {
      rate.append(JSON.Member("per_second", .number(Array(number.description.utf8))))
    }
    if let number = source.requestsAtATime { rate.append(JSON.Member("at_a_time", .number(Int64(number)))) }
    rate.add("remaining", source.remainingField ?? "")
    rate.add("reset", source.resetField ?? "")
    if !rate.isEmpty { document.append(JSON.Member("rate", .object(rate))) }
    if let rule = source.errorRule {
      var members = [JSON.Member("when", sign(rule.sign))]
      if let message = rule.message { members.append(JSON.Member("message", .string(message))) }
      if rule.isRetried { members.append(JSON.Member("retry", .boolean(true))) }
      document.append(JSON.Member("error", .object(members)))
    }
    document.append(JSON.Member("datasets", .array(source.datasets.map(dataset))))
    return .object(document)
  }

  private static func sign(_ sign: SourceSign) -> JSON {
    .object([JSON.Member("at", .string(sign.pointer)), JSON.Member("is", sign.value)])
  }

  // MARK: - Authorization

  private static func authorization(_ authorization: SourceAuthorization) -> JSON? {
    var members: [JSON.Member] = []
    switch authorization {
    case .none: return nil
    case .bearer(let variable): members.add(["type": "bearer", "env": variable])
    case .basic(let variable): members.add(["type": "basic", "env": variable])
    case .query(let parameter, let variable): members.add(["type": "query", "param": parameter, "env": variable])
    case .header(let name, let variable): members.add(["type": "header", "header": name, "env": variable])
    case .key(let key):
      switch key.placement {
      case .bearer: members.add(["type": "bearer"])
      case .basic: members.add(["type": "basic"])
      case .query(let parameter): members.add(["type": "query", "param": parameter])
      case .header(let name): members.add(["type": "header", "header": name])
      }
      let variables = key.secrets.compactMap { if case .variable(let name) = $0 { name } else { nil } }
      if variables.count == 1 { members.add("env", variables[0]) } else { members.add("env", variables) }
      for case .file(let path) in key.secrets { members.add("file", path) }
      if let prefix = key.prefix { members.append(JSON.Member("prefix", .string(prefix))) }
    case .oauth2(let oauth):
      members.add(["type": "oauth2", "grant": oauth.grant.rawValue, "token_url": oauth.tokenURL])
      members.append(JSON.Member("client_id", secret(oauth.clientID)))
      if let place = oauth.clientSecret { members.append(JSON.Member("client_secret", secret(place))) }
      if let place = oauth.refreshToken { members.append(JSON.Member("refresh_token", secret(place))) }
      if let scope = oauth.scope { members.append(JSON.Member("scope", .string(scope))) }
      if oauth.sending != .basic { members.add("send", oauth.sending.rawValue) }
    case .several(let all): return .array(all.compactMap(Self.authorization))
    }
    return .object(members)
  }

  private static func secret(_ secret: SourceSecret) -> JSON {
    switch secret {
    case .variable(let name): .object([JSON.Member("env", .string(name))])
    case .file(let path): .object([JSON.Member("file", .string(path))])
    }
  }

  // MARK: - Datasets

  private static func dataset(_ dataset: APIDataset) -> JSON {
    let schema = dataset.schema
    var members: [JSON.Member] = [JSON.Member("name", .string(schema.name))]
    members.add("summary", schema.summary)
    members.add("path", dataset.path)
    members.add("params", dataset.parameters)
    if dataset.request != .get { members.append(JSON.Member("request", request(dataset.request))) }
    if let name = dataset.responseFormat.name {
      var format = [JSON.Member("as", .string(name.rawValue))]
      format.add("delimiter", dataset.responseFormat.delimiter ?? "")
      format.add("encoding", dataset.responseFormat.encoding?.rawValue ?? "")
      members.append(JSON.Member("answer", .object(format)))
    }
    members.add("filters", dataset.filters)
    if let path = dataset.randomPath {
      var random = [JSON.Member("path", .string(path))]
      random.add("filters", dataset.randomFilters)
      members.append(JSON.Member("random", .object(random)))
    }
    if dataset.recordForm == .list {
      members.add("records", dataset.records)
    } else {
      var records: [JSON.Member] = []
      records.add("at", dataset.records)
      records.add("as", dataset.recordForm.rawValue)
      if dataset.hasHeaderRow { records.append(JSON.Member("header", .boolean(true))) }
      members.append(JSON.Member("records", .object(records)))
    }
    members.addOneOrMore("explode", dataset.explode)
    if let iteration = dataset.iteration { members.append(JSON.Member("for_each", self.iteration(iteration))) }
    if dataset.paging.style != .none || dataset.paging.isDeclaredWhole {
      members.append(JSON.Member("paging", paging(dataset.paging)))
    }
    members.add("key", schema.key.map { schema.columns[$0].name })
    members.add("occurrence", dataset.occurrence ?? "")
    members.add("join_also", dataset.joinAlso)
    if let parent = dataset.parent {
      var described = [JSON.Member("dataset", .string(parent.dataset))]
      if parent.parameters.count == 1, let pair = parent.parameters.first {
        described.add(["column": pair.value, "param": pair.name])
      } else {
        described.add("params", parent.parameters)
      }
      members.append(JSON.Member("parent", .object(described)))
    }
    members.append(JSON.Member("columns", .array(schema.columns.indices.map { column($0, of: dataset) })))
    members.add("ignored", dataset.ignored)
    if !dataset.supplements.isEmpty {
      members.append(JSON.Member("supplements", .array(dataset.supplements.map(supplement))))
    }
    if let submission = dataset.submission {
      var sent = [JSON.Member("path", .string(submission.path))]
      sent.add("members", submission.members)
      members.append(JSON.Member("submission", .object(sent)))
    }
    if let increment = dataset.increment {
      members.append(JSON.Member("incremental", SourceFileIncrement.json(increment)))
    }
    return .object(members)
  }

  private static func request(_ request: SourceRequest) -> JSON {
    var members: [JSON.Member] = []
    if request.isPost { members.add("method", "POST") }
    if let body = request.body { members.append(JSON.Member("body", body)) }
    if request.isForm { members.add("encoding", "form") }
    members.add("headers", request.headers)
    return .object(members)
  }

  private static func iteration(_ iteration: SourceIteration) -> JSON {
    switch iteration {
    case .values(let parameters):
      .object([
        JSON.Member("values", .object(parameters.map { JSON.Member($0.name, .array($0.values.map { .string($0) })) }))
      ])
    case .lines(let path, let parameter):
      .object([JSON.Member("lines", .string(path)), JSON.Member("param", .string(parameter))])
    case .range(let parameter, let first, let last):
      .object([
        JSON.Member("range", .object([JSON.Member(parameter, .array([.string(first), .string(last)]))]))
      ])
    }
  }

  private static func supplement(_ supplement: DetailRequest) -> JSON {
    var members: [JSON.Member] = []
    switch supplement.scope {
    case .eachRow(let parameter):
      members = [JSON.Member("for", .string("each")), JSON.Member("path", .string(supplement.path))]
      members.add("params", supplement.parameters)
      members.add("param", parameter)
    case .link(let pointer):
      members = [JSON.Member("for", .string("each")), JSON.Member("url", .string(pointer))]
    case .list(let records, let id):
      members = [JSON.Member("for", .string("all")), JSON.Member("path", .string(supplement.path))]
      members.add("params", supplement.parameters)
      members += [JSON.Member("records", .string(records)), JSON.Member("id", .string(id))]
    }
    members.addOneOrMore("explode", supplement.explode)
    if let absent = supplement.absent {
      members.append(JSON.Member("absent", .array(absent.map { .number(Int64($0)) })))
    }
    let columns = supplement.columns.map { JSON.object([JSON.Member("name", .string($0.name))] + filling($0)) }
    return .object(members + [JSON.Member("columns", .array(columns))])
  }

  // MARK: - Paging

  private static func paging(_ paging: SourcePaging) -> JSON {
    var members: [JSON.Member] = []
    switch paging.style {
    case .none: members.add("type", "none")
    case .page(let parameter, let first):
      members.add(["type": "page", "param": parameter])
      if first != 1 { members.append(JSON.Member("first", .number(Int64(first)))) }
    case .offset(let parameter, let limitParameter, let limit):
      members.add(["type": "offset", "param": parameter])
      members.add("limit_param", limitParameter ?? "")
      members.append(JSON.Member("limit", .number(Int64(limit))))
      if paging.firstOffset != 0 { members.append(JSON.Member("first", .number(Int64(paging.firstOffset)))) }
      if paging.overlap != 0 { members.append(JSON.Member("overlap", .number(Int64(paging.overlap)))) }
    case .nextURL(let pointer):
      members = [JSON.Member("type", .string("next_url")), JSON.Member("pointer", .string(pointer))]
    case .linkHeader: members.add("type", "link_header")
    case .cursor(let parameter, let pointer):
      members.add(["type": "cursor", "param": parameter])
      members.append(JSON.Member("pointer", .string(pointer)))
    case .parameters(let pointer):
      members = [JSON.Member("type", .string("params")), JSON.Member("pointer", .string(pointer))]
    case .keyset(let cursor): members = self.cursor(cursor)
    }
    if let limit = paging.limit { members.append(JSON.Member("limit", .number(Int64(limit)))) }
    members.add("limit_param", paging.limitParameter ?? "")
    members.add("stop", paging.stop?.rawValue ?? "")
    if let until = paging.until { members.append(JSON.Member("until", sign(until))) }
    if let total = paging.total { members.append(JSON.Member("total", count(total))) }
    if let pages = paging.pages { members.append(JSON.Member("pages", count(pages))) }
    if paging.maximumPages != 1000, paging.style != .none {
      members.append(JSON.Member("max_pages", .number(Int64(paging.maximumPages))))
    }
    return .object(members)
  }

  private static func cursor(_ cursor: SourceCursor) -> [JSON.Member] {
    var members = [JSON.Member("type", .string("cursor"))]
    switch cursor.target {
    case .parameter(let name): members.add("param", name)
    case .body(let pointer): members.append(JSON.Member("body", .string(pointer)))
    }
    if let start = cursor.start { members.append(JSON.Member("start", start)) }
    switch cursor.origin {
    case .response(let pointer): members.append(JSON.Member("pointer", .string(pointer)))
    case .last(let pointer): members.append(JSON.Member("from", .object([JSON.Member("last", .string(pointer))])))
    case .header(let name): members.append(JSON.Member("from", .object([JSON.Member("header", .string(name))])))
    }
    return members
  }

  private static func count(_ count: SourcePaging.Count) -> JSON {
    switch count {
    case .pointer(let pointer): pointer.isEmpty ? .object([JSON.Member("answer", .string(""))]) : .string(pointer)
    case .header(let name): .object([JSON.Member("header", .string(name))])
    }
  }
}
