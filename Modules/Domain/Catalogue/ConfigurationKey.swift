import Codecs
import Dialects

/// A setting of both programs: a key of the configuration file, and a variable of the environment.
///
/// A key with the name of an option is the default of that option; it is ignored where the option does not apply.
public enum ConfigurationKey: String, Sendable, CaseIterable {
  /// The default store.
  case storage
  /// The show of an episode key without one.
  case production
  /// The format of standard output.
  case format
  /// The order of movies.
  case order
  /// The source of datasets, and the server of the built-in APIs.
  case source, api
  /// The age up to which a cached response needs no request, in seconds.
  case maxAge = "max-age"
  /// The proxy; `none` for no proxy.
  case proxy
  /// The file with trusted certificates.
  case cacert
  /// The total time of requests in seconds, and the total size of responses.
  case deadline
  case maxBytes = "max-bytes"
  /// The most invalid records of a response that are reported.
  case errorsLimit = "errors-limit"
  /// Whether the network is not used, private addresses are allowed, and incomplete responses are errors.
  case offline
  case allowPrivate = "allow-private"
  case strict
  /// How CSV files are read.
  case fromEncoding = "from-encoding"
  case fromDelimiter = "from-delimiter"
  case fromQuote = "from-quote"
  case fromEscape = "from-escape"
  case comment, ragged
  case emptyAs = "empty-as"
  case fromNull = "from-null"
  case decimalSeparator = "decimal-separator"
  case thousands
  case strictCSV = "strict-csv"
  case repair
  case encodingErrors = "encoding-errors"
  /// The largest field in MiB, and the seconds that a view of a database may run.
  case maxField = "max-field"
  case timeout
  /// How CSV files are written.
  case delimiter, null
  case lineEnding = "line-ending"
  case noHeaders = "no-headers"
  case headers
  case nested
  case csvFormulas = "csv-formulas"
  case excel, nonfinite
  /// The width of tables, whether long text is wrapped, and whether there is a pager.
  case width, wrap
  case noPager = "no-pager"
  /// Whether existing files are kept.
  case noClobber = "no-clobber"
  /// The number of threads, and of images downloaded at a time.
  case threads, parallel
  /// The memory for sorting and groups.
  case memory
  /// The largest image, and the largest sum of images.
  case maxImage = "max-image"
  case maxTotal = "max-total"
  /// When to show progress, and when to colour output.
  case progress, color
  /// The form of error messages, and how many messages there are.
  case errors, quiet, verbose
  /// The editor and the pager, with their arguments.
  case editor, pager

  /// The key with this name, or with this variable: `max-age`, `BB_MAX_AGE`.
  public init?(named name: String) {
    guard let key = ConfigurationKey(rawValue: name) ?? Self.allCases.first(where: { $0.variables.contains(name) })
    else {
      return nil
    }
    self = key
  }

  /// The variables of the environment; of two that are set, the first counts.
  var variables: [String] {
    let name = "BB_" + rawValue.uppercased().replacing("-", with: "_")
    return self == .api ? ["BB_API_URL", name] : [name]
  }

  /// The variables of other programs that are used if neither `variables` nor the file has a value, in this order.
  var commonVariables: [String] {
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
    case .maxBytes: "4G"
    case .deadline: "900"
    case .errorsLimit: "20"
    case .maxField: "16"
    case .timeout: "30"
    case .emptyAs: "null"
    case .decimalSeparator: "."
    case .ragged: CSVDialect.Ragged.error.rawValue
    case .fromEncoding, .fromQuote, .fromEscape: "auto"
    case .encodingErrors: "strict"
    case .lineEnding: "lf"
    case .nested: CSVStyle.Nested.json.rawValue
    case .csvFormulas: CSVStyle.Formulas.keep.rawValue
    case .nonfinite: NonfinitePolicy.error.rawValue
    case .delimiter: "comma"
    case .offline, .allowPrivate, .strict, .strictCSV, .repair, .noHeaders, .excel, .wrap, .noPager, .noClobber, .quiet,
      .verbose:
      "no"
    case .progress, .color, .headers: "auto"
    case .errors: "text"
    case .editor: "vi"
    case .pager: "less"
    case .storage, .format, .source, .api, .maxAge, .proxy, .cacert, .threads, .memory, .width, .fromDelimiter,
      .comment,
      .fromNull, .thousands, .null:
      nil
    }
  }

  /// Whether it is on or off.
  var isSwitch: Bool { if case .words(["yes", "no"]) = expected { true } else { false } }

  /// Whether its values may contain quotes and `#`: texts, and commands with arguments.
  public var isFreeText: Bool {
    [.null, .fromNull, .thousands, .delimiter, .fromDelimiter, .fromQuote, .comment, .editor, .pager].contains(self)
  }

  /// The required form of a value; nil for any text.
  var expected: Expected? {
    switch self {
    case .order: .words(MovieOrder.allCases.map(\.rawValue))
    case .progress, .color, .headers: .words(["auto", "always", "never"])
    case .fromEncoding: .words(["auto"] + CharacterEncoding.allCases.map(\.rawValue))
    case .fromEscape: .words(["auto"] + CSVDialect.Escape.allCases.map(\.rawValue))
    case .ragged: .words(CSVDialect.Ragged.allCases.map(\.rawValue))
    case .errors: .words(["text", "json"])
    case .emptyAs: .words(["null", "text"])
    case .decimalSeparator: .words([".", ","])
    case .thousands: .words([",", ".", "space", "'"])
    case .encodingErrors: .words(["strict", "replace"])
    case .lineEnding: .words(CSVStyle.LineEnding.allCases.map(\.rawValue))
    case .nested: .words(CSVStyle.Nested.allCases.map(\.rawValue))
    case .csvFormulas: .words(CSVStyle.Formulas.allCases.map(\.rawValue))
    case .nonfinite: .words(NonfinitePolicy.allCases.map(\.rawValue))
    case .offline, .allowPrivate, .strict, .strictCSV, .repair, .noHeaders, .excel, .wrap, .noPager, .noClobber, .quiet,
      .verbose:
      .words(["yes", "no"])
    case .delimiter: .delimiter
    case .width: .number(0...100_000)
    case .deadline: .number(1...86_400)
    case .timeout: .number(0...86_400)
    case .errorsLimit: .number(1...1000)
    case .maxField: .number(1...1024)
    case .threads: .number(1...1024)
    case .parallel: .number(1...64)
    case .maxAge: .number(0...Int(Int32.max))
    case .maxImage, .maxTotal, .maxBytes, .memory: .size
    default: nil
    }
  }
  enum Expected { case words([String]), number(ClosedRange<Int>), size, delimiter }
}
