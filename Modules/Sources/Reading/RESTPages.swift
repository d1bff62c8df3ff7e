import Codecs
import Domain
import Rows

struct RESTPage: Sendable {
  var context: RESTContext
  var records: [RESTRecord]
  /// Commits the response to the cache, once its records are valid.
  var commit: @Sendable () -> Void
  var isLast = true
  /// The number of all records, as the response announces it; nil if it does not.
  var total: Int?
  var headers = HTTPFields()
  var bytes = 0
}

struct RESTWalkLimit {
  /// Whether a list with more pages than allowed, or with fewer records than announced, is not an error.
  var isSoft = false
  /// The number of records at the beginning that are not requested.
  var skipped = 0
}

extension RESTSource {
  /// Reads every page of a list, and passes each to `take` before the next is requested, until it returns false.
  /// - Parameters:
  ///   - query: the request for the first page.
  ///   - context: the values that the request was made for.
  ///   - shelf: the collection of the responses, for the cache.
  /// - Returns: how the reading ended; `full` only with a soft limit.
  /// - Throws: `badData` for a list that has more pages than allowed, repeats itself, or leads to another server; what
  ///   `take` throws.
  func walk(
    _ dataset: APIDataset, _ query: RESTQuery, _ context: RESTContext, shelf: String? = nil,
    _ limit: RESTWalkLimit = RESTWalkLimit(), take: (RESTPage) async throws(Problem) -> Bool
  ) async throws(Problem) -> SyncReading {
    let paging = dataset.paging, records = try RESTRecords(dataset), most = services.sample?.pages
    // A list that is read whole has no cursor.
    let unsent = [dataset.increment?.parameter, dataset.increment?.endParameter].compactMap(\.self)
      .filter { !paging.parameterNames.contains($0) }
    let query = unsent.reduce(query) { $0.without($1) }
    var walk = PageWalk(paging, query, skipped: limit.skipped)
    var visited: Set<PageDigest> = [], previous: PageDigest?, known = KnownRecords(dataset)
    func request(_ target: PageWalk.Target, after last: String) throws(Problem) -> RESTCall {
      var call = try call(target, after: last, of: dataset, walk.query, shelf)
      if limit.isSoft {
        // A list that is one page is mostly the same as last time, so that the server need not send it.
        call.isStorable = walk.pages == 0
        call.mustBeCurrent = true
      }
      guard visited.insert(PageDigest(call)).inserted else {
        throw Problem(
          .badData, "pagination loop: the next page was already read", at: URLText.redacted(call.url))
      }
      return call
    }
    var next: RESTCall? = try request(walk.first, after: server)
    if let job = dataset.job { next = try await finished(job, of: dataset, query) }
    while let call = next {
      let place = URLText.redacted(call.url)
      if let most, walk.pages >= most { return .full }
      guard walk.pages < max(paging.maximumPages, 1) else {
        if limit.isSoft { return .full }
        throw Problem(
          .badData, "more than \(paging.maximumPages) pages", at: place,
          hint: "raise max_pages in the source definition")
      }
      guard
        let reply = try await reply(
          call, absentIsNothing: query.isFiltered, emptyIsNothing: query.isFiltered, endsAt404: walk.endsAt404)
      else {
        break
      }
      var context = context
      context.url = call.url
      context.document = reply.document
      context.isXML = reply.isXML
      context.page = walk.pages + 1
      var (found, count) = try records.records(in: context)
      if walk.isCounted, !found.isEmpty {
        let digest = PageDigest(found)
        guard digest != previous else {
          throw Problem(
            .badData,
            "page \(walk.pages + 1) is identical to the previous page; the server probably ignores the page parameter",
            at: place)
        }
        previous = digest
      }
      let listed = count, last = found.last?.outers.last ?? found.last?.value
      if paging.overlap > 0 {
        found = known.new(found)
        count = found.count
      }
      let page = PageWalk.Page(
        url: call.url, document: reply.document, headers: reply.headers, records: count, listed: listed, last: last)
      // A page whose link cannot be followed is not valid.
      if let target = try walk.next(after: page) { next = try request(target, after: call.url) } else { next = nil }
      var isWhole = true
      if next == nil, !query.isFiltered { isWhole = try checkEnd(of: dataset, walk, page, limit) }
      let isWanted = try await take(
        RESTPage(
          context: context, records: found, commit: reply.commit, isLast: next == nil && isWhole,
          total: walk.total(of: page), headers: reply.headers, bytes: reply.bytes))
      if !isWhole { return .full }
      if !isWanted { return next == nil ? .complete : .stopped }
    }
    return .complete
  }

