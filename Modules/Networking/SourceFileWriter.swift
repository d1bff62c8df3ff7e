import Codecs
public import Domain
import Rows

extension SourceFile {
  /// A source as the text of a file, with a line feed at its end; reading it gives the same source.
  public static func text(of source: APIDescription) -> [UInt8] {
    var document: [JSON.Member] = [
      JSON.Member("bb_source", .number(1)), JSON.Member("name", .string(source.name)),
    ]
    document.add("summary", source.summary)
    document.add("base_url", source.baseURL)
    document.add("headers", source.headers)
    switch source.authorization {
    case .none: break
    case .bearer(let variable): document.add("auth", ["type": "bearer", "env": variable])
    case .basic(let variable): document.add("auth", ["type": "basic", "env": variable])
    case .query(let parameter, let variable):
      document.add("auth", ["type": "query", "param": parameter, "env": variable])
    case .header(let name, let variable): document.add("auth", ["type": "header", "header": name, "env": variable])
    }
    if let rate = source.requestsPerSecond {
      document.append(JSON.Member("rate", .object(["per_second": .number(Array(rate.description.utf8))])))
    }
    document.append(JSON.Member("datasets", .array(source.datasets.map(dataset))))
    return JSON.object(document).indentedBytes()
  }

  private static func dataset(_ dataset: APIDataset) -> JSON {
    let schema = dataset.schema
    var members: [JSON.Member] = [JSON.Member("name", .string(schema.name))]
    members.add("summary", schema.summary)
    members.add("path", dataset.path)
    members.add("params", dataset.parameters)
    members.add("filters", dataset.filters)
    if let path = dataset.randomPath {
      var random = [JSON.Member("path", .string(path))]
      random.add("filters", dataset.randomFilters)
      members.append(JSON.Member("random", .object(random)))
    }
    members.add("records", dataset.records)
    if dataset.paging.style != .none || dataset.paging.isDeclaredWhole {
      members.append(JSON.Member("paging", paging(dataset.paging)))
    }
    members.add("key", schema.key.map { schema.columns[$0].name })
    members.add("occurrence", dataset.occurrence ?? "")
    if let parent = dataset.parent {
      members.add("parent", ["dataset": parent.dataset, "column": parent.column, "param": parent.parameter])
    }
    members.append(JSON.Member("columns", .array(schema.columns.indices.map { column($0, of: dataset) })))
    members.add("ignored", dataset.ignored)
    if !dataset.supplements.isEmpty {
      members.append(JSON.Member("supplements", .array(dataset.supplements.map(supplement))))
    }
    if let submission = dataset.submission {
      var sent = [JSON.Member("path", .string(submission.path))]
      sent.add("members", submission.members)
      members.append(JSON.Member("submission", .object(sent)))
    }
    return .object(members)
  }

  private static func column(_ position: Int, of dataset: APIDataset) -> JSON {
    let described = dataset.schema.columns[position]
    var members: [JSON.Member] = [JSON.Member("name", .string(described.name))]
    if described.type != .text { members.add("type", described.type.name) }
    if !described.isNullable, !dataset.schema.key.contains(position) {
      members.append(JSON.Member("nullable", .boolean(false)))
    }
    members.add("summary", described.summary)
    members.add("unit", described.unit)
    members.add("role", described.role?.rawValue ?? "")
    let isElsewhere =
      described.name == dataset.occurrence
      || dataset.supplements.contains { $0.columns.contains { $0.name == described.name } }
    if let column = dataset.columns.first(where: { $0.name == described.name }) {
      members += filling(column)
    } else if !isElsewhere {
      members.add("from", nothing)
    }
    return .object(members)
  }

