import Domain
import Rows

/// What one place of a dataset says of another: mistakes that would only show as records that are missing, or as
/// requests that make no sense.
extension SourceFileChecks {
  /// Notes a place in a path that nothing fills, a selector for something that the dataset does not have, a key that is
  /// always null, detail requests without a key.
  func checkReferences() {
    let parent = node["parent"], paging = node["paging"]
    var sent = [parent?["param"]?.text, paging?["param"]?.text, paging?["limit_param"]?.text].compactMap(\.self)
    sent += (parent?["params"]?.pairNodes ?? []).map(\.key)
    let iterated = iteratedNames
    for name in iterated where sent.contains(name) {
      problems.note((node["for_each"] ?? node).problem("duplicate parameter “\(name)”"))
    }
    let changed = ["param", "end_param"].compactMap { node["incremental"]?[$0]?.text }
    let job = node["job"].map { _ in [SourceJob.name] } ?? []
    checkPath(node, filledBy: sent + iterated + changed + job)
    if let job = node["job"] { checkPath(job, filledBy: sent + iterated) }
    if let random = node["random"] { checkPath(random, filledBy: node["params"]?.pairs.map(\.name) ?? []) }
    if let submission = node["submission"] { checkPath(submission, filledBy: []) }
    for column in node["columns"]?.elements ?? [] {
      for from in column["from"]?.oneOrMore ?? [] { check(from, of: column["name"]?.text ?? "") }
    }
    if let body = paging?["body"], node["request"]?["method"]?.text != "POST" {
      problems.note(body.problem("a cursor in the body requires the method POST", hint: "add “request”"))
    }
    for supplement in node["supplements"]?.elements ?? [] { checkSupplement(supplement) }
  }

  private var iteratedNames: [String] {
    guard let node = node["for_each"] else { return [] }
    return ["values", "range"].flatMap { (node[$0]?.pairNodes ?? []).map(\.key) }
      + [node["param"]?.text].compactMap(\.self)
  }

  private func check(_ from: SourceNode, of column: String) {
    let text = from.text, form = node["records"]?["as"]?.text
    if text == SourceColumn.parent || text.hasPrefix("#parent/"), node["parent"] == nil {
      let name = text.dropFirst("#parent/".count)
      if !(text == SourceColumn.parent ? iteratedNames.count == 1 : iteratedNames.contains(String(name))) {
        problems.note(from.problem("the dataset has no parent", hint: "add “parent”, or use a JSON Pointer"))
      }
    }
    if text == SourceColumn.parent, (node["parent"]?["params"]?.pairNodes.count ?? 1) > 1 {
      problems.note(from.problem("the parent has several values", hint: "use #parent/COLUMN"))
    }
    if text == SourceColumn.key, form != "map", form != "lists" {
      problems.note(
        from.problem("only the records of a map or of lists have a key", hint: "use “as”: “map” in “records”"))
    }
    if text.hasPrefix("#outer"), node["explode"] == nil {
      problems.note(from.problem("only exploded records have an enclosing record", hint: "add “explode”"))
    }
    if text == SourceFile.nothing, isInKey(column) {
      problems.note(from.problem("key column “\(column)” must not be null"))
    }
  }

  private func checkSupplement(_ supplement: SourceNode) {
    guard let first = node["key"]?.elements.first else {
      return problems.note(
        supplement.problem("the dataset has no key; the first column must identify the record of a response"))
    }
    checkPath(supplement, filledBy: [supplement["param"]?.text].compactMap(\.self))
    for column in supplement["columns"]?.elements ?? [] {
      if let name = column["name"], name.text == first.text {
        problems.note(name.problem("“\(first.text)” identifies the record, so the list itself must fill it"))
      }
      for from in column["from"]?.oneOrMore ?? [] where from.text.hasPrefix(SourceColumn.parent) {
        problems.note(from.problem("detail requests have no parent", hint: "use a JSON Pointer"))
      }
    }
  }

  private func isInKey(_ name: String) -> Bool { node["key"]?.texts.contains(name) ?? false }

  /// Checks that every `{name}` in the path of `node` is a variable, a parameter that is always sent, or in `names`.
  private func checkPath(_ node: SourceNode, filledBy names: [String]) {
    guard let path = node["path"] else { return }
    let known = names + (node["params"]?.pairs.map(\.name) ?? []) + variables
    for piece in path.text.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      let name = String(piece.prefix { $0 != "}" })
      guard name.endIndex == piece.endIndex || !known.contains(name) else { continue }
      problems.note(path.unknown(name, "parameter", known))
    }
  }
}
