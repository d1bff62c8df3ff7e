import Codecs
import Domain
import Rows

/// The part `incremental` of a dataset: its grammar, its values, and its text.
struct SourceFileIncrement {
  private let node: SourceNode
  private let problems: SourceProblems

  init(_ node: SourceNode, _ problems: SourceProblems) {
    self.node = node
    self.problems = problems
  }

  // MARK: - Grammar

  static let form = SourceObject(
    summary: "how sync requests only changed records",
    members: [
      .required("column", .matching(.word), "column with the time or number of a record's last change: the cursor"),
      SourceMember("param", .matching(.word), "where the cursor is sent: {param} in the path, or a query parameter"),
      SourceMember(
        "format", .choice(SourceIncrement.Format.allCases.map(\.rawValue)),
        "spelling of the cursor in requests [default: value]"),
      SourceMember("start", .scalar, "cursor of the first request [default: none]"),
      SourceMember("end_param", .matching(.word), "where the end of a window is sent"),
      SourceMember("window", .matching(.span), "length of a window: 30d"),
      SourceMember("lookback", .matching(.span), "length before the cursor that is requested again: 1h"),
      SourceMember(
        "inclusive", .truth, "whether responses contain the records whose value is the cursor [default: true]"),
      SourceMember(
        "order", .choice(SourceIncrement.Order.allCases.map(\.rawValue)), "order of the records [default: unknown]"),
      SourceMember("deletes", .object(deletes), "how deletions are found [default: they are not]"),
      SourceMember("only_changed", .truth, "request only the records of parents that changed in the same run"),
    ])

  private static let deletes = SourceObject(
    summary: "how deletions are found: at or full_every",
    members: [
      SourceMember("at", .matching(.pointer), "JSON Pointer to a member that deleted records have"),
      SourceMember("full_every", .matching(.span), "time after which all records are compared: 7d"),
    ])

  // MARK: - Values

  /// The value; notes what does not fit the dataset.
  func increment(of dataset: APIDataset) -> SourceIncrement {
    var increment = SourceIncrement(node["column"]?.text ?? "", parameter: node["param"]?.text)
    increment.format = node["format"].flatMap { SourceIncrement.Format(rawValue: $0.text) } ?? .value
    increment.start = node["start"]?.json.parameterText
    increment.endParameter = node["end_param"]?.text
    increment.window = node["window"].flatMap { SourceIncrement.Span($0.text) }
    increment.lookback = node["lookback"].flatMap { SourceIncrement.Span($0.text) }
    increment.isInclusive = node["inclusive"]?.json.booleanValue ?? true
    increment.order = node["order"].flatMap { SourceIncrement.Order(rawValue: $0.text) }
    increment.deletedAt = node["deletes"]?["at"]?.text
    increment.fullEvery = node["deletes"]?["full_every"].flatMap { SourceIncrement.Span($0.text) }
    increment.isOnlyForChanged = node["only_changed"]?.json.booleanValue ?? false
    checkColumn(of: dataset, increment)
    checkMembers(of: dataset, increment)
    return increment
  }

  private func checkColumn(of dataset: APIDataset, _ increment: SourceIncrement) {
    let schema = dataset.schema
    guard let place = node["column"], let position = schema.position(of: place.text) else {
      let column = node["column"] ?? node
      return problems.note(column.unknown(column.text, "column", schema.columns.map(\.name)))
    }
    let type = schema.columns[position].type
    switch type {
    case .timestamp, .date: break
    case .integer:
      if let window = node["window"] { problems.note(window.problem("requires a timestamp or date column")) }
    case .text:
      for key in ["window", "lookback"] {
        if let span = node[key] { problems.note(span.problem("requires a timestamp or date column")) }
      }
    default:
      problems.note(place.problem("expected a timestamp, date, integer or text column, found \(type.name)"))
    }
    if let format = node["format"], increment.format != .value, type != .timestamp, type != .date {
      problems.note(format.problem("applies only to timestamps and dates"))
    }
  }

  private func checkMembers(of dataset: APIDataset, _ increment: SourceIncrement) {
    if dataset.schema.key.isEmpty { problems.note(node.problem("“incremental” requires “key”")) }
    if dataset.occurrence != nil {
      problems.note(node.problem("“incremental” and “occurrence” cannot be used together"))
    }
    if increment.parameter == nil, increment.order != .descending {
      problems.note(node.problem("missing “param”", hint: "only a list in descending order can do without"))
    }
    if let end = node["end_param"], increment.window == nil {
      problems.note(end.problem("“end_param” requires “window”"))
    }
    if let window = node["window"] {
      if increment.endParameter == nil { problems.note(window.problem("“window” requires “end_param”")) }
      if increment.start == nil { problems.note(window.problem("“window” requires “start”")) }
      if let order = node["order"], increment.order == .descending {
        problems.note(order.problem("“window” and the order descending cannot be used together"))
      }
    }
    if let deletes = node["deletes"], deletes.json.objectMembers?.count != 1 {
      problems.note(deletes.problem("expected exactly one of at, full_every"))
    }
    if increment.fullEvery != nil, dataset.parent != nil || dataset.iteration != nil, let deletes = node["deletes"] {
      problems.note(deletes.problem("“full_every” and “parent” or “for_each” cannot be used together"))
    }
    if let only = node["only_changed"], increment.isOnlyForChanged, dataset.parent == nil {
      problems.note(only.problem("“only_changed” requires “parent”"))
    }
  }

  // MARK: - Text

  /// The part as a file has it.
  static func json(_ increment: SourceIncrement) -> JSON {
    var members: [JSON.Member] = []
    members.add("column", increment.column)
    members.add("param", increment.parameter ?? "")
    if increment.format != .value { members.add("format", increment.format.rawValue) }
    if let start = increment.start { members.append(JSON.Member("start", .string(start))) }
    members.add("end_param", increment.endParameter ?? "")
    members.add("window", increment.window?.text ?? "")
    members.add("lookback", increment.lookback?.text ?? "")
    if !increment.isInclusive { members.append(JSON.Member("inclusive", .boolean(false))) }
    members.add("order", increment.order?.rawValue ?? "")
    if let pointer = increment.deletedAt {
      members.append(JSON.Member("deletes", .object([JSON.Member("at", .string(pointer))])))
    } else if let span = increment.fullEvery {
      members.append(JSON.Member("deletes", .object([JSON.Member("full_every", .string(span.text))])))
    }
    if increment.isOnlyForChanged { members.append(JSON.Member("only_changed", .boolean(true))) }
    return .object(members)
  }
}
