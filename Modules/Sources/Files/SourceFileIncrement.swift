import Codecs
import Domain
import Rows

/// The part `incremental` of a dataset.
extension SourceIncrement {
  static let table = SourceTable(
    SourceIncrement("", parameter: nil), "how sync requests only changed records",
    [
      .key("column", \.column, .matching(.word), "column with the time or number of a record's last change: the cursor")
        .required(),
      .optional(
        "param", \.parameter, .matching(.word), "where the cursor is sent: {param} in the path, or a query parameter"),
      .key("format", \.format, .word, "spelling of the cursor in requests [default: value]"),
      .optional("start", \.start, .scalar, "cursor of the first request [default: none]"),
      .optional("end_param", \.endParameter, .matching(.word), "where the end of a window is sent"),
      .optional("window", \.window, span, "length of a window: 30d"),
      .optional("lookback", \.lookback, span, "length before the cursor that is requested again: 1h"),
      .key(
        "inclusive", \.isInclusive, .truth,
        "whether responses contain the records whose value is the cursor [default: true]"),
      .optional("order", \.order, .word, "order of the records [default: unknown]"),
      .part("deletes", deletes, "how deletions are found [default: they are not]"),
      .key(
        "only_changed", \.isOnlyForChanged, .truth, "request only the records of parents that changed in the same run"),
    ])
  private static let span = SourceKind<Span>(.matching(.span), read: { Span($0.text) }, write: { .string($0.text) })
  private static let deletes = SourceTable(
    SourceIncrement("", parameter: nil), "how deletions are found: at or full_every",
    [
      .optional("at", \.deletedAt, .matching(.pointer), "JSON Pointer to a member that deleted records have"),
      .optional("full_every", \.fullEvery, span, "time after which all records are compared: 7d"),
    ])

  // MARK: - What one key says of another

  /// Notes what does not fit the dataset.
  func check(_ node: SourceNode, of dataset: APIDataset, _ problems: SourceProblems) {
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
    if let format = node["format"], self.format != .value, type != .timestamp, type != .date {
      problems.note(format.problem("applies only to timestamps and dates"))
    }
    if dataset.schema.key.isEmpty { problems.note(node.problem("“incremental” requires “key”")) }
    if dataset.occurrence != nil {
      problems.note(node.problem("“incremental” and “occurrence” cannot be used together"))
    }
    if parameter == nil, order != .descending {
      problems.note(node.problem("missing “param”", hint: "only a list in descending order can do without"))
    }
    if let end = node["end_param"], window == nil {
      problems.note(end.problem("“end_param” requires “window”"))
    }
    if let window = node["window"] {
      if endParameter == nil { problems.note(window.problem("“window” requires “end_param”")) }
      if start == nil { problems.note(window.problem("“window” requires “start”")) }
      if let given = node["order"], order == .descending {
        problems.note(given.problem("“window” and the order descending cannot be used together"))
      }
    }
    if let deletes = node["deletes"], deletes.json.objectMembers?.count != 1 {
      problems.note(deletes.problem("expected exactly one of at, full_every"))
    }
    if fullEvery != nil, dataset.parent != nil || dataset.iteration != nil, let deletes = node["deletes"] {
      problems.note(deletes.problem("“full_every” and “parent” or “for_each” cannot be used together"))
    }
    if let only = node["only_changed"], isOnlyForChanged, dataset.parent == nil {
      problems.note(only.problem("“only_changed” requires “parent”"))
    }
  }
}
