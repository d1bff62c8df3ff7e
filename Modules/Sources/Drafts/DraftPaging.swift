import Codecs
import Domain
import Rows

/// The ways of paging that a response and its URL suggest, the most likely first.
struct DraftPaging {
  struct Guess {
    var paging: SourcePaging
    var reason: String
    /// Whether a part of it is a guess from usual names.
    var isUncertain = false
  }
  private(set) var guesses: [Guess] = []
  private let parameters: [SourceParameter]
  private let records: String
  private let isPost: Bool

  /// - Parameters:
  ///   - parameters: those of the URL.
  ///   - pointer: the place of the records.
  ///   - found: the records.
  ///   - body: the body of a POST request; nil for GET.
  init(
    _ document: JSON, headers: HTTPFields, _ parameters: [SourceParameter], records pointer: String, _ found: [JSON],
    key: String?, body: JSON?
  ) {
    self.parameters = parameters
    records = pointer
    isPost = body != nil
    var members: [(steps: [String], value: JSON)] = []
    Self.collect(document, [], pointer, &members)
    if headers.values(of: "Link").flatMap(RESTLink.list).contains(where: { $0.relations.contains("next") }) {
      guesses.append(Guess(paging: SourcePaging(.linkHeader), reason: "the header Link names the next page"))
    }
    let flag = Self.flag(members)
    addURL(members, flag)
    addCursor(members, flag)
    addLast(found, flag, key)
    addCounts(members, headers, found.count)
    if isWindow, guesses.first?.paging.type == .nextURL {
      guesses.insert(
        Guess(paging: SourcePaging(.none, isDeclaredWhole: true), reason: "the next URL is another period"), at: 0)
    } else if guesses.isEmpty {
      guesses.append(Guess(paging: SourcePaging(.none), reason: "nothing announces another page"))
    }
  }

