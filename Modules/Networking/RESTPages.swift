import Codecs
import Domain
import Rows

extension RESTSource {
  /// Every page of a list.
  /// - Throws: `badData` for a list that has more pages than allowed, repeats itself, or leads to another server.
  func pages(of dataset: APIDataset, _ query: RESTQuery, parent: JSON? = nil) async throws(Problem) -> [RESTAnswer] {
    let shelf = parent.map { _ in server + dataset.path }
    let paging = dataset.paging
    if case .none = paging.style {
      let url = server + query.text
      guard let reply = try await reply(url, absentIsNothing: query.isFiltered, shelf: shelf) else { return [] }
      let records = try RESTDocument.records(in: reply.document, at: dataset.records, url: url)
      if !query.isFiltered { try checkEnd(of: dataset, reply, received: records.count, url) }
      return [RESTAnswer(url: url, records: records, parent: parent, believe: reply.believe)]
    }
    var answers: [RESTAnswer] = []
    var asked: Set<String> = []
    var next: String? = server + paging.begun(query).text
    while let url = next {
      let place = URLText.redacted(url)
      guard answers.count < max(paging.maximumPages, 1) else {
        throw Problem(
          .badData, "more than \(paging.maximumPages) pages", at: place,
          hint: "raise max_pages in the source definition")
      }
      guard asked.insert(url).inserted else {
        throw Problem(.badData, "pagination loop: the next page was already read", at: place)
      }
      // Some servers return status 404 after the last page.
      let mayEnd = paging.isCounted && !answers.isEmpty
      guard let reply = try await reply(url, absentIsNothing: query.isFiltered, endsAt404: mayEnd, shelf: shelf) else {
        break
      }
      let records = try RESTDocument.records(in: reply.document, at: dataset.records, url: url)
      if paging.isCounted, let last = answers.last, !records.isEmpty, last.records == records {
        throw Problem(
          .badData,
          "page \(answers.count + 1) is identical to the previous page; the server probably ignores the page parameter",
          at: place)
      }
      answers.append(RESTAnswer(url: url, records: records, parent: parent, believe: reply.believe))
      next = try self.next(after: answers, of: dataset, reply, query)
      if next == nil, !query.isFiltered {
        try checkEnd(of: dataset, reply, received: answers.reduce(0) { $0 + $1.records.count }, url)
      }
    }
    return answers
  }

  /// Reports a list that ends although its last response announces more records.
  /// - Throws: `badData` if the list has to be complete.
  private func checkEnd(
    of dataset: APIDataset, _ reply: RESTReply, received: Int, _ url: String
  ) throws(Problem) {
    guard !dataset.paging.isDeclaredWhole, !isAsWritten else { return }
    var known = [try JSONPointer(dataset.records).steps], links: [String]? = reply.headers.values(of: "Link")
    switch dataset.paging.style {
    case .nextURL(let pointer), .cursor(_, let pointer): known.append(try JSONPointer(pointer).steps)
    case .linkHeader: links = nil
    case .none, .page, .offset: break
    }
    let signs = RESTMoreRecords(known: known, received: received)
    guard let sign = signs.sign(in: reply.document, links: links) else { return }
    let remedy = dataset.paging.style == .none ? "\(definition) has no “paging”" : "“paging” in \(definition) ends here"
    let message = "\(dataset.schema.name): the API has more records (\(sign)); \(remedy)"
    guard isComplete else { return report(message) }
    throw Problem(
      .badData, message, at: URLText.redacted(url),
      hint: "describe the paging; if one response is the whole list, write “paging”: {“type”: “none”}")
  }

  /// The URL of the next page; nil at the end.
  private func next(
    after answers: [RESTAnswer], of dataset: APIDataset, _ reply: RESTReply, _ query: RESTQuery
  ) throws(Problem) -> String? {
    guard let last = answers.last else { return nil }
    let paging = dataset.paging
    let isAtEnd = last.records.isEmpty || (paging.stop == .short && last.records.count < answers[0].records.count)
    switch paging.style {
    case .page(let parameter, let first):
      return isAtEnd ? nil : server + query.with(parameter, String(first + answers.count)).text
    case .offset(let parameter, let limitParameter, let limit):
      guard !isAtEnd, !(paging.stop == .short && last.records.count < limit) else { return nil }
      let offset = answers.reduce(0) { $0 + $1.records.count }
      return server + paging.limited(query, limitParameter, limit).with(parameter, String(offset)).text
    case .none: return nil
    case .nextURL(let pointer):
      guard let found = try following(pointer, in: reply) else { return nil }
      guard let link = found.stringValue else { throw noPage(found, pointer, last.url) }
      return try followed(link, from: last.url)
    case .linkHeader:
      let link = reply.headers.values(of: "Link").flatMap(RESTLink.list).first { $0.relations.contains("next") }
      return try link.map { (link) throws(Problem) in try followed(link.target, from: last.url) }
    case .cursor(let parameter, let pointer):
      guard let cursor = try following(pointer, in: reply) else { return nil }
      guard let value = cursor.stringBytes ?? cursor.numberLiteral else { throw noPage(cursor, pointer, last.url) }
      return server + query.with(parameter, String(decoding: value, as: UTF8.self)).text
    }
  }

  /// The value at `pointer` that identifies the next page; nil if it is missing, null, false or empty.
  private func following(_ pointer: String, in reply: RESTReply) throws(Problem) -> JSON? {
    guard let found = reply.document.value(at: try JSONPointer(pointer)), !found.isNull, found.booleanValue != false,
      found.stringBytes?.isEmpty != true
    else { return nil }
    return found
  }

  /// The error for a value that cannot identify the next page: the list would seem to end here.
  private func noPage(_ found: JSON, _ pointer: String, _ url: String) -> Problem {
    Problem(
      .badData, "expected the next page at \(pointer), found \(found.kindName): \(RESTText.shown(found))",
      at: URLText.redacted(url), hint: "correct the pointer in the source definition")
  }

  /// The absolute form of a link in a response from `url`; it must stay on the source's own server.
  private func followed(_ link: String, from url: String) throws(Problem) -> String {
    let next = RESTOrigin.resolved(link, against: url)
    guard next.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Problem(
        .badData,
        "the URL of the next page contains white space or a control character: "
          + "\(RESTText.firstWords(Array(URLText.redacted(next).utf8)))",
        at: URLText.redacted(url))
    }
    guard RESTOrigin(next) == RESTOrigin(server) else {
      throw Problem(
        .badData,
        "refusing to follow the next page to another server: "
          + "\(RESTText.firstWords(Array(URLText.redacted(next).utf8)))",
        at: URLText.redacted(url))
    }
    return next
  }
}

extension SourcePaging {
  /// Whether it is us who count the pages.
  var isCounted: Bool {
    switch style {
    case .page, .offset: true
    case .none, .nextURL, .linkHeader, .cursor: false
    }
  }

  /// The query for the first page.
  func begun(_ query: RESTQuery) -> RESTQuery {
    switch style {
    case .page(let parameter, let first): query.with(parameter, String(first))
    case .offset(let parameter, let limitParameter, let limit):
      limited(query, limitParameter, limit).with(parameter, "0")
    case .none, .nextURL, .linkHeader, .cursor: query
    }
  }

  /// The query for so many records.
  func limited(_ query: RESTQuery, _ parameter: String?, _ limit: Int) -> RESTQuery {
    parameter.map { query.with($0, String(limit)) } ?? query
  }
}
