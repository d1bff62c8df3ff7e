import Codecs
import Domain
import Rows

/// The way through the pages of a list: from each page to the next request, without a network.
struct PageWalk {
  enum Target {
    case query(RESTQuery)
    /// A link of the response, which is sent with the body of the first request.
    case link(String)
  }

  /// The part of a page that decides about the next one.
  struct Page {
    var url: String
    var document: JSON
    var headers: HTTPFields
    /// The number of records that are not repeated from the page before.
    var records: Int
    /// The number of records, with those that are.
    var listed: Int
    var last: JSON?
  }

  private let paging: SourcePaging
  /// The request, with places for the values of each page.
  let query: RESTQuery
  private(set) var pages = 0
  private(set) var received = 0
  /// Whether the last page was the last by its own sign.
  private(set) var hasEnded = false
  private var firstCount = 0
  private var position = 0

  /// A walk that begins with `query`.
  /// - Parameter skipped: the number of records at the beginning that are not requested; only if records are counted.
  init(_ paging: SourcePaging, _ query: RESTQuery, skipped: Int = 0) {
    self.paging = paging
    received = skipped
    position = skipped
    let limit = paging.limit ?? (paging.type == .offset ? 1 : nil)
    self.query = limit.flatMap { limit in paging.limitParameter.map { query.with($0, String(limit)) } } ?? query
  }

  var first: Target {
    isCounted
      ? counted(paging.first + position)
      : .query(paging.start.map(placed) ?? paging.parameter.map(query.without) ?? query)
  }

  /// Whether pages are counted, so that a page without records ends them.
  var isCounted: Bool { paging.type == .page || paging.type == .offset }

  /// Whether status 404 ends the list.
  var endsAt404: Bool { pages > 0 && (isCounted || paging.stop == .notFound) }

  private func counted(_ number: Int) -> Target { .query(query.with(paging.parameter ?? "", String(number))) }

  private func placed(_ value: JSON) -> RESTQuery {
    guard let pointer = paging.body else {
      return query.with(paging.parameter ?? "", value.parameterText ?? "", isNumber: value.numberLiteral != nil)
    }
    var query = self.query
    query.body = (query.body ?? .object([])).setting(value, at: Self.steps(pointer)[...])
    return query
  }

  /// The steps of a pointer that was checked when the description was read.
  private static func steps(_ pointer: String) -> [String] { (try? JSONPointer(pointer))?.steps ?? [] }

  // MARK: - The next page

  /// The request after a page; nil at the end.
  /// - Throws: `badData` for a value that cannot identify the next page.
  mutating func next(after page: Page) throws(Problem) -> Target? {
    pages += 1
    received += page.records
    let last = position
    position += page.listed
    if pages == 1 { firstCount = page.listed }
    hasEnded =
      paging.until?.holds(in: page.document) ?? false || number(paging.pages, page).map { pages >= $0 } ?? false
    if hasEnded { return nil }
    if let all = total(of: page), received >= all { return nil }
    // A list with a sign of its end may have pages without records.
    let endsEmpty = paging.stop != nil || paging.until == nil
    if page.records == 0, endsEmpty, isCounted || paging.stop != nil { return nil }
    if paging.stop == .short, page.listed < shortLimit { return nil }
    let pointer = paging.pointer ?? ""
    switch paging.type {
    case .none: return nil
    case .page: return counted(paging.first + pages)
    case .offset:
      // An offset that would repeat is one without an overlap.
      if position - paging.overlap > last { position -= paging.overlap }
      return counted(paging.first + position)
    case .nextURL:
      guard let found = Self.following(pointer, in: page) else { return try end(page, pointer) }
      guard let link = found.stringValue else { throw Self.noPage(found, pointer, page) }
      return .link(link)
    case .linkHeader:
      let links = page.headers.values(of: "Link").flatMap(RESTLink.list)
      return links.first { $0.relations.contains("next") }.map { .link($0.target) }
    case .cursor: return try next(by: paging.origin, after: page)
    case .parameters:
      guard let found = Self.following(pointer, in: page) else { return try end(page, pointer) }
      guard let members = found.objectMembers else { throw Self.noPage(found, pointer, page) }
      guard !members.isEmpty else { return nil }
      var next = query
      for member in members {
        guard let text = member.value.parameterText else {
          throw Self.noPage(member.value, "\(pointer)/\(member.name)", page)
        }
        next = next.with(member.name, text)
      }
      return .query(next)
    }
  }

