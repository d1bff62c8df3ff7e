import Codecs
import Rows

/// Makes a dataset out of its node in a source's file, which is of the right form; what one place says of another is
/// checked here.
struct SourceFileDataset {
  let node: SourceNode
  let problems: SourceProblems
  /// The names of the source's variables.
  let variables: [String]

  init(_ node: SourceNode, variables: [String], _ problems: SourceProblems) {
    self.node = node
    self.variables = variables
    self.problems = problems
  }

  /// The dataset with its columns; notes columns that are defined more than once, or referenced and not defined.
  func read() -> APIDataset {
    let supplements = node["supplements"]?.elements ?? []
    let schema = schema()
    var filled: Set<String> = []
    for column in supplements.flatMap({ $0["columns"]?.elements ?? [] }) {
      let name = column["name"]?.text ?? ""
      guard schema.position(of: name) != nil else {
        problems.note(column.unknown(name, "column", schema.columns.map(\.name)))
        continue
      }
      if !filled.insert(name).inserted { problems.note(column.problem("\(name) is set more than once")) }
    }
    let occurrence = occurrence(schema)
    if let occurrence { filled.insert(occurrence) }
    let columns = columns(schema, without: filled)
    checkReferences()
    for member in node["submission"]?["members"]?.pairNodes ?? [] where schema.position(of: member.key) == nil {
      problems.note(member.value.unknown(member.key, "column", schema.columns.map(\.name)))
    }
    var dataset = APIDataset(
      schema, path: node["path"]?.text ?? "", parameters: node["params"]?.pairs ?? [],
      filters: node["filters"]?.pairs ?? [], randomPath: node["random"]?["path"]?.text,
      randomFilters: node["random"]?["filters"]?.pairs ?? [],
      records: node["records"]?["at"]?.text ?? node["records"]?.text ?? "",
      paging: node["paging"].map { SourceFilePaging($0, problems).paging() } ?? .none, occurrence: occurrence,
      parent: node["parent"].map(parent), supplements: supplements.map { supplement($0, schema) },
      submission: node["submission"].map {
        SourceSubmission(path: $0["path"]?.text ?? "", members: $0["members"]?.pairs ?? [])
      }, ignored: node["ignored"]?.texts ?? [], columns: columns)
    dataset.joinAlso = node["join_also"]?.texts ?? []
    for column in node["join_also"]?.elements ?? []
    where ![column.text, column.text + "s"].contains(where: { schema.position(of: $0) != nil }) {
      problems.note(column.unknown(column.text, "column", schema.columns.map(\.name)))
    }
    dataset.recordForm = node["records"]?["as"].flatMap { SourceRecordForm(rawValue: $0.text) } ?? .list
    dataset.hasHeaderRow = node["records"]?["header"]?.json.booleanValue ?? false
    if dataset.hasHeaderRow, dataset.recordForm != .rows, let header = node["records"]?["header"] {
      problems.note(header.problem("applies only to rows", hint: "add “as”: “rows”"))
    }
    dataset.explode = node["explode"]?.oneOrMore.map(\.text) ?? []
    dataset.request = node["request"].map(request) ?? .get
    dataset.responseFormat = node["answer"].map(response) ?? SourceResponseFormat()
    dataset.iteration = node["for_each"].flatMap(iteration)
    dataset.increment = node["incremental"].map { SourceFileIncrement($0, problems).increment(of: dataset) }
    return dataset
  }

