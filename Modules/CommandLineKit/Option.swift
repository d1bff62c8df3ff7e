/// One option of a command, described once: parsing, help, completions and man pages are made from it.
public struct Option: Sendable, Hashable {
  /// What may be typed after the option, for completion and help.
  public enum Values: Sendable, Hashable {
    /// One of these words; any other is refused.
    case words([String])
    /// A file, or a folder.
    case file, folder
    /// Words a program knows when it runs: `dataset`, `format`; several of them, parted by commas: `column`.
    case dynamic(String), list(String)
    /// Anything.
    case free
  }

  /// The long name, without dashes.
  public let name: String
  /// The letter of the short form.
  public let letter: Character?
  /// What stands for the value in help texts (`FILE`); nil for a flag.
  public let placeholder: String?
  /// What may be typed as the value.
  public let values: Values
  /// Whether it may be given several times.
  public let isRepeatable: Bool
  /// One sentence without a full stop.
  public let summary: String
  /// The heading it stands under in help texts.
  public let group: String

  private init(
    _ name: String, _ letter: Character?, _ placeholder: String?, _ values: Values, _ isRepeatable: Bool,
    _ summary: String,
    _ group: String
  ) {
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.values = values
    self.isRepeatable = isRepeatable
    self.summary = summary
    self.group = group
  }

  /// An option that is given or not.
  public static func flag(_ name: String, short letter: Character? = nil, in group: String, _ summary: String) -> Option
  {
    Option(name, letter, nil, .free, false, summary, group)
  }
  /// An option with a value.
  public static func value(
    _ name: String, short letter: Character? = nil, _ placeholder: String, values: Values = .free,
    repeatable: Bool = false,
    in group: String, _ summary: String
  ) -> Option {
    Option(name, letter, placeholder, values, repeatable, summary, group)
  }

  /// `-o, --output FILE`, as help texts show it.
  public var signature: String {
    let short = letter.map { "-\($0), " } ?? ""
    return short + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
  /// Words that a value must be one of; nil when anything goes.
  public var words: [String]? { if case .words(let words) = values { words } else { nil } }
}

/// One argument of a command.
public struct Argument: Sendable, Hashable {
  /// What stands for it in help texts (`DATASET`).
  public let placeholder: String
  /// What may be typed.
  public let values: Option.Values
  /// How many are taken.
  public let count: Count
  /// One sentence without a full stop.
  public let summary: String

  /// How many arguments are taken.
  public enum Count: Sendable, Hashable {
    /// Exactly one; one or none; any number.
    case one, optional, any
  }

  /// An argument.
  public init(_ placeholder: String, values: Option.Values = .free, count: Count = .one, _ summary: String) {
    self.placeholder = placeholder
    self.values = values
    self.count = count
    self.summary = summary
  }

  /// `DATASET`, `[TOPIC]`, `[DATASET…]`.
  public var signature: String {
    switch count {
    case .one: placeholder
    case .optional: "[\(placeholder)]"
    case .any: "[\(placeholder)…]"
    }
  }
}
