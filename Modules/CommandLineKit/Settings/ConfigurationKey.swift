import Codecs
import Dialects
import Domain

/// A setting of both programs, as a value in the list `all`: a key of the configuration file, and a variable of the
/// environment.
///
/// A key with the name of an option is the default of that option; it is ignored where the option does not apply.
package struct ConfigurationKey: Sendable, Hashable {
  package let name: String
  /// The required form of a value; nil for any text.
  let expected: Expected?
  /// The value if nothing sets it; nil if it depends on the command or the machine.
  package let fallback: String?
  /// Whether its values may contain quotes and `#`: texts, and commands with arguments.
  let isFreeText: Bool
  /// A variable of the environment before `BB_NAME`.
  private let earlier: String?
  /// The variables of other programs that are used if neither `variables` nor the file has a value, in this order.
  let commonVariables: [String]

  init(
    _ name: String, _ expected: Expected? = nil, default fallback: String? = nil, isFreeText: Bool = false,
    variable earlier: String? = nil, common: [String] = []
  ) {
    (self.name, self.expected, self.fallback, self.isFreeText) = (name, expected, fallback, isFreeText)
    (self.earlier, commonVariables) = (earlier, common)
  }

  enum Expected: Sendable {
    case words([String]), number(ClosedRange<Int>), size, delimiter
  }

  // The keys that code names.
  package static let storage = ConfigurationKey("storage")
  /// The show of an episode key without one.
  package static let production = ConfigurationKey("production", default: TitleNames.usual)
  package static let format = ConfigurationKey("format")
  /// The source of datasets, and the server of the built-in APIs.
  package static let source = ConfigurationKey("source"), api = ConfigurationKey("api", variable: "BB_API_URL")
  /// The proxy; `none` for no proxy.
  package static let proxy = ConfigurationKey("proxy")
  /// The file with trusted certificates.
  package static let cacert = ConfigurationKey("cacert")
  package static let threads = ConfigurationKey("threads", .number(1...1024))
  package static let editor = ConfigurationKey("editor", default: "vi", isFreeText: true, common: ["VISUAL", "EDITOR"])
  package static let pager = ConfigurationKey("pager", default: "less", isFreeText: true, common: ["PAGER"])

  /// The settings, in the order of their list.
  package static let all: [ConfigurationKey] = [
    storage, production, format,
    words("order", MovieOrder.self, default: "rate"),
    source, api,
    // The age up to which a cached response needs no request, in seconds.
    ConfigurationKey("max-age", .number(0...Int(Int32.max))),
    proxy, cacert,
    // The total time of requests in seconds, and the total size of responses.
    ConfigurationKey("deadline", .number(1...86_400), default: "900"),
    ConfigurationKey("max-bytes", .size, default: "4G"),
    // The most invalid records of a response that are reported.
    ConfigurationKey("errors-limit", .number(1...1000), default: "20"),
    toggle("offline"), toggle("allow-private"), toggle("strict"),
    // How CSV files are read.
    words("from-encoding", CharacterEncoding.self, automatic: true, default: "auto"),
    ConfigurationKey("from-delimiter", isFreeText: true),
    ConfigurationKey("from-quote", default: "auto", isFreeText: true),
    words("from-escape", CSVDialect.Escape.self, automatic: true, default: "auto"),
    ConfigurationKey("comment", isFreeText: true),
    words("ragged", CSVDialect.Ragged.self, default: "error"),
    words("empty-as", ["null", "text"], default: "null"),
    ConfigurationKey("from-null", isFreeText: true),
    words("decimal-separator", [".", ","], default: "."),
    ConfigurationKey("thousands", .words([",", ".", "space", "'"]), isFreeText: true),
    toggle("strict-csv"), toggle("repair"),
    words("encoding-errors", ["strict", "replace"], default: "strict"),
    // The largest field in MiB, and the seconds that a view of a database may run.
    ConfigurationKey("max-field", .number(1...1024), default: "16"),
    ConfigurationKey("timeout", .number(0...86_400), default: "30"),
    // How CSV files are written.
    ConfigurationKey("delimiter", .delimiter, default: "comma", isFreeText: true),
    ConfigurationKey("null", isFreeText: true),
    words("line-ending", CSVStyle.LineEnding.self, default: "lf"),
    toggle("no-headers"),
    words("headers", ["auto", "always", "never"], default: "auto"),
    words("nested", CSVStyle.Nested.self, default: "json"),
    words("csv-formulas", CSVStyle.Formulas.self, default: "keep"),
    toggle("excel"),
    words("nonfinite", NonfinitePolicy.self, default: "error"),
    ConfigurationKey("width", .number(0...100_000)),
    toggle("wrap"), toggle("no-pager"), toggle("no-clobber"),
    threads,
    // The number of images downloaded at a time.
    ConfigurationKey("parallel", .number(1...64), default: "16"),
    // The memory for sorting and groups.
    ConfigurationKey("memory", .size),
    // The largest image, and the largest sum of images.
    ConfigurationKey("max-image", .size, default: "64M"),
    ConfigurationKey("max-total", .size, default: "8G"),
    words("progress", ["auto", "always", "never"], default: "auto"),
    words("color", ["auto", "always", "never"], default: "auto"),
    words("errors", ["text", "json"], default: "text"),
    toggle("quiet"), toggle("verbose"),
    editor, pager,
  ]

  private static func words(_ name: String, _ words: [String], default fallback: String) -> ConfigurationKey {
    ConfigurationKey(name, .words(words), default: fallback)
  }
  private static func words<Words: CaseIterable & RawRepresentable<String>>(
    _ name: String, _: Words.Type, automatic: Bool = false, default fallback: String
  ) -> ConfigurationKey {
    Self.words(name, (automatic ? ["auto"] : []) + Words.allCases.map(\.rawValue), default: fallback)
  }
  private static func toggle(_ name: String) -> ConfigurationKey {
    ConfigurationKey(name, .words(["yes", "no"]), default: "no")
  }

  /// The accepted words; nil if other values are accepted.
  package var words: [String]? { if case .words(let words) = expected { words } else { nil } }

  /// The key with this name, or with this variable: `max-age`, `BB_MAX_AGE`.
  package init?(named name: String) {
    guard let key = Self.all.first(where: { $0.name == name }) ?? Self.all.first(where: { $0.variables.contains(name) })
    else { return nil }
    self = key
  }

  /// The variables of the environment; of two that are set, the first counts.
  var variables: [String] {
    (earlier.map { [$0] } ?? []) + ["BB_" + name.uppercased().replacing("-", with: "_")]
  }

  var isSwitch: Bool { words == ["yes", "no"] }

  package static func == (a: ConfigurationKey, b: ConfigurationKey) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
