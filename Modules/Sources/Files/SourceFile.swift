import Codecs
public import Rows

/// A source that a user describes in a JSON file: the same `APIDescription` as the built-in ones.
///
/// ```json
/// {"bb_source": 1, "name": "x", "base_url": "https://example.org/api",
///  "datasets": [{"name": "things", "path": "/things", "records": "/results", "key": ["id"],
///                "paging": {"type": "page", "param": "page", "stop": "empty"},
///                "columns": [{"name": "id", "from": "/id", "type": "integer"},
///                            {"name": "born", "from": "/birthday", "type": "date", "formats": ["MM-DD-YYYY"],
///                             "null": ["?"]}]}]}
/// ```
public enum SourceFile {
  /// The newest version of the grammar.
  public static let newestGrammar = 2

  /// The source that the bytes of a file describe.
  /// - Parameters: - bytes: the contents of the file. - name: the file's path, for messages.
  /// - Throws: `configuration` for anything that is not such a description: where in the document, what, and the
  ///   nearest right word; up to 20 problems, the first with all others.
  public static func read(_ bytes: [UInt8], name: String) throws(Problem) -> APIDescription {
    let document: JSON
    do throws(Problem) {
      document = try JSON.parse(bytes, name: name)
    } catch {
      throw Problem(.configuration, error.message, at: error.place, hint: error.hint)
    }
    let root = SourceNode(document, file: name)
    let problems = SourceProblems(grammar: root["bb_source"]?.json.integerValue == 1 ? 1 : 2)
    SourceForm.object(table.object).check(root, problems)
    // What one place says of another is only known once every place is of the right form.
    try problems.check()
    let source = description(root, problems)
    try problems.check()
    return source
  }

  private static func description(_ root: SourceNode, _ problems: SourceProblems) -> APIDescription {
    let contents = table.read(root)
    var source = contents.source
    source.grammar = problems.grammar
    for node in root["auth"]?.oneOrMore ?? [] { SourceAuthorization.check(node, problems) }
    checkHeaders(root["headers"], problems)
    let nodes = root["datasets"]?.elements ?? [], names = source.variables.map(\.name)
    for (node, contents) in zip(nodes, contents.datasets) {
      let dataset = SourceFileChecks(node: node, problems: problems, variables: names).dataset(contents)
      if source.datasets.contains(where: { $0.schema.name == dataset.schema.name }) {
        problems.note(node.problem("duplicate dataset “\(dataset.schema.name)”"))
      }
      source.datasets.append(dataset)
    }
    for (position, node) in nodes.enumerated() {
      check(node, source.datasets[position], before: source.datasets[..<position].map(\.schema), problems)
    }
    return source
  }

  /// A source as the text of a file, with a line feed at its end; reading it gives the same source. The file declares
  /// the lowest version of the grammar that suffices.
  public static func text(of source: APIDescription) -> [UInt8] {
    var contents = SourceFileContents(source: source, datasets: source.datasets.map(SourceFileDataset.init))
    contents.source.grammar = 1
    let first = JSON.object(table.members(contents)), problems = SourceProblems(grammar: 1)
    SourceForm.object(table.object).check(SourceNode(first, file: ""), problems)
    guard source.grammar > 1 || !problems.all.isEmpty else { return first.indentedBytes() }
    contents.source.grammar = 2
    return JSON.object(table.members(contents)).indentedBytes()
  }

  /// Refuses header fields that carry secrets, or that are computed.
  static func checkHeaders(_ headers: SourceNode?, _ problems: SourceProblems) {
    for (name, value) in headers?.pairNodes ?? [] where reserved.contains(name.lowercased()) {
      problems.note(
        value.problem(
          "field not allowed in a source definition", hint: "set secrets in “auth”, by environment variable"))
    }
  }

  /// A parent must be another dataset of the source, described before, so that there is no circle; its columns exist.
  private static func check(
    _ node: SourceNode, _ dataset: APIDataset, before: [Schema], _ problems: SourceProblems
  ) {
    guard let parent = node["parent"], let name = parent["dataset"] else { return }
    guard let schema = before.first(where: { $0.name == name.text }) else {
      return problems.note(name.unknown(name.text, "parent dataset", before.map(\.name)))
    }
    let names = schema.columns.map(\.name)
    var places: [SourceNode] = parent["column"].map { [$0] } ?? []
    places += (parent["params"]?.pairNodes ?? []).map(\.value)
    for place in places where !names.contains(place.text) {
      problems.note(place.unknown(place.text, "column of \(schema.name)", names))
    }
    for column in node["columns"]?.elements ?? [] {
      for from in column["from"]?.oneOrMore ?? [] where from.text.hasPrefix("#parent/") {
        let name = String(from.text.dropFirst("#parent/".count))
        if dataset.parentColumns.contains(name), !names.contains(name) {
          problems.note(from.unknown(name, "column of \(schema.name)", names))
        }
      }
    }
  }
}
