import Domain
import Rows

/// What one place of a dataset says of another: mistakes that would only show as records that are missing, or as
/// requests that make no sense.
extension SourceFileDataset {
  /// - Throws: `configuration` for a place in a path that nothing fills, a parent's value where there is no parent, a
  ///   key that is always null, further answers without a key to ask with.
  func checkReferences() throws(Problem) {
    let parent = node["parent"]?["param"]?.text, paging = node["paging"]
    let asked = [parent, paging?["param"]?.text, paging?["limit_param"]?.text].compactMap(\.self)
    try Self.checkPath(node, filledBy: asked)
    if let random = node["random"] { try Self.checkPath(random, filledBy: node["params"]?.pairs.map(\.name) ?? []) }
    if let submission = node["submission"] { try Self.checkPath(submission, filledBy: []) }
    for column in node["columns"]?.elements ?? [] {
      if let from = column["from"], from.text == SourceColumn.parent, parent == nil {
        throw from.problem("the dataset has no parent", hint: "add “parent”, or use a JSON Pointer")
      }
      if let from = column["from"], from.text == SourceFile.nothing, let name = column["name"]?.text, isInKey(name) {
        throw from.problem("key column “\(name)” must not be null")
      }
    }
    for supplement in node["supplements"]?.elements ?? [] { try checkSupplement(supplement) }
  }

  private func checkSupplement(_ supplement: SourceNode) throws(Problem) {
    guard let first = node["key"]?.elements.first else {
      throw supplement.problem("the dataset has no key; the first column must identify the record of a response")
    }
    try Self.checkPath(supplement, filledBy: [supplement["param"]?.text].compactMap(\.self))
    for column in supplement["columns"]?.elements ?? [] {
      if let name = column["name"], name.text == first.text {
        throw name.problem("“\(first.text)” identifies the record, so the list itself must fill it")
      }
      if let from = column["from"], from.text == SourceColumn.parent {
        throw from.problem("detail requests have no parent", hint: "use a JSON Pointer")
      }
    }
  }

  private func isInKey(_ name: String) -> Bool { node["key"]?.texts.contains(name) ?? false }

  /// Checks that every `{name}` in the path of `node` is a parameter that is always sent, or one of `names`.
  private static func checkPath(_ node: SourceNode, filledBy names: [String]) throws(Problem) {
    guard let path = node["path"] else { return }
    let known = names + (node["params"]?.pairs.map(\.name) ?? [])
    for piece in path.text.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      let name = String(piece.prefix { $0 != "}" })
      guard name.endIndex == piece.endIndex || !known.contains(name) else { continue }
      throw path.unknown(name, "parameter", known)
    }
  }
}
