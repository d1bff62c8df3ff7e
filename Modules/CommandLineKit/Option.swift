public import Rows

/// One option of a command, described once: parsing, help, completions and man pages are made from it.
public struct Option: Sendable, Hashable {
  /// The accepted values, for completion and help.
  public enum Values: Sendable, Hashable {
    /// One of these words; any other is refused.
    case words([String])
    /// A file, or a directory.
    case file, directory
    /// Words that are known at run time: `dataset`, `format`; a comma-separated list of them: `column`.
    case dynamic(String), list(String)
    /// Anything.
    case free
  }

  /// The heading of options that help shows last.
  public static let lastGroup = "TV datasets"

  /// The long name, without dashes.
  public let name: String
  /// The letter of the short form.
  public let letter: Character?
  /// The placeholder of the value in help (`FILE`); nil for a flag.
  public let placeholder: String?
  /// The values that are accepted, or offered by completion.
  let values: Values
  /// The value that is used if the option is not given; nil if there is none worth printing.
  public let `default`: String?
  /// Other spellings of the long name, accepted but not shown in help.
  let aliases: [String]
  /// Whether the option can be given more than once.
  let isRepeatable: Bool
  /// A phrase in lower case without a period.
  public let summary: String
  /// The heading of its section in help.
  public let group: String
  /// Options that cannot be given with it.
  public private(set) var exclusions: [Exclusion] = []
  /// The long names of options of which one must be given with it; empty if it can be given alone.
  public private(set) var required: [String] = []
  /// The setting of a library that it changes, by which errors name it; nil if there is none.
  public let setting: Setting?

  /// An option that cannot be given with another.
  public struct Exclusion: Sendable, Hashable {
    /// Its long name.
    public let name: String
    /// The hint of the error.
    let hint: String
  }

  private init(
    _ name: String, _ letter: Character?, _ placeholder: String?, _ values: Values, _ default: String?,
    _ aliases: [String], _ isRepeatable: Bool, _ summary: String, _ group: String, _ setting: Setting?
  ) {
    self.setting = setting
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.values = values
    self.default = `default`
    self.aliases = aliases
    self.isRepeatable = isRepeatable
    self.summary = summary
    self.group = group
  }

  /// Creates an option without a value.
  public static func flag(
    _ name: String, short letter: Character? = nil, aliases: [String] = [], setting: Setting? = nil, in group: String,
    _ summary: String
  ) -> Option {
    Option(name, letter, nil, .free, nil, aliases, false, summary, group, setting)
  }
  /// Creates an option with a value.
  public static func value(
    _ name: String, short letter: Character? = nil, aliases: [String] = [], _ placeholder: String,
    values: Values = .free, default: String? = nil, repeatable: Bool = false, setting: Setting? = nil,
    in group: String, _ summary: String
  ) -> Option {
    Option(name, letter, placeholder, values, `default`, aliases, repeatable, summary, group, setting)
  }

  /// The same option, which cannot be given together with the named options.
  /// - Parameter hint: how to get the effect of both.
  public func excluding(_ names: String..., hint: String = "use only one of them") -> Option {
    var copy = self
    copy.exclusions += names.map { Exclusion(name: $0, hint: hint) }
    return copy
  }
  /// The same option, which can be given only together with one of the named options.
  public func requiring(_ names: String...) -> Option {
    var copy = self
    copy.required = names
    return copy
  }

  /// `-o, --output FILE`, as help texts show it.
  var signature: String {
    let short = letter.map { "-\($0), " } ?? ""
    return short + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
  /// The closed set of accepted values; nil if any value is accepted.
  public var words: [String]? { if case .words(let words) = values { words } else { nil } }
  /// The summary, followed by the accepted values and the default: `[values: a, b; default: a]`.
  var explanation: String {
    let parts = [words.map { "values: " + $0.joined(separator: ", ") }, self.default.map { "default: \($0)" }]
    let known = parts.compactMap(\.self)
    return known.isEmpty ? summary : "\(summary) [\(known.joined(separator: "; "))]"
  }
  /// The summary followed by the default only, for completions, which offer the values themselves.
  var completionSummary: String { self.default.map { "\(summary) [default: \($0)]" } ?? summary }

  /// Whether `name`, without dashes, is the long name or an alias.
  func isNamed(_ name: some StringProtocol) -> Bool { self.name == name || aliases.contains { $0 == name } }
}

/// One argument of a command.
public struct Argument: Sendable, Hashable {
  /// The placeholder in help (`DATASET`).
  public let placeholder: String
  /// The accepted values.
  let values: Option.Values
  /// Whether a file may be typed instead.
  let takesFiles: Bool
  /// The number of arguments.
  public let count: Count
  /// One sentence without a full stop.
  public let summary: String

  /// The number of arguments.
  public enum Count: Sendable, Hashable {
    /// Exactly one; one or none; any number.
    case one, optional, any
  }

  /// An argument.
  public init(
    _ placeholder: String, values: Option.Values = .free, takesFiles: Bool = false, count: Count = .one,
    _ summary: String
  ) {
    self.placeholder = placeholder
    self.values = values
    self.takesFiles = takesFiles || values == .file || values == .directory
    self.count = count
    self.summary = summary
  }

  /// The only words that may be typed; empty if there are others.
  var words: [String] { if case .words(let list) = values { list } else { [] } }

  /// `DATASET`, `[TOPIC]`, `[DATASET…]`.
  var signature: String {
    switch count {
    case .one: placeholder
    case .optional: "[\(placeholder)]"
    case .any: "[\(placeholder)…]"
    }
  }
}
