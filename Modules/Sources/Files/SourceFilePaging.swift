import Codecs
import Rows

/// The paging of a source definition: its grammar, and its values.
struct SourceFilePaging {
  private let node: SourceNode
  private let problems: SourceProblems

  init(_ node: SourceNode, _ problems: SourceProblems) {
    self.node = node
    self.problems = problems
  }

  // MARK: - Grammar

  private static let stops = ["empty", "short"]
  private static let stop = SourceMember(
    "stop", .choice(stops), newer: .choice(SourcePaging.Stop.allCases.map(\.rawValue)),
    "when to stop: at a page without records, with fewer records than the first, or at status 404")
  private static let laterStop = SourceMember(
    "stop", .choice(SourcePaging.Stop.allCases.map(\.rawValue)), stop.summary, since: 2)
  private static let maximumPages = SourceMember(
    "max_pages", .integer(least: 1), "maximum number of pages [default: 1000]; more is an error")
  private static func parameter(_ summary: String) -> SourceMember { .required("param", .matching(.word), summary) }

  private static let count = SourceForm.either([
    .matching(.line),
    .object(
      SourceObject(
        summary: "place of a number",
        members: [
          SourceMember("answer", .matching(.pointer), "JSON Pointer in the response"),  // prose-lint: ignore
          SourceMember("header", .matching(.field), "header field"),
        ])),
  ])
  private static let until = SourceMember("until", .object(SourceFile.sign), "sign of the last page", since: 2)
  private static let total = SourceMember(
    "total", count, "JSON Pointer or header with the number of all records", since: 2)
  private static let pages = SourceMember("pages", count, "JSON Pointer or header with the number of pages", since: 2)
  private static let limits = [
    SourceMember("limit", .integer(least: 1), "page size", since: 2),
    SourceMember("limit_param", .matching(.word), "query parameter for the page size", since: 2),
  ]

  static let forms = [
    SourceObject(name: "none", summary: "no pagination: one response contains all records", members: []),
    SourceObject(
      name: "page", summary: "page-number pagination",
      members: [
        parameter("parameter name"),
        SourceMember("first", .integer(least: 0), "number of the first page [default: 1]"),
        stop, maximumPages,
      ] + limits + [until, total, pages]),
    SourceObject(
      name: "offset", summary: "offset pagination",
      members: [
        parameter("parameter name"),
        SourceMember("limit_param", .matching(.word), "query parameter for the page size"),
        SourceMember("limit", .integer(least: 1), "page size"), stop, maximumPages,
        SourceMember("first", .integer(least: 0), "first offset [default: 0]", since: 2),
        SourceMember(
          "overlap", .integer(least: 0), "records of a page that the next one repeats [default: 0]", since: 2),
        until, total, pages,
      ]),
    SourceObject(
      name: "next_url", summary: "the response contains the URL of the next page",
      members: [.required("pointer", .matching(.pointer), "JSON Pointer to the URL"), maximumPages] + limits
        + [laterStop, until, total, pages]),
    SourceObject(
      name: "link_header", summary: "the Link header contains the URL of the next page",
      members: [maximumPages] + limits + [laterStop, until, total, pages]),
    SourceObject(
      name: "cursor", summary: "cursor pagination: the response contains the parameter value for the next page",
      members: [
        .required("param", .matching(.word), "parameter name", upTo: 1),
        .required("pointer", .matching(.pointer), "JSON Pointer to the cursor", upTo: 1), maximumPages,
        SourceMember("body", .matching(.pointer), "JSON Pointer in the request body, in place of param", since: 2),
        SourceMember("start", .any, "value for the first page", since: 2),
        SourceMember(
          "from",
          .object(
            SourceObject(
              summary: "place of the cursor: answer, last or header",  // prose-lint: ignore
              members: [
                SourceMember("answer", .matching(.pointer), "JSON Pointer in the response"),  // prose-lint: ignore
                SourceMember("last", .matching(.pointer), "JSON Pointer in the last record"),
                SourceMember("header", .matching(.field), "header field"),
              ])), "place of the cursor, in place of pointer", since: 2),
      ] + limits + [laterStop, until, total, pages]),
    SourceObject(
      name: "params", summary: "the response contains an object of parameters for the next page",
      members: [.required("pointer", .matching(.pointer), "JSON Pointer to the object"), maximumPages] + limits
        + [laterStop, until, total, pages], since: 2),
  ]

