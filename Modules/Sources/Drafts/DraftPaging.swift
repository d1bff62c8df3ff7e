import Codecs
import Domain

/// The ways of paging that a response and its URL suggest, the most likely first.
struct DraftPaging {
  struct Guess {
    var paging: SourcePaging
    var reason: String
    /// Whether a part of it is a guess from usual names.
    var isUncertain = false
    /// JSON Pointer to the place of the number in the body of a POST request; nil for a parameter.
    var place: String?
    /// Whether the URL has the parameter, and whether with another value than that of a first page.
    var isGiven = false, isElsewhere = false
  }
  private(set) var guesses: [Guess] = []
  /// Ways that only usual names suggest.
  private(set) var others: [Guess] = []
  private let body: JSON?
  /// The number of all records, and of all pages, if the response says that there are more.
  private var total: SourcePlace?, pages: SourcePlace?
  private let parameters: [SourceParameter]
  private let records: String
  private var isPost: Bool { body != nil }

  /// - Parameters:
  ///   - parameters: those of the URL.
  ///   - pointer: the place of the records.
  ///   - found: the records, or the first of them.
  ///   - count: the number of all of the response.
  ///   - body: the body of a POST request; nil for GET.
  init(
    _ document: JSON, headers: HTTPFields, _ parameters: [SourceParameter], records pointer: String, _ found: [JSON],
    count: Int? = nil, key: String?, body: JSON?
  ) {
    let count = count ?? found.count
    self.parameters = parameters
    records = pointer
    self.body = body
    var members: [(steps: [String], value: JSON)] = []
    Self.collect(document, [], pointer, &members)
    if headers.values(of: "Link").flatMap(RESTLink.list).contains(where: { $0.relations.contains("next") }) {
      guesses.append(Guess(paging: SourcePaging(.linkHeader), reason: "the header Link names the next page"))
    }
    let flag = Self.flag(members)
    findTotals(members, headers, count)
    addHeaders(headers)
    addURL(members, flag)
    addParameters(members)
    addCursor(members, flag)
    addLast(found, flag, key)
    addCounts(members, count)
    if isWindow, guesses.first?.paging.type == .nextURL {
      guesses.insert(
        Guess(paging: SourcePaging(.none, isDeclaredWhole: true), reason: "the next URL is another period"), at: 0)
    } else if guesses.isEmpty {
      guesses.append(Guess(paging: SourcePaging(.none), reason: "nothing announces another page"))
    }
    addUsual(members, flag, count, key)
  }

