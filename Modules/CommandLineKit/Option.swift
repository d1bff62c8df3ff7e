package import Rows

/// One option of a command, described once: parsing, help, completions and man pages are made from it.
package struct Option: Sendable, Hashable {
  /// The accepted values, for completion and help.
  package enum Values: Sendable, Hashable {
    case words([String])
    case file, directory
    /// Words that are known at run time: `dataset`, `format`; a comma-separated list of them: `column`.
    case dynamic(String), list(String)
    case free
  }

  /// The heading of options that help shows last.
  package static let lastGroup = "TV datasets"

  /// The long name, without dashes.
  package let name: String
  package let letter: Character?
  /// The placeholder of the value in help (`FILE`); nil for a flag.
  package let placeholder: String?
  /// The values that are accepted, or offered by completion.
  let values: Values
  /// The value that is used if the option is not given; nil if there is none worth printing.
  package let `default`: String?
  /// Other spellings of the long name, accepted but not shown in help.
  let aliases: [String]
  /// Whether the option can be given more than once.
  let isRepeatable: Bool
  /// A phrase in lower case without a period.
  package let summary: String
  /// The heading of its section in help.
  package let group: String
  /// Options that cannot be given with it.
  package private(set) var exclusions: [Exclusion] = []
  /// The long names of options of which one must be given with it; empty if it can be given alone.
  package private(set) var required: [String] = []
  /// The setting of a library that it changes, by which errors name it; nil if there is none.
  package let setting: Setting?

  /// An option that cannot be given with another.
  package struct Exclusion: Sendable, Hashable {
    package let name: String
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
  package static func flag(
    _ name: String, short letter: Character? = nil, aliases: [String] = [], setting: Setting? = nil, in group: String,
    _ summary: String
  ) -> Option {
    Option(name, letter, nil, .free, nil, aliases, false, summary, group, setting)
  }
  package static func value(
    _ name: String, short letter: Character? = nil, aliases: [String] = [], _ placeholder: String,
    values: Values = .free, default: String? = nil, repeatable: Bool = false, setting: Setting? = nil,
    in group: String, _ summary: String
  ) -> Option {
    Option(name, letter, placeholder, values, `default`, aliases, repeatable, summary, group, setting)
  }

  /// The same option, which cannot be given together with the named options.
  /// - Parameter hint: how to get the effect of both.
  package func excluding(_ names: String..., hint: String = "use only one of them") -> Option {
    var copy = self
    copy.exclusions += names.map { Exclusion(name: $0, hint: hint) }
    return copy
  }
  /// The same option, which can be given only together with one of the named options.
  package func requiring(_ names: String...) -> Option {
    var copy = self
    copy.required = names
    return copy
  }

  /// `-o, --output FILE`, as help texts show it.
  var signature: String {
    let short = letter.map { "-\($0), " } ?? ""
    return short + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
  /// `--output`, `-o`.
  var spellings: [String] { ["--\(name)"] + (letter.map { ["-\($0)"] } ?? []) }
  /// The closed set of accepted values; nil if any value is accepted.
  package var words: [String]? { if case .words(let words) = values { words } else { nil } }
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

package struct Argument: Sendable, Hashable {
  /// The placeholder in help (`DATASET`).
  package let placeholder: String
  let values: Option.Values
  /// Whether a file may be typed instead.
  let takesFiles: Bool
  package let count: Count
  /// One sentence without a full stop.
  package let summary: String

  package enum Count: Sendable, Hashable {
    /// Exactly one; one or none; any number.
    case one, optional, any
  }

  package init(
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