  // MARK: - Values

  /// The paging.
  func paging() -> SourcePaging {
    let parameter = node["param"]?.text ?? "", limit = node["limit"]?.integer
    let style: SourcePaging.Style
    switch node["type"]?.text {
    case "page": style = .page(parameter: parameter, first: node["first"]?.integer ?? 1)
    case "offset": style = .offset(parameter: parameter, limitParameter: node["limit_param"]?.text, limit: limit ?? 1)
    case "next_url": style = .nextURL(pointer: node["pointer"]?.text ?? "")
    case "link_header": style = .linkHeader
    case "params": style = .parameters(pointer: node["pointer"]?.text ?? "")
    case "cursor": style = cursor()
    default: style = .none
    }
    var paging = SourcePaging(
      style, stop: node["stop"].flatMap { SourcePaging.Stop(rawValue: $0.text) },
      maximumPages: node["max_pages"]?.integer ?? 1000, isDeclaredWhole: style == .none)
    if case .offset = style {
      paging.firstOffset = node["first"]?.integer ?? 0
      paging.overlap = node["overlap"]?.integer ?? 0
      if let overlap = node["overlap"], overlap.integer > 0, overlap.integer >= limit ?? 1 {
        problems.note(overlap.problem("the overlap must be smaller than “limit”"))
      }
    } else {
      paging.limit = limit
      paging.limitParameter = node["limit_param"]?.text
      if let parameter = node["limit_param"], limit == nil {
        problems.note(parameter.problem("“limit_param” requires “limit”", hint: "add “limit”"))
      }
    }
    paging.until = node["until"].map(SourceFile.sign)
    paging.total = node["total"].map(count)
    paging.pages = node["pages"].map(count)
    return paging
  }

  private func count(_ node: SourceNode) -> SourcePaging.Count {
    if node.json.objectMembers?.count == 0 || node["answer"] != nil && node["header"] != nil {  // prose-lint: ignore
      problems.note(node.problem("expected exactly one of answer, header"))  // prose-lint: ignore
    }
    if let name = node["header"] { return .header(name.text) }
    if let pointer = node["answer"] { return .pointer(pointer.text) }  // prose-lint: ignore
    guard !node.text.hasPrefix("/") else {
      if !SourcePattern.pointer.holds(node.text) {
        problems.note(node.problem(SourcePattern.pointer.complaint.message, hint: SourcePattern.pointer.complaint.hint))
      }
      return .pointer(node.text)
    }
    if !SourcePattern.field.holds(node.text) {
      problems.note(node.problem("expected a JSON Pointer or the name of a header field"))
    }
    return .header(node.text)
  }

  private func cursor() -> SourcePaging.Style {
    let parameter = node["param"], body = node["body"], pointer = node["pointer"], from = node["from"]
    if (parameter == nil) == (body == nil) {
      problems.note(
        node.problem(body == nil ? "missing “param” or “body”" : "“param” and “body” cannot be used together"))
    }
    if (pointer == nil) == (from == nil) {
      problems.note(
        node.problem(from == nil ? "missing “pointer” or “from”" : "“pointer” and “from” cannot be used together"))
    }
    if let from, from.json.objectMembers?.count != 1 {
      problems.note(from.problem("expected exactly one of answer, last, header"))  // prose-lint: ignore
    }
    if let start = node["start"], body == nil, start.json.parameterText == nil {
      problems.note(start.problem("expected a string, a number, true or false, found \(start.json.kindName)"))
    }
    if let parameter, let pointer, node["start"] == nil {
      return .cursor(parameter: parameter.text, pointer: pointer.text)
    }
    let origin: SourceCursor.Origin
    if let last = from?["last"] {
      origin = .last(last.text)
    } else if let header = from?["header"] {
      origin = .header(header.text)
    } else {
      origin = .response(from?["answer"]?.text ?? pointer?.text ?? "")  // prose-lint: ignore
    }
    let target = body.map { SourceCursor.Target.body($0.text) } ?? .parameter(parameter?.text ?? "")
    if case .response(let found) = origin, case .parameter(let name) = target, node["start"] == nil {
      return .cursor(parameter: name, pointer: found)
    }
    return .keyset(SourceCursor(start: node["start"]?.json, to: target, from: origin))
  }
}
