public import Domain
import Query
public import Rows

/// The source of records.
public enum SourceChoice: Sendable, Hashable {
  /// A file or a table, with its options.
  case file(Location, FileInputOptions)
  /// An output that is read back: what its path says is not part of the rows.
  case written(Location, FileInputOptions)
  /// A store, nil for the default one; of the options, the limits apply.
  case storage(String?, FileInputOptions = FileInputOptions())
  /// A live API.
  case live(name: String, APIOptions)
  /// The built-in data.
  case snapshot

  /// Whether it is a file, here or on a web server; a table of a database server is none.
  public var isFile: Bool {
    switch self {
    case .file(let location, _): !location.isTable
    case .written: true
    case .storage, .live, .snapshot: false
    }
  }
}

/// The options for an API.
public struct APIOptions: Sendable, Hashable {
  /// Creates the default options.
  public init() {}
  /// The base URL of the server; nil for the default.
  public var server: String?
  /// The age in seconds up to which cached responses are used without revalidation.
  public var maxAge: Int?
  /// Whether cached responses are ignored.
  public var refresh = false
  /// Whether the network is not used.
  public var offline = false
  /// Whether the built-in data may answer if neither the API nor its cache does.
  public var fallback = Fallback.allowed

  /// The alternatives to an API.
  public enum Fallback: Sendable, Hashable {
    /// The built-in data, with a warning.
    case allowed
    /// Nothing; the hint says how to get the built-in data, where there is some.
    case refused(hint: Remedy)
    /// Nothing.
    case none
  }
  /// The most bytes of all responses together; nil for the default.
  public var maximumBytes: Int?
  /// The URL of the proxy, or `none`; nil for that of the environment.
  public var proxy: String?
  /// A file of certificates to trust; nil for those of the system.
  public var caFile: String?
  /// Whether data and redirects may lead to private addresses.
  public var allowsPrivate = false
  /// The storage that the records go to, whose further columns stay where the API has none any more.
  public var target: String?
  /// The values of the source's variables, by name.
  public var variables: [String: String] = [:]
  /// The most errors of a response that are reported; nil for the default.
  public var errorLimit: Int?
  /// Whether a failed detail request is an error.
  public var failsOnPartial = false
  /// Whether a sync may replace stored values with null because the API lacks their members.
  public var acceptsDrift = false
  /// Seconds for all requests together; nil for the default.
  public var deadline: Int?
  /// Whether a list that is shorter than the API says is an error.
  public var isComplete = false
  /// The choices for buckets.
  public var objects = ObjectOptions()
  /// Whether values are wanted as the API writes them, the odd ones too.
  public var asWritten = false
}

/// The options for buckets of objects.
public struct ObjectOptions: Sendable, Hashable {
  /// The URL of the server; nil for that of the environment.
  public var endpoint: String?
  /// The region; nil for that of the environment.
  public var region: String?
  /// Whether requests are not signed.
  public var isAnonymous = false

  /// The prefix of the assignments of `--option`.
  static let prefix = "s3."

  init() {}

  /// Reads `s3.KEY=VALUE` among assignments.
  /// - Throws: `usage` for another key or value.
  public init(_ assignments: [String]) throws(Problem) {
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