  /// The members around the records, from the outside in.
  private static func collect(
    _ value: JSON, _ steps: [String], _ records: String, _ members: inout [(steps: [String], value: JSON)]
  ) {
    guard steps.count < 4 else { return }
    var all = value.objectMembers.map { $0.map { ($0.name, $0.value) } } ?? []
    // The records may be an element of an array, next to an object about them.
    let isAround = records.split(separator: "/").dropLast().elementsEqual(steps, by: { $0 == $1 })
    if isAround, let elements = value.arrayValue { all = elements.enumerated().map { (String($0), $1) } }
    for (name, value) in all {
      let place = steps + [name]
      let pointer = JSONPointer(steps: place).description
      guard pointer != records else { continue }
      members.append((place, value.elementText))
      collect(value, place, records, &members)
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

  /// Finds the numbers of all records and pages that are larger than those of the response.
  private mutating func findTotals(
    _ members: [(steps: [String], value: JSON)], _ headers: HTTPFields, _ count: Int
  ) {
    let numbers =
      members.map { (Self.plain($0.steps.last ?? ""), SourcePlace(response: Self.pointer($0.steps)), $0.value) }
      + RESTMoreRecords.headers.compactMap { name in
        headers.value(of: name).map { (Self.plain(name), SourcePlace(header: name), JSON.string($0)) }
      }
    for (name, place, value) in numbers {
      guard let number = value.countValue ?? value.stringValue.flatMap({ Int($0) }) else { continue }
      if RESTMoreRecords.pageCounts.contains(name) || name.contains("total") && name.contains("page") {
        if number > 1 { pages = pages ?? place }
      } else if RESTMoreRecords.isTotal(name) {
        if number > count { total = total ?? place }
      }
    }
  }

  /// Whether a text is a URL, also a relative one.
  private func isLink(_ text: String) -> Bool {
    text.hasPrefix("http") || text.hasPrefix("/") || text.hasPrefix("?")
      || text.contains("?") && text.contains("=") && !text.contains(" ")
  }

  /// The header fields with a cursor or the number of the next page, and the parameter for each.
  private mutating func addHeaders(_ headers: HTTPFields) {
    for (name, parameter) in [
      ("X-Next-Page", "page"), ("X-Next-Cursor", "cursor"), ("X-Next-Page-Token", "pageToken"),
      ("X-Continuation-Token", "continuationToken"), ("X-Continuation", "continuation"),
    ] where headers.value(of: name)?.isEmpty == false {
      let paging = SourcePaging(.cursor, parameter, from: SourcePlace(header: name))
      guesses.append(Guess(paging: paging, reason: "the header \(name) has a value", isUncertain: true))
    }
  }

  /// An object of parameters for the next page.
  private mutating func addParameters(_ members: [(steps: [String], value: JSON)]) {
    for member in members
    where ["continue", "querycontinue", "next", "nextparams"].contains(Self.plain(member.steps.last ?? "")) {
      guard let parts = member.value.objectMembers, !parts.isEmpty, parts.allSatisfy({ $0.value.parameterText != nil }),
        !parts.contains(where: { ["href", "url", "link"].contains($0.name.lowercased()) })
      else { continue }
      let place = Self.pointer(member.steps)
      guesses.append(
        Guess(paging: SourcePaging(.parameters, pointer: place), reason: "\(place) is an object of parameters"))
    }
  }

  private mutating func addURL(_ members: [(steps: [String], value: JSON)], _ flag: SourceSign?) {
    for member in members {
      let name = Self.plain(member.steps.last ?? ""), parent = Self.plain(member.steps.dropLast().last ?? "")
      guard let text = member.value.stringValue, isLink(text),
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
      "pagestate": "page_state", "nextpage": "page", "continuationtoken": "continuationToken",
    ]
    let known = parameters.map(\.name).first {
      ["cursor", "after", "pagetoken", "starting_after"].contains($0.lowercased())
    }
    return known ?? usual[Self.plain(name)] ?? "cursor"
  }

  private mutating func addCursor(_ members: [(steps: [String], value: JSON)], _ flag: SourceSign?) {
    let names: Set<String> = [
      "nextcursor", "nextpagetoken", "after", "aftercursor", "endcursor", "nexttoken", "bookmark", "scrollid", "cursor",
      "next", "pagestate", "continuationtoken", "nextpage", "nextpagecursor", "offset", "nextoffset", "continue",
    ]
    for member in members {
      let name = member.steps.last ?? ""
      guard names.contains(Self.plain(name)), let text = member.value.parameterText, !text.isEmpty,
        !isLink(text), member.value.booleanValue == nil,
        Self.plain(name) != "offset" || member.value.stringBytes != nil, text != "0"
      else { continue }
      let place = Self.pointer(member.steps), target = target(name)
      var paging = SourcePaging(.cursor, isPost ? nil : target, pointer: place)
      if isPost { paging.body = "/\(target)" }
      (paging.until, paging.total) = (flag, flag == nil ? total : nil)
      // `cursor=*` requests the first page.
      if let first = parameters.first(where: { $0.name == target && $0.value == "*" }) {
        paging.start = .string(first.value)
      }
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

  private var limit: (name: String, value: Int)? {
    for parameter in parameters {
      if RESTMoreRecords.isSize(parameter.name), let number = Int(parameter.value), number > 0 {
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
    _ members: [(steps: [String], value: JSON)], _ count: Int
  ) {
    func number(_ names: [String]) -> (pointer: String, value: Int64)? {
      for member in members where names.contains(Self.plain(member.steps.last ?? "")) {
        if let value = member.value.integerValue ?? member.value.stringValue.flatMap({ Int64($0) }) {
          return (Self.pointer(member.steps), value)
        }
      }
      return nil
    }
    let names = parameters.map { Self.plain($0.name) }
    func add(_ type: SourcePaging.Kind, _ parameter: String, first: Int? = nil, _ reason: String) {
      var paging = SourcePaging(
        type, parameter, first: first, limit: limit?.value ?? (type == .offset ? max(count, 1) : nil),
        limitParameter: limit?.name)
      paging.total = total
      if type == .page { paging.pages = pages }
      var guess = Guess(paging: paging, reason: reason, isUncertain: true)
      let given = parameters.first { $0.name == parameter }
      guess.isGiven = given != nil
      guess.isElsewhere = given.map { !["", "0", "1"].contains($0.value) } ?? false
      guesses.append(guess)
    }
    let offset = parameters.first {
      ["offset", "skip", "start", "sysparmoffset", "startat", "from"].contains(Self.plain($0.name))
    }
    let page = parameters.first { ["page", "pagenumber", "pageno", "p"].contains(Self.plain($0.name)) }
    if let page {
      add(.page, page.name, first: page.value == "0" ? 0 : 1, "the URL has \(page.name)")
    } else if pages != nil || number(["page", "currentpage", "pagenumber"]) != nil, !names.contains("offset") {
      add(.page, "page", "\(pages?.response ?? "the response") counts pages; parameter page")
    }
    if let offset {
      add(.offset, offset.name, "the URL has \(offset.name)")
    } else if let echoed = members.first(where: { member in
      ["offset", "skip", "startat", "startindex"].contains(Self.plain(member.steps.last ?? ""))
        && member.value.integerValue != nil
    }) {
      add(.offset, echoed.steps.last ?? "", "the response has \(Self.pointer(echoed.steps))")
    } else if let limit, limit.name.hasPrefix("$") || limit.name.hasPrefix("sysparm") {
      let name = limit.name == "$top" ? "$skip" : limit.name.hasPrefix("$") ? "$offset" : "sysparm_offset"
      add(.offset, name, "the page size is \(limit.name); parameter \(name)")
    } else if page == nil, let limit, total != nil || count == limit.value {
      add(
        .page, "page",
        total.map { "\($0.response ?? $0.header ?? "") is larger; parameter page" }
          ?? "the page is full (\(limit.name)); parameter page")
      add(.offset, "offset", "parameter offset")
    } else if page == nil, let total {
      add(.page, "page", "\(total.response ?? total.header ?? "") is larger; parameter page")
    }
  }

  // MARK: - Usual names

  /// Ways of paging that fit what is known, with the usual names.
  private mutating func addUsual(
    _ members: [(steps: [String], value: JSON)], _ flag: SourceSign?, _ count: Int, _ key: String?
  ) {
    func add(_ paging: SourcePaging, _ reason: String, place: String? = nil) {
      guard !(guesses + others).contains(where: { $0.paging == paging && $0.place == place }) else { return }
      others.append(Guess(paging: paging, reason: reason, isUncertain: true, place: place))
    }
    for guess in guesses where guess.paging.type == .cursor && guess.isUncertain && guess.paging.origin.last == nil {
      let place = guess.paging.origin.response ?? guess.paging.origin.header ?? ""
      if isPost {
        for target in places(named: ["after", "cursor", "start_cursor", "pageToken", "page_token", "next", "offset"]) {
          var paging = guess.paging
          (paging.parameter, paging.body) = (nil, target)
          add(paging, guess.reason)
        }
      } else {
        let own = name(of: place), short = own.lowercased().hasPrefix("next") ? String(own.dropFirst(4)) : own
        let start = short.drop { $0 == "_" }
        var names = [start.prefix(1).lowercased() + start.dropFirst(), own].filter { !$0.isEmpty }
        names += ["cursor", "after", "page_token", "pageToken", "starting_after", "start", "page"]
        for name in names {
          var paging = guess.paging
          paging.parameter = name
          add(paging, "\(place) is a cursor; parameter \(name)")
        }
      }
    }
    let size = limit
    func counted(_ type: SourcePaging.Kind, _ name: String, place: String? = nil) {
      var paging = SourcePaging(
        type, name, limit: size?.value ?? (type == .offset ? max(count, 1) : nil), limitParameter: size?.name)
      (paging.until, paging.total) = (flag, flag == nil ? total : nil)
      add(paging, "\(place ?? "parameter \(name)")", place: place)
    }
    if isPost {
      for place in places(named: ["page", "pageNumber"]) { counted(.page, name(of: place), place: place) }
      for place in places(named: ["offset", "skip", "from", "start"]) {
        counted(.offset, name(of: place), place: place)
      }
      return
    }
    let isOData = size?.name.hasPrefix("$") == true, plain = size.map { Self.plain($0.name) } ?? ""
    var offsets = isOData ? ["$skip", "$offset"] : ["offset", "skip", "start", "from"]
    if plain == "maxresults" || plain == "rows" { offsets = ["start", "startIndex", "offset", "skip"] }
    let isByOffset = ["limit", "maxresults", "rows", "top", "take", "count"].contains(plain)
    if !isByOffset { counted(.page, "page") }
    counted(.offset, offsets.removeFirst())
    if isByOffset, !isOData { counted(.page, "page") }
    func after(_ name: String) {
      guard let key, size != nil || flag != nil else { return }
      var paging = SourcePaging(.cursor, name, from: SourcePlace(last: key), stop: flag == nil ? .empty : nil)
      paging.until = flag
      add(paging, "last record's \(key); parameter \(name)")
    }
    // There are requests for about ten of them.
    for name in ["starting_after", "after"] { after(name) }
    if !isOData { counted(.page, "p") }
    for name in offsets { counted(.offset, name) }
    for name in ["since_id", "last_id", "cursor"] { after(name) }
  }

  private func name(of place: String) -> String { place.split(separator: "/").last.map(String.init) ?? place }

  /// The places in the body of a POST request for a value with one of some names: a member, or a variable of GraphQL.
  private func places(named names: [String]) -> [String] {
    guard let body else { return [] }
    let query = body["query"]?.stringValue ?? ""
    return names.flatMap { name -> [String] in
      if query.contains("$\(name):") || query.contains("$\(name) :") || body["variables"]?[name] != nil {
        return ["/variables/\(name)"]
      }
      return body[name] != nil || !query.contains("{") ? ["/\(name)"] : []
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
