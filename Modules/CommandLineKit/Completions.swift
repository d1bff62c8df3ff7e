/// Scripts that complete a program's command lines, made from its description.
public struct Completions: Sendable {
  /// The shells there are scripts for.
  public enum Shell: String, Sendable, CaseIterable {
    /// Bash, with or without bash-completion; zsh; fish.
    case bash, zsh, fish
  }

  /// Where one is on a command line: behind no command, a command, or a command and its subcommand.
  struct Place {
    /// The commands' words with spaces between; empty before any command.
    let path: String
    let options: [Option]
    /// What may stand there that is no option.
    let words: [String]
    let takesFiles: Bool
  }

  let program: Program
  /// The words behind each kind of dynamic value: `dataset`, `format`, `column`.
  private let words: [String: [String]]
  /// For some kinds, what may be typed when a word stands on the line before: of `column` behind `episodes`, its columns.
  let narrowed: [(kind: String, behind: [(word: String, words: [String])])]

  /// Completions of `program`.
  /// - Parameters:
  ///   - words: what may be typed for each dynamic kind.
  ///   - narrowed: for some kinds, what may be typed when a word stands on the line before, each a plain word.
  public init(
    _ program: Program, words: [String: [String]],
    narrowed: [(kind: String, behind: [(word: String, words: [String])])] = []
  ) {
    self.program = program
    self.words = words
    self.narrowed = narrowed
  }

  /// The loop over the `words` of a line, in bash and zsh, that sets a variable for each kind that a word narrows: `words_column`.
  func narrowing(over words: String) -> String {
    let cases = narrowed.map { kind, behind in
      "    case $word in\n"
        + behind.map { "      (\($0.word)) words_\(kind)='\($0.words.joined(separator: " "))' ;;\n" }.joined()
        + "    esac\n"
    }
    return cases.isEmpty ? "" : "  for word in \(words); do\n\(cases.joined())  done\n"
  }
  /// The declarations of these variables.
  var narrowedVariables: String {
    narrowed.map { "words_\($0.kind)='\(candidates(.list($0.kind)).joined(separator: " "))'" }.joined(separator: " ")
  }

  /// The script for a shell.
  public func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// How a person makes a shell complete a program's command lines.
  public static func instructions(for program: String) -> String {
    """
    In bash, `source <(\(program) completions bash)`, in ~/.bashrc to keep it; in zsh the same behind compinit, in ~/.zshrc. In fish, \
    `\(program) completions fish | source`, in ~/.config/fish/config.fish. Tools/install puts them where the shells look for them.
    """
  }

  /// The name of the shell function.
  var function: String { "_" + program.name.replacing("-", with: "_") }

  /// What may be typed for a value; empty when it cannot be listed.
  func candidates(_ values: Option.Values) -> [String] {
    switch values {
    case .words(let list): list
    case .dynamic(let kind), .list(let kind): words[kind] ?? []
    case .file, .folder, .free: []
    }
  }

  /// Every place, that before any command first.
  var places: [Place] {
    let fallback = program.commands.first { $0.name == program.defaultCommand }
    let start = Place(
      path: "",
      options: (fallback.map(program.options(of:)) ?? program.options + [Program.help]) + [Program.versionOption],
      words: program.commands.map(\.name) + (fallback.map(arguments(of:)) ?? []), takesFiles: false)
    return [start] + program.commands.flatMap { places(of: $0, under: "") }
  }

  /// How a word leads from one place to the next, as patterns: `/places`, `places/add`.
  var steps: [String] {
    places.dropFirst().map { place in
      let words = place.path.split(separator: " ")
      return "'\(words.dropLast().joined(separator: " "))/\(words[words.count - 1])'"
    }
  }

  /// The options that take a value, as patterns: `--format`, `-f`.
  var valued: [String] {
    allOptions.filter { $0.placeholder != nil }.flatMap { option in
      ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
    }
  }

  private func places(of command: Command, under parent: String) -> [Place] {
    let path = parent.isEmpty ? command.name : "\(parent) \(command.name)"
    let place = Place(
      path: path, options: program.options(of: command),
      words: command.subcommands.map(\.name) + arguments(of: command),
      takesFiles: command.arguments.contains { $0.values == .file || $0.values == .folder })
    return [place] + command.subcommands.flatMap { places(of: $0, under: path) }
  }

  private func arguments(of command: Command) -> [String] { command.arguments.flatMap { candidates($0.values) } }

  /// Every option of the program, once.
  var allOptions: [Option] {
    var seen: Set<String> = []
    return places.flatMap(\.options).filter { seen.insert($0.name).inserted }
  }
}
