public import Domain
public import Rows

/// A JSON API as a value: everything needed for its requests, and for converting its responses to rows. Built-in
/// sources and source definition files share this type.
public struct APIDescription: Sendable, Hashable {
  /// The name in commands and messages: `breaking-bad`.
  public var name: String
  /// One sentence without a full stop.
  public var summary: String
  /// The server and the beginning of every path, without a slash at the end: `https://example.org/api`.
  public var baseURL: String
  /// The authorizations of requests: all of these.
  public var authorization: [SourceAuthorization]
  /// Header fields that are always sent; none of them is a secret.
  public var headers: [SourceParameter]
  /// The most requests a second; nil for no limit.
  var requestsPerSecond: Double?
  /// The most requests at a time; nil for the usual number.
  var requestsAtATime: Int?
  /// The header field with the number of requests left; nil for the usual ones.
  public var remainingField: String?
  /// The header field with the time at which requests are served again; nil for the usual ones.
  public var resetField: String?
  /// The variables, in the order of the file.
  public var variables: [SourceVariable] = []
  /// Which responses with status 200 are errors; nil for none.
  var errorRule: SourceErrorRule?
  /// The version of the grammar that its file declares, at least.
  public var grammar = 1
  /// The datasets it has.
  public var datasets: [APIDataset]

  /// A source.
  public init(
    name: String, summary: String = "", baseURL: String, authorization: [SourceAuthorization] = [],
    headers: [SourceParameter] = [], requestsPerSecond: Double? = nil, datasets: [APIDataset]
  ) {
    self.name = name
    self.summary = summary
    self.baseURL = baseURL
    self.authorization = authorization
    self.headers = headers
    self.requestsPerSecond = requestsPerSecond
    self.datasets = datasets
  }

  /// Those that are built in; the first is the default.
  public static let builtIn: [APIDescription] = [breakingBad, breakingBadClassic, boxOffice, television]

  /// The built-in source called `name`.
  /// - Throws: `usage` with the nearest right name.
  public static func named(_ name: String) throws(Problem) -> APIDescription {
    if let source = builtIn.first(where: { $0.name == name }) { return source }
    guard name != "snapshot" else {
      throw Problem(
        .usage, "the snapshot is built in and has no source definition",
        hint: .set(.source, to: "snapshot", for: "read it"))
    }
    let names = builtIn.map(\.name) + ["snapshot"]
    let hint: Remedy =
      .nearest(name, among: names)
      ?? "available sources: \(names.joined(separator: ", ")), or the path of a source definition"
    throw Problem(.usage, "unknown source “\(name)”", hint: hint)
  }

  /// The default built-in source of a dataset: the first that has it, otherwise the default source.
  public static func usual(for dataset: String) -> APIDescription {
    builtIn.first { source in source.datasets.contains { $0.schema.name == dataset } } ?? breakingBad
  }

  /// The dataset called `name`.
  /// - Throws: `noInput` with the names of those it has.
  public func dataset(named name: String) throws(Problem) -> APIDataset {
    if let dataset = datasets.first(where: { $0.schema.name == name }) { return dataset }
    let names = datasets.map(\.schema.name)
    throw Problem(
      .noInput, "source \(self.name) has no dataset \(name)",
      hint: .choose(name, from: names, "available"))
  }
}
