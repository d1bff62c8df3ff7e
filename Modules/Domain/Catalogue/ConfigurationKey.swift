/// A setting of both programs: a key of the configuration file, and a variable of the environment.
///
/// A key with the name of an option is the default of that option.
public enum ConfigurationKey: String, Sendable, CaseIterable {
  /// The default store.
  case storage
  /// The show of an episode key without one.
  case production
  /// The format of standard output.
  case format
  /// The order of movies.
  case order
  /// The server of the built-in APIs.
  case api
  /// The age up to which a cached response needs no request, in seconds.
  case maxAge = "max-age"
  /// The proxy; `none` for no proxy.
  case proxy
  /// The file with trusted certificates.
  case cacert
  /// The number of threads, and of images downloaded at a time.
  case threads, parallel
  /// The largest image, and the largest sum of images.
  case maxImage = "max-image"
  case maxTotal = "max-total"
  /// When to show progress.
  case progress
  /// The form of error messages.
  case errors
  /// The editor and the pager, with their arguments.
  case editor, pager

  /// The variable of the environment.
  public var variable: String {
    self == .api ? "BB_API_URL" : "BB_" + rawValue.uppercased().replacing("-", with: "_")
  }

  /// The variables of other programs that are used if neither `variable` nor the file has a value, in this order.
  public var commonVariables: [String] {
    switch self {
    case .editor: ["VISUAL", "EDITOR"]
    case .pager: ["PAGER"]
    default: []
    }
  }

  /// The value if nothing sets it; nil if it depends on the command or the machine.
  public var fallback: String? {
    switch self {
    case .production: "Breaking Bad"
    case .order: MovieOrder.rate.rawValue
    case .parallel: "16"
    case .maxImage: "64M"
    case .maxTotal: "8G"
    case .progress: "auto"
    case .errors: "text"
    case .editor: "vi"
    case .pager: "less"
    case .storage, .format, .api, .maxAge, .proxy, .cacert, .threads: nil
    }
  }

  /// The required form of a value; nil for any text.
  var expected: Expected? {
    switch self {
    case .order: .words(MovieOrder.allCases.map(\.rawValue))
    case .progress: .words(["auto", "always", "never"])
    case .errors: .words(["text", "json"])
    case .threads: .number(1...1024)
    case .parallel: .number(1...64)
    case .maxAge: .number(0...Int(Int32.max))
    case .maxImage, .maxTotal: .size
    default: nil
    }
  }
  enum Expected { case words([String]), number(ClosedRange<Int>), size }
}
