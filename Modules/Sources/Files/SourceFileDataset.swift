import Codecs
import Rows

/// The statements of the places of a dataset about each other, and its schema.
struct SourceFileChecks {
  let node: SourceNode
  let problems: SourceProblems
  let variables: [String]

  /// The dataset with its schema; notes columns that are defined more than once, or referenced and not defined.
  func dataset(_ contents: SourceFileDataset) -> APIDataset {
    var dataset = contents.dataset
    let schema = schema(contents), names = schema.columns.map(\.name)
    dataset.schema = schema
    var filled: Set<String> = []
    for supplement in node["supplements"]?.elements ?? [] {
      check(supplement: supplement)
      for column in supplement["columns"]?.elements ?? [] {
        let name = column["name"]?.text ?? ""
        guard let position = schema.position(of: name) else {
          problems.note(column.unknown(name, "column", names))
          continue
        }
        if !filled.insert(name).inserted { problems.note(column.problem("\(name) is set more than once")) }
        SourceFileColumn.check(column, schema.columns[position].type, problems)
      }
    }
    if let node = node["occurrence"] {
      let counters = schema.key.map { schema.columns[$0] }.filter { $0.type == .integer }.map(\.name)
      if !counters.contains(node.text) { problems.note(node.unknown(node.text, "integer key column", counters)) }
      filled.insert(node.text)
    }
    for (column, node) in zip(contents.columns, node["columns"]?.elements ?? []) {
      SourceFileColumn.check(node, column.type, problems)
      if filled.contains(column.source.name) {
        let keys = ["from", "value", "formats", "zone", "null", "invalid", "steps", "missing", "optional", "on_error"]
        for key in keys {
          if let node = node[key] { problems.note(node.problem("“\(column.source.name)” is already set")) }
        }
      } else if column.source.from != SourceFile.nothing || column.source.constant != nil {
        dataset.columns.append(column.source)
      }
    }
    checkReferences()
    for member in node["submission"]?["members"]?.pairNodes ?? [] where schema.position(of: member.key) == nil {
      problems.note(member.value.unknown(member.key, "column", names))
    }
    for column in node["scope"]?.elements ?? [] where schema.position(of: column.text) == nil {
      problems.note(column.unknown(column.text, "column", names))
    }
    for column in node["join_also"]?.elements ?? []
    where ![column.text, column.text + "s"].contains(where: { schema.position(of: $0) != nil }) {
      problems.note(column.unknown(column.text, "column", names))
    }
    if dataset.hasHeaderRow, dataset.recordForm != .rows, let header = node["records"]?["header"] {
      problems.note(header.problem("applies only to rows", hint: "add “as”: “rows”"))
    }
    if let paging = node["paging"] { SourcePaging.check(paging, problems) }
    if let parent = node["parent"] { check(parent: parent) }
    for request in [node["request"], node["job"]?["request"]] { if let request { check(request: request) } }
    for key in ["delimiter", "encoding"] where dataset.responseFormat.name != .csv {
      if let node = node["answer"]?[key] { problems.note(node.problem("applies only to csv")) }  // prose-lint: ignore
    }
    if let iteration = node["for_each"] { check(iteration: iteration) }
    if let absent = node["absent"], node["parent"] == nil, node["for_each"] == nil {
      problems.note(absent.problem("“absent” requires “parent” or “for_each”"))
    }
    if let increment = node["incremental"] { dataset.increment?.check(increment, of: dataset, problems) }
    return dataset
  }

  private func schema(_ contents: SourceFileDataset) -> Schema {
    var key: [String] = [], columns: [ColumnDescription] = []
    for (column, node) in zip(contents.columns, node["columns"]?.elements ?? []) {
      let name = column.source.name
      guard !columns.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        problems.note(node.problem("duplicate column “\(name)”"))
        continue
      }
      let isInKey = contents.key.contains { $0.utf8.elementsEqual(name.utf8) }
      columns.append(
        ColumnDescription(
          name, column.type, nullable: !isInKey && column.isNullable, column.summary, unit: column.unit,
          role: column.role))
    }
    for column in node["key"]?.elements ?? [] {
      if !columns.contains(where: { $0.name.utf8.elementsEqual(column.text.utf8) }) {
        problems.note(column.unknown(column.text, "column", columns.map(\.name)))
      } else if key.contains(column.text) {
        problems.note(column.problem("duplicate column “\(column.text)”"))
      } else {
        key.append(column.text)
      }
    }
    return Schema(contents.name, contents.summary, key: key, columns: columns)
  }

  private func check(parent node: SourceNode) {
    if let several = node["params"] {
      if let column = node["column"] ?? node["param"] {
        problems.note(column.problem("“params” already names the column"))
      }
      if several.pairs.isEmpty { problems.note(several.problem("the object is empty")) }
    } else {
      for key in ["column", "param"] where node[key] == nil { problems.note(node.problem("missing “\(key)”")) }
    }
  }

  private func check(request node: SourceNode) {
    if let body = node["body"] {
      if node["method"]?.text != "POST" { problems.note(body.problem("“body” requires the method POST")) }
      if node["encoding"]?.text == "form", body.json.objectMembers == nil {
        problems.note(body.problem("expected an object for a form, found \(body.json.kindName)"))
      }
      if node["encoding"]?.text == "text", body.json.stringBytes == nil {
        problems.note(body.problem("expected a text, found \(body.json.kindName)"))
      }
    }
    SourceFile.checkHeaders(node["headers"], problems)
  }

  private func check(iteration node: SourceNode) {
    guard ["values", "lines", "range"].count(where: { node[$0] != nil }) == 1 else {
      return problems.note(node.problem("expected exactly one of values, lines, range"))
    }
    if let values = node["values"], values.pairNodes.isEmpty { problems.note(values.problem("the object is empty")) }
    if node["lines"] != nil, node["param"] == nil { problems.note(node.problem("missing “param”")) }
    if let range = node["range"], range.pairNodes.map(\.value.elements.count) != [2] {
      problems.note(range.problem("expected one range of two values"))
    }
  }

  private func check(supplement node: SourceNode) {
    guard node["for"]?.text == "each" else {
      for (key, other) in [("param", "batch"), ("batch", "param"), ("separator", "batch")] {
        if let place = node[key], node[other] == nil { problems.note(place.problem("“\(key)” requires “\(other)”")) }
      }
      return
    }
    let isLink = node["url"] != nil
    for key in isLink ? ["path", "params", "param"] : ["path", "param"] where (node[key] != nil) == isLink {
      problems.note(
        node[key]?.problem("“\(key)” and “url” cannot be used together") ?? node.problem("missing “\(key)”"))
    }
  }
}

extension SourceFileDataset {
  init(_ dataset: APIDataset) {
    let schema = dataset.schema
    (self.dataset, name, summary, key) = (
      dataset, schema.name, schema.summary, schema.key.map { schema.columns[$0].name }
    )
    columns = schema.columns.enumerated().map { position, described in
      var column = SourceFileColumn()
      // The source of a column that others fill has only a name.
      let isElsewhere =
        described.name == dataset.occurrence
        || dataset.supplements.contains { $0.columns.contains { $0.name == described.name } }
      column.source =
        dataset.columns.first { $0.name == described.name }
        ?? SourceColumn(
          described.name,
          from: isElsewhere ? JSONPointer(steps: [described.name]).description : SourceFile.nothing)
      column.type = described.type
      column.isNullable = described.isNullable || schema.key.contains(position)
      (column.summary, column.unit, column.role) = (described.summary, described.unit, described.role)
      return column
    }
  }
}
