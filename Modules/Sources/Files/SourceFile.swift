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
    SourceForm.object(form).check(root, problems)
    // What one place says of another is only known once every place is of the right form.
    try problems.check()
    let source = description(root, problems)
    try problems.check()
    return source
  }

  private static func description(_ root: SourceNode, _ problems: SourceProblems) -> APIDescription {
    let authorization = root["auth"].map { SourceFileAuthorization(problems).authorization($0) } ?? .none
    var source = APIDescription(
      name: root["name"]?.text ?? "", summary: root["summary"]?.text ?? "", baseURL: root["base_url"]?.text ?? "",
      authorization: authorization, headers: root["headers"]?.pairs ?? [],
      requestsPerSecond: root["rate"]?["per_second"]?.json.realValue, datasets: [])
    source.grammar = problems.grammar
    source.requestsAtATime = root["rate"]?["at_a_time"]?.integer
    source.remainingField = root["rate"]?["remaining"]?.text
    source.resetField = root["rate"]?["reset"]?.text
    source.variables = (root["variables"]?.pairNodes ?? []).map { name, node in
      SourceVariable(name, environment: node["env"]?.text, usual: node["default"].map { $0.json.parameterText ?? "" })
    }
    source.errorRule = root["error"].map { node in
      SourceErrorRule(
        sign(node["when"]), message: node["message"]?.text, isRetried: node["retry"]?.json.booleanValue ?? false)
    }
    checkHeaders(root["headers"], problems)
    let nodes = root["datasets"]?.elements ?? [], names = source.variables.map(\.name)
    for node in nodes {
      let dataset = SourceFileDataset(node, variables: names, problems).read()
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

  /// Refuses header fields that carry secrets, or that are computed.
  static func checkHeaders(_ headers: SourceNode?, _ problems: SourceProblems) {
    for (name, value) in headers?.pairNodes ?? [] where reserved.contains(name.lowercased()) {
      problems.note(
        value.problem(
          "field not allowed in a source definition", hint: "set secrets in “auth”, by environment variable"))
    }
  }

  /// A member and its value.
  static func sign(_ node: SourceNode?) -> SourceSign {
    SourceSign(at: node?["at"]?.text ?? "", is: node?["is"]?.json ?? .null)
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
