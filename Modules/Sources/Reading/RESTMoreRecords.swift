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
    "hasmore", "hasnextpage", "hasnext", "more", "moreresults", "moreavailable", "truncated", "istruncated",
    "incomplete", "incompleteresults",
  ]
  private static let negatedFlags: Set<String> = ["done", "endofstream", "islast", "islastpage", "lastpage"]
  private static let totals: Set<String> = ["count", "numfound", "nbhits", "resultcount", "found", "hits"]
  private static let pageCounts: Set<String> = [
    "pages", "pagecount", "totalpages", "totalpagecount", "lastpage", "nbpages", "numpages",
  ]
  private static let cursors: Set<String> = [
    "after", "cursor", "endcursor", "aftercursor", "bookmark", "scrollid", "pagetoken", "pagestate",
  ]
  private static let sizes = [
    "limit", "perpage", "pagesize", "size", "count", "maxresults", "top", "rows", "first", "take",
  ]
  /// The header fields that are kept with a response.
  static let headers = [
    "Link", "X-Total", "X-Total-Count", "X-Total-Results", "X-Total-Pages", "X-Page-Count", "X-Pagination",
    "X-Pagination-Total-Count", "X-Pagination-Page-Count", "X-WP-Total", "X-WP-TotalPages", "X-Result-Count",
    "Total-Count", "X-Next-Page", "X-Next-Page-Token", "X-Next-Cursor", "X-Has-More", "X-Continuation",
    "X-Continuation-Token", "X-MS-Continuation", "Content-Range",
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
        if let sign = sign(in: object, at: []) { return "the header \(name): \(sign)" }
        continue
      }
      // `items 0-9/250`
      let number = Int(text.split(separator: "/").last ?? ""), plain = name.lowercased()
      let isMore =
        if plain.contains("pages") || plain.contains("page-count") {
          number ?? 0 > pages
        } else if plain.contains("total") || plain.contains("count") || plain == "content-range" {
          number ?? 0 > received
        } else {
          number.map { $0 > 0 } ?? (text != "false")
        }
      if isMore { return "the header \(name) is \(RESTText.firstWords(Array(text.utf8)))" }
    }
    return sign(in: document, at: [])
  }

  /// Whether a member around the records announces exactly as many as were read.
  func isConfirmed(by document: JSON) -> Bool {
    members(of: document).contains { Self.isTotal($0.name) && Self.number($0.value) == received }
      || members(of: document).contains { isConfirmed(by: $0.value) && $0.value.objectMembers != nil }
  }

  /// The page size that a request names and that a response has exactly, as text: the page may be one of several.
  func fullPage(_ parameters: [SourceParameter], _ body: JSON?) -> String? {
    let sent = parameters + (body?.objectMembers ?? []).map { SourceParameter($0.name, $0.value.parameterText ?? "") }
    return sent.first { parameter in
      let plain = parameter.name.lowercased().filter { $0.isLetter }
      return received > 0 && Int(parameter.value) == received && Self.sizes.contains { plain.hasSuffix($0) }
    }.map { "\($0.name)=\($0.value), and \(received) \(received == 1 ? "record was" : "records were") received" }
  }

  /// The members of an object, and the elements of an array that has the records next to them.
  private func members(of value: JSON, at steps: [String] = []) -> [(name: String, value: JSON)] {
    if let members = value.objectMembers { return members.map { ($0.name, $0.value) } }
    guard let elements = value.arrayValue,
      known.contains(where: { $0.count == steps.count + 1 && $0.starts(with: steps) })
    else { return [] }
    return elements.enumerated().map { (String($0), $1) }
  }

  private func sign(in value: JSON, at steps: [String]) -> String? {
    guard steps.count < Self.deepest else { return nil }
    let members = members(of: value, at: steps)
    for member in members where !known.contains(steps + [member.name]) {
      if let sign = sign(member.name, member.value) {
        return "\(JSONPointer(steps: steps + [member.name])) is \(sign)"
      }
    }
    for member in members where !known.contains(steps + [member.name]) {
      if let sign = sign(in: member.value, at: steps + [member.name]) { return sign }
    }
    return nil
  }

  // `@odata.nextLink` is a next link as well.
  private static func plain(_ name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." }.split(separator: ".").last ?? "")
  }
  private static func isTotal(_ name: String) -> Bool {
    let plain = plain(name)
    return !pageCounts.contains(plain) && (plain.hasPrefix("total") || totals.contains(plain))
  }
  /// A number, also as text, and as `{"value": 5}`.
  private static func number(_ value: JSON) -> Int? {
    let value = (value["value"] ?? value).elementText
    return value.countValue ?? value.stringValue.flatMap { Int($0) }
  }

  /// The value of a member that announces more records, as text; nil for other members.
  private func sign(_ name: String, _ value: JSON) -> String? {
    let plain = Self.plain(name)
    if let flag = value.booleanValue ?? value.elementText.stringValue.flatMap({ Bool($0) }) {
      return flag ? Self.flags.contains(plain) ? "true" : nil : Self.negatedFlags.contains(plain) ? "false" : nil
    }
    if let number = Self.number(value) {
      if Self.pageCounts.contains(plain) { return number > pages ? "\(number), but \(pages) were read" : nil }
      if Self.isTotal(name) {
        let shown = "\(number), but \(received) \(received == 1 ? "record was" : "records were") received"
        return number > received ? shown : nil
      }
    }
    if let links = value.arrayValue, plain.hasPrefix("link") {
      return links.contains { $0["rel"]?.stringValue == "next" && Self.isPresent($0["href"] ?? .null) }
        ? "a list with a next link" : nil
    }
    let isCursor =
      plain.hasPrefix("next") || plain.hasPrefix("continu") || Self.cursors.contains(plain)
      || plain.hasSuffix("token") && plain.contains("page") || plain == "offset" && value.stringBytes != nil
    return isCursor && Self.isPresent(value) ? RESTText.shown(value) : nil
  }

  /// Whether a text, a number, or a part of an object is more than nothing.
  private static func isPresent(_ value: JSON) -> Bool {
    switch value.elementText {
    case .string(let text): !text.isEmpty
    case .number: value.realValue.map { $0 > 0 } ?? false
    case .object(let members): members.contains { $0.name != "rel" && isPresent($0.value) }
    default: false
    }
  }
}
