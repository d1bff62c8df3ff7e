/// One command, described once.
public struct Command: Sendable, Hashable {
  /// The word that chooses it.
  public let name: String
  /// One sentence without a full stop.
  public let overview: String
  /// More about it, in paragraphs; empty when the overview says it all.
  public let discussion: String
  /// What it takes, in order; only the last may be `optional` or `any`.
  public let arguments: [Argument]
  /// Its own options; those of the program come on top.
  public let options: [Option]
  /// The commands below it.
  public let subcommands: [Command]
  /// Command lines that work, without the program's name.
  public let examples: [String]

  /// A command.
  public init(
    _ name: String, _ overview: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
    subcommands: [Command] = [], examples: [String] = []
  ) {
    self.name = name
    self.overview = overview
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.subcommands = subcommands
    self.examples = examples
  }
}

/// A whole program: its commands, what they share, and its help topics.
public struct Program: Sendable {
  /// The program's name.
  public let name: String
  /// `1.2.3`.
  public let version: String
  /// One sentence without a full stop.
  public let overview: String
  /// The commands, in the order of the help.
  public let commands: [Command]
  /// The command that is meant when the first word is not a command's name; nil when there must be one.
  public let defaultCommand: String?
  /// Options every command takes.
  public let options: [Option]
  /// The texts behind `help TOPIC`.
  public let topics: [Topic]
  /// Command lines for the help of the program, without its name.
  public let examples: [String]

  /// One help topic.
  public struct Topic: Sendable, Hashable {
    /// The word after `help`.
    public let name: String
    /// One sentence without a full stop.
    public let summary: String
    /// The text, in lines of at most 80 columns.
    public let text: String
    /// A topic.
    public init(_ name: String, _ summary: String, _ text: String) {
      self.name = name
      self.summary = summary
      self.text = text
    }
  }

  /// A program.
  public init(
    _ name: String, version: String, _ overview: String, commands: [Command], defaultCommand: String? = nil,
    options: [Option],
    topics: [Topic], examples: [String]
  ) {
    self.name = name
    self.version = version
    self.overview = overview
    self.commands = commands
    self.defaultCommand = defaultCommand
    self.options = options
    self.topics = topics
    self.examples = examples
  }

  /// `--help`, which every command takes.
  public static let help = Option.flag("help", short: "h", in: "General", "show this help")
  /// `--version`, which the program takes.
  public static let versionOption = Option.flag("version", in: "General", "show the version")

  /// Every option `command` takes.
  public func options(of command: Command) -> [Option] { command.options + options + [Self.help] }
}