  private func schema() -> Schema {
    var key: [SourceNode] = []
    var columns: [ColumnDescription] = []
    let keyNodes = node["key"]?.elements ?? []
    for node in node["columns"]?.elements ?? [] {
      let name = node["name"]?.text ?? ""
      guard !columns.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        problems.note(node.problem("duplicate column “\(name)”"))
        continue
      }
      let isInKey = keyNodes.contains { $0.text.utf8.elementsEqual(name.utf8) }
      columns.append(
        ColumnDescription(
          name, node["type"].flatMap { ColumnType(name: $0.text) } ?? .text,
          nullable: !isInKey && node["nullable"]?.json.booleanValue ?? true, node["summary"]?.text ?? "",
          unit: node["unit"]?.text ?? "", role: node["role"].flatMap { ColumnRole(rawValue: $0.text) }))
    }
    for column in keyNodes {
      if !columns.contains(where: { $0.name.utf8.elementsEqual(column.text.utf8) }) {
        problems.note(column.unknown(column.text, "column", columns.map(\.name)))
      } else if key.contains(where: { $0.text == column.text }) {
        problems.note(column.problem("duplicate column “\(column.text)”"))
      } else {
        key.append(column)
      }
    }
    return Schema(node["name"]?.text ?? "", node["summary"]?.text ?? "", key: key.map(\.text), columns: columns)
  }

  private func occurrence(_ schema: Schema) -> String? {
    guard let node = node["occurrence"] else { return nil }
    let counters = schema.key.map { schema.columns[$0] }.filter { $0.type == .integer }.map(\.name)
    guard counters.contains(node.text) else {
      problems.note(node.unknown(node.text, "integer key column", counters))
      return nil
    }
    return node.text
  }

  /// Where the columns come from that the list itself fills.
  private func columns(_ schema: Schema, without filled: Set<String>) -> [SourceColumn] {
    var columns: [SourceColumn] = []
    for node in node["columns"]?.elements ?? [] {
      let column = column(node, schema)
      if filled.contains(column.name) {
        let keys = ["from", "value", "formats", "zone", "null", "invalid", "steps", "missing", "optional", "on_error"]
        for key in keys {
          if let node = node[key] { problems.note(node.problem("“\(column.name)” is already set")) }
        }
      } else if column.from != SourceFile.nothing || column.constant != nil {
        columns.append(column)
      }
    }
    return columns
  }

  private func column(_ node: SourceNode, _ schema: Schema) -> SourceColumn {
    let type = schema.position(of: node["name"]?.text ?? "").map { schema.columns[$0].type } ?? .text
    return SourceFileColumn(node, problems).column(of: type)
  }

  private func parent(_ node: SourceNode) -> SourceParent {
    let name = node["dataset"]?.text ?? ""
    if let several = node["params"] {
      if let column = node["column"] ?? node["param"] {
        problems.note(column.problem("“params” already names the column"))
      }
      if several.pairs.isEmpty { problems.note(several.problem("the object is empty")) }
      return SourceParent(dataset: name, parameters: several.pairs)
    }
    for key in ["column", "param"] where node[key] == nil { problems.note(node.problem("missing “\(key)”")) }
    return SourceParent(dataset: name, column: node["column"]?.text ?? "", parameter: node["param"]?.text ?? "")
  }

  private func request(_ node: SourceNode) -> SourceRequest {
    let isPost = node["method"]?.text == "POST"
    let isForm = node["encoding"]?.text == "form"
    if let body = node["body"] {
      if !isPost { problems.note(body.problem("“body” requires the method POST")) }
      if isForm, body.json.objectMembers == nil {
        problems.note(body.problem("expected an object for a form, found \(body.json.kindName)"))
      }
    }
    SourceFile.checkHeaders(node["headers"], problems)
    return SourceRequest(
      isPost: isPost, body: node["body"]?.json, isForm: isForm, headers: node["headers"]?.pairs ?? [])
  }

  private func response(_ node: SourceNode) -> SourceResponseFormat {
    let name = node["as"].flatMap { SourceResponseFormat.Name(rawValue: $0.text) }
    for key in ["delimiter", "encoding"] where name != .csv {
      if let node = node[key] { problems.note(node.problem("applies only to csv")) }
    }
    return SourceResponseFormat(
      name, delimiter: node["delimiter"]?.text,
      encoding: node["encoding"].flatMap { SourceResponseFormat.Encoding(rawValue: $0.text) })
  }

  private func iteration(_ node: SourceNode) -> SourceIteration? {
    let kinds = ["values", "lines", "range"].filter { node[$0] != nil }
    guard kinds.count == 1 else {
      problems.note(node.problem("expected exactly one of values, lines, range"))
      return nil
    }
    if let values = node["values"] {
      if values.pairNodes.isEmpty { problems.note(values.problem("the object is empty")) }
      return .values(
        values.pairNodes.map { name, list in
          SourceIteration.Parameter(name, list.elements.map { $0.json.parameterText ?? "" })
        })
    }
    if let path = node["lines"] {
      if node["param"] == nil { problems.note(node.problem("missing “param”")) }
      return .lines(path: path.text, parameter: node["param"]?.text ?? "")
    }
    let ranges = node["range"]?.pairNodes ?? []
    guard ranges.count == 1, let (name, ends) = ranges.first, ends.elements.count == 2 else {
      problems.note((node["range"] ?? node).problem("expected one range of two values"))
      return nil
    }
    let texts = ends.elements.map { $0.json.parameterText ?? "" }
    return .range(parameter: name, first: texts[0], last: texts[1])
  }

  private func supplement(_ node: SourceNode, _ schema: Schema) -> DetailRequest {
    let scope: DetailRequest.Scope
    if node["for"]?.text != "each" {
      scope = .list(records: node["records"]?.text ?? "", id: node["id"]?.text ?? "")
    } else if let url = node["url"] {
      for key in ["path", "params", "param"] {
        if let other = node[key] { problems.note(other.problem("“\(key)” and “url” cannot be used together")) }
      }
      scope = .link(pointer: url.text)
    } else {
      for key in ["path", "param"] where node[key] == nil { problems.note(node.problem("missing “\(key)”")) }
      scope = .eachRow(parameter: node["param"]?.text ?? "")
    }
    var supplement = DetailRequest(
      path: node["path"]?.text ?? "", parameters: node["params"]?.pairs ?? [], scope: scope,
      columns: node["columns"]?.elements.map { column($0, schema) } ?? [])
    supplement.explode = node["explode"]?.oneOrMore.map(\.text) ?? []
    supplement.absent = node["absent"]?.elements.map(\.integer)
    return supplement
  }
}