  /// The members around the records, from the outside in.
  private static func collect(
    _ value: JSON, _ steps: [String], _ records: String, _ members: inout [(steps: [String], value: JSON)]
  ) {
    guard steps.count < 4, let all = value.objectMembers else { return }
    for member in all {
      let place = steps + [member.name]
      let pointer = JSONPointer(steps: place).description
      guard pointer != records else { continue }
      members.append((place, member.value))
      collect(member.value, place, records, &members)
    }
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
  private static func pointer(_ steps: [String]) -> String { JSONPointer(steps: steps).description }

  /// A member that announces whether there are more pages.
  private static func flag(_ members: [(steps: [String], value: JSON)]) -> SourceSign? {
    for member in members where member.value.booleanValue != nil {
      switch plain(member.steps.last ?? "") {
      case "hasmore", "hasnextpage", "hasnext", "more", "moreavailable", "moreresults":
        return SourceSign(at: pointer(member.steps), is: .boolean(false))
      case "endofstream", "done", "islast", "islastpage", "lastpage":
        return SourceSign(at: pointer(member.steps), is: .boolean(true))
      default: break
      }
    }
    return nil
  }

  private mutating func addURL(_ members: [(steps: [String], value: JSON)], _ flag: SourceSign?) {
    for member in members {
      let name = Self.plain(member.steps.last ?? ""), parent = Self.plain(member.steps.dropLast().last ?? "")
      guard let text = member.value.stringValue, text.hasPrefix("http") || text.hasPrefix("/") || text.hasPrefix("?"),
        name.hasPrefix("next") || name == "afterurl" || name.hasSuffix("nextlink")
          || (name == "href" || name == "url") && parent == "next"
      else { continue }
      var paging = SourcePaging(.nextURL, pointer: Self.pointer(member.steps))
      paging.until = flag
      guesses.append(Guess(paging: paging, reason: "\(Self.pointer(member.steps)) is a URL"))
    }
  }

  /// The parameter that takes a cursor with a name.
  private func target(_ name: String) -> String {
    let usual: [String: String] = [
      "nextcursor": isPost ? "start_cursor" : "cursor", "nextpagetoken": "pageToken", "after": "after",
      "aftercursor": "cursor", "endcursor": "after", "nexttoken": "nextToken", "bookmark": "bookmark",
      "scrollid": "scroll_id", "cursor": "cursor", "offset": "offset", "next": "next", "continue": "continue",
      "pagestate": "page_state",
    ]
    let known = parameters.map(\.name).first {
      ["cursor", "after", "pagetoken", "starting_after"].contains($0.lowercased())
    }
    return known ?? usual[Self.plain(name)] ?? "cursor"
  }

  private mutating func addCursor(_ members: [(steps: [String], value: JSON)], _ flag: SourceSign?) {
    let names: Set<String> = [
      "nextcursor", "nextpagetoken", "after", "aftercursor", "endcursor", "nexttoken", "bookmark", "scrollid", "cursor",
      "next", "pagestate", "continuationtoken", "nextpage", "nextpagecursor",
    ]
    for member in members {
      let name = member.steps.last ?? ""
      guard names.contains(Self.plain(name)), let text = member.value.parameterText, !text.isEmpty,
        !text.hasPrefix("http"), !text.hasPrefix("/"), member.value.booleanValue == nil
      else { continue }
      let place = Self.pointer(member.steps), target = target(name)
      var paging = SourcePaging(.cursor, isPost ? nil : target, pointer: place)
      if isPost { paging.body = "/\(target)" }
      paging.until = flag
      guesses.append(Guess(paging: paging, reason: "\(place) is a cursor; parameter \(target)", isUncertain: true))
    }
  }

  /// Pages that begin after the last record.
  private mutating func addLast(_ found: [JSON], _ flag: SourceSign?, _ key: String?) {
    guard let last = found.last else { return }
    if isPost, last["sort"]?.arrayValue != nil {
      var paging = SourcePaging(.cursor, from: SourcePlace(last: "/sort"), stop: .empty)
      paging.body = "/search_after"
      guesses.append(Guess(paging: paging, reason: "records have “sort”; body /search_after"))
      return
    }
    guard let key, let text = (try? JSONPointer(key)).flatMap({ last.value(at: $0) })?.parameterText else { return }
    let isSnowflake = text.utf8.count >= 15 && text.utf8.allSatisfy { $0 &- 48 < 10 }
    guard flag != nil || isSnowflake && limit != nil else { return }
    let target = flag == nil ? "before" : "starting_after"
    var paging = SourcePaging(.cursor, target, from: SourcePlace(last: key))
    paging.until = flag
    if flag == nil { paging.stop = .empty }
    let sign = flag.map { "\($0.pointer) says whether there are more" } ?? "the keys are ordered by time"
    guesses.append(
      Guess(paging: paging, reason: "\(sign): last record's \(key); parameter \(target)", isUncertain: true))
  }

  /// The parameter with the page size.
  private var limit: (name: String, value: Int)? {
    for parameter in parameters {
      let name = Self.plain(parameter.name)
      if ["limit", "perpage", "pagesize", "size", "count", "sysparmlimit", "maxresults", "top", "rows", "first"]
        .contains(name),
        let number = Int(parameter.value), number > 0
      {
        return (parameter.name, number)
      }
    }
    return nil
  }

  /// Whether the URL asks for a period of time.
  private var isWindow: Bool {
    let names = parameters.map { Self.plain($0.name) }
    return names.contains { $0.hasPrefix("start") || $0.hasPrefix("from") }
      && names.contains { $0.hasPrefix("end") || $0.hasPrefix("to") || $0 == "until" } && limit == nil
  }

  private mutating func addCounts(
    _ members: [(steps: [String], value: JSON)], _ headers: HTTPFields, _ count: Int
  ) {
    func number(_ names: [String]) -> (pointer: String, value: Int64)? {
      for member in members where names.contains(Self.plain(member.steps.last ?? "")) {
        if let value = member.value.integerValue { return (Self.pointer(member.steps), value) }
      }
      return nil
    }
    let total = number([
      "total", "totalcount", "totalresults", "numfound", "totalitems", "totalhits", "resultcount", "count",
    ])
    .flatMap { $0.value >= Int64(count) ? $0 : nil }
    let pages = number(["totalpages", "pages", "pagecount", "lastpage"])
    let names = parameters.map { Self.plain($0.name) }
    func add(_ type: SourcePaging.Kind, _ parameter: String, first: Int? = nil, _ reason: String) {
      var paging = SourcePaging(
        type, parameter, first: first, limit: limit?.value ?? (type == .offset ? max(count, 1) : nil),
        limitParameter: limit?.name)
      paging.total = total.map { SourcePlace(response: $0.pointer) }
      if type == .page { paging.pages = pages.map { SourcePlace(response: $0.pointer) } }
      guesses.append(Guess(paging: paging, reason: reason, isUncertain: true))
    }
    let offset = parameters.first {
      ["offset", "skip", "start", "sysparmoffset", "startat", "from"].contains(Self.plain($0.name))
    }
    let page = parameters.first { ["page", "pagenumber", "pageno", "p"].contains(Self.plain($0.name)) }
    if let page {
      add(.page, page.name, first: page.value == "0" ? 0 : 1, "the URL has \(page.name)")
    } else if pages != nil || number(["page", "currentpage", "pagenumber"]) != nil, !names.contains("offset") {
      add(.page, "page", "\(pages?.pointer ?? "the response") counts pages; parameter page")
    }
    if let offset {
      add(.offset, offset.name, "the URL has \(offset.name)")
    } else if let limit,
      limit.name.hasPrefix("$") || limit.name.hasPrefix("sysparm") || number(["offset", "skip", "startat"]) != nil
    {
      let name =
        limit.name.hasPrefix("$")
        ? (limit.name == "$top" ? "$skip" : "$offset") : limit.name.hasPrefix("sysparm") ? "sysparm_offset" : "offset"
      add(.offset, name, "the page size is \(limit.name); parameter \(name)")
    } else if page == nil, let limit, total != nil || count == limit.value {
      add(
        .page, "page",
        total.map { "\($0.pointer) is \($0.value); parameter page" }
          ?? "the page is full (\(limit.name)); parameter page")
      add(.offset, "offset", "parameter offset")
    } else if page == nil, let total, total.value > Int64(count) {
      add(.page, "page", "\(total.pointer) is \(total.value); parameter page")
    }
  }
}

extension SourcePaging {
  /// The type in a file, and what identifies the next page.
  var shown: String {
    let place =
      switch type {
      case .none, .linkHeader: ""
      case .page, .offset: parameter ?? ""
      case .nextURL, .parameters: pointer ?? ""
      case .cursor:
        origin.response ?? origin.last.map { "last record's \($0)" } ?? origin.header.map { "header \($0)" } ?? ""
      }
    return place.isEmpty ? type.rawValue : "\(type.rawValue) (\(place))"
  }
}
