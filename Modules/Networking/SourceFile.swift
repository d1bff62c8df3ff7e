import Codecs
public import Domain
public import Rows

/// A source that a user describes in a JSON file: the same `APIDescription` as the built-in ones.
///
/// ```json
/// {"bb_source": 1, "name": "x", "base_url": "https://example.org/api",
///  "datasets": [{"name": "things", "path": "/things", "records": "/results", "key": ["id"],
///                "paging": {"type": "page", "param": "page", "stop": "empty"},
///                "columns": [{"name": "id", "from": "/id", "type": "integer"},
///                            {"name": "born", "from": "/birthday", "type": "date", "formats": ["MM-DD-YYYY"], "null": ["?"]}]}]}
/// ```
public enum SourceFile {
  /// The source that the bytes of a file describe.
  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - name: the file's path, for messages.
  /// - Throws: `configuration` for anything that is not such a description: where in the document, what, and the
  ///   nearest right word.
  public static func read(_ bytes: [UInt8], name: String) throws(Problem) -> APIDescription {
    let document: JSON
    do throws(Problem) {
      document = try JSON.parse(bytes, name: name)
    } catch {
      throw Problem(.configuration, error.message, at: error.place, hint: error.hint)
    }
    let root = SourceNode(document, file: name)
    try SourceForm.object(form).check(root)
    var source = APIDescription(
      name: root["name"]?.text ?? "", summary: root["summary"]?.text ?? "", baseURL: root["base_url"]?.text ?? "",
      authorization: root["auth"].map(authorization) ?? .none, headers: root["headers"]?.pairs ?? [],
      requestsPerSecond: root["rate"]?["per_second"]?.json.realValue, datasets: [])
    for (name, value) in root["headers"]?.pairNodes ?? [] where reserved.contains(name.lowercased()) {
      throw value.problem(
        "field not allowed in a source definition", hint: "set secrets in “auth”, by environment variable")
    }
    let nodes = root["datasets"]?.elements ?? []
    for node in nodes {
      let dataset = try SourceFileDataset(node).read()
      guard !source.datasets.contains(where: { $0.schema.name == dataset.schema.name }) else {
        throw node.problem("duplicate dataset “\(dataset.schema.name)”")
      }
      source.datasets.append(dataset)
    }
    for (position, node) in nodes.enumerated() {
      if let parent = node["parent"] { try check(parent, before: source.datasets[..<position].map(\.schema)) }
    }
    return source
  }

  private static func authorization(_ node: SourceNode) -> SourceAuthorization {
    let variable = node["env"]?.text ?? ""
    switch node["type"]?.text {
    case "bearer": return .bearer(variable: variable)
    case "basic": return .basic(variable: variable)
    case "query": return .query(parameter: node["param"]?.text ?? "", variable: variable)
    default: return .header(name: node["header"]?.text ?? "", variable: variable)
    }
  }

  /// A parent must be another dataset of the source, described before, so that there is no circle.
  private static func check(_ parent: SourceNode, before: [Schema]) throws(Problem) {
    guard let dataset = parent["dataset"], let column = parent["column"] else { return }
    guard let schema = before.first(where: { $0.name == dataset.text }) else {
      throw dataset.unknown(dataset.text, "parent dataset", before.map(\.name))
    }
    guard schema.position(of: column.text) != nil else {
      throw column.unknown(column.text, "column of \(schema.name)", schema.columns.map(\.name))
    }
  }
}
