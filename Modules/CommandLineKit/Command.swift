import Rows

/// One command, described once.
package struct Command: Sendable, Hashable {
  package let name: String
  /// One sentence without a full stop.
  package let overview: String
  /// More about it, in paragraphs; empty when the overview says it all.
  let discussion: String
  /// The arguments, in order; only the last may be `optional` or `any`.
  package let arguments: [Argument]
  /// Its own options; those of the program come on top.
  package let options: [Option]
  /// Its subcommands that share its help and options; the first argument names one.
  let actions: [CommandAction]
  package let subcommands: [Command]
  /// Command lines that work, without the program's name.
  package let examples: [String]
  /// Other spellings of the name, accepted but not shown in help.
  let aliases: [String]
  /// The long names of the options that help shows unless all are wanted; empty for all.
  let common: [String]

  package init(
    _ name: String, aliases: [String] = [], _ overview: String, discussion: String = "", arguments: [Argument] = [],
    actions: [CommandAction] = [], options: [Option] = [], subcommands: [Command] = [], examples: [String] = [],
    common: [String] = []
  ) {
    self.common = common
    self.name = name
    self.aliases = aliases
    self.overview = overview
    self.discussion = discussion
    self.arguments = arguments
    self.actions = actions
    self.options = options
    self.subcommands = subcommands
    self.examples = examples
  }

  /// Whether `word` is the name or an alias.
  func isNamed(_ word: String) -> Bool { name == word || aliases.contains(word) }
}

/// A whole program: its commands, what they share, and its help topics.
package struct Program: Sendable {
  package let name: String
  /// `1.2.3`.
  package let version: String
  /// The day of the release, ISO 8601; empty if unknown.
  let released: String
  /// One sentence without a full stop.
  let overview: String
  /// The description in the man page, in paragraphs; empty if the overview is enough.
  let discussion: String
  /// The commands, in the order of the help.
  package let commands: [Command]
  /// The command that is meant when the first word is not a command's name; nil when there must be one.
  package let defaultCommand: String?
  package let options: [Option]
  /// The texts of `help TOPIC`.
  package let topics: [Topic]
  /// Command lines for the help of the program, without its name.
  package let examples: [String]
  /// The datasets of the program, for its help; empty if it has none to choose from.
  let datasets: [String]
  /// The files and directories that the program uses, for the man page.
  let files: [File]
  /// Other programs with a man page.
  let related: [String]
  /// Words of other programs, for hints; of two that apply, the first counts.
  package let synonyms: [Synonym]
  /// What can follow `--option`, in the order of the help.
  package let assignments: @Sendable () -> [Assignment]
  /// The command line that was meant by words which are none, without the name of the program; nil if it is unknown.
  private let correction: @Sendable (_ words: [String]) -> String?

  /// The error for words that are not a command line, if it is known what was meant.
  func corrected(_ words: [String]) -> Problem? {
    correction(words).map {
      Problem(.usage, "unexpected “\(words.joined(separator: " "))”", hint: .advice("use \(name) \($0)"))
    }
  }

  /// One option of a format or of a place, as `--option` sets it.
  package struct Assignment: Sendable, Hashable {
    /// The word before the point, and that after it.
    let format: String, key: String
    /// The accepted values or a placeholder, and what they do.
    let values: String, summary: String
    package init(_ format: String, _ key: String, _ values: String, _ summary: String) {
      (self.format, self.key, self.values, self.summary) = (format, key, values, summary)
    }
    /// `csv.null=TEXT`.
    var signature: String { "\(format).\(key)=\(values)" }
    /// The word before the value, and what the option does.
    package var completion: Completion { Completion("\(format).\(key)=", summary) }
  }

  /// A file or directory that a program uses.
  package struct File: Sendable, Hashable {
    /// The path, with variables: `$XDG_CONFIG_HOME/bb/config`.
    let path: String
    /// One sentence without a full stop.
    let summary: String
    /// Creates a description of a file.
    package init(_ path: String, _ summary: String) {
      self.path = path
      self.summary = summary
    }
  }

  package struct Topic: Sendable, Hashable {
    /// The word after `help`.
    package let name: String
    /// One sentence without a full stop.
    package let summary: String
    /// The text, in lines of at most 80 columns.
    package let text: String
    /// Markdown with tasks below headings of level 3, in which `help NAME WORD…` searches; empty if there are none.
    let tasks: String
    package init(_ name: String, _ summary: String, _ text: String, tasks: String = "") {
      self.name = name
      self.summary = summary
      self.text = text
      self.tasks = tasks
    }
  }

  package init(
    _ name: String, version: String, released: String = "", _ overview: String, discussion: String = "",
    commands: [Command], defaultCommand: String? = nil, options: [Option], topics: [Topic], examples: [String],
    datasets: [String] = [], files: [File] = [], related: [String] = [], synonyms: [Synonym] = [],
    assignments: @escaping @Sendable () -> [Assignment] = { [] },
    correction: @escaping @Sendable (_ words: [String]) -> String? = { _ in nil }
  ) {
    (self.correction, self.assignments) = (correction, assignments)
    self.name = name
    self.version = version
    self.released = released
    self.overview = overview
    self.discussion = discussion
    self.commands = commands
    self.defaultCommand = defaultCommand
    self.options = options
    self.topics = topics
    self.examples = examples
    self.datasets = datasets
    self.files = files
    self.related = related
    self.synonyms = synonyms
  }

  /// `--help`, which every command takes.
  static let help = Option.flag("help", short: "h", in: "General", "show this help")
  /// `--version`, which the program takes.
  static let versionOption = Option.flag("version", in: "General", "show the version")

  /// Every option `command` takes.
  package func options(of command: Command) -> [Option] { command.options + options + [Self.help] }
}
