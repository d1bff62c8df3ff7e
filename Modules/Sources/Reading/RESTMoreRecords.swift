import Codecs
import Domain

/// Signs in the last response of a list that the API has more records than were read.
///
/// A list that ends too early looks like a complete one, and would delete records of a store.
struct RESTMoreRecords {
  /// The pointers that the description's own paging reads, and that of the records, which do not count.
  var known: [[String]]
  /// The header fields that it reads.
  var knownHeaders: [String] = []
  /// The number of records read, and of pages.
  var received: Int
  var pages = 1

  /// Objects within objects that are searched.
  private static let deepest = 5
  private static let flags: Set<String> = [
    "hasmore", "hasnextpage", "hasnext", "more", "moreresults", "moreavailable", "hasmoreitems", "hasmorerecords",
    "hasmoreresults", "hasmorepages", "hasnextset", "moreitems", "morerecords", "moreresultsavailable",
    "exceededtransferlimit", "truncated", "istruncated", "incomplete", "incompleteresults",
  ]
  private static let negatedFlags: Set<String> = [
    "done", "endofstream", "endoflist", "endofresults", "islast", "islastpage", "lastpage", "last", "nomore",
    "nomoreresults", "complete", "iscomplete", "isend", "eof", "exhausted", "finished",
  ]
  private static let totals: Set<String> = [
    "count", "found", "hits", "matched", "matches", "nhits", "recordsfiltered", "completelistsize", "collectionsize",
  ]
  /// The records in names such as `numFound`, `numberOfRecords`, `nbHits` and `resultCount`.
  private static let counted: Set<String> = [
    "found", "matched", "record", "row", "item", "result", "hit", "document", "entries", "element", "object", "match",
    "matching", "full", "all",
  ]
  /// Names with these words count something else.
  private static let otherTotals = [
    "page", "sub", "amount", "price", "cost", "time", "duration", "byte", "score", "weight", "token", "credit",
  ]
  static let pageCounts: Set<String> = [
    "pages", "pagecount", "pagescount", "pagetotal", "totalpages", "totalpage", "totalpagecount", "lastpage",
    "lastpagenumber", "nbpages", "numpages", "numberofpages", "maxpage",
  ]
  private static let cursors: Set<String> = [
    "after", "cursor", "endcursor", "aftercursor", "bookmark", "scrollid", "pagestate", "pagingstate", "searchafter",
    "lastevaluatedkey", "moreurl", "morelink",
  ]
  /// Names that begin with `next` and are about later runs.
  private static let otherNext = ["update", "refresh", "reset", "retry", "sync", "delta", "run", "event"]
  /// Members that repeat the request, or count something else.
  private static let other: Set<String> = [
    "facets", "aggregations", "aggs", "shards", "rate", "ratelimit", "ratelimits", "quota", "usage", "request",
    "params", "parameters", "args",
  ]
  private static let sizes: Set<String> = [
    "limit", "perpage", "pagesize", "size", "count", "maxresults", "top", "rows", "first", "take", "results", "num",
    "length", "pagelen", "itemsperpage", "resultsperpage", "maxrecords", "maxitems",
  ]

  /// Whether a parameter with a name, such as `per_page`, `$top` or `maxResults`, is the number of records of a page.
  static func isSize(_ name: String) -> Bool {
    var words: [String] = []
    for character in name {
      if !character.isLetter {
        words.append("")
      } else if character.isUppercase || words.isEmpty {
        words.append(character.lowercased())
      } else {
        words[words.count - 1].append(character)
      }
    }
    let suffixes = words.indices.map { words[$0...].joined().lowercased() }
    return suffixes.contains(where: sizes.contains)
      || ["limit", "size"].contains { suffixes.first?.hasSuffix($0) == true }
  }

