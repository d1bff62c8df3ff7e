package import Domain
package import Rows

package enum SourceChoice: Sendable, Hashable {
  case file(Location, FileInputOptions)
  /// An output that is read back: what its path says is not part of the rows.
  case written(Location, FileInputOptions)
  /// A store, nil for the default one; of the options, the limits apply.
  case storage(String?, FileInputOptions = FileInputOptions())
  case live(name: String, APIOptions)
  /// The built-in data.
  case snapshot

  /// Whether it is a file, here or on a web server; a table of a database server is none.
  package var isFile: Bool {
    switch self {
    case .file(let location, _): !location.isTable
    case .written: true
    case .storage, .live, .snapshot: false
    }
  }
}

package struct APIOptions: Sendable, Hashable {
  /// Creates the default options.
  package init() {}
  /// The base URL of the server; nil for the default.
  package var server: String?
  /// The age in seconds up to which cached responses are used without revalidation.
  package var maxAge: Int?
  /// Whether cached responses are ignored.
  package var refresh = false
  /// Whether the network is not used.
  package var offline = false
  /// Whether the built-in data may answer if neither the API nor its cache does.
  package var fallback = Fallback.allowed

  package enum Fallback: Sendable, Hashable {
    /// The built-in data, with a warning.
    case allowed
    /// Nothing; the hint says how to get the built-in data, where there is some.
    case refused(hint: Remedy)
    case none
  }
  /// The most bytes of all responses together; nil for the default.
  package var maximumBytes: Int?
  /// The URL of the proxy, or `none`; nil for that of the environment.
  package var proxy: String?
  /// A file of certificates to trust; nil for those of the system.
  package var caFile: String?
  /// Whether data and redirects may lead to private addresses.
  package var allowsPrivate = false
  /// The storage that the records go to, whose further columns stay where the API has none any more.
  package var target: String?
  /// The values of the source's variables, by name.
  package var variables: [String: String] = [:]
  /// The most errors of a response that are reported; nil for the default.
  package var errorLimit: Int?
  /// Whether the members that no column reads are remembered, so that later runs report only new ones.
  package var remembersMembers = false
  /// Whether a failed detail request is an error.
  package var failsOnPartial = false
  /// Whether a sync may replace stored values with null because the API lacks their members.
  package var acceptsDrift = false
  /// Seconds for all requests together; nil for the default.
  package var deadline: Int?
  /// Whether a list that is shorter than the API says is an error.
  package var isComplete = false
  package var objects = ObjectOptions()
  /// Whether values are wanted as the API writes them, the odd ones too.
  package var asWritten = false
}

package struct ObjectOptions: Sendable, Hashable {
  /// The URL of the server; nil for that of the environment.
  package var endpoint: String?
  /// The region; nil for that of the environment.
  package var region: String?
  /// Whether requests are not signed.
  package var isAnonymous = false

  /// The options of a server of objects.
  static let options = PlaceOptions(
    "s3", "s3://BUCKET/KEY", "An object of a bucket",
    [
      ExporterDescriptor.Option("endpoint", "URL", "The URL of the server [default: that of the environment, or AWS]"),
      ExporterDescriptor.Option("region", "NAME", "The region [default: that of the environment]"),
      ExporterDescriptor.Option(
        "anonymous", "true|false", "Whether requests are not signed, for public buckets [default: false]"),
    ])
  static let prefix = options.name + "."

  init() {}

  /// Reads `s3.KEY=VALUE` among assignments.
  /// - Throws: `usage` for another key or value.
  package init(_ assignments: [String]) throws(Problem) {
    for assignment in assignments where assignment.hasPrefix(Self.prefix) {
      let pair = assignment.dropFirst(Self.prefix.count).split(separator: "=", maxSplits: 1).map(String.init)
      switch (pair.first, pair.last) {
      case ("endpoint", let url?) where pair.count == 2: endpoint = url
      case ("region", let name?) where pair.count == 2: region = name
      case ("anonymous", "true"): isAnonymous = true
      case ("anonymous", "false"): isAnonymous = false
      default:
        throw Problem(
          .usage, "invalid option “\(assignment)”", hint: "use s3.endpoint=URL, s3.region=NAME or s3.anonymous=true")
      }
    }
  }
}
