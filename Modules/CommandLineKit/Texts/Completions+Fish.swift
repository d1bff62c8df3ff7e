extension Completions {
  /// The script for fish, for its directory of completions.
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
    if start.takesFiles {
      // Also after files: whatever is not a command takes files.
      let names = commands.map(\.name).joined(separator: " ")
      lines.append("complete -c \(name) -n 'not __fish_seen_subcommand_from \(names)' -F")
    }
    for place in places.dropFirst() where !place.words.isEmpty || place.takesFiles {
      let path = place.path.split(separator: " ")
      var condition = path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
      let command = commands.first { $0.name == place.path }
      let below = command.map { $0.subcommands.map(\.name) + $0.actions.map(\.name) } ?? []
      if !below.isEmpty { condition += "; and not __fish_seen_subcommand_from \(below.joined(separator: " "))" }
      let files = place.takesFiles ? " -F" : ""
      let words = place.words.isEmpty ? "" : " -a '\(quoted(place.words.joined(separator: " ")))'"
      lines.append("complete -c \(name) -n '\(condition)'\(files)\(words)")
    }
    return (lines + allOptions.flatMap(fishOptions)).joined(separator: "\n") + "\n"
  }

  private func quoted(_ text: String) -> String { text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") }

  /// The lines of an option: one, or of a list that words before narrow one for each of these.
  private func fishOptions(_ option: Option) -> [String] {
    guard case .list(let kind) = option.values, let behind = narrowed.first(where: { $0.kind == kind })?.behind else {
      return [fishOption(option, candidates(option.values))]
    }
    let all = behind.map(\.word).joined(separator: " ")
    return behind.map { fishOption(option, $0.words, when: "__fish_seen_subcommand_from \($0.word)") }
      + [fishOption(option, candidates(option.values), when: "not __fish_seen_subcommand_from \(all)")]
  }

  private func fishOption(_ option: Option, _ words: [String], when condition: String? = nil) -> String {
    var line = "complete -c \(program.name)"
    var conditions = [condition].compactMap { $0 }
    // It is not offered after commands that do not take it. Fish knows only the set of words, not their order.
    let takers = Set(
      places.filter { $0.options.contains { $0.name == option.name } }.flatMap { $0.path.split(separator: " ") })
    let strangers = program.commands.filter { !takers.contains(Substring($0.name)) }
    if !strangers.isEmpty {
      conditions.append("not __fish_seen_subcommand_from \(strangers.map(\.name).joined(separator: " "))")
    }
    if !conditions.isEmpty { line += " -n '\(conditions.joined(separator: "; and "))'" }
    line += " -l \(option.name)"
    if let letter = option.letter { line += " -s \(letter)" }
    switch option.values {
    case .file, .directory: line += " -r -F"
    case .free: line += option.placeholder == nil ? "" : " -x"
    case .list: line += " -x -a '(__fish_append , \(quoted(words.joined(separator: " "))))'"
    case .words, .dynamic: line += " -x -a '\(quoted(words.joined(separator: " ")))'"
    }
    return line + " -d '\(quoted(option.completionSummary))'"
  }
}