  /// Where a column's values come from.
  private static func filling(_ column: SourceColumn) -> [JSON.Member] {
    var members: [JSON.Member] = []
    if column.from != JSONPointer(steps: [column.name]).description {
      members.append(JSON.Member("from", .string(column.from)))
    }
    members.add("formats", column.formats.map(\.rawValue))
    members.add("null", column.nulls)
    members.add("invalid", column.invalid)
    if !column.steps.isEmpty { members.append(JSON.Member("steps", .array(column.steps.map(step)))) }
    if let missing = column.missing { members.append(JSON.Member("missing", .string(missing))) }
    if column.isOptional { members.append(JSON.Member("optional", .boolean(true))) }
    return members
  }

  private static func step(_ step: SourceStep) -> JSON {
    switch step {
    case .trim: .string("trim")
    case .split: .string("split")
    case .wrap: .string("wrap")
    case .hasElements: .string("has-elements")
    case .divide(let divisor): .object(["divide": .number(divisor)])
    case .remainder(let divisor): .object(["remainder": .number(divisor)])
    case .prefix(let text): .object(["prefix": .string(text)])
    case .words(let words):
      .object(["words": .object(words.map { JSON.Member($0.name, .string($0.value)) })])
    }
  }

  private static func paging(_ paging: SourcePaging) -> JSON {
    var members: [JSON.Member] = []
    var isCounted = false
    switch paging.style {
    case .none: members.add("type", "none")
    case .page(let parameter, let first):
      members = [JSON.Member("type", .string("page")), JSON.Member("param", .string(parameter))]
      if first != 1 { members.append(JSON.Member("first", .number(Int64(first)))) }
      isCounted = true
    case .offset(let parameter, let limitParameter, let limit):
      members = [JSON.Member("type", .string("offset")), JSON.Member("param", .string(parameter))]
      members.add("limit_param", limitParameter ?? "")
      members.append(JSON.Member("limit", .number(Int64(limit))))
      isCounted = true
    case .nextURL(let pointer):
      members = [JSON.Member("type", .string("next_url")), JSON.Member("pointer", .string(pointer))]
    case .linkHeader: members.add("type", "link_header")
    case .cursor(let parameter, let pointer):
      members = [
        JSON.Member("type", .string("cursor")), JSON.Member("param", .string(parameter)),
        JSON.Member("pointer", .string(pointer)),
      ]
    }
    if isCounted { members.add("stop", paging.stop.rawValue) }
    if paging.maximumPages != 1000, paging.style != .none {
      members.append(JSON.Member("max_pages", .number(Int64(paging.maximumPages))))
    }
    return .object(members)
  }

  private static func supplement(_ supplement: SourceSupplement) -> JSON {
    var members: [JSON.Member] = []
    switch supplement.scope {
    case .eachRow(let parameter):
      members = [JSON.Member("for", .string("each")), JSON.Member("path", .string(supplement.path))]
      members.add("params", supplement.parameters)
      members.add("param", parameter)
    case .list(let records, let id):
      members = [JSON.Member("for", .string("all")), JSON.Member("path", .string(supplement.path))]
      members.add("params", supplement.parameters)
      members += [JSON.Member("records", .string(records)), JSON.Member("id", .string(id))]
    }
    let columns = supplement.columns.map { JSON.object([JSON.Member("name", .string($0.name))] + filling($0)) }
    return .object(members + [JSON.Member("columns", .array(columns))])
  }
}

extension [JSON.Member] {
  /// A text, when there is one.
  fileprivate mutating func add(_ key: String, _ text: String) {
    if !text.isEmpty { append(JSON.Member(key, .string(text))) }
  }
  /// A list of texts, when there are some.
  fileprivate mutating func add(_ key: String, _ texts: [String]) {
    if !texts.isEmpty { append(JSON.Member(key, .array(texts.map { .string($0) }))) }
  }
  /// An object of texts, when there are some.
  fileprivate mutating func add(_ key: String, _ pairs: [SourceParameter]) {
    if !pairs.isEmpty {
      append(JSON.Member(key, .object(pairs.map { JSON.Member($0.name, .string($0.value)) })))
    }
  }
  fileprivate mutating func add(_ key: String, _ pairs: KeyValuePairs<String, String>) {
    add(key, pairs.map { SourceParameter($0.key, $0.value) })
  }
}