  /// The request for a page.
  /// - Parameter last: the URL of the page before, which a link may be relative to.
  /// - Throws: `badData` for a link that leads to another server.
  func call(
    _ target: PageWalk.Target, after last: String, of dataset: APIDataset, _ query: RESTQuery, _ shelf: String?
  ) throws(Problem) -> RESTCall {
    var call = RESTCall(dataset.request, dataset.responseFormat)
    call.shelf = shelf
    call.keptHeaders = dataset.paging.readHeaders + RESTMoreRecords.headers
    call.absent = dataset.absent?.statuses ?? []
    let sent: RESTQuery
    switch target {
    case .query(let query): (sent, call.url) = (query, server + query.text)
    case .link(let link): (sent, call.url) = (query, try followed(link, from: last))
    }
    (call.body, call.headers) = (sent.body, sent.headers)
    // The cache knows a response by its URL and body.
    call.changedHeaders = call.headers.filter { !dataset.request.headers.contains($0) }
    if !call.changedHeaders.isEmpty { call.isStorable = false }
    return call
  }

  /// Reports a list that ends although its last response announces more records.
  /// - Returns: false for such a list, with a soft limit.
  /// - Throws: `badData` if the list has to be complete.
  private func checkEnd(
    of dataset: APIDataset, _ walk: PageWalk, _ page: PageWalk.Page, _ limit: RESTWalkLimit
  ) throws(Problem) -> Bool {
    guard !dataset.paging.isDeclaredWhole, !walk.hasEnded || walk.total(of: page) != nil else { return true }
    let sign: String
    var hint: Remedy = "describe the paging; if one response is the whole list, write “paging”: {“type”: “none”}"
    if let total = walk.total(of: page) {
      if walk.received > total {
        if isAsWritten { return true }
        report("\(dataset.schema.name): the API announced \(total) records, but returned \(walk.received)")
        return true
      }
      guard walk.received < total else { return true }
      sign = "it announced \(total), but returned \(walk.received)"
    } else {
      let (known, readsLink) = dataset.paging.knownMembers
      let place = try JSONPointer(dataset.records).steps
      let signs = RESTMoreRecords(
        known: known + [place], knownHeaders: dataset.paging.readHeaders, received: walk.received, pages: walk.pages)
      // The members of a response that is the record, or the records by key, are data.
      let isData = place.isEmpty && page.document.objectMembers != nil
      let found = signs.sign(in: isData ? .null : page.document, page.headers, followsLinks: readsLink)
      if let found {
        sign = found
      } else {
        guard dataset.paging.type == .none, dataset.iteration == nil, !isData, !signs.isConfirmed(by: page.document),
          let full = signs.fullPage(DraftURL(server + walk.query.text).parameters, walk.query.body)
        else { return true }
        sign = full
        hint = "if this is the whole list, write “paging”: {“type”: “none”}"
      }
    }
    if limit.isSoft { return false }
    let remedy = dataset.paging.type == .none ? "\(definition) has no “paging”" : "“paging” in \(definition) ends here"
    let message = "\(dataset.schema.name): the API has more records (\(sign)); \(remedy)"
    guard isComplete else {
      members?([MemberFinding(.short, in: dataset.schema.name, sign, count: walk.received)])
      if !isAsWritten { report(message) }
      return true
    }
    throw Problem(
      .badData, message, at: URLText.redacted(page.url), hint: hint)
  }

  /// The absolute form of a link in a response from `url`; it must stay on the source's own server.
  func followed(_ link: String, from url: String) throws(Problem) -> String {
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
        .badData, "the next page is on another server: \(URLText.redacted(next))", at: URLText.redacted(url),
        hint: "if that is correct, change base_url in the source definition")
    }
    return next
  }
}

/// A digest that tells pages apart, 16 bytes long.
private struct PageDigest: Hashable {
  private let a: Int, b: Int

  init(_ value: some Hashable) {
    var first = Hasher(), second = Hasher()
    first.combine(value)
    second.combine(1)
    second.combine(value)
    (a, b) = (first.finalize(), second.finalize())
  }
  init(_ call: RESTCall) {
    self.init(
      [call.url, call.body.map { String(decoding: $0.canonicalBytes, as: UTF8.self) } ?? ""]
        + call.headers.map { "\($0.name): \($0.value)" })
  }
  init(_ records: [RESTRecord]) { self.init(records.map(\.value)) }
}

/// The records of the last pages, for lists whose pages overlap.
private struct KnownRecords {
  private let key: [JSONPointer]
  private var pages: [Set<[JSON]>] = []

  init(_ dataset: APIDataset) {
    let columns = dataset.schema.key.map { dataset.schema.columns[$0].name }
    let pointers = columns.map { name in
      dataset.columns.first { $0.name == name }.flatMap { $0.from.hasPrefix("#") ? nil : try? JSONPointer($0.from) }
    }
    let known = pointers.compactMap(\.self)
    // Without a key in the record, the whole record identifies it.
    key = known.count == pointers.count && !known.isEmpty ? known : [JSONPointer(steps: [])]
  }

  /// The records that the last pages did not have.
  mutating func new(_ records: [RESTRecord]) -> [RESTRecord] {
    let keys = records.map { record in key.map { record.value.value(at: $0) ?? .null } }
    let new = zip(records, keys).filter { pair in !pages.contains { $0.contains(pair.1) } }.map(\.0)
    pages = Array(pages.suffix(2)) + [Set(keys)]
    return new
  }
}