  /// The header fields that are kept with a response.
  static let headers = [
    "Link", "X-Total", "X-Total-Count", "X-Total-Results", "X-Total-Pages", "X-Page-Count", "X-Pagination",
    "X-Pagination-Total-Count", "X-Pagination-Page-Count", "X-WP-Total", "X-WP-TotalPages", "X-Result-Count",
    "Total-Count", "X-Next-Page", "X-Next-Page-Token", "X-Next-Cursor", "X-Has-More", "X-Continuation",
    "X-Continuation-Token", "X-MS-Continuation", "Content-Range", "X-Total-Records", "X-Total-Items", "X-Record-Count",
    "X-Paging-TotalRecordCount", "X-Paging-PageCount", "X-Has-Next-Page", "X-Has-Next", "X-Next", "X-Next-Link",
    "X-Next-Url", "Next-Page",
    "Next-Range",
  ]

  /// Why the list is incomplete; nil if nothing suggests it.
  /// - Parameter followsLinks: whether the paging follows the header fields `Link`.
  func sign(in document: JSON, _ fields: HTTPFields, followsLinks: Bool) -> String? {
    if !followsLinks,
      fields.values(of: "Link").flatMap(RESTLink.list).contains(where: { $0.relations.contains("next") })
    {
      return "the header Link names a next page"
    }
    for name in Self.headers.dropFirst() where !knownHeaders.contains(where: { $0.lowercased() == name.lowercased() }) {
      guard let text = fields.value(of: name), !text.isEmpty else { continue }
      if let object = try? JSON.parse(Array(text.utf8), name: name), object.objectMembers != nil {
        if let sign = sign(in: object) { return "the header \(name): \(sign)" }
        continue
      }
      // `items 0-9/250`
      let number = Int(text.split(separator: "/").last ?? ""), plain = Self.plain(name)
      let isMore =
        if plain.contains("pages") || plain.contains("pagecount") {
          number ?? 0 > pages
        } else if plain.contains("total") || plain.contains("count") || plain == "contentrange" {
          number ?? 0 > received
        } else {
          number.map { $0 > 0 } ?? (text != "false")
        }
      if isMore { return "the header \(name) is \(RESTText.firstWords(Array(text.utf8)))" }
    }
    return sign(in: document)
  }

  /// Whether a member around the records announces exactly as many as were read.
  func isConfirmed(by document: JSON) -> Bool {
    members(of: document).contains { Self.isTotal($0.steps.last ?? "") && Self.number($0.value) == received }
  }

  /// The page size that a request names and that a response has exactly, as text: the page may be one of several.
  func fullPage(_ parameters: [SourceParameter], _ body: JSON?) -> String? {
    guard received > 0 else { return nil }
    let full = (parameters + Self.sent(body ?? .null)).first { Int($0.value) == received && Self.isSize($0.name) }
    return full.map {
      "\($0.name)=\($0.value), and \(received) \(received == 1 ? "record was" : "records were") received"
    }
  }

  /// The members of a body, such as the variables of GraphQL, and the words before values in its texts: `first: 10`.
  private static func sent(_ body: JSON, _ name: String = "") -> [SourceParameter] {
    if let members = body.objectMembers { return members.flatMap { sent($0.value, $0.name) } }
    guard let text = body.stringValue else { return [SourceParameter(name, body.parameterText ?? "")] }
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    return [SourceParameter(name, text)] + zip(words, words.dropFirst()).map { SourceParameter($0, $1) }
  }

  /// The members around the records, each with its place, those of an object before those within them.
  ///
  /// Elements of an array count if the records are next to them.
  private func members(of value: JSON, at steps: [String] = []) -> [(steps: [String], value: JSON)] {
    guard steps.count < Self.deepest else { return [] }
    var members: [(steps: [String], value: JSON)] = []
    if let known = value.objectMembers {
      members = known.map { (steps + [$0.name], $0.value) }
    } else if let elements = value.arrayValue,
      known.contains(where: { $0.count == steps.count + 1 && $0.starts(with: steps) })
    {
      members = elements.enumerated().map { (steps + [String($0)], $1) }
    }
    members.removeAll { known.contains($0.steps) || Self.other.contains(Self.plain($0.steps.last ?? "")) }
    return members + members.flatMap { self.members(of: $0.value, at: $0.steps) }
  }

