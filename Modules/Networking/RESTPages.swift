internal import Codecs
internal import Domain

extension RESTSource {
  /// Every page of a list.
  /// - Throws: `badData` for a list that has more pages than allowed, repeats itself, or leads to another server.
  func pages(of dataset: SourceDataset, _ query: RESTQuery, parent: JSON? = nil) async throws(Problem) -> [RESTAnswer] {
    let shelf = parent.map { _ in server + dataset.path }
    let paging = dataset.paging
    if case .none = paging.style {
      let url = server + query.text
      guard let reply = try await reply(url, absentIsNothing: query.isFiltered, shelf: shelf) else { return [] }
      let records = try RESTDocument.records(in: reply.document, at: dataset.records, url: url)
      return [RESTAnswer(url: url, records: records, parent: parent, believe: reply.believe)]
    }
    var answers: [RESTAnswer] = []
    var asked: Set<String> = []
    var next: String? = server + paging.begun(query).text
    while let url = next {
      let place = URLText.redacted(url)
      guard answers.count < max(paging.maximumPages, 1) else {
        throw Problem(
          .badData, "the list has more than \(paging.maximumPages) pages", at: place,
          hint: "raise max_pages in the source's description")
      }
      guard asked.insert(url).inserted else {
        throw Problem(.badData, "the list's pages lead back to one that was read", at: place)
      }
      let mayEnd = query.isFiltered || (paging.isCounted && !answers.isEmpty)
      guard let reply = try await reply(url, absentIsNothing: mayEnd, shelf: shelf) else { break }
      let records = try RESTDocument.records(in: reply.document, at: dataset.records, url: url)
      if paging.isCounted, let last = answers.last, !records.isEmpty, last.records == records {
        throw Problem(
          .badData, "page \(answers.count + 1) is the same as the one before; the server does not know the parameter",
          at: place)
      }
      answers.append(RESTAnswer(url: url, records: records, parent: parent, believe: reply.believe))
      next = try self.next(after: answers, of: dataset, reply, query)
    }
    return answers
  }

  /// The URL of the page behind the last; nil at the end.
  private func next(
    after answers: [RESTAnswer], of dataset: SourceDataset, _ reply: RESTReply, _ query: RESTQuery
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
      guard let link = reply.document.value(at: try JSONPointer(pointer))?.stringValue, !link.isEmpty else {
        return nil
      }
      return try followed(link, from: last.url)
    case .linkHeader:
      return try reply.link.flatMap(Self.nextLink).map { (link) throws(Problem) in
        try followed(link, from: last.url)
      }
    case .cursor(let parameter, let pointer):
      guard let cursor = reply.document.value(at: try JSONPointer(pointer)), !cursor.isNull else { return nil }
      let value = cursor.stringBytes ?? cursor.canonicalBytes
      return value.isEmpty ? nil : server + query.with(parameter, String(decoding: value, as: UTF8.self)).text
    }
  }

  /// The absolute form of a link that stands in an answer from `url`; it must stay on the source's own server.
  private func followed(_ link: String, from url: String) throws(Problem) -> String {
    let next = RESTOrigin.resolved(link, against: url)
    guard RESTOrigin(next) == RESTOrigin(server) else {
      throw Problem(
        .badData, "the next page is on another server: \(RESTText.firstWords(Array(URLText.redacted(next).utf8)))",
        at: URLText.redacted(url))
    }
    return next
  }

  /// The target of `rel="next"` in a header `Link`: `<https://h/t?page=2>; rel="next", <…>; rel="last"`.
  private static func nextLink(_ header: String) -> String? {
    var rest = header[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let parameters = rest[rest.index(after: close)...].prefix { $0 != "<" }
      let words = parameters.lowercased().split { ";, =\"".contains($0) }
      if zip(words, words.dropFirst()).contains(where: { $0 == ("rel", "next") }) {
        return String(rest[rest.index(after: open)..<close])
      }
      rest = parameters.endIndex < rest.endIndex ? rest[parameters.endIndex...] : ""
    }
    return nil
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
