extension Completions {
  /// The script for fish, for its folder of completions.
  var fish: String {
    let name = program.name
    var lines = ["# fish completion of \(name)", "complete -c \(name) -f"]
    let start = places[0], commands = program.commands
    for command in commands {
      lines.append("complete -c \(name) -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.overview))'")
    }
    let others = start.words.filter { word in !commands.contains { $0.name == word } }
    if !others.isEmpty {
      lines.append("complete -c \(name) -n __fish_use_subcommand -a '\(quoted(others.joined(separator: " ")))'")
    }
    for place in places.dropFirst() where !place.words.isEmpty || place.takesFiles {
      let path = place.path.split(separator: " ")
      var condition = path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
      if path.count == 1, let below = commands.first(where: { $0.name == place.path })?.subcommands, !below.isEmpty {
        condition += "; and not __fish_seen_subcommand_from \(below.map(\.name).joined(separator: " "))"
      }
      let files = place.takesFiles ? " -F" : ""
      let words = place.words.isEmpty ? "" : " -a '\(quoted(place.words.joined(separator: " ")))'"
      lines.append("complete -c \(name) -n '\(condition)'\(files)\(words)")
    }
    return (lines + allOptions.map(fishOption)).joined(separator: "\n") + "\n"
  }

  private func quoted(_ text: String) -> String { text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") }

  private func fishOption(_ option: Option) -> String {
    var line = "complete -c \(program.name)"
    // Behind the commands that do not take it, it is not offered. Fish knows only which words there are, not their order.
    let takers = Set(
      places.filter { $0.options.contains { $0.name == option.name } }.flatMap { $0.path.split(separator: " ") })
    let strangers = program.commands.filter { !takers.contains(Substring($0.name)) }
    if !strangers.isEmpty {
      line += " -n 'not __fish_seen_subcommand_from \(strangers.map(\.name).joined(separator: " "))'"
    }
    line += " -l \(option.name)"
    if let letter = option.letter { line += " -s \(letter)" }
    switch option.values {
    case .file, .folder: line += " -r -F"
    case .free: line += option.placeholder == nil ? "" : " -x"
    case .list: line += " -x -a '(__fish_append , \(quoted(candidates(option.values).joined(separator: " "))))'"
    case .words, .dynamic: line += " -x -a '\(quoted(candidates(option.values).joined(separator: " ")))'"
    }
    return line + " -d '\(quoted(option.summary))'"
  }
}