  private func sign(in value: JSON) -> String? {
    let members = members(of: value)
    // Some APIs send the cursor of the last record, too.
    let hasEnded = members.contains { Self.flag($0.steps.last ?? "", $0.value) == false }
    for (steps, value) in members {
      if let sign = sign(steps.last ?? "", value, hasEnded) { return "\(JSONPointer(steps: steps)) is \(sign)" }
    }
    return nil
  }

  // `@odata.nextLink` and `hydra:next` are next links as well.
  private static func plain(_ name: String) -> String {
    let last = name.lowercased().split { $0 == "." || $0 == ":" }.last ?? ""
    return String(last.filter { $0.isLetter || $0.isNumber })
  }
  static func isTotal(_ name: String) -> Bool {
    let plain = plain(name)
    guard !totals.contains(plain) else { return true }
    if plain.contains("total") { return !otherTotals.contains(where: plain.contains) }
    let prefix = ["numberof", "number", "num", "nb"].first(where: plain.hasPrefix)
    let what = prefix.map { plain.dropFirst($0.count) } ?? (plain.hasSuffix("count") ? plain.dropLast(5) : "")
    return counted.contains(String(what)) || what.hasSuffix("s") && counted.contains(String(what.dropLast()))
  }
  /// A number, also as text, and as `{"value": 5}`.
  private static func number(_ value: JSON) -> Int? {
    let value = (value["value"] ?? value).elementText
    return value.countValue ?? value.stringValue.flatMap { Int($0) }
  }
  /// Whether a member says that there are more records, or not; nil for other members.
  private static func flag(_ name: String, _ value: JSON) -> Bool? {
    let plain = plain(name)
    guard let flag = value.booleanValue ?? value.elementText.stringValue.flatMap({ Bool($0) }) else { return nil }
    if negatedFlags.contains(plain) { return !flag }
    return flags.contains(plain) && (flag || plain.contains("more") || plain.contains("next")) ? flag : nil
  }

  /// The value of a member that announces more records, as text; nil for other members.
  private func sign(_ name: String, _ value: JSON, _ hasEnded: Bool) -> String? {
    let plain = Self.plain(name)
    if let flag = value.booleanValue ?? value.elementText.stringValue.flatMap({ Bool($0) }) {
      return Self.flag(name, value) == true ? String(flag) : nil
    }
    if let number = Self.number(value) {
      if Self.pageCounts.contains(plain) { return number > pages ? "\(number), but \(pages) were read" : nil }
      if Self.isTotal(name) {
        let shown = "\(number), but \(received) \(received == 1 ? "record was" : "records were") received"
        return number > received ? shown : nil
      }
    }
    guard !hasEnded else { return nil }
    if plain == "link" || plain == "links", (value.arrayValue ?? [value]).contains(where: Self.isNextLink) {
      return value.arrayValue == nil ? "a next link" : "a list with a next link"
    }
    let isCursor =
      plain.hasPrefix("next") && !Self.otherNext.contains(where: plain.contains)
      || plain.hasPrefix("continu") || Self.cursors.contains(plain)
      || plain.hasSuffix("token") && (plain.contains("page") || plain.contains("pagination") || plain.contains("resum"))
      || plain == "offset" && value.stringBytes != nil
    return isCursor && Self.isPresent(value) ? RESTText.shown(value.elementText) : nil
  }

  /// Whether an element of a list of links, `<link rel="next" href="…">` in XML, leads to a next page.
  private static func isNextLink(_ link: JSON) -> Bool {
    let relation = ["rel", "@rel", "relation", "label"].lazy.compactMap { link[$0] }.first ?? .null
    let words = (relation.arrayValue ?? [relation]).flatMap {
      ($0.stringValue ?? "").lowercased().split(separator: " ")
    }
    return words.contains("next") && ["href", "@href", "url", "uri"].contains { isPresent(link[$0] ?? .null) }
  }

  /// Whether a text, a number, or a part of an object is more than nothing.
  private static func isPresent(_ value: JSON) -> Bool {
    switch value.elementText {
    case .string(let text): !text.isEmpty
    case .number: value.realValue.map { $0 > 0 } ?? false
    case .object(let members): members.contains { !$0.name.hasPrefix("@") && $0.name != "rel" && isPresent($0.value) }
    default: false
    }
  }
}
