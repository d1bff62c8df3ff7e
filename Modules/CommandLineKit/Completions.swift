/// Scripts that complete a program's command lines, made from its description.
public struct Completions: Sendable {
  /// The shells there are scripts for.
  public enum Shell: String, Sendable, CaseIterable {
    /// Bash, with or without bash-completion; zsh; fish.
    case bash, zsh, fish
  }

  private let program: Program
  /// The words behind each kind of dynamic value: `dataset`, `format`, `column`.
  private let words: [String: [String]]

  /// Completions of `program`; `words` gives what may be typed for each dynamic kind.
  public init(_ program: Program, words: [String: [String]]) {
    self.program = program
    self.words = words
  }

  /// The script for a shell.
  public func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var function: String { "_" + program.name.replacing("-", with: "_") }

  private func candidates(_ values: Option.Values) -> [String] {
    switch values {
    case .words(let list): list
    case .dynamic(let kind): words[kind] ?? []
    case .file, .folder, .free: []
    }
  }
  /// Every option of the program, once.
  private var allOptions: [Option] {
    var seen: Set<String> = []
    return
      (program.commands.flatMap { program.options(of: $0) + $0.subcommands.flatMap(\.options) } + [
        Program.versionOption
      ])
      .filter { seen.insert($0.name).inserted }
  }
  private var firstWords: [String] {
    let fallback = program.commands.first { $0.name == program.defaultCommand }
    return program.commands.map(\.name) + ["help"].filter { name in !program.commands.contains { $0.name == name } }
      + (fallback?.arguments.first.map { candidates($0.values) } ?? [])
  }

  private var bash: String {
    var cases = ""
    for option in allOptions where option.placeholder != nil {
      let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
      cases += "    \(names.joined(separator: "|"))) "
      switch option.values {
      case .file: cases += "compopt -o default 2>/dev/null; COMPREPLY=(); return ;;\n"
      case .folder: cases += "COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n"
      case .free: cases += "COMPREPLY=(); return ;;\n"
      case .words, .dynamic:
        cases +=
          "COMPREPLY=($(compgen -W '\(candidates(option.values).joined(separator: " "))' -- \"$cur\")); return ;;\n"
      }
    }
    var commandCases = ""
    for command in program.commands {
      let options = program.options(of: command).map { "--\($0.name)" }
      let arguments = command.subcommands.map(\.name) + command.arguments.flatMap { candidates($0.values) }
      commandCases +=
        "    \(command.name)) options='\(options.joined(separator: " "))'; arguments='\(arguments.joined(separator: " "))' ;;\n"
    }
    let fallback = program.commands.first { $0.name == program.defaultCommand }
    let options = (fallback.map(program.options(of:)) ?? program.options).map { "--\($0.name)" } + ["--version"]
    return """
      # bash completion of \(program.name)
      \(function)() {
        local cur prev command options arguments word
        cur=${COMP_WORDS[COMP_CWORD]}
        prev=${COMP_WORDS[COMP_CWORD-1]}
        case $prev in
      \(cases)  esac
        command=${COMP_WORDS[1]}
        [ "$COMP_CWORD" -gt 1 ] || command=
        case $command in
      \(commandCases)    '') options='\(options.joined(separator: " "))'; arguments='\(firstWords.joined(separator: " "))' ;;
          *) options='\(options.joined(separator: " "))'; arguments= ;;
        esac
        if [[ $cur == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$cur"))
        else
          COMPREPLY=($(compgen -W "$arguments" -- "$cur"))
        fi
      }
      complete -o bashdefault -F \(function) \(program.name)

      """
  }

  private var zsh: String {
    func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }
    func described(_ text: String) -> String {
      quoted(text.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "\\:"))
    }
    let options = allOptions.map { option -> String in
      let action =
        switch option.values {
        case .file: ":\(option.placeholder ?? ""):_files"
        case .folder: ":\(option.placeholder ?? ""):_files -/"
        case .free: option.placeholder.map { ":\($0): " } ?? ""
        case .words, .dynamic: ":\(option.placeholder ?? ""):(\(candidates(option.values).joined(separator: " ")))"
        }
      let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
      return names.map { name in
        let equals = option.placeholder != nil && name.hasPrefix("--") ? "=" : ""
        return "    '\(option.isRepeatable ? "*" : "")\(name)\(equals)[\(described(option.summary))]\(quoted(action))'"
      }.joined(separator: " \\\n")
    }
    return """
      #compdef \(program.name)
      # zsh completion of \(program.name)
      \(function)() {
        _arguments \\
      \(options.joined(separator: " \\\n")) \\
          '1:command:(\(firstWords.joined(separator: " ")))' \\
          '*:argument:_files'
      }
      \(function) "$@"

      """
  }

  private var fish: String {
    func quoted(_ text: String) -> String { text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") }
    var lines = ["# fish completion of \(program.name)", "complete -c \(program.name) -f"]
    let first = "-n '__fish_use_subcommand'"
    for command in program.commands {
      lines.append("complete -c \(program.name) \(first) -a \(command.name) -d '\(quoted(command.overview))'")
      let words = command.subcommands.map(\.name) + command.arguments.flatMap { candidates($0.values) }
      if !words.isEmpty {
        lines.append(
          "complete -c \(program.name) -n '__fish_seen_subcommand_from \(command.name)' -a '\(quoted(words.joined(separator: " ")))'"
        )
      }
    }
    let rest = firstWords.filter { word in !program.commands.contains { $0.name == word } }
    lines.append("complete -c \(program.name) \(first) -a '\(quoted(rest.joined(separator: " ")))'")
    for option in allOptions {
      var line = "complete -c \(program.name) -l \(option.name)"
      if let letter = option.letter { line += " -s \(letter)" }
      switch option.values {
      case .file, .folder: line += " -r -F"
      case .free: line += option.placeholder == nil ? "" : " -x"
      case .words, .dynamic: line += " -x -a '\(quoted(candidates(option.values).joined(separator: " ")))'"
      }
      lines.append(line + " -d '\(quoted(option.summary))'")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
