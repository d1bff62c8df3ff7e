internal import Codecs
public import Domain

/// A source that a user describes in a JSON file: the same `SourceDescription` as the built-in ones.
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
  /// - Parameter name: the file's path, for messages.
  /// - Throws: `configuration` for anything that is not such a description: where in the document, what, and the nearest right word.
  public static func read(_ bytes: [UInt8], name: String) throws(Problem) -> SourceDescription {
    let document: JSON
    do throws(Problem) {
      document = try JSON.parse(bytes, name: name)
    } catch {
      throw Problem(.configuration, error.message, at: error.place, hint: error.hint)
    }
    let root = SourceNode(document, file: name)
    let members = try root.object([
      "bb_source", "name", "summary", "base_url", "auth", "rate", "datasets",
    ])
    let version = try members.required("bb_source")
    guard version.json.integerValue == 1 else {
      throw version.problem("only version 1 is known here", hint: "write \"bb_source\": 1, or use a newer bb")
    }
    let url = try members.required("base_url")
    let baseURL = try url.text()
    guard baseURL.hasPrefix("https://") || baseURL.hasPrefix("http://") else {
      throw url.problem("no http or https URL", hint: "write https://host/path")
    }
    let datasets = try members.required("datasets")
    let list = try datasets.elements()
    guard !list.isEmpty else { throw datasets.problem("a source without datasets") }
    var source = SourceDescription(
      name: try members.required("name").word(), summary: try members["summary"]?.text() ?? "", baseURL: baseURL,
      datasets: [])
    if let auth = members["auth"] { source.authorization = try authorization(auth) }
    if let rate = try members["rate"]?.object(["per_second"]).required("per_second") {
      guard let perSecond = rate.json.realValue, perSecond > 0 else { throw rate.problem("not a number above 0") }
      source.requestsPerSecond = perSecond
    }
    for node in list {
      let dataset = try SourceFileDataset.read(node)
      guard !source.datasets.contains(where: { $0.schema.name == dataset.schema.name }) else {
        throw node.problem("a second dataset “\(dataset.schema.name)”")
      }
      source.datasets.append(dataset)
    }
    try checkParents(of: source, list)
    return source
  }

  private static func authorization(_ node: SourceNode) throws(Problem) -> SourceAuthorization {
    let members = try node.object(["type", "env", "param", "header"])
    let variable = try members.required("env").text()
    switch try members.required("type").choice(["bearer", "basic", "query", "header"]) {
    case "bearer": return .bearer(variable: variable)
    case "basic": return .basic(variable: variable)
    case "query": return .query(parameter: try members.required("param").text(), variable: variable)
    default: return .header(name: try members.required("header").text(), variable: variable)
    }
  }

  /// A parent must be another dataset of the source, described before, so that there is no circle.
  private static func checkParents(of source: SourceDescription, _ nodes: [SourceNode]) throws(Problem) {
    for (position, dataset) in source.datasets.enumerated() {
      guard let parent = dataset.parent else { continue }
      let before = source.datasets[..<position].map(\.schema)
      let node = nodes[position].member("parent")
      guard let schema = before.first(where: { $0.name == parent.dataset }) else {
        throw node.member("dataset").unknown(parent.dataset, "dataset before this one", before.map(\.name))
      }
      guard schema.position(of: parent.column) != nil else {
        throw node.member("column").unknown(
          parent.column, "column of \(parent.dataset)", schema.columns.map(\.name))
      }
    }
  }
}
