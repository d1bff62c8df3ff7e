/// Scripts that complete a program's command lines, made from its description.
public struct Completions: Sendable {
  /// The shells there are scripts for.
  public enum Shell: String, Sendable, CaseIterable {
    /// Bash, with or without bash-completion; zsh; fish.
    case bash, zsh, fish
  }

  /// A position on a command line: before any command, after a command, or after a command and its subcommand.
  struct Place {
    /// The commands' words with spaces between; empty before any command.
    let path: String
    let options: [Option]
    /// The candidates that are not options.
    let words: [String]
    let takesFiles: Bool
  }

  let program: Program
  /// The candidates of each kind of dynamic value: `dataset`, `format`, `column`.
  private let words: [String: [String]]
  /// For some kinds, the candidates that depend on an earlier word of the line: the columns of `episodes`.
  let narrowed: [(kind: String, behind: [(word: String, words: [String])])]

  /// Creates completions of `program`.
  /// - Parameters:
  ///   - words: the candidates of each dynamic kind.
  ///   - narrowed: for some kinds, the candidates after an earlier word of the line, each a plain word.
  public init(
    _ program: Program, words: [String: [String]],
    narrowed: [(kind: String, behind: [(word: String, words: [String])])] = []
  ) {
    self.program = program
    self.words = words
    self.narrowed = narrowed
  }

  /// The loop over the `words` of a line, in bash and zsh, that sets a variable for each kind that a word narrows:
  /// `words_column`.
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

  /// The instructions for enabling completion in each shell.
  public static func instructions(for program: String) -> String {
    """
    bash: add `source <(\(program) completions bash)` to ~/.bashrc; zsh: add the same, with zsh, to ~/.zshrc after \
    compinit; fish: add `\(program) completions fish | source` to ~/.config/fish/config.fish. Tools/install installs \
    them for all three shells.
    """
  }

  /// The name of the shell function.
  var function: String { "_" + program.name.replacing("-", with: "_") }

  /// The accepted values; empty when they cannot be listed.
  func candidates(_ values: Option.Values) -> [String] {
    switch values {
    case .words(let list): list
    case .dynamic(let kind), .list(let kind): words[kind] ?? []
    case .file, .directory, .free: []
    }
  }

  /// Every place, that before any command first.
  var places: [Place] {
    let fallback = program.commands.first { $0.name == program.defaultCommand }
    let start = Place(
      path: "",
      options: (fallback.map(program.options(of:)) ?? program.options + [Program.help]) + [Program.versionOption],
      words: program.commands.map(\.name) + (fallback.map(arguments(of:)) ?? []),
      takesFiles: fallback?.arguments.contains(where: \.takesFiles) ?? false)
    return [start] + program.commands.flatMap { places(of: $0, under: "") }
  }

  /// The transitions from one place to the next, as patterns: `/places`, `places/add`.
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
      takesFiles: command.arguments.contains(where: \.takesFiles))
    let actions = command.actions.map { action in
      Place(
        path: "\(path) \(action.name)", options: place.options,
        words: action.arguments.flatMap { candidates($0.values) },
        takesFiles: action.arguments.contains(where: \.takesFiles))
    }
    return [place] + actions + command.subcommands.flatMap { places(of: $0, under: path) }
  }

  private func arguments(of command: Command) -> [String] { command.arguments.flatMap { candidates($0.values) } }

  /// Every option of the program, once.
  var allOptions: [Option] {
    var seen: Set<String> = []
    return places.flatMap(\.options).filter { seen.insert($0.name).inserted }
  }
}