  private func next(by origin: SourcePlace, after page: Page) throws(Problem) -> Target? {
    let value: JSON?, place: String
    if let name = origin.header {
      let text = page.headers.value(of: name) ?? ""
      (value, place) = (text.isEmpty ? nil : .string(text), "the header \(name)")
    } else if let pointer = origin.last {
      // The last record of a page without records is not known.
      guard let last = page.last else { return nil }
      place = pointer
      value = last.value(at: pointer)
      guard value?.isNull == false else { throw Self.noPage(value ?? .null, "\(pointer) of the last record", page) }
    } else {
      place = origin.response ?? ""
      value = Self.following(place, in: page)
    }
    guard let value else { return try end(page, place) }
    if paging.body == nil, value.stringBytes == nil, value.numberLiteral == nil {
      throw Self.noPage(value, place, page)
    }
    return .query(placed(value))
  }

  /// The number of records below which a page is short.
  private var shortLimit: Int {
    paging.limit ?? (paging.type == .offset ? 1 : max(firstCount, 1))
  }

  /// A number of the response; nil if it has none.
  private func number(_ place: SourcePlace?, _ page: Page) -> Int? {
    guard let pointer = place?.response else {
      return place?.header.flatMap { page.headers.value(of: $0) }.flatMap { Int($0) }
    }
    return page.document.value(at: pointer).flatMap { value in
      value.integerValue.flatMap { Int(exactly: $0) } ?? value.stringValue.flatMap { Int($0) }
    }
  }

  /// The number of all records, as a page says.
  func total(of page: Page) -> Int? { number(paging.total, page) }

  /// The end of a list without a next page, unless its own sign says that it has one.
  private func end(_ page: Page, _ place: String) throws(Problem) -> Target? {
    guard let until = paging.until, page.document.value(at: until.pointer) != nil, page.records > 0 else { return nil }
    throw Problem(
      .badData, "\(until.pointer) announces another page, but \(place) does not identify it",
      at: URLText.redacted(page.url), hint: "correct “paging” in the source definition")
  }

  /// The value at `pointer` that identifies the next page; nil if it is missing, null, false or empty.
  private static func following(_ pointer: String, in page: Page) -> JSON? {
    guard let found = page.document.value(at: pointer)?.elementText, !found.isNull, found.booleanValue != false,
      found.stringBytes?.isEmpty != true
    else { return nil }
    return found
  }

  /// The error for a value that cannot identify the next page: the list would seem to end here.
  private static func noPage(_ found: JSON, _ pointer: String, _ page: Page) -> Problem {
    Problem(
      .badData, "expected the next page at \(pointer), found \(found.kindName): \(RESTText.shown(found))",
      at: URLText.redacted(page.url), hint: "correct the pointer in the source definition")
  }
}

extension SourcePaging {
  /// The pointers that it reads, as steps, and whether it follows the header `Link`.
  var knownMembers: (pointers: [[String]], readsLink: Bool) {
    let cursor = type == .cursor ? origin.response : pointer
    let pointers = [cursor, until?.pointer, total?.response, pages?.response].compactMap(\.self)
    return (pointers.compactMap { (try? JSONPointer($0))?.steps }, type == .linkHeader)
  }

  var readHeaders: [String] { [from?.header, total?.header, pages?.header].compactMap(\.self) }
}
