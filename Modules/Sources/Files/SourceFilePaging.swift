import Codecs
import Rows

extension SourcePaging {
  static let tables: [SourceTable<SourcePaging>] = [
    SourceTable(
      SourcePaging(.none, isDeclaredWhole: true), name: "none",
      "no pagination: one response contains all records", []),
    SourceTable(
      SourcePaging(.page), name: "page", "page-number pagination",
      [
        parameter.required(),
        .key("first", \.first, .integer(least: 0), "number of the first page [default: 1]"),
        stop, maximumPages,
      ] + limits + ends),
    SourceTable(
      SourcePaging(.offset), name: "offset", "offset pagination",
      [
        parameter.required(),
        .optional("limit_param", \.limitParameter, .matching(.word), "query parameter for the page size"),
        .optional("limit", \.limit, .integer(least: 1), "page size"), stop, maximumPages,
        .key("first", \.first, .integer(least: 0), "first offset [default: 0]", since: 2),
        .key(
          "overlap", \.overlap, .integer(least: 0), "records of a page that the next one repeats [default: 0]", since: 2
        ),
      ] + ends),
    SourceTable(
      SourcePaging(.nextURL), name: "next_url", "the response contains the URL of the next page",
      [pointer("JSON Pointer to the URL").required(), maximumPages] + limits + [laterStop] + ends),
    SourceTable(
      SourcePaging(.linkHeader), name: "link_header", "the Link header contains the URL of the next page",
      [maximumPages] + limits + [laterStop] + ends),
    SourceTable(
      SourcePaging(.cursor), name: "cursor",
      "cursor pagination: the response contains the parameter value for the next page",
      [
        parameter.required(upTo: 1), pointer("JSON Pointer to the cursor").required(upTo: 1).written(before: "from"),
        maximumPages,
        .optional(
          "body", \.body, .matching(.pointer), "JSON Pointer in the request body, in place of param", since: 2),
        .optional("start", \.start, .any, "value for the first page", since: 2),
        .optional(
          "from", \.from,
          .object(
            SourceTable(
              SourcePlace(), "place of the cursor: answer, last or header",  // prose-lint: ignore
              SourcePlace.keys)),
          "place of the cursor, in place of pointer", since: 2),
      ] + limits + [laterStop] + ends),
    SourceTable(
      SourcePaging(.parameters), name: "params", "the response contains an object of parameters for the next page",
      since: 2,
      [pointer("JSON Pointer to the object").required(), maximumPages] + limits + [laterStop] + ends),
  ]

  private typealias Key = SourceKey<SourcePaging>
  private static let parameter = Key.optional("param", \.parameter, .matching(.word), "parameter name")
  private static func pointer(_ summary: String) -> Key {
    .optional("pointer", \.pointer, .matching(.pointer), summary)
  }
  private static let maximumPages = Key.key(
    "max_pages", \.maximumPages, .integer(least: 1), "maximum number of pages [default: 1000]; more is an error"
  ).written(before: "")
  private static let ending =
    "when to stop: at a page without records, with fewer records than the first, or at status 404"
  private static let stop = Key.optional(
    "stop", \.stop, .word(Stop.allCases, first: [.empty, .short]), ending
  ).written(before: "until")
  private static let laterStop = Key.optional("stop", \.stop, .word, ending, since: 2)
  private static let limits = [
    Key.optional("limit", \.limit, .integer(least: 1), "page size", since: 2),
    Key.optional("limit_param", \.limitParameter, .matching(.word), "query parameter for the page size", since: 2),
  ]
  private static let ends = [
    Key.optional("until", \.until, .object(SourceSign.table), "sign of the last page", since: 2),
    Key.optional(
      "total", \.total, SourcePlace.number, "JSON Pointer or header with the number of all records", since: 2),
    Key.optional("pages", \.pages, SourcePlace.number, "JSON Pointer or header with the number of pages", since: 2),
  ]

  // MARK: - What one key says of another

  static func check(_ node: SourceNode, _ problems: SourceProblems) {
    for key in ["total", "pages"] { if let node = node[key] { SourcePlace.check(node, problems) } }
    let limit = node["limit"]
    if node["type"]?.text == "offset" {
      if let overlap = node["overlap"], overlap.integer > 0, overlap.integer >= limit?.integer ?? 1 {
        problems.note(
          overlap.problem(limit == nil ? "“overlap” requires “limit”" : "the overlap must be smaller than “limit”"))
      }
    } else if let parameter = node["limit_param"], limit == nil {
      problems.note(parameter.problem("“limit_param” requires “limit”", hint: "add “limit”"))
    }
    guard node["type"]?.text == "cursor" else { return }
    let body = node["body"], from = node["from"]
    if (node["param"] == nil) == (body == nil) {
      problems.note(
        node.problem(body == nil ? "missing “param” or “body”" : "“param” and “body” cannot be used together"))
    }
    if (node["pointer"] == nil) == (from == nil) {
      problems.note(
        node.problem(from == nil ? "missing “pointer” or “from”" : "“pointer” and “from” cannot be used together"))
    }
    if let from, from.json.objectMembers?.count != 1 {
      problems.note(from.problem("expected exactly one of answer, last, header"))  // prose-lint: ignore
    }
    if let start = node["start"], body == nil, start.json.parameterText == nil {
      problems.note(start.problem("expected a string, a number, true or false, found \(start.json.kindName)"))
    }
  }
}

extension SourcePlace {
  fileprivate static let keys: [SourceKey<SourcePlace>] = [
    .optional("answer", \.response, .matching(.pointer), "JSON Pointer in the response"),  // prose-lint: ignore
    .optional("last", \.last, .matching(.pointer), "JSON Pointer in the last record"),
    .optional("header", \.header, .matching(.field), "header field"),
  ]
  private static let numberTable = SourceTable(SourcePlace(), "place of a number", [keys[0], keys[2]])

  /// The place of a number: a pointer or the name of a header field as text, or an object.
  fileprivate static let number = SourceKind<SourcePlace>(
    .either([.matching(.line), .object(numberTable.object)]),
    read: { node in
      guard node.json.stringBytes != nil else { return numberTable.read(node) }
      return node.text.hasPrefix("/") ? SourcePlace(response: node.text) : SourcePlace(header: node.text)
    },
    write: { place in
      if let pointer = place.response, !pointer.isEmpty { return .string(pointer) }
      return .object(numberTable.members(place))
    })

  fileprivate static func check(_ node: SourceNode, _ problems: SourceProblems) {
    if let members = node.json.objectMembers {
      if members.count != 1 {
        problems.note(node.problem("expected exactly one of answer, header"))  // prose-lint: ignore
      }
    } else if node.text.hasPrefix("/") {
      let complaint = SourcePattern.pointer.complaint
      if !SourcePattern.pointer.holds(node.text) {
        problems.note(node.problem(complaint.message, hint: complaint.hint))
      }
    } else if !SourcePattern.field.holds(node.text) {
      problems.note(node.problem("expected a JSON Pointer or the name of a header field"))
    }
  }
}

extension SourceSign {
  static let table = SourceTable(
    SourceSign(at: "", is: .null), "a member with a value",
    [
      .key("at", \.pointer, .matching(.pointer), "JSON Pointer to the member").required(),
      .key("is", \.value, .any, "the value; a missing member counts as null and false").required(),
    ])
}
