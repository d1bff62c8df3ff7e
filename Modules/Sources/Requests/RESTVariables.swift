import Domain
import Rows

/// Puts the values of variables into a description.
enum RESTVariables {
  /// The description with values in place of its variables.
  /// - Parameters:
  ///   - environment: the environment variables.
  ///   - given: values by name, which go before all others.
  /// - Throws: `configuration` for a variable without a value, `usage` for a given one that does not exist.
  static func resolved(
    _ description: APIDescription, _ environment: [String: String], _ given: [String: String]
  ) throws(Problem) -> APIDescription {
    let names = description.variables.map(\.name)
    for name in given.keys.sorted() where !names.contains(name) {
      throw Problem(
        .usage, "source \(description.name) has no variable “\(name)”",
        hint: .choose(name, from: names, "available variables"))
    }
    guard !description.variables.isEmpty else { return description }
    var values: [SourceParameter] = []
    for variable in description.variables {
      let found = given[variable.name] ?? variable.environment.flatMap { environment[$0] } ?? variable.usual
      guard let found else {
        let remedy = Remedy.set(.sourceVariable, to: "\(variable.name)=…")
        throw Problem(
          .configuration, "source \(description.name) requires a value for “\(variable.name)”",
          hint: variable.environment.map { .advice("set \($0)").or(remedy) } ?? remedy)
      }
      guard found.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw Problem(.configuration, "the value of “\(variable.name)” contains control characters")
      }
      values.append(SourceParameter(variable.name, found))
    }
    var resolved = description
    resolved.baseURL = text(description.baseURL, values)
    resolved.headers = pairs(description.headers, values)
    for position in resolved.authorization.indices {
      resolved.authorization[position].tokenURL = text(resolved.authorization[position].tokenURL, values)
      resolved.authorization[position].scope = resolved.authorization[position].scope.map { text($0, values) }
    }
    resolved.datasets = description.datasets.map { dataset($0, values) }
    return resolved
  }

  private static func dataset(_ original: APIDataset, _ values: [SourceParameter]) -> APIDataset {
    var dataset = original
    dataset.path = path(dataset.path, values)
    dataset.randomPath = dataset.randomPath.map { path($0, values) }
    dataset.parameters = pairs(dataset.parameters, values)
    dataset.request.headers = pairs(dataset.request.headers, values)
    dataset.request.body = dataset.request.body.map { body in
      values.reduce(body) { $0.replacing(placeholder: $1.name, with: $1.value) }
    }
    if let range = dataset.iteration?.range.first {
      dataset.iteration?.range[0].values = range.values.map { text($0, values) }
    }
    if let start = dataset.increment?.start { dataset.increment?.start = text(start, values) }
    for position in dataset.supplements.indices {
      dataset.supplements[position].path = path(dataset.supplements[position].path, values)
      dataset.supplements[position].parameters = pairs(dataset.supplements[position].parameters, values)
    }
    return dataset
  }

  private static func text(_ text: String, _ values: [SourceParameter]) -> String {
    values.reduce(text) { $0.replacing("{\($1.name)}", with: $1.value) }
  }
  private static func path(_ path: String, _ values: [SourceParameter]) -> String {
    values.reduce(path) { $0.replacing("{\($1.name)}", with: RESTQuery.encoded($1.value)) }
  }
  private static func pairs(_ pairs: [SourceParameter], _ values: [SourceParameter]) -> [SourceParameter] {
    pairs.map { SourceParameter($0.name, text($0.value, values)) }
  }
}
